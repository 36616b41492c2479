//! What subscribers are told (rule C7).

use super::record::{CardCounts, IdleSuggestion, SessionSummary};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The open cards and the summaries at one moment, bounded by the caps. Of two, the one with the higher number is newer;
/// whoever is slow needs only the newest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snapshot {
    /// Always `suggestion_update`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Rises with every change.
    pub seq: u64,
    /// The one session that it tells of; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The open cards: by session, and within one in the order in which they are drawn.
    pub cards: Vec<IdleSuggestion>,
    /// The summaries.
    pub summaries: Vec<SessionSummary>,
    /// How often things happened.
    pub counts: CardCounts,
}

impl Snapshot {
    /// The name of the event.
    pub const TYPE: &'static str = "suggestion_update";
}

/// The string-only event of older clients: a card's prompt and its session. It is compatibility output; new clients
/// read [`Snapshot`].
#[must_use]
pub fn idle_suggestion_event(card: &IdleSuggestion) -> Value {
    json!({ "type": "idle_suggestion", "session": card.session, "suggestion": card.prompt })
}
