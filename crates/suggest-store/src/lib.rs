#![doc = include_str!("../README.md")]

mod disk;
mod document;
mod engine;
mod error;
mod store;

pub use error::{ActError, StoreFileError, Warning};
pub use store::CardStore;
