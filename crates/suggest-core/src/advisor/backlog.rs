//! What happened since the last review, bounded (rule V2).

use crate::defuse::{quote, shorten_middle};
use crate::event::{Author, Message};
use crate::facts::ToolFact;
use std::collections::VecDeque;
use std::fmt::Write as _;

/// Characters of all entries, however many messages the configuration allows.
const BACKLOG_CHARS: usize = 100_000;
/// Characters of one entry; a longer one is visibly shortened in its middle.
const ENTRY_CHARS: usize = 8_000;
/// What an entry costs besides its text.
const LABEL_CHARS: usize = 24;
const QUOTE: &str = "| ";

/// Who did what an entry tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Speaker {
    Human,
    Assistant,
    /// A round that autorun started.
    Autorun,
    /// A round of the host's goal driver.
    GoalRound,
    /// A tool, and whether it succeeded.
    Tool {
        name: String,
        ok: Option<bool>,
    },
}

impl Speaker {
    /// Whether an entry without text still tells something.
    pub(super) fn speaks_without_words(&self) -> bool {
        matches!(self, Self::Tool { .. } | Self::GoalRound)
    }

    fn label(&self) -> String {
        match self {
            Self::Human => "Human:".to_owned(),
            Self::Assistant => "Worker:".to_owned(),
            Self::Autorun => "Prompt that autorun sent:".to_owned(),
            Self::GoalRound => "Goal driver, another round:".to_owned(),
            Self::Tool { name, ok: Some(true) } => format!("Tool {name} (succeeded):"),
            Self::Tool { name, ok: Some(false) } => format!("Tool {name} (failed):"),
            Self::Tool { name, ok: None } => format!("Tool {name}:"),
        }
    }
}

/// Who speaks in a message, if the advisor reads it: never its own notes, in whatever shape a log carries them, and
/// nothing that hosts, plugins and commands put in.
pub(super) fn speaker(message: &Message) -> Option<Speaker> {
    if matches!(message.producer.as_deref(), Some("advisor" | "plugin:advisor")) {
        return None;
    }
    match message.author {
        Author::Human => Some(Speaker::Human),
        Author::Assistant => Some(Speaker::Assistant),
        Author::Suggest => Some(Speaker::Autorun),
        Author::Goal => Some(Speaker::GoalRound),
        Author::Advisor | Author::Plugin | Author::Host | Author::Command | Author::Notice => None,
    }
}

/// A tool call as an entry.
pub(super) fn of_tool(fact: &ToolFact) -> (Speaker, String) {
    let mut text = fact.summary.clone().unwrap_or_default();
    if !fact.files.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = write!(text, "files: {}", fact.files.join(", "));
    }
    // The name stands outside the quote.
    let name = fact.name.split_whitespace().collect::<Vec<_>>().join(" ");
    (Speaker::Tool { name, ok: fact.ok }, text)
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    speaker: Speaker,
    /// Defused and scrubbed.
    text: String,
    cost: usize,
}

/// The entries that wait for a review, oldest first.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    entries: VecDeque<Entry>,
    chars: usize,
    /// Entries at the front that the review that is due reads; what runs on behind them is for the one after it.
    ready: usize,
    /// Entries that fell out since the last review.
    left_out: usize,
}

/// What one review reads.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Delta {
    entries: Vec<Entry>,
    left_out: usize,
}

impl Backlog {
    /// Adds an entry and gives how many old ones fell out. `most` bounds the entries; 0: only the characters do.
    pub(super) fn push(&mut self, speaker: Speaker, text: &str, most: u32) -> usize {
        let text = shorten_middle(text, ENTRY_CHARS);
        let cost = text.chars().count().saturating_add(LABEL_CHARS);
        self.chars = self.chars.saturating_add(cost);
        self.entries.push_back(Entry { speaker, text, cost });
        self.shrink(most)
    }

    /// Drops what is over the bounds, oldest first, and gives how many entries that were.
    pub(super) fn shrink(&mut self, most: u32) -> usize {
        let most = if most == 0 { usize::MAX } else { usize::try_from(most).unwrap_or(usize::MAX) };
        let mut dropped = 0;
        while self.entries.len() > most || self.chars > BACKLOG_CHARS {
            let Some(old) = self.entries.pop_front() else { break };
            self.chars = self.chars.saturating_sub(old.cost);
            self.ready = self.ready.saturating_sub(1);
            dropped += 1;
        }
        self.left_out = self.left_out.saturating_add(dropped);
        dropped
    }

    /// A turn ended that is to be reviewed: all that is here belongs to its review.
    pub(super) fn mark_ready(&mut self) {
        self.ready = self.entries.len();
    }

    /// Takes what the review that is due reads.
    pub(super) fn take_ready(&mut self) -> Delta {
        let entries: Vec<Entry> = self.entries.drain(..self.ready.min(self.entries.len())).collect();
        self.ready = 0;
        let cost: usize = entries.iter().map(|entry| entry.cost).sum();
        self.chars = self.chars.saturating_sub(cost);
        Delta { entries, left_out: std::mem::take(&mut self.left_out) }
    }

    /// Puts back what a review took and did not read. Gives how many entries fell out.
    pub(super) fn put_back(&mut self, delta: Delta, most: u32) -> usize {
        self.ready = self.ready.saturating_add(delta.entries.len());
        self.left_out = self.left_out.saturating_add(delta.left_out);
        for entry in delta.entries.into_iter().rev() {
            self.chars = self.chars.saturating_add(entry.cost);
            self.entries.push_front(entry);
        }
        self.shrink(most)
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Delta {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The entries as quoted data: nothing inside can be taken for a label, a section or an instruction.
    pub(super) fn text(&self) -> String {
        let mut text = String::from("## Since your last review (oldest first");
        if self.left_out > 0 {
            let _ = write!(text, "; {} entries before this left out", self.left_out);
        }
        text.push_str(")\n");
        for entry in &self.entries {
            text.push_str(&entry.speaker.label());
            text.push('\n');
            if !entry.text.is_empty() {
                text.push_str(&quote(&entry.text, QUOTE, QUOTE));
                text.push('\n');
            }
        }
        text.pop();
        text
    }
}
