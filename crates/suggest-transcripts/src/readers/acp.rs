//! Conversations in the Agent Client Protocol: JSON-RPC messages of both sides, in one stream.

use super::Reader;
use crate::json::{content_text, has, list, text, word};
use crate::teller::Teller;
use crate::tools::{output_text, plan_items};
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use suggest_core::{Author, EndReason, Origin};
use suggest_host_dsh::ToolCall;

/// Requests that wait for their answer, and tool calls that are followed.
const MAX_OPEN: usize = 256;

/// Reads a stream of ACP messages, bare or as `{dir, msg}`. Of several sessions the newest that was prompted counts, or
/// the one that was asked for.
#[derive(Debug, Default)]
pub(crate) struct Acp {
    wanted: Option<String>,
    session: Option<String>,
    /// Requests of the client: their id and what they are.
    asked: VecDeque<(String, Asked)>,
    /// Requests of the agent that wait for the client.
    asking: VecDeque<(String, bool)>,
    said: String,
    said_id: Option<String>,
    heard: String,
    heard_id: Option<String>,
    tools: VecDeque<(String, Map<String, Value>)>,
    /// Tool calls that were told; late updates of theirs say nothing.
    done: VecDeque<String>,
    /// A session is being loaded: what comes is history. `true` once something came.
    loading: Option<bool>,
    own_turn: OwnTurn,
}

/// A turn that the agent begins by itself, beside those of the client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum OwnTurn {
    #[default]
    None,
    /// It waits for the end of the client's.
    Waiting,
    Running,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    New,
    Load,
    Prompt,
}

/// Whether a message begins a turn.
pub(crate) fn is_prompt(record: &Value) -> bool {
    let message = record.get("msg").unwrap_or(record);
    word(message, "method") == "session/prompt"
}

impl Acp {
    pub(crate) fn new(wanted: Option<String>) -> Self {
        Self { wanted, ..Self::default() }
    }
}

impl Reader for Acp {
    fn record(&mut self, mut record: Value, tell: &mut Teller) {
        tell.next_record();
        let from = text(&record, "dir").map(str::to_owned);
        if let Some(inner) = record.get_mut("msg").map(Value::take) {
            record = inner;
        }
        let id = record.get("id").filter(|id| !id.is_null()).map(Value::to_string);
        let params = record.get("params").unwrap_or(&Value::Null);
        match (text(&record, "method"), id) {
            (Some(method), Some(id)) => self.request(method, &id, params, from.as_deref(), tell),
            (Some(method), None) => self.notice(method, params, tell),
            (None, Some(id)) => self.response(&id, &record, from.as_deref(), tell),
            (None, None) => tell.skip("message without method and id"),
        }
    }

    fn finish(&mut self, tell: &mut Teller) {
        self.flush(tell);
    }
}

impl Acp {
    fn request(&mut self, method: &str, id: &str, params: &Value, from: Option<&str>, tell: &mut Teller) {
        match method {
            "session/new" => self.remember(id, Asked::New),
            "session/load" | "session/resume" => {
                if self.concerns(word(params, "sessionId")) {
                    self.flush(tell);
                    self.loading = Some(false);
                    self.remember(id, Asked::Load);
                    self.session = text(params, "sessionId").map(str::to_owned);
                }
            }
            "session/prompt" => {
                if !self.concerns(word(params, "sessionId")) {
                    return;
                }
                self.flush(tell);
                self.turn_to(word(params, "sessionId"), tell);
                self.loading = None;
                // A prompt of the client takes the place of a turn of the agent's own, whose end comes late.
                if std::mem::take(&mut self.own_turn) == OwnTurn::Running {
                    tell.end(EndReason::Aborted);
                }
                self.remember(id, Asked::Prompt);
                let words = content_text(params.get("prompt").unwrap_or(&Value::Null));
                tell.prompt(&words, None);
            }
            "session/request_permission" => {
                self.await_client(id, true);
                tell.permission(true);
            }
            "_qwencode/start_turn" => {
                self.flush(tell);
                if tell.is_open() {
                    self.own_turn = OwnTurn::Waiting;
                } else {
                    self.own_turn = OwnTurn::Running;
                    tell.start(Origin::Other);
                }
            }
            _ => {
                let of_agent =
                    ["fs/", "terminal/", "_", "craft/"].iter().any(|start| method.starts_with(start));
                if from == Some("agent") || from.is_none() && of_agent {
                    self.await_client(id, false);
                }
            }
        }
    }

