//! Reading the tail of a large log: as much as a slice needs, and the last goal, wherever it stands.

use super::backward::{BackwardLines, find_line, to_u64};
use super::error::LogError;
use super::frames::MAGIC;
use super::header::Header;
use super::lines::Lines;
use super::options::{ReadOptions, TailBudget};
use super::reader::{Folding, LogReader, MAX_HEADER, parse, turn_of};
use super::summary::Summary;
use crate::fold::{Fold, Raw, is_conversation, of_user_message, peek_kind};
use memchr::memmem::Finder;
use serde_json::Value;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use suggest_core::{Author, Event, SessionKind, Turn};

/// So far behind a full budget a tail may begin in the middle of a turn.
const PATIENCE: u64 = 4 * 1024 * 1024;

/// So far behind a full budget a tail may begin even if no turn ended in it.
const MUCH_PATIENCE: u64 = 64 * 1024 * 1024;

/// Reads the tail of a session log that can be sought in, backwards until the budget of `options` is filled.
///
/// What comes out of the sink is: the last plan and chapter shortly before the tail, the last goal before it, and the
/// tail, whose turn numbers come from its events. The goal is searched for backwards in the whole file; everything
/// else costs what the tail costs. A compressed log is read whole.
///
/// # Errors
///
/// As [`LogReader::new`] and [`LogReader::read`].
pub fn read_tail<R: Read + Seek>(
    input: &mut R,
    options: &ReadOptions,
    mut sink: impl FnMut(Event),
) -> Result<Summary, LogError> {
    input.seek(SeekFrom::Start(0))?;
    let mut first = Vec::new();
    input.by_ref().take(4).read_to_end(&mut first)?;
    input.seek(SeekFrom::Start(0))?;
    if first == MAGIC {
        return LogReader::new(input)?.read(options, sink);
    }
    let (header, floor) = read_header(input)?;
    let session = header.session_kind();
    let size = input.seek(SeekFrom::End(0))?;
    let end = match options.at_turn {
        None => size,
        Some(turn) => match find_turn_end(input, (floor, size), turn, options)? {
            Some(end) => end,
            None => {
                // The turn has no end, or there is no such turn: only the whole log can tell.
                input.seek(SeekFrom::Start(0))?;
                return LogReader::new(input)?.read(options, sink);
            }
        },
    };
    let tail = find_tail(input, (floor, end), session, &options.tail, options.limits.line_bytes)?;
    let mut folding = Folding::new(Fold::of_log(session), None, true);
    for fact in facts_before(input, (floor, tail.start), &tail, options)? {
        let _: ControlFlow<()> = folding.event(fact, &mut sink);
    }
    if tail.start > floor {
        folding.fold.goes_on_in_the_middle();
    }
    input.seek(SeekFrom::Start(tail.start))?;
    let range = BufReader::with_capacity(128 * 1024, input.by_ref().take(end.saturating_sub(tail.start)));
    let mut lines = Lines::new(range, options.limits.line_bytes, tail.start);
    folding.read(&mut lines, &mut sink)?;
    folding.summary.lines = lines.count().saturating_add(1);
    folding.summary.tail_only = tail.start > floor;
    folding.summary.cut_at_turn = options.at_turn.is_some();
    folding.finish()
}

/// The header, and where the line behind it begins.
pub(crate) fn read_header<R: Read + Seek>(input: &mut R) -> Result<(Header, u64), LogError> {
    let mut lines = Lines::new(BufReader::new(input.by_ref().take(to_u64(MAX_HEADER))), MAX_HEADER, 0);
    let header = match lines.next_line()? {
        None => return Err(LogError::Empty),
        Some(line) => {
            let long = LogError::NotALog { reason: "its first line is longer than any header" };
            Header::read(line.text.ok_or(long)?)?
        }
    };
    Ok((header, lines.offset()))
}

/// Where the tail begins, and what it holds.
struct Tail {
    start: u64,
    goal: bool,
    plan: bool,
    rewrite: bool,
}

