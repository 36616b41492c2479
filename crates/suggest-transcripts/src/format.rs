//! The formats, their names, and how they are recognised.

use crate::json::{has, text, word};
use crate::readers::{is_cut_event, is_event};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

/// A format that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// Claude Code's session file.
    ClaudeCode,
    /// Claude Code's `--output-format stream-json`.
    ClaudeStream,
    /// Codex's rollout file, newer and older form.
    Codex,
    /// `codex exec --json`.
    CodexExec,
    /// opencode's SQLite store.
    OpencodeStore,
    /// `opencode export`.
    OpencodeExport,
    /// `opencode run --format json`.
    OpencodeRun,
    /// Messages of the Agent Client Protocol, bare or as `{dir, msg}`.
    Acp,
    /// Gemini CLI's session file.
    Gemini,
    /// The session file of older versions of Gemini CLI: one document.
    GeminiDocument,
    /// Gemini CLI's `stream-json`.
    GeminiStream,
    /// Qwen Code's session file.
    Qwen,
    /// Qwen Code's `stream-json`.
    QwenStream,
    /// Our own host-neutral events.
    Events,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 14] = [
        Self::ClaudeCode,
        Self::ClaudeStream,
        Self::Codex,
        Self::CodexExec,
        Self::OpencodeStore,
        Self::OpencodeExport,
        Self::OpencodeRun,
        Self::Acp,
        Self::Gemini,
        Self::GeminiDocument,
        Self::GeminiStream,
        Self::Qwen,
        Self::QwenStream,
        Self::Events,
    ];

    /// Its name on the command line and in printed JSON; it never changes.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeStream => "claude-stream",
            Self::Codex => "codex",
            Self::CodexExec => "codex-exec",
            Self::OpencodeStore => "opencode",
            Self::OpencodeExport => "opencode-export",
            Self::OpencodeRun => "opencode-run",
            Self::Acp => "acp",
            Self::Gemini => "gemini",
            Self::GeminiDocument => "gemini-document",
            Self::GeminiStream => "gemini-stream",
            Self::Qwen => "qwen",
            Self::QwenStream => "qwen-stream",
            Self::Events => "events",
        }
    }

    /// What it is, for people.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::ClaudeCode => "a session file of Claude Code",
            Self::ClaudeStream => "the stream-json of Claude Code",
            Self::Codex => "a rollout file of Codex",
            Self::CodexExec => "the output of `codex exec --json`",
            Self::OpencodeStore => "the SQLite store of opencode",
            Self::OpencodeExport => "the output of `opencode export`",
            Self::OpencodeRun => "the output of `opencode run --format json`",
            Self::Acp => "messages of the Agent Client Protocol",
            Self::Gemini => "a session file of Gemini CLI",
            Self::GeminiDocument => "a session file of an older Gemini CLI, one document",
            Self::GeminiStream => "the stream-json of Gemini CLI",
            Self::Qwen => "a session file of Qwen Code",
            Self::QwenStream => "the stream-json of Qwen Code",
            Self::Events => "host-neutral events, one JSON object a line",
        }
    }

    /// Whether it is one JSON record a line, so that it can be read as a stream and from its tail.
    #[must_use]
    pub const fn is_lines(self) -> bool {
        !matches!(self, Self::OpencodeStore | Self::OpencodeExport | Self::GeminiDocument)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no such format; there are {}", Format::ALL.map(Format::name).join(", "))]
pub struct ParseFormatError;

impl FromStr for Format {
    type Err = ParseFormatError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or(ParseFormatError)
    }
}

/// How the first bytes of every SQLite file read.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// How many lines are looked at.
const MAX_LINES: usize = 64;

/// Recognises a format by the first bytes of a session, some kilobytes at least where there are as many. The name of
/// the file only decides where the content fits several formats.
#[must_use]
pub fn detect(first: &[u8], file_name: Option<&str>) -> Option<Format> {
    if first.starts_with(SQLITE) {
        return Some(Format::OpencodeStore);
    }
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    let lines = first.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    for line in lines.take(MAX_LINES) {
        let found = match serde_json::from_slice::<Value>(line) {
            Ok(record) => of_record(&record),
            Err(_) => of_cut_line(line),
        };
        if found.is_some() {
            return found;
        }
    }
    if let Some(format) = of_document(first) {
        return Some(format);
    }
    of_name(file_name?).filter(|_| first.trim_ascii_start().starts_with(b"{"))
}

