//! The director: one recommendation per completed turn (section D).
//!
//! This module holds what the director knows; [`generation`] asks the model, [`offers`] keeps and drops what it said,
//! and [`run`] is the human's hand on it. The loop that runs offers by itself is [`crate::autorun`].

mod generation;
mod offers;
mod run;

use crate::answer::OfferKind;
use crate::code::{Coded, ReasonCode};
use crate::effect::PromptMessage;
use crate::ids::{CallId, ModelId, OfferId, Timestamp, Turn};

/// What a generation and its offer were made for (rule D5). The goal's revision is no part of it (rule G3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Watermark {
    pub(crate) turn: Turn,
    /// The goal's id and objective.
    pub(crate) goal: Option<(String, String)>,
    pub(crate) model: ModelId,
    pub(crate) history_version: u64,
}

/// A prompt that the director proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) id: OfferId,
    pub(crate) text: String,
    pub(crate) kind: OfferKind,
    pub(crate) watermark: Watermark,
}

/// One attempt to get an offer: a call, or two with the retry of rule D8.
#[derive(Debug, Clone)]
pub(crate) struct Generation {
    pub(crate) watermark: Watermark,
    pub(crate) call: CallId,
    pub(crate) attempt: u8,
    /// Set when the first request leaves; it covers both attempts.
    pub(crate) deadline: Option<Timestamp>,
    /// The conversation that was sent, for the retry.
    pub(crate) messages: Vec<PromptMessage>,
    /// The answer's cap when it was asked for.
    pub(crate) max_chars: u32,
}

/// Where the director stands, apart from being off.
#[derive(Debug, Clone)]
pub(crate) enum Phase {
    /// Nothing on screen.
    Waiting(ReasonCode),
    /// A model is being asked.
    Analyzing(Box<Generation>),
    /// A current offer is on screen.
    Ready(Box<Offer>),
    /// The last generation failed; the last offer, if any, is on screen and marked as old.
    Failed(Coded<ReasonCode>),
}

/// Why a generation waits for the first live input after a rewrite (rule G4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PutOff {
    /// The one of the last completed turn had not answered.
    Unanswered,
    /// The armed loop would stall; disarmed, it would not.
    Armed,
}

#[derive(Debug)]
pub(crate) struct Director {
    pub(crate) phase: Phase,
    /// The newest offer that left the screen without being run, answered or dropped (rule D5).
    pub(crate) last_offer: Option<Offer>,
    /// The human switched suggestions off in this session (rule D2).
    pub(crate) switched_off: bool,
    /// The watermark for which a generation last ended with an answer or a failure.
    pub(crate) settled: Option<Watermark>,
    /// Somebody spoke in the turn that ended last (rule D4).
    pub(crate) last_turn_spoken: bool,
    next_offer: u64,
    /// A generation waits for a dialog to close (rule D4).
    after_dialog: bool,
    /// A generation waits for the first live input after a rewrite (rule G4).
    after_rewrite: Option<PutOff>,
}

impl Director {
    pub(crate) fn new(first_offer: u64) -> Self {
        Self {
            phase: Phase::Waiting(ReasonCode::NoCompletedTurn),
            last_offer: None,
            switched_off: false,
            settled: None,
            last_turn_spoken: false,
            next_offer: first_offer.max(1),
            after_dialog: false,
            after_rewrite: None,
        }
    }

    /// When the generation in flight has to be over.
    pub(crate) fn deadline(&self) -> Option<Timestamp> {
        match &self.phase {
            Phase::Analyzing(generation) => generation.deadline,
            Phase::Waiting(_) | Phase::Ready(_) | Phase::Failed(_) => None,
        }
    }

    pub(crate) fn is_analyzing(&self) -> bool {
        matches!(self.phase, Phase::Analyzing(_))
    }

    pub(crate) fn wait(&mut self, reason: ReasonCode) {
        self.phase = Phase::Waiting(reason);
    }

    /// The current offer on screen.
    pub(crate) fn current_offer(&self) -> Option<&Offer> {
        match &self.phase {
            Phase::Ready(offer) => Some(offer),
            Phase::Waiting(_) | Phase::Analyzing(_) | Phase::Failed(_) => None,
        }
    }

    /// The offer on screen, current or old (rule D10).
    pub(crate) fn shown_offer(&self) -> Option<(&Offer, bool)> {
        match &self.phase {
            Phase::Ready(offer) => Some((offer, true)),
            Phase::Failed(_) => self.last_offer.as_ref().map(|offer| (offer, false)),
            Phase::Waiting(_) | Phase::Analyzing(_) => None,
        }
    }

    pub(crate) fn put_off_after_rewrite(&mut self, why: PutOff) {
        self.after_rewrite = Some(why);
    }

    /// No generation waits for anything any more.
    pub(crate) fn forget_put_off(&mut self) {
        self.after_dialog = false;
        self.after_rewrite = None;
    }

    pub(crate) fn waits_for_dialog(&self) -> bool {
        self.after_dialog
    }

    fn take_offer_id(&mut self) -> OfferId {
        let id = OfferId::new(self.next_offer);
        self.next_offer = self.next_offer.saturating_add(1);
        id
    }
}
