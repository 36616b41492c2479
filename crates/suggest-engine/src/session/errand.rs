//! What one session still has to tell its host and its store, in order and bounded.

use serde_json::Value;
use std::collections::VecDeque;
use suggest_core::{LoopReport, Revision, Submission, Ticket};

/// The most errands that wait at a time. A session whose host hangs loses notes, never its place.
pub(crate) const MOST_WAITING: usize = 256;

/// One errand.
#[derive(Debug)]
pub(crate) enum Errand {
    Submit(Submission),
    Withdraw(Ticket),
    DisarmGoal { goal: String, revision: Revision },
    Inject(String),
    Steer { text: String, wakes: bool },
    FillInput(String),
    Report(LoopReport),
    Publish(Value),
    Save(Value),
}

impl Errand {
    /// Whether a full queue may lose it. What starts, withdraws or takes over turns is never lost, and there are few of
    /// those: the core has one submission open at a time.
    fn is_expendable(&self) -> bool {
        match self {
            Self::Submit(_) | Self::Withdraw(_) | Self::DisarmGoal { .. } => false,
            Self::Inject(_)
            | Self::Steer { .. }
            | Self::FillInput(_)
            | Self::Report(_)
            | Self::Publish(_)
            | Self::Save(_) => true,
        }
    }

    /// Whether it still counts when the session is over.
    fn outlives_the_session(&self) -> bool {
        match self {
            Self::Save(_) | Self::Report(_) | Self::Publish(_) | Self::Withdraw(_) => true,
            Self::Submit(_)
            | Self::DisarmGoal { .. }
            | Self::Inject(_)
            | Self::Steer { .. }
            | Self::FillInput(_) => false,
        }
    }
}

/// The errands of one session, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Errands {
    waiting: VecDeque<Errand>,
}

impl Errands {
    /// Adds one. Says whether another had to be dropped for it.
    pub(crate) fn push(&mut self, errand: Errand) -> bool {
        self.waiting.push_back(errand);
        if self.waiting.len() <= MOST_WAITING {
            return false;
        }
        let oldest = self.waiting.iter().position(Errand::is_expendable);
        oldest.is_some_and(|position| self.waiting.remove(position).is_some())
    }

    pub(crate) fn pop(&mut self) -> Option<Errand> {
        self.waiting.pop_front()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes a submission out that the host has not seen yet.
    pub(crate) fn recall(&mut self, ticket: Ticket) -> bool {
        let position = self
            .waiting
            .iter()
            .position(|errand| matches!(errand, Errand::Submit(submission) if submission.ticket == ticket));
        position.is_some_and(|position| self.waiting.remove(position).is_some())
    }

    /// Keeps only what still counts when the session is over.
    pub(crate) fn wind_up(&mut self) {
        self.waiting.retain(Errand::outlives_the_session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_loses_the_oldest_note_and_never_a_withdrawal() {
        let mut errands = Errands::default();
        errands.push(Errand::Withdraw(Ticket::new(1)));
        for number in 0..MOST_WAITING {
            let dropped = errands.push(Errand::Inject(number.to_string()));
            assert_eq!(dropped, number + 1 == MOST_WAITING);
        }
        assert!(matches!(errands.pop(), Some(Errand::Withdraw(_))));
        assert!(matches!(errands.pop(), Some(Errand::Inject(text)) if text == "1"));
    }
}
