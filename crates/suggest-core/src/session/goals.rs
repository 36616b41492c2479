//! The session's goal and what a change of it means for offers (section G).

use crate::effect::GoalRef;
use crate::event::{Goal, GoalPhase};
use crate::state::GoalStateView;

/// What a goal event changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GoalChange {
    /// Nothing that an offer was made against (phase, activation, a raised revision).
    Kept,
    /// What offers were made against is gone (rule G3).
    Invalidates {
        /// The goal became complete with this event.
        completed: bool,
    },
}

#[derive(Debug, Default)]
pub(crate) struct Goals {
    goal: Option<Goal>,
    /// The objective, defused and scrubbed, for models.
    objective: String,
    /// The objective, scrubbed, for people.
    shown: String,
    /// Arming the loop asked the host to take this goal's next turn away.
    asked_to_pause: Option<String>,
    /// Arming paused this goal, and nobody changed its phase since (rule G1).
    paused_by_arming: bool,
}

impl Goals {
    pub(crate) fn get(&self) -> Option<&Goal> {
        self.goal.as_ref()
    }

    pub(crate) fn owns_boundary(&self) -> bool {
        self.goal.as_ref().is_some_and(Goal::owns_boundary)
    }

    pub(crate) fn paused_by_arming(&self) -> bool {
        self.paused_by_arming
    }

    /// What a watermark holds of the goal.
    pub(crate) fn mark(&self) -> Option<(String, String)> {
        self.goal.as_ref().map(|goal| (goal.id.clone(), goal.objective.clone()))
    }

    pub(crate) fn reference(&self) -> Option<GoalRef> {
        self.goal.as_ref().map(|goal| GoalRef { id: goal.id.clone(), revision: goal.revision })
    }

    /// The goal if the director's model is to serve it (rule G1), with its clean objective.
    pub(crate) fn stated(&self) -> Option<(&Goal, &str)> {
        self.goal
            .as_ref()
            .filter(|goal| {
                goal.phase == GoalPhase::Active || (goal.phase == GoalPhase::Paused && self.paused_by_arming)
            })
            .map(|goal| (goal, self.objective.as_str()))
    }

    /// The clean objective.
    pub(crate) fn objective(&self) -> &str {
        &self.objective
    }

    /// Arming asks the host to pause this goal.
    pub(crate) fn asked_to_pause(&mut self) {
        self.asked_to_pause = self.goal.as_ref().map(|goal| goal.id.clone());
    }

    pub(crate) fn set(&mut self, next: Goal, objective: String, shown: String) -> GoalChange {
        let change = match &self.goal {
            None => GoalChange::Invalidates { completed: next.phase == GoalPhase::Complete },
            Some(old) => {
                let completed = next.phase == GoalPhase::Complete && old.phase != GoalPhase::Complete;
                if old.id != next.id
                    || old.objective != next.objective
                    || next.revision < old.revision
                    || completed
                {
                    GoalChange::Invalidates { completed: completed || next.phase == GoalPhase::Complete }
                } else {
                    GoalChange::Kept
                }
            }
        };
        if self.asked_to_pause.as_ref() == Some(&next.id) && !next.owns_boundary() {
            self.paused_by_arming = next.phase == GoalPhase::Paused;
            self.asked_to_pause = None;
        } else if next.phase != GoalPhase::Paused || self.goal.as_ref().is_none_or(|old| old.id != next.id) {
            self.paused_by_arming = false;
        }
        self.goal = Some(next);
        self.objective = objective;
        self.shown = shown;
        change
    }

    /// Gives whether there was such a goal.
    pub(crate) fn clear(&mut self, id: &str) -> bool {
        if self.goal.as_ref().is_none_or(|goal| goal.id != id) {
            return false;
        }
        *self = Self::default();
        true
    }

    pub(crate) fn view(&self) -> Option<GoalStateView> {
        self.goal.as_ref().map(|goal| GoalStateView {
            id: goal.id.clone(),
            revision: goal.revision,
            phase: goal.phase,
            armed: goal.armed,
            objective: self.shown.clone(),
            paused_by_autorun: self.paused_by_arming,
        })
    }
}
