//! A real server on the loopback, asked by real clients.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod acts;
mod api;
mod refusals;
mod sessions;
mod subscribers;
mod support;
