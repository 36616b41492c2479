//! The records that the manager keeps. They are what `suggestions.json` holds; fields that this version does not know
//! are kept and written back (rule C6).

use super::dismissals::Dismissals;
use crate::cards::similar::{Fnv, Gist};
use crate::ids::Turn;
use crate::state::{CardOrigin, CardView, Priority};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;

/// What a prompt asks for, as a number: the same under another id, in another order, case, width or punctuation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The fingerprint of a prompt.
    #[must_use]
    pub fn of(prompt: &str) -> Self {
        Self(Gist::of(prompt).fingerprint())
    }

    pub(crate) fn mixed(self, session: &str, turn: Turn, salt: u64) -> u64 {
        let mut hash = Fnv::new();
        hash.write(session.as_bytes());
        hash.write(&turn.get().to_le_bytes());
        hash.write(&self.0.to_le_bytes());
        hash.write(&salt.to_le_bytes());
        hash.finish()
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16)
            .map(Self)
            .map_err(|_| serde::de::Error::custom("a fingerprint is sixteen hexadecimal digits"))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Fingerprint {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Fingerprint".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9a-f]{16}$" })
    }
}

/// What became of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CardState {
    /// It waits for a person.
    #[default]
    Open,
    /// It made room for newer ones, or its time is over.
    Retired,
    /// A person took it for its own session.
    Accepted,
    /// A person gave it to another session.
    Assigned,
    /// A person wants nothing of it, ever.
    Dismissed,
}

/// A card that the voice proposes: a record without identity and history.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewCard {
    /// The short title.
    pub title: String,
    /// Why it is the next useful step.
    pub text: String,
    /// The prompt to send.
    pub prompt: String,
    /// Its category.
    pub category: String,
    /// How urgent it is.
    pub priority: Priority,
    /// Who wrote it.
    pub origin: CardOrigin,
    /// The completed turn that it follows.
    pub turn: Turn,
    /// The files that it names, relative to the workspace.
    pub files: Vec<String>,
}

impl NewCard {
    /// A card of category `follow-up` and middle priority.
    #[must_use]
    pub fn new(title: impl Into<String>, text: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            text: text.into(),
            prompt: prompt.into(),
            category: "follow-up".to_owned(),
            priority: Priority::Medium,
            origin: CardOrigin::Local,
            turn: Turn::default(),
            files: Vec::new(),
        }
    }

    /// Sets the category and the priority.
    #[must_use]
    pub fn with_rank(mut self, category: impl Into<String>, priority: Priority) -> Self {
        self.category = category.into();
        self.priority = priority;
        self
    }

    /// Sets who wrote it and after which completed turn.
    #[must_use]
    pub fn written_by(mut self, origin: CardOrigin, turn: Turn) -> Self {
        self.origin = origin;
        self.turn = turn;
        self
    }

    /// Sets the files that it names.
    #[must_use]
    pub fn about_files(mut self, files: Vec<String>) -> Self {
        self.files = files;
        self
    }
}

/// An idle suggestion: the card with its identity and history. Times are milliseconds on the caller's clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IdleSuggestion {
    /// Its id, unique in the store.
    pub id: String,
    /// The session that it belongs to.
    pub session: String,
    /// The short title.
    pub title: String,
    /// Why it is the next useful step.
    pub text: String,
    /// The prompt to send.
    pub prompt: String,
    /// Its category.
    pub category: String,
    /// How urgent it is.
    pub priority: Priority,
    /// Who wrote it.
    pub origin: CardOrigin,
    /// The completed turn that it follows.
    pub turn: Turn,
    /// The files that it names, relative to the workspace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What its prompt asks for.
    pub fingerprint: Fingerprint,
    /// When it was made.
    pub created_at: u64,
    /// When it last changed.
    pub updated_at: u64,
    /// What became of it.
    #[serde(default)]
    pub state: CardState,
    /// Whether its session, or another one at its files, moved on since.
    #[serde(default)]
    pub stale: bool,
    /// The session that it was given to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assigned_to: Option<String>,
    /// Fields of another version, kept as they are.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

impl IdleSuggestion {
    /// Whether a person can still act on it or at least see it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.state == CardState::Open
    }

    /// Whether it answers an older turn than the session's last completed one, or turned stale otherwise (rule C6).
    #[must_use]
    pub fn is_outdated(&self, last_completed: Option<Turn>) -> bool {
        self.stale || last_completed.is_some_and(|last| last > self.turn)
    }

    /// The card as the people of its session see it.
    #[must_use]
    pub fn view(&self, last_completed: Option<Turn>) -> CardView {
        CardView {
            id: self.id.clone(),
            title: self.title.clone(),
            text: self.text.clone(),
            prompt: self.prompt.clone(),
            category: self.category.clone(),
            priority: self.priority,
            origin: self.origin,
            stale: self.is_outdated(last_completed),
        }
    }
}

/// What a session did, in a few sentences (rule C9). Its follow-ups are words of the summary, never cards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionSummary {
    /// The session.
    pub session: String,
    /// The text.
    pub text: String,
    /// Who wrote it.
    pub origin: CardOrigin,
    /// The completed turn up to which it tells.
    pub turn: Turn,
    /// What the summary says is left to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub follow_ups: Vec<String>,
    /// When it was first made.
    pub created_at: u64,
    /// When it last changed.
    pub updated_at: u64,
    /// Fields of another version, kept as they are.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// A card that is never offered again, by id and by content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dismissal {
    /// The id that it had.
    pub id: String,
    /// What it asked for.
    pub fingerprint: Fingerprint,
    /// When it was dismissed.
    pub at: u64,
    /// Fields of another version, kept as they are.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// How often things happened since the store began.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CardCounts {
    /// Cards that were taken up.
    pub offered: u64,
    /// Cards that a person took.
    pub accepted: u64,
    /// Cards that a person gave to another session.
    pub assigned: u64,
    /// Cards that a person dismissed.
    pub dismissed: u64,
    /// Cards that made room or whose time was over.
    pub retired: u64,
    /// Candidates dropped, by cause.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub dropped: BTreeMap<String, u64>,
}

/// Everything that the manager keeps, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CardBook {
    /// The number of the last snapshot.
    pub seq: u64,
    /// The cards, oldest first.
    pub cards: Vec<IdleSuggestion>,
    /// The summaries, oldest first, one a session.
    pub summaries: Vec<SessionSummary>,
    /// The dismissals, oldest first.
    pub dismissed: Dismissals,
    /// How often things happened.
    pub counts: CardCounts,
    /// Fields of another version, kept as they are.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

impl CardBook {
    /// The `kind` under which a core's book is kept by a store.
    pub const KIND: &'static str = "cards";
}
