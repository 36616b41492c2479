//! What the tests share: the recordings, and what a fold told about a session.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use suggest_core::{Author, Chapter, EndReason, Event, GoalPhase, PlanItem, Tool};
use suggest_host_dsh::{Header, LiveFold, LiveRecord, LogReader, Output, ReadOptions, Summary};

/// The folders of recordings, one per host version.
pub(crate) const SETS: [&str; 2] = ["", "0.1.1-rc.2"];

pub(crate) fn folder(set: &str, view: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/recordings/dsh")).join(set).join(view)
}

/// Every recording, as `(set, name)`.
pub(crate) fn recordings() -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    for set in SETS {
        let mut names: Vec<_> = fs::read_dir(folder(set, "persisted"))
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        all.extend(names.into_iter().map(|name| (set, name)));
    }
    assert_eq!(all.len(), 34);
    all
}

pub(crate) fn persisted(set: &str, name: &str) -> Vec<u8> {
    fs::read(folder(set, "persisted").join(format!("{name}.jsonl"))).unwrap()
}

pub(crate) fn live_records(set: &str, name: &str) -> Vec<LiveRecord> {
    let text = fs::read_to_string(folder(set, "live").join(format!("{name}.jsonl"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Reads a whole log.
pub(crate) fn read(bytes: &[u8]) -> (Header, Vec<Event>, Summary) {
    let reader = LogReader::new(bytes).unwrap();
    let header = reader.header().clone();
    let mut events = Vec::new();
    let summary = reader.read(&ReadOptions::default(), |event| events.push(event)).unwrap();
    (header, events, summary)
}

/// Folds the live view of a recording.
pub(crate) fn fold_live(records: Vec<LiveRecord>) -> (LiveFold, Vec<Output>) {
    let mut fold = LiveFold::new(suggest_core::SessionKind::Interactive);
    let mut outputs = Vec::new();
    for record in records {
        fold.record(record, &mut |output| outputs.push(output));
    }
    (fold, outputs)
}

/// What a fold told about a session, as a core would keep it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) messages: Vec<(Author, String, Option<String>)>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) turns: BTreeMap<u64, Option<EndReason>>,
    pub(crate) goal: Option<(String, u64, GoalPhase, String)>,
    pub(crate) chapters: BTreeMap<u64, Chapter>,
    pub(crate) plan: Vec<PlanItem>,
    pub(crate) rewrites: usize,
}

impl Told {
    pub(crate) fn of(events: impl IntoIterator<Item = Event>) -> Self {
        let mut told = Self::default();
        for event in events {
            match event {
                Event::TurnStarted { turn, .. } => drop(told.turns.insert(turn.get(), None)),
                Event::TurnEnded { turn, reason } => drop(told.turns.insert(turn.get(), Some(reason))),
                Event::Message(message) => {
                    told.messages.push((message.author, message.text, message.producer))
                }
                Event::Tool(tool) => told.tools.push(tool),
                Event::Goal(goal) => {
                    told.goal = Some((goal.id, goal.revision.get(), goal.phase, goal.objective));
                }
                Event::GoalCleared { .. } => told.goal = None,
                Event::Chapter(chapter) => drop(told.chapters.insert(chapter.number, chapter)),
                Event::Plan { items } => told.plan = items,
                Event::HistoryRewritten => {
                    told.rewrites += 1;
                    told.messages.clear();
                    told.tools.clear();
                }
                Event::Idle
                | Event::Busy
                | Event::HumanQueued { .. }
                | Event::Asking { .. }
                | Event::Closed => {}
            }
        }
        told
    }

    /// The conversation alone: what a slice is made of (rule S1).
    pub(crate) fn conversation(&self) -> Vec<(Author, String)> {
        let spoken = [Author::Human, Author::Assistant, Author::Goal, Author::Suggest];
        let messages = self.messages.iter().filter(|(author, ..)| spoken.contains(author));
        messages.map(|(author, text, _)| (*author, text.clone())).collect()
    }
}

/// One line of a log.
pub(crate) fn line(event: &Value) -> String {
    format!("{event}\n")
}

/// A log in the making, with sequence numbers.
#[derive(Debug)]
pub(crate) struct LogWriter {
    pub(crate) text: String,
    pub(crate) seq: u64,
}

impl LogWriter {
    pub(crate) fn new() -> Self {
        let header = serde_json::json!({ "type": "session", "version": 0, "id": "session-1", "createdAt": 1,
            "cwd": "/workspace", "delegationDepth": 0, "agentPreset": "standard" });
        Self { text: line(&header), seq: 0 }
    }

    /// Adds an event, written as the host writes it: its type first.
    pub(crate) fn event(&mut self, kind: &str, data: &Value) -> u64 {
        self.event_with(kind, data, "")
    }

    pub(crate) fn event_with(&mut self, kind: &str, data: &Value, more: &str) -> u64 {
        let seq = self.seq;
        self.text
            .push_str(&format!("{{\"type\":\"{kind}\",\"seq\":{seq},\"time\":1,\"data\":{data}{more}}}\n"));
        self.seq += 1;
        seq
    }

    pub(crate) fn user(&mut self, source: &Value, text: &str) -> u64 {
        let id = format!("m{}", self.seq);
        let data = serde_json::json!({ "id": id, "role": "user", "source": source,
            "content": [{ "type": "text", "text": text }] });
        self.event_with("user/message", &data, ",\"surfaceOp\":\"append\"")
    }

    pub(crate) fn human(&mut self, text: &str) -> u64 {
        self.user(&serde_json::json!({ "kind": "user" }), text)
    }

    pub(crate) fn assistant(&mut self, turn: u64, text: &str) -> u64 {
        let id = format!("m{}", self.seq);
        let data = serde_json::json!({ "turn": turn, "step": 1, "message": { "id": id, "role": "assistant",
            "source": { "kind": "model" }, "content": [{ "type": "text", "text": text }] } });
        self.event_with("assistant/message", &data, ",\"surfaceOp\":\"append\"")
    }

    pub(crate) fn start(&mut self, turn: u64) {
        self.event("turn/start", &serde_json::json!({ "turn": turn }));
    }

    pub(crate) fn end(&mut self, turn: u64) {
        self.event("turn/end", &serde_json::json!({ "turn": turn, "reason": { "kind": "completed" } }));
    }

    /// A whole turn of two messages.
    pub(crate) fn turn(&mut self, turn: u64) {
        self.start(turn);
        self.human(&format!("prompt {turn}"));
        self.assistant(turn, &format!("answer {turn}"));
        self.end(turn);
    }

    pub(crate) fn goal(&mut self, operation: &str, revision: u64, objective: &str) {
        let data = serde_json::json!({ "kind": "goal/change", "version": 1, "operation": operation,
            "goal": { "id": "goal-1", "revision": revision, "objective": objective, "phase": "active" } });
        self.event("goal/change", &data);
    }

    pub(crate) fn noise(&mut self, bytes: usize) {
        let until = self.text.len() + bytes;
        while self.text.len() < until {
            let chunk = serde_json::json!({ "turn": 1, "step": 1, "chunk": { "type": "text-delta",
                "text": "words that stream by and come again in the whole message later" } });
            self.event("assistant/chunk", &chunk);
        }
    }
}
