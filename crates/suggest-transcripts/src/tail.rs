//! Reading the tail of a large line-wise session: as much as a slice needs, and the last goal and plan before it.

use crate::error::TranscriptError;
use crate::fold::parse;
use crate::format::Format;
use crate::json::{content_text, has, is_true, list, text, word};
use crate::options::ReadOptions;
use crate::read::Folding;
use crate::readers::is_acp_prompt;
use memchr::memmem::Finder;
use serde_json::Value;
use std::io::{BufReader, Read, Seek, SeekFrom};
use suggest_core::Event;
use suggest_host_dsh::{BackwardLines, Lines, Summary, TailBudget, find_line};

/// So far behind a full budget a tail may begin in the middle of a turn.
const PATIENCE: u64 = 4 * 1024 * 1024;

/// So far a tail reaches even if the budget is not filled: what lies before it is noise.
const MUCH_PATIENCE: u64 = 64 * 1024 * 1024;

/// The longest line at the beginning that is looked at.
const HEADING: usize = 4 * 1024 * 1024;

/// What a record means for the place where a tail may begin.
#[derive(Debug, Default)]
struct Look {
    /// A turn begins here: reading may begin with this record.
    starts: bool,
    /// Everything before it is out of sight: reading may begin here, and more would change nothing.
    covers: bool,
    /// The characters of conversation in it.
    chars: usize,
}

/// Reads the tail. `None` if only the whole session can tell: it is short, or a rewind in the tail goes behind it.
pub(crate) fn read<R: Read + Seek>(
    format: Format,
    input: &mut R,
    options: &ReadOptions,
    sink: &mut dyn FnMut(Event),
) -> Result<Option<Summary>, TranscriptError> {
    let end = input.seek(SeekFrom::End(0))?;
    let Some(start) = find_start(format, input, end, &options.tail, options.limits.line_bytes)? else {
        return Ok(None);
    };
    let mut folding = Folding::new(format, options, true);
    for record in heading(format, input, start)? {
        folding.fold.record(record, &mut drop);
    }
    for fact in facts_before(format, input, start, options)? {
        folding.fold.record(fact, &mut |output| {
            let event = output.into_event();
            if matches!(event, Event::Plan { .. } | Event::Goal(_) | Event::GoalCleared { .. }) {
                sink(event);
            }
        });
    }
    input.seek(SeekFrom::Start(start))?;
    let range = BufReader::with_capacity(128 * 1024, input.by_ref().take(end.saturating_sub(start)));
    let mut lines = Lines::new(range, options.limits.line_bytes, start);
    folding.read(&mut lines, sink)?;
    if folding.fold.lost() {
        return Ok(None);
    }
    folding.summary.tail_only = true;
    folding.finish(format, lines.count(), sink).map(Some)
}

/// The records at the beginning that say what the session is: whose, in which form, with what context injected.
fn heading<R: Read + Seek>(format: Format, input: &mut R, start: u64) -> Result<Vec<Value>, TranscriptError> {
    if !matches!(format, Format::Codex | Format::Gemini) {
        return Ok(Vec::new());
    }
    input.rewind()?;
    let mut lines = Lines::new(BufReader::new(input.by_ref().take(start)), HEADING, 0);
    let mut records = Vec::new();
    while lines.count() < 2
        && let Some(line) = lines.next_line()?
    {
        let Some((record, _)) = line.text.and_then(|text| parse(text).ok()) else { continue };
        let context = record.get("$set").is_some_and(|change| list(change, "messages").len() == 1);
        if word(&record, "type") == "session_meta" || has(&record, "projectHash") || context {
            records.push(record);
        }
    }
    Ok(records)
}

/// Walks backwards until there is enough.
fn find_start<R: Read + Seek>(
    format: Format,
    input: &mut R,
    end: u64,
    budget: &TailBudget,
    limit: usize,
) -> Result<Option<u64>, TranscriptError> {
    let (mut chars, mut turns) = (0_usize, 0_u32);
    let mut lines = BackwardLines::new(input, 0, end, limit);
    while let Some(line) = lines.next_line()? {
        let far = end.saturating_sub(line.end);
        if chars >= budget.chars && far > PATIENCE && turns > 0 || far > MUCH_PATIENCE {
            return Ok(Some(line.end));
        }
        let Some((record, _)) =
            line.text.filter(|text| may_count(format, text)).and_then(|text| parse(text).ok())
        else {
            continue;
        };
        let look = look(format, &record);
        chars = chars.saturating_add(look.chars);
        if look.starts {
            turns = turns.saturating_add(1);
        }
        let enough = chars >= budget.chars && turns >= budget.turns.max(1);
        if line.start > 0 && (look.covers || look.starts && enough) {
            return Ok(Some(line.start));
        }
    }
    Ok(None)
}

