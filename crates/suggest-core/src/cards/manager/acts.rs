//! What people and time do to cards (rules C6, C8).

use super::CardManager;
use super::error::{CardError, PromptIntent, shown};
use super::heroes::HeroStatus;
use super::record::{CardState, Dismissal, IdleSuggestion};
use crate::ids::Turn;

impl CardManager {
    /// Takes a card for its own session.
    ///
    /// # Errors
    /// When the id is unknown, or the card is stale, accepted, assigned, dismissed or retired.
    pub fn accept(&mut self, id: &str, now: u64) -> Result<PromptIntent, CardError> {
        let card = self.actionable(id, now)?;
        card.state = CardState::Accepted;
        card.updated_at = now;
        let intent = PromptIntent {
            card: card.id.clone(),
            session: card.session.clone(),
            prompt: card.prompt.clone(),
        };
        self.book.counts.accepted = self.book.counts.accepted.saturating_add(1);
        self.changed();
        Ok(intent)
    }

    /// Gives a card to a session that is idle, its own or another one.
    ///
    /// # Errors
    /// When the session is unknown or not idle, or as for [`CardManager::accept`].
    pub fn assign(&mut self, id: &str, session: &str, now: u64) -> Result<PromptIntent, CardError> {
        match self.heroes.get(session).map(|hero| hero.status) {
            None => return Err(CardError::UnknownSession { session: shown(session) }),
            Some(HeroStatus::Idle) => {}
            Some(HeroStatus::Busy | HeroStatus::Closed) => {
                return Err(CardError::NotIdle { session: shown(session) });
            }
        }
        let card = self.actionable(id, now)?;
        card.state = CardState::Assigned;
        card.assigned_to = Some(session.to_owned());
        card.updated_at = now;
        let intent =
            PromptIntent { card: card.id.clone(), session: session.to_owned(), prompt: card.prompt.clone() };
        self.book.counts.assigned = self.book.counts.assigned.saturating_add(1);
        self.changed();
        Ok(intent)
    }

    /// Drops a card for good: neither its id nor its content is offered again. A stale one can be dismissed too.
    ///
    /// # Errors
    /// When the id is unknown, or the card is not open any more.
    pub fn dismiss(&mut self, id: &str, now: u64) -> Result<(), CardError> {
        self.expire(now);
        let card = self.known(id)?;
        if !card.is_open() {
            return Err(closed(card));
        }
        close_as_dismissed(card, now);
        let dismissal = dismissal_of(card, now);
        self.remember(dismissal);
        self.changed();
        Ok(())
    }

    /// Drops every open card for good, of one session or of all. Gives their ids; summaries stay.
    pub fn dismiss_all(&mut self, session: Option<&str>, now: u64) -> Vec<String> {
        let mut dismissals = Vec::new();
        for card in &mut self.book.cards {
            if card.is_open() && session.is_none_or(|session| card.session == session) {
                close_as_dismissed(card, now);
                dismissals.push(dismissal_of(card, now));
            }
        }
        let ids: Vec<String> = dismissals.iter().map(|dismissal| dismissal.id.clone()).collect();
        dismissals.into_iter().for_each(|dismissal| self.remember(dismissal));
        if !ids.is_empty() {
            self.changed();
        }
        ids
    }

    /// A turn of a session completed and touched these files: the session's earlier cards turn stale, and so do cards
    /// of other sessions in the same workspace that name one of the files. Gives whether anything changed.
    pub fn turn_completed(&mut self, session: &str, turn: Turn, files: &[String], now: u64) -> bool {
        let workspace = self.heroes.workspace(session).map(str::to_owned);
        let heroes = &self.heroes;
        let mut changed = false;
        for card in self.book.cards.iter_mut().filter(|card| card.is_open() && !card.stale) {
            let moved_on = card.session == session && card.turn < turn;
            let touched = card.session != session
                && workspace.is_some()
                && heroes.workspace(&card.session) == workspace.as_deref()
                && card.files.iter().any(|file| files.contains(file));
            if moved_on || touched {
                card.stale = true;
                card.updated_at = now;
                changed = true;
            }
        }
        if changed {
            self.changed();
        }
        changed
    }

    /// Everything that is open in a session turns stale: its conversation is another one now. Gives whether anything
    /// changed.
    pub fn session_rewritten(&mut self, session: &str, now: u64) -> bool {
        let mut changed = false;
        for card in &mut self.book.cards {
            if card.is_open() && !card.stale && card.session == session {
                card.stale = true;
                card.updated_at = now;
                changed = true;
            }
        }
        if changed {
            self.changed();
        }
        changed
    }

    /// Closes open cards whose time is over. Gives whether there were any.
    pub fn expire(&mut self, now: u64) -> bool {
        let lifetime = self.limits.lifetime_ms;
        let mut expired: u64 = 0;
        for card in &mut self.book.cards {
            if card.is_open() && now.saturating_sub(card.created_at) >= lifetime {
                card.state = CardState::Retired;
                card.updated_at = now;
                expired += 1;
            }
        }
        if expired > 0 {
            self.book.counts.retired = self.book.counts.retired.saturating_add(expired);
            self.changed();
        }
        expired > 0
    }

    /// When the first open card's time is over.
    #[must_use]
    pub fn next_expiry(&self) -> Option<u64> {
        self.open().map(|card| card.created_at.saturating_add(self.limits.lifetime_ms)).min()
    }

    fn known(&mut self, id: &str) -> Result<&mut IdleSuggestion, CardError> {
        if let Some(at) = self.book.cards.iter().rposition(|card| card.id == id) {
            return self.book.cards.get_mut(at).ok_or(CardError::Unknown { id: shown(id) });
        }
        if self.book.dismissed.iter().any(|dismissal| dismissal.id == id) {
            return Err(CardError::Dismissed { id: shown(id) });
        }
        Err(CardError::Unknown { id: shown(id) })
    }

    fn actionable(&mut self, id: &str, now: u64) -> Result<&mut IdleSuggestion, CardError> {
        self.expire(now);
        let card = self.known(id)?;
        if !card.is_open() {
            return Err(closed(card));
        }
        if card.stale {
            return Err(CardError::Stale { id: shown(id) });
        }
        Ok(card)
    }

    pub(super) fn remember(&mut self, dismissal: Dismissal) {
        self.book.counts.dismissed = self.book.counts.dismissed.saturating_add(1);
        self.book.dismissed.push(dismissal);
        self.enforce_dismissed();
    }
}

pub(super) fn close_as_dismissed(card: &mut IdleSuggestion, now: u64) {
    card.state = CardState::Dismissed;
    card.updated_at = now;
}

pub(super) fn dismissal_of(card: &IdleSuggestion, now: u64) -> Dismissal {
    Dismissal { id: card.id.clone(), fingerprint: card.fingerprint, at: now, unknown: Default::default() }
}

fn closed(card: &IdleSuggestion) -> CardError {
    let id = shown(&card.id);
    match card.state {
        CardState::Accepted => CardError::AlreadyAccepted { id },
        CardState::Assigned => {
            CardError::AlreadyAssigned { id, to: card.assigned_to.as_deref().map(shown).unwrap_or_default() }
        }
        CardState::Dismissed => CardError::Dismissed { id },
        CardState::Open | CardState::Retired => CardError::Retired { id },
    }
}
