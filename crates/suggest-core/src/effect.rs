//! What the core asks its driver to do.

use crate::code::{Coded, DisarmCode};
use crate::ids::{CallId, ModelId, OfferId, Revision, Ticket, Timestamp, Turn};
use crate::state::Usage;
use serde::{Deserialize, Serialize};

/// One thing for the driver to do, in the order given. Exhaustive on purpose: a driver must handle each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Effect {
    /// Ask a model. Tell the core with [`Input::CallSent`](crate::Input::CallSent) when the request leaves,
    /// and answer with a reply or an error that carries `call`.
    CallModel(ModelCall),
    /// Give up a call: nobody waits for its reply any more.
    CancelCall {
        /// The call to give up.
        call: CallId,
    },
    /// Start a turn, if what it expects still holds: compare and submit in one step, and answer (rule A3).
    SubmitTurn(Submission),
    /// Take a submission back, if it has not started (rule A3).
    WithdrawTurn {
        /// The submission to take back.
        ticket: Ticket,
    },
    /// Take the next turn away from the goal's own driver, by the mildest means that the human can see (rule A2).
    DisarmGoal {
        /// The goal's id.
        id: String,
        /// The revision that the core knows of.
        revision: Revision,
    },
    /// Put a note of the advisor into the session without waking it (rule V4).
    Inject {
        /// The note, with its mark.
        text: String,
    },
    /// Put a note of the advisor into the session and have the worker read it now (rule V4).
    Steer {
        /// The note, with its mark.
        text: String,
        /// Whether the session is idle, so that the note starts a turn.
        wakes: bool,
    },
    /// Put a text into the human's input, for the human to send (rule D13).
    FillInput {
        /// The text.
        text: String,
    },
    /// A loop ended (rule A9).
    Report(LoopReport),
    /// Something that subscribers are told.
    Publish {
        /// The event, as subscribers get it.
        event: serde_json::Value,
    },
    /// Something that must outlive the process.
    Persist {
        /// What changed.
        what: serde_json::Value,
    },
    /// The next moment at which the core wants [`Input::Tick`](crate::Input::Tick); it replaces earlier ones.
    WakeAt {
        /// The moment.
        at: Timestamp,
    },
}

/// A model call to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelCall {
    /// The number of the call.
    pub call: CallId,
    /// Who asks.
    pub voice: Voice,
    /// 1, or 2 for the retry of rule D8.
    pub attempt: u8,
    /// The model to ask.
    pub model: ModelId,
    /// The conversation to send. The first message never changes from call to call (rule L7).
    pub messages: Vec<PromptMessage>,
    /// How many milliseconds the call may take from the moment when it is sent.
    pub deadline_ms: u64,
}

/// Which voice speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Voice {
    /// The next prompt.
    Director,
    /// The review note.
    Advisor,
    /// The advisor's guess of the human's next prompt (rule V8).
    Prediction,
    /// The idle suggestions.
    Cards,
    /// The session summary.
    Summary,
}

impl Voice {
    /// Every voice.
    pub const ALL: [Self; 5] = [Self::Director, Self::Advisor, Self::Prediction, Self::Cards, Self::Summary];
}

/// The role of a prompt message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PromptRole {
    /// The rules.
    System,
    /// What the model reads.
    User,
    /// What the model said before.
    Assistant,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PromptMessage {
    /// Its role.
    pub role: PromptRole,
    /// Its text.
    pub text: String,
}

/// A turn to start, with what it expects of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Submission {
    /// The number that comes back with the answer.
    pub ticket: Ticket,
    /// The offer that runs.
    pub offer: OfferId,
    /// Its text, byte for byte what was on screen (rule D11).
    pub text: String,
    /// In whose name.
    pub author: SubmitAuthor,
    /// What must still hold when the host starts the turn.
    pub expect: Expectation,
}

/// In whose name a turn is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SubmitAuthor {
    /// The human pressed Run.
    Human,
    /// The loop.
    Suggest,
}

/// What a submission expects of the session; the host compares and submits in one step (rule A3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Expectation {
    /// The last turn that ended.
    pub turn: Option<Turn>,
    /// The goal, where there is one.
    pub goal: Option<GoalRef>,
    /// How many pieces of human input the core has seen: one for each message of the human, and one for each prompt by
    /// which the queue grew. A host that counts its own the same way compares two numbers.
    pub human_epoch: u64,
}

/// A goal at a revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GoalRef {
    /// The goal's id.
    pub id: String,
    /// Its revision.
    pub revision: Revision,
}

/// What a loop did (rule A9).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoopReport {
    /// Why it ended.
    pub reason: Coded<DisarmCode>,
    /// How many rounds it started since it was armed.
    pub rounds: u32,
    /// The offers that it ran, oldest first; the newest hundred.
    pub offers: Vec<RanOffer>,
    /// What the director's calls used since the loop was armed.
    pub usage: Usage,
    /// Whether arming paused a goal that is still paused: nothing resumes it by itself (rule A5).
    pub goal_paused: bool,
}

/// An offer that the loop ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RanOffer {
    /// Its id.
    pub id: OfferId,
    /// The turn that it answered.
    pub turn: Turn,
    /// Its text.
    pub text: String,
}
