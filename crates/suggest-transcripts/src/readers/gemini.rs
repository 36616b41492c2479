//! Gemini CLI's session file: a log of upserts, of replacements of the whole list, and of rewinds.

use super::Reader;
use crate::json::{content_text, has, list, text, word};
use crate::ledger::stable_hash;
use crate::remembered::Remembered;
use crate::teller::Teller;
use crate::tools::{output_text, plan_items, writes_plan};
use serde_json::Value;
use std::collections::HashSet;
use suggest_core::{Author, EndReason, SessionKind};
use suggest_host_dsh::ToolCall;

/// Messages whose place is remembered.
const MAX_KNOWN: usize = 16_384;

/// Tool calls that are remembered as told.
const MAX_TOOLS: usize = 1024;

/// Reads a session file of Gemini CLI.
#[derive(Debug)]
pub(crate) struct Gemini {
    /// The messages that were told, with their place.
    known: Remembered,
    /// Context that the harness injected as a message of the user.
    injected: HashSet<u64>,
    tools: Remembered,
    /// A replacement of the list that is not applied yet: a resumption writes several, and the last one counts.
    replacement: Option<Vec<Value>>,
    any_message: bool,
    /// A header came, and nothing but replacements since.
    resuming: bool,
}

impl Default for Gemini {
    fn default() -> Self {
        Self {
            known: Remembered::new(MAX_KNOWN),
            injected: HashSet::new(),
            tools: Remembered::new(MAX_TOOLS),
            replacement: None,
            any_message: false,
            resuming: false,
        }
    }
}

impl Reader for Gemini {
    fn record(&mut self, mut record: Value, tell: &mut Teller) {
        if let Some(change) = record.get_mut("$set") {
            if let Some(Value::Array(messages)) = change.get_mut("messages").map(Value::take) {
                self.note_injected(&messages);
                self.replacement = Some(messages);
            }
            return;
        }
        if has(&record, "sessionId") && has(&record, "projectHash") {
            // A resumption begins with a second header: the process before it is gone.
            self.any_message = false;
            self.resuming = true;
            if word(&record, "kind") == "subagent" {
                tell.set_session(SessionKind::Subagent);
            }
            return;
        }
        self.resuming = false;
        self.apply_replacement(tell);
        let at = tell.next_record();
        if let Some(id) = text(&record, "$rewindTo") {
            self.rewind(id, tell);
            return;
        }
        self.any_message = true;
        match word(&record, "type") {
            "user" => self.user(&record, at, tell),
            "gemini" => self.gemini(&record, at, tell),
            "info" if word(&record, "content").starts_with("Request cancelled") => {
                tell.end(EndReason::Aborted)
            }
            "error" => {
                tell.message(
                    Author::Notice,
                    &content_text(record.get("content").unwrap_or(&Value::Null)),
                    None,
                );
                tell.end(EndReason::Failed);
            }
            "info" | "warning" => {}
            kind => tell.skip(kind),
        }
    }

    fn finish(&mut self, tell: &mut Teller) {
        // A resumption first writes its injected context alone. One that got no further took nothing away.
        let only_context =
            |messages: &Vec<Value>| messages.iter().all(|message| self.human_words(message).is_none());
        if self.resuming && self.replacement.as_ref().is_some_and(only_context) {
            self.replacement = None;
        }
        self.apply_replacement(tell);
        tell.settle();
    }
}

impl Gemini {
    fn user(&mut self, record: &Value, at: u64, tell: &mut Teller) {
        // Tool results come again inside their call.
        let Some(words) = self.human_words(record) else { return };
        if self.place(word(record, "id")).is_some() {
            return;
        }
        self.note(word(record, "id"), at);
        tell.prompt(&words, text(record, "id"));
    }

    fn gemini(&mut self, record: &Value, at: u64, tell: &mut Teller) {
        let id = word(record, "id");
        let again = self.place(id).is_some();
        if !again {
            self.note(id, at);
            tell.go_on();
            tell.assistant(&content_text(record.get("content").unwrap_or(&Value::Null)), text(record, "id"));
        }
        let calls = list(record, "toolCalls");
        for call in calls {
            self.tool(call, tell);
        }
        // The first writing of a message with tool calls has none yet; the second takes the expectation back.
        if calls.is_empty() && !again {
            tell.expect_end(EndReason::Completed);
        }
    }

