//! One file a command: its arguments, its help, and what it does. They print through `Output` and end with `Exit`.

pub(crate) mod acp;
pub(crate) mod advise;
pub(crate) mod cards;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod dsh;
pub(crate) mod hook;
mod idle;
pub(crate) mod install;
pub(crate) mod man;
pub(crate) mod next;
pub(crate) mod replay;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod state;
pub(crate) mod statusline;
mod streams;
pub(crate) mod summary;
pub(crate) mod watch;
