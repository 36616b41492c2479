//! A summary without a model: what was asked, what the worker said, and which files it touched.

use crate::cards::work::{last_answer, last_task};
use crate::defuse::shorten_middle;
use crate::facts::SessionFacts;

const TASK_CHARS: usize = 240;
const ANSWER_CHARS: usize = 400;
const FILES: usize = 5;

/// The summary that the facts carry; nothing where nobody asked or answered.
pub(super) fn summary(facts: &SessionFacts) -> Option<String> {
    let task = first_paragraph(last_task(facts)?);
    let answer = first_paragraph(last_answer(facts)?);
    let mut text = format!("Asked: {} Done: {}", ended(&task, TASK_CHARS), ended(&answer, ANSWER_CHARS));
    let files: Vec<&str> = facts.touched_files.iter().rev().take(FILES).map(String::as_str).collect();
    if !files.is_empty() {
        text.push_str(&format!(" Files: {}", files.join(", ")));
        match facts.touched_files.len().saturating_sub(files.len()) {
            0 => text.push('.'),
            more => text.push_str(&format!(" and {more} more.")),
        }
    }
    Some(text)
}

fn first_paragraph(text: &str) -> String {
    let lines =
        text.lines().map(str::trim).skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

fn ended(text: &str, most: usize) -> String {
    let mut text = shorten_middle(text, most);
    if !text.ends_with(['.', '!', '?', '。', '！', '？', '…']) {
        text.push('.');
    }
    text
}
