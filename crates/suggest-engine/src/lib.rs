#![doc = include_str!("../README.md")]

mod alarms;
mod builder;
mod call;
mod convert;
mod engine;
mod gate;
mod host;
mod observer;
mod panics;
mod provider;
mod session;
mod store;
#[cfg(feature = "client")]
mod table;
mod transfer;

pub use builder::{BuildError, EngineBuilder};
pub use convert::call_error;
pub use engine::{Engine, EngineStats};
pub use host::{Host, NoHost, SubmitAnswer};
pub use observer::Observer;
pub use provider::{Credentials, Provider, Resolver, Route};
pub use session::{SessionHandle, StateWatch};
pub use store::{Counters, HostProcess, MemoryStore, Store, StoreError};
#[cfg(feature = "client")]
pub use table::resolve as resolve_in_table;
pub use transfer::{TRANSFER_VARIABLE, TransferPolicy};
