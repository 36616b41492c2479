//! The stream of `codex exec --json`. It does not repeat the prompt.

use super::Reader;
use crate::json::{list, text, word};
use crate::teller::Teller;
use crate::tools::plan_items;
use serde_json::Value;
use suggest_core::EndReason;
use suggest_host_dsh::ToolCall;

/// Reads the stream of `codex exec --json`.
#[derive(Debug, Default)]
pub(crate) struct CodexExec {
    thread: Option<String>,
}

impl Reader for CodexExec {
    fn record(&mut self, record: Value, tell: &mut Teller) {
        tell.next_record();
        match word(&record, "type") {
            "thread.started" => {
                let thread = text(&record, "thread_id").map(str::to_owned);
                tell.close();
                if self.thread.is_some() && self.thread != thread {
                    tell.fresh();
                }
                self.thread = thread;
            }
            "turn.started" => tell.start_unseen(),
            "turn.completed" => tell.end(EndReason::Completed),
            "turn.failed" => {
                let error = record.get("error").unwrap_or(&Value::Null);
                let limited = word(error, "message").contains("max_output_tokens");
                tell.end(if limited { EndReason::Limited } else { EndReason::Failed });
            }
            kind @ ("item.started" | "item.updated" | "item.completed") => {
                item(record.get("item").unwrap_or(&Value::Null), kind == "item.completed", tell);
            }
            "request_user_input" => tell.permission(true),
            "item.plan.delta" | "error" => {}
            kind => tell.skip(kind),
        }
    }

    fn finish(&mut self, _tell: &mut Teller) {
        // Only the harness's own record ends a turn.
    }
}

fn item(item: &Value, done: bool, tell: &mut Teller) {
    match word(item, "type") {
        "todo_list" => {
            if let Some(items) = plan_items(item) {
                tell.plan(items);
            }
        }
        _ if !done => {}
        // The same item may be numbered again in the next run, so that its id says nothing.
        "agent_message" => tell.assistant(word(item, "text"), None),
        "command_execution" => {
            let failed = item.get("exit_code").and_then(Value::as_i64).unwrap_or(0) != 0
                || matches!(word(item, "status"), "failed" | "declined");
            let call =
                ToolCall::new("exec_command", &Value::Null).with_head(inner_command(word(item, "command")));
            tell.tool(call, word(item, "aggregated_output"), failed);
        }
        "file_change" => {
            let mut call = ToolCall::new("apply_patch", &Value::Null);
            for change in list(item, "changes") {
                call = call.with_file(word(change, "path"));
            }
            tell.tool(call, "", word(item, "status") == "failed");
        }
        "mcp_tool_call" | "collab_tool_call" => {
            let call = ToolCall::new(word(item, "tool"), item.get("arguments").unwrap_or(&Value::Null));
            tell.tool(call, "", word(item, "status") == "failed");
        }
        "web_search" | "reasoning" | "plan" | "error" => {}
        kind => tell.skip(&format!("item/{kind}")),
    }
}

/// The command inside `/bin/bash -lc '…'`.
fn inner_command(command: &str) -> &str {
    let Some((shell, script)) = command.split_once(" -lc ") else { return command };
    if shell.contains(' ') {
        return command;
    }
    script.strip_prefix('\'').and_then(|script| script.strip_suffix('\'')).unwrap_or(script)
}
