//! How a loop begins and ends (rules A1, A2, A5, A6, A9).

use super::Loop;
use crate::answer::step_key;
use crate::code::{Coded, DisarmCode, OutputCode};
use crate::command::CommandOutput;
use crate::effect::{Effect, LoopReport, Voice};
use crate::session::Session;

/// The same step this many times in a row is no progress (rule A5).
const REPEATS: u32 = 3;
/// This many failed generations in a row end the loop (rule A5).
const FAILURES: u32 = 2;

/// What becomes of a submission that has not started when the loop ends.
#[derive(Debug, Clone, Copy)]
enum Ending {
    /// It is withdrawn.
    TakeBack,
    /// What was accepted is the last round of the budget and runs; anything else is withdrawn.
    LastRoundAccepted,
}

impl Session {
    pub(crate) fn arm(&mut self) -> CommandOutput {
        if self.setup.id.trim().is_empty() {
            return CommandOutput::refused(OutputCode::NoSessionId, "refused: the session has no id");
        }
        if let Some(refusal) = self.refuse_when_off() {
            return refusal;
        }
        if self.autorun.is_armed() {
            return CommandOutput::ok("autorun is on already");
        }
        if let Some(refusal) = self.refuse_when_spent() {
            return refusal;
        }
        let active = self.goals.get().filter(|goal| goal.phase == crate::event::GoalPhase::Active);
        self.autorun.armed = Some(Loop {
            goal: active.map(|goal| goal.id.clone()),
            usage: self.calls.usage(Voice::Director),
            ..Loop::default()
        });
        if self.goals.owns_boundary()
            && let Some(goal) = self.goals.reference()
        {
            self.goals.asked_to_pause();
            self.emit(Effect::DisarmGoal { id: goal.id, revision: goal.revision });
        }
        let has_offer = self.director.current_offer().is_some();
        if !has_offer && !self.director.is_analyzing() && !self.submission_blocks() {
            self.open_generation();
        }
        let left = self.config.prompt_max_rounds.saturating_sub(self.autorun.spent);
        CommandOutput::ok(format!("autorun is on; {left} of {} rounds left", self.config.prompt_max_rounds))
    }

    fn refuse_when_spent(&self) -> Option<CommandOutput> {
        let max = self.config.prompt_max_rounds;
        if max == 0 {
            let line = "refused: promptMaxRounds is 0, so autorun cannot be armed";
            return Some(CommandOutput::refused(OutputCode::BudgetSpent, line));
        }
        (self.autorun.spent >= max).then(|| {
            let line = format!(
                "refused: {} of {max} rounds spent; `autorun reset` refreshes the budget",
                self.autorun.spent
            );
            CommandOutput::refused(OutputCode::BudgetSpent, line)
        })
    }

    /// The human disarms.
    pub(crate) fn disarm_by_hand(&mut self) -> CommandOutput {
        if self.autorun.is_armed() {
            self.disarm(DisarmCode::Human, None);
            return CommandOutput::ok("autorun is off");
        }
        CommandOutput::ok("autorun is off already")
    }

    /// The one way to refresh the budget (rule A6).
    pub(crate) fn reset_budget(&mut self) -> CommandOutput {
        if self.closed {
            return CommandOutput::refused(OutputCode::Closed, "refused: the session is closed");
        }
        self.autorun.spent = 0;
        CommandOutput::ok(format!("0 of {} rounds spent", self.config.prompt_max_rounds))
    }

    /// Ends the loop, with its report (rule A9), and takes back what it submitted.
    pub(crate) fn disarm(&mut self, code: DisarmCode, message: Option<String>) {
        self.end_loop(code, message, Ending::TakeBack);
    }

    fn end_loop(&mut self, code: DisarmCode, message: Option<String>, why: Ending) {
        let Some(armed) = self.autorun.armed.take() else { return };
        let reason = Coded::new(code, message.unwrap_or_else(|| code.describe().to_owned()));
        let report = LoopReport {
            reason: reason.clone(),
            rounds: armed.rounds,
            offers: armed.offers.into(),
            usage: self.calls.usage(Voice::Director).since(&armed.usage),
            goal_paused: self.goals.paused_by_arming(),
        };
        self.autorun.disarmed = Some(reason);
        self.autorun.last_report = Some(report.clone());
        match why {
            Ending::TakeBack => self.withdraw_rounds(),
            Ending::LastRoundAccepted => self.withdraw_unanswered_rounds(),
        }
        self.emit(Effect::Report(report));
    }

    /// A lowered setting ends the loop and takes back what it submitted (rule A6).
    pub(crate) fn check_budget(&mut self) {
        self.end_if_spent(Ending::TakeBack);
    }

    /// The last round was accepted: it is to run, and the loop is over (rule A6).
    pub(crate) fn after_round(&mut self) {
        self.end_if_spent(Ending::LastRoundAccepted);
    }

    fn end_if_spent(&mut self, why: Ending) {
        let (spent, max) = (self.autorun.spent, self.config.prompt_max_rounds);
        if spent >= max {
            self.end_loop(DisarmCode::BudgetSpent, Some(format!("{spent} of {max} rounds spent")), why);
        }
    }

    /// An offer arrived: the third same step in a row is no progress (rule A5).
    pub(crate) fn on_offer_for_loop(&mut self) {
        let key = self.director.current_offer().map(|offer| step_key(&offer.text)).unwrap_or_default();
        let Some(armed) = &mut self.autorun.armed else { return };
        armed.failures = 0;
        armed.repeats = if armed.repeats > 0 && armed.step == key { armed.repeats + 1 } else { 1 };
        armed.step = key;
        if armed.repeats >= REPEATS {
            self.disarm(DisarmCode::NoProgress, None);
        }
    }

    pub(crate) fn on_nothing_for_loop(&mut self) {
        self.disarm(DisarmCode::NothingToRecommend, None);
    }

    pub(crate) fn on_failure_for_loop(&mut self) {
        let Some(armed) = &mut self.autorun.armed else { return };
        armed.failures += 1;
        if armed.failures >= FAILURES {
            self.disarm(DisarmCode::GenerationsFailed, None);
        }
    }
}
