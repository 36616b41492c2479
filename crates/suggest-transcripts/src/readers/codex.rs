//! Codex's rollout file, in its newer form (items) and its older one (messages).

use super::Reader;
use crate::json::{content_text, has, list, text, word};
use crate::teller::Teller;
use crate::tools::{files_of_patch, output_text, plan_items};
use serde_json::Value;
use std::collections::VecDeque;
use suggest_core::{Author, EndReason, SessionKind};
use suggest_host_dsh::ToolCall;

/// Calls that an item already told.
const MAX_TOLD: usize = 256;

/// Reads a rollout of Codex.
#[derive(Debug, Default)]
pub(crate) struct Codex {
    /// Whether messages come as items: then their older doubles are left out.
    items: bool,
    /// Whether somebody said something in the turn. Shell mode and compaction are turns of the harness alone.
    spoken: bool,
    /// Calls whose items told what they did.
    told: VecDeque<String>,
    /// A script that calls tools, and whether an item told one of them.
    script: Option<(String, bool)>,
}

impl Reader for Codex {
    fn record(&mut self, record: Value, tell: &mut Teller) {
        tell.next_record();
        let payload = record.get("payload").unwrap_or(&Value::Null);
        match word(&record, "type") {
            "session_meta" => {
                self.items |= word(payload, "history_mode") == "paginated";
                if payload.get("source").is_some_and(|source| has(source, "subagent")) {
                    tell.set_session(SessionKind::Subagent);
                }
            }
            "event_msg" => self.event(payload, tell),
            "response_item" => self.response(payload, tell),
            "compacted" => compacted(payload, tell),
            "turn_context"
            | "world_state"
            | "token_usage_record"
            | "inter_agent_communication_metadata"
            | "ghost_snapshot" => {}
            kind => tell.skip(kind),
        }
    }

    fn finish(&mut self, _tell: &mut Teller) {
        // Only the harness's own record ends a turn.
    }
}

impl Codex {
    fn event(&mut self, payload: &Value, tell: &mut Teller) {
        match word(payload, "type") {
            "task_started" | "turn_started" => {
                // A turn without an end was killed; this is the only sign.
                tell.close();
                self.spoken = false;
                self.told.clear();
                self.script = None;
            }
            "task_complete" | "turn_complete" => {
                if self.spoken {
                    tell.end(reason_of_end(payload));
                }
                self.spoken = false;
            }
            "turn_aborted" => {
                tell.end(if word(payload, "reason") == "interrupted" {
                    EndReason::Aborted
                } else {
                    EndReason::Interrupted
                });
                self.spoken = false;
            }
            "item_completed" => {
                self.items = true;
                self.item(payload.get("item").unwrap_or(&Value::Null), tell);
            }
            "user_message" if !self.items => self.user(word(payload, "message"), None, tell),
            "agent_message" if !self.items => self.agent(word(payload, "message"), None, tell),
            "exec_approval_request" | "apply_patch_approval_request" | "request_user_input" => {
                tell.permission(true)
            }
            "user_message"
            | "agent_message"
            | "item_started"
            | "token_count"
            | "thread_settings_applied"
            | "agent_reasoning"
            | "agent_reasoning_raw_content"
            | "agent_reasoning_section_break"
            | "error"
            | "warning"
            | "stream_error"
            | "background_event"
            | "turn_diff"
            | "context_compacted"
            | "thread_rolled_back"
            | "plan_update"
            | "mcp_tool_call_begin"
            | "mcp_tool_call_end"
            | "exec_command_begin"
            | "exec_command_end"
            | "patch_apply_begin"
            | "patch_apply_end"
            | "web_search_begin"
            | "web_search_end"
            | "view_image_tool_call" => {}
            kind => tell.skip(&format!("event_msg/{kind}")),
        }
    }

    fn user(&mut self, words: &str, id: Option<&str>, tell: &mut Teller) {
        self.spoken = true;
        if tell.is_open() {
            // Sent while the worker was busy: one turn, two messages.
            tell.steering(words, id);
        } else {
            tell.prompt(words, id);
        }
    }

    fn agent(&mut self, words: &str, id: Option<&str>, tell: &mut Teller) {
        self.spoken = true;
        tell.assistant(words, id);
    }

    fn item(&mut self, item: &Value, tell: &mut Teller) {
        let id = text(item, "id");
        match word(item, "type") {
            "UserMessage" => self.user(&content_text(item.get("content").unwrap_or(&Value::Null)), id, tell),
            "AgentMessage" => {
                self.agent(&content_text(item.get("content").unwrap_or(&Value::Null)), id, tell)
            }
            "CommandExecution" => {
                let command = item.get("command").unwrap_or(&Value::Null);
                let command = match command.as_array() {
                    Some(words) => words.last().and_then(Value::as_str).unwrap_or_default(),
                    None => command.as_str().unwrap_or_default(),
                };
                let output = word(item, "aggregated_output");
                if word(item, "source") == "user_shell" {
                    // The person's own command, in a turn of its own that no model sees.
                    tell.message(Author::Command, &format!("! {command}\n{output}"), id);
                    return;
                }
                let failed = item.get("exit_code").and_then(Value::as_i64).unwrap_or(0) != 0
                    || matches!(word(item, "status"), "failed" | "declined");
                self.told(id);
                let call = ToolCall::new("exec_command", &Value::Null).with_head(command);
                tell.tool(call, output, failed);
            }
            "FileChange" => {
                self.told(id);
                let changes = item.get("changes").and_then(Value::as_object);
                let mut call = ToolCall::new("apply_patch", &Value::Null);
                for path in changes.into_iter().flat_map(|changes| changes.keys()) {
                    call = call.with_file(path);
                }
                let failed = matches!(word(item, "status"), "failed" | "declined");
                tell.tool(call, if failed { word(item, "stderr") } else { word(item, "stdout") }, failed);
            }
            _ => {}
        }
    }

