//! Why a log cannot be read.

use std::io;
use suggest_core::Turn;

/// Why a log cannot be read. Lines that cannot be read are no error but problems of the summary.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// There is nothing in it.
    #[error("the log is empty")]
    Empty,
    /// Its first line is no header of a dsh session log. Choose the right format, or the right file.
    #[error("not a dsh session log: {reason}")]
    NotALog {
        /// What is wrong with the first line, without its text.
        reason: &'static str,
    },
    /// The compressed data is damaged. What comes behind the damage, the newest part of the session, is lost.
    #[error("the compressed log is damaged behind its first {bytes} bytes; restore it from a copy")]
    Damaged {
        /// How many compressed bytes were read up to the damage, about.
        bytes: u64,
    },
    /// The compressed data wants more memory than we give.
    #[error("the compressed log needs a window of more than {limit} bytes; compress it with a smaller one")]
    WindowTooLarge {
        /// The largest window that is accepted, in bytes.
        limit: u64,
    },
    /// The log does not hold the turn up to which it should be read.
    #[error("the log has no turn {turn}; {}", before(*last))]
    NoSuchTurn {
        /// The turn that was asked for.
        turn: Turn,
        /// The newest turn before it.
        last: Option<Turn>,
    },
    /// Reading failed.
    #[error("reading the log failed")]
    Io(#[source] io::Error),
}

impl From<io::Error> for LogError {
    /// The decompressor has to wrap its errors for the reader in between; they are unwrapped here.
    fn from(error: io::Error) -> Self {
        error.downcast::<Self>().unwrap_or_else(Self::Io)
    }
}

fn before(last: Option<Turn>) -> String {
    last.map_or_else(|| "no turn began before it".to_owned(), |last| format!("the turn before it is {last}"))
}
