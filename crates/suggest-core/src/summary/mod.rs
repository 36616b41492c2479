//! The session summary (rule C9): what a session did, for a person who comes back to it. It has its own guard, cooldown
//! and deadline; its follow-ups are words of the summary and never become cards.

mod local;

use crate::answer::ReplyFinish;
use crate::cards::SessionSummary;
use crate::cards::lifecycle::Lifecycle;
use crate::cards::work;
use crate::code::{Coded, OutputCode, ReasonCode};
use crate::command::CommandOutput;
use crate::config::Config;
use crate::defuse::defuse;
use crate::effect::{Effect, ModelCall, Voice};
use crate::facts::SessionFacts;
use crate::ids::{CallId, Timestamp, Turn};
use crate::prompts;
use crate::reply::{CallError, ModelReply};
use crate::session::Session;
use crate::state::{CardOrigin, SummaryView};

/// The deadline of rule C9.
const DEADLINE_MS: u64 = 15_000;
/// A longer answer is no summary.
const MOST_CHARS: usize = 2_000;
const FOLLOW_UP: &str = "FOLLOW-UP:";
const MOST_FOLLOW_UPS: usize = 3;
const FOLLOW_UP_CHARS: usize = 300;

/// What the summary knows of a session. The text itself is kept by the cards' manager (rule C9).
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) life: Lifecycle,
    /// Why the model did not write what was made last.
    failed: Option<Coded<ReasonCode>>,
}

/// What the session tells the summary.
impl Session {
    /// A live turn starts, or the session said that it is busy.
    pub(crate) fn summary_busy(&mut self) {
        if let Some(call) = self.summary.life.give_up() {
            self.cancel_call(call);
        }
    }

    /// The session said that it is idle.
    pub(crate) fn summary_idle(&mut self) {
        if self.idle_voice_may_speak(self.config.summary.enabled) && self.summary.life.trigger(self.now) {
            self.generate_summary();
        }
    }

    /// The session closed: what it did is summed up now, whatever the cooldown says. A model that is asked may still
    /// better the local words, if the driver brings its answer.
    pub(crate) fn summary_closed(&mut self) {
        let completed = self.turns.last_turn_completed();
        if !self.config.summary.enabled || !completed || !self.summary.life.has_work() {
            return;
        }
        let facts = self.facts();
        let Some(turn) = facts.last_completed_turn else { return };
        let asked = self.summary.life.in_flight().is_some();
        self.local_summary(&facts, turn);
        if !asked && self.config.summary.model.is_some() {
            self.generate_summary();
        }
    }

    /// The configuration changed; `self.config` is the new one.
    pub(crate) fn summary_config_changed(&mut self, old: &Config) {
        if self.config.summary == old.summary {
            return;
        }
        if let Some(call) = self.summary.life.give_up() {
            self.cancel_call(call);
            if self.turns.boundary_open() {
                self.summary_idle();
            }
        }
    }

    fn generate_summary(&mut self) {
        let facts = self.facts();
        let Some(turn) = facts.last_completed_turn.filter(|_| work::is_enough(&facts)) else { return };
        self.summary.life.start(self.now);
        self.summary.failed = None;
        let Some(model) = self.config.summary.model.clone() else {
            self.local_summary(&facts, turn);
            return;
        };
        let hero = self.transcript.clean(&self.setup.id);
        let messages = prompts::summary::ask(work::quoted(&hero, &hero, &facts));
        let call = self.calls.open(Voice::Summary);
        self.summary.life.wait_for(call, turn);
        self.emit(Effect::CallModel(ModelCall {
            call,
            voice: Voice::Summary,
            attempt: 1,
            model,
            messages,
            deadline_ms: DEADLINE_MS,
        }));
    }

    /// The request left.
    pub(crate) fn summary_sent(&mut self, call: CallId) {
        self.summary.life.sent(call, self.now.plus_ms(DEADLINE_MS));
    }

    /// A call of the summary brought a reply.
    pub(crate) fn summary_reply(&mut self, call: CallId, reply: &ModelReply) {
        let Some(flight) = self.summary.life.finish(call) else { return };
        match read(reply) {
            Some((text, follow_ups)) => {
                let text = self.transcript.scrub(&text);
                let follow_ups = follow_ups.iter().map(|line| self.transcript.scrub(line)).collect();
                self.keep_summary(text, follow_ups, CardOrigin::Model, flight.turn);
            }
            None => {
                self.summary.failed = Some(Coded::new(ReasonCode::InvalidAnswer, "the answer is no summary"));
                let facts = self.facts();
                self.local_summary(&facts, flight.turn);
            }
        }
    }

    /// A call of the summary failed.
    pub(crate) fn summary_error(&mut self, call: CallId, error: &CallError) {
        if let Some(flight) = self.summary.life.finish(call) {
            self.summary.failed = Some(self.error_reason(error));
            let facts = self.facts();
            self.local_summary(&facts, flight.turn);
        }
    }

    fn local_summary(&mut self, facts: &SessionFacts, turn: Turn) {
        match local::summary(facts).filter(|_| work::is_enough(facts)) {
            Some(text) => self.keep_summary(text, Vec::new(), CardOrigin::Local, turn),
            None => self.summary.life.settle(),
        }
    }

