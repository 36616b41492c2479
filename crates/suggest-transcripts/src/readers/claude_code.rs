//! Claude Code's session file: a tree of records, most of which mean nothing.

use super::{Reader, peek_type};
use crate::json::{between, content_text, has, is_true, list, text, word};
use crate::teller::Teller;
use crate::tools::output_text;
use crate::tree::{Branch, Tree};
use serde_json::Value;
use std::collections::HashSet;
use suggest_core::{Author, EndReason, GoalPhase, Origin, SessionKind};

/// What the harness writes when the person stopped the worker.
const INTERRUPTED: &str = "[Request interrupted by user";

/// What it says before the words of a Stop hook that sent the worker on.
const STOP_FEEDBACK: &str = "Stop hook feedback:";

/// Reads a session file of Claude Code.
#[derive(Debug, Default)]
pub(crate) struct ClaudeCode {
    tree: Tree,
    /// Whether the file names the source of its prompts. Older files do not.
    names_sources: bool,
    /// A Stop hook sent the worker on, and it has not spoken since.
    sent_on: bool,
    any_prompt: bool,
}

impl Reader for ClaudeCode {
    fn is_noise(&self, line: &[u8]) -> bool {
        peek_type(line).is_some_and(is_noise)
    }

    fn record(&mut self, record: Value, tell: &mut Teller) {
        let at = tell.next_record();
        let kind = word(&record, "type");
        if is_noise(kind) {
            return;
        }
        if is_true(&record, "isSidechain") && tell.session() != SessionKind::Subagent {
            if self.any_prompt || tell.newest().is_some() {
                return;
            }
            // Nothing else came before: this is the subagent's own file.
            tell.set_session(SessionKind::Subagent);
        }
        if let Some(id) = text(&record, "uuid")
            && !self.tree.note(id, at)
        {
            return;
        }
        match kind {
            "user" => self.user(&record, at, tell),
            "assistant" => self.assistant(&record, tell),
            "system" => self.system(&record, tell),
            "attachment" => self.attachment(&record, tell),
            kind => tell.skip(kind),
        }
    }
}

impl ClaudeCode {
    fn user(&mut self, record: &Value, at: u64, tell: &mut Teller) {
        let message = record.get("message").unwrap_or(&Value::Null);
        let content = message.get("content").unwrap_or(&Value::Null);
        if tool_results(content, tell) || has(record, "toolUseResult") {
            return;
        }
        self.names_sources |=
            ["promptSource", "rowSource", "turnOrigin", "turnPosition"].iter().any(|key| has(record, key));
        let words = content_text(content);
        let id = text(record, "uuid");
        let source = word(record, "promptSource");
        let starts_turn = has(record, "turnOrigin");
        if is_true(record, "isCompactSummary") {
            tell.chapter(summary_of(&words));
        } else if matches!(source, "typed" | "queued" | "sdk") {
            self.prompt(record, at, &words, tell);
        } else if words.starts_with(INTERRUPTED) && words.trim_end().ends_with(']') {
            tell.end(EndReason::Aborted);
        } else if is_true(record, "hookText") || words.starts_with(STOP_FEEDBACK) {
            self.sent_on = true;
            tell.go_on();
            tell.message(author_of_feedback(&words, tell), &words, id);
        } else if source == "system" || words.trim_start().starts_with("<task-notification>") {
            tell.start(Origin::Other);
            tell.message(Author::Notice, &words, id);
        } else if is_true(record, "isMeta") {
            tell.message(Author::Host, &words, id);
        } else if let Some(words) = command_words(&words) {
            if starts_turn {
                tell.start(Origin::Human);
            }
            tell.message(Author::Command, &words, id);
        } else if self.names_sources {
            // Everything that a person writes names its source here.
            tell.message(Author::Host, &words, id);
        } else if !words.trim().is_empty() {
            self.prompt(record, at, &words, tell);
        }
    }

