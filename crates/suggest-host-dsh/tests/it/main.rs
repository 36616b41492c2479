//! Folding recorded, generated and damaged session logs.

mod hostile;
mod live;
mod logs;
mod recordings;
mod support;
mod tails;
