//! opencode's messages, as its store and its export have them: one record a message, with its parts.

use super::Reader;
use crate::json::{has, is_true, list, text, word};
use crate::teller::Teller;
use crate::tools::output_text;
use serde_json::Value;
use suggest_core::{Author, EndReason, SessionKind};

/// Reads the messages of one session of opencode: `{"info": …, "parts": […]}`, and once `{"session": …}` before them.
#[derive(Debug, Default)]
pub(crate) struct Opencode {
    /// The first message that the person took back. It is deleted with the next prompt.
    reverted_from: Option<String>,
    reverted: bool,
}

impl Reader for Opencode {
    fn record(&mut self, record: Value, tell: &mut Teller) {
        tell.next_record();
        if let Some(session) = record.get("session") {
            if ["parentID", "parent_id"].iter().any(|key| has(session, key)) {
                tell.set_session(SessionKind::Subagent);
            }
            let revert = session.get("revert").unwrap_or(&Value::Null);
            self.reverted_from = text(revert, "messageID").map(str::to_owned);
            return;
        }
        let info = record.get("info").unwrap_or(&Value::Null);
        let id = text(info, "id");
        self.reverted |= id.is_some() && id == self.reverted_from.as_deref();
        if self.reverted {
            return;
        }
        let parts = list(&record, "parts");
        match word(info, "role") {
            "user" => user(parts, id, tell),
            "assistant" if is_true(info, "summary") => {
                tell.compacted(|_| false);
                tell.chapter(&texts(parts).join("\n"));
            }
            "assistant" => assistant(info, parts, id, tell),
            role => tell.skip(&format!("message/{role}")),
        }
    }

    fn finish(&mut self, tell: &mut Teller) {
        // A reverted tail is over, whatever it was. Else only the finish of a step ends a turn.
        if self.reverted {
            tell.close();
        }
    }
}

fn user(parts: &[Value], id: Option<&str>, tell: &mut Teller) {
    // A request to summarise is a message of the user, too.
    if parts.iter().any(|part| word(part, "type") == "compaction") {
        tell.settle();
        return;
    }
    let words = texts(parts).join("\n");
    if !words.trim().is_empty() {
        tell.prompt(unquoted(&words), id);
    }
}

fn assistant(info: &Value, parts: &[Value], id: Option<&str>, tell: &mut Teller) {
    tell.go_on();
    for part in parts {
        match word(part, "type") {
            // One message may have several texts, so that the id of the message is not theirs.
            "text" if !is_true(part, "synthetic") => {
                tell.assistant(word(part, "text"), text(part, "id").or(id))
            }
            "tool" => tool(part, tell),
            _ => {}
        }
    }
    if let Some(error) = info.get("error").filter(|error| !error.is_null()) {
        failed(error, tell);
        return;
    }
    finished(word(info, "finish"), tell);
}

/// A message ended with an error.
pub(super) fn failed(error: &Value, tell: &mut Teller) {
    tell.start_if_none();
    match word(error, "name") {
        "MessageAbortedError" => tell.end(EndReason::Aborted),
        "MessageOutputLengthError" => tell.end(EndReason::Limited),
        _ => {
            if let Some(words) = error.get("data").and_then(|data| text(data, "message")) {
                tell.message(Author::Notice, words, None);
            }
            tell.end(EndReason::Failed);
        }
    }
}

/// A message, or its only step, finished for this reason.
pub(super) fn finished(reason: &str, tell: &mut Teller) {
    match reason {
        "" | "tool-calls" | "unknown" => {}
        "stop" | "end_turn" => tell.end(EndReason::Completed),
        "length" => tell.end(EndReason::Limited),
        _ => tell.end(EndReason::Failed),
    }
}

pub(super) fn tool(part: &Value, tell: &mut Teller) {
    let id = word(part, "callID");
    let state = part.get("state").unwrap_or(&Value::Null);
    tell.called(id, word(part, "tool"), state.get("input").unwrap_or(&Value::Null));
    let status = word(state, "status");
    if matches!(status, "completed" | "error") {
        let code = state.get("metadata").and_then(|metadata| metadata.get("exit")?.as_i64()).unwrap_or(0);
        let failed = status == "error" || code != 0;
        tell.finished(id, &output_text(state), failed);
    }
}

/// The texts that a person or the worker wrote, not those that the harness added.
fn texts(parts: &[Value]) -> Vec<&str> {
    let written = parts.iter().filter(|part| word(part, "type") == "text" && !is_true(part, "synthetic"));
    written.map(|part| word(part, "text")).collect()
}

/// `opencode run "two words"` stores the prompt with quotation marks around it.
fn unquoted(words: &str) -> &str {
    let trimmed = words.trim();
    match trimmed.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(inner) if !inner.contains('"') && !inner.is_empty() => inner,
        _ => words,
    }
}
