//! A scripted HTTP server on loopback, for tests of clients.
//!
//! Mock servers answer with whole bodies. What breaks clients is below that: where the chunks are cut, what is missing at
//! the end, a connection that is reset. Here a test says exactly which bytes come when, and how the connection ends.

mod exchange;
mod server;

pub use exchange::{Ending, Exchange};
pub use server::{RecordedRequest, ScriptedServer};
