//! The client against a scripted loopback server.
#![expect(clippy::unwrap_used, reason = "a test may end by a panic")]

mod calls;
