//! Large logs from the recordings: what the products wrote, again and again, under other ids.

use rusqlite::{Connection, params_from_iter, types};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::Value;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use suggest_core::{Event, Turn};
use suggest_transcripts::{Format, ReadOptions, read};

/// A log of one format.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    shape: Shape,
    files: &'static [&'static str],
}

/// A log that was made.
pub(crate) struct Log {
    pub(crate) path: PathBuf,
    /// How many bytes it has, uncompressed.
    pub(crate) bytes: u64,
    pub(crate) turns: u64,
}

/// How the log of a format grows.
enum Shape {
    /// Lines from the first with `first` in it are repeated, up to one with `last`; those before stand once.
    Lines {
        first: &'static str,
        last: &'static str,
        turn: &'static str,
    },
    /// A tree: the first record of each repetition hangs on the last one of the repetition before.
    Tree {
        turn: &'static str,
    },
    /// Our own events.
    Events,
    /// One document.
    Export,
    Store,
    /// Sequence numbers and turns go on.
    Dsh,
    /// The same, one frame a turn.
    DshFrames,
}

const CLAUDE: &[&str] =
    &["headless-tool", "headless-plan-todowrite", "headless-failed-tool", "headless-plain"];

/// A prompt in a file of Gemini CLI, and the list of context before it.
const GEMINI_PROMPT: &str = "\"type\":\"user\",\"content\":[{\"text\":\"";
const GEMINI_CONTEXT: &str = "\"$set\":{\"messages\"";

pub(crate) fn cases() -> Vec<Case> {
    let lines = |first, last, turn| Shape::Lines { first, last, turn };
    let case = |name, shape, files| Case { name, shape, files };
    vec![
        case("claude-code", Shape::Tree { turn: "\"promptSource\":" }, CLAUDE),
        case("claude-stream", lines("", "\u{0}", "\"type\":\"result\""), CLAUDE),
        case(
            "codex",
            lines("\"type\":\"task_started\"", "\u{0}", "\"type\":\"task_complete\""),
            &["exec-tool", "exec-plan", "exec-apply-patch", "exec-failed-tool", "exec-plain"],
        ),
        case(
            "codex-exec",
            lines("\"type\":\"turn.started\"", "\u{0}", "\"type\":\"turn.completed\""),
            &["exec-tool", "exec-plan", "exec-apply-patch", "exec-failed-tool", "exec-plain"],
        ),
        case("opencode", Shape::Store, &["tool", "todo"]),
        case("opencode-export", Shape::Export, &["tool", "todo", "failtool", "plain"]),
        case("acp", lines("\"session/prompt\"", "\"session/load\"", "\"session/prompt\""), &["opencode"]),
        case("gemini", lines(GEMINI_PROMPT, "\u{0}", GEMINI_PROMPT), &["tool", "failtool", "plain"]),
        case(
            "gemini-stream",
            lines("\"role\":\"user\"", "\u{0}", "\"type\":\"result\""),
            &["tool", "failtool", "plain"],
        ),
        case("qwen", Shape::Tree { turn: "\"provenance\":\"real_user\"" }, &["tool", "todo", "plain"]),
        case("qwen-stream", lines("", "\u{0}", "\"type\":\"result\""), &["tool", "todo", "plain"]),
        case("events", Shape::Events, CLAUDE),
        case("dsh", Shape::Dsh, &["tool-call-turn", "plain-turn", "queue-and-steer"]),
        case("dsh-zstd", Shape::DshFrames, &["tool-call-turn", "plain-turn", "queue-and-steer"]),
    ]
}

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/recordings")
}

impl Case {
    /// Makes the log in a folder, of about so many bytes.
    pub(crate) fn make(&self, folder: &Path, bytes: u64) -> Log {
        let path = folder.join(format!("{}.log", self.name));
        let texts: Vec<String> = self.files.iter().map(|file| self.recording(file)).collect();
        let mut out = Out::new(&path, bytes);
        match self.shape {
            Shape::Lines { first, last, turn } => lines(&mut out, &texts, first, last, turn),
            Shape::Tree { turn } => tree(&mut out, &texts, turn),
            Shape::Events => events(&mut out, &texts),
            Shape::Export => export(&mut out, &texts),
            Shape::Store => store(&mut out, &texts),
            Shape::Dsh => dsh(&mut out, &texts, false),
            Shape::DshFrames => dsh(&mut out, &texts, true),
        }
        out.file.flush().expect("a disk with space");
        Log { path, bytes: out.written, turns: out.turns }
    }

