//! The advisor: a second opinion on every turn that can never get in the way (section V).
//!
//! [`gate`] says whether it runs and with which model, [`backlog`] keeps what happened since its last review, [`review`]
//! asks the model, [`frame`] reads the reply, [`note`] and [`delivered`] refuse what is not worth a word, and
//! [`delivery`] says it. [`controls`] and [`trial`] are the human's hand on it, [`prediction`] the guess of the human's
//! next prompt.
//!
//! Decisions where the rules leave room:
//!
//! - A turn that failed or was blocked is not reviewed: a note could wake a session whose model just failed. Its
//!   messages go into the next delta.
//! - A rewritten history empties the backlog and gives up the review in flight: both speak of what is gone. The memory
//!   of delivered notes stays, so that nothing is said twice.
//! - Switching the advisor off takes back a blocker: nobody would be left to settle it.
//! - A review whose call fails loses its delta, counted under `failed` (reviews) and `backlog` (messages).

mod backlog;
mod controls;
mod delivered;
mod delivery;
mod frame;
mod gate;
mod note;
mod prediction;
mod review;
mod status;
#[cfg(test)]
mod tests;
mod trial;

use crate::code::Coded;
use crate::config::Config;
use crate::effect::Voice;
use crate::event::{EndReason, Message, Origin, Tool};
use crate::ids::{CallId, ModelId, Timestamp, Turn};
use crate::reply::{CallError, ModelReply};
use crate::session::Session;
use backlog::Backlog;
use delivery::Delivery;
use prediction::Prediction;
use review::{Due, InFlight};
use status::Outcome;
use std::collections::BTreeMap;

/// How long a call of the advisor may take, in milliseconds, from the moment when it is sent (rule V5).
const CALL_DEADLINE_MS: u64 = 60_000;

/// Why the advisor makes no calls until `on` (rule V5).
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stopped {
    /// Quota or rate limit.
    Paused(Coded<String>),
    /// A permanent error.
    Halted(Coded<String>),
}

/// What the advisor knows of a session.
#[derive(Debug, Default)]
pub(crate) struct Advisor {
    /// The human's switch in this session; absent: the configuration decides (rule V7).
    switch: Option<bool>,
    /// The model that the human pinned in this session (rule V7).
    pin: Option<ModelId>,
    /// Why the last trial of a pin failed.
    pin_refused: Option<String>,
    /// A human gave it a command, so that it shows in the state.
    spoken_to: bool,
    /// The host's global configuration cannot be read (rule V1).
    config_error: Option<String>,
    stopped: Option<Stopped>,
    backlog: Backlog,
    /// The worker spoke or used a tool since the last end of a turn.
    stepped: bool,
    /// The turn that runs was started by a note.
    by_note: bool,
    /// Live turns that completed.
    completed: u64,
    /// A review that waits for its turn to be asked.
    due: Option<Due>,
    /// The one call in flight: a review, or the trial of a pin.
    in_flight: Option<InFlight>,
    prediction: Prediction,
    delivery: Delivery,
    /// Replies and messages dropped, by cause (rule V3).
    dropped: BTreeMap<&'static str, u32>,
    last: Option<(Turn, Outcome)>,
}

impl Advisor {
    fn count(&mut self, cause: &'static str, number: usize) {
        let count = self.dropped.entry(cause).or_default();
        *count = count.saturating_add(u32::try_from(number).unwrap_or(u32::MAX));
        if *count == 0 {
            self.dropped.remove(cause);
        }
    }
}

/// What the session tells the advisor. Every hook is called after the shared view has folded the event.
impl Session {
    /// Tells the advisor that its global configuration cannot be read, and why; `None` when it can again. While it
    /// cannot, no session's advisor runs, pinned or not (rule V1). Poll the effects afterwards.
    pub fn set_advisor_config_error(&mut self, error: Option<String>) {
        let line = error.map(|error| {
            let line = self.transcript.clean(&error).split_whitespace().collect::<Vec<_>>().join(" ");
            crate::defuse::shorten_middle(&line, 200)
        });
        self.advisor.config_error = line;
        self.stop_advisor_if_shut();
    }

