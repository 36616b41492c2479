//! The one source of truth for cards and summaries (rule C6).
//!
//! A [`CardManager`] holds the records of any number of sessions. The core keeps a small one for its own session; the
//! process that shows a board keeps one for all, takes up what the cores persist by [`CardManager::absorb`], and
//! decides. Both are this type, so both obey the same caps, and a dismissal in either is never offered again.
//!
//! Nothing here reads a clock: times are milliseconds that the caller gives.

mod acts;
mod dismissals;
mod error;
mod heroes;
mod merge;
mod record;
mod snapshot;
#[cfg(test)]
mod tests;

pub use dismissals::Dismissals;
pub(crate) use error::shown;
pub use error::{CardError, DropReason, PromptIntent};
pub use heroes::{Hero, HeroStatus};
pub use record::{
    CardBook, CardCounts, CardState, Dismissal, Fingerprint, IdleSuggestion, NewCard, SessionSummary,
};
pub use snapshot::{Snapshot, idle_suggestion_event};

use crate::cards::similar::Gist;
use heroes::Heroes;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How much a manager keeps (rule C6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CardLimits {
    /// Open cards of one session.
    pub open_per_session: usize,
    /// Cards in all. Closed ones go first, the oldest first.
    pub cards: usize,
    /// Summaries in all.
    pub summaries: usize,
    /// Dismissals; the oldest go first.
    pub dismissed: usize,
    /// How long an open card lives, in milliseconds.
    pub lifetime_ms: u64,
}

impl Default for CardLimits {
    fn default() -> Self {
        Self {
            open_per_session: 3,
            cards: 300,
            summaries: 300,
            dismissed: 10_000,
            lifetime_ms: 7 * 24 * 60 * 60 * 1_000,
        }
    }
}

impl CardLimits {
    /// What a core keeps for its own session.
    #[must_use]
    pub fn of_one_session() -> Self {
        Self { cards: 24, summaries: 1, dismissed: 500, ..Self::default() }
    }
}

/// What came of offering cards.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Offered {
    /// The ids of the cards that were taken up, in the order given.
    pub added: Vec<String>,
    /// How many were dropped, by cause.
    pub dropped: BTreeMap<DropReason, u32>,
    /// The ids of open cards that made room.
    pub retired: Vec<String>,
}

/// Cards and summaries of any number of sessions. See the module's text.
#[derive(Debug, Clone, Default)]
pub struct CardManager {
    limits: CardLimits,
    book: CardBook,
    /// Shared with copies of the manager: most changes concern the cards alone.
    heroes: Arc<Heroes>,
}

impl CardManager {
    /// An empty manager.
    #[must_use]
    pub fn new(limits: CardLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// A manager that goes on with what was kept.
    #[must_use]
    pub fn from_book(limits: CardLimits, book: CardBook) -> Self {
        let mut manager = Self::new(limits);
        manager.replace_book(book);
        manager
    }

    /// What is to be kept.
    #[must_use]
    pub fn book(&self) -> &CardBook {
        &self.book
    }

    /// Takes what another process kept in place of its own. What is known of sessions stays; numbers never fall.
    pub fn replace_book(&mut self, book: CardBook) {
        let seq = self.book.seq.max(book.seq);
        self.book = book;
        self.book.seq = seq;
        self.enforce_dismissed();
        let sessions: BTreeSet<String> = self.open().map(|card| card.session.clone()).collect();
        for session in sessions {
            self.enforce_session(&session, &mut Vec::new());
        }
        self.enforce_total(&mut Vec::new());
    }

    /// Lets every open card's life begin now, at the beginning of a clock.
    pub(crate) fn restart_clock(&mut self) {
        for card in &mut self.book.cards {
            (card.created_at, card.updated_at) = (0, 0);
        }
    }

    /// The number of the last snapshot.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.book.seq
    }

    /// A card by its id.
    #[must_use]
    pub fn card(&self, id: &str) -> Option<&IdleSuggestion> {
        self.book.cards.iter().rev().find(|card| card.id == id)
    }

    /// Every open card, stale ones included, in no order that is to be shown.
    pub fn open(&self) -> impl Iterator<Item = &IdleSuggestion> {
        self.book.cards.iter().filter(|card| card.is_open())
    }

