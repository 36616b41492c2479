//! One review at a time, from the end of a turn to what its reply means (rules V2, V3, V5).

use super::backlog::Delta;
use super::frame::{self, Reading};
use super::status::Outcome;
use super::trial::Trial;
use super::{CALL_DEADLINE_MS, Stopped, note};
use crate::code::Coded;
use crate::defuse::{quote, shorten_middle};
use crate::effect::{Effect, ModelCall, Voice};
use crate::ids::{CallId, Timestamp, Turn};
use crate::prompts;
use crate::reply::{CallError, ErrorKind, ModelReply};
use crate::session::Session;
use crate::state::Severity;
use std::fmt::Write as _;

/// Characters of the goal that a review is told.
const GOAL_CHARS: usize = 1_000;

/// A review that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Due {
    /// The newest turn that it is about.
    pub(super) turn: Turn,
    /// How many turns had completed then.
    pub(super) ordinal: u64,
    /// The newest turn in it that the token limit cut.
    cut: Option<Turn>,
    /// The newest turn in it that a note of ours started.
    by_note: Option<Turn>,
}

#[derive(Debug)]
pub(super) struct Review {
    call: CallId,
    deadline: Option<Timestamp>,
    pub(super) due: Due,
    delta: Delta,
}

/// The one call of the advisor's own voice.
#[derive(Debug)]
pub(super) enum InFlight {
    Review(Box<Review>),
    Trial(Trial),
}

impl InFlight {
    pub(super) fn call(&self) -> CallId {
        match self {
            Self::Review(review) => review.call,
            Self::Trial(trial) => trial.call,
        }
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        match self {
            Self::Review(review) => review.deadline,
            Self::Trial(trial) => trial.deadline,
        }
    }

    pub(super) fn sent(&mut self, deadline: Timestamp) {
        match self {
            Self::Review(review) => review.deadline = Some(deadline),
            Self::Trial(trial) => trial.deadline = Some(deadline),
        }
    }
}

impl Session {
    /// A turn ended that is to be reviewed. What waited merges with it (rule V2).
    pub(super) fn review_due(&mut self, turn: Turn, cut: bool, by_note: bool) {
        if !self.advisor_listens() {
            return;
        }
        let before = self.advisor.due.take();
        let earlier = |pick: fn(&Due) -> Option<Turn>| before.as_ref().and_then(pick);
        let due = Due {
            turn,
            ordinal: self.advisor.completed,
            cut: if cut { Some(turn) } else { earlier(|due| due.cut) },
            by_note: if by_note { Some(turn) } else { earlier(|due| due.by_note) },
        };
        self.advisor.due = Some(due);
        self.advisor.backlog.mark_ready();
        self.start_review();
    }

    /// Asks for the review that is due, unless a call is in flight or the advisor is stopped.
    pub(super) fn start_review(&mut self) {
        let ready =
            self.advisor.in_flight.is_none() && self.advisor.stopped.is_none() && self.advisor_listens();
        if !ready {
            return;
        }
        let Ok((model, _)) = self.advisor_route() else { return };
        let Some(due) = self.advisor.due.take() else { return };
        let delta = self.advisor.backlog.take_ready();
        if delta.is_empty() {
            return;
        }
        let messages =
            prompts::advisor::review(&self.config.advisor.system_prompt, self.review_text(&due, &delta));
        let call = self.calls.open(Voice::Advisor);
        self.emit(Effect::CallModel(ModelCall {
            call,
            voice: Voice::Advisor,
            attempt: 1,
            model,
            messages,
            deadline_ms: CALL_DEADLINE_MS,
        }));
        self.advisor.in_flight =
            Some(InFlight::Review(Box::new(Review { call, deadline: None, due, delta })));
    }

    fn review_text(&self, due: &Due, delta: &Delta) -> String {
        let mut text = format!("## Under review: the work up to turn {}\n", due.turn);
        if let Some(turn) = due.cut {
            let _ = writeln!(text, "Turn {turn} was cut by the output limit; the worker did not finish it.");
        }
        if let Some(turn) = due.by_note {
            let _ = writeln!(text, "Turn {turn} was started by one of your notes.");
        }
        if self.advisor.delivery.blocker().is_some() {
            // Its words stay out: the advisor never reads its own notes (rule V2).
            text.push_str(
                "A blocker that you raised is still open. Say that it is settled if the work below deals with it.\n",
            );
        }
        text.push('\n');
        if let Some((_, objective)) = self.goals.stated() {
            let objective = shorten_middle(objective, GOAL_CHARS);
            let _ = writeln!(text, "## The session's goal\n{}\n", quote(&objective, "| ", "| "));
        }
        text.push_str(&delta.text());
        text
    }