    /// A message was folded (a duplicate never comes here).
    pub(crate) fn advisor_saw_message(&mut self, message: &Message, live: bool) {
        if !live {
            return;
        }
        let Some(speaker) = backlog::speaker(message) else { return };
        self.advisor.stepped |= speaker == backlog::Speaker::Assistant && !message.text.trim().is_empty();
        if self.advisor_listens() {
            let text = self.transcript.clean(&message.text);
            self.advisor_keeps(speaker, &text);
        }
    }

    /// A tool call was folded.
    pub(crate) fn advisor_saw_tool(&mut self, _tool: &Tool, live: bool) {
        if !live {
            return;
        }
        self.advisor.stepped = true;
        if !self.advisor_listens() {
            return;
        }
        let told = self.transcript.activity().tools().next_back().map(backlog::of_tool);
        if let Some((speaker, text)) = told {
            self.advisor_keeps(speaker, &text);
        }
    }

    fn advisor_keeps(&mut self, speaker: backlog::Speaker, text: &str) {
        if text.is_empty() && !speaker.speaks_without_words() {
            return;
        }
        let most = self.config.advisor.max_delta_messages;
        let dropped = self.advisor.backlog.push(speaker, text, most);
        self.advisor.count("backlog", dropped);
    }

    /// A live turn starts.
    pub(crate) fn advisor_turn_started(&mut self, _turn: Turn, origin: Option<Origin>) {
        let was_pending = self.advisor.delivery.turn_started();
        self.advisor.by_note = match origin {
            Some(Origin::Advisor) => true,
            None => was_pending,
            Some(Origin::Human | Origin::Suggest | Origin::Goal | Origin::Other) => false,
        };
        self.drop_prediction();
    }

    /// A live turn ended; the director has seen it.
    pub(crate) fn advisor_turn_ended(&mut self, turn: Turn, reason: EndReason) {
        let stepped = std::mem::take(&mut self.advisor.stepped);
        let by_note = std::mem::take(&mut self.advisor.by_note);
        match reason {
            EndReason::Completed => {
                self.advisor.completed = self.advisor.completed.saturating_add(1);
                if stepped {
                    self.review_due(turn, false, by_note);
                }
                self.predict();
            }
            EndReason::Limited if stepped => self.review_due(turn, true, by_note),
            // Only what the human stopped waits for the next delta; an error is worth a second look.
            EndReason::Failed | EndReason::Blocked if stepped => self.review_due(turn, false, by_note),
            EndReason::Aborted | EndReason::Interrupted if stepped && self.advisor_listens() => {
                self.advisor.count("interrupted", 1);
            }
            EndReason::Limited
            | EndReason::Aborted
            | EndReason::Interrupted
            | EndReason::Failed
            | EndReason::Blocked => {}
        }
    }

    /// A prompt of the human entered or was queued: what was open is answered (rules V3, V4).
    pub(crate) fn advisor_human_prompt(&mut self) {
        self.advisor.by_note = false;
        if let Some(line) = self.advisor.delivery.human_spoke() {
            self.inject_note(line);
        }
    }

    /// The session said that it is busy.
    pub(crate) fn advisor_busy(&mut self) {
        self.advisor.delivery.busy();
    }

    /// The session said that it is idle.
    pub(crate) fn advisor_idle(&mut self) {
        self.advisor.delivery.idle(self.now);
    }

    /// The conversation was rewritten.
    pub(crate) fn advisor_rewrite(&mut self) {
        self.give_up_review();
        self.advisor.backlog.clear();
        self.advisor.due = None;
        self.advisor.stepped = false;
        self.drop_prediction();
    }

    /// The session closed.
    pub(crate) fn advisor_closed(&mut self) {
        self.stop_advisor();
    }

