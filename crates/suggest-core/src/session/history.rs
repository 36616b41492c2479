//! What events of the past do: they fold, and nothing else (rule D15).

use super::{EndOf, OpenTurn, Session};
use crate::event::Event;

impl Session {
    pub(super) fn on_history(&mut self, event: Event) {
        if self.closed {
            return;
        }
        match event {
            Event::TurnStarted { turn, .. } if self.turns.is_beside_the_live(turn) => {
                // Only the host's live word ends a live turn; this one is told beside it.
                self.turns.begin_past(turn);
            }
            Event::TurnEnded { turn, reason } if self.turns.end_past(turn, reason) => {}
            Event::TurnEnded { turn, reason }
                if self.turns.is_beside_the_live(turn) && self.turns.belongs(turn) != EndOf::Nothing =>
            {
                // An end without a start counts as both (rule A10), and this, too, is told beside the live turn.
                self.turns.begin_past(turn);
                self.turns.end_past(turn, reason);
            }
            Event::TurnStarted { turn, origin } => {
                self.turns.leave_past();
                if self.turns.open.as_ref().is_some_and(|open| open.implied) && !self.turns.goes_back(turn) {
                    self.turns.announce(turn, origin, false);
                } else if self.turns.open.as_ref().is_none_or(|open| open.number != turn) {
                    if self.turns.goes_back(turn) {
                        self.turns.rewrite();
                        self.transcript.rewrite();
                        self.advisor_rewrite();
                        self.cards_rewrite();
                    }
                    if let Some(open) = self.turns.open.take() {
                        self.turns.end(open.number, crate::event::EndReason::Interrupted);
                    }
                    self.turns.begin(OpenTurn {
                        number: turn,
                        origin,
                        implied: false,
                        round: false,
                        run: false,
                        live: false,
                    });
                }
            }
            Event::TurnEnded { turn, reason } => match self.turns.belongs(turn) {
                EndOf::Nothing => self.turns.ignored_ends += 1,
                EndOf::Open | EndOf::Unannounced => {
                    if self.turns.spoken
                        && !self.turns.answered
                        && reason == crate::event::EndReason::Completed
                    {
                        self.transcript.fold_silent_turn(turn);
                    }
                    self.director.last_turn_spoken = self.turns.spoken;
                    self.turns.end(turn, reason);
                }
            },
            // What survived a rewrite comes without turns: a human message of the past starts none.
            Event::Message(_) | Event::Tool(_) | Event::Plan { .. } | Event::Chapter(_) => {
                self.fold(&event, false)
            }
            Event::Goal(goal) => {
                let _ = self.set_goal(goal);
            }
            Event::GoalCleared { id } => {
                let _ = self.goals.clear(&id);
            }
            Event::HistoryRewritten => {
                self.turns.rewrite();
                self.transcript.rewrite();
                self.advisor_rewrite();
                self.cards_rewrite();
            }
            // Idleness, queues and dialogs of the past say nothing of the present; a closed session was opened again.
            Event::Idle | Event::Busy | Event::HumanQueued { .. } | Event::Asking { .. } | Event::Closed => {}
        }
        // The boundary opens at the next live `idle`, whatever stood before.
        self.turns.idle = false;
        self.drop_outdated();
        self.wait_after_history();
    }
}
