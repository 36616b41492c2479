//! What live events do.

use super::{EndOf, GoalChange, OpenTurn, Session};
use crate::code::{DisarmCode, ReasonCode};
use crate::director::PutOff;
use crate::effect::Effect;
use crate::event::{Author, EndReason, Event, Goal, Message, Origin};
use crate::ids::Turn;
use crate::transcript::Folded;

impl Session {
    pub(super) fn on_event(&mut self, event: Event) {
        if self.closed {
            return;
        }
        self.turns.leave_past();
        match event {
            Event::TurnStarted { turn, origin } => self.on_turn_started(turn, origin),
            Event::TurnEnded { turn, reason } => self.on_turn_ended(turn, reason),
            Event::Idle => self.on_idle(),
            Event::Busy => {
                self.turns.idle = false;
                self.autorun.saw_busy();
                self.advisor_busy();
                self.cards_busy();
                self.summary_busy();
            }
            Event::HumanQueued { count } => self.on_human_queued(count),
            Event::Asking { open } => self.on_asking(open),
            Event::HistoryRewritten => self.on_rewrite(),
            Event::Closed => self.on_closed(),
            Event::Message(message) => self.on_message(&message),
            Event::Tool(_) | Event::Plan { .. } | Event::Chapter(_) => self.fold(&event, true),
            Event::Goal(goal) => self.on_goal(goal),
            Event::GoalCleared { id } => self.on_goal_cleared(&id),
        }
    }

    /// Folds what only adds to the shared view, live or of the past.
    pub(super) fn fold(&mut self, event: &Event, live: bool) {
        let turn = self.turns.current();
        match event {
            Event::Tool(tool) => {
                self.transcript.fold_tool(turn, tool);
                self.advisor_saw_tool(tool, live);
            }
            Event::Plan { items } => self.transcript.fold_plan(items),
            Event::Chapter(chapter) => self.transcript.fold_chapter(chapter),
            Event::Message(message) => {
                if self.transcript.fold_message(turn, message) == Folded::Duplicate {
                    self.oddities.duplicate_messages += 1;
                    return;
                }
                match message.author {
                    Author::Human | Author::Goal | Author::Suggest => self.turns.spoken = true,
                    Author::Assistant => {
                        self.turns.spoken = true;
                        self.turns.answered |= !message.text.trim().is_empty();
                    }
                    Author::Advisor | Author::Plugin | Author::Host | Author::Command | Author::Notice => {}
                }
                self.advisor_saw_message(message, live);
            }
            Event::TurnStarted { .. }
            | Event::TurnEnded { .. }
            | Event::Idle
            | Event::Busy
            | Event::HumanQueued { .. }
            | Event::Asking { .. }
            | Event::HistoryRewritten
            | Event::Closed
            | Event::Goal(_)
            | Event::GoalCleared { .. } => {}
        }
    }

    fn on_turn_started(&mut self, turn: Turn, origin: Option<Origin>) {
        if self.turns.open.as_ref().is_some_and(|open| open.implied) {
            if self.turns.goes_back(turn) {
                // The human's words were the first of another history (rule A10).
                self.forget_history();
                self.director.forget_put_off();
                self.director.wait(ReasonCode::TurnRunning);
            }
            // The human's words came first, but a start with our origin is an acceptance all the same (rule A3).
            let started =
                if origin == Some(Origin::Suggest) { self.match_start(origin) } else { Default::default() };
            self.turns.announce(turn, origin, started.round);
            return;
        }
        if self.turns.goes_back(turn) {
            // Only a rewritten history gives a number again; nothing is asked of the model for it (rule A10).
            self.forget_history();
            self.director.forget_put_off();
        }
        if let Some(open) = self.turns.open.take() {
            // The start of another turn is the only end that this one will have (rule A10).
            self.end_turn(&open, open.number, EndReason::Interrupted);
            self.advisor_turn_ended(open.number, EndReason::Interrupted);
        }
        self.start_turn(turn, origin, false);
    }

    /// A turn begins: the offer on screen answered an older situation (rule D5).
    fn start_turn(&mut self, number: Turn, origin: Option<Origin>, implied: bool) {
        let started = self.match_start(origin);
        self.hide_for_turn();
        self.turns.boundary = self.turns.boundary.saturating_add(1);
        self.turns.begin(OpenTurn {
            number,
            origin,
            implied,
            round: started.round,
            run: started.run,
            live: true,
        });
        self.advisor_turn_started(number, origin);
        self.cards_busy();
        self.summary_busy();
        self.cards_turn_started(number, origin);
        if origin == Some(Origin::Human) && !started.run && !implied {
            // The human's prompt entered, though its words may follow or be none (a picture).
            self.on_human_prompt();
        }
    }

    fn on_turn_ended(&mut self, turn: Turn, reason: EndReason) {
        match self.turns.belongs(turn) {
            EndOf::Nothing => self.turns.ignored_ends += 1,
            EndOf::Open => {
                if let Some(open) = self.turns.open.take() {
                    self.end_turn(&open, turn, reason);
                    self.after_turn(turn, reason);
                }
            }
            EndOf::Unannounced => {
                let (mut spoken, mut answered) = (self.turns.spoken, self.turns.answered);
                if let Some(open) = self.turns.open.take() {
                    self.end_turn(&open, open.number, EndReason::Interrupted);
                    self.advisor_turn_ended(open.number, EndReason::Interrupted);
                    (spoken, answered) = (false, false);
                }
                self.start_turn(turn, None, false);
                // On a host without starts, what was said since the last end was said in this turn.
                (self.turns.spoken, self.turns.answered) = (spoken, answered);
                if let Some(open) = self.turns.open.take() {
                    self.end_turn(&open, turn, reason);
                    self.after_turn(turn, reason);
                }
            }
        }
    }

