//! The configuration in layers: defaults, file, environment, flags. Each value knows where it came from.

mod file;
mod keys;
mod layers;
mod providers;
mod schema;

pub(crate) use file::find;
pub(crate) use keys::KEYS;
pub(crate) use layers::{Settings, Wanted, load};
pub(crate) use providers::shown;
pub(crate) use schema::schema;
