//! What the plugin says: parameters of its requests and notifications, and its answers.

use serde::Deserialize;
use serde_json::Value;
use suggest_core::ErrorKind;

/// Parameters of the request `hello`, the first message.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct HelloParams {
    /// The protocol that the plugin speaks.
    pub(crate) protocol: u64,
    /// The plugin.
    #[serde(default)]
    pub(crate) plugin: Named,
    /// The host.
    #[serde(default)]
    pub(crate) host: Named,
    /// The plugin's row of the host's configuration, as it stands there.
    #[serde(default)]
    pub(crate) config: Value,
    /// The host's home folder; otherwise the environment's `DSH_HOME`, or `.dsh` in the person's home.
    #[serde(default)]
    pub(crate) home: Option<String>,
}

/// A program and its version.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Named {
    /// Its name.
    #[serde(default)]
    pub(crate) name: String,
    /// Its version.
    #[serde(default)]
    pub(crate) version: Option<String>,
}

/// Parameters of `session/open`: a session begins to be watched. Its past follows in `session/history`, then
/// `session/ready`. An open session that is opened again begins anew.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenParams {
    /// The session's id.
    pub(crate) session: String,
    /// The header of the session, as the host has it.
    #[serde(default)]
    pub(crate) header: Value,
    /// Whether it is a root agent.
    #[serde(default)]
    pub(crate) root: bool,
    /// Whether a web server is there, and with it a person.
    #[serde(default)]
    pub(crate) web: bool,
    /// Whether the advisor, and nobody else, may speak in a session without a page: the host opts it in by name, with a
    /// configured pair or a command of the person (rule D12).
    #[serde(default)]
    pub(crate) advisor_only: bool,
    /// Whether the agent works now.
    #[serde(default)]
    pub(crate) status: AgentStatus,
    /// The host's view of the goal, with its activation; null: there is none.
    #[serde(default)]
    pub(crate) goal: Option<Value>,
    /// What waits in the queue.
    #[serde(default)]
    pub(crate) inbox: Waiting,
    /// How many pieces of human input the plugin has counted.
    #[serde(default)]
    pub(crate) human_epoch: u64,
    /// Rounds spent in the life of the host's process (rule A6).
    #[serde(default)]
    pub(crate) spent_rounds: u32,
    /// The number of the next offer (rule D11).
    #[serde(default = "one")]
    pub(crate) next_offer: u64,
    /// The number of the next submission (rule D11).
    #[serde(default = "one")]
    pub(crate) next_ticket: u64,
    /// Whether the session was loaded from a log.
    #[serde(default)]
    #[expect(dead_code, reason = "its history says the same; it is part of the protocol")]
    pub(crate) resumed: bool,
}

fn one() -> u64 {
    1
}

/// Whether the agent works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum AgentStatus {
    /// It waits for a prompt.
    #[default]
    Idle,
    /// It works.
    Running,
}

/// How many messages wait in the host's queue.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Waiting {
    /// Of the human.
    #[serde(default)]
    pub(crate) human: u32,
    /// Of anybody else.
    #[serde(default)]
    pub(crate) other: u32,
}

/// Parameters of `session/history`: events of the past, oldest first, in as many chunks as it takes.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct HistoryParams {
    /// The session's id.
    pub(crate) session: String,
    /// Events as the host's log has them.
    #[serde(default)]
    pub(crate) events: Vec<Value>,
}

/// Parameters of `session/ready` (the past is told, the session is live) and `session/closed` (it is gone).
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct SessionParams {
    /// The session's id.
    pub(crate) session: String,
}

/// Parameters of `session/event`: an event was appended to the log just now.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct EventParams {
    /// The session's id.
    pub(crate) session: String,
    /// The event as the host's log has it.
    pub(crate) event: Value,
}

/// Parameters of `session/status`: the agent became idle or busy.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct StatusParams {
    /// The session's id.
    pub(crate) session: String,
    /// Whether it works now.
    pub(crate) status: AgentStatus,
    /// The host's view of the goal at this moment; null: there is none; absent: not known.
    #[serde(default, deserialize_with = "present")]
    pub(crate) goal: Option<Value>,
    /// What waits in the queue; absent: not known.
    #[serde(default)]
    pub(crate) inbox: Option<Waiting>,
    /// How many pieces of human input the plugin has counted.
    #[serde(default)]
    pub(crate) human_epoch: u64,
}

/// Parameters of `session/inbox`: a message entered or left the queue.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct InboxParams {
    /// The session's id.
    pub(crate) session: String,
    /// What happened to it.
    pub(crate) kind: InboxKind,
    /// The message's id.
    #[serde(default)]
    #[expect(dead_code, reason = "the log's splices tell the same; it is part of the protocol")]
    pub(crate) id: Option<String>,
    /// Who wrote it, as the host has it.
    #[serde(default)]
    pub(crate) source: Value,
    /// The queue: `next-turn` or `next-step`.
    #[serde(default)]
    #[expect(dead_code, reason = "the log's splices tell the same; it is part of the protocol")]
    pub(crate) target: Option<String>,
    /// How many pieces of human input the plugin has counted.
    #[serde(default)]
    pub(crate) human_epoch: u64,
    /// How many messages of the human wait now.
    #[serde(default)]
    pub(crate) human: u32,
}

