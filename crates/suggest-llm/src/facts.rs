use std::fmt;

use serde::{Deserialize, Serialize};

/// What is known about a session, as plain data, for the local provider.
///
/// Nothing of it is sent anywhere. Lists are bounded by whoever fills them; the newest entry stands last.
///
/// `Debug` shows counts, not text (rule P3).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// The goal that the next step must advance. `None` when there is none that counts (rule G1).
    pub goal: Option<GoalFact>,
    /// The worker's plan, in its order.
    pub plan: Vec<PlanItem>,
    /// Tool runs, newest last.
    pub tools: Vec<ToolFact>,
    /// Files that the session changed, relative to the workspace, newest last.
    pub touched_files: Vec<String>,
    /// The newest prompt of a human.
    pub last_human: Option<String>,
    /// The newest answer of the worker.
    pub last_assistant: Option<String>,
    /// Earlier prompts of humans, without [`Facts::last_human`], newest last.
    pub earlier_humans: Vec<String>,
    /// Turns that ended with reason `completed`.
    pub completed_turns: u32,
    /// The turn that the facts belong to: the last one that was started.
    pub current_turn: u32,
    /// Most characters that the answer's line may have, its label included. 240 by default.
    pub max_chars: usize,
}

impl Default for Facts {
    fn default() -> Self {
        Self {
            goal: None,
            plan: Vec::new(),
            tools: Vec::new(),
            touched_files: Vec::new(),
            last_human: None,
            last_assistant: None,
            earlier_humans: Vec::new(),
            completed_turns: 0,
            current_turn: 0,
            max_chars: 240,
        }
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Facts")
            .field("goal", &self.goal.as_ref().map(|goal| goal.phase))
            .field("plan", &self.plan.len())
            .field("tools", &self.tools.len())
            .field("touched_files", &self.touched_files.len())
            .field("completed_turns", &self.completed_turns)
            .field("current_turn", &self.current_turn)
            .field("max_chars", &self.max_chars)
            .finish_non_exhaustive()
    }
}

/// The session's goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalFact {
    /// What is to be reached, in the human's words.
    pub objective: String,
    /// Where it stands. A goal that is paused only because the loop was armed counts as active: say so here.
    pub phase: GoalPhase,
}

/// Where a goal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalPhase {
    /// Being worked on.
    Active,
    /// Put aside by a human.
    Paused,
    /// Cannot go on by itself.
    Blocked,
    /// Reached.
    Complete,
}

/// One item of the worker's plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanItem {
    /// What is to be done, in the worker's words.
    pub text: String,
    /// How far it is.
    pub status: PlanStatus,
}

/// How far a plan item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// Not begun.
    Pending,
    /// Begun.
    InProgress,
    /// Done.
    Completed,
}

/// One run of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFact {
    /// The tool's name.
    pub name: String,
    /// A few lines of what it did or printed, where the host gives them.
    #[serde(default)]
    pub summary: Option<String>,
    /// Files that it touched, relative to the workspace.
    #[serde(default)]
    pub files: Vec<String>,
    /// Whether it succeeded; `None` when the host does not say.
    #[serde(default)]
    pub ok: Option<bool>,
    /// The turn in which it ran.
    #[serde(default)]
    pub turn: u32,
}
