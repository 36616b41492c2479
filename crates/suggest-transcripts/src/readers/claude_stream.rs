//! The `stream-json` of Claude Code, and that of Qwen Code, which has the same shape.

use super::claude_code::{
    assistant_blocks, author_of_feedback, command_words, reason_of_error, summary_of, tool_results,
};
use super::{Reader, peek_type};
use crate::json::{content_text, has, is_true, text, word};
use crate::teller::Teller;
use serde_json::Value;
use std::collections::VecDeque;
use suggest_core::{Author, EndReason};

/// Prompts whose repetition is still awaited.
const MAX_SENT: usize = 64;

/// Reads a `stream-json` stream, in one direction or in both (`{dir, msg}`).
#[derive(Debug, Default)]
pub(crate) struct ClaudeStream {
    /// What was sent in, and may be repeated by the harness.
    sent: VecDeque<String>,
    /// The next injected message is the summary of a compaction.
    compacted: bool,
    error: Option<EndReason>,
}

impl Reader for ClaudeStream {
    fn is_noise(&self, line: &[u8]) -> bool {
        peek_type(line).is_some_and(|kind| kind == "stream_event")
    }

    fn record(&mut self, mut record: Value, tell: &mut Teller) {
        tell.next_record();
        let sent_in = text(&record, "dir").is_some_and(|dir| matches!(dir, "in" | "client"));
        if let Some(inner) = record.get_mut("msg").map(Value::take) {
            record = inner;
        }
        // A subagent's own messages come in the same stream.
        if has(&record, "parent_tool_use_id") {
            return;
        }
        match word(&record, "type") {
            "user" => self.user(&record, sent_in, tell),
            "assistant" => self.assistant(&record, tell),
            "result" => self.result(&record, tell),
            "system" => self.system(&record, tell),
            "conversation_reset" => tell.fresh(),
            "control_request" => {
                if record.get("request").is_some_and(|request| word(request, "subtype") == "can_use_tool") {
                    tell.permission(true);
                }
            }
            "control_response" if sent_in => tell.permission(false),
            "stream_event"
            | "prompt_suggestion"
            | "control_response"
            | "control_cancel_request"
            | "keep_alive"
            | "rate_limit_event"
            | "tool_progress"
            | "auth_status" => {}
            kind => tell.skip(kind),
        }
    }

    fn finish(&mut self, _tell: &mut Teller) {
        // Only a result ends a turn.
    }
}

impl ClaudeStream {
    fn user(&mut self, record: &Value, sent_in: bool, tell: &mut Teller) {
        let message = record.get("message").unwrap_or(&Value::Null);
        let content = message.get("content").unwrap_or(&Value::Null);
        if tool_results(content, tell) {
            return;
        }
        let words = content_text(content);
        let id = text(record, "uuid");
        if sent_in {
            // A slash command is no prompt; what it does is told by other records.
            if !words.starts_with('/') {
                self.sent(&words);
                tell.prompt(&words, None);
            }
        } else if is_true(record, "isSynthetic") {
            if std::mem::take(&mut self.compacted) {
                tell.chapter(summary_of(&words));
            } else {
                tell.message(author_of_feedback(&words, tell), &words, id);
            }
        } else if let Some(words) = command_words(&words) {
            tell.message(Author::Command, &words, id);
        } else if is_true(record, "isReplay") {
            match self.sent.iter().position(|sent| *sent == words) {
                Some(place) => drop(self.sent.remove(place)),
                None => tell.prompt(&words, id),
            }
        } else {
            // Interruptions and notices: prompts are not repeated unless they are marked.
            tell.message(Author::Notice, &words, id);
        }
    }

    fn sent(&mut self, words: &str) {
        if self.sent.len() >= MAX_SENT {
            self.sent.pop_front();
        }
        self.sent.push_back(words.to_owned());
    }

    fn assistant(&mut self, record: &Value, tell: &mut Teller) {
        let Some(message) = record.get("message") else { return };
        let id = text(record, "uuid");
        let error = is_true(record, "is_api_error_message");
        let content = || content_text(message.get("content").unwrap_or(&Value::Null));
        // Qwen Code says a failure in the worker's name.
        if error || word(message, "model") == "<synthetic>" || content().starts_with("[API Error:") {
            if error {
                self.error = Some(reason_of_error(word(record, "error")));
            }
            tell.message(Author::Notice, &content(), id);
            return;
        }
        assistant_blocks(message, id, tell);
    }

    fn result(&mut self, record: &Value, tell: &mut Teller) {
        let error = self.error.take();
        // A slash command that calls no model has a result, too.
        let turns = record.get("num_turns").and_then(Value::as_u64);
        if turns == Some(0) && !tell.is_open() {
            return;
        }
        let how = word(record, "terminal_reason");
        let reason = match word(record, "subtype") {
            "error_max_turns" | "error_max_budget_usd" => EndReason::Limited,
            _ if how.starts_with("aborted") => EndReason::Aborted,
            _ if is_true(record, "is_error") => error.unwrap_or(EndReason::Failed),
            _ if word(record, "stop_reason") == "max_tokens" => EndReason::Limited,
            _ if !matches!(how, "" | "completed") => EndReason::Failed,
            "success" => EndReason::Completed,
            _ => EndReason::Failed,
        };
        // One run may have several results; a success without a turn of its own says nothing new.
        if tell.is_open() || reason != EndReason::Completed {
            tell.start_if_none();
            tell.end(reason);
        }
    }

    fn system(&mut self, record: &Value, tell: &mut Teller) {
        match word(record, "subtype") {
            "compact_boundary" => {
                self.compacted = true;
                tell.compacted(|_| false);
            }
            // A run that begins while a tool is still at work: the run before it was killed.
            "init" if tell.has_open_call() => tell.close(),
            "background_tasks_changed" => {
                let tasks = record.get("tasks").and_then(Value::as_array).map_or(0, Vec::len);
                tell.set_background(u64::try_from(tasks).unwrap_or(u64::MAX));
            }
            _ => {}
        }
    }
}
