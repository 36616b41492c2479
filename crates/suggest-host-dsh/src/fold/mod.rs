//! Raw session events in, host-neutral events out.

mod asking;
mod author;
mod content;
mod goal;
mod inbox;
mod kinds;
mod machine;
mod plan;
mod raw;
mod surface;
mod tools;

pub use machine::{Fold, Output};

pub(crate) use author::{is_conversation, of_user_message};
pub(crate) use kinds::{is_without_meaning, peek_kind};
pub(crate) use raw::Raw;
pub use tools::ToolCall;
