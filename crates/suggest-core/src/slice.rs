//! The slice that the director's model reads: goal, chapters, live tail, and nothing else (section S).
//!
//! Everything quoted stands behind `| `, so that nothing inside can be taken for a section, for the protocol of the
//! answer, or for an instruction. The same events and configuration give the same bytes (rule S3).

use crate::defuse::{quote, shorten_middle};
use crate::event::{Goal, GoalPhase};
use crate::text::keep_end;
use crate::transcript::{Entry, Speaker, Transcript};
use std::fmt::Write as _;

const GOAL_RULE: &str =
    "The step must advance this goal. If it is already met, the right step is to close it out (GOAL:).";
const QUOTE: &str = "| ";
/// What the tail gets at least, before the chapters get anything: its title, the longest label and some words.
const TAIL_CHARS: usize = 160;

/// The goal as the slice states it (rule G1).
pub(crate) struct GoalSection<'a> {
    pub(crate) goal: &'a Goal,
    /// Its objective, defused and scrubbed.
    pub(crate) objective: &'a str,
}

/// Builds the slice, at most `max_chars` characters in all (rule S2).
pub(crate) fn build(transcript: &Transcript, goal: Option<GoalSection<'_>>, max_chars: usize) -> String {
    let mut slice = String::new();
    if let Some(section) = goal {
        write_goal(&mut slice, &section, max_chars / 4);
    }
    let left = max_chars.saturating_sub(slice.chars().count());
    write_chapters(&mut slice, transcript, (max_chars / 4).min(left.saturating_sub(TAIL_CHARS)));
    let spent = slice.chars().count();
    write_tail(&mut slice, transcript, max_chars.saturating_sub(spent));
    slice
}

fn write_goal(slice: &mut String, section: &GoalSection<'_>, budget: usize) {
    let phase = match section.goal.phase {
        GoalPhase::Active => "active",
        GoalPhase::Paused => "paused while autorun runs",
        GoalPhase::Blocked => "blocked",
        GoalPhase::Complete => "complete",
    };
    let _ = writeln!(slice, "## Goal (revision {}, {phase})", section.goal.revision);
    push_line(slice, &quoted_within(section.objective, budget, shorten_middle));
    push_line(slice, GOAL_RULE);
    slice.push('\n');
}

fn write_chapters(slice: &mut String, transcript: &Transcript, budget: usize) {
    const TITLE: &str = "## Chapters (oldest first)";
    let mut left = budget.saturating_sub(TITLE.len() + 2);
    let mut lines = Vec::new();
    for line in transcript.chapters().lines().rev() {
        let quoted = quote(line, QUOTE, QUOTE);
        let cost = quoted.chars().count() + 1;
        if cost <= left {
            left -= cost;
            lines.push(quoted);
            continue;
        }
        if lines.is_empty() && left > 40 {
            lines.push(quoted_within(line, left - 1, shorten_middle));
        }
        break;
    }
    if lines.is_empty() {
        return;
    }
    push_line(slice, TITLE);
    for line in lines.iter().rev() {
        push_line(slice, line);
    }
    slice.push('\n');
}

fn write_tail(slice: &mut String, transcript: &Transcript, budget: usize) {
    let tail = transcript.tail();
    if tail.is_empty() {
        return;
    }
    // The title is counted with the largest number that it can come to hold.
    let all = tail.entries().fold(tail.gone(), |all, entry| all.saturating_add(entry.chars));
    let title_chars = title(all.max(1)).chars().count() + 1;
    let mut left = budget.saturating_sub(title_chars);
    let mut blocks: Vec<String> = Vec::new();
    let mut left_out = tail.gone();
    let mut cutting = false;
    for entry in tail.entries().rev() {
        if cutting {
            left_out += entry.chars;
            continue;
        }
        let block = render(entry, &entry.text);
        let cost = block.chars().count() + 1;
        if cost <= left {
            left -= cost;
            blocks.push(block);
            continue;
        }
        cutting = true;
        if blocks.is_empty() {
            // Nothing fits whole: the newest message is cut inside, its end kept.
            let label = label(entry.speaker).chars().count() + 2;
            let room = left.saturating_sub(label);
            let text = quoted_within(&entry.text, room, |text, max| keep_end(text, max).0);
            let kept = text.chars().count().min(entry.chars);
            left_out += entry.chars - kept;
            blocks.push(format!("{}\n{text}", label_line(entry.speaker)));
        } else {
            left_out += entry.chars;
        }
    }
    push_line(slice, &title(left_out));
    for block in blocks.iter().rev() {
        push_line(slice, block);
    }
    slice.pop();
}

fn title(left_out: usize) -> String {
    if left_out == 0 {
        "## Conversation (oldest first)".to_owned()
    } else {
        format!("## Conversation (oldest first; {left_out} characters before this left out)")
    }
}

fn label(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::Human => "Human",
        Speaker::Assistant => "Assistant",
        Speaker::Autorun => "Autorun (a step of yours that was run)",
        Speaker::GoalRound => "Goal driver: another round for the goal",
        Speaker::Silence => "Assistant: no message; the turn used tools only",
    }
}

fn label_line(speaker: Speaker) -> String {
    format!("{}:", label(speaker))
}

fn render(entry: &Entry, text: &str) -> String {
    match entry.speaker {
        Speaker::Silence => format!("({})", label(entry.speaker)),
        Speaker::GoalRound if text.is_empty() => format!("({})", label(entry.speaker)),
        Speaker::GoalRound | Speaker::Human | Speaker::Assistant | Speaker::Autorun => {
            format!("{}\n{}", label_line(entry.speaker), quote(text, QUOTE, QUOTE))
        }
    }
}

fn push_line(slice: &mut String, line: &str) {
    slice.push_str(line);
    slice.push('\n');
}

/// Quotes a text so that the quoted form is at most `max` characters: each line costs its quote mark too.
fn quoted_within(text: &str, max: usize, cut: impl Fn(&str, usize) -> String) -> String {
    let whole = quote(text, QUOTE, QUOTE);
    if whole.chars().count() <= max {
        return whole;
    }
    let mut room = max.saturating_sub(QUOTE.len());
    loop {
        let quoted = quote(&cut(text, room), QUOTE, QUOTE);
        let chars = quoted.chars().count();
        if chars <= max || room == 0 {
            return quoted;
        }
        room = room.saturating_sub((chars - max).max(1));
    }
}