    fn notice(&mut self, method: &str, params: &Value, tell: &mut Teller) {
        match method {
            "session/update" => {
                if self.session.as_deref() == text(params, "sessionId") {
                    self.update(params.get("update").unwrap_or(&Value::Null), tell);
                }
            }
            "_qwencode/end_turn" => {
                self.flush(tell);
                if std::mem::take(&mut self.own_turn) == OwnTurn::Running {
                    tell.end(stop_reason(word(params, "reason")));
                }
            }
            // Vendors add notices of their own.
            _ if method.starts_with('_') || method.contains("/notify/") => {}
            "session/cancel" | "$/cancel_request" => {}
            method => tell.skip(method),
        }
    }

    fn response(&mut self, id: &str, record: &Value, from: Option<&str>, tell: &mut Teller) {
        let result = record.get("result").unwrap_or(&Value::Null);
        // Both sides number their requests; an answer of the client is none of the agent's.
        let of_client =
            from == Some("client") || from.is_none() && !has(result, "stopReason") && self.awaits(id);
        if of_client {
            let place = self.asking.iter().position(|(waiting, _)| waiting == id);
            if let Some((_, true)) = place.and_then(|place| self.asking.remove(place)) {
                tell.permission(false);
            }
            return;
        }
        let Some(place) = self.asked.iter().position(|(waiting, _)| waiting == id) else { return };
        let Some((_, asked)) = self.asked.remove(place) else { return };
        match asked {
            Asked::New => {
                if let Some(session) = text(result, "sessionId").filter(|id| self.concerns(id)) {
                    self.flush(tell);
                    self.turn_to(session, tell);
                }
            }
            Asked::Load => {
                self.flush(tell);
                self.loading = None;
            }
            Asked::Prompt => self.prompted(record, result, tell),
        }
    }

    fn prompted(&mut self, record: &Value, result: &Value, tell: &mut Teller) {
        let reason = match record.get("error").filter(|error| !error.is_null()) {
            Some(error) => {
                // Agents say their failures in the worker's name.
                let said = std::mem::take(&mut self.said);
                let error = word(error, "message");
                let author = if !said.trim().is_empty() && (error.contains(said.trim()) || is_notice(&said)) {
                    Author::Notice
                } else {
                    Author::Assistant
                };
                tell.message(author, &said, self.said_id.take().as_deref());
                EndReason::Failed
            }
            // Version 2 only accepts the prompt here and tells the end later.
            None if !has(result, "stopReason") => return,
            None => stop_reason(word(result, "stopReason")),
        };
        self.flush(tell);
        tell.end(reason);
        if self.own_turn == OwnTurn::Waiting {
            self.own_turn = OwnTurn::Running;
            tell.start(Origin::Other);
        }
    }

