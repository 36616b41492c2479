//! Asking the model and judging its answer (rules D4 to D10).

use super::{Generation, Offer, Phase, PutOff, Watermark};
use crate::answer::{AnswerContext, InvalidAnswer, Verdict, judge};
use crate::code::{Coded, ReasonCode};
use crate::effect::{Effect, ModelCall, PromptMessage, Voice};
use crate::ids::CallId;
use crate::prompts;
use crate::reply::{CallError, ErrorKind, ModelReply};
use crate::session::Session;
use crate::slice::{self, GoalSection};

/// Attempts of one generation (rule D8).
const ATTEMPTS: u8 = 2;
/// The most characters of a provider's message that a reason repeats.
const MESSAGE_CHARS: usize = 200;

impl Session {
    /// What a generation would be made for now; nothing without a model or a completed turn.
    pub(crate) fn watermark(&self) -> Option<Watermark> {
        Some(Watermark {
            turn: self.turns.last_completed?,
            goal: self.goals.mark(),
            model: self.model()?.0.clone(),
            history_version: self.turns.history_version,
        })
    }

    /// What the director's model would read now: the slice, scrubbed and cut (section S).
    #[must_use]
    pub fn slice(&self) -> String {
        let goal = self.goals.stated().map(|(goal, objective)| GoalSection { goal, objective });
        slice::build(
            &self.transcript,
            goal,
            usize::try_from(self.config.prompt_context_chars).unwrap_or(usize::MAX),
        )
    }

    /// Opens a generation, unless a dialog waits for the human: then it is put off until that closes (rule D4).
    pub(crate) fn open_generation(&mut self) {
        if self.asking && self.may_generate() {
            self.director.after_dialog = true;
            return;
        }
        self.open_generation_now();
    }

    fn may_generate(&self) -> bool {
        !self.closed
            && self.off_reason().is_none()
            && self.turns.open.is_none()
            && !self.transcript.is_empty()
    }

    /// Opens a generation though a dialog may be open: only a human's `retry` does.
    pub(crate) fn open_generation_now(&mut self) {
        let Some(watermark) = self.watermark().filter(|_| self.may_generate()) else { return };
        self.director.forget_put_off();
        self.cancel_generation();
        self.hide_offer();
        let max_chars = self.config.prompt_max_chars;
        let messages = prompts::director::first_attempt(self.slice(), max_chars);
        let call = self.ask(&watermark, 1, messages.clone(), self.config.prompt_deadline_ms);
        self.director.phase = Phase::Analyzing(Box::new(Generation {
            watermark,
            call,
            attempt: 1,
            deadline: None,
            messages,
            max_chars,
        }));
    }

    fn ask(
        &mut self,
        watermark: &Watermark,
        attempt: u8,
        messages: Vec<PromptMessage>,
        deadline_ms: u64,
    ) -> CallId {
        let call = self.calls.open(Voice::Director);
        let model = watermark.model.clone();
        self.emit(Effect::CallModel(ModelCall {
            call,
            voice: Voice::Director,
            attempt,
            model,
            messages,
            deadline_ms,
        }));
        call
    }

    /// Gives up the generation in flight. Gives whether there was one.
    pub(crate) fn cancel_generation(&mut self) -> bool {
        let Phase::Analyzing(generation) = &self.director.phase else { return false };
        let call = generation.call;
        self.cancel_call(call);
        self.director.wait(ReasonCode::NoOfferYet);
        true
    }

    /// The first request of a generation left: its deadline runs from now, for both attempts (rule D8).
    pub(crate) fn on_director_sent(&mut self, call: CallId) {
        let deadline = self.now.plus_ms(self.config.prompt_deadline_ms);
        if let Phase::Analyzing(generation) = &mut self.director.phase
            && generation.call == call
            && generation.deadline.is_none()
        {
            generation.deadline = Some(deadline);
        }
    }

    pub(crate) fn on_director_deadline(&mut self) {
        let Phase::Analyzing(generation) = &self.director.phase else { return };
        let (call, watermark) = (generation.call, generation.watermark.clone());
        self.calls.timed_out(call, self.now);
        self.emit(Effect::CancelCall { call });
        let seconds = self.config.prompt_deadline_ms / 1_000;
        self.fail(watermark, Coded::new(ReasonCode::Timeout, format!("timed out after {seconds} s")));
    }