    /// The open cards of a session in the order in which they are drawn: fresh before stale, then by priority, then
    /// in the order in which they were given.
    #[must_use]
    pub fn open_of(&self, session: &str) -> Vec<&IdleSuggestion> {
        let mut cards: Vec<&IdleSuggestion> = self.open().filter(|card| card.session == session).collect();
        cards.sort_by_key(|card| (card.stale, std::cmp::Reverse(card.priority)));
        cards
    }

    /// The summary of a session.
    #[must_use]
    pub fn summary(&self, session: &str) -> Option<&SessionSummary> {
        self.book.summaries.iter().find(|summary| summary.session == session)
    }

    /// How often things happened.
    #[must_use]
    pub fn counts(&self) -> &CardCounts {
        &self.book.counts
    }

    /// Whether this content was dismissed.
    #[must_use]
    pub fn is_dismissed(&self, prompt: &str) -> bool {
        self.book.dismissed.contains(Fingerprint::of(prompt))
    }

    /// The snapshot for every subscriber, of one session or of all.
    #[must_use]
    pub fn snapshot(&self, session: Option<&str>) -> Snapshot {
        let mut cards: Vec<&IdleSuggestion> =
            self.open().filter(|card| session.is_none_or(|session| card.session == session)).collect();
        // By session, and within one in the order of `open_of`.
        cards.sort_by_key(|card| (card.session.as_str(), card.stale, std::cmp::Reverse(card.priority)));
        Snapshot {
            kind: Snapshot::TYPE.to_owned(),
            seq: self.book.seq,
            session: session.map(str::to_owned),
            cards: cards.into_iter().cloned().collect(),
            summaries: self
                .book
                .summaries
                .iter()
                .filter(|summary| session.is_none_or(|session| summary.session == session))
                .cloned()
                .collect(),
            counts: self.book.counts.clone(),
        }
    }

    /// Offers new cards for a session: its stale ones make room, what was dismissed, accepted or is open already is
    /// dropped, and the caps hold afterwards.
    pub fn offer(&mut self, session: &str, cards: Vec<NewCard>, now: u64) -> Offered {
        let mut offered = Offered::default();
        self.retire(session, now, &mut offered.retired, |card| card.stale);
        for card in cards.into_iter().take(self.limits.open_per_session) {
            match self.why_not(session, &card) {
                Some(reason) => {
                    *offered.dropped.entry(reason).or_default() += 1;
                }
                None => offered.added.push(self.add(session, card, now)),
            }
        }
        self.count_dropped(&offered.dropped);
        self.enforce_session(session, &mut offered.retired);
        self.enforce_total(&mut offered.retired);
        // A session may ask for more than there is room in all.
        let known: BTreeSet<&String> = self.book.cards.iter().map(|card| &card.id).collect();
        offered.added.retain(|id| known.contains(id));
        self.changed();
        offered
    }

    /// Counts candidates that were dropped before they came here.
    pub fn count_dropped(&mut self, dropped: &BTreeMap<DropReason, u32>) {
        for (reason, count) in dropped {
            let counted = self.book.counts.dropped.entry(reason.as_str().to_owned()).or_default();
            *counted = counted.saturating_add(u64::from(*count));
        }
    }

    /// Why a candidate would be dropped: its content was dismissed, is open, or was accepted.
    #[must_use]
    pub fn why_not(&self, session: &str, card: &NewCard) -> Option<DropReason> {
        let fingerprint = Fingerprint::of(&card.prompt);
        if self.book.dismissed.contains(fingerprint) {
            return Some(DropReason::Dismissed);
        }
        let gist = Gist::of(&card.prompt);
        for known in self.book.cards.iter().filter(|known| known.session == session) {
            // A stale card makes room for the same words said again.
            if known.state == CardState::Retired || known.is_open() && known.stale {
                continue;
            }
            if known.fingerprint == fingerprint || gist.same_as(&Gist::of(&known.prompt)) {
                return match known.state {
                    CardState::Open => Some(DropReason::Duplicate),
                    CardState::Dismissed => Some(DropReason::Dismissed),
                    CardState::Accepted | CardState::Assigned => Some(DropReason::Done),
                    CardState::Retired => None,
                };
            }
        }
        None
    }

