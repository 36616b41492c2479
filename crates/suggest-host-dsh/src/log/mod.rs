//! Reading session logs: plain or compressed, whole or from the tail, in bounded memory.

mod backward;
mod error;
mod file;
mod frames;
mod growing;
mod header;
mod lines;
mod options;
mod reader;
mod summary;
mod tail;

pub use backward::{BackwardLine, BackwardLines, find_line};
pub use error::LogError;
pub use file::LogFile;
pub use growing::GrowingFrames;
pub use header::{Header, detect};
pub use lines::{Line, Lines};
pub use options::{ReadLimits, ReadOptions, TailBudget};
pub use reader::LogReader;
pub use summary::{Position, Problem, ProblemKind, Summary};
pub use tail::read_tail;
