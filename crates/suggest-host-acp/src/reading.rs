//! What an agent's update says, from either version of the protocol.
//!
//! The inside of a copy is read with the protocol's own types. One that they do not take says nothing to us; the line
//! itself has long gone on.

use crate::writing::Version;
use agent_client_protocol_schema::v1::{
    ContentBlock, PlanEntryStatus, SessionUpdate, StopReason, ToolCallStatus, ToolCallUpdateFields, ToolKind,
};
use agent_client_protocol_schema::{MaybeUndefined, v2};
use serde_json::Value;
use suggest_core::{EndReason, PlanItem, PlanStatus};

/// Files that one tool call names at most.
const MOST_FILES: usize = 16;

/// One update, as the director needs it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Update {
    /// A piece of the agent's words.
    AgentChunk { message: Option<String>, text: String },
    /// The agent's message as it stands now (version 2).
    AgentMessage { message: String, text: String },
    /// A piece of the human's words: an echo, or history. `notice`: the agent says that no human wrote it.
    UserChunk { message: Option<String>, text: String, notice: bool },
    /// The human's message as it stands now (version 2).
    UserMessage { message: String, text: String },
    /// A tool call began or changed.
    Tool(ToolChange),
    /// The plan as it stands now.
    Plan(Vec<PlanItem>),
    /// The agent's commands as they stand now, with every field that the agent sent.
    Commands(Vec<Value>),
    /// The agent's own suggestion; none when it took it back.
    Suggestion(Option<String>),
    /// What the session does (version 2).
    State(Activity),
    /// The past is told (version 2).
    ReplayComplete,
    /// Nothing that matters here.
    Other,
}

/// What a session does (version 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    Running,
    Asking,
    /// It rests; with how its work ended, if it had any.
    Idle(Option<EndReason>),
}

/// What is said of a tool call; what is not said stays.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ToolChange {
    pub(crate) call: String,
    pub(crate) name: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) kind: Option<&'static str>,
    pub(crate) files: Option<Vec<String>>,
    /// Whether it succeeded, once it is over.
    pub(crate) over: Option<bool>,
    /// A plan that stands in its input, as some agents have a tool for it.
    pub(crate) plan: Option<Vec<PlanItem>>,
}

/// Reads the `update` of a `session/update`.
pub(crate) fn read(version: Version, update: Value) -> Update {
    match version {
        Version::One => first(update),
        Version::Two => second(update),
    }
}

fn kind_of(update: &Value) -> &str {
    update.get("sessionUpdate").and_then(Value::as_str).unwrap_or_default()
}

/// The list as it was sent: our types would lose fields that they do not know.
fn commands(update: &Value) -> Option<Update> {
    (kind_of(update) == "available_commands_update").then(|| {
        Update::Commands(
            update.get("availableCommands").and_then(Value::as_array).cloned().unwrap_or_default(),
        )
    })
}

fn first(update: Value) -> Update {
    if let Some(commands) = commands(&update) {
        return commands;
    }
    let Ok(update) = serde_json::from_value::<SessionUpdate>(update) else { return Update::Other };
    match update {
        SessionUpdate::AgentMessageChunk(chunk) => Update::AgentChunk {
            message: chunk.message_id.map(|id| id.0.to_string()),
            text: text_of(&chunk.content),
        },
        SessionUpdate::UserMessageChunk(chunk) => {
            let source = chunk.meta.as_ref().and_then(|meta| meta.get("source"));
            Update::UserChunk {
                message: chunk.message_id.map(|id| id.0.to_string()),
                text: text_of(&chunk.content),
                notice: source.is_some_and(Value::is_string),
            }
        }
        SessionUpdate::ToolCall(call) => Update::Tool(ToolChange {
            call: call.tool_call_id.0.to_string(),
            name: call.name,
            title: Some(call.title),
            kind: Some(kind_word(call.kind)),
            files: Some(files(call.locations.iter().map(|place| &*place.path))),
            over: over(Some(call.status)),
            plan: call.raw_input.as_ref().and_then(plan_in),
        }),
        SessionUpdate::ToolCallUpdate(change) => {
            let ToolCallUpdateFields { kind, status, title, name, locations, raw_input, .. } = change.fields;
            Update::Tool(ToolChange {
                call: change.tool_call_id.0.to_string(),
                name,
                title,
                kind: kind.map(kind_word),
                files: locations.map(|places| files(places.iter().map(|place| &*place.path))),
                over: over(status),
                plan: raw_input.as_ref().and_then(plan_in),
            })
        }
        SessionUpdate::Plan(plan) => Update::Plan(
            plan.entries
                .into_iter()
                .map(|entry| PlanItem { text: entry.content, status: plan_status(&entry.status) })
                .collect(),
        ),
        SessionUpdate::PromptSuggestionsUpdate(update) => Update::Suggestion(
            update.suggestions.first().map(|suggestion| suggestion.prompt.iter().map(text_of).collect()),
        ),
        _ => Update::Other,
    }
}