    fn end_turn(&mut self, open: &OpenTurn, turn: Turn, reason: EndReason) {
        let silent = self.turns.spoken && !self.turns.answered;
        let spoken = self.turns.spoken;
        if silent && reason == EndReason::Completed {
            self.transcript.fold_silent_turn(turn);
        }
        self.turns.end(turn, reason);
        self.director.wait(if reason == EndReason::Completed {
            ReasonCode::NoOfferYet
        } else {
            ReasonCode::TurnNotCompleted
        });
        if open.round && reason != EndReason::Completed {
            self.disarm(DisarmCode::RoundNotCompleted, Some(round_ended(turn, reason)));
        }
        self.director.last_turn_spoken = spoken;
    }

    fn after_turn(&mut self, turn: Turn, reason: EndReason) {
        if reason == EndReason::Completed && self.director.last_turn_spoken {
            self.open_generation();
        }
        self.advisor_turn_ended(turn, reason);
        self.cards_turn_ended(turn, reason);
    }

    fn on_idle(&mut self) {
        self.turns.idle = true;
        self.on_idle_for_loop();
        self.advisor_idle();
        self.cards_idle();
        self.summary_idle();
    }

    fn on_human_queued(&mut self, count: u32) {
        let risen = count.saturating_sub(self.queued);
        self.queued = count;
        if risen > 0 {
            self.human_epoch = self.human_epoch.saturating_add(u64::from(risen));
            self.on_human_prompt();
        }
    }

    fn on_asking(&mut self, open: bool) {
        self.asking = open;
        if !open {
            self.open_after_dialog();
        }
    }

    fn on_message(&mut self, message: &Message) {
        let before = self.oddities.duplicate_messages;
        let starts = message.author == Author::Human && self.turns.open.is_none();
        if starts && !self.transcript.has_seen(message) {
            let number = self.turns.next_number();
            self.start_turn(number, Some(Origin::Human), true);
        }
        self.fold(&Event::Message(message.clone()), true);
        if message.author != Author::Human || self.oddities.duplicate_messages != before {
            return;
        }
        self.human_epoch = self.human_epoch.saturating_add(1);
        if let Some(open) = self.turns.open.as_mut().filter(|open| open.run) {
            // The message of the human's own Run: its click disarmed already, and may have been followed by arming.
            open.run = false;
            return;
        }
        self.on_human_prompt();
    }

    fn on_human_prompt(&mut self) {
        self.disarm(DisarmCode::HumanPrompt, None);
        self.withdraw_rounds();
        self.advisor_human_prompt();
    }

    fn on_goal(&mut self, goal: Goal) {
        let (id, complete) = (goal.id.clone(), goal.phase == crate::event::GoalPhase::Complete);
        let change = self.set_goal(goal);
        if complete && self.autorun.serves(&id) {
            self.disarm(DisarmCode::GoalCompleted, None);
        }
        if let GoalChange::Invalidates { .. } = change {
            self.on_goal_invalidated();
        }
    }

    fn on_goal_cleared(&mut self, id: &str) {
        if self.goals.clear(id) {
            self.on_goal_invalidated();
        }
    }

    fn on_goal_invalidated(&mut self) {
        let unanswered = self.drop_offers(ReasonCode::GoalChanged);
        self.open_after_drop(unanswered);
    }

    pub(super) fn set_goal(&mut self, goal: Goal) -> GoalChange {
        let objective = self.transcript.clean(&goal.objective);
        let shown = self.transcript.scrub(&goal.objective);
        self.goals.set(goal, objective, shown)
    }

    fn on_rewrite(&mut self) {
        let unanswered = self.forget_history();
        if unanswered {
            self.director.put_off_after_rewrite(PutOff::Unanswered);
        } else if self.autorun.is_armed() {
            self.director.put_off_after_rewrite(PutOff::Armed);
        }
    }

    /// The conversation is another one now. Gives whether a generation had not answered.
    fn forget_history(&mut self) -> bool {
        self.turns.rewrite();
        self.transcript.rewrite();
        self.advisor_rewrite();
        self.cards_rewrite();
        self.drop_offers(ReasonCode::HistoryRewritten)
    }

    fn on_closed(&mut self) {
        self.disarm(DisarmCode::Closed, None);
        self.drop_offers(ReasonCode::Closed);
        self.closed = true;
        self.advisor_closed();
        self.cards_closed();
        self.summary_closed();
    }

    pub(crate) fn cancel_call(&mut self, call: crate::ids::CallId) {
        if self.calls.cancel(call, self.now) {
            self.emit(Effect::CancelCall { call });
        }
    }
}

fn round_ended(turn: Turn, reason: EndReason) -> String {
    let how = match reason {
        EndReason::Completed => "completed",
        EndReason::Aborted => "was stopped",
        EndReason::Failed => "failed",
        EndReason::Blocked => "was blocked",
        EndReason::Limited => "was cut by the output limit",
        EndReason::Interrupted => "was interrupted",
    };
    format!("the round of turn {turn} {how}")
}
