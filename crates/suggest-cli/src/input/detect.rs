//! Which format a session has, from its first bytes.

use super::events;
use schemars::JsonSchema;
use serde::Serialize;

/// A format that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    /// A session log of DeepSeek Harness.
    Dsh,
    /// Host-neutral events, one a line.
    Events,
}

impl Format {
    /// The format that these first bytes show, if any.
    pub(crate) fn of(first: &[u8]) -> Option<Self> {
        if suggest_host_dsh::detect(first) {
            return Some(Self::Dsh);
        }
        let text = String::from_utf8_lossy(first);
        let line = text.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty())?;
        events::is_event(line).then_some(Self::Events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_shows_in_the_first_line() {
        let dsh = br#"{"type":"session","version":0,"id":"s","createdAt":1,"cwd":"/w"}"#;
        assert_eq!(Format::of(dsh), Some(Format::Dsh));
        assert_eq!(Format::of(b"\n {\"type\":\"turn_started\",\"turn\":1}\n"), Some(Format::Events));
        assert_eq!(Format::of(b"\xef\xbb\xbf{\"type\":\"idle\"}"), Some(Format::Events));
        for other in [&b""[..], b"hello", b"{\"type\":\"user\"}", b"[1]", b"{\"type\":7}"] {
            assert_eq!(Format::of(other), None, "{}", String::from_utf8_lossy(other));
        }
    }
}