fn second(update: Value) -> Update {
    if let Some(commands) = commands(&update) {
        return commands;
    }
    let Ok(update) = serde_json::from_value::<v2::SessionUpdate>(update) else { return Update::Other };
    match update {
        v2::SessionUpdate::AgentMessageChunk(chunk) => Update::AgentChunk {
            message: Some(chunk.message_id.0.to_string()),
            text: second_text(&chunk.content),
        },
        v2::SessionUpdate::AgentMessage(message) => {
            let id = message.message_id.0.to_string();
            whole(&message.content).map_or(Update::Other, |text| Update::AgentMessage { message: id, text })
        }
        v2::SessionUpdate::UserMessageChunk(chunk) => Update::UserChunk {
            message: Some(chunk.message_id.0.to_string()),
            text: second_text(&chunk.content),
            notice: false,
        },
        v2::SessionUpdate::UserMessage(message) => {
            let id = message.message_id.0.to_string();
            whole(&message.content).map_or(Update::Other, |text| Update::UserMessage { message: id, text })
        }
        v2::SessionUpdate::ToolCallUpdate(change) => Update::Tool(second_tool(change)),
        v2::SessionUpdate::PlanUpdate(update) => match update.plan {
            v2::PlanUpdateContent::Items(items) => Update::Plan(
                items
                    .entries
                    .into_iter()
                    .map(|entry| PlanItem { text: entry.content, status: second_plan_status(&entry.status) })
                    .collect(),
            ),
            _ => Update::Other,
        },
        v2::SessionUpdate::PromptSuggestionsUpdate(update) => Update::Suggestion(
            update.suggestions.first().map(|suggestion| suggestion.prompt.iter().map(second_text).collect()),
        ),
        v2::SessionUpdate::StateUpdate(state) => match state {
            v2::StateUpdate::Running(_) => Update::State(Activity::Running),
            v2::StateUpdate::RequiresAction(_) => Update::State(Activity::Asking),
            v2::StateUpdate::Idle(idle) => {
                Update::State(Activity::Idle(idle.stop_reason.as_ref().map(second_end)))
            }
            _ => Update::Other,
        },
        v2::SessionUpdate::ReplayComplete(_) => Update::ReplayComplete,
        _ => Update::Other,
    }
}

/// Content that an upsert sets; `None` when it leaves the content alone.
fn whole(content: &MaybeUndefined<Vec<v2::ContentBlock>>) -> Option<String> {
    match content {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(String::new()),
        MaybeUndefined::Value(blocks) => Some(blocks.iter().map(second_text).collect()),
    }
}

fn text_of(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::ResourceLink(link) => format!("[{}]", link.name),
        _ => String::new(),
    }
}

fn second_text(block: &v2::ContentBlock) -> String {
    match block {
        v2::ContentBlock::Text(text) => text.text.clone(),
        v2::ContentBlock::ResourceLink(link) => format!("[{}]", link.name),
        _ => String::new(),
    }
}

fn second_tool(change: v2::ToolCallUpdate) -> ToolChange {
    let value = serde_json::to_value(&change).unwrap_or_default();
    let word = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let kind = value.get("kind").cloned().and_then(|kind| serde_json::from_value::<ToolKind>(kind).ok());
    let over = match value.get("status").and_then(Value::as_str) {
        Some("completed") => Some(true),
        Some("failed" | "cancelled") => Some(false),
        _ => None,
    };
    let places = value.get("locations").and_then(Value::as_array);
    let paths = places.map(|places| {
        let paths = places.iter().filter_map(|place| place.get("path").and_then(Value::as_str));
        files(paths.map(std::path::Path::new))
    });
    ToolChange {
        call: change.tool_call_id.0.to_string(),
        name: word("name"),
        title: word("title"),
        kind: kind.map(kind_word),
        files: paths,
        over,
        plan: value.get("rawInput").and_then(plan_in),
    }
}

fn files<'a>(paths: impl Iterator<Item = &'a std::path::Path>) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for path in paths.map(|path| path.to_string_lossy().into_owned()) {
        if files.len() < MOST_FILES && !files.contains(&path) {
            files.push(path);
        }
    }
    files
}

fn over(status: Option<ToolCallStatus>) -> Option<bool> {
    match status? {
        ToolCallStatus::Completed => Some(true),
        ToolCallStatus::Failed => Some(false),
        _ => None,
    }
}

fn kind_word(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Read => "read",
        ToolKind::Edit => "edit",
        ToolKind::Delete => "delete",
        ToolKind::Move => "move",
        ToolKind::Search => "search",
        ToolKind::Execute => "execute",
        ToolKind::Think => "think",
        ToolKind::Fetch => "fetch",
        ToolKind::SwitchMode => "switch mode",
        _ => "tool",
    }
}

