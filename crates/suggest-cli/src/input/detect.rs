//! Which format a session has, from its first bytes.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use suggest_transcripts::Format as Transcript;

/// A format that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// A session log of DeepSeek Harness.
    Dsh,
    /// Host-neutral events, one a line.
    Events,
    /// A session of another harness.
    Transcript(Transcript),
}

impl From<Transcript> for Format {
    fn from(format: Transcript) -> Self {
        match format {
            Transcript::Events => Self::Events,
            other => Self::Transcript(other),
        }
    }
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl JsonSchema for Format {
    fn schema_name() -> Cow<'static, str> {
        "Format".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let one = |format: Self| serde_json::json!({ "type": "string", "const": format.name(), "description": format.describe() });
        let all: Vec<serde_json::Value> = Self::all().map(one).collect();
        json_schema!({ "description": "A format that can be read.", "oneOf": all })
    }
}

impl Format {
    /// Every format.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Dsh).chain(Transcript::ALL.into_iter().map(Self::from))
    }

    /// Its name in arguments and in printed JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Dsh => "dsh",
            Self::Events => "events",
            Self::Transcript(format) => format.name(),
        }
    }

    /// What it is, for people.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            Self::Dsh => "a session log of DeepSeek Harness, plain or compressed",
            Self::Events => "host-neutral events, one JSON object a line",
            Self::Transcript(format) => format.describe(),
        }
    }

    /// The format that these first bytes of a file with this name show, if any.
    pub(crate) fn of(first: &[u8], name: Option<&str>) -> Option<Self> {
        if suggest_host_dsh::detect(first) {
            return Some(Self::Dsh);
        }
        suggest_transcripts::detect(first, name).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_shows_in_the_first_line() {
        let dsh = br#"{"type":"session","version":0,"id":"s","createdAt":1,"cwd":"/w"}"#;
        assert_eq!(Format::of(dsh, None), Some(Format::Dsh));
        assert_eq!(Format::of(b"\n {\"type\":\"turn_started\",\"turn\":1}\n", None), Some(Format::Events));
        assert_eq!(Format::of(b"\xef\xbb\xbf{\"type\":\"idle\"}", None), Some(Format::Events));
        for other in [&b""[..], b"hello", b"{\"type\":\"user\"}", b"[1]", b"{\"type\":7}"] {
            assert_eq!(Format::of(other, None), None, "{}", String::from_utf8_lossy(other));
        }
    }

    #[test]
    fn sessions_of_other_harnesses_show_theirs() {
        let codex = br#"{"timestamp":"t","type":"session_meta","payload":{"id":"s","cwd":"/w"}}"#;
        assert_eq!(Format::of(codex, None), Some(Format::Transcript(Transcript::Codex)));
        let names: Vec<_> = Format::all().map(Format::name).collect();
        assert_eq!(names.len(), 15);
        assert!(names.contains(&"claude-code") && names.contains(&"dsh") && names.contains(&"events"));
    }
}
