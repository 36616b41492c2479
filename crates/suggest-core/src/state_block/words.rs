//! The words for the states' plain enums, in both directions.

use crate::answer::OfferKind;
use crate::event::GoalPhase;
use crate::state::{AdvisorStatus, CardOrigin, ModelSource, Priority, Status};

/// An enum that is written as one of a few fixed words.
pub(super) trait Word: Copy + 'static {
    /// Every value.
    const VALUES: &'static [Self];

    /// How it is written.
    fn word(self) -> &'static str;

    /// The value that is written so.
    fn from_word(word: &str) -> Option<Self> {
        Self::VALUES.iter().copied().find(|value| value.word() == word)
    }
}

macro_rules! words {
    ($type:ident { $($variant:ident = $word:literal,)+ }) => {
        impl Word for $type {
            const VALUES: &'static [Self] = &[$(Self::$variant),+];

            fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }
    };
}

words!(Status { Off = "off", Idle = "idle", Analyzing = "analyzing", Ready = "ready", Failed = "failed", });

// The labels of rule D13 are the words: a person reads why the loop leaves such a step alone.
words!(OfferKind {
    Prompt = "prompt",
    GoalEdit = "edits the goal · run it yourself",
    Command = "runs a command · run it yourself",
    Destructive = "destructive · run it yourself",
});

words!(GoalPhase { Active = "active", Paused = "paused", Blocked = "blocked", Complete = "complete", });

words!(AdvisorStatus {
    Disabled = "disabled",
    Off = "off",
    Idle = "idle",
    Reviewing = "reviewing",
    Paused = "paused",
    Halted = "halted",
});

words!(Priority { Low = "low", Medium = "medium", High = "high", });

words!(CardOrigin { Model = "model", Local = "local", });

impl Word for ModelSource {
    const VALUES: &'static [Self] = &Self::ALL;

    fn word(self) -> &'static str {
        self.as_str()
    }
}

/// A plain yes or no.
pub(super) const fn yes_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

/// The value of a plain yes or no.
pub(super) fn from_yes_no(word: &str) -> Option<bool> {
    match word {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// Whether the loop is armed.
pub(super) const fn armed(armed: bool) -> &'static str {
    if armed { "armed" } else { "not armed" }
}

/// Whether the loop is armed, read back.
pub(super) fn from_armed(word: &str) -> Option<bool> {
    match word {
        "armed" => Some(true),
        "not armed" => Some(false),
        _ => None,
    }
}

/// Whether a voice waits or works on a call.
pub(super) const fn working(in_flight: bool) -> &'static str {
    if in_flight { "working" } else { "waiting" }
}

/// Whether a voice waits or works, read back.
pub(super) fn from_working(word: &str) -> Option<bool> {
    match word {
        "working" => Some(true),
        "waiting" => Some(false),
        _ => None,
    }
}
