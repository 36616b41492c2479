//! A guess of the human's next prompt, silent when it fails (rule V8).

use super::CALL_DEADLINE_MS;
use crate::answer::{AnswerContext, Verdict, judge};
use crate::effect::{Effect, ModelCall, Voice};
use crate::ids::{CallId, Timestamp};
use crate::prompts;
use crate::reply::ModelReply;
use crate::session::Session;

#[derive(Debug, Default)]
pub(super) struct Prediction {
    call: Option<(CallId, Option<Timestamp>)>,
    text: Option<String>,
}

impl Prediction {
    pub(super) fn sent(&mut self, call: CallId, deadline: Timestamp) {
        if let Some((own, at)) = &mut self.call
            && *own == call
        {
            *at = Some(deadline);
        }
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        self.call.and_then(|(_, deadline)| deadline)
    }

    pub(super) fn failed(&mut self, call: CallId) {
        self.call.take_if(|(own, _)| *own == call);
    }
}

impl Session {
    /// A turn completed: one guess, unless the director is on, whose offer serves the place.
    pub(super) fn predict(&mut self) {
        let wanted = self.config.advisor.next_prompt
            && self.off_reason().is_some()
            && self.director.last_turn_spoken
            && self.advisor.stopped.is_none()
            && self.advisor_listens()
            && !self.transcript.is_empty();
        if !wanted {
            return;
        }
        let Ok((model, _)) = self.advisor_route() else { return };
        self.drop_prediction();
        let messages = prompts::advisor::prediction(self.slice(), self.config.prompt_max_chars);
        let call = self.calls.open(Voice::Prediction);
        self.emit(Effect::CallModel(ModelCall {
            call,
            voice: Voice::Prediction,
            attempt: 1,
            model,
            messages,
            deadline_ms: CALL_DEADLINE_MS,
        }));
        self.advisor.prediction.call = Some((call, None));
    }

    /// The guess, and the call for one, are of an older situation now.
    pub(super) fn drop_prediction(&mut self) {
        self.advisor.prediction.text = None;
        if let Some((call, _)) = self.advisor.prediction.call.take() {
            self.cancel_call(call);
        }
    }

    pub(super) fn on_prediction_reply(&mut self, call: CallId, reply: &ModelReply) {
        if self.advisor.prediction.call.take_if(|(own, _)| *own == call).is_none() {
            return;
        }
        let recent = self.transcript.echo();
        let session_text = self.transcript.language_sample();
        let context = AnswerContext {
            max_chars: usize::try_from(self.config.prompt_max_chars).unwrap_or(usize::MAX),
            recent_human: &recent,
            session_text: &session_text,
        };
        self.advisor.prediction.text = match judge(&reply.text, reply.finish, reply.had_reasoning, &context) {
            Verdict::Offer(proposal) => Some(proposal.text),
            Verdict::Nothing | Verdict::Invalid(_) => None,
        };
    }

    pub(super) fn on_prediction_deadline(&mut self) {
        if let Some((call, _)) = self.advisor.prediction.call.take() {
            self.calls.timed_out(call, self.now);
            self.emit(Effect::CancelCall { call });
        }
    }

    /// The guess to show: none where the director speaks.
    pub(super) fn shown_prediction(&self) -> Option<&str> {
        self.advisor.prediction.text.as_deref().filter(|_| self.off_reason().is_some() && !self.closed)
    }
}
