//! How often the interesting things happened, so that a test can prove that it tested them.

use std::collections::BTreeMap;
use suggest_core::{DisarmCode, HoldCode};

/// Counts over all sequences of one run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) inputs: u64,
    pub(crate) generations: u64,
    pub(crate) second_attempts: u64,
    pub(crate) timeouts: u64,
    pub(crate) late_replies: u64,
    pub(crate) rounds: u64,
    pub(crate) second_tries: u64,
    pub(crate) withdrawals: u64,
    pub(crate) withdrawn_then_accepted: u64,
    pub(crate) runs_by_hand: u64,
    pub(crate) goals_disarmed: u64,
    pub(crate) put_off_by_a_dialog: u64,
    pub(crate) after_a_rewrite: u64,
    pub(crate) implied_turns: u64,
    pub(crate) rewrites_by_number: u64,
    pub(crate) holds: BTreeMap<String, u64>,
    pub(crate) disarms: BTreeMap<String, u64>,
}

impl Seen {
    pub(crate) fn hold(&mut self, code: HoldCode) {
        *self.holds.entry(code.as_str().to_owned()).or_default() += 1;
    }

    pub(crate) fn disarm(&mut self, code: DisarmCode) {
        *self.disarms.entry(code.as_str().to_owned()).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        let fields = [
            (&mut self.inputs, other.inputs),
            (&mut self.generations, other.generations),
            (&mut self.second_attempts, other.second_attempts),
            (&mut self.timeouts, other.timeouts),
            (&mut self.late_replies, other.late_replies),
            (&mut self.rounds, other.rounds),
            (&mut self.second_tries, other.second_tries),
            (&mut self.withdrawals, other.withdrawals),
            (&mut self.withdrawn_then_accepted, other.withdrawn_then_accepted),
            (&mut self.runs_by_hand, other.runs_by_hand),
            (&mut self.goals_disarmed, other.goals_disarmed),
            (&mut self.put_off_by_a_dialog, other.put_off_by_a_dialog),
            (&mut self.after_a_rewrite, other.after_a_rewrite),
            (&mut self.implied_turns, other.implied_turns),
            (&mut self.rewrites_by_number, other.rewrites_by_number),
        ];
        for (mine, theirs) in fields {
            *mine += theirs;
        }
        for (code, count) in &other.holds {
            *self.holds.entry(code.clone()).or_default() += count;
        }
        for (code, count) in &other.disarms {
            *self.disarms.entry(code.clone()).or_default() += count;
        }
    }
}