    /// Notes that an item told what a call did.
    fn told(&mut self, id: Option<&str>) {
        if let Some((_, told)) = &mut self.script {
            *told = true;
        }
        if self.told.len() >= MAX_TOLD {
            self.told.pop_front();
        }
        self.told.extend(id.map(str::to_owned));
    }

    fn response(&mut self, payload: &Value, tell: &mut Teller) {
        match word(payload, "type") {
            "function_call" => {
                let arguments: Value =
                    serde_json::from_str(word(payload, "arguments")).unwrap_or(Value::Null);
                tell.called(word(payload, "call_id"), word(payload, "name"), &arguments);
            }
            "custom_tool_call" => self.custom_call(payload, tell),
            "local_shell_call" => {
                let action = payload.get("action").unwrap_or(&Value::Null);
                let command: Vec<&str> = list(action, "command").iter().filter_map(Value::as_str).collect();
                let call = ToolCall::new("shell", &Value::Null).with_head(&command.join(" "));
                tell.called_as(word(payload, "call_id"), call, &Value::Null);
            }
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                self.output(payload, tell);
            }
            // The messages come again as events; the rest is for the model alone.
            "message"
            | "reasoning"
            | "agent_message"
            | "additional_tools"
            | "compaction"
            | "web_search_call"
            | "image_generation_call"
            | "tool_search_call"
            | "tool_search_output"
            | "ghost_snapshot" => {}
            kind => tell.skip(&format!("response_item/{kind}")),
        }
    }

    fn custom_call(&mut self, payload: &Value, tell: &mut Teller) {
        let (id, name, input) = (word(payload, "call_id"), word(payload, "name"), word(payload, "input"));
        let mut call = ToolCall::new(name, &Value::Null);
        if name == "apply_patch" {
            for path in files_of_patch(input) {
                call = call.with_file(path);
            }
        } else if name == "exec" {
            self.script = Some((id.to_owned(), false));
            if let Some(items) = plan_in_script(input) {
                tell.plan(items);
                self.told(None);
            }
        }
        tell.called_as(id, call, &Value::Null);
    }

    fn output(&mut self, payload: &Value, tell: &mut Teller) {
        let id = word(payload, "call_id");
        let by_items = match &self.script {
            Some((script, told)) if script == id => *told,
            _ => false,
        };
        if by_items || self.told.iter().any(|told| told == id) {
            tell.forget_call(id);
            return;
        }
        if !tell.knows_call(id) {
            return;
        }
        let output = output_text(payload.get("output").unwrap_or(&Value::Null));
        let (shown, failed) = read_output(&output);
        tell.finished(id, shown, failed);
    }
}

/// How a turn ended. The record stands for success and failure alike.
fn reason_of_end(payload: &Value) -> EndReason {
    match payload.get("error").filter(|error| !error.is_null()) {
        Some(error) if word(error, "message").contains("max_output_tokens") => EndReason::Limited,
        Some(_) => EndReason::Failed,
        // The older form says nothing else about a failure.
        None if !has(payload, "last_agent_message") => EndReason::Failed,
        None => EndReason::Completed,
    }
}

/// What stays after a compaction, and its summary (rule S7).
fn compacted(payload: &Value, tell: &mut Teller) {
    tell.compacted(|_| false);
    let mut summary = None;
    for item in list(payload, "replacement_history") {
        if word(item, "role") != "user" || word(item, "type") != "message" {
            continue;
        }
        let words = content_text(item.get("content").unwrap_or(&Value::Null));
        match kind_of_content(item) {
            Some("user.text") => tell.surviving_prompt(&words),
            Some("compaction.summary") => summary = Some(words),
            None if !words.trim_start().starts_with('<') => tell.surviving_prompt(&words),
            _ => {}
        }
    }
    let message = text(payload, "message").filter(|message| !message.trim().is_empty());
    if let Some(summary) = message.map(str::to_owned).or(summary) {
        tell.chapter(&summary);
    }
}

/// What the harness says a message in the user's role is.
fn kind_of_content(item: &Value) -> Option<&str> {
    let passthrough = item.get("internal_chat_message_metadata_passthrough")?;
    list(passthrough, "content_item_kinds").first()?.as_str()
}

/// The plan that a script writes. It is JSON inside JavaScript.
fn plan_in_script(script: &str) -> Option<Vec<suggest_core::PlanItem>> {
    let (_, rest) = script.rsplit_once("tools.update_plan(")?;
    let value = serde_json::Deserializer::from_str(rest).into_iter::<Value>().next()?.ok()?;
    plan_items(&value)
}

/// What a command printed, without the harness's own lines above it, and whether it failed.
fn read_output(output: &str) -> (&str, bool) {
    let code = ["Process exited with code ", "Exit code: "].iter().find_map(|mark| {
        let (_, rest) = output.split_once(mark)?;
        rest.lines().next()?.trim().parse::<i64>().ok()
    });
    let shown = match code {
        Some(_) => output.split_once("Output:\n").map_or(output, |(_, shown)| shown),
        None => output,
    };
    (shown, code.unwrap_or(0) != 0 || output.starts_with("aborted by user"))
}
