//! What a session is made with.

use crate::cards::CardBook;
use crate::ids::Ticket;
use crate::state::ModelSource;
use serde::{Deserialize, Serialize};

/// What kind of session the host runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    /// A person sits before it.
    #[default]
    Interactive,
    /// Nobody sits before it; no calls unless the host opts in (rule D12).
    Headless,
    /// A worker's helper; no calls unless the host opts in (rule D12).
    Subagent,
}

/// What a session is made with. Whoever makes the core gives it its first offer and ticket numbers, so that no id is
/// used twice for a session, restarts included (rule D11), and the rounds that the host's process already spent
/// (rule A6).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionSetup {
    /// The host's id of the session; an empty one cannot be armed (rule A1).
    pub id: String,
    /// Its kind.
    pub kind: SessionKind,
    /// Whether the host opts in for a headless or subagent session.
    pub opt_in: bool,
    /// The folder that the session works in; paths outside it are scrubbed (rule P2).
    pub workspace: Option<String>,
    /// The person's home folder; it is scrubbed (rule P2).
    pub home: Option<String>,
    /// Where the configured model's name came from.
    pub model_source: ModelSource,
    /// The number of the first offer.
    pub first_offer: u64,
    /// The number of the first submission.
    pub first_ticket: Ticket,
    /// Rounds that were spent before this core was made.
    pub spent_rounds: u32,
    /// The cards and the summary that were kept of this session (rule C6).
    pub cards: CardBook,
}

impl SessionSetup {
    /// An interactive session with this id, everything else at its beginning.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            kind: SessionKind::Interactive,
            opt_in: false,
            workspace: None,
            home: None,
            model_source: ModelSource::Config,
            first_offer: 1,
            first_ticket: Ticket::new(1),
            spent_rounds: 0,
            cards: CardBook::default(),
        }
    }

    /// Sets the kind and whether the host opts in for it (rule D12).
    #[must_use]
    pub fn with_kind(mut self, kind: SessionKind, opt_in: bool) -> Self {
        self.kind = kind;
        self.opt_in = opt_in;
        self
    }

    /// Sets the folders that the scrubber knows (rule P2).
    #[must_use]
    pub fn with_folders(mut self, workspace: Option<String>, home: Option<String>) -> Self {
        self.workspace = workspace;
        self.home = home;
        self
    }

    /// Says where the configured model's name came from.
    #[must_use]
    pub fn with_model_source(mut self, source: ModelSource) -> Self {
        self.model_source = source;
        self
    }

    /// Goes on with the cards and the summary that were kept of this session, dismissals included (rule C6).
    #[must_use]
    pub fn with_cards(mut self, book: CardBook) -> Self {
        self.cards = book;
        self
    }

    /// Goes on numbering where an earlier core of this session stopped (rules D11, A6).
    #[must_use]
    pub fn resuming(mut self, first_offer: u64, first_ticket: Ticket, spent_rounds: u32) -> Self {
        self.first_offer = first_offer;
        self.first_ticket = first_ticket;
        self.spent_rounds = spent_rounds;
        self
    }
}
