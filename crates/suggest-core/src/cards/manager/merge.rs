//! Taking up what a session's core kept.

use super::CardManager;
use super::acts::dismissal_of;
use super::record::{CardBook, CardState, IdleSuggestion};

impl CardManager {
    /// Takes up the book of one session's core. What is further along wins: an accepted or dismissed card never opens
    /// again, a stale one never gets fresh, and content that was dismissed here is not taken up. New records get `now`
    /// as their time, since a core's clock is its own. Gives whether anything changed.
    pub fn absorb(&mut self, session: &str, book: &CardBook, now: u64) -> bool {
        let mut changed = false;
        for dismissal in book.dismissed.iter() {
            if !self.book.dismissed.iter().any(|known| known.id == dismissal.id) {
                let mut dismissal = dismissal.clone();
                dismissal.at = now;
                self.remember(dismissal);
                changed = true;
            }
        }
        for card in book.cards.iter().filter(|card| card.session == session) {
            changed |= self.absorb_card(card, now);
        }
        for summary in book.summaries.iter().filter(|summary| summary.session == session) {
            let known = self.summary(session);
            if known.is_none_or(|known| {
                (&known.text, known.turn, known.origin) != (&summary.text, summary.turn, summary.origin)
            }) {
                let mut summary = summary.clone();
                (summary.created_at, summary.updated_at) = (now, now);
                self.put_summary(summary);
                changed = true;
            }
        }
        self.enforce_session(session, &mut Vec::new());
        self.enforce_total(&mut Vec::new());
        if changed {
            self.changed();
        }
        changed
    }

    fn absorb_card(&mut self, card: &IdleSuggestion, now: u64) -> bool {
        let Some(at) = self.book.cards.iter().rposition(|known| known.id == card.id) else {
            let gone = self.book.dismissed.contains(card.fingerprint)
                || self.book.dismissed.iter().any(|dismissal| dismissal.id == card.id);
            if !card.is_open() || gone {
                return false;
            }
            let mut card = card.clone();
            (card.created_at, card.updated_at) = (now, now);
            self.book.cards.push(card);
            self.book.counts.offered = self.book.counts.offered.saturating_add(1);
            return true;
        };
        let Some(known) = self.book.cards.get_mut(at) else { return false };
        let mut changed = false;
        if card.stale && !known.stale {
            known.stale = true;
            changed = true;
        }
        if card.state > known.state {
            known.state = card.state;
            known.assigned_to.clone_from(&card.assigned_to);
            changed = true;
            let counts = &mut self.book.counts;
            match card.state {
                CardState::Accepted => counts.accepted = counts.accepted.saturating_add(1),
                CardState::Assigned => counts.assigned = counts.assigned.saturating_add(1),
                CardState::Retired => counts.retired = counts.retired.saturating_add(1),
                CardState::Open | CardState::Dismissed => {}
            }
        }
        if changed {
            known.updated_at = now;
        }
        if card.state == CardState::Dismissed && !self.book.dismissed.contains(card.fingerprint) {
            let dismissal = dismissal_of(card, now);
            self.remember(dismissal);
        }
        changed
    }

    /// The part of the book that belongs to one session: what its core goes on with.
    #[must_use]
    pub fn book_of(&self, session: &str) -> CardBook {
        let cards: Vec<IdleSuggestion> =
            self.book.cards.iter().filter(|card| card.session == session).cloned().collect();
        let prefix = format!("{}-", super::encoded(session));
        CardBook {
            seq: self.book.seq,
            summaries: self.summary(session).cloned().into_iter().collect(),
            dismissed: self
                .book
                .dismissed
                .iter()
                .filter(|dismissal| {
                    dismissal.id.strip_prefix(&prefix).is_some_and(|digits| !digits.contains('-'))
                })
                .cloned()
                .collect(),
            cards,
            ..CardBook::default()
        }
    }
}
