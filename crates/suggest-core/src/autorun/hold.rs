//! Why an armed loop starts nothing (rule A4).

use crate::code::{Coded, HoldCode};
use crate::director::Phase;
use crate::session::Session;

impl Session {
    /// The first reason, in the order of the codes, for which the armed loop starts nothing. None: an eligible offer
    /// is on screen and may run now.
    pub(crate) fn hold(&self) -> Option<Coded<HoldCode>> {
        if self.goals.owns_boundary() {
            return Some(HoldCode::GoalOwnsBoundary.coded());
        }
        if let Some(label) = self.director.current_offer().and_then(|offer| offer.kind.label()) {
            return Some(Coded::new(HoldCode::ByHandOffer, format!("{label}: this step is yours to run")));
        }
        if matches!(self.director.phase, Phase::Failed(_)) {
            return Some(HoldCode::GenerationFailed.coded());
        }
        if !self.turns.last_turn_completed() {
            return Some(HoldCode::NoCompletedTurn.coded());
        }
        if !self.turns.boundary_open() {
            return Some(HoldCode::Busy.coded());
        }
        if self.asking {
            return Some(HoldCode::Asking.coded());
        }
        if self.queued > 0 {
            return Some(HoldCode::HumanQueued.coded());
        }
        if self.advisor_blocks_loop() {
            return Some(HoldCode::Blocker.coded());
        }
        if let Some(reason) = self.refusal_at_this_boundary() {
            return Some(Coded::new(HoldCode::Refused, reason));
        }
        if self.waits_for_answer() {
            return Some(HoldCode::NoAnswer.coded());
        }
        if self.submission_blocks() || self.advisor_start_pending() {
            return Some(HoldCode::Submitting.coded());
        }
        if self.every_round_is_reserved() {
            return Some(HoldCode::NoAnswer.coded());
        }
        if self.director.current_offer().is_none() || self.submitted_at_this_boundary() {
            return Some(HoldCode::WaitingForOffer.coded());
        }
        None
    }
}
