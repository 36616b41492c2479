//! The loop that runs offers by itself, within a budget and only while nothing speaks against it (section A).
//!
//! [`arm`] is how a loop begins and ends, [`hold`] is what keeps an armed loop from starting anything, and [`rounds`]
//! is the submission of a round up to its turn.

mod arm;
mod hold;
mod rounds;

pub(crate) use rounds::Restore;

use crate::code::{Coded, DisarmCode};
use crate::effect::{LoopReport, RanOffer};
use crate::ids::{OfferId, Ticket};
use crate::state::Usage;
use rounds::Pending;
use std::collections::VecDeque;

/// An armed loop.
#[derive(Debug, Default)]
pub(crate) struct Loop {
    /// The goal that was active when the loop was armed.
    goal: Option<String>,
    rounds: u32,
    offers: VecDeque<RanOffer>,
    /// The director's meter at arming.
    usage: Usage,
    /// Generations that failed in a row since arming.
    failures: u32,
    /// The step that came last since arming, and how often in a row.
    step: String,
    repeats: u32,
}

/// What the loop did at one boundary.
#[derive(Debug, Default)]
struct Tries {
    boundary: u64,
    submissions: u8,
    /// The offer of the last of them.
    offer: Option<OfferId>,
    /// The host's reason for refusing the last of them.
    refused: Option<String>,
    /// The host was idle again since the first refusal: the one more try is due.
    retry_due: bool,
}

#[derive(Debug)]
pub(crate) struct Autorun {
    armed: Option<Loop>,
    spent: u32,
    disarmed: Option<Coded<DisarmCode>>,
    pending: Vec<Pending>,
    tries: Tries,
    next_ticket: Ticket,
    last_report: Option<LoopReport>,
}

impl Autorun {
    pub(crate) fn new(first_ticket: Ticket, spent: u32) -> Self {
        Self {
            armed: None,
            spent,
            disarmed: None,
            pending: Vec::new(),
            tries: Tries::default(),
            next_ticket: first_ticket,
            last_report: None,
        }
    }

    pub(crate) fn is_armed(&self) -> bool {
        self.armed.is_some()
    }

    pub(crate) fn spent(&self) -> u32 {
        self.spent
    }

    pub(crate) fn disarmed_because(&self) -> Option<&Coded<DisarmCode>> {
        self.disarmed.as_ref()
    }

    pub(crate) fn last_report(&self) -> Option<&LoopReport> {
        self.last_report.as_ref()
    }

    /// The goal with this id was active when the loop was armed.
    pub(crate) fn serves(&self, goal: &str) -> bool {
        self.armed.as_ref().is_some_and(|armed| armed.goal.as_deref() == Some(goal))
    }

    pub(crate) fn saw_busy(&mut self) {
        for pending in &mut self.pending {
            pending.moved_on = true;
        }
    }
}
