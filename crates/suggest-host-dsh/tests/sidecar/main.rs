//! The sidecar against a scripted plugin, in one process.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail like tests"
)]

mod advisor;
mod cards;
mod choice;
mod faults;
mod plugin;
mod protocol;
mod recordings;
mod sessions;