    fn update(&mut self, update: &Value, tell: &mut Teller) {
        let kind = word(update, "sessionUpdate");
        let content = || update.get("content").unwrap_or(&Value::Null);
        match kind {
            "agent_message_chunk" => {
                let id = text(update, "messageId").map(str::to_owned);
                let words = content_text(content());
                if words.is_empty() {
                    return;
                }
                self.hear_out(tell);
                if self.said_id != id {
                    self.flush(tell);
                }
                if self.said.is_empty() && id.is_none() && is_notice(&words) {
                    tell.message(Author::Notice, &words, None);
                    return;
                }
                self.replay_begins(tell);
                self.said.push_str(&words);
                self.said_id = id;
            }
            "agent_message" => {
                self.hear_out(tell);
                let id = text(update, "messageId").map(str::to_owned);
                if self.said_id != id {
                    self.flush(tell);
                }
                self.said_id = id;
                if update.get("content").is_some() {
                    self.said = content_text(content());
                }
            }
            "user_message_chunk" | "user_message" => {
                // While a prompt runs this only repeats it.
                if self.loading.is_none() {
                    return;
                }
                let id = text(update, "messageId").map(str::to_owned);
                self.flush_said(tell);
                self.replay_begins(tell);
                // Without ids nothing tells two prompts from one in pieces; the former is what agents send.
                if self.heard_id != id || id.is_none() {
                    self.hear_out(tell);
                }
                self.heard.push_str(&content_text(content()));
                self.heard_id = id;
            }
            "tool_call" | "tool_call_update" => {
                self.flush(tell);
                self.replay_begins(tell);
                self.tool(update, tell);
            }
            "plan" | "plan_update" => {
                self.flush(tell);
                let plan = update.get("plan").unwrap_or(update);
                if let Some(items) = plan_items(plan) {
                    tell.plan(items);
                }
            }
            "state_update" => match word(update, "state") {
                "idle" => {
                    self.flush(tell);
                    tell.end(stop_reason(word(update, "stopReason")));
                }
                "requires_action" => tell.permission(true),
                _ => {}
            },
            "agent_thought_chunk"
            | "agent_thought"
            | "usage_update"
            | "available_commands_update"
            | "current_mode_update"
            | "config_option_update"
            | "session_info_update"
            | "tool_call_content_chunk" => {}
            kind => tell.skip(&format!("session/update/{kind}")),
        }
    }

    /// Follows a tool call: updates may lack a status, or a call before them.
    fn tool(&mut self, update: &Value, tell: &mut Teller) {
        let id = word(update, "toolCallId");
        if self.done.iter().any(|done| done == id) {
            return;
        }
        let place = self.tools.iter().position(|(known, _)| known == id);
        let mut state =
            place.and_then(|place| self.tools.remove(place)).map(|(_, state)| state).unwrap_or_default();
        if let Some(fields) = update.as_object() {
            for (key, value) in fields {
                let empty = value.is_null() || value.as_object().is_some_and(Map::is_empty);
                let titled = key == "title" && state.contains_key("title") && state.contains_key("name");
                if !empty && !titled {
                    state.insert(key.clone(), value.clone());
                }
            }
        }
        if !state.contains_key("name") {
            let name = name_of_tool(update);
            state.insert("name".to_owned(), json!(name));
        }
        let whole = Value::Object(state.clone());
        let arguments = whole.get("rawInput").unwrap_or(&Value::Null);
        let mut call = ToolCall::new(word(&whole, "name"), arguments);
        for place in list(&whole, "locations") {
            if word(&whole, "kind") != "execute" {
                call = call.with_file(word(place, "path"));
            }
        }
        if !["command", "cmd", "pattern", "query", "url", "description", "prompt"]
            .iter()
            .any(|key| text(arguments, key).is_some())
            && let Some(title) = text(&whole, "title").filter(|title| title.contains(' '))
        {
            call = call.with_head(title);
        }
        let status = word(&whole, "status");
        if self.loading.is_some() {
            if matches!(status, "completed" | "failed") {
                tell.surviving_tool(call.finish(&shown_output(&whole), failed_tool(&whole)));
                self.finish_tool(id);
            } else {
                self.follow_tool(id, state);
            }
            return;
        }
        if !tell.knows_call(id) || !matches!(status, "completed" | "failed") {
            tell.called_as(id, call.clone(), arguments);
        }
        if matches!(status, "completed" | "failed") {
            tell.called_as(id, call, arguments);
            tell.finished(id, &shown_output(&whole), failed_tool(&whole));
            self.finish_tool(id);
            return;
        }
        self.follow_tool(id, state);
    }

    fn finish_tool(&mut self, id: &str) {
        if self.done.len() >= MAX_OPEN {
            self.done.pop_front();
        }
        self.done.push_back(id.to_owned());
    }

