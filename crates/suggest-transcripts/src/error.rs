//! Why a session cannot be read.

use crate::format::Format;
use std::io;
use suggest_core::Turn;

/// Why a session cannot be read. Lines that cannot be read are no error but problems of the summary.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// There is nothing in it.
    #[error("the session is empty")]
    Empty,
    /// It is not of the format that it was read as. Choose the right format, or the right file.
    #[error("not in the format `{format}`: {reason}")]
    NotThisFormat {
        /// What it was read as.
        format: Format,
        /// What is wrong with it, without its text.
        reason: &'static str,
    },
    /// The session does not hold the turn up to which it should be read.
    #[error("the session has no turn {turn}; {}", before(*last))]
    NoSuchTurn {
        /// The turn that was asked for.
        turn: Turn,
        /// The newest turn before it.
        last: Option<Turn>,
    },
    /// A document is larger than this many bytes.
    #[error("the document is larger than {limit} bytes")]
    TooLarge {
        /// The largest document that is read.
        limit: u64,
    },
    /// The store holds no session, or not the one that was asked for.
    #[error("the store holds no such session")]
    NoSuchSession,
    /// The format needs a part of the library that this build leaves out.
    #[error("this build cannot read the format `{format}`; build it with the feature `{feature}`")]
    NotBuilt {
        /// What it was read as.
        format: Format,
        /// The missing feature.
        feature: &'static str,
    },
    /// The store cannot be opened or read. The cause names no text of the session.
    #[error("the store cannot be read: {cause}")]
    Store {
        /// What the database library says.
        cause: String,
    },
    /// Reading failed.
    #[error("reading the session failed")]
    Io(#[from] io::Error),
}

fn before(last: Option<Turn>) -> String {
    last.map_or_else(|| "no turn began before it".to_owned(), |last| format!("the turn before it is {last}"))
}
