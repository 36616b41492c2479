//! What a person or a program sees of a session. Every value here is a snapshot, cheap to compare.

use crate::answer::OfferKind;
use crate::code::{Coded, DisarmCode, HoldCode, ReasonCode};
use crate::event::GoalPhase;
use crate::ids::{ModelId, OfferId, Revision, Turn};
use serde::{Deserialize, Serialize};

/// The director's status (rule D3): exactly one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The feature does not run here; the reason says why.
    Off,
    /// It runs and has nothing on screen; the reason says why.
    Idle,
    /// A generation is under way.
    Analyzing,
    /// A current offer is on screen.
    Ready,
    /// The last generation failed; the reason says why.
    Failed,
}

/// The whole visible state of one session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The director's status.
    pub status: Status,
    /// Why, for `off`, `idle` and `failed`.
    pub reason: Option<Coded<ReasonCode>>,
    /// The offer on screen.
    pub offer: Option<OfferView>,
    /// The loop.
    pub autorun: AutorunView,
    /// The goal.
    pub goal: Option<GoalStateView>,
    /// The director's model.
    pub model: Option<ModelView>,
    /// What the director's calls used (rule D14).
    pub usage: Usage,
    /// The advisor, where it is configured or was spoken to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advisor: Option<AdvisorView>,
    /// The idle cards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cards: Option<CardsView>,
    /// The session summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<SummaryView>,
}

/// An offer as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OfferView {
    /// Its id.
    pub id: OfferId,
    /// Its text: what is shown and what runs are these bytes (rule D11).
    pub text: String,
    /// The turn that it answers.
    pub turn: Turn,
    /// False for an older offer that is shown after a failure (rule D10).
    pub current: bool,
    /// What kind of step it is (rules G2, D13).
    pub kind: OfferKind,
    /// The model that wrote it (rule D12).
    pub model: ModelId,
}

/// The loop as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AutorunView {
    /// Whether it may start turns.
    pub armed: bool,
    /// Why it starts nothing though armed.
    pub hold: Option<Coded<HoldCode>>,
    /// Rounds spent in the life of the host's process (rule A6).
    pub rounds: u32,
    /// Rounds allowed.
    pub max_rounds: u32,
    /// Why it last disarmed.
    pub disarmed_because: Option<Coded<DisarmCode>>,
}

/// The goal as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GoalStateView {
    /// Its id.
    pub id: String,
    /// Its revision.
    pub revision: Revision,
    /// Its phase.
    pub phase: GoalPhase,
    /// Whether the host's driver will go on with it.
    pub armed: bool,
    /// What is to be reached.
    pub objective: String,
    /// Whether arming the loop paused it; nothing but a person resumes it (rule A5).
    #[serde(default)]
    pub paused_by_autorun: bool,
}

/// The model and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ModelView {
    /// The route.
    pub id: ModelId,
    /// Where it came from.
    pub source: ModelSource,
}

/// Where the model's name came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ModelSource {
    /// The host's or the engine's configuration.
    #[default]
    Config,
    /// A human's `model` command in this session.
    Command,
    /// The command line's built-in default.
    Default,
    /// The command line's configuration file.
    File,
    /// An environment variable.
    Environment,
    /// A command-line flag.
    Flag,
}

impl ModelSource {
    /// Every source.
    pub const ALL: [Self; 6] =
        [Self::Config, Self::Command, Self::Default, Self::File, Self::Environment, Self::Flag];

    /// The source as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Command => "command",
            Self::Default => "default",
            Self::File => "file",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

/// What the calls of one voice used in a session (rule D14). Timed-out, cancelled and dropped calls are in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    /// Calls sent.
    pub calls: u64,
    /// Calls that failed or timed out. One that was cancelled because nobody needed it any more is none of them.
    pub failed_calls: u64,
    /// Tokens read, cached ones included.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Tokens read from the provider's cache.
    pub cached_tokens: u64,
    /// Milliseconds spent in calls.
    pub ms: u64,
}

impl Usage {
    /// What was used since an earlier reading of the same meter.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(earlier.calls),
            failed_calls: self.failed_calls.saturating_sub(earlier.failed_calls),
            input_tokens: self.input_tokens.saturating_sub(earlier.input_tokens),
            output_tokens: self.output_tokens.saturating_sub(earlier.output_tokens),
            cached_tokens: self.cached_tokens.saturating_sub(earlier.cached_tokens),
            ms: self.ms.saturating_sub(earlier.ms),
        }
    }
}

/// The advisor's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AdvisorStatus {
    /// No complete model pair is in force (rule V1).
    #[default]
    Disabled,
    /// Switched off in this session.
    Off,
    /// Waiting for a turn to review.
    Idle,
    /// A review is under way.
    Reviewing,
    /// Stopped by quota or rate limit until `on` (rule V5).
    Paused,
    /// Stopped by a permanent error until `on` (rule V5).
    Halted,
}

/// How grave a note is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// A small matter.
    Nit,
    /// A risk to weigh before going on.
    Concern,
    /// Going on wastes work.
    Blocker,
}

/// The advisor as a person sees it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AdvisorView {
    /// Its status.
    pub status: AdvisorStatus,
    /// Why, for all but `idle` and `reviewing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Coded<String>>,
    /// The reviewer's model: pinned by a command in this session, or the configuration's pair (rules V1, V7).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelView>,
    /// The model that is tried before it is pinned (rule V7).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trying: Option<ModelId>,
    /// Why the last trial pinned nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin_refused: Option<String>,
    /// Whether a review is under way.
    pub in_flight: bool,
    /// Messages that wait for the next review.
    pub backlog: u32,
    /// The blocker that nobody answered yet.
    pub blocker: Option<String>,
    /// Steers since the human last spoke (rule V4).
    pub steers_since_human: u32,
    /// Notes delivered in the session.
    pub delivered: u32,
    /// Replies and messages dropped, by cause; causes that never happened are absent (rule V3).
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub dropped: std::collections::BTreeMap<String, u32>,
    /// The guess of the human's next prompt (rule V8).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prediction: Option<String>,
    /// What the advisor's calls used, predictions included.
    pub usage: Usage,
}

/// The idle cards of one session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CardsView {
    /// Open cards in the order in which they are drawn.
    pub open: Vec<CardView>,
    /// Candidates dropped, by cause.
    pub dropped: std::collections::BTreeMap<String, u32>,
    /// Whether a generation is under way.
    pub in_flight: bool,
    /// Why the configured model did not write the newest cards, so that the facts had to (rules C5, P1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Coded<ReasonCode>>,
    /// What the cards' calls used.
    pub usage: Usage,
}

/// One open card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CardView {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Why it is the next useful step.
    pub text: String,
    /// The prompt to send.
    pub prompt: String,
    /// Its category.
    pub category: String,
    /// Its priority.
    pub priority: Priority,
    /// Who wrote it.
    pub origin: CardOrigin,
    /// Whether the session moved on since.
    pub stale: bool,
}

/// How urgent a card is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Can wait.
    Low,
    /// Useful.
    Medium,
    /// Do this first.
    High,
}

/// Who wrote a card or a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CardOrigin {
    /// The configured model.
    Model,
    /// The deterministic fallback.
    Local,
}

/// The summary of one session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SummaryView {
    /// Its text.
    pub text: Option<String>,
    /// Who wrote it.
    pub origin: Option<CardOrigin>,
    /// Whether a call is under way.
    pub in_flight: bool,
    /// Why the configured model did not write the newest summary, so that the facts had to (rules C9, P1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Coded<ReasonCode>>,
    /// What the summary's calls used.
    pub usage: Usage,
}
