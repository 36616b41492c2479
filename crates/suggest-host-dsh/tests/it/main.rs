//! Folding recorded, generated and damaged session logs.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail like tests")]

mod hostile;
mod live;
mod logs;
mod recordings;
mod support;
mod tails;
