//! Qwen Code's session file: a tree like Claude Code's, with the messages of Gemini.

use super::Reader;
use crate::json::{content_text, has, is_true, list, text, word};
use crate::teller::Teller;
use crate::tools::output_text;
use crate::tree::{Branch, Tree};
use serde_json::Value;
use suggest_core::{Author, EndReason, Origin, SessionKind};

/// Reads a session file of Qwen Code.
#[derive(Debug, Default)]
pub(crate) struct Qwen {
    tree: Tree,
}

impl Reader for Qwen {
    fn record(&mut self, record: Value, tell: &mut Teller) {
        let at = tell.next_record();
        if is_true(&record, "isSidechain") || has(&record, "agentId") {
            if tell.newest().is_some() && tell.session() != SessionKind::Subagent {
                return;
            }
            tell.set_session(SessionKind::Subagent);
        }
        if let Some(id) = text(&record, "uuid")
            && !self.tree.note(id, at)
        {
            return;
        }
        let parts = record.get("message").and_then(|message| message.get("parts")).unwrap_or(&Value::Null);
        let id = text(&record, "uuid");
        match (word(&record, "type"), word(&record, "provenance")) {
            ("user", "real_user" | "") => {
                match self.tree.prompt(text(&record, "parentUuid"), at) {
                    Branch::Tip => {}
                    Branch::Behind(place) => tell.rewound(place),
                    Branch::Root => tell.rewound(0),
                    Branch::Unseen => {
                        tell.set_lost();
                        tell.rewound(0);
                    }
                }
                tell.prompt(&content_text(parts), id);
            }
            ("user", _) => {
                tell.start(Origin::Other);
                let words = record.get("systemPayload").map_or("", |payload| word(payload, "displayText"));
                let words = if words.is_empty() { content_text(parts) } else { words.to_owned() };
                tell.message(Author::Notice, &words, id);
            }
            ("assistant", _) => assistant(&record, parts, id, tell),
            ("tool_result", _) => {
                for part in parts.as_array().map(Vec::as_slice).unwrap_or_default() {
                    tool_result(&record, part, tell);
                }
            }
            ("system", _) => system(&record, tell),
            (kind, _) => tell.skip(kind),
        }
    }
}

fn assistant(record: &Value, parts: &Value, id: Option<&str>, tell: &mut Teller) {
    tell.go_on();
    tell.assistant(&content_text(parts), id);
    for call in parts.as_array().map(Vec::as_slice).unwrap_or_default() {
        if let Some(call) = call.get("functionCall") {
            tell.called(word(call, "id"), word(call, "name"), call.get("args").unwrap_or(&Value::Null));
        }
    }
    // Nothing marks an end. Half an answer is told from a whole one by the lack of its token counts.
    if has(record, "usageMetadata") {
        tell.expect_end(EndReason::Completed);
    }
}

fn tool_result(record: &Value, part: &Value, tell: &mut Teller) {
    let Some(response) = part.get("functionResponse") else { return };
    let result = response.get("response").unwrap_or(&Value::Null);
    let status = record.get("toolCallResult").map_or("", |result| word(result, "status"));
    let output = output_text(result);
    let code = output
        .split_once("\nExit Code: ")
        .and_then(|(_, rest)| rest.lines().next()?.trim().parse::<i64>().ok());
    let failed = has(result, "error") || matches!(status, "error" | "cancelled") || code.unwrap_or(0) != 0;
    let shown = crate::json::between(&output, "\nOutput: ", "\nExit Code: ").unwrap_or(&output);
    let shown = shown.strip_suffix("\nError: (none)").unwrap_or(shown);
    tell.finished(word(response, "id"), shown, failed);
}

fn system(record: &Value, tell: &mut Teller) {
    let payload = record.get("systemPayload").unwrap_or(&Value::Null);
    match word(record, "subtype") {
        // Written after each good turn where an editor drives the session.
        "branch_checkpoint" => tell.end(EndReason::Completed),
        "ui_telemetry" => {
            let failed =
                payload.get("uiEvent").is_some_and(|event| word(event, "event.name").ends_with(".api_error"));
            // A retry may follow; if none does, the turn failed.
            if failed {
                tell.go_on();
                tell.expect_end(EndReason::Failed);
            }
        }
        "chat_compression" => {
            tell.settle();
            tell.compacted(|_| false);
            let mut summarised = false;
            for message in list(payload, "compressedHistory") {
                let words = content_text(message.get("parts").unwrap_or(&Value::Null));
                if word(message, "role") == "model" {
                    tell.survivor(Author::Assistant, &words);
                } else if !summarised {
                    summarised = true;
                    tell.chapter(&words);
                } else if !words.trim_start().starts_with('<') {
                    tell.surviving_prompt(&words);
                }
            }
        }
        "attribution_snapshot"
        | "file_history_snapshot"
        | "background_task_completed"
        | "slash_command"
        | "custom_title"
        | "at_command"
        | "session_title"
        | "goal_state" => {}
        other => tell.skip(&format!("system/{other}")),
    }
}
