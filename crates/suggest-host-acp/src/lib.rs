#![doc = include_str!("../README.md")]

mod conversation;
mod desk;
mod director;
mod envelope;
mod host;
mod lines;
mod names;
mod process;
mod proxy;
mod queue;
mod reading;
mod relay;
mod wires;
mod words;
mod writing;

pub use process::{StartError, run_agent};
pub use proxy::{Notice, Proxy, ProxyEvent, Setup};
