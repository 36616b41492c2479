//! A pinned model is tried before it counts (rule V7).
//!
//! The trial is a small call of the advisor's own voice, so that no driver needs to know of it. It has the voice's one
//! place: a review in flight is put off with all that it was to read, and is asked again behind the trial. A second
//! pin, `model reset`, `off` and the session's end give a trial up.

use super::CALL_DEADLINE_MS;
use super::review::InFlight;
use crate::effect::{Effect, ModelCall, Voice};
use crate::ids::{CallId, ModelId, Timestamp};
use crate::prompts;
use crate::reply::{CallError, ErrorKind};
use crate::session::Session;

#[derive(Debug)]
pub(super) struct Trial {
    pub(super) call: CallId,
    pub(super) deadline: Option<Timestamp>,
    pub(super) model: ModelId,
}

impl Session {
    pub(super) fn start_trial(&mut self, model: ModelId) {
        self.give_up_trial();
        self.put_off_review();
        self.advisor.pin_refused = None;
        let call = self.calls.open(Voice::Advisor);
        self.emit(Effect::CallModel(ModelCall {
            call,
            voice: Voice::Advisor,
            attempt: 1,
            model: model.clone(),
            messages: prompts::advisor::trial(),
            deadline_ms: CALL_DEADLINE_MS,
        }));
        self.advisor.in_flight = Some(InFlight::Trial(Trial { call, deadline: None, model }));
    }

    /// Gives whether there was one.
    pub(super) fn give_up_trial(&mut self) -> bool {
        let trial = self.advisor.in_flight.take_if(|flight| matches!(flight, InFlight::Trial(_)));
        if let Some(flight) = &trial {
            self.cancel_call(flight.call());
        }
        trial.is_some()
    }

    pub(super) fn trial(&self) -> Option<&ModelId> {
        match &self.advisor.in_flight {
            Some(InFlight::Trial(trial)) => Some(&trial.model),
            Some(InFlight::Review(_)) | None => None,
        }
    }

    /// The model answered: what it said does not matter.
    pub(super) fn on_trial_answered(&mut self, trial: Trial) {
        self.advisor.pin = Some(trial.model);
    }

    pub(super) fn on_trial_error(&mut self, trial: &Trial, error: &CallError) {
        match error.kind {
            // The model was there, and that is what was asked.
            ErrorKind::Empty | ErrorKind::Starved | ErrorKind::Filtered => {
                self.advisor.pin = Some(trial.model.clone());
            }
            ErrorKind::RetryLater
            | ErrorKind::Quota
            | ErrorKind::Credentials
            | ErrorKind::UnknownModel
            | ErrorKind::UnsupportedParameter
            | ErrorKind::ContextTooLong
            | ErrorKind::Malformed
            | ErrorKind::Timeout
            | ErrorKind::Cancelled
            | ErrorKind::Network
            | ErrorKind::NotAllowed => {
                let line = self.error_reason(error).message;
                self.refuse_pin(trial, &line);
            }
        }
    }

    pub(super) fn on_trial_deadline(&mut self, trial: &Trial) {
        self.calls.timed_out(trial.call, self.now);
        self.emit(Effect::CancelCall { call: trial.call });
        let seconds = CALL_DEADLINE_MS / 1_000;
        self.refuse_pin(trial, &format!("it did not answer within {seconds} s"));
        self.start_review();
    }

    fn refuse_pin(&mut self, trial: &Trial, line: &str) {
        self.advisor.pin_refused =
            Some(format!("{} was not pinned: {line}; the earlier choice stands", trial.model));
    }
}