    fn follow_tool(&mut self, id: &str, state: Map<String, Value>) {
        if self.tools.len() >= MAX_OPEN {
            self.tools.pop_front();
        }
        self.tools.push_back((id.to_owned(), state));
    }

    /// What the loading of a session tells is history that takes the place of what was known.
    fn replay_begins(&mut self, tell: &mut Teller) {
        if self.loading == Some(false) {
            self.loading = Some(true);
            self.done.clear();
            tell.fresh();
        }
    }

    fn turn_to(&mut self, session: &str, tell: &mut Teller) {
        if self.session.as_deref() != Some(session) {
            if self.session.is_some() {
                tell.fresh();
            }
            self.session = Some(session.to_owned());
        }
    }

    fn concerns(&self, session: &str) -> bool {
        self.wanted.as_deref().is_none_or(|wanted| wanted == session)
    }

    fn flush(&mut self, tell: &mut Teller) {
        self.hear_out(tell);
        self.flush_said(tell);
    }

    fn flush_said(&mut self, tell: &mut Teller) {
        let said = std::mem::take(&mut self.said);
        let id = self.said_id.take();
        if self.loading.is_some() {
            // Failures are told again in the worker's name; they are none of its words.
            if !is_notice(&said) {
                tell.survivor(Author::Assistant, &said);
            }
        } else if tell.is_open() {
            tell.assistant(&said, id.as_deref());
        } else {
            tell.message(Author::Assistant, &said, id.as_deref());
        }
    }

    fn hear_out(&mut self, tell: &mut Teller) {
        let heard = std::mem::take(&mut self.heard);
        self.heard_id = None;
        if !heard.starts_with("[Request interrupted by user") {
            tell.surviving_prompt(&heard);
        }
    }

    fn remember(&mut self, id: &str, asked: Asked) {
        if self.asked.len() >= MAX_OPEN {
            self.asked.pop_front();
        }
        self.asked.push_back((id.to_owned(), asked));
    }

    fn await_client(&mut self, id: &str, permission: bool) {
        if self.asking.len() >= MAX_OPEN {
            self.asking.pop_front();
        }
        self.asking.push_back((id.to_owned(), permission));
    }

    fn awaits(&self, id: &str) -> bool {
        self.asking.iter().any(|(waiting, _)| waiting == id)
    }
}

/// What a finished call printed, without a code fence around it.
fn shown_output(call: &Value) -> String {
    let shown = list(call, "content").iter().map(content_text).collect::<Vec<_>>().join("\n");
    if shown.trim().is_empty() {
        return output_text(call.get("rawOutput").unwrap_or(&Value::Null));
    }
    let inner = shown.trim().strip_prefix("```").and_then(|inner| inner.strip_suffix("```"));
    inner.and_then(|inner| inner.split_once('\n')).map_or(shown.as_str(), |(_, inner)| inner).to_owned()
}

fn failed_tool(call: &Value) -> bool {
    let raw = call.get("rawOutput").unwrap_or(&Value::Null);
    let code = raw.get("exit_code").or_else(|| raw.get("metadata")?.get("exit")).and_then(Value::as_i64);
    word(call, "status") == "failed" || code.unwrap_or(0) != 0
}

/// The tool's name, where the agent tells it, else its title or kind.
fn name_of_tool(update: &Value) -> String {
    let vendor = update
        .get("_meta")
        .and_then(|meta| meta.as_object()?.values().find_map(|vendor| text(vendor, "toolName")));
    let title = text(update, "title").filter(|title| !title.contains(' ') && !title.is_empty());
    vendor.or(title).or_else(|| text(update, "kind")).unwrap_or("tool").to_owned()
}

/// Notices that agents write in the worker's name.
fn is_notice(words: &str) -> bool {
    let words = words.trim();
    words.starts_with("API Error:")
        || words.starts_with("Model metadata for `") && words.contains("not found")
}

fn stop_reason(reason: &str) -> EndReason {
    match reason {
        "end_turn" => EndReason::Completed,
        "cancelled" => EndReason::Aborted,
        "max_tokens" | "max_turn_requests" => EndReason::Limited,
        _ => EndReason::Failed,
    }
}