    /// Gives up the review in flight; its delta is gone with it.
    pub(super) fn give_up_review(&mut self) {
        if let Some(InFlight::Review(review)) =
            self.advisor.in_flight.take_if(|flight| matches!(flight, InFlight::Review(_)))
        {
            self.cancel_call(review.call);
        }
    }

    /// Gives up the review in flight, and keeps its delta for the next one.
    pub(super) fn put_off_review(&mut self) {
        if let Some(InFlight::Review(review)) =
            self.advisor.in_flight.take_if(|flight| matches!(flight, InFlight::Review(_)))
        {
            self.cancel_call(review.call);
            let Review { due, delta, .. } = *review;
            let dropped = self.advisor.backlog.put_back(delta, self.config.advisor.max_delta_messages);
            self.advisor.count("backlog", dropped);
            self.advisor.due.get_or_insert(due);
        }
    }

    pub(super) fn on_review_reply(&mut self, review: Review, reply: &ModelReply) {
        let turn = review.due.turn;
        let outcome = match frame::read(&reply.text, reply.finish) {
            Reading::Empty => self.drop_note("empty"),
            Reading::Prose(text) if self.config.advisor.prose_fallback => {
                self.take_note(Severity::Nit, &text, &review.due)
            }
            Reading::Prose(_) | Reading::Cut => self.drop_note("unparsed"),
            Reading::Frame(frame) => {
                if frame.settled {
                    self.advisor.delivery.settle();
                }
                match frame.note {
                    None if frame.settled => Outcome::Settled,
                    None => Outcome::NothingToNote,
                    Some(text) => {
                        if frame.odd_severity {
                            self.advisor.count("severity", 1);
                        }
                        self.take_note(frame.severity, &text, &review.due)
                    }
                }
            }
        };
        self.advisor.last = Some((turn, outcome));
    }

    fn drop_note(&mut self, cause: &'static str) -> Outcome {
        self.advisor.count(cause, 1);
        Outcome::Dropped(cause)
    }

    /// Delivers a note unless one of the guards refuses it.
    fn take_note(&mut self, severity: Severity, text: &str, due: &Due) -> Outcome {
        let text = note::one_paragraph(&self.transcript.clean(text));
        if let Some(refusal) = note::refusal(&text) {
            return self.drop_note(refusal);
        }
        if self.advisor.delivery.is_duplicate(severity, &text) {
            return self.drop_note("duplicate");
        }
        self.deliver(severity, text, due.ordinal);
        Outcome::Noted(severity)
    }

    pub(super) fn on_review_deadline(&mut self, review: Review) {
        self.calls.timed_out(review.call, self.now);
        self.emit(Effect::CancelCall { call: review.call });
        self.drop_review(&review, ErrorKind::Timeout);
        self.start_review();
    }

    pub(super) fn on_review_error(&mut self, review: Review, error: &CallError) {
        let line = self.error_reason(error).message;
        match error.kind {
            ErrorKind::Quota | ErrorKind::RetryLater => {
                self.advisor.stopped = Some(Stopped::Paused(Coded::new("quota_exhausted".to_owned(), line)));
            }
            ErrorKind::Credentials | ErrorKind::UnknownModel | ErrorKind::NotAllowed => {
                self.advisor.stopped = Some(Stopped::Halted(Coded::new(error.kind.code().to_owned(), line)));
                self.advisor.due = None;
                self.advisor.backlog.clear();
            }
            ErrorKind::UnsupportedParameter
            | ErrorKind::ContextTooLong
            | ErrorKind::Filtered
            | ErrorKind::Starved
            | ErrorKind::Empty
            | ErrorKind::Malformed
            | ErrorKind::Timeout
            | ErrorKind::Cancelled
            | ErrorKind::Network => {}
        }
        self.drop_review(&review, error.kind);
    }

    /// A failed review loses its delta, and nothing else (rule V5).
    fn drop_review(&mut self, review: &Review, kind: ErrorKind) {
        self.advisor.count("failed", 1);
        self.advisor.count("backlog", review.delta.len());
        self.advisor.last = Some((review.due.turn, Outcome::Failed(kind)));
    }
}
