//! What the tests share: the recordings, and what a reader told, in lines that people can read.

use std::fs;
use std::path::{Path, PathBuf};
use suggest_core::{Author, EndReason, Event, Turn};
use suggest_transcripts::{Format, ReadOptions, Summary, TranscriptError, read};

pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/recordings")).join(name)
}

/// The folders of line-wise and whole-document recordings, with their format.
pub(crate) const FOLDERS: [(&str, Format); 12] = [
    ("claude-code/session", Format::ClaudeCode),
    ("claude-code/stream", Format::ClaudeStream),
    ("codex/rollout", Format::Codex),
    ("codex/exec", Format::CodexExec),
    ("opencode/export", Format::OpencodeExport),
    ("opencode/run", Format::OpencodeRun),
    ("acp", Format::Acp),
    ("gemini/session", Format::Gemini),
    ("gemini/document", Format::GeminiDocument),
    ("gemini/stream", Format::GeminiStream),
    ("qwen/session", Format::Qwen),
    ("qwen/stream", Format::QwenStream),
];

/// The recordings of a folder, by name.
pub(crate) fn recordings(name: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl" || ending == "json"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{name}");
    files
}

pub(crate) fn recording(name: &str) -> Vec<u8> {
    fs::read(folder(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub(crate) fn read_with(
    format: Format,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Vec<Event>, Summary), TranscriptError> {
    let mut events = Vec::new();
    let summary = read(format, bytes, options, |event| events.push(event))?;
    Ok((events, summary))
}

pub(crate) fn events(format: Format, bytes: &[u8]) -> Vec<Event> {
    read_with(format, bytes, &ReadOptions::default()).unwrap().0
}

/// A recording, read whole.
pub(crate) fn told(format: Format, name: &str) -> Vec<Event> {
    events(format, &recording(name))
}

/// The lines of a recording, read whole.
pub(crate) fn lines_of(format: Format, name: &str) -> Vec<String> {
    told(format, name).iter().map(line).collect()
}

/// One event as one line.
pub(crate) fn line(event: &Event) -> String {
    match event {
        Event::TurnStarted { turn, origin } => {
            format!(
                "turn {turn} ({})",
                origin.map_or("?".to_owned(), |origin| format!("{origin:?}").to_lowercase())
            )
        }
        Event::TurnEnded { turn, reason } => format!("end {turn} {}", format!("{reason:?}").to_lowercase()),
        Event::Message(message) => format!("{}: {}", author(message.author), short(&message.text)),
        Event::Tool(tool) => {
            let ok = if tool.ok == Some(false) { "FAILED " } else { "" };
            let files = if tool.files.is_empty() { String::new() } else { format!(" {:?}", tool.files) };
            format!("tool {ok}{}{files}: {}", tool.name, short(tool.summary.as_deref().unwrap_or("-")))
        }
        Event::Plan { items } => {
            let items: Vec<_> = items
                .iter()
                .map(|item| format!("{} [{}]", item.text, format!("{:?}", item.status).to_lowercase()))
                .collect();
            format!("plan {}", items.join(", "))
        }
        Event::Chapter(chapter) => format!("chapter {}: {}", chapter.number, short(&chapter.summary)),
        Event::Goal(goal) => format!(
            "goal r{} {}{}: {}",
            goal.revision,
            format!("{:?}", goal.phase).to_lowercase(),
            if goal.armed { " armed" } else { "" },
            goal.objective
        ),
        Event::GoalCleared { .. } => "goal cleared".to_owned(),
        Event::Asking { open } => format!("asking {open}"),
        Event::HistoryRewritten => "--- rewritten".to_owned(),
        other => format!("{other:?}"),
    }
}

fn author(author: Author) -> String {
    format!("{author:?}").to_lowercase()
}

fn short(text: &str) -> String {
    let text = text.replace('\n', " / ");
    let mut cut: String = text.chars().take(90).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

/// What is left of the conversation after all rewrites: what a slice is made of (rule S1).
pub(crate) fn conversation(events: &[Event]) -> Vec<(Author, String)> {
    let mut said = Vec::new();
    for event in events {
        match event {
            Event::HistoryRewritten => said.clear(),
            Event::Message(message)
                if matches!(
                    message.author,
                    Author::Human | Author::Assistant | Author::Goal | Author::Suggest
                ) =>
            {
                said.push((message.author, message.text.clone()));
            }
            _ => {}
        }
    }
    said
}

/// The texts of one author, in order, rewrites or not.
pub(crate) fn texts(events: &[Event], by: Author) -> Vec<String> {
    let messages = events.iter().filter_map(|event| match event {
        Event::Message(message) if message.author == by => Some(message.text.clone()),
        _ => None,
    });
    messages.collect()
}

/// How the turns ended.
pub(crate) fn ends(events: &[Event]) -> Vec<EndReason> {
    let reasons = events.iter().filter_map(|event| match event {
        Event::TurnEnded { reason, .. } => Some(*reason),
        _ => None,
    });
    reasons.collect()
}

/// The turns that ended, checked to be in order and each begun before.
pub(crate) fn check_turns(events: &[Event], name: &str) {
    let (mut open, mut newest): (Option<Turn>, u64) = (None, 0);
    for event in events {
        match event {
            Event::TurnStarted { turn, .. } => {
                assert!(open.is_none(), "{name}: turn {turn} begins inside another");
                assert_eq!(turn.get(), newest + 1, "{name}");
                (open, newest) = (Some(*turn), turn.get());
            }
            Event::TurnEnded { turn, .. } => assert_eq!(open.take(), Some(*turn), "{name}"),
            _ => {}
        }
    }
}

/// The words of the conversation alone.
#[cfg(feature = "sqlite")]
pub(crate) fn words_of(events: &[Event]) -> Vec<String> {
    conversation(events).into_iter().map(|(_, text)| text).collect()
}
