//! A submission, from the screen to its turn (rules A3, A6, D11).

use crate::autorun::Autorun;
use crate::code::{Coded, DisarmCode, ReasonCode};
use crate::director::{Offer, Phase};
use crate::effect::{Effect, Expectation, RanOffer, Submission, SubmitAuthor};
use crate::event::Origin;
use crate::ids::{OfferId, Ticket, Timestamp};
use crate::session::Session;

/// An accepted turn that has not started this long after its acceptance will not (rule A3).
const START_MS: u64 = 30_000;
/// Offers that a report names; the newest.
const REPORTED_OFFERS: usize = 100;

/// What comes back on screen when the host refuses.
#[derive(Debug, Clone)]
pub(crate) enum Restore {
    Ready,
    /// An old offer, shown after this failure (rule D10).
    Failed(Coded<ReasonCode>),
}

/// How far a submission is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Unanswered,
    Accepted(Timestamp),
}

/// A submission whose turn has not started.
#[derive(Debug)]
pub(crate) struct Pending {
    ticket: Ticket,
    pub(super) offer: Offer,
    author: SubmitAuthor,
    stage: Stage,
    withdrawn: bool,
    boundary: u64,
    restore: Restore,
    /// The host was idle since.
    idle_since: bool,
    /// The host was busy, or another's turn started, since.
    pub(super) moved_on: bool,
    /// Another's turn started since.
    other_turn: bool,
}

/// What a starting turn is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Started {
    pub(crate) round: bool,
    pub(crate) run: bool,
}

impl Autorun {
    fn reserved(&self) -> u32 {
        let count = self
            .pending
            .iter()
            .filter(|pending| pending.author == SubmitAuthor::Suggest && pending.stage == Stage::Unanswered)
            .count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}

impl Session {
    /// Runs the offer on screen if the loop is armed and nothing holds it.
    pub(crate) fn advance_loop(&mut self) {
        if !self.autorun.is_armed() || self.closed || self.off_reason().is_some() || self.hold().is_some() {
            return;
        }
        if let Some(offer) = self.director.current_offer().cloned() {
            if self.autorun.tries.boundary != self.turns.boundary {
                self.autorun.tries =
                    super::Tries { boundary: self.turns.boundary, ..super::Tries::default() };
            }
            self.autorun.tries.submissions += 1;
            self.autorun.tries.refused = None;
            self.autorun.tries.retry_due = false;
            self.autorun.tries.offer = Some(offer.id);
            self.submit(offer, SubmitAuthor::Suggest, Restore::Ready);
        }
    }

    /// Hands an offer to the host. While that is unanswered the offer is off the screen.
    pub(crate) fn submit(&mut self, offer: Offer, author: SubmitAuthor, restore: Restore) {
        let ticket = self.autorun.next_ticket;
        self.autorun.next_ticket = ticket.next();
        let expect = Expectation {
            turn: self.turns.last_ended.map(|(turn, _)| turn),
            goal: self.goals.reference(),
            human_epoch: self.human_epoch,
        };
        self.emit(Effect::SubmitTurn(Submission {
            ticket,
            offer: offer.id,
            text: offer.text.clone(),
            author,
            expect,
        }));
        self.director.wait(ReasonCode::NoOfferYet);
        self.autorun.pending.push(Pending {
            ticket,
            offer,
            author,
            stage: Stage::Unanswered,
            withdrawn: false,
            boundary: self.turns.boundary,
            restore,
            idle_since: false,
            moved_on: false,
            other_turn: false,
        });
    }

    /// A turn starts: which submission is it, if any? A start with our origin is an acceptance; one without an
    /// origin is, if it is the next one.
    pub(crate) fn match_start(&mut self, origin: Option<Origin>) -> Started {
        let fits = |pending: &Pending| match origin {
            None => !pending.other_turn,
            Some(Origin::Suggest) => pending.author == SubmitAuthor::Suggest,
            Some(Origin::Human) => pending.author == SubmitAuthor::Human,
            Some(Origin::Goal | Origin::Advisor | Origin::Other) => false,
        };
        // Of several, what the host accepted starts first, and what was withdrawn last.
        let likely = |pending: &Pending| (pending.stage == Stage::Unanswered, pending.withdrawn);
        let matched = self
            .autorun
            .pending
            .iter()
            .enumerate()
            .filter(|(_, pending)| fits(pending))
            .min_by_key(|(_, pending)| likely(pending))
            .map(|(at, _)| at)
            .map(|at| self.autorun.pending.remove(at));
        for pending in &mut self.autorun.pending {
            pending.moved_on = true;
            pending.other_turn = true;
        }
        let Some(pending) = matched else { return Started::default() };
        let round = pending.author == SubmitAuthor::Suggest;
        if round && pending.stage == Stage::Unanswered {
            self.count_round(&pending.offer, pending.withdrawn);
        }
        self.director.last_offer = None;
        Started { round, run: !round }
    }