/// Whether a line may have a say in where the tail begins, seen without parsing it.
fn may_count(format: Format, line: &[u8]) -> bool {
    let head = line.get(..line.len().min(512)).unwrap_or_default();
    let noise: &[&[u8]] = match format {
        Format::ClaudeCode => {
            &[b"{\"type\":\"api-request", b"\"type\":\"prompt_snapshot\"", b"{\"type\":\"queue-"]
        }
        Format::ClaudeStream | Format::QwenStream => &[b"\"type\":\"stream_event\""],
        Format::Codex => {
            &[b"\"type\":\"token_count\"", b"\"type\":\"world_state\"", b"\"type\":\"turn_context\""]
        }
        _ => &[],
    };
    !line.is_empty() && noise.iter().all(|mark| memchr::memmem::find(head, mark).is_none())
}

fn look(format: Format, record: &Value) -> Look {
    let starts = |chars| Look { starts: true, chars, ..Look::default() };
    let says = |chars| Look { chars, ..Look::default() };
    let covers = Look { covers: true, ..Look::default() };
    let kind = word(record, "type");
    let chars_of = |key: &str| record.get(key).map_or(0, |content| content_text(content).chars().count());
    let of_message = || record.get("message").map_or(0, chars_in);
    match format {
        Format::ClaudeCode => match kind {
            "user" if is_true(record, "isSidechain") => Look::default(),
            "user" if has(record, "promptSource") || has(record, "turnOrigin") => starts(of_message()),
            "user" if is_old_prompt(record) => starts(of_message()),
            "assistant" if !is_true(record, "isSidechain") => says(of_message()),
            _ => Look::default(),
        },
        Format::ClaudeStream | Format::QwenStream => match kind {
            _ if has(record, "parent_tool_use_id") => Look::default(),
            "system" if word(record, "subtype") == "init" => starts(0),
            "conversation_reset" => covers,
            "assistant" => says(of_message()),
            _ => Look::default(),
        },
        Format::Codex => {
            let payload = record.get("payload").unwrap_or(&Value::Null);
            let item = payload.get("item").unwrap_or(&Value::Null);
            match (kind, word(payload, "type")) {
                ("compacted", _) => covers,
                (_, "task_started" | "turn_started") => starts(0),
                (_, "item_completed") if matches!(word(item, "type"), "UserMessage" | "AgentMessage") => {
                    says(chars_in(item))
                }
                (_, "user_message" | "agent_message") => says(word(payload, "message").chars().count()),
                _ => Look::default(),
            }
        }
        Format::CodexExec => match kind {
            "turn.started" => starts(0),
            "item.completed" => says(record.get("item").map_or(0, |item| word(item, "text").chars().count())),
            _ => Look::default(),
        },
        Format::Acp if is_acp_prompt(record) => starts(0),
        Format::Acp => {
            let message = record.get("msg").unwrap_or(record);
            let update =
                message.get("params").and_then(|params| params.get("update")).unwrap_or(&Value::Null);
            match word(update, "sessionUpdate") {
                "agent_message_chunk" => says(chars_in(update)),
                _ => Look::default(),
            }
        }
        Format::Gemini => {
            // The list is whole: what came before is in it, or gone.
            if record.get("$set").is_some_and(|change| list(change, "messages").len() > 1) {
                return covers;
            }
            let results = list(record, "content").iter().any(|part| has(part, "functionResponse"));
            match kind {
                "user" if !results => starts(chars_of("content")),
                "gemini" => says(chars_of("content")),
                _ => Look::default(),
            }
        }
        Format::GeminiStream => match (kind, word(record, "role")) {
            ("message", "user") => starts(chars_of("content")),
            ("message", _) => says(chars_of("content")),
            _ => Look::default(),
        },
        Format::Qwen => match kind {
            "user" => starts(record.get("message").map_or(0, chars_in)),
            "assistant" => says(record.get("message").map_or(0, chars_in)),
            "system" if word(record, "subtype") == "chat_compression" => covers,
            _ => Look::default(),
        },
        Format::Events => match kind {
            "turn_started" => starts(0),
            "message" => says(word(record, "text").chars().count()),
            _ => Look::default(),
        },
        // Where a turn begins is not written: a step may be one in the middle of it.
        Format::OpencodeRun => match kind {
            "step_start" => starts(0),
            "text" => says(record.get("part").map_or(0, |part| word(part, "text").chars().count())),
            _ => Look::default(),
        },
        Format::OpencodeStore | Format::OpencodeExport | Format::GeminiDocument => Look::default(),
    }
}

