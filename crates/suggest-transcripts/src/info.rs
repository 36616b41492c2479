//! What a session says of itself at its beginning.

use crate::format::Format;
use crate::json::{has, is_true, text, word};
use serde_json::Value;
use suggest_core::SessionKind;

/// What a session says of itself at its beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionInfo {
    /// Its id, where it names one.
    pub id: Option<String>,
    /// Whose it is.
    pub kind: SessionKind,
    /// The folder that it works in, where it names one.
    pub workspace: Option<String>,
}

impl SessionInfo {
    /// Reads the first bytes of a session: as many as are at hand, and some ten kilobytes are enough.
    #[must_use]
    pub fn of(format: Format, first: &[u8]) -> Self {
        let mut info = Self::default();
        if matches!(
            format,
            Format::ClaudeStream
                | Format::QwenStream
                | Format::CodexExec
                | Format::OpencodeRun
                | Format::GeminiStream
        ) {
            info.kind = SessionKind::Headless;
        }
        if format == Format::OpencodeExport {
            info.of_export(&String::from_utf8_lossy(first));
            return info;
        }
        if format == Format::GeminiDocument {
            let text = String::from_utf8_lossy(first);
            let head = text.split_once("\"messages\"").map_or(&*text, |(head, _)| head);
            info.put(field(head, "sessionId").as_deref(), None);
            return info;
        }
        for line in first.split(|byte| *byte == b'\n').take(256) {
            match serde_json::from_slice::<Value>(line.trim_ascii()) {
                Ok(record) => info.take(format, &record),
                Err(_) => info.of_cut_line(format, &String::from_utf8_lossy(line)),
            }
            if info.id.is_some() && info.workspace.is_some() {
                break;
            }
        }
        info
    }

    fn take(&mut self, format: Format, record: &Value) {
        let record = record.get("msg").unwrap_or(record);
        match format {
            Format::Codex => {
                let payload = record.get("payload").filter(|_| word(record, "type") == "session_meta");
                let Some(payload) = payload else { return };
                self.put(text(payload, "id"), text(payload, "cwd"));
                let source = payload.get("source").unwrap_or(&Value::Null);
                if has(source, "subagent") {
                    self.kind = SessionKind::Subagent;
                } else if source.as_str() == Some("exec") {
                    self.kind = SessionKind::Headless;
                }
            }
            Format::Acp => {
                let params = record.get("params").unwrap_or(&Value::Null);
                let result = record.get("result").unwrap_or(&Value::Null);
                self.put(
                    text(result, "sessionId").or_else(|| text(params, "sessionId")),
                    text(params, "cwd"),
                );
            }
            Format::ClaudeCode | Format::Qwen | Format::Gemini => {
                self.put(text(record, "sessionId"), text(record, "cwd"));
                let folders = record.get("directories").and_then(Value::as_array);
                self.put(None, folders.and_then(|folders| folders.first()?.as_str()));
                if is_true(record, "isSidechain")
                    || word(record, "kind") == "subagent"
                    || has(record, "agentId")
                {
                    self.kind = SessionKind::Subagent;
                } else if word(record, "entrypoint") == "sdk-cli" {
                    self.kind = SessionKind::Headless;
                }
            }
            _ => self.put(
                ["session_id", "thread_id", "sessionID"].iter().find_map(|key| text(record, key)),
                text(record, "cwd"),
            ),
        }
    }

    fn put(&mut self, id: Option<&str>, workspace: Option<&str>) {
        self.id = self.id.take().or_else(|| id.map(str::to_owned));
        self.workspace = self.workspace.take().or_else(|| workspace.map(str::to_owned));
    }

    /// A first line may be longer than what is at hand.
    fn of_cut_line(&mut self, format: Format, line: &str) {
        let id = match format {
            Format::Codex => "id",
            Format::ClaudeCode | Format::Qwen => "sessionId",
            _ => return,
        };
        self.put(field(line, id).as_deref(), field(line, "cwd").as_deref());
        if format == Format::Codex && line.contains("\"source\":{\"subagent\"") {
            self.kind = SessionKind::Subagent;
        }
    }

    fn of_export(&mut self, text: &str) {
        let head = text.split_once("\"messages\"").map_or(text, |(head, _)| head);
        self.put(field(head, "id").as_deref(), field(head, "directory").as_deref());
        if field(head, "parentID").is_some() {
            self.kind = SessionKind::Subagent;
        }
    }
}

/// A string field, found without parsing what is around it.
fn field(text: &str, name: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("\"{name}\""))?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    serde_json::Deserializer::from_str(rest).into_iter::<String>().next()?.ok()
}
