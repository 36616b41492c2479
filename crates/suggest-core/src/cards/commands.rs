//! What a person does with the cards of a session (rule C8).

use super::manager::shown;
use super::{CardError, IdleSuggestion};
use crate::code::OutputCode;
use crate::command::{CardsCommand, CommandOutput};
use crate::effect::Effect;
use crate::session::Session;

/// The fewest characters that stand for a whole id.
const LEAST_OF_ID: usize = 4;

impl Session {
    pub(crate) fn cards_command(&mut self, command: CardsCommand) -> CommandOutput {
        match command {
            CardsCommand::List => CommandOutput::ok(self.list_cards()),
            CardsCommand::Accept(id) => self.accept_card(&id),
            CardsCommand::Dismiss(id) => self.dismiss_card(&id),
            CardsCommand::DismissAll => {
                let ids = self.cards.manager.dismiss_all(Some(&self.setup.id), self.now.get());
                if !ids.is_empty() {
                    self.cards_changed(&[]);
                }
                CommandOutput::ok(match ids.len() {
                    0 => "no card is open".to_owned(),
                    1 => "1 card dismissed for good".to_owned(),
                    count => format!("{count} cards dismissed for good"),
                })
            }
            CardsCommand::Refresh => self.refresh_cards(),
        }
    }

    fn list_cards(&self) -> String {
        let cards = self.cards.manager.open_of(&self.setup.id);
        if cards.is_empty() {
            return if self.cards.life.in_flight().is_some() {
                "no card is open yet; a model is being asked".to_owned()
            } else {
                "no card is open".to_owned()
            };
        }
        let lines: Vec<String> = cards.into_iter().map(|card| self.card_lines(card)).collect();
        lines.join("\n")
    }

    fn card_lines(&self, card: &IdleSuggestion) -> String {
        let priority = match card.priority {
            crate::state::Priority::High => "high",
            crate::state::Priority::Medium => "medium",
            crate::state::Priority::Low => "low",
        };
        let origin = match card.origin {
            crate::state::CardOrigin::Model => "model",
            crate::state::CardOrigin::Local => "local",
        };
        let stale = if card.is_outdated(self.turns.last_completed) { ", stale" } else { "" };
        format!(
            "{}  {} ({}, {priority}, {origin}{stale})\n  {}\n  > {}",
            card.id,
            card.title,
            card.category,
            card.text,
            card.prompt.replace('\n', "\n  > ")
        )
    }

    /// The whole id for what a person typed: the id, or the part behind the session's name, or the unambiguous
    /// beginning of that.
    fn whole_id(&self, typed: &str) -> String {
        if self.cards.manager.card(typed).is_some() {
            return typed.to_owned();
        }
        let tail = |id: &str| id.rsplit('-').next().map(str::to_owned).unwrap_or_default();
        let mut fitting = self
            .cards
            .manager
            .book()
            .cards
            .iter()
            .filter(|card| typed.len() >= LEAST_OF_ID && tail(&card.id).starts_with(typed));
        match (fitting.next(), fitting.next()) {
            (Some(card), None) => card.id.clone(),
            _ => typed.to_owned(),
        }
    }

    fn accept_card(&mut self, typed: &str) -> CommandOutput {
        let id = self.whole_id(typed);
        let outdated = self
            .cards
            .manager
            .card(&id)
            .is_some_and(|card| card.is_open() && card.is_outdated(self.turns.last_completed));
        let accepted = if outdated {
            Err(CardError::Stale { id: shown(&id) })
        } else {
            self.cards.manager.accept(&id, self.now.get())
        };
        match accepted {
            Ok(intent) => {
                self.cards_changed(&[]);
                // Nothing is launched: where the host can, the prompt goes into the input, for the person to send.
                self.emit(Effect::FillInput { text: intent.prompt.clone() });
                CommandOutput::ok(format!(
                    "send this to session {}:\n{}",
                    shown(&intent.session),
                    intent.prompt
                ))
            }
            Err(error) => refused(&error),
        }
    }

    fn dismiss_card(&mut self, typed: &str) -> CommandOutput {
        let id = self.whole_id(typed);
        match self.cards.manager.dismiss(&id, self.now.get()) {
            Ok(()) => {
                self.cards_changed(&[]);
                CommandOutput::ok(format!("card {} dismissed for good", shown(&id)))
            }
            Err(error) => refused(&error),
        }
    }

    /// A person asks for cards now: no event has to come first, the guard and the cooldown hold.
    fn refresh_cards(&mut self) -> CommandOutput {
        if !self.config.cards.enabled {
            return CommandOutput::refused(OutputCode::Off, "cards are switched off (cards.enabled)");
        }
        if self.closed {
            return CommandOutput::refused(OutputCode::Closed, OutputCode::Closed.describe());
        }
        if self.turns.open.is_some() {
            return CommandOutput::refused(OutputCode::TurnRunning, OutputCode::TurnRunning.describe());
        }
        if !self.idle_voice_may_speak(true) || !super::work::is_enough(&self.facts()) {
            return CommandOutput::refused(
                OutputCode::NoCompletedTurn,
                "there is no completed work to go on from",
            );
        }
        self.cards.life.work_completed();
        if self.cards.life.trigger(self.now) {
            self.generate_cards();
        } else if self.cards.life.in_flight().is_none() {
            return CommandOutput::ok("cards were made less than a minute ago; new ones follow");
        }
        CommandOutput::ok(self.list_cards())
    }
}

fn refused(error: &CardError) -> CommandOutput {
    let code = match error {
        CardError::Unknown { .. } | CardError::UnknownSession { .. } | CardError::NotIdle { .. } => {
            OutputCode::BadArgument
        }
        CardError::AlreadyAccepted { .. }
        | CardError::AlreadyAssigned { .. }
        | CardError::Dismissed { .. }
        | CardError::Stale { .. }
        | CardError::Retired { .. } => OutputCode::Stale,
    };
    CommandOutput::refused(code, error.to_string())
}
