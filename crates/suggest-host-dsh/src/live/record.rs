//! One thing that a plugin inside the host observed.

use serde::Deserialize;
use serde_json::Value;

/// One thing that a plugin inside the host observed about one session, in the order of its callbacks.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind")]
#[non_exhaustive]
pub enum LiveRecord {
    /// An event was appended to the session's log.
    #[serde(rename = "session/event")]
    SessionEvent {
        /// The event as the log holds it.
        event: Value,
    },
    /// The agent became idle or busy.
    #[serde(rename = "agent/status")]
    Status {
        /// `idle` or `running`.
        status: String,
        /// How many messages wait, where the plugin told.
        #[serde(default)]
        pending: Option<PendingSizes>,
        /// The host's view of the goal at this moment; null says that there is none, absence says nothing.
        #[serde(default, deserialize_with = "present")]
        goal: Option<Value>,
    },
    /// A goal changed.
    #[serde(rename = "goal/changed")]
    GoalChanged {
        /// `{operation, ref, goal?}`; the goal has its activation.
        change: Value,
    },
    /// What the plugin knows of the session when it begins to watch it.
    #[serde(rename = "session-kind", rename_all = "camelCase")]
    SessionKind {
        /// Whether it is a root agent.
        #[serde(default)]
        root: bool,
        /// Whether a web server is there, and with it a person.
        #[serde(default)]
        web: bool,
        /// The header's origin.
        #[serde(default)]
        origin: Option<String>,
        /// The header's delegation depth.
        #[serde(default)]
        depth: Option<u64>,
    },
    /// The agent is gone.
    #[serde(rename = "agent/disposed")]
    Disposed,
    /// Anything else. The queue's notifications are among it: the splices in the log tell the same, once.
    #[serde(other)]
    Other,
}

/// How many messages wait in the host's queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub struct PendingSizes {
    /// For a turn of their own.
    #[serde(default)]
    pub turn: u64,
    /// For the next step of the running turn.
    #[serde(default)]
    pub step: u64,
}

/// Tells a null from an absent field.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
