//! The sessions as the board lists them.

use serde::Serialize;
use std::collections::BTreeMap;
use suggest_core::{Hero, HeroStatus};

/// The most sessions that are listed, the ones that changed last.
const MOST: usize = 1_000;

/// A session with the time of its last change, in milliseconds since 1970.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Listed {
    #[serde(flatten)]
    pub(crate) hero: Hero,
    pub(crate) changed_at: u64,
    #[serde(skip)]
    order: u64,
}

/// Every session that is or was there, bounded.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    listed: BTreeMap<String, Listed>,
    changes: u64,
}

impl Roster {
    /// Notes what a session does. Gives whether that is another thing than before.
    pub(crate) fn note(&mut self, hero: Hero, changed_at: u64) -> bool {
        if self.listed.get(&hero.session).is_some_and(|listed| listed.hero == hero) {
            return false;
        }
        self.changes = self.changes.saturating_add(1);
        let order = self.changes;
        self.listed.insert(hero.session.clone(), Listed { hero, changed_at, order });
        if self.listed.len() > MOST {
            let goes = self
                .listed
                .iter()
                .min_by_key(|(_, listed)| (listed.hero.status != HeroStatus::Closed, listed.order))
                .map(|(session, _)| session.clone());
            if let Some(goes) = goes {
                self.listed.remove(&goes);
            }
        }
        true
    }

    pub(crate) fn get(&self, session: &str) -> Option<&Hero> {
        self.listed.get(session).map(|listed| &listed.hero)
    }

    /// The newest first.
    pub(crate) fn list(&self) -> Vec<Listed> {
        let mut listed: Vec<Listed> = self.listed.values().cloned().collect();
        listed.sort_by_key(|listed| std::cmp::Reverse(listed.order));
        listed
    }
}
