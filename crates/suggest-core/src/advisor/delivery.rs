//! Saying a note: softly, or so that the worker reads it now (rules V4, A11).

use super::delivered::Delivered;
use crate::effect::Effect;
use crate::ids::Timestamp;
use crate::session::Session;
use crate::state::Severity;

/// Steers without a human prompt between them, after which nothing steers (rule V4).
const MAX_STEERS: u32 = 3;
/// A waking steer whose turn has not started this long after it will not start one (as rule A3).
const START_MS: u64 = 30_000;

/// A waking steer whose turn has not started.
#[derive(Debug)]
struct Start {
    at: Timestamp,
    /// The session was busy since.
    moved_on: bool,
}

/// What was said, and what waits to be.
#[derive(Debug, Default)]
pub(super) struct Delivery {
    known: Delivered,
    delivered: u32,
    /// The blocker that nobody answered.
    blocker: Option<String>,
    steers_since_human: u32,
    /// How many turns had completed at the review that last steered.
    last_steer: Option<u64>,
    /// A waking steer that waits while another start is pending (rule A11).
    held: Option<String>,
    start: Option<Start>,
}

impl Delivery {
    pub(super) fn is_duplicate(&self, severity: Severity, note: &str) -> bool {
        self.known.holds(severity, note)
    }

    pub(super) fn blocker(&self) -> Option<&str> {
        self.blocker.as_deref()
    }

    /// The open blocker is answered.
    pub(super) fn settle(&mut self) {
        self.blocker = None;
    }

    /// Gives a note that waited to wake the session: the human does that now.
    pub(super) fn human_spoke(&mut self) -> Option<String> {
        self.steers_since_human = 0;
        self.blocker = None;
        self.held.take()
    }

    pub(super) fn forget_held(&mut self) {
        self.held = None;
    }

    pub(super) fn steers_since_human(&self) -> u32 {
        self.steers_since_human
    }

    pub(super) fn delivered(&self) -> u32 {
        self.delivered
    }

    pub(super) fn start_pending(&self) -> bool {
        self.start.is_some()
    }

    /// Whatever turn starts takes the note with it. Gives whether one was awaited.
    pub(super) fn turn_started(&mut self) -> bool {
        self.start.take().is_some()
    }

    pub(super) fn busy(&mut self) {
        if let Some(start) = &mut self.start {
            start.moved_on = true;
        }
    }

    /// An idle that follows a busy, or comes late, shows that no turn will start.
    pub(super) fn idle(&mut self, now: Timestamp) {
        self.start.take_if(|start| start.moved_on || now.ms_since(start.at) >= START_MS);
    }

    /// Whether a concern of a review stays soft, because an earlier one steered lately.
    fn is_immune(&self, ordinal: u64, immune_turns: u32) -> bool {
        immune_turns > 0
            && self
                .last_steer
                .is_some_and(|steered| ordinal <= steered.saturating_add(u64::from(immune_turns)))
    }

    fn steered(&mut self, ordinal: u64) {
        self.steers_since_human = self.steers_since_human.saturating_add(1);
        self.last_steer = Some(ordinal);
        self.delivered = self.delivered.saturating_add(1);
    }
}

/// The text as it is delivered.
fn marked(severity: Severity, note: &str) -> String {
    format!("[advisor:{}] {note}", name(severity))
}

/// The severity as it is written.
pub(super) fn name(severity: Severity) -> &'static str {
    match severity {
        Severity::Nit => "nit",
        Severity::Concern => "concern",
        Severity::Blocker => "blocker",
    }
}

impl Session {
    /// Delivers a note of the review at which `ordinal` turns had completed.
    pub(super) fn deliver(&mut self, severity: Severity, note: String, ordinal: u64) {
        self.advisor.delivery.known.remember(severity, &note);
        let line = marked(severity, &note);
        if severity == Severity::Blocker {
            self.advisor.delivery.blocker = Some(note);
        }
        let soft = match severity {
            Severity::Nit => true,
            Severity::Concern => self.advisor.delivery.is_immune(ordinal, self.config.advisor.immune_turns),
            Severity::Blocker => false,
        };
        if soft { self.inject_note(line) } else { self.steer_note(line, ordinal) }
    }

    pub(super) fn inject_note(&mut self, line: String) {
        self.advisor.delivery.delivered = self.advisor.delivery.delivered.saturating_add(1);
        self.emit(Effect::Inject { text: line });
    }

    fn steer_note(&mut self, line: String, ordinal: u64) {
        if self.advisor.delivery.steers_since_human >= MAX_STEERS {
            self.advisor.count("flood", 1);
            self.inject_note(line);
            return;
        }
        if !self.is_idle() {
            self.advisor.delivery.steered(ordinal);
            self.emit(Effect::Steer { text: line, wakes: false });
            return;
        }
        if self.submission_blocks() || self.advisor.delivery.start_pending() {
            if self.advisor.delivery.held.is_none() {
                self.advisor.delivery.held = Some(line);
            } else {
                self.inject_note(line);
            }
            return;
        }
        self.wake_with(line, ordinal);
    }

    /// Starts a turn with a note. While the loop is armed that is a round, and needs one left in the budget.
    fn wake_with(&mut self, line: String, ordinal: u64) {
        if !self.count_note_as_round() {
            self.inject_note(line);
            return;
        }
        self.advisor.delivery.steered(ordinal);
        self.advisor.delivery.start = Some(Start { at: self.now, moved_on: false });
        self.emit(Effect::Steer { text: line, wakes: true });
    }

    /// A note would start a turn: the session is idle, and no prompt of the human is about to start one.
    fn is_idle(&self) -> bool {
        self.turns.idle && self.turns.open.is_none() && self.queued == 0
    }

    /// A steer that waited goes out at the next boundary at which nothing else is to start (rule A11).
    pub(crate) fn advance_advisor(&mut self) {
        let free = self.is_idle()
            && !self.closed
            && !self.submission_blocks()
            && !self.advisor.delivery.start_pending();
        if free && let Some(line) = self.advisor.delivery.held.take() {
            self.steer_note(line, self.advisor.completed);
        }
    }
}
