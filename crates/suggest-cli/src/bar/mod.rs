//! The bar: what a person sees of a session, in the columns that there are.

mod columns;
mod lines;
mod words;

pub(crate) use columns::{fit, one_line};
pub(crate) use lines::{BarView, Line, Look, plain_line, reason_line};
pub(crate) use words::{Words, mark};