/// A prompt in a file of Claude Code that does not name the source of its prompts.
fn is_old_prompt(record: &Value) -> bool {
    let content = record.get("message").and_then(|message| message.get("content")).unwrap_or(&Value::Null);
    let results = content
        .as_array()
        .is_some_and(|blocks| blocks.iter().any(|block| word(block, "type") == "tool_result"));
    !results
        && !["isMeta", "isCompactSummary"].iter().any(|key| is_true(record, key))
        && !["rowSource", "toolUseResult", "turnPosition"].iter().any(|key| has(record, key))
        && !content_text(content).trim_start().starts_with(['<', '['])
}

fn chars_in(message: &Value) -> usize {
    let content = message.get("content").or_else(|| message.get("parts")).unwrap_or(&Value::Null);
    content_text(content).chars().count()
}

/// The facts of before the tail that still hold: the last goal, wherever it stands, and the last plan shortly before.
fn facts_before<R: Read + Seek>(
    format: Format,
    input: &mut R,
    start: u64,
    options: &ReadOptions,
) -> Result<Vec<Value>, TranscriptError> {
    let near = start.saturating_sub(options.tail.hint_bytes);
    let (goal, plans): (Option<&str>, &[&str]) = match format {
        Format::ClaudeCode => (Some("\"goal_status\""), &["\"TodoWrite\""]),
        Format::ClaudeStream | Format::QwenStream => (None, &["\"TodoWrite\"", "\"todo_write\""]),
        Format::Codex => (None, &["update_plan"]),
        Format::CodexExec => (None, &["\"todo_list\""]),
        Format::Events => (Some("\"type\":\"goal\""), &["\"type\":\"plan\""]),
        _ => (None, &[]),
    };
    let limit = options.limits.line_bytes;
    let mut facts = Vec::new();
    if let Some(mark) = goal {
        facts.extend(find_line(input, (0, start), &Finder::new(mark), limit, |line, _| {
            let record = parse(line).ok()?.0;
            let whole = record.get("attachment").map_or_else(|| word(&record, "type"), |it| word(it, "type"));
            matches!(whole, "goal_status" | "goal").then_some(record)
        })?);
    }
    for mark in plans {
        let from = line_start(input, near, start)?;
        let found = find_line(input, (from, start), &Finder::new(mark), limit, |line, _| {
            plan_fact(format, &parse(line).ok()?.0)
        })?;
        if let Some(records) = found {
            facts.extend(records);
            break;
        }
    }
    Ok(facts)
}

/// The records that tell a plan without the conversation around it.
fn plan_fact(format: Format, record: &Value) -> Option<Vec<Value>> {
    match format {
        Format::Codex => {
            let payload = record.get("payload")?;
            let call = matches!(word(payload, "type"), "function_call" | "custom_tool_call");
            let output = serde_json::json!({ "type": "response_item", "payload": {
                "type": "function_call_output", "call_id": payload.get("call_id")?, "output": "" } });
            call.then(|| vec![record.clone(), output])
        }
        Format::CodexExec | Format::Events => Some(vec![record.clone()]),
        _ => {
            let message = record.get("message")?;
            let call = list(message, "content").iter().find(|block| {
                word(block, "type") == "tool_use" && crate::tools::writes_plan(word(block, "name"))
            })?;
            let id = text(call, "id")?;
            let result = serde_json::json!({ "type": "user", "message": { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": id, "content": "" }] } });
            Some(vec![record.clone(), result])
        }
    }
}

/// The first line start at or behind an offset.
fn line_start<R: Read + Seek>(input: &mut R, offset: u64, end: u64) -> Result<u64, TranscriptError> {
    if offset == 0 {
        return Ok(0);
    }
    input.seek(SeekFrom::Start(offset))?;
    let mut lines = Lines::new(BufReader::new(input.by_ref().take(end.saturating_sub(offset))), 0, offset);
    let length = lines.next_line()?.map_or(0, |line| line.length);
    Ok(offset.saturating_add(length))
}
