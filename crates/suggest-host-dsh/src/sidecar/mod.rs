//! The sidecar: JSON-RPC 2.0 over two streams with the plugin inside the host, one message a line.
//!
//! The plugin tells what it observes, the engine decides, and the plugin does what it is asked: calls of models, turns,
//! notes. Nothing here waits for the plugin: what it does not read is bounded, what it does not answer is given up by
//! whoever asked.

mod cards;
mod choice;
mod commands;
mod efforts;
mod error;
mod frame;
mod link;
mod message;
mod model;
mod options;
mod outbox;
mod peer;
mod pin;
mod protocol;
mod routes;
mod row;
mod server;
mod session;
mod shelf;
mod view;

pub use error::SidecarError;
pub use options::SidecarOptions;
#[cfg(feature = "schema")]
pub use protocol::protocol_schema;
pub use server::{Served, serve};
