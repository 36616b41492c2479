//! One session in the engine: its core, its calls, its errands to the host, and the handle to it.

mod cell;
mod drain;
mod errand;
mod handle;

pub(crate) use cell::Cell;
pub use handle::{SessionHandle, StateWatch};
