//! Keeping, hiding and dropping offers (rules D5, D10, G3).

use super::{Offer, Phase};
use crate::code::ReasonCode;
use crate::session::Session;

impl Session {
    /// Takes a current offer off the screen and keeps it as the last offer.
    pub(crate) fn hide_offer(&mut self) {
        if let Phase::Ready(offer) = &self.director.phase {
            self.director.last_offer = Some(offer.as_ref().clone());
            self.director.wait(ReasonCode::NoOfferYet);
        }
    }

    /// A turn starts: no call goes on for the situation before it, and no offer of that situation stays on screen.
    pub(crate) fn hide_for_turn(&mut self) {
        self.cancel_generation();
        self.hide_offer();
        self.director.forget_put_off();
        self.director.wait(ReasonCode::TurnRunning);
    }

    /// Drops every offer and the generation in flight, and withdraws the loop's submission. Gives whether a
    /// generation of the last completed turn had not answered.
    pub(crate) fn drop_offers(&mut self, reason: ReasonCode) -> bool {
        let put_off = self.director.waits_for_dialog();
        let in_flight = self.cancel_generation();
        self.director.last_offer = None;
        self.withdraw_rounds();
        self.director.wait(self.waiting_reason(reason));
        if in_flight || put_off {
            return true;
        }
        false
    }

    /// Why nothing is on screen after a drop: a turn that did not complete says more than the drop does.
    fn waiting_reason(&self, reason: ReasonCode) -> ReasonCode {
        if matches!(reason, ReasonCode::Closed) || self.turns.last_completed.is_some() {
            if matches!(reason, ReasonCode::GoalChanged) && !self.turns.last_turn_completed() {
                return ReasonCode::TurnNotCompleted;
            }
            return reason;
        }
        if self.turns.last_ended.is_some() {
            ReasonCode::TurnNotCompleted
        } else {
            ReasonCode::NoCompletedTurn
        }
    }

    /// After history: what was made for another situation is gone, without asking anew (rule D15). A turn that
    /// history left open is another situation too.
    pub(crate) fn drop_outdated(&mut self) {
        let current = self.watermark().filter(|_| self.turns.open.is_none());
        let outdated = match &self.director.phase {
            Phase::Ready(offer) => Some(&offer.watermark) != current.as_ref(),
            Phase::Analyzing(generation) => Some(&generation.watermark) != current.as_ref(),
            Phase::Waiting(_) | Phase::Failed(_) => false,
        };
        if outdated {
            self.cancel_generation();
            self.director.last_offer = None;
            self.withdraw_rounds();
            self.director.wait(ReasonCode::NoOfferYet);
        }
    }

    /// What an idle director says after events of the past.
    pub(crate) fn wait_after_history(&mut self) {
        if let Phase::Waiting(reason) = self.director.phase
            && reason != ReasonCode::HistoryRewritten
        {
            self.director.wait(self.resting_reason());
        }
    }

    /// Why nothing is on screen when nothing in particular happened.
    pub(crate) fn resting_reason(&self) -> ReasonCode {
        if self.turns.last_completed.is_none() {
            ReasonCode::NoCompletedTurn
        } else if self.turns.last_turn_completed() {
            ReasonCode::NoOfferYet
        } else {
            ReasonCode::TurnNotCompleted
        }
    }

    /// Whether an offer was made for the situation as it is now.
    pub(crate) fn is_current(&self, offer: &Offer) -> bool {
        self.turns.open.is_none()
            && self.off_reason().is_none()
            && !self.closed
            && self.watermark().as_ref() == Some(&offer.watermark)
    }
}
