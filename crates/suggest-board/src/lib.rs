#![doc = include_str!("../README.md")]

mod access;
mod api;
mod board;
mod error;
mod frames;
mod heroes;
mod live;
mod page;
mod server;
mod socket;
mod token;
mod wire;

pub use api::ROUTES;
pub use board::{Board, BoardLimits, OpenError};
pub use error::ServeError;
pub use live::{Asked, BoardSession};
pub use page::OPENAPI;
pub use server::{BoardServer, ServeLimits, ServeOptions};
pub use token::{Token, TokenError};
