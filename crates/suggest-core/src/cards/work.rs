//! The completed work that both idle voices speak about, as quoted data (rule C2).

use crate::defuse::{quote, shorten_middle};
use crate::event::{Author, PlanStatus};
use crate::facts::SessionFacts;
use std::fmt::Write as _;

const QUOTE: &str = "| ";
/// Bounds of the parts, in characters.
const TASK_CHARS: usize = 1_500;
const SUMMARY_CHARS: usize = 2_000;
const LINE_CHARS: usize = 240;
const ID_CHARS: usize = 120;
/// Bounds of the lists.
const FILES: usize = 20;
const TOOLS: usize = 12;
const MESSAGES: usize = 6;
const PLAN: usize = 12;

/// The last task of a human, or what stood in its place: a round of the loop or of the goal.
pub(crate) fn last_task(facts: &SessionFacts) -> Option<&str> {
    let said = |wanted: &[Author]| {
        facts
            .messages
            .iter()
            .rev()
            .find(|message| wanted.contains(&message.author) && !message.text.trim().is_empty())
            .map(|message| message.text.as_str())
    };
    said(&[Author::Human])
        .or_else(|| facts.recent_human.iter().rev().map(String::as_str).find(|text| !text.trim().is_empty()))
        .or_else(|| said(&[Author::Suggest, Author::Goal]))
}

/// The worker's last words.
pub(crate) fn last_answer(facts: &SessionFacts) -> Option<&str> {
    facts
        .messages
        .iter()
        .rev()
        .find(|message| message.author == Author::Assistant && !message.text.trim().is_empty())
        .map(|message| message.text.as_str())
}

/// Whether there is enough to speak about (rule C1).
pub(crate) fn is_enough(facts: &SessionFacts) -> bool {
    facts.completed_turns > 0 && last_task(facts).is_some() && last_answer(facts).is_some()
}

/// The user message: every quoted line stands behind a mark, so that nothing in it is taken for a section or for an
/// instruction. Texts are scrubbed and defused already.
pub(crate) fn quoted(hero: &str, session: &str, facts: &SessionFacts) -> String {
    let mut out = String::new();
    section(&mut out, "Hero (the agent)", &shorten_middle(hero, ID_CHARS));
    section(&mut out, "Session", &shorten_middle(session, ID_CHARS));
    section(
        &mut out,
        "Last task of the human",
        &shorten_middle(last_task(facts).unwrap_or("(none)"), TASK_CHARS),
    );
    section(
        &mut out,
        "What the worker said when it was done",
        &shorten_middle(last_answer(facts).unwrap_or("(nothing)"), SUMMARY_CHARS),
    );
    let skipped = facts.touched_files.len().saturating_sub(FILES);
    let files: Vec<&str> = facts.touched_files.iter().skip(skipped).map(String::as_str).collect();
    section(&mut out, "Files touched, newest last", &or_none(files.join("\n")));
    section(&mut out, "Recent activity, oldest first", &or_none(activity(facts)));
    out.truncate(out.trim_end().len());
    out
}

fn or_none(text: String) -> String {
    if text.is_empty() { "(none)".to_owned() } else { text }
}

fn section(out: &mut String, title: &str, text: &str) {
    let _ = writeln!(out, "## {title}\n{}\n", quote(text, QUOTE, QUOTE));
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shorten_middle(&line, LINE_CHARS)
}

fn activity(facts: &SessionFacts) -> String {
    let mut lines = Vec::new();
    // The newest task and answer have their own sections.
    let earlier: Vec<_> =
        facts.messages.iter().rev().skip(2).take(MESSAGES).collect::<Vec<_>>().into_iter().rev().collect();
    for message in earlier {
        let who = match message.author {
            Author::Human => "human",
            Author::Assistant => "worker",
            Author::Suggest => "autorun",
            Author::Goal => "goal round",
            Author::Advisor | Author::Plugin | Author::Host | Author::Command | Author::Notice => continue,
        };
        lines.push(format!("turn {}, {who}: {}", message.turn, one_line(&message.text)));
    }
    let skipped = facts.tools.len().saturating_sub(TOOLS);
    for tool in facts.tools.iter().skip(skipped) {
        let how = match tool.ok {
            Some(true) => "ok",
            Some(false) => "failed",
            None => "ran",
        };
        let what = tool.summary.as_deref().map(one_line).unwrap_or_else(|| tool.files.join(", "));
        lines.push(format!("turn {}, tool {} {how}: {}", tool.turn, tool.name, one_line(&what)));
    }
    for item in facts.plan.iter().filter(|item| item.status != PlanStatus::Completed).take(PLAN) {
        let how = match item.status {
            PlanStatus::Pending => "open",
            PlanStatus::InProgress => "begun",
            PlanStatus::Completed => "done",
        };
        lines.push(format!("plan, {how}: {}", one_line(&item.text)));
    }
    lines.join("\n")
}
