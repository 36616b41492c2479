//! Reading a reviewer's reply: the last valid frame in it counts (rule V3).

use crate::answer::{AnswerContext, ReplyFinish, Verdict, clean, fold_for_echo, judge};
use crate::prompts;
use crate::state::Severity;
use crate::text::keep_end;
use serde_json::{Map, Value};

/// Characters of a reply that are looked at: its end, where the last frame stands.
const READ_CHARS: usize = 16_000;
/// Wrappers around a frame, such as `{"review": {…}}`.
const MAX_DEPTH: usize = 4;
const PLACEHOLDER_CHARS: usize = 80;

/// What a reply says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reading {
    /// Nothing at all, or only reasoning.
    Empty,
    /// The output limit cut it: a part of an answer is none.
    Cut,
    /// Words without a frame.
    Prose(String),
    /// A frame, or the word that there is nothing to note.
    Frame(Frame),
}

/// One frame: the gravest note of those in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) severity: Severity,
    /// The severity was none that is known; the note is a nit then.
    pub(super) odd_severity: bool,
    /// Absent when there is nothing to note.
    pub(super) note: Option<String>,
    /// The open blocker is answered.
    pub(super) settled: bool,
}

impl Frame {
    const NOTHING: Self = Self { severity: Severity::Nit, odd_severity: false, note: None, settled: false };
}

pub(super) fn read(reply: &str, finish: ReplyFinish) -> Reading {
    let text = clean(reply);
    if text.trim().is_empty() {
        return Reading::Empty;
    }
    match finish {
        ReplyFinish::Length => return Reading::Cut,
        ReplyFinish::Stop | ReplyFinish::ToolCalls | ReplyFinish::Other => {}
    }
    let (end, _) = keep_end(&text, READ_CHARS);
    // Line breaks inside a text are no JSON, and a note is one paragraph anyway.
    let line: String = end.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if let Some(frame) = last_frame(&line).or_else(|| last_frame(&requoted(&line))) {
        return Reading::Frame(frame);
    }
    let last_line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if says_nothing(&text) || says_nothing(last_line) {
        return Reading::Frame(Frame::NOTHING);
    }
    Reading::Prose(text)
}

/// A frame that was put into a text of its own, or written with typographic quotes.
fn requoted(line: &str) -> String {
    line.replace("\\\"", "\"").replace("\\n", " ").replace(['“', '”', '„', '＂'], "\"")
}

fn last_frame(text: &str) -> Option<Frame> {
    let mut found = None;
    let mut rest = text;
    while let Some(start) = rest.find(['{', '[']) {
        rest = rest.get(start..).unwrap_or_default();
        if !may_hold_a_frame(rest) {
            rest = rest.get(1..).unwrap_or_default();
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let read = match values.next() {
            Some(Ok(value)) => {
                let mut frames = Vec::new();
                collect(&value, MAX_DEPTH, &mut frames);
                found = gravest(frames).or(found);
                values.byte_offset()
            }
            Some(Err(_)) | None => 1,
        };
        rest = rest.get(read.max(1)..).unwrap_or_default();
    }
    found
}

/// An object with a key, or a list of objects.
fn may_hold_a_frame(text: &str) -> bool {
    let mut marks = text.chars().filter(|c| !c.is_whitespace());
    matches!((marks.next(), marks.next()), (Some('{'), Some('"')) | (Some('['), Some('{')))
}

/// Of several notes in one list the gravest counts, the first of equals.
fn gravest(frames: Vec<Frame>) -> Option<Frame> {
    let settled = frames.iter().any(|frame| frame.settled);
    let gravest = frames.into_iter().reduce(|best, frame| {
        let better = match (&best.note, &frame.note) {
            (None, Some(_)) => true,
            (Some(_), Some(_)) => frame.severity > best.severity,
            (_, None) => false,
        };
        if better { frame } else { best }
    })?;
    Some(Frame { settled, ..gravest })
}

fn collect(value: &Value, depth: usize, frames: &mut Vec<Frame>) {
    let Some(deeper) = depth.checked_sub(1) else { return };
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, deeper, frames)),
        Value::Object(object) if is_frame_like(object) => frames.extend(frame(object)),
        Value::Object(object) => object.values().for_each(|inner| collect(inner, deeper, frames)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn field<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    object.iter().find(|(key, _)| key.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn is_frame_like(object: &Map<String, Value>) -> bool {
    field(object, "note").is_some() || field(object, "settled").is_some()
}

fn frame(object: &Map<String, Value>) -> Option<Frame> {
    let settled = match field(object, "settled") {
        Some(Value::Bool(settled)) => *settled,
        Some(Value::String(word)) => fold_for_echo(word) == "true",
        _ => false,
    };
    let note = match field(object, "note") {
        Some(Value::String(note)) if is_placeholder(note) => return None,
        Some(Value::String(note)) if says_nothing(note) => None,
        Some(Value::String(note)) => Some(note.clone()),
        Some(Value::Null) => None,
        None if settled => None,
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) | None => return None,
    };
    let (severity, odd_severity) = match field(object, "severity") {
        Some(Value::String(word)) => severity(word).map_or((Severity::Nit, true), |known| (known, false)),
        _ => (Severity::Nit, true),
    };
    Some(Frame { severity, odd_severity, note, settled })
}

/// The severity that a word means, case, width and marks around it folded.
pub(super) fn severity(word: &str) -> Option<Severity> {
    let folded = fold_for_echo(word);
    match folded.trim_matches(|c: char| !c.is_alphanumeric()) {
        "blocker" | "critical" | "high" => Some(Severity::Blocker),
        "concern" | "warning" | "medium" => Some(Severity::Concern),
        "nit" | "info" | "low" => Some(Severity::Nit),
        _ => None,
    }
}

/// The form or an example of the prompt, given back instead of filled in.
fn is_placeholder(note: &str) -> bool {
    let note = note.trim();
    let bracketed = |open: char, close: char| {
        note.strip_prefix(open)
            .and_then(|inner| inner.strip_suffix(close))
            .is_some_and(|inner| !inner.contains([open, close]))
    };
    let short = note.chars().nth(PLACEHOLDER_CHARS).is_none();
    let dots = !note.is_empty() && note.chars().all(|c| matches!(c, '.' | '…'));
    let folded = fold_for_echo(note);
    dots || (short && (bracketed('<', '>') || bracketed('{', '}') || bracketed('‹', '›')))
        || prompts::advisor::EXAMPLES.iter().any(|(_, example)| fold_for_echo(example) == folded)
}

/// `NONE` and its kin.
fn says_nothing(text: &str) -> bool {
    if text.trim().chars().nth(PLACEHOLDER_CHARS).is_some() {
        return false;
    }
    let context = AnswerContext { max_chars: usize::MAX, recent_human: &[], session_text: "" };
    let word = fold_for_echo(text);
    word.trim_matches(|c: char| !c.is_alphanumeric()) == "null"
        || judge(text, ReplyFinish::Stop, false, &context) == Verdict::Nothing
}
