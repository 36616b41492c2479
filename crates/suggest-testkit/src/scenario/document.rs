//! The scenario document as it is written. These types exist at the edge only; [`super::Scenario`] is what is played.

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use suggest_core::{ErrorKind, SessionKind, Voice};

/// A scripted session: what the host, the human and the models do, and what the core must answer.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Scenario"))]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    /// The schema that an editor checks the document with; not read.
    #[serde(rename = "$schema", default)]
    #[expect(dead_code, reason = "it is for editors")]
    schema: Option<String>,
    /// Configuration keys that differ from the defaults.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Map<String, Value>>"))]
    pub(super) config: Option<Value>,
    /// The one session.
    #[serde(default)]
    pub(super) session: Option<SessionFields>,
    /// Several sessions, in place of `session`; each step then names its session.
    #[serde(default)]
    pub(super) sessions: Option<Vec<SessionFields>>,
    /// What happened before, oldest first.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<suggest_core::Event>"))]
    pub(super) history: Vec<Value>,
    /// What happens now, in order.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<StepFields>"))]
    pub(super) steps: Vec<Value>,
}

/// One session.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ScenarioSession"))]
#[serde(deny_unknown_fields)]
pub(super) struct SessionFields {
    /// The host's id of the session; empty or null: it has none.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub(super) id: Option<Option<String>>,
    /// Its kind.
    #[serde(default)]
    pub(super) kind: SessionKind,
    /// Whether the host opts in for a headless or subagent session.
    #[serde(default)]
    pub(super) opt_in: bool,
    /// The folder that the session works in.
    #[serde(default)]
    pub(super) cwd: Option<String>,
    /// The person's home folder.
    #[serde(default)]
    pub(super) home: Option<String>,
}

/// One step: at most one act, at a time, in a session.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ScenarioStep"))]
#[serde(deny_unknown_fields)]
pub(super) struct StepFields {
    /// The virtual time in milliseconds; it never falls.
    #[serde(default)]
    pub(super) at: Option<u64>,
    /// The session, where the scenario has several.
    #[serde(default)]
    pub(super) session: Option<String>,
    /// A live event of the host.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<suggest_core::Event>"))]
    pub(super) event: Option<Value>,
    /// An event of the past.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<suggest_core::Event>"))]
    pub(super) history_event: Option<Value>,
    /// What the human does, as in the command reference.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub(super) command: Option<Value>,
    /// A model's reply.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<ReplyFields>"))]
    pub(super) reply: Option<Value>,
    /// A model call that fails.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<ErrorFields>"))]
    pub(super) error: Option<Value>,
    /// The host's answer to a submission.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<SubmitResultFields>"))]
    pub(super) submit_result: Option<Value>,
    /// Configuration keys that change.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Map<String, Value>>"))]
    pub(super) config: Option<Value>,
    /// The host starts again: `true` or an empty object.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>"))]
    pub(super) restart: Option<Value>,
    /// What the nearest earlier line must hold.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Map<String, Value>>"))]
    pub(super) expect: Option<Value>,
}

/// A scripted reply.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ScenarioReply"))]
#[serde(deny_unknown_fields)]
pub(super) struct ReplyFields {
    /// The text of the answer.
    pub(super) text: String,
    /// Why the model stopped: `stop`, `length`, `tool_calls`, `content_filter` or another word.
    #[serde(default)]
    pub(super) finish: Option<String>,
    /// The reasoning, or whether there was any.
    #[serde(default)]
    pub(super) reasoning: Option<Reasoning>,
    /// What the call used.
    #[serde(default)]
    pub(super) usage: Option<UsageFields>,
    /// Whose call is answered; the director's when absent.
    #[serde(default)]
    pub(super) voice: Option<Voice>,
    /// Which call is answered; the oldest outstanding one of the voice when absent.
    #[serde(default)]
    pub(super) call: Option<u64>,
}

/// The reasoning of a reply. Its text never enters the core.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ScenarioReasoning"))]
#[serde(untagged, expecting = "a text or true or false")]
pub(super) enum Reasoning {
    /// Whether there was any.
    Flag(bool),
    /// What it was.
    Text(String),
}

/// Tokens that a scripted call used.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ScenarioUsage"))]
#[serde(default, deny_unknown_fields)]
pub(super) struct UsageFields {
    /// Tokens read, cached ones included.
    pub(super) input_tokens: Option<u64>,
    /// Tokens written, reasoning included.
    pub(super) output_tokens: Option<u64>,
    /// Tokens read from the provider's cache.
    pub(super) cached_tokens: Option<u64>,
    /// Tokens of reasoning.
    pub(super) reasoning_tokens: Option<u64>,
}

/// A scripted failure.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ScenarioFailure"))]
#[serde(deny_unknown_fields)]
pub(super) struct ErrorFields {
    /// The kind (rule L3).
    pub(super) kind: ErrorKind,
    /// One line for people.
    #[serde(default)]
    pub(super) message: Option<String>,
    /// How long the server asked to wait, in milliseconds.
    #[serde(default)]
    pub(super) retry_after_ms: Option<u64>,
    /// Whose call fails; the director's when absent.
    #[serde(default)]
    pub(super) voice: Option<Voice>,
    /// Which call fails; the oldest outstanding one of the voice when absent.
    #[serde(default)]
    pub(super) call: Option<u64>,
}

/// The host's answer to a submission.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ScenarioSubmitResult"))]
#[serde(deny_unknown_fields)]
pub(super) struct SubmitResultFields {
    /// Whether the turn will start.
    pub(super) accepted: bool,
    /// Why not.
    #[serde(default)]
    pub(super) reason: Option<String>,
    /// Which submission is answered; the oldest unanswered one when absent.
    #[serde(default)]
    pub(super) ticket: Option<u64>,
}

/// Tells a field that is `null` from one that is absent.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