    fn tool(&mut self, call: &Value, tell: &mut Teller) {
        let (id, name) = (word(call, "id"), word(call, "name"));
        let arguments = call.get("args").unwrap_or(&Value::Null);
        if self.tools.place(stable_hash(id)).is_some() {
            return;
        }
        if !has(call, "result") && !matches!(word(call, "status"), "success" | "error" | "cancelled") {
            tell.called(id, name, arguments);
            return;
        }
        self.tools.note(stable_hash(id), 0);
        let (output, failed) = outcome(call);
        if tell.knows_call(id) {
            tell.finished(id, &output, failed);
            return;
        }
        tell.tool(ToolCall::new(name, arguments), &output, failed);
        if writes_plan(name)
            && !failed
            && let Some(items) = plan_items(arguments)
        {
            tell.plan(items);
        }
    }

    /// The named message and everything behind it are gone.
    fn rewind(&mut self, id: &str, tell: &mut Teller) {
        let Some(place) = self.place(id) else {
            tell.set_lost();
            return;
        };
        self.known.forget_from(place);
        tell.rewound(place.saturating_sub(1));
    }

    /// The list is now this one. Where that takes away what was told, history was rewritten.
    fn apply_replacement(&mut self, tell: &mut Teller) {
        let Some(messages) = self.replacement.take() else { return };
        let listed: HashSet<u64> = messages.iter().map(|message| stable_hash(word(message, "id"))).collect();
        let shown =
            |message: &&Value| word(message, "type") == "gemini" || self.human_words(message).is_some();
        let lacks_none = self.known.keys().all(|id| listed.contains(&id));
        let has_new = messages.iter().filter(shown).any(|message| self.place(word(message, "id")).is_none());
        if lacks_none && !has_new {
            tell.settle();
            return;
        }
        // A prompt that vanished with its turn failed: that is all that is written where nobody watches.
        if tell.expects_end() {
            tell.settle()
        } else {
            tell.end(EndReason::Failed)
        }
        self.known.clear();
        tell.replaced();
        for message in &messages {
            let at = tell.next_record();
            if word(message, "type") == "gemini" {
                self.note(word(message, "id"), at);
                tell.survivor(
                    Author::Assistant,
                    &content_text(message.get("content").unwrap_or(&Value::Null)),
                );
                for call in list(message, "toolCalls") {
                    let (output, failed) = outcome(call);
                    let tool = ToolCall::new(word(call, "name"), call.get("args").unwrap_or(&Value::Null));
                    tell.surviving_tool(tool.finish(&output, failed));
                }
            } else if let Some(words) = self.human_words(message) {
                self.note(word(message, "id"), at);
                if words.contains("<state_snapshot>") {
                    tell.chapter(&words);
                } else {
                    tell.surviving_prompt(&words);
                }
            }
        }
    }

    /// A list with nothing but one message of the user, before anything was said, is injected context.
    fn note_injected(&mut self, messages: &[Value]) {
        if let ([only], false) = (messages, self.any_message) {
            self.injected.insert(stable_hash(word(only, "id")));
        }
    }

    /// The words of a person. `None` for tool results and injected context.
    fn human_words(&self, message: &Value) -> Option<String> {
        let content = message.get("content")?;
        let parts = content.as_array().map(Vec::as_slice).unwrap_or_default();
        if word(message, "type") != "user"
            || self.injected.contains(&stable_hash(word(message, "id")))
            || parts.iter().any(|part| has(part, "functionResponse"))
        {
            return None;
        }
        let words = match message.get("displayContent") {
            Some(shown) if !shown.is_null() => content_text(shown),
            _ => content_text(content),
        };
        let real = !words.trim().is_empty() && !words.trim_start().starts_with("<session_context>");
        real.then_some(words)
    }

    fn place(&self, id: &str) -> Option<u64> {
        self.known.place(stable_hash(id))
    }

    fn note(&mut self, id: &str, at: u64) {
        self.known.note(stable_hash(id), at);
    }
}

/// What a finished call printed, and whether it failed.
fn outcome(call: &Value) -> (String, bool) {
    let response =
        list(call, "result").first().and_then(|part| part.get("functionResponse")?.get("response"));
    let output = response.map(output_text).unwrap_or_default();
    let mut code = None;
    let mut shown = Vec::new();
    for line in output.lines() {
        match line.strip_prefix("Exit Code: ") {
            Some(found) => code = found.trim().parse::<i64>().ok(),
            None if line.ends_with("untrusted_context>") || line.starts_with("Process Group PGID:") => {}
            None => shown.push(line.strip_prefix("Output: ").unwrap_or(line)),
        }
    }
    let failed = matches!(word(call, "status"), "error" | "cancelled")
        || code.unwrap_or(0) != 0
        || response.is_some_and(|response| has(response, "error"));
    (shown.join("\n"), failed)
}