fn plan_status(status: &PlanEntryStatus) -> PlanStatus {
    match status {
        PlanEntryStatus::Completed => PlanStatus::Completed,
        PlanEntryStatus::InProgress => PlanStatus::InProgress,
        _ => PlanStatus::Pending,
    }
}

fn second_plan_status(status: &v2::PlanEntryStatus) -> PlanStatus {
    match status {
        v2::PlanEntryStatus::Completed => PlanStatus::Completed,
        v2::PlanEntryStatus::InProgress => PlanStatus::InProgress,
        _ => PlanStatus::Pending,
    }
}

/// A list of things to do in a tool's input.
fn plan_in(input: &Value) -> Option<Vec<PlanItem>> {
    let items = input.get("todos")?.as_array()?;
    items
        .iter()
        .map(|item| {
            let text = item.get("content")?.as_str()?.to_owned();
            let status = match item.get("status").and_then(Value::as_str) {
                Some("completed") => PlanStatus::Completed,
                Some("in_progress") => PlanStatus::InProgress,
                _ => PlanStatus::Pending,
            };
            Some(PlanItem { text, status })
        })
        .collect()
}

/// How a turn ended that its answer ends (version 1).
pub(crate) fn end_of(reason: &StopReason) -> EndReason {
    match reason {
        StopReason::EndTurn => EndReason::Completed,
        StopReason::Cancelled => EndReason::Aborted,
        // Both cut the work short at a number that somebody set; there is more to do, but not of what was asked.
        StopReason::MaxTokens | StopReason::MaxTurnRequests => EndReason::Limited,
        // What was asked and what follows is out of the agent's sight from now on.
        StopReason::Refusal => EndReason::Blocked,
        _ => EndReason::Failed,
    }
}

fn second_end(reason: &v2::StopReason) -> EndReason {
    match reason {
        v2::StopReason::EndTurn => EndReason::Completed,
        v2::StopReason::Cancelled => EndReason::Aborted,
        v2::StopReason::MaxTokens | v2::StopReason::MaxTurnRequests => EndReason::Limited,
        v2::StopReason::Refusal => EndReason::Blocked,
        _ => EndReason::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    #[test]
    fn thoughts_say_nothing_and_unknown_kinds_neither() {
        for version in [Version::One, Version::Two] {
            let thought = json!({ "sessionUpdate": "agent_thought_chunk", "messageId": "t",
                "content": { "type": "text", "text": "hm" } });
            assert_eq!(read(version, thought), Update::Other);
            assert_eq!(read(version, json!({ "sessionUpdate": "brand_new", "x": [1] })), Update::Other);
            assert_eq!(read(version, json!(7)), Update::Other);
        }
    }

    #[test]
    fn a_list_of_commands_keeps_fields_that_nobody_knows() {
        let sent = json!([{ "name": "init", "description": "d", "input": null, "colour": "red" }, 7]);
        let update = json!({ "sessionUpdate": "available_commands_update", "availableCommands": sent });
        assert_eq!(read(Version::One, update), Update::Commands(sent.as_array().unwrap().clone()));
    }

    #[test]
    fn an_update_of_a_tool_may_leave_everything_out() {
        let update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c" });
        let expected = ToolChange { call: "c".into(), ..ToolChange::default() };
        assert_eq!(read(Version::One, update.clone()), Update::Tool(expected.clone()));
        assert_eq!(read(Version::Two, update), Update::Tool(expected));
    }

    #[test]
    fn a_plan_may_stand_in_the_input_of_a_tool() {
        let update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "in_progress",
            "rawInput": { "todos": [{ "content": "Write the parser", "status": "in_progress", "priority": "high" }] } });
        let Update::Tool(change) = read(Version::One, update) else { panic!("a tool") };
        let item = PlanItem { text: "Write the parser".into(), status: PlanStatus::InProgress };
        assert_eq!(change.plan, Some(vec![item]));
    }

    #[test]
    fn version_two_says_what_the_session_does() {
        let state = |state: Value| {
            let mut update = json!({ "sessionUpdate": "state_update" });
            update.as_object_mut().unwrap().extend(state.as_object().unwrap().clone());
            read(Version::Two, update)
        };
        assert_eq!(state(json!({ "state": "running" })), Update::State(Activity::Running));
        assert_eq!(state(json!({ "state": "idle" })), Update::State(Activity::Idle(None)));
        let ended = state(json!({ "state": "idle", "stopReason": "end_turn" }));
        assert_eq!(ended, Update::State(Activity::Idle(Some(EndReason::Completed))));
        let failed = state(json!({ "state": "idle", "stopReason": "error" }));
        assert_eq!(failed, Update::State(Activity::Idle(Some(EndReason::Failed))));
    }
}
