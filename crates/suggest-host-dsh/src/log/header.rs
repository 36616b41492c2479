//! The first line of a log.

use super::error::LogError;
use super::frames::{Frames, MAGIC};
use super::lines::trimmed;
use serde::Deserialize;
use serde_json::Value;
use std::io::Read;
use suggest_core::SessionKind;

/// The newest log format that was seen.
const NEWEST_KNOWN: u64 = 4;

/// The header of a session log.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Header {
    /// The session's id.
    pub id: String,
    /// The log format: 0 for the hosts 0.1.0 and 0.1.1, 4 from 0.1.7 on.
    #[serde(default)]
    pub version: u64,
    /// The folder in which the session works.
    #[serde(default, deserialize_with = "lenient")]
    pub cwd: Option<String>,
    /// The session that started this one, or that this one was forked from.
    #[serde(default, deserialize_with = "lenient")]
    pub parent_session: Option<String>,
    /// `subagent` for a session that another one started; absent for a root.
    #[serde(default, deserialize_with = "lenient")]
    pub origin: Option<String>,
    /// How deep this session was delegated; 0 for a root.
    #[serde(default, deserialize_with = "lenient")]
    pub delegation_depth: Option<u64>,
    /// The preset of the agent; absent in headless runs of format 0.
    #[serde(default, deserialize_with = "lenient")]
    pub agent_preset: Option<String>,
}

impl Header {
    /// What kind of session it is, as far as its header tells (rule D12).
    ///
    /// A subagent says so. A headless run is only known by what its header lacks, and only in format 0.
    #[must_use]
    pub fn session_kind(&self) -> SessionKind {
        if self.origin.as_deref() == Some("subagent") || self.delegation_depth.unwrap_or(0) > 0 {
            SessionKind::Subagent
        } else if self.version == 0 && self.agent_preset.is_none() {
            SessionKind::Headless
        } else {
            SessionKind::Interactive
        }
    }

    /// Whether the log's format is newer than the newest that this reader knows. It is read all the same: unknown
    /// events are skipped and counted.
    #[must_use]
    pub fn is_newer_than_known(&self) -> bool {
        self.version > NEWEST_KNOWN
    }

    /// Reads the first line.
    pub(crate) fn read(line: &[u8]) -> Result<Self, LogError> {
        let refused = |reason| LogError::NotALog { reason };
        if line.is_empty() {
            return Err(refused("its first line is empty"));
        }
        let value: Value = serde_json::from_slice(line).map_err(|_| refused("its first line is not JSON"))?;
        if value.get("type").and_then(Value::as_str) != Some("session") {
            return Err(refused("its first line is no session header"));
        }
        serde_json::from_value(value)
            .map_err(|_| refused("its session header has no readable id and version"))
    }
}

/// A field of another type than expected counts as absent: nothing depends on it enough to refuse a log.
fn lenient<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}

/// Whether these first bytes of a file or stream are those of a dsh session log, plain or compressed.
///
/// Give at least the first few hundred bytes; 4 KiB is plenty. Other programs write `"type":"session"` headers too;
/// only dsh's has a numeric `createdAt`.
#[must_use]
pub fn detect(first_bytes: &[u8]) -> bool {
    if first_bytes.starts_with(&MAGIC) {
        let mut start = Vec::new();
        // Whatever could be decompressed before the bytes end is looked at.
        let _ = Frames::new(first_bytes).take(4096).read_to_end(&mut start);
        return !start.starts_with(&MAGIC) && detect(&start);
    }
    let end = memchr::memchr(b'\n', first_bytes).unwrap_or(first_bytes.len());
    let line = trimmed(first_bytes.get(..end).unwrap_or_default(), 0);
    let Ok(header) = serde_json::from_slice::<Value>(line) else { return false };
    header.get("type").and_then(Value::as_str) == Some("session")
        && header.get("id").is_some_and(Value::is_string)
        && header.get("createdAt").is_some_and(Value::is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(rest: &str) -> SessionKind {
        Header::read(format!(r#"{{"type":"session","id":"s"{rest}}}"#).as_bytes()).unwrap().session_kind()
    }

    #[test]
    fn the_header_tells_the_kind_of_the_session() {
        assert_eq!(
            kind(r#","version":0,"agentPreset":"standard","delegationDepth":0"#),
            SessionKind::Interactive
        );
        assert_eq!(kind(r#","version":0,"delegationDepth":0"#), SessionKind::Headless);
        assert_eq!(kind(r#","version":4"#), SessionKind::Interactive);
        assert_eq!(
            kind(r#","version":0,"agentPreset":"standard","origin":"subagent""#),
            SessionKind::Subagent
        );
        assert_eq!(kind(r#","version":4,"delegationDepth":2"#), SessionKind::Subagent);
        assert_eq!(kind(r#","version":4,"delegationDepth":"odd","cwd":7"#), SessionKind::Interactive);
    }

    #[test]
    fn only_a_session_header_makes_a_log() {
        for line in [
            "",
            "{",
            "[]",
            "7",
            r#"{"type":"user"}"#,
            r#"{"type":"session"}"#,
            r#"{"type":"session","id":7}"#,
        ] {
            assert!(matches!(Header::read(line.as_bytes()), Err(LogError::NotALog { .. })), "{line}");
        }
    }

    #[test]
    fn logs_of_other_programs_are_not_taken_for_ours() {
        assert!(detect(
            b"\xef\xbb\xbf{\"type\":\"session\",\"version\":4,\"id\":\"s\",\"createdAt\":1}\r\n{"
        ));
        assert!(!detect(br#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z"}"#));
        assert!(!detect(br#"{"type":"user","message":{}}"#));
        assert!(!detect(b""));
        assert!(!detect(&MAGIC));
    }
}
