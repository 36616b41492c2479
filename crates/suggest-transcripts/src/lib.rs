//! Readers that turn the session files and streams of coding agents into the host-neutral events of `suggest-core`.
//!
//! * [`detect`] recognises a [`Format`] by content; [`SessionInfo`] is what a session says of itself.
//! * [`read_file`], [`read_tail`] and [`read`] read a session; everything that they tell is history (rule D15).
//! * [`Fold`] does the same one line at a time, for those who follow a session that grows.
//! * `StoreFollower` follows a session of opencode's store, with the feature `sqlite`.
//! * [`find_sessions`] lists the sessions in the places where the harnesses keep them.

mod error;
mod export;
mod find;
mod fold;
mod format;
mod info;
mod json;
mod ledger;
mod options;
mod read;
mod readers;
mod remembered;
mod rollout;
#[cfg(feature = "sqlite")]
mod store;
#[cfg(feature = "sqlite")]
mod store_tail;
mod tail;
mod teller;
mod tools;
mod tree;

pub use error::TranscriptError;
pub use find::{FoundSession, Harness, Places, find_session, find_sessions, newest_for};
pub use fold::Fold;
pub use format::{Format, ParseFormatError, detect};
pub use info::SessionInfo;
pub use ledger::{OwnPrompts, prompt_hash};
pub use options::ReadOptions;
pub use read::{read, read_file, read_tail};
#[cfg(feature = "sqlite")]
pub use store_tail::{StoreFollower, StoreLook};
pub use suggest_host_dsh::{Output, Position, Problem, ProblemKind, ReadLimits, Summary, TailBudget};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