    fn prompt(&mut self, record: &Value, at: u64, words: &str, tell: &mut Teller) {
        self.any_prompt = true;
        let parent = text(record, "parentUuid");
        match self.tree.prompt(parent, at) {
            // Old and cut files have prompts that hang on nothing.
            Branch::Tip => {}
            Branch::Root | Branch::Unseen if !self.names_sources => {}
            Branch::Behind(place) => tell.rewound(place),
            Branch::Root => tell.rewound(0),
            Branch::Unseen => {
                tell.set_lost();
                tell.rewound(0);
            }
        }
        tell.prompt(words, text(record, "uuid"));
        self.sent_on = false;
    }

    fn assistant(&mut self, record: &Value, tell: &mut Teller) {
        let Some(message) = record.get("message") else { return };
        self.sent_on = false;
        let id = text(record, "uuid");
        let error = is_true(record, "isApiErrorMessage");
        if error || word(message, "model") == "<synthetic>" {
            tell.message(Author::Notice, &content_text(message.get("content").unwrap_or(&Value::Null)), id);
            if error {
                tell.end(reason_of_error(word(record, "error")));
            }
            return;
        }
        assistant_blocks(message, id, tell);
        match word(message, "stop_reason") {
            "end_turn" | "stop_sequence" => tell.expect_end(EndReason::Completed),
            _ => tell.go_on(),
        }
    }

    fn system(&mut self, record: &Value, tell: &mut Teller) {
        match word(record, "subtype") {
            // Also written after each round of a goal, which goes on.
            "stop_hook_summary" => {
                if !self.sent_on && !tell.has_open_call() {
                    tell.end(EndReason::Completed);
                }
            }
            "turn_duration" => {
                tell.end(EndReason::Completed);
                let background = record.get("pendingBackgroundAgentCount").and_then(Value::as_u64);
                tell.set_background(background.unwrap_or(0));
            }
            "compact_boundary" => {
                tell.settle();
                let metadata = record.get("compactMetadata").unwrap_or(&Value::Null);
                let preserved = metadata.get("preservedMessages").unwrap_or(&Value::Null);
                let places: HashSet<u64> =
                    list(preserved, "uuids").iter().filter_map(|id| self.tree.place(id.as_str()?)).collect();
                tell.compacted(|at| places.contains(&at));
            }
            "local_command" => {
                let words = word(record, "content");
                let plain = command_words(words).unwrap_or_else(|| words.to_owned());
                tell.message(Author::Command, &plain, text(record, "uuid"));
            }
            "informational" => {
                let words = word(record, "content");
                if words.contains("overriding and ending turn") {
                    tell.expect_end(EndReason::Completed);
                } else if words.starts_with("Goal paused")
                    && let Some(objective) = tell.objective().map(str::to_owned)
                {
                    tell.goal(&objective, GoalPhase::Paused);
                }
            }
            "api_error"
            | "model_refusal_no_fallback"
            | "bridge_status"
            | "away_summary"
            | "agents_killed"
            | "memory_saved"
            | "permission_retry"
            | "scheduled_task_fire"
            | "thinking" => {}
            other => tell.skip(&format!("system/{other}")),
        }
    }

    fn attachment(&mut self, record: &Value, tell: &mut Teller) {
        let Some(attachment) = record.get("attachment") else { return };
        match word(attachment, "type") {
            "goal_status" => {
                let objective = word(attachment, "condition");
                match (is_true(attachment, "met"), is_true(attachment, "sentinel")) {
                    (true, true) => tell.goal_cleared(),
                    (true, false) => tell.goal(objective, GoalPhase::Complete),
                    (false, _) => tell.goal(objective, GoalPhase::Active),
                }
            }
            // A prompt that was typed while the worker was busy, and absorbed into the turn.
            "queued_command" => {
                let words = content_text(attachment.get("prompt").unwrap_or(&Value::Null));
                let id = text(record, "uuid");
                let origin = attachment.get("origin").map_or("human", |origin| word(origin, "kind"));
                if matches!(word(attachment, "commandMode"), "prompt" | "") && origin == "human" {
                    tell.steering(&words, id);
                } else {
                    tell.message(Author::Notice, &words, id);
                }
            }
            _ => {}
        }
    }
}

