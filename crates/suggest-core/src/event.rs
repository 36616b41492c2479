//! What hosts tell the core: host-neutral events of one session.

use crate::ids::{Revision, Turn};
use serde::{Deserialize, Serialize};

/// One host-neutral event of a session. Adapters translate; the core knows no host.
///
/// Live events trigger, arm and count; the same events fed as history only fold (rule D15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// A turn begins.
    TurnStarted {
        /// Its number; it rises in a session.
        turn: Turn,
        /// Who started it, where the host knows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
    },
    /// A turn is over.
    TurnEnded {
        /// Its number.
        turn: Turn,
        /// How it ended.
        reason: EndReason,
    },
    /// The session waits for a prompt: nothing runs and nothing is queued.
    Idle,
    /// The session works.
    Busy,
    /// How many prompts of the human wait in the host's queue.
    HumanQueued {
        /// The number of waiting prompts.
        count: u32,
    },
    /// A question or permission dialog opened or closed.
    Asking {
        /// Whether one waits for the human now.
        open: bool,
    },
    /// The conversation was rewritten: compaction, rewind or clear (rule S7).
    HistoryRewritten,
    /// The session is over.
    Closed,
    /// A message of the conversation, or one that a host or plugin put into it.
    Message(Message),
    /// A tool ran. For activity and file hints only, never in the director's slice (rule S1).
    Tool(Tool),
    /// The worker's plan, whole, as it stands now.
    Plan {
        /// Its items in order.
        items: Vec<PlanItem>,
    },
    /// A summary of an earlier part of the session.
    Chapter(Chapter),
    /// The session's goal as it stands now.
    Goal(Goal),
    /// The goal was removed.
    GoalCleared {
        /// The id that it had.
        id: String,
    },
}

impl Event {
    /// Every `type` of an event, as it is written.
    pub const TYPES: [&str; 14] = [
        "turn_started",
        "turn_ended",
        "idle",
        "busy",
        "human_queued",
        "asking",
        "history_rewritten",
        "closed",
        "message",
        "tool",
        "plan",
        "chapter",
        "goal",
        "goal_cleared",
    ];
}

/// Who started a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The human's own prompt.
    Human,
    /// A round of autorun.
    Suggest,
    /// A round of the host's goal driver.
    Goal,
    /// A waking note of the advisor.
    Advisor,
    /// Anything else, such as a settled subagent.
    Other,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The worker finished.
    Completed,
    /// Somebody stopped it.
    Aborted,
    /// The worker's model or the host failed.
    Failed,
    /// The host refused to run it.
    Blocked,
    /// The output limit cut it.
    Limited,
    /// The host died in the middle.
    Interrupted,
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The person, and nobody in the person's name.
    Human,
    /// The worker.
    Assistant,
    /// A round of the host's goal driver.
    Goal,
    /// A round that autorun started (rule A7).
    Suggest,
    /// A note of the advisor.
    Advisor,
    /// Another plugin.
    Plugin,
    /// Context that the host injected.
    Host,
    /// The result of a command.
    Command,
    /// A notice of the host.
    Notice,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Who wrote it.
    pub author: Author,
    /// Its text, as the host has it; the core defuses and scrubs it (rule S4).
    pub text: String,
    /// The host's id of the message. A second message with an id that was seen lately is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The plugin that produced it, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub producer: Option<String>,
}

impl Message {
    /// A message with an author and a text, without id and producer.
    #[must_use]
    pub fn new(author: Author, text: impl Into<String>) -> Self {
        Self { author, text: text.into(), id: None, producer: None }
    }
}

/// One finished tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The tool's name.
    pub name: String,
    /// What it did, in one line: the command it ran, say, and the tail of what that printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The files that it read or changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Whether it succeeded, where the host knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
}

/// One item of the worker's plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlanItem {
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub status: PlanStatus,
}

/// How far a plan item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// Not begun.
    Pending,
    /// Under way.
    InProgress,
    /// Done.
    Completed,
}

/// A summary of an earlier part of the session: a registry's chapter, or a compaction's summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Chapter {
    /// Its number; a later chapter with the same number replaces it.
    pub number: u64,
    /// Its title; may be empty.
    #[serde(default)]
    pub title: String,
    /// What happened in it.
    #[serde(default)]
    pub summary: String,
}

/// A goal of the host, as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// The host's id of it.
    pub id: String,
    /// How often it was changed.
    pub revision: Revision,
    /// Its phase.
    pub phase: GoalPhase,
    /// Whether the host's own driver will start the next turn for it. Only an active goal can be armed.
    #[serde(default)]
    pub armed: bool,
    /// What is to be reached.
    pub objective: String,
}

impl Goal {
    /// Whether the host's goal driver owns the boundary (rule A4).
    #[must_use]
    pub fn owns_boundary(&self) -> bool {
        self.phase == GoalPhase::Active && self.armed
    }
}

/// The phase of a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GoalPhase {
    /// It is being worked on.
    Active,
    /// Somebody paused it.
    Paused,
    /// It cannot go on without help.
    Blocked,
    /// It is reached.
    Complete,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_types_is_whole() {
        // What is read, the reader says when it is given something else.
        let error =
            serde_json::from_value::<Event>(serde_json::json!({ "type": "?" })).unwrap_err().to_string();
        let known: Vec<&str> = error.split('`').skip(3).step_by(2).collect();
        assert_eq!(Event::TYPES.to_vec(), known, "{error}");
    }
}