    /// The host answered a submission. An answer to nothing that waits for one changes nothing.
    pub(crate) fn on_submit_result(&mut self, ticket: Ticket, accepted: bool, reason: Option<String>) {
        let Some(at) = self
            .autorun
            .pending
            .iter()
            .position(|pending| pending.ticket == ticket && pending.stage == Stage::Unanswered)
        else {
            return;
        };
        if accepted {
            let now = self.now;
            let Some(pending) = self.autorun.pending.get_mut(at) else { return };
            pending.stage = Stage::Accepted(now);
            if pending.author == SubmitAuthor::Suggest {
                let (offer, withdrawn) = (pending.offer.clone(), pending.withdrawn);
                self.count_round(&offer, withdrawn);
            }
            return;
        }
        let pending = self.autorun.pending.remove(at);
        if pending.author == SubmitAuthor::Suggest && pending.boundary == self.turns.boundary {
            let reason =
                reason.as_deref().map(|reason| self.transcript.clean(reason)).filter(|r| !r.is_empty());
            let line = reason.map_or_else(
                || "the host refused the round".to_owned(),
                |r| format!("the host refused: {r}"),
            );
            self.autorun.tries.refused = Some(line);
        }
        self.restore_offer(pending);
    }

    /// A refusal puts the offer back where it was, if it still answers the situation.
    fn restore_offer(&mut self, pending: Pending) {
        let nothing_shown = matches!(self.director.phase, Phase::Waiting(_));
        if nothing_shown && self.is_current(&pending.offer) {
            match pending.restore {
                Restore::Ready => self.director.phase = Phase::Ready(Box::new(pending.offer)),
                Restore::Failed(reason) => {
                    self.director.last_offer = Some(pending.offer);
                    self.director.phase = Phase::Failed(reason);
                }
            }
            return;
        }
        if let (true, Restore::Failed(reason)) =
            (nothing_shown && self.turns.open.is_none(), pending.restore.clone())
        {
            // It was old before it was submitted; its failure still stands.
            if self.off_reason().is_none() && !self.closed && self.same_history(&pending.offer) {
                self.director.last_offer = Some(pending.offer);
                self.director.phase = Phase::Failed(reason);
            }
            return;
        }
        if self.turns.open.is_some()
            && self.director.last_offer.is_none()
            && self.same_history(&pending.offer)
        {
            self.director.last_offer = Some(pending.offer);
        }
    }

    /// Nothing that drops the last offer happened since the offer was made (rule D5).
    fn same_history(&self, offer: &Offer) -> bool {
        self.watermark().is_some_and(|now| {
            now.goal == offer.watermark.goal
                && now.model == offer.watermark.model
                && now.history_version == offer.watermark.history_version
        })
    }

    fn count_round(&mut self, offer: &Offer, withdrawn: bool) {
        self.autorun.spent = self.autorun.spent.saturating_add(1);
        if let Some(armed) = self.autorun.armed.as_mut().filter(|_| !withdrawn) {
            armed.rounds = armed.rounds.saturating_add(1);
            if armed.offers.len() == REPORTED_OFFERS {
                armed.offers.pop_front();
            }
            armed.offers.push_back(RanOffer {
                id: offer.id,
                turn: offer.watermark.turn,
                text: offer.text.clone(),
            });
        }
        if withdrawn && let Some(reason) = &mut self.autorun.disarmed {
            reason.message.push_str("; a round that was under way was accepted all the same and counts");
        }
        self.after_round();
    }