    fn recording(&self, file: &str) -> String {
        let (folder, ending) = match self.name {
            "claude-code" | "events" => ("claude-code/session", "jsonl"),
            "claude-stream" => ("claude-code/stream", "jsonl"),
            "codex" => ("codex/rollout", "jsonl"),
            "codex-exec" => ("codex/exec", "jsonl"),
            "opencode" => ("opencode/store", "json"),
            "opencode-export" => ("opencode/export", "json"),
            "acp" => ("acp", "jsonl"),
            "gemini" => ("gemini/session", "jsonl"),
            "gemini-stream" => ("gemini/stream", "jsonl"),
            "qwen" => ("qwen/session", "jsonl"),
            "qwen-stream" => ("qwen/stream", "jsonl"),
            _ => ("dsh/persisted", "jsonl"),
        };
        let path = recordings().join(folder).join(format!("{file}.{ending}"));
        std::fs::read_to_string(path).expect("a recording")
    }
}

/// Where the log goes.
struct Out {
    path: PathBuf,
    file: BufWriter<File>,
    wanted: u64,
    written: u64,
    turns: u64,
}

impl Out {
    fn new(path: &Path, wanted: u64) -> Self {
        let file = BufWriter::new(File::create(path).expect("a file"));
        Self { path: path.to_owned(), file, wanted, written: 0, turns: 0 }
    }

    fn write(&mut self, text: &str) {
        self.file.write_all(text.as_bytes()).expect("a disk with space");
        self.count(text.len());
    }

    fn count(&mut self, bytes: usize) {
        self.written += u64::try_from(bytes).expect("a length");
    }

    fn line(&mut self, line: &str) {
        self.write(line);
        self.write("\n");
    }

    fn is_full(&self) -> bool {
        self.written >= self.wanted
    }

    /// The numbers of the repetitions until the log is large enough.
    fn repeat(&mut self, mut once: impl FnMut(&mut Self, u64)) {
        let mut number = 0;
        while !self.is_full() {
            once(self, number);
            number += 1;
        }
    }
}

fn lines(out: &mut Out, texts: &[String], first: &str, last: &str, turn: &str) {
    let mut bodies = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let starts = |line: &str| line.contains(first) && !line.contains(GEMINI_CONTEXT);
        let start = text.lines().position(starts).expect("the first line of a turn");
        if number == 0 {
            text.lines().take(start).for_each(|line| out.line(line));
        }
        bodies.extend(text.lines().skip(start).take_while(|line| !line.contains(last)));
    }
    out.repeat(|out, number| {
        for line in &bodies {
            out.turns += u64::from(line.contains(turn));
            out.line(&renewed(line, number));
        }
    });
}

fn tree(out: &mut Out, texts: &[String], turn: &str) {
    let mut last = None::<String>;
    out.repeat(|out, number| {
        for line in texts.iter().flat_map(|text| text.lines()) {
            let mut line = renewed(line, number);
            if let Some(last) = &last {
                line = line.replacen("\"parentUuid\":null", &format!("\"parentUuid\":\"{last}\""), 1);
            }
            let id = line.split_once("\"uuid\":\"").and_then(|(_, rest)| rest.split_once('"'));
            if let Some((id, _)) = id {
                last = Some(id.to_owned());
            }
            out.turns += u64::from(line.contains(turn));
            out.line(&line);
        }
    });
}

fn events(out: &mut Out, texts: &[String]) {
    let mut told = Vec::new();
    for text in texts {
        let options = ReadOptions::default();
        read(Format::ClaudeCode, text.as_bytes(), &options, |event| told.push(event)).expect("a reading");
    }
    let mut turn = Turn::new(0);
    out.repeat(|out, number| {
        for event in &told {
            let mut event = event.clone();
            match &mut event {
                Event::TurnStarted { turn: started, .. } => {
                    turn = turn.next();
                    *started = turn;
                }
                Event::TurnEnded { turn: ended, .. } => *ended = turn,
                _ => {}
            }
            out.line(&renewed(&serde_json::to_string(&event).expect("an event"), number));
        }
        out.turns = turn.get();
    });
}

fn export(out: &mut Out, texts: &[String]) {
    let documents: Vec<Value> =
        texts.iter().map(|text| serde_json::from_str(text).expect("a document")).collect();
    let list = |document: &Value| document["messages"].as_array().expect("messages").clone();
    let messages: Vec<Value> = documents.iter().flat_map(list).collect();
    let info = documents.first().map(|document| document["info"].to_string()).expect("a document");
    out.write(&format!("{{\"info\":{info},\"messages\":["));
    let mut comma = "";
    out.repeat(|out, number| {
        for message in &messages {
            out.turns += u64::from(message["info"]["role"] == "user");
            out.write(comma);
            out.write(&renewed(&message.to_string(), number));
            comma = ",";
        }
    });
    out.write("]}");
}

