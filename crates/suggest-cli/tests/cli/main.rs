//! The command as people meet it: whole runs of the real program, with what it prints where and how it ends.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod advise;
mod arguments;
mod board;
mod board_files;
mod board_kill;
mod board_logs;
mod cards;
mod config;
mod doctor;
mod dsh;
mod hosts;
mod hosts_lag;
mod install;
mod model;
mod next;
mod reference;
mod replay;
mod secrets;
mod serve;
mod stores;
mod support;
mod terminal;
mod watch;
