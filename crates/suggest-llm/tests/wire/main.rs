//! The client against a scripted loopback server.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may end by a panic")]

mod calls;