/// What happened to a message of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum InboxKind {
    /// It entered the queue.
    Inserted,
    /// A turn or step took it.
    Claimed,
    /// It was taken back.
    Discarded,
}

/// Parameters of `session/goal`: the host's view of the goal after a change, with its activation.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct GoalParams {
    /// The session's id.
    pub(crate) session: String,
    /// The goal; null: there is none.
    #[serde(default)]
    pub(crate) goal: Option<Value>,
}

/// Parameters of `session/asking`: a question or permission dialog opened or closed.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AskingParams {
    /// The session's id.
    pub(crate) session: String,
    /// Whether one is open.
    pub(crate) open: bool,
}

/// Parameters of `session/chapter`: another plugin of the host divides the session into chapters, and this is one.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ChapterParams {
    /// The session's id.
    pub(crate) session: String,
    /// The number of the log's last event that it covers; one with the same number takes its place.
    pub(crate) number: u64,
    /// Its title.
    #[serde(default)]
    pub(crate) title: String,
    /// What happened in it.
    #[serde(default)]
    pub(crate) summary: String,
}

/// Parameters of the request `command`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct CommandParams {
    /// The session's id.
    pub(crate) session: String,
    /// What the human wrote behind `/suggest`; for `/advisor` and the cards with that word in front.
    pub(crate) line: String,
}

/// Parameters of `config`: the plugin's row changed; and of the request `config/check`: would this row be right?
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ConfigParams {
    /// The row as it stands now.
    #[serde(default)]
    pub(crate) config: Value,
}

/// The answer to `submit` (rule A3).
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct SubmitResult {
    /// Whether everything expected held and the message was given to the host.
    pub(crate) accepted: bool,
    /// Why not: `gone`, `busy`, `stale-turn`, `human`, `goal-owns`, `goal-moved`, or a line for people.
    #[serde(default)]
    pub(crate) reason: Option<String>,
    /// The id of the message that was given to the host.
    #[serde(default)]
    #[expect(dead_code, reason = "for the plugin's own records; it is part of the protocol")]
    pub(crate) message_id: Option<String>,
}

/// The answer to `withdraw`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct WithdrawResult {
    /// Whether the message was still in the queue and is gone now.
    #[serde(default)]
    pub(crate) withdrawn: bool,
}

/// The answer to `goal/pause`, `inject`, `steer` and `input/fill`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct DoneResult {
    /// Whether it was done.
    pub(crate) ok: bool,
    /// Why not.
    #[serde(default)]
    pub(crate) reason: Option<String>,
}

/// The answer to `model/complete`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct CompleteResult {
    /// The answer's text, without reasoning.
    pub(crate) text: String,
    /// Why the model stopped: `stop`, `length`, `content_filter`, `tool_calls` or another word.
    #[serde(default)]
    pub(crate) finish: Option<String>,
    /// Whether the model reasoned.
    #[serde(default)]
    pub(crate) reasoning: bool,
    /// What the call used, as far as the host told.
    #[serde(default)]
    pub(crate) usage: CompleteUsage,
}

/// Tokens of one call; absent: not told (rule L6).
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct CompleteUsage {
    /// Tokens read, cached ones included.
    #[serde(default)]
    pub(crate) input_tokens: Option<u64>,
    /// Tokens read from the provider's cache.
    #[serde(default)]
    pub(crate) cached_tokens: Option<u64>,
    /// Tokens written, reasoning included.
    #[serde(default)]
    pub(crate) output_tokens: Option<u64>,
    /// Tokens of reasoning.
    #[serde(default)]
    pub(crate) reasoning_tokens: Option<u64>,
}

/// The `data` of an error that answers `model/complete` or `model/info` (rule L3).
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallFailure {
    /// What a caller does about it.
    pub(crate) kind: ErrorKind,
    /// The host's own code, in capitals: `UNKNOWN_MODEL`.
    #[serde(default)]
    pub(crate) code: Option<String>,
    /// The HTTP status, where there was one.
    #[serde(default)]
    pub(crate) status: Option<u16>,
    /// How long the server asked to wait, in milliseconds.
    #[serde(default)]
    pub(crate) retry_after_ms: Option<u64>,
}

/// The answer to `model/info`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct InfoResult {
    /// The reasoning efforts that the model declares.
    #[serde(default)]
    pub(crate) efforts: Vec<String>,
    /// The one that it uses by itself.
    #[serde(default)]
    #[expect(dead_code, reason = "nothing depends on it yet; it is part of the protocol")]
    pub(crate) default_effort: Option<String>,
}

/// Tells a null from an absent field.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
