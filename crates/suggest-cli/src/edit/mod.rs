//! Changing settings files of other programs: only the bytes that must change, shown before and undone exactly.

mod file;
mod json;
mod json_edit;

pub(crate) use file::{Plan, Target, difference};
pub(crate) use json::{JsonProblem, Node};
pub(crate) use json_edit::Editor;
