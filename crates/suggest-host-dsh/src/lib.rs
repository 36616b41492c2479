//! DeepSeek Harness (dsh) adapter of suggest: reads its session logs and maps its live events.
//!
//! * [`Fold`] turns raw session events into the core's host-neutral events, one at a time, in bounded memory.
//! * [`LogReader`] and [`read_tail`] feed a session log to a fold; [`LogFile`] picks the better of the two for a file.
//! * [`GrowingFrames`] decompresses a log that grows.
//! * [`Lines`], [`BackwardLines`], [`find_line`] and [`ToolCall`] know nothing of dsh and serve the readers of other
//!   harnesses too.
//! * [`LiveFold`] adds what only a running host knows: idle and busy, the queue, and whether a goal is armed.
//! * [`serve`] is the sidecar: it speaks with the plugin inside a running host and has the engine do the rest.

mod fold;
mod live;
mod log;
mod sidecar;

pub use fold::{Fold, Output, ToolCall};
pub use live::{LiveFold, LiveRecord, PendingSizes};
pub use log::{
    BackwardLine, BackwardLines, GrowingFrames, Header, Line, Lines, LogError, LogFile, LogReader, Position,
    Problem, ProblemKind, ReadLimits, ReadOptions, Summary, TailBudget, detect, find_line, read_tail,
};
#[cfg(feature = "schema")]
pub use sidecar::protocol_schema;
pub use sidecar::{Served, SidecarError, SidecarOptions, serve};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
