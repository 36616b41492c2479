//! The store against damage, other processes and crashes (rule C6).

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

mod damage;
mod engine;
mod processes;
mod support;
