//! What to read, and within which bounds.

use crate::ledger::OwnPrompts;
use suggest_core::Turn;
use suggest_host_dsh::{ReadLimits, TailBudget};

/// What to read of a session, and within which bounds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Read up to the end of this turn, as if nothing had happened after it. Turns are counted from 1 where the
    /// harness does not number them.
    pub at_turn: Option<Turn>,
    /// How much of the tail of a large file is enough.
    pub tail: TailBudget,
    /// What a line may cost.
    pub limits: ReadLimits,
    /// The prompts that autorun submitted (rule A7).
    pub own_prompts: OwnPrompts,
    /// Which session of a store or stream that holds several; the newest if absent.
    pub session: Option<String>,
    /// The prompt of the first turn, for streams that do not repeat it (`codex exec --json`, `claude -p`).
    pub prompt: Option<String>,
}

impl ReadOptions {
    /// Reads up to the end of a turn.
    #[must_use]
    pub fn at_turn(mut self, turn: Option<Turn>) -> Self {
        self.at_turn = turn;
        self
    }

    /// Sets how much of the tail is enough.
    #[must_use]
    pub fn with_tail(mut self, tail: TailBudget) -> Self {
        self.tail = tail;
        self
    }

    /// Sets what a line may cost.
    #[must_use]
    pub fn with_limits(mut self, limits: ReadLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the prompts that autorun submitted.
    #[must_use]
    pub fn with_own_prompts(mut self, own: OwnPrompts) -> Self {
        self.own_prompts = own;
        self
    }

    /// Chooses one of several sessions by its id.
    #[must_use]
    pub fn with_session(mut self, id: Option<String>) -> Self {
        self.session = id;
        self
    }

    /// Gives the prompt of the first turn.
    #[must_use]
    pub fn with_prompt(mut self, prompt: Option<String>) -> Self {
        self.prompt = prompt;
        self
    }
}
