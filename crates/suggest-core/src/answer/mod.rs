//! The answer protocol.

/// What kind of step an offer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OfferKind {
    /// An ordinary prompt.
    Prompt,
    /// Changes the goal.
    GoalEdit,
    /// Runs a command.
    Command,
    /// Cannot be undone.
    Destructive,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReplyFinish {
    /// By itself.
    Stop,
    /// At the output limit.
    Length,
    /// To call tools.
    ToolCalls,
    /// Anything else.
    Other,
}
