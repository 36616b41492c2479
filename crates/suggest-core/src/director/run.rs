//! The human's hand on the director: run, retry, on, off, model (rules D2, D6, D11, D13).

use super::{Offer, Phase};
use crate::answer::OfferKind;
use crate::autorun::Restore;
use crate::code::{DisarmCode, OutputCode, ReasonCode};
use crate::command::CommandOutput;
use crate::effect::{Effect, SubmitAuthor};
use crate::ids::{ModelId, OfferId};
use crate::session::{Session, SessionKind};

impl Session {
    /// Why the director is off, if it is: no model first, then the kind of session, then the switch.
    pub(crate) fn off_reason(&self) -> Option<ReasonCode> {
        if self.model().is_none() {
            return Some(ReasonCode::NoModel);
        }
        match self.setup.kind {
            SessionKind::Headless if !self.setup.opt_in => Some(ReasonCode::Headless),
            SessionKind::Subagent if !self.setup.opt_in => Some(ReasonCode::Subagent),
            SessionKind::Interactive | SessionKind::Headless | SessionKind::Subagent => {
                self.director.switched_off.then_some(ReasonCode::SwitchedOff)
            }
        }
    }

    /// The refusal of a command that needs the director to be on.
    pub(crate) fn refuse_when_off(&self) -> Option<CommandOutput> {
        if self.closed {
            return Some(CommandOutput::refused(OutputCode::Closed, "refused: the session is closed"));
        }
        let reason = self.off_reason()?;
        let code = match reason {
            ReasonCode::Headless => OutputCode::Headless,
            ReasonCode::Subagent => OutputCode::Subagent,
            _ => OutputCode::Off,
        };
        let hint = match reason {
            ReasonCode::NoModel => "; set one with `model provider/model`",
            ReasonCode::SwitchedOff => "; `on` resumes them",
            _ => "",
        };
        Some(CommandOutput::refused(
            code,
            format!("refused: suggestions are off, {}{hint}", reason.describe()),
        ))
    }

    pub(crate) fn run_offer(&mut self, id: Option<OfferId>) -> CommandOutput {
        if let Some(refusal) = self.refuse_when_off() {
            return refusal;
        }
        if let Some(pending) = self.submitting_offer()
            && id.is_none_or(|id| id == pending)
        {
            let line = format!("refused: {pending} is being submitted");
            return CommandOutput::refused(OutputCode::Submitting, line);
        }
        let Some((offer, current)) = self.director.shown_offer() else {
            return match id {
                Some(id) => stale(id),
                None => CommandOutput::refused(OutputCode::NoOffer, "refused: no suggestion is on screen"),
            };
        };
        if let Some(id) = id.filter(|id| *id != offer.id) {
            return stale(id);
        }
        if self.submission_blocks() {
            return CommandOutput::refused(OutputCode::Submitting, "refused: a submission is under way");
        }
        let offer = offer.clone();
        if starts_like_a_command(&offer) {
            self.emit(Effect::FillInput { text: offer.text.clone() });
            let line = format!("{} runs a command: it was put into the input for you to send", offer.id);
            return CommandOutput::ok(line);
        }
        self.submit_by_hand(offer, current)
    }

    fn submit_by_hand(&mut self, offer: Offer, current: bool) -> CommandOutput {
        self.disarm(DisarmCode::HumanPrompt, None);
        self.advisor_human_prompt();
        let line = format!("running {}", offer.id);
        let restore = if current { Restore::Ready } else { self.restore_failed() };
        if !current {
            self.director.last_offer = None;
        }
        self.submit(offer, SubmitAuthor::Human, restore);
        CommandOutput::ok(line)
    }

    fn restore_failed(&self) -> Restore {
        match &self.director.phase {
            Phase::Failed(reason) => Restore::Failed(reason.clone()),
            Phase::Waiting(_) | Phase::Analyzing(_) | Phase::Ready(_) => Restore::Ready,
        }
    }

    pub(crate) fn retry(&mut self) -> CommandOutput {
        if let Some(refusal) = self.refuse_when_off() {
            return refusal;
        }
        if self.director.is_analyzing() {
            return CommandOutput::ok("already analyzing");
        }
        if self.turns.open.is_some() {
            return CommandOutput::refused(OutputCode::TurnRunning, "refused: a turn is running");
        }
        if self.turns.last_completed.is_none() || self.transcript.is_empty() {
            return CommandOutput::refused(OutputCode::NoCompletedTurn, "refused: no turn has completed yet");
        }
        if self.submission_blocks() {
            return CommandOutput::refused(OutputCode::Submitting, "refused: a submission is under way");
        }
        self.open_generation_now();
        CommandOutput::ok("analyzing")
    }

    pub(crate) fn switch_on(&mut self) -> CommandOutput {
        if self.closed {
            return CommandOutput::refused(OutputCode::Closed, "refused: the session is closed");
        }
        if std::mem::take(&mut self.director.switched_off) {
            self.director.wait(self.resting_reason());
        }
        if let Some(refusal) = self.refuse_when_off() {
            return refusal;
        }
        self.open_for_human();
        CommandOutput::ok("suggestions are on in this session")
    }

    pub(crate) fn switch_off(&mut self) -> CommandOutput {
        if self.closed {
            return CommandOutput::refused(OutputCode::Closed, "refused: the session is closed");
        }
        self.disarm(DisarmCode::SwitchedOff, None);
        self.forget_everything();
        self.director.switched_off = true;
        CommandOutput::ok("suggestions are off in this session; the model is kept, and `on` resumes them")
    }

    pub(crate) fn set_model(&mut self, model: Option<ModelId>) -> CommandOutput {
        if self.closed {
            return CommandOutput::refused(OutputCode::Closed, "refused: the session is closed");
        }
        let before = self.model().map(|(id, _)| id.clone());
        let line = match &model {
            Some(id) if self.director.switched_off => {
                format!("model set to {id}; suggestions are off in this session, `on` resumes them")
            }
            Some(id) => format!("model set to {id}"),
            None => "model cleared: suggestions are off".to_owned(),
        };
        let cleared = model.is_none();
        self.chosen_model = Some(model.clone());
        if before != model {
            self.on_model_changed();
        }
        if !cleared && self.off_reason().is_none() {
            self.open_for_human();
        }
        CommandOutput::ok(line)
    }

    /// Another model, or none: what the old one said is gone (rules D1, G4).
    pub(crate) fn on_model_changed(&mut self) {
        if self.model().is_none() {
            self.disarm(DisarmCode::ModelCleared, None);
            self.forget_everything();
            return;
        }
        let unanswered = self.drop_offers(ReasonCode::ModelChanged);
        self.open_after_drop(unanswered);
    }

    /// Cancels the call in flight and forgets offers.
    fn forget_everything(&mut self) {
        self.drop_offers(ReasonCode::NoOfferYet);
        self.director.forget_put_off();
        self.director.wait(self.resting_reason());
    }
}

/// Whether the host would take the text for a command of its own; such a text is for the human to send (rule D13).
fn starts_like_a_command(offer: &Offer) -> bool {
    // Directional marks are not seen, and hosts that trim them would see the sign behind them.
    let seen = offer.text.trim_start_matches(['\u{200e}', '\u{200f}', '\u{61c}']);
    offer.kind == OfferKind::Command || seen.starts_with(['/', '!'])
}

fn stale(id: OfferId) -> CommandOutput {
    CommandOutput::refused(OutputCode::Stale, format!("refused: {id} is not on screen any more"))
}