/// Record types that mean nothing here. They are most of a file; some repeat messages.
fn is_noise(kind: &str) -> bool {
    matches!(
        kind,
        "api-request"
            | "api-request-blob"
            | "api-request-shape"
            | "atis-latch"
            | "last-prompt"
            | "mode"
            | "permission-mode"
            | "tools-used"
            | "cost-state"
            | "file-history-snapshot"
            | "custom-title"
            | "ai-title"
            | "agent-name"
            | "queue-operation"
            | "summary"
            | "progress"
            | "tag"
    )
}

/// Tells the tool results in a content. False if there is none: then it is a message.
pub(super) fn tool_results(content: &Value, tell: &mut Teller) -> bool {
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut any = false;
    for block in blocks.iter().filter(|block| word(block, "type") == "tool_result") {
        any = true;
        let output = output_text(block.get("content").unwrap_or(&Value::Null));
        tell.finished(word(block, "tool_use_id"), &output, is_true(block, "is_error"));
    }
    any
}

/// Tells the text and the tool calls of an assistant message. Its thinking stays where it is.
pub(super) fn assistant_blocks(message: &Value, id: Option<&str>, tell: &mut Teller) {
    let content = message.get("content").unwrap_or(&Value::Null);
    if let Some(text) = content.as_str() {
        tell.go_on();
        tell.assistant(text, id);
    }
    for block in content.as_array().map(Vec::as_slice).unwrap_or_default() {
        match word(block, "type") {
            "text" => {
                tell.go_on();
                tell.assistant(word(block, "text"), id);
            }
            "tool_use" => {
                tell.called(
                    word(block, "id"),
                    word(block, "name"),
                    block.get("input").unwrap_or(&Value::Null),
                );
            }
            _ => {}
        }
    }
}

/// Who sent the worker on: the goal, or a Stop hook of the person's own.
pub(super) fn author_of_feedback(words: &str, tell: &Teller) -> Author {
    match tell.objective() {
        Some(objective) if words.contains(&format!("[{objective}]")) => Author::Goal,
        _ => Author::Host,
    }
}

pub(super) fn reason_of_error(error: &str) -> EndReason {
    if error == "max_output_tokens" { EndReason::Limited } else { EndReason::Failed }
}

/// The words of a slash command, a shell command or its output, without the marks around them. `None` for anything else.
pub(super) fn command_words(text: &str) -> Option<String> {
    let start = text.trim_start();
    let inner =
        |tag: &str| between(text, &format!("<{tag}>"), &format!("</{tag}>")).unwrap_or_default().trim();
    let words = if start.starts_with("<command-name>") || start.starts_with("<command-message>") {
        format!("{} {}", inner("command-name"), inner("command-args"))
    } else if start.starts_with("<local-command-stdout>") || start.starts_with("<local-command-stderr>") {
        format!("{}\n{}", inner("local-command-stdout"), inner("local-command-stderr"))
    } else if start.starts_with("<bash-input>") {
        format!("! {}", inner("bash-input"))
    } else if start.starts_with("<bash-stdout>") || start.starts_with("<bash-stderr>") {
        format!("{}\n{}", inner("bash-stdout"), inner("bash-stderr"))
    } else if start.starts_with("<local-command-caveat>") {
        String::new()
    } else {
        return None;
    };
    Some(words.trim().to_owned())
}

/// The summary behind the harness's own introduction.
pub(super) fn summary_of(words: &str) -> &str {
    let summary = words.split_once("\nSummary:").map_or(words, |(_, summary)| summary);
    // Behind it stands where the model finds the rest.
    summary.split_once("\n\nIf you need specific details").map_or(summary, |(summary, _)| summary).trim()
}
