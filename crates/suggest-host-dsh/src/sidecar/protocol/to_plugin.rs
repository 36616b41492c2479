//! What the sidecar says: its answers, and parameters of its requests and notifications.

use serde::Serialize;
use suggest_core::{GoalRef, LoopReport, OfferId, Revision, State, SubmitAuthor, Ticket, Turn};

/// The answer to `hello`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct HelloResult {
    /// The protocol that the sidecar speaks.
    pub(crate) protocol: u64,
    /// The product's name.
    pub(crate) product: &'static str,
    /// Its version.
    pub(crate) version: &'static str,
    /// Why everything is off, when the configuration is wrong; null: it is right.
    pub(crate) off: Option<Off>,
}

/// Why everything is off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Off {
    /// `bad-config`.
    pub(crate) code: &'static str,
    /// One line for people: what is wrong and what is allowed.
    pub(crate) message: String,
}

/// The answer to `config/check`: what is wrong with a row, which changes nothing.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct CheckResult {
    /// What would be off, and why; null: the row is right.
    pub(crate) off: Option<Off>,
}

/// The answer to `command`.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct CommandResult {
    /// What to print.
    pub(crate) text: String,
    /// How it ended: `ok`, or why it was refused. `unlinked`: the session is not watched.
    pub(crate) code: &'static str,
}

/// Parameters of `state`: what a person sees of a session, after each change. Only the newest counts.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct StateParams<'a> {
    /// The session's id.
    pub(crate) session: &'a str,
    /// Rises with every state of this process.
    pub(crate) seq: u64,
    /// The state.
    pub(crate) state: &'a State,
    /// The same as a printed block.
    pub(crate) block: String,
    /// The same in one line.
    pub(crate) line: String,
    /// To be kept beyond this process, and given back by `session/open` (rule D11).
    pub(crate) next_offer: u64,
    /// Likewise.
    pub(crate) next_ticket: u64,
    /// Likewise, for the life of the host's process (rule A6).
    pub(crate) spent_rounds: u32,
}

/// Parameters of the request `submit`: start a turn, if all of this still holds (rule A3).
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct SubmitParams<'a> {
    /// The session's id.
    pub(crate) session: &'a str,
    /// The submission's number.
    pub(crate) ticket: Ticket,
    /// The offer that runs.
    pub(crate) offer: OfferId,
    /// Its text, byte for byte what was on screen.
    pub(crate) text: &'a str,
    /// In whose name.
    pub(crate) author: SubmitAuthor,
    /// What must still hold.
    pub(crate) expect: Expect<'a>,
}

/// What a submission expects.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Expect<'a> {
    /// The last turn that ended; null: none.
    pub(crate) turn: Option<Turn>,
    /// The goal; null: none.
    pub(crate) goal: Option<&'a GoalRef>,
    /// The plugin's own count of human input that the decision knew of.
    pub(crate) human_epoch: u64,
}

/// Parameters of the request `withdraw`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct WithdrawParams<'a> {
    /// The session's id.
    pub(crate) session: &'a str,
    /// The submission's number.
    pub(crate) ticket: Ticket,
}

/// Parameters of the request `goal/pause` (rule A2).
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PauseParams<'a> {
    /// The session's id.
    pub(crate) session: &'a str,
    /// The goal's id.
    pub(crate) id: &'a str,
    /// The revision that is known here.
    pub(crate) revision: Revision,
}

/// Parameters of the requests `inject` and `steer`: a note of the producer `advisor` (rule V4).
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct NoteParams<'a> {
    /// The session's id.
    pub(crate) session: &'a str,
    /// The note.
    pub(crate) text: &'a str,
    /// The note in at most 120 characters, for the host's one-line row.
    pub(crate) summary: String,
}

/// Parameters of the request `input/fill` (rule D13).
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct FillParams<'a> {
    /// The session's id.
    pub(crate) session: &'a str,
    /// The text.
    pub(crate) text: &'a str,
}

/// Parameters of `report`: a loop ended (rule A9).
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ReportParams<'a> {
    /// The session's id.
    pub(crate) session: &'a str,
    /// What the loop did.
    pub(crate) report: &'a LoopReport,
}

/// Parameters of the request `model/complete`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct CompleteParams<'a> {
    /// The call's number, which `model/cancel` names.
    pub(crate) call: u64,
    /// The session on whose behalf the call is made.
    pub(crate) session: &'a str,
    /// The host's provider route.
    pub(crate) provider: &'a str,
    /// The model.
    pub(crate) model: &'a str,
    /// The conversation.
    pub(crate) messages: Vec<CompleteMessage<'a>>,
    /// The output budget, reasoning included; absent: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_tokens: Option<u32>,
    /// One of the efforts that the model declares; absent: its default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning_effort: Option<String>,
    /// Milliseconds until nobody waits for the answer any more.
    pub(crate) deadline_ms: u64,
}

/// One message of a conversation.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct CompleteMessage<'a> {
    /// `system`, `user` or `assistant`.
    pub(crate) role: &'static str,
    /// Its text.
    pub(crate) text: &'a str,
}

/// Parameters of `model/cancel`: nobody waits for this call any more. Its answer, should it come, is ignored.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct CancelParams {
    /// The call's number.
    pub(crate) call: u64,
}

/// Parameters of the request `model/info`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct InfoParams<'a> {
    /// The host's provider route.
    pub(crate) provider: &'a str,
    /// The model.
    pub(crate) model: &'a str,
}

/// Parameters of `log`: for the host's log. Never session text.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct LogParams<'a> {
    /// `info`, `warn` or `error`.
    pub(crate) level: &'static str,
    /// One line.
    pub(crate) message: &'a str,
}