    fn keep_summary(&mut self, text: String, follow_ups: Vec<String>, origin: CardOrigin, turn: Turn) {
        self.summary.life.settle();
        let now = self.now.get();
        let known = self.cards.manager.summary(&self.setup.id);
        if known.is_some_and(|known| {
            known.text == text
                && (known.turn, known.origin) == (turn, origin)
                && known.follow_ups == follow_ups
        }) {
            return;
        }
        self.cards.manager.put_summary(SessionSummary {
            session: self.setup.id.clone(),
            text,
            origin,
            turn,
            follow_ups,
            created_at: now,
            updated_at: now,
            unknown: Default::default(),
        });
        self.cards_changed(&[]);
    }

    /// When the summary next wants time to pass.
    pub(crate) fn summary_wake(&self) -> Option<Timestamp> {
        self.summary.life.wake()
    }

    /// Timers that are due at `self.now`.
    pub(crate) fn summary_timers(&mut self) {
        if let Some(flight) = self.summary.life.take_overdue(self.now) {
            self.calls.timed_out(flight.call, self.now);
            self.emit(Effect::CancelCall { call: flight.call });
            self.summary.failed = Some(crate::cards::timed_out(DEADLINE_MS));
            let facts = self.facts();
            self.local_summary(&facts, flight.turn);
        }
        if self.summary.life.take_kept(self.now)
            && self.turns.idle
            && self.idle_voice_may_speak(self.config.summary.enabled)
        {
            self.generate_summary();
        }
    }

    pub(crate) fn summary_command(&mut self) -> CommandOutput {
        CommandOutput::ok(match self.cards.manager.summary(&self.setup.id) {
            Some(summary) => summary_text(summary),
            None if self.summary.life.in_flight().is_some() => {
                "no summary yet; a model is being asked".to_owned()
            }
            None => "no summary yet; one is made when the session goes idle".to_owned(),
        })
    }

    /// A person asks for a summary now; the guard and the cooldown hold.
    pub(crate) fn refresh_summary(&mut self) -> CommandOutput {
        if !self.config.summary.enabled {
            return CommandOutput::refused(OutputCode::Off, "the summary is switched off (summary.enabled)");
        }
        if self.turns.open.is_some() {
            return CommandOutput::refused(OutputCode::TurnRunning, OutputCode::TurnRunning.describe());
        }
        if !self.idle_voice_may_speak(true) || !work::is_enough(&self.facts()) {
            return CommandOutput::refused(
                OutputCode::NoCompletedTurn,
                "there is no completed work to sum up",
            );
        }
        self.summary.life.work_completed();
        if self.summary.life.trigger(self.now) {
            self.generate_summary();
        }
        self.summary_command()
    }

    pub(crate) fn summary_view(&self) -> Option<SummaryView> {
        let summary = self.cards.manager.summary(&self.setup.id);
        let in_flight = self.summary.life.in_flight().is_some();
        let usage = self.calls.usage(Voice::Summary);
        (summary.is_some() || in_flight || usage.calls > 0).then(|| SummaryView {
            text: summary.map(|summary| summary.text.clone()),
            origin: summary.map(|summary| summary.origin),
            in_flight,
            reason: self.summary.failed.clone(),
            usage,
        })
    }
}

fn summary_text(summary: &SessionSummary) -> String {
    let mut text = summary.text.clone();
    for follow_up in &summary.follow_ups {
        text.push_str("\n- ");
        text.push_str(follow_up);
    }
    text
}

/// The sentences and the follow-ups of an answer; nothing if it is no summary.
fn read(reply: &ModelReply) -> Option<(String, Vec<String>)> {
    if reply.finish == ReplyFinish::Length {
        return None;
    }
    let answer = defuse(&reply.text);
    let mut sentences = Vec::new();
    let mut follow_ups = Vec::new();
    for line in answer.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("```")) {
        let plain = line.trim_start_matches(['-', '*', '•', ' ']);
        let head = plain.get(..FOLLOW_UP.len()).unwrap_or_default();
        if head.eq_ignore_ascii_case(FOLLOW_UP) {
            let rest = plain.get(FOLLOW_UP.len()..).unwrap_or_default().trim();
            let fits = !rest.is_empty() && rest.chars().count() <= FOLLOW_UP_CHARS;
            if fits && follow_ups.len() < MOST_FOLLOW_UPS {
                follow_ups.push(rest.to_owned());
            }
        } else {
            sentences.push(line);
        }
    }
    let text = sentences.join(" ");
    let is_prose = !text.is_empty() && text.chars().count() <= MOST_CHARS && !text.starts_with(['[', '{']);
    is_prose.then_some((text, follow_ups))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_with_its_follow_ups_and_other_shapes_are_refused_c9() {
        let of = |text: &str| read(&ModelReply::text(text));
        assert_eq!(
            of("Added --json.\nTested it.\nFOLLOW-UP: Document --json.\n- follow-up: Release."),
            Some((
                "Added --json. Tested it.".to_owned(),
                vec!["Document --json.".to_owned(), "Release.".to_owned()]
            ))
        );
        assert_eq!(of("<think>hm</think> Done with a.rs."), Some(("Done with a.rs.".to_owned(), Vec::new())));
        assert_eq!(of(""), None);
        assert_eq!(of("FOLLOW-UP: x"), None);
        assert_eq!(of("[{\"title\":\"x\"}]"), None);
        assert_eq!(of(&"long ".repeat(500)), None);
    }
}