    /// Keeps a session's summary, in place of an earlier one.
    pub fn put_summary(&mut self, mut summary: SessionSummary) {
        let at = self.book.summaries.iter().position(|known| known.session == summary.session);
        if let Some(known) = at.map(|at| self.book.summaries.remove(at)) {
            summary.created_at = known.created_at;
            summary.unknown = known.unknown;
        }
        self.book.summaries.push(summary);
        let over = self.book.summaries.len().saturating_sub(self.limits.summaries);
        self.book.summaries.drain(..over);
        self.changed();
    }

    fn add(&mut self, session: &str, card: NewCard, now: u64) -> String {
        let fingerprint = Fingerprint::of(&card.prompt);
        let id = self.free_id(session, card.turn, fingerprint);
        self.book.cards.push(IdleSuggestion {
            id: id.clone(),
            session: session.to_owned(),
            title: card.title,
            text: card.text,
            prompt: card.prompt,
            category: card.category,
            priority: card.priority,
            origin: card.origin,
            turn: card.turn,
            files: card.files,
            fingerprint,
            created_at: now,
            updated_at: now,
            state: CardState::Open,
            stale: false,
            assigned_to: None,
            unknown: Default::default(),
        });
        self.book.counts.offered = self.book.counts.offered.saturating_add(1);
        id
    }

    /// An id that nothing here has: the session's, and digits that follow from turn and content. So a restart without
    /// memory gives the same card the same id, and another card another one.
    fn free_id(&self, session: &str, turn: crate::ids::Turn, fingerprint: Fingerprint) -> String {
        let mut salt = 0;
        loop {
            let digits = fingerprint.mixed(session, turn, salt) >> 32;
            let id = format!("{}-{digits:08x}", encoded(session));
            let known = self.book.dismissed.iter().any(|dismissal| dismissal.id == id);
            if !known && self.card(&id).is_none() {
                return id;
            }
            salt += 1;
        }
    }

    fn retire(
        &mut self,
        session: &str,
        now: u64,
        retired: &mut Vec<String>,
        which: impl Fn(&IdleSuggestion) -> bool,
    ) {
        for card in &mut self.book.cards {
            if card.is_open() && card.session == session && which(card) {
                card.state = CardState::Retired;
                card.updated_at = now;
                self.book.counts.retired = self.book.counts.retired.saturating_add(1);
                retired.push(card.id.clone());
            }
        }
    }

    /// The newest open cards of a session stay.
    fn enforce_session(&mut self, session: &str, retired: &mut Vec<String>) {
        let open = self.open().filter(|card| card.session == session).count();
        let mut over = open.saturating_sub(self.limits.open_per_session);
        for card in &mut self.book.cards {
            if over > 0 && card.is_open() && card.session == session {
                over -= 1;
                card.state = CardState::Retired;
                self.book.counts.retired = self.book.counts.retired.saturating_add(1);
                retired.push(card.id.clone());
            }
        }
    }

    /// Closed cards go first, then stale ones, then the oldest.
    fn enforce_total(&mut self, retired: &mut Vec<String>) {
        let mut over = self.book.cards.len().saturating_sub(self.limits.cards);
        let ranks: [fn(&IdleSuggestion) -> bool; 3] = [|card| !card.is_open(), |card| card.stale, |_| true];
        for may_go in ranks {
            if over == 0 {
                return;
            }
            let counts = &mut self.book.counts;
            self.book.cards.retain(|card| {
                let goes = over > 0 && may_go(card);
                if goes {
                    over -= 1;
                    if card.is_open() {
                        counts.retired = counts.retired.saturating_add(1);
                        retired.push(card.id.clone());
                    }
                }
                !goes
            });
        }
    }

    fn enforce_dismissed(&mut self) {
        self.book.dismissed.keep_newest(self.limits.dismissed);
    }

    fn changed(&mut self) {
        self.book.seq = self.book.seq.saturating_add(1);
    }
}

/// A session's id as a part of a card's: letters, digits, `-`, `_` and `.` stay, all else is written as `~` and its
/// code. So an id is one word, safe in a path and in a command, and two sessions never share one.
fn encoded(session: &str) -> String {
    let mut id = String::with_capacity(session.len());
    for character in session.chars() {
        if character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.') {
            id.push(character);
        } else {
            id.push_str(&format!("~{:x}.", u32::from(character)));
        }
    }
    id
}
