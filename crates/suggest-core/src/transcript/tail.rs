//! The newest messages within the character budget.

use crate::ids::Turn;
use std::collections::VecDeque;

/// Who speaks in the tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    Human,
    Assistant,
    /// A round that autorun started (rule S6).
    Autorun,
    /// A round of the host's goal driver; its text is the goal section.
    GoalRound,
    /// A turn that ended without a word of the worker.
    Silence,
}

/// One message of the tail.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) turn: Turn,
    pub(crate) speaker: Speaker,
    /// Defused and scrubbed, perhaps cut at its front.
    pub(crate) text: String,
    /// Characters of `text`.
    pub(crate) chars: usize,
}

impl Entry {
    pub(crate) fn new(turn: Turn, speaker: Speaker, text: String) -> Self {
        let chars = text.chars().count();
        Self { turn, speaker, text, chars }
    }
}

/// A ring of the newest messages. What falls out is only counted.
#[derive(Debug)]
pub(crate) struct Tail {
    entries: VecDeque<Entry>,
    /// Characters in `entries`.
    kept: usize,
    /// Characters of messages, and of parts of messages, that are gone.
    gone: usize,
    budget: usize,
}

/// What an entry costs besides its text: its label line. An estimate from below is enough, the slice counts exactly.
const LABEL_CHARS: usize = 8;

impl Tail {
    pub(super) fn new(budget: usize) -> Self {
        Self { entries: VecDeque::new(), kept: 0, gone: 0, budget }
    }

    pub(super) fn set_budget(&mut self, budget: usize) {
        self.budget = budget;
        self.shrink();
    }

    pub(super) fn push(&mut self, mut entry: Entry) {
        if entry.chars > self.budget {
            let (text, left_out) = crate::text::keep_end(&entry.text, self.budget);
            self.gone = self.gone.saturating_add(left_out);
            entry.chars = entry.chars.saturating_sub(left_out);
            entry.text = text;
        }
        self.kept = self.kept.saturating_add(entry.chars).saturating_add(LABEL_CHARS);
        self.entries.push_back(entry);
        self.shrink();
    }

    fn shrink(&mut self) {
        // One message more than fits is kept, so that the slice can cut inside it if nothing else fits.
        while self.entries.len() > 1 {
            let Some(first) = self.entries.front() else { break };
            let cost = first.chars.saturating_add(LABEL_CHARS);
            if self.kept.saturating_sub(cost) < self.budget {
                break;
            }
            self.gone = self.gone.saturating_add(first.chars);
            self.kept = self.kept.saturating_sub(cost);
            self.entries.pop_front();
        }
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.kept = 0;
        self.gone = 0;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Characters that fell out since the conversation began or was rewritten.
    pub(crate) fn gone(&self) -> usize {
        self.gone
    }

    /// Oldest first.
    pub(crate) fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> + ExactSizeIterator {
        self.entries.iter()
    }
}
