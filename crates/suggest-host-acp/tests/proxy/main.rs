//! The proxy between a scripted editor and a scripted agent.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a script that is not met must fail its test"
)]

mod autorun;
mod commands;
mod pass_through;
mod support;