/// Walks backwards until there is enough. The tail begins behind the end of a turn where that is not far.
fn find_tail<R: Read + Seek>(
    input: &mut R,
    (floor, end): (u64, u64),
    session: SessionKind,
    budget: &TailBudget,
    limit: usize,
) -> Result<Tail, LogError> {
    let mut tail = Tail { start: floor, goal: false, plan: false, rewrite: false };
    let (mut chars, mut ends) = (0_usize, 0_u32);
    // What a compaction replaced: everything up to this event is out of sight, and more would change nothing.
    let mut hidden_up_to: Option<u64> = None;
    let mut covered = false;
    let mut lines = BackwardLines::new(input, floor, end, limit);
    while let Some(line) = lines.next_line()? {
        let far = end.saturating_sub(line.end);
        if (chars >= budget.chars || covered) && (far > PATIENCE && ends > 0 || far > MUCH_PATIENCE) {
            tail.start = line.end;
            break;
        }
        let Some(text) = line.text else { continue };
        let kind = peek_kind(text);
        if text.is_empty() || kind.is_some_and(|kind| !counts(kind)) {
            continue;
        }
        let Some(mut raw) = parse(text).ok().and_then(|(value, _)| Raw::from_value(value)) else { continue };
        // A range that ends with an earlier summary hides what that one hid, and what it left stays in sight.
        let ends_with_summary = raw.replaces.is_some() && raw.seq.is_some() && raw.seq == hidden_up_to;
        covered = covered
            || !ends_with_summary && raw.seq.zip(hidden_up_to).is_some_and(|(seq, hidden)| seq <= hidden);
        match raw.kind.as_str() {
            "turn/end" if ends > 0 && (covered || chars >= budget.chars && ends >= budget.turns) => {
                tail.start = line.end;
                break;
            }
            "turn/end" => ends = ends.saturating_add(1),
            "goal/change" => tail.goal = true,
            "todo/write" => tail.plan = true,
            "user/message" | "assistant/message" => {
                let replaces = raw.replaces;
                let spoken = raw.kind == "assistant/message";
                let message = raw.take_message();
                let source = of_user_message(message.get("source"), session);
                if let (Some(range), true) = (replaces, source.compaction) {
                    tail.rewrite = true;
                    hidden_up_to =
                        if ends_with_summary { Some(range.end) } else { hidden_up_to.max(Some(range.end)) };
                }
                let author = if spoken { Author::Assistant } else { source.author };
                if is_conversation(author) {
                    chars = chars.saturating_add(count_chars(message.get("content")));
                }
            }
            _ => {}
        }
    }
    Ok(tail)
}

/// Whether a line of this type has a say in where the tail begins.
fn counts(kind: &str) -> bool {
    matches!(kind, "turn/end" | "goal/change" | "todo/write" | "user/message" | "assistant/message")
}

/// The characters of a message's text.
fn count_chars(content: Option<&Value>) -> usize {
    match content {
        Some(Value::String(text)) => text.chars().count(),
        Some(Value::Array(blocks)) => blocks
            .iter()
            .filter(|block| block.get("type").and_then(Value::as_str) == Some("text"))
            .filter_map(|block| block.get("text")?.as_str())
            .map(|text| text.chars().count())
            .fold(0, usize::saturating_add),
        _ => 0,
    }
}

/// The facts of before the tail that still hold: the last summary and plan shortly before it, the last goal.
fn facts_before<R: Read + Seek>(
    input: &mut R,
    (floor, start): (u64, u64),
    tail: &Tail,
    options: &ReadOptions,
) -> Result<Vec<Value>, LogError> {
    let near = start.saturating_sub(options.tail.hint_bytes).max(floor);
    let near = if near > floor { next_line_start(input, near, start)? } else { floor };
    let limit = options.limits.line_bytes;
    let mut facts = Vec::new();
    let mut newest = |name: &str, from: u64| -> Result<(), LogError> {
        let needle = format!("\"{name}\"");
        let found =
            find_line(input, (from, start), &Finder::new(&needle), limit, |line, _| of_kind(line, name))?;
        facts.extend(found);
        Ok(())
    };
    if !tail.rewrite {
        newest("compaction/summary", near)?;
    }
    if !tail.plan {
        newest("todo/write", near)?;
    }
    if !tail.goal {
        newest("goal/change", floor)?;
    }
    for fact in &mut facts {
        told_alone(fact);
    }
    Ok(facts)
}

/// A summary of a compaction is told as the message that carried it into the conversation.
fn told_alone(fact: &mut Value) {
    if fact.get("type").and_then(Value::as_str) != Some("compaction/summary") {
        return;
    }
    let seq = fact.get("seq").cloned().unwrap_or_default();
    let content =
        fact.get_mut("data").and_then(|data| data.get_mut("summary")).map(Value::take).unwrap_or_default();
    *fact = serde_json::json!({
        "type": "user/message", "seq": seq, "surfaceOp": { "op": "replace", "start": 0, "end": 0 },
        "data": { "role": "user", "source": { "kind": "compact" }, "content": content },
    });
}

/// The end of a turn, looked for backwards.
fn find_turn_end<R: Read + Seek>(
    input: &mut R,
    range: (u64, u64),
    turn: Turn,
    options: &ReadOptions,
) -> Result<Option<u64>, LogError> {
    let finder = Finder::new("\"turn/end\"");
    let found = find_line(input, range, &finder, options.limits.line_bytes, |line, next| {
        let ended = turn_of(&of_kind(line, "turn/end")?)?;
        (ended <= turn).then_some((ended, next))
    })?;
    Ok(found.filter(|(ended, _)| *ended == turn).map(|(_, next)| next))
}

/// The event of a line, if it is of this type.
fn of_kind(line: &[u8], kind: &str) -> Option<Value> {
    if peek_kind(line).is_some_and(|found| found != kind) {
        return None;
    }
    let (value, _) = parse(line).ok()?;
    (value.get("type").and_then(Value::as_str) == Some(kind)).then_some(value)
}

/// The first line start behind an offset.
fn next_line_start<R: Read + Seek>(input: &mut R, offset: u64, end: u64) -> Result<u64, LogError> {
    input.seek(SeekFrom::Start(offset))?;
    let range = BufReader::new(input.by_ref().take(end.saturating_sub(offset)));
    let mut lines = Lines::new(range, 0, offset);
    lines.next_line()?;
    Ok(lines.offset())
}
