//! The snapshot that people and programs see.

use super::Session;
use crate::code::{Coded, ReasonCode};
use crate::director::Phase;
use crate::effect::Voice;
use crate::event::GoalPhase;
use crate::facts::{MessageFact, SessionFacts};
use crate::state::{AutorunView, ModelView, OfferView, State, Status};
use crate::transcript::Speaker;

impl Session {
    /// What a person sees.
    #[must_use]
    pub fn state(&self) -> State {
        let (status, reason) = self.status();
        let shown = if status == Status::Off { None } else { self.director.shown_offer() };
        State {
            status,
            reason,
            offer: shown.map(|(offer, current)| OfferView {
                id: offer.id,
                text: offer.text.clone(),
                turn: offer.watermark.turn,
                current,
                kind: offer.kind,
                model: offer.watermark.model.clone(),
            }),
            autorun: AutorunView {
                armed: self.autorun.is_armed(),
                hold: if self.autorun.is_armed() { self.hold() } else { None },
                rounds: self.autorun.spent(),
                max_rounds: self.config.prompt_max_rounds,
                disarmed_because: self.autorun.disarmed_because().cloned(),
            },
            goal: self.goals.view(),
            model: self.model().map(|(id, source)| ModelView { id: id.clone(), source }),
            usage: self.calls.usage(Voice::Director),
            advisor: self.advisor_view(),
            cards: self.cards_view(),
            summary: self.summary_view(),
        }
    }

    fn status(&self) -> (Status, Option<Coded<ReasonCode>>) {
        if let Some(reason) = self.off_reason() {
            return (Status::Off, Some(reason.coded()));
        }
        match &self.director.phase {
            Phase::Analyzing(_) => (Status::Analyzing, None),
            Phase::Ready(_) => (Status::Ready, None),
            Phase::Failed(reason) => (Status::Failed, Some(reason.clone())),
            Phase::Waiting(reason) => {
                let code = self.idle_reason(*reason);
                let reason = match (code, self.turns.last_ended) {
                    (ReasonCode::NoCompletedTurn, Some(_)) => {
                        Coded::new(code, "the last turn did not complete, and none before it did")
                    }
                    _ => code.coded(),
                };
                (Status::Idle, Some(reason))
            }
        }
    }

    fn idle_reason(&self, resting: ReasonCode) -> ReasonCode {
        if self.closed {
            ReasonCode::Closed
        } else if self.turns.open.is_some() {
            ReasonCode::TurnRunning
        } else if self.submission_hides_offer() {
            ReasonCode::Submitting
        } else if self.asking && self.director.waits_for_dialog() {
            ReasonCode::Asking
        } else if resting == ReasonCode::TurnRunning {
            self.resting_reason()
        } else {
            resting
        }
    }

    /// The folded facts, for providers that work on facts and not on prompts.
    #[must_use]
    pub fn facts(&self) -> SessionFacts {
        let activity = self.transcript.activity();
        SessionFacts {
            goal: self.goals.get().map(|goal| {
                // A goal that arming paused is still the one to serve (rule G1).
                let phase = if self.goals.paused_by_arming() { GoalPhase::Active } else { goal.phase };
                (self.goals.objective().to_owned(), phase)
            }),
            plan: activity.plan().to_vec(),
            tools: activity.tools().cloned().collect(),
            touched_files: activity.touched().cloned().collect(),
            messages: self
                .transcript
                .tail()
                .entries()
                .filter_map(|entry| {
                    let author = match entry.speaker {
                        Speaker::Human => crate::event::Author::Human,
                        Speaker::Assistant => crate::event::Author::Assistant,
                        Speaker::Autorun => crate::event::Author::Suggest,
                        Speaker::GoalRound | Speaker::Silence => return None,
                    };
                    Some(MessageFact { turn: entry.turn, author, text: entry.text.clone() })
                })
                .collect(),
            recent_human: self.transcript.recent_human().cloned().collect(),
            last_completed_turn: self.turns.last_completed,
            completed_turns: self.turns.completed,
            max_chars: self.config.prompt_max_chars,
        }
    }
}