    /// The configuration changed; `self.config` is the new one.
    pub(crate) fn advisor_config_changed(&mut self, _old: &Config) {
        self.stop_advisor_if_shut();
        let dropped = self.advisor.backlog.shrink(self.config.advisor.max_delta_messages);
        self.advisor.count("backlog", dropped);
        if !self.config.advisor.next_prompt {
            self.drop_prediction();
        }
    }

    /// Gives up every call and forgets what waits, without a word in the session.
    fn stop_advisor(&mut self) {
        self.give_up_review();
        self.give_up_trial();
        self.drop_prediction();
        self.advisor.backlog.clear();
        self.advisor.due = None;
        self.advisor.delivery.forget_held();
    }

    fn stop_advisor_if_shut(&mut self) {
        if self.advisor_shut().is_some() {
            self.stop_advisor();
        } else if self.advisor_route().is_err() || !self.advisor_enabled() {
            // The trial of a pin goes on: it may be what opens the gate, and the switch is another matter.
            self.give_up_review();
            self.drop_prediction();
            self.advisor.backlog.clear();
            self.advisor.due = None;
            self.advisor.delivery.forget_held();
        }
    }

    /// The request of a review, a prediction or a pin's trial left.
    pub(crate) fn advisor_sent(&mut self, call: CallId) {
        let deadline = self.now.plus_ms(CALL_DEADLINE_MS);
        if let Some(flight) = self.advisor.in_flight.as_mut().filter(|flight| flight.call() == call) {
            flight.sent(deadline);
        }
        self.advisor.prediction.sent(call, deadline);
    }

    /// A call of the advisor or of the prediction brought a reply.
    pub(crate) fn advisor_reply(&mut self, voice: Voice, call: CallId, reply: &ModelReply) {
        if voice == Voice::Prediction {
            self.on_prediction_reply(call, reply);
            return;
        }
        match self.advisor.in_flight.take_if(|flight| flight.call() == call) {
            Some(InFlight::Review(review)) => self.on_review_reply(*review, reply),
            Some(InFlight::Trial(trial)) => self.on_trial_answered(trial),
            None => {}
        }
        self.start_review();
    }

    /// A call of the advisor or of the prediction failed.
    pub(crate) fn advisor_error(&mut self, voice: Voice, call: CallId, error: &CallError) {
        if voice == Voice::Prediction {
            self.advisor.prediction.failed(call);
            return;
        }
        match self.advisor.in_flight.take_if(|flight| flight.call() == call) {
            Some(InFlight::Review(review)) => self.on_review_error(*review, error),
            Some(InFlight::Trial(trial)) => self.on_trial_error(&trial, error),
            None => {}
        }
        self.start_review();
    }

    /// When the advisor next wants time to pass.
    pub(crate) fn advisor_wake(&self) -> Option<Timestamp> {
        let flight = self.advisor.in_flight.as_ref().and_then(InFlight::deadline);
        [flight, self.advisor.prediction.deadline()].into_iter().flatten().min()
    }

    /// Timers that are due at `self.now`.
    pub(crate) fn advisor_timers(&mut self) {
        let now = self.now;
        let late = |deadline: Option<Timestamp>| deadline.is_some_and(|deadline| deadline <= now);
        match self.advisor.in_flight.take_if(|flight| late(flight.deadline())) {
            Some(InFlight::Review(review)) => self.on_review_deadline(*review),
            Some(InFlight::Trial(trial)) => self.on_trial_deadline(&trial),
            None => {}
        }
        if late(self.advisor.prediction.deadline()) {
            self.on_prediction_deadline();
        }
    }

    /// An unanswered blocker holds the loop (rule A4).
    pub(crate) fn advisor_blocks_loop(&self) -> bool {
        self.advisor.delivery.blocker().is_some()
    }

    /// A waking steer has not started its turn yet (rule A11).
    pub(crate) fn advisor_start_pending(&self) -> bool {
        self.advisor.delivery.start_pending()
    }
}