/// One session with the rows of all, as opencode keeps them.
fn store(out: &mut Out, texts: &[String]) {
    let mut database = Connection::open(&out.path).expect("a store");
    let schema = std::fs::read_to_string(recordings().join("opencode/store/schema.sql")).expect("a schema");
    // Nothing is measured here, and rows of other tables were not recorded.
    database.pragma_update(None, "synchronous", "off").expect("a store");
    database.pragma_update(None, "foreign_keys", false).expect("a store");
    database.execute_batch(&schema).expect("a schema");
    let rows: Vec<Value> = texts.iter().map(|text| serde_json::from_str(text).expect("rows")).collect();
    let session = &rows.first().expect("a recording")["session"][0];
    let id = session["id"].clone();
    let transaction = database.transaction().expect("a store");
    insert(&transaction, "session", session);
    out.repeat(|out, number| {
        for (place, rows) in (0_u64..).zip(&rows) {
            for table in ["message", "part"] {
                for row in rows[table].as_array().expect("rows") {
                    let text = renewed(&row.to_string(), number * 8 + place);
                    let mut row: Value = serde_json::from_str(&text).expect("a row");
                    row["session_id"] = id.clone();
                    let time = row["time_created"].as_u64().unwrap_or(0);
                    row["time_created"] = (time + number * 1_000_000).into();
                    out.turns += u64::from(table == "message" && row["data"]["role"] == "user");
                    insert(&transaction, table, &row);
                    out.count(text.len());
                }
            }
        }
    });
    transaction.commit().expect("a store");
    drop(database);
    out.written = std::fs::metadata(&out.path).expect("a store").len();
}

fn insert(database: &Connection, table: &str, row: &Value) {
    let row = row.as_object().expect("a row");
    let columns: Vec<String> = row.keys().map(|key| format!("`{key}`")).collect();
    let marks = vec!["?"; columns.len()].join(", ");
    let values = row.values().map(|value| match value {
        Value::Null => types::Value::Null,
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.clone().into(),
        other => other.to_string().into(),
    });
    let statement = format!("INSERT INTO {table} ({}) VALUES ({marks})", columns.join(", "));
    let mut statement = database.prepare_cached(&statement).expect("a statement");
    statement.execute(params_from_iter(values)).expect("a row");
}

fn dsh(out: &mut Out, texts: &[String], frames: bool) {
    let (mut sequence, mut turn) = (0_u64, 0_u64);
    let mut head = String::new();
    let mut bodies: Vec<&str> = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let start = text.lines().position(|line| line.contains("\"type\":\"turn/start\"")).expect("a turn");
        if number == 0 {
            for line in text.lines().take(start) {
                head.push_str(line);
                head.push('\n');
                sequence += u64::from(line.contains("\"seq\":"));
            }
        }
        bodies.extend(text.lines().skip(start));
    }
    put(out, &head, frames);
    out.repeat(|out, number| {
        let mut text = String::new();
        for line in &bodies {
            turn += u64::from(line.contains("\"type\":\"turn/start\""));
            let line = with_number(&renewed(line, number), "\"seq\":", sequence);
            text.push_str(&with_number(&line, "\"turn\":", turn));
            text.push('\n');
            sequence += 1;
            if line.contains("\"type\":\"turn/end\"") {
                put(out, &text, frames);
                text.clear();
            }
        }
        put(out, &text, frames);
        out.turns = turn;
    });
}

fn put(out: &mut Out, text: &str, frames: bool) {
    if !frames {
        out.write(text);
    } else if !text.is_empty() {
        let frame = compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
        out.file.write_all(&frame).expect("a disk with space");
        out.count(text.len());
    }
}

/// The line with another number behind a key.
fn with_number(line: &str, key: &str, number: u64) -> String {
    match line.split_once(key) {
        Some((before, rest)) => {
            format!("{before}{key}{number}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit()))
        }
        None => line.to_owned(),
    }
}

/// The beginnings of ids that are no UUIDs.
const PREFIXES: &[&str] = &["msg_", "prt_", "call_", "toolu_", "fc_", "fco_", "req_"];

/// The text with each id of the recording as another one: the same for the same, in order, and different in each
/// repetition. The names of sessions of opencode stay.
fn renewed(text: &str, number: u64) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    let mut inside = false;
    while let Some(c) = rest.chars().next() {
        if !inside && let Some((id, behind)) = uuid(rest) {
            let (head, tail) = id.split_at(24);
            let old = u64::from_str_radix(tail, 16).unwrap_or_default();
            // An odd factor, so that no two repetitions meet.
            let new = old.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4b)) & 0xffff_ffff_ffff;
            out.push_str(&format!("{head}{new:012x}"));
            rest = behind;
            continue;
        }
        if !inside && let Some(prefix) = PREFIXES.iter().find(|prefix| rest.starts_with(**prefix)) {
            out.push_str(&format!("{prefix}{number:07}"));
            rest = rest.strip_prefix(prefix).unwrap_or_default();
            inside = true;
            continue;
        }
        out.push(c);
        inside = c.is_ascii_alphanumeric() || c == '_';
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    out
}

/// A UUID at the beginning, and what follows.
fn uuid(text: &str) -> Option<(&str, &str)> {
    let (id, rest) = text.split_at_checked(36)?;
    let fits = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    id.bytes().enumerate().all(fits).then_some((id, rest))
}