/// The format that one record shows.
fn of_record(record: &Value) -> Option<Format> {
    let Value::Object(_) = record else { return None };
    if let Some(message) = record.get("msg").filter(|_| has(record, "dir")) {
        return if has(message, "jsonrpc") { Some(Format::Acp) } else { of_record(message) };
    }
    if word(record, "jsonrpc") == "2.0" {
        return Some(Format::Acp);
    }
    let kind = word(record, "type");
    if has(record, "payload")
        && matches!(
            kind,
            "session_meta" | "event_msg" | "response_item" | "turn_context" | "compacted" | "world_state"
        )
    {
        return Some(Format::Codex);
    }
    if kind == "thread.started" || kind.starts_with("turn.") || kind.starts_with("item.") {
        return Some(Format::CodexExec);
    }
    if has(record, "sessionId")
        && has(record, "projectHash")
        && record.get("messages").is_some_and(Value::is_array)
    {
        return Some(Format::GeminiDocument);
    }
    if has(record, "sessionId") && has(record, "projectHash")
        || has(record, "$set")
        || has(record, "$rewindTo")
    {
        return Some(Format::Gemini);
    }
    if kind == "gemini" && has(record, "id") {
        return Some(Format::Gemini);
    }
    if kind == "init" && has(record, "session_id")
        || kind == "message" && has(record, "role") && has(record, "timestamp")
    {
        return Some(Format::GeminiStream);
    }
    if has(record, "sessionID")
        && (has(record, "part") || has(record, "error"))
        && matches!(kind, "step_start" | "step_finish" | "text" | "reasoning" | "tool_use" | "error")
    {
        return Some(Format::OpencodeRun);
    }
    let parts = record.get("message").is_some_and(|message| has(message, "parts"));
    if has(record, "provenance") || parts {
        return Some(Format::Qwen);
    }
    if has(record, "sessionId")
        || has(record, "parentUuid")
        || has(record, "isSidechain")
        || kind == "summary" && has(record, "leafUuid")
        || kind == "file-history-snapshot"
    {
        return Some(Format::ClaudeCode);
    }
    if kind == "system" && word(record, "subtype") == "init" {
        return Some(if has(record, "qwen_code_version") {
            Format::QwenStream
        } else {
            Format::ClaudeStream
        });
    }
    if has(record, "session_id")
        && matches!(kind, "assistant" | "user" | "result" | "stream_event" | "conversation_reset")
    {
        return Some(Format::ClaudeStream);
    }
    if kind == "system" && has(record, "session_id") && text(record, "subtype").is_some() {
        return Some(Format::ClaudeStream);
    }
    if has(record, "info") && record.get("messages").is_some_and(Value::is_array) {
        return Some(Format::OpencodeExport);
    }
    is_event(record).then_some(Format::Events)
}

/// The format of a line of which only the first part is at hand.
fn of_cut_line(line: &[u8]) -> Option<Format> {
    let head = String::from_utf8_lossy(line.get(..line.len().min(4096))?);
    let has = |mark: &str| head.contains(mark);
    if !head.starts_with('{') {
        None
    } else if has("\"type\":\"session_meta\"") && has("\"payload\"") {
        Some(Format::Codex)
    } else if has("\"jsonrpc\"") {
        Some(Format::Acp)
    } else if has("\"parentUuid\"") && has("\"provenance\"") {
        Some(Format::Qwen)
    } else if has("\"parentUuid\"") && has("\"isSidechain\"") {
        Some(Format::ClaudeCode)
    } else if has("\"subtype\":\"init\"") && has("\"session_id\"") {
        Some(Format::ClaudeStream)
    } else if has("\"$set\"") {
        Some(Format::Gemini)
    } else if is_cut_event(&head) {
        Some(Format::Events)
    } else {
        None
    }
}

/// The format of a document, which may be spread over lines, by its beginning.
fn of_document(first: &[u8]) -> Option<Format> {
    let head = String::from_utf8_lossy(first.get(..first.len().min(16 * 1024)).unwrap_or_default());
    let mut words = head.split_whitespace().collect::<Vec<_>>().join("");
    words.truncate(words.char_indices().nth(4096).map_or(words.len(), |(at, _)| at));
    if words.starts_with("{\"info\":{") && words.contains("\"id\":\"ses_") {
        Some(Format::OpencodeExport)
    } else if words.starts_with("{\"sessionId\":\"")
        && words.contains("\"projectHash\":\"")
        && words.contains("\"messages\":[")
        && !words.contains("\"$set\"")
    {
        Some(Format::GeminiDocument)
    } else {
        None
    }
}

/// The format that a file's name suggests.
fn of_name(name: &str) -> Option<Format> {
    let name = name.rsplit(['/', '\\']).next()?;
    if name.starts_with("rollout-") {
        Some(Format::Codex)
    } else if name.starts_with("session-") && name.ends_with(".jsonl") {
        Some(Format::Gemini)
    } else if name.starts_with("session-") && name.ends_with(".json") {
        Some(Format::GeminiDocument)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_stable_and_read_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            assert!(!format.describe().is_empty());
        }
        let names = Format::ALL.map(Format::name).join(" ");
        assert_eq!(
            names,
            "claude-code claude-stream codex codex-exec opencode opencode-export opencode-run acp gemini gemini-document gemini-stream qwen qwen-stream events"
        );
        assert!("claude".parse::<Format>().unwrap_err().to_string().contains("claude-code, claude-stream"));
    }

    #[test]
    fn what_is_no_session_is_not_recognised() {
        for other in [
            &b""[..],
            b"hello",
            b"[1]",
            b"{}",
            b"{\"type\":7}",
            b"{\"type\":\"user\"}",
            b"\x00\x01{",
            b"{\"info\":1}",
        ] {
            assert_eq!(detect(other, None), None, "{}", String::from_utf8_lossy(other));
        }
        assert_eq!(detect(b"hello", Some("rollout-1.jsonl")), None);
        assert_eq!(detect(b"{\"new\":1}\n", Some("/x/rollout-1.jsonl")), Some(Format::Codex));
    }
}
