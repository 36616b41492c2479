//! The readers against what the products really wrote, and against hostile and hand-made input.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod checklist;
mod corrections;
mod finding;
mod hostile;
mod recordings;
mod same;
#[cfg(feature = "sqlite")]
mod store;
mod support;
mod tails;