    pub(crate) fn on_director_reply(&mut self, reply: &ModelReply) {
        let Phase::Analyzing(generation) = &mut self.director.phase else { return };
        let recent = self.transcript.echo();
        let session_text = self.transcript.language_sample();
        let context = AnswerContext {
            max_chars: usize::try_from(generation.max_chars).unwrap_or(usize::MAX),
            recent_human: &recent,
            session_text: &session_text,
        };
        match judge(&reply.text, reply.finish, reply.had_reasoning, &context) {
            Verdict::Offer(proposal) => {
                let watermark = generation.watermark.clone();
                let id = self.director.take_offer_id();
                self.director.settled = Some(watermark.clone());
                self.director.last_offer = None;
                let offer = Offer { id, text: proposal.text, kind: proposal.kind, watermark };
                self.director.phase = Phase::Ready(Box::new(offer));
                self.on_offer_for_loop();
            }
            Verdict::Nothing => {
                self.director.settled = Some(generation.watermark.clone());
                self.director.last_offer = None;
                self.director.wait(ReasonCode::NothingToRecommend);
                self.on_nothing_for_loop();
            }
            Verdict::Invalid(invalid) => self.on_invalid_answer(&reply.text, &invalid),
        }
    }

    fn on_invalid_answer(&mut self, answer: &str, invalid: &InvalidAnswer) {
        let Phase::Analyzing(generation) = &mut self.director.phase else { return };
        if generation.attempt >= ATTEMPTS {
            let watermark = generation.watermark.clone();
            let mut line = format!("{invalid}, after one retry");
            if matches!(invalid, InvalidAnswer::CutByLength { .. }) && self.config.enrichment_max_tokens > 0 {
                let cap = self.config.enrichment_max_tokens;
                line.push_str(&format!(
                    "; raise enrichmentMaxTokens ({cap}), part of it went into reasoning"
                ));
            }
            self.fail(watermark, Coded::new(ReasonCode::InvalidAnswer, line));
            return;
        }
        let left = generation
            .deadline
            .map_or(self.config.prompt_deadline_ms, |deadline| deadline.ms_since(self.now));
        let watermark = generation.watermark.clone();
        let correction = invalid.correction(usize::try_from(generation.max_chars).unwrap_or(usize::MAX));
        let messages =
            prompts::director::second_attempt(std::mem::take(&mut generation.messages), answer, correction);
        let call = self.ask(&watermark, ATTEMPTS, messages, left);
        if let Phase::Analyzing(generation) = &mut self.director.phase {
            generation.attempt = ATTEMPTS;
            generation.call = call;
        }
    }

    pub(crate) fn on_director_error(&mut self, error: &CallError) {
        let Phase::Analyzing(generation) = &self.director.phase else { return };
        let watermark = generation.watermark.clone();
        let reason = self.error_reason(error);
        self.fail(watermark, reason);
    }

    /// One line for a failed call: kind, numbers, no secrets (rule D10).
    pub(crate) fn error_reason(&mut self, error: &CallError) -> Coded<ReasonCode> {
        let message = error.message.as_deref().unwrap_or_else(|| error.kind.describe());
        let line = self.transcript.clean(message).split_whitespace().collect::<Vec<_>>().join(" ");
        let mut line = crate::defuse::shorten_middle(&line, MESSAGE_CHARS);
        if let (ErrorKind::RetryLater, Some(ms)) = (error.kind, error.retry_after_ms) {
            line = format!("{line} (the server asks to wait {} s)", ms.div_ceil(1_000));
        }
        Coded::new(ReasonCode::from(error.kind), line)
    }

    fn fail(&mut self, watermark: Watermark, reason: Coded<ReasonCode>) {
        self.director.settled = Some(watermark);
        self.director.phase = Phase::Failed(reason);
        self.on_failure_for_loop();
    }

    /// The dialog closed: what it put off opens, if its turn is still the last one (rule D4).
    pub(crate) fn open_after_dialog(&mut self) {
        if std::mem::take(&mut self.director.after_dialog) {
            self.open_generation();
        }
    }

    /// The first live input behind a rewrite and its history (rule G4).
    pub(crate) fn open_after_rewrite(&mut self) {
        let Some(why) = self.director.after_rewrite.take() else { return };
        if why == PutOff::Armed && !self.autorun.is_armed() {
            return;
        }
        if self.turns.open.is_none()
            && !self.director.is_analyzing()
            && self.director.current_offer().is_none()
        {
            self.open_generation();
        }
    }

    /// After a drop, between turns: one new generation where autorun would stall, or where the last one had not
    /// answered (rule G4).
    pub(crate) fn open_after_drop(&mut self, unanswered: bool) {
        if self.turns.open.is_none() && (unanswered || self.autorun.is_armed()) {
            self.open_generation();
        }
    }

    /// An act of the human opens a generation if there was none for what is now current (rule D4).
    pub(crate) fn open_for_human(&mut self) {
        let fresh =
            self.watermark().is_some_and(|watermark| self.director.settled.as_ref() != Some(&watermark));
        let busy = self.director.is_analyzing() || self.director.current_offer().is_some();
        if fresh && !busy && self.turns.last_turn_completed() && !self.submission_blocks() {
            self.open_generation();
        }
    }
}
