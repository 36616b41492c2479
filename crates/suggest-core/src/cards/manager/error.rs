//! Why an act on a card is refused, and what an accepted one says.

use serde::{Deserialize, Serialize};

/// Why an act on a card is refused (rule C8). Nothing changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// The manager does not know the id, or it is too long ago.
    #[error("no card `{id}`; list the open cards for their ids")]
    Unknown {
        /// The id that was asked for, without control characters and shortened.
        id: String,
    },
    /// Somebody took it before.
    #[error("card {id} was accepted already")]
    AlreadyAccepted {
        /// The card.
        id: String,
    },
    /// Somebody gave it to another session before.
    #[error("card {id} was assigned to session {to} already")]
    AlreadyAssigned {
        /// The card.
        id: String,
        /// The session that has it.
        to: String,
    },
    /// It was dismissed for good.
    #[error("card {id} was dismissed")]
    Dismissed {
        /// The card.
        id: String,
    },
    /// Its session moved on, so that what it says may be done or wrong.
    #[error("card {id} is stale: its session moved on; wait for new cards, or dismiss it")]
    Stale {
        /// The card.
        id: String,
    },
    /// It made room for newer ones, or its time is over.
    #[error("card {id} is not open any more: newer ones took its place, or it expired")]
    Retired {
        /// The card.
        id: String,
    },
    /// The session that a card should go to is not known.
    #[error("no session `{session}` is known; name one of the idle sessions")]
    UnknownSession {
        /// The session, without control characters and shortened.
        session: String,
    },
    /// The session that a card should go to works or is closed.
    #[error("session {session} is not idle; assign the card when it is")]
    NotIdle {
        /// The session.
        session: String,
    },
}

impl CardError {
    /// A code for programs, lower-kebab-case.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "unknown-card",
            Self::AlreadyAccepted { .. } => "already-accepted",
            Self::AlreadyAssigned { .. } => "already-assigned",
            Self::Dismissed { .. } => "dismissed",
            Self::Stale { .. } => "stale",
            Self::Retired { .. } => "retired",
            Self::UnknownSession { .. } => "unknown-session",
            Self::NotIdle { .. } => "not-idle",
        }
    }
}

/// A name that came from outside, safe to repeat in one line.
pub(crate) fn shown(name: &str) -> String {
    name.chars().filter(|character| !character.is_control()).take(80).collect()
}

/// What an act on a card tells the person: the text to send and where (rule C8). Nothing was launched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PromptIntent {
    /// The card.
    pub card: String,
    /// The session to send it to.
    pub session: String,
    /// The prompt to send, byte for byte what the card shows.
    pub prompt: String,
}

/// Why a candidate never became a card (rule C3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DropReason {
    /// It could stand in any session.
    Generic,
    /// Another candidate or an open card says the same.
    Duplicate,
    /// A person dismissed the same content before.
    Dismissed,
    /// It repeats the work that was just done, or a card that was accepted.
    Done,
    /// A field is missing, empty, absurdly long, or the example's own text.
    Malformed,
}

impl DropReason {
    /// Every reason.
    pub const ALL: [Self; 5] = [Self::Generic, Self::Duplicate, Self::Dismissed, Self::Done, Self::Malformed];

    /// The reason as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Duplicate => "duplicate",
            Self::Dismissed => "dismissed",
            Self::Done => "done",
            Self::Malformed => "malformed",
        }
    }
}
