//! Following a session that grows: what is in it when it is opened is history, what comes later is news.

mod feed;
mod file;
mod latest;
mod place;
mod store;

pub(crate) use feed::first_bytes;
pub(crate) use file::{Follower, Step};
pub(crate) use latest::{Siblings, newest};
pub(crate) use place::Place;