    /// A note of the advisor that wakes the session counts as a round while the loop is armed (rule V4). Gives false when
    /// no round is left for it.
    pub(crate) fn count_note_as_round(&mut self) -> bool {
        if self.autorun.armed.is_some() && self.every_round_is_reserved() {
            return false;
        }
        if let Some(armed) = &mut self.autorun.armed {
            armed.rounds = armed.rounds.saturating_add(1);
            self.autorun.spent = self.autorun.spent.saturating_add(1);
            self.after_round();
        }
        true
    }

    /// Takes back what the loop submitted and what has not started.
    pub(crate) fn withdraw_rounds(&mut self) {
        self.withdraw(|_| true);
    }

    /// Takes back what the loop submitted and what the host has not accepted.
    pub(super) fn withdraw_unanswered_rounds(&mut self) {
        self.withdraw(|pending| pending.stage == Stage::Unanswered);
    }

    fn withdraw(&mut self, which: impl Fn(&Pending) -> bool) {
        let tickets: Vec<Ticket> = self
            .autorun
            .pending
            .iter_mut()
            .filter(|pending| pending.author == SubmitAuthor::Suggest && !pending.withdrawn && which(pending))
            .map(|pending| {
                pending.withdrawn = true;
                pending.ticket
            })
            .collect();
        for ticket in tickets {
            self.emit(Effect::WithdrawTurn { ticket });
        }
    }

    /// The session is idle: what was accepted and did not start will not, and what is unanswered is late.
    pub(crate) fn on_idle_for_loop(&mut self) {
        if self.autorun.tries.refused.is_some() && self.autorun.tries.boundary == self.turns.boundary {
            self.autorun.tries.retry_due = true;
        }
        let now = self.now;
        let mut lost = false;
        self.autorun.pending.retain_mut(|pending| {
            pending.idle_since = true;
            let Stage::Accepted(at) = pending.stage else { return true };
            let over = pending.moved_on || now.ms_since(at) >= START_MS;
            lost |= over && pending.author == SubmitAuthor::Suggest;
            !over
        });
        if lost {
            self.disarm(DisarmCode::RoundDidNotStart, None);
        }
    }

    /// The submissions that stand in the loop's way: unless withdrawn at an earlier boundary.
    fn blocking(&self) -> impl Iterator<Item = &Pending> {
        self.autorun
            .pending
            .iter()
            .filter(|pending| !pending.withdrawn || pending.boundary == self.turns.boundary)
    }

    /// A submission waits for its answer or its turn.
    pub(crate) fn submission_blocks(&self) -> bool {
        self.blocking().next().is_some()
    }

    /// The offer of the newest such submission.
    pub(crate) fn submitting_offer(&self) -> Option<OfferId> {
        self.blocking().last().map(|pending| pending.offer.id)
    }

    pub(super) fn waits_for_answer(&self) -> bool {
        self.blocking().any(|pending| pending.stage == Stage::Unanswered && pending.idle_since)
    }

    /// The offer that is off the screen because of a submission at this boundary.
    pub(crate) fn submission_hides_offer(&self) -> bool {
        self.autorun.pending.iter().any(|pending| pending.boundary == self.turns.boundary)
    }

    /// Rounds that unanswered submissions reserve leave none (rule A6).
    pub(super) fn every_round_is_reserved(&self) -> bool {
        self.autorun.spent.saturating_add(self.autorun.reserved()) >= self.config.prompt_max_rounds
    }

    pub(super) fn refusal_at_this_boundary(&self) -> Option<String> {
        let tries = &self.autorun.tries;
        (tries.boundary == self.turns.boundary && !self.second_try_is_due())
            .then(|| tries.refused.clone())
            .flatten()
    }

    /// The one more try of the offer that the host refused, and of no other (rule A3).
    fn second_try_is_due(&self) -> bool {
        let tries = &self.autorun.tries;
        let same = self.director.current_offer().is_some_and(|offer| Some(offer.id) == tries.offer);
        tries.retry_due && tries.submissions < 2 && same
    }

    /// The loop had its submission at this boundary, and no further try is due.
    pub(super) fn submitted_at_this_boundary(&self) -> bool {
        let tries = &self.autorun.tries;
        tries.boundary == self.turns.boundary && tries.submissions > 0 && !self.second_try_is_due()
    }
}
