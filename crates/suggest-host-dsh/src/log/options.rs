//! What to read, and within which bounds.

use suggest_core::Turn;

/// What to read of a log, and within which bounds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Read up to the end of this turn, as if nothing had happened after it.
    pub at_turn: Option<Turn>,
    /// How much of the tail of a large file is enough.
    pub tail: TailBudget,
    /// What a line may cost.
    pub limits: ReadLimits,
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
}

/// How much of the tail of a log is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TailBudget {
    /// Characters of conversation that must be read, if the log has as many.
    pub chars: usize,
    /// Turns that must have ended in what is read, if the log has as many; at least one.
    pub turns: u32,
    /// How many bytes before the tail are searched for the last plan and the last chapter. The goal is searched for
    /// in the whole log.
    pub hint_bytes: u64,
}

impl Default for TailBudget {
    fn default() -> Self {
        Self { chars: 64_000, turns: 3, hint_bytes: 8 * 1024 * 1024 }
    }
}

impl TailBudget {
    /// Enough for a slice of this many characters, with room for what defusing removes (rule S2).
    #[must_use]
    pub fn for_slice(chars: u32) -> Self {
        let chars = usize::try_from(chars).unwrap_or(usize::MAX);
        let default = Self::default();
        Self { chars: chars.saturating_mul(4).max(default.chars), ..default }
    }
}

/// What a line may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadLimits {
    /// The longest line that is read, in bytes; longer ones are skipped and reported.
    pub line_bytes: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { line_bytes: 16 * 1024 * 1024 }
    }
}

impl ReadLimits {
    /// Lines up to this many bytes are read.
    #[must_use]
    pub fn lines_up_to(bytes: usize) -> Self {
        Self { line_bytes: bytes }
    }
}
