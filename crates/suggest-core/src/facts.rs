//! The facts of a session as plain data, for providers and fallbacks that work without a language model.

use crate::event::{GoalPhase, PlanItem};
use crate::ids::Turn;
use serde::{Deserialize, Serialize};

/// What is known of a session, bounded: folded from events, never from the text of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionFacts {
    /// The goal's objective and phase.
    pub goal: Option<(String, GoalPhase)>,
    /// The worker's plan as it stands.
    pub plan: Vec<PlanItem>,
    /// The newest tool calls, oldest first.
    pub tools: Vec<ToolFact>,
    /// The files that tools touched, newest last, each once, relative to the workspace.
    pub touched_files: Vec<String>,
    /// The newest messages, oldest first.
    pub messages: Vec<MessageFact>,
    /// The newest human prompts, oldest first, at most three.
    pub recent_human: Vec<String>,
    /// The last turn that completed.
    pub last_completed_turn: Option<Turn>,
    /// How many turns completed.
    pub completed_turns: u64,
    /// The most characters of an answer.
    pub max_chars: u32,
}

/// One tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFact {
    /// The turn in which it ran.
    pub turn: Turn,
    /// Its name.
    pub name: String,
    /// What it did, scrubbed and bounded.
    pub summary: Option<String>,
    /// The files that it touched, relative to the workspace.
    pub files: Vec<String>,
    /// Whether it succeeded.
    pub ok: Option<bool>,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageFact {
    /// The turn that it belongs to.
    pub turn: Turn,
    /// Who wrote it.
    pub author: crate::event::Author,
    /// Its text, scrubbed and bounded.
    pub text: String,
}
