//! What a running host tells beyond its session events.

mod fold;
mod record;

pub use fold::LiveFold;
pub use record::{LiveRecord, PendingSizes};
