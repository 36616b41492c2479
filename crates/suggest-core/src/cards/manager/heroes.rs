//! What is known of the sessions themselves: which are idle, so that a card can be given to one. Never persisted.

use super::CardManager;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sessions that are remembered; closed ones go first, then the ones that changed longest ago.
const MOST_HEROES: usize = 10_000;

/// What a session does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HeroStatus {
    /// It waits for a prompt.
    Idle,
    /// It works.
    Busy,
    /// It is over.
    Closed,
}

/// A session on the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hero {
    /// Its id.
    pub session: String,
    /// What people call it; the id where nobody named it.
    pub name: String,
    /// What it does.
    pub status: HeroStatus,
    /// The folder that it works in; sessions in one folder touch each other's files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Heroes {
    known: BTreeMap<String, (u64, Hero)>,
    changes: u64,
}

impl Heroes {
    pub(super) fn get(&self, session: &str) -> Option<&Hero> {
        self.known.get(session).map(|(_, hero)| hero)
    }

    pub(super) fn workspace(&self, session: &str) -> Option<&str> {
        self.get(session)?.workspace.as_deref()
    }
}

impl CardManager {
    /// Notes what a session does now. A workspace or name that is known stays when none is given.
    pub fn note_hero(&mut self, mut hero: Hero) {
        if let Some(known) = self.heroes.get(&hero.session) {
            hero.workspace = hero.workspace.or_else(|| known.workspace.clone());
            if hero.name.is_empty() {
                hero.name.clone_from(&known.name);
            }
        }
        if hero.name.is_empty() {
            hero.name.clone_from(&hero.session);
        }
        let heroes = Arc::make_mut(&mut self.heroes);
        heroes.changes += 1;
        heroes.known.insert(hero.session.clone(), (heroes.changes, hero));
        if heroes.known.len() > MOST_HEROES {
            let goes = heroes
                .known
                .iter()
                .min_by_key(|(_, (changed, hero))| (hero.status != HeroStatus::Closed, *changed))
                .map(|(session, _)| session.clone());
            if let Some(goes) = goes {
                heroes.known.remove(&goes);
            }
        }
    }

    /// A session that was noted.
    #[must_use]
    pub fn hero(&self, session: &str) -> Option<&Hero> {
        self.heroes.get(session)
    }

    /// The sessions that were noted, by id.
    pub fn heroes(&self) -> impl Iterator<Item = &Hero> {
        self.heroes.known.values().map(|(_, hero)| hero)
    }
}
