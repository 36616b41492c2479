//! The state of a session as a block of lines for people, which reads back to exactly the same [`State`].
//!
//! A line is a key, indented by two spaces under its section, and its value in one column:
//!
//! ```text
//! status        ready
//! model         deepseek/deepseek-chat
//!   from        config
//! offer         o1
//!   answers     turn 4
//!   kind        prompt
//!   writer      deepseek/deepseek-chat
//!   text        | Add a test for the empty ledger.
//! ```
//!
//! Free text stands behind `| `, one such line for each of its own, so that nothing in it passes for a line of the
//! block. Inside it `\\` is a backslash, `\r` a carriage return, `\t` a tab, and `\u{2028}` the character with that
//! number; control characters, invisible ones and white space at the end of a line are always written so. Names that
//! are not plain printable ASCII are written as free text too. A reason is its code and its message,
//! `timeout: the call timed out`; a message of several lines, or an empty one, follows as free text.
//!
//! The sections come in a fixed order. `advisor`, `cards` and `summary` are there only where the state has them.
//!
//! [`State`]: crate::State

mod line;
mod parse;
mod print;
mod text;
mod words;

#[cfg(test)]
mod tests;

pub use line::status_line;
pub use parse::{ParseStateError, parse_state};
pub use print::print_state;
