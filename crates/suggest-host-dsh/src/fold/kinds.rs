//! The event types that carry nothing for us, and a look at a line's type without parsing it.

use std::collections::BTreeMap;

/// How many unknown types are counted by name; the rest share one entry.
const MAX_NAMES: usize = 64;

/// The entry for unknown types beyond [`MAX_NAMES`].
const REST: &str = "(others)";

/// Whether an event type is known and means nothing to a fold. Such lines need no parsing; they are most of a log.
pub(crate) fn is_without_meaning(kind: &str) -> bool {
    matches!(
        kind,
        "assistant/chunk"
            | "assistant/attempt"
            | "text-chunks"
            | "step/end"
            | "request/header"
            | "request/context"
            | "session/title"
            | "session/title-llm-request"
            | "session/end-seed"
            | "permission/preset"
            | "sandbox/mode"
            | "approval/policy"
            | "approval/bound"
            | "plan/mode"
            | "llm/retry"
            | "llm/retry-started"
            | "compaction/start"
            | "compaction/end"
            | "subagent/descriptor"
            | "subagent/catalog"
    )
}

/// The type of a line that begins with `{"type":"…"`, as the host writes every line. `None` says nothing: parse it.
pub(crate) fn peek_kind(line: &[u8]) -> Option<&str> {
    let rest = line.strip_prefix(br#"{"type":""#)?;
    let head = rest.get(..rest.len().min(96))?;
    let (name, _) = head.split_at_checked(memchr::memchr(b'"', head)?)?;
    let name = std::str::from_utf8(name).ok()?;
    (!name.contains('\\')).then_some(name)
}

/// How often each unknown event type was skipped, in bounded memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skipped(BTreeMap<String, u64>);

impl Skipped {
    pub(crate) fn count(&mut self, kind: &str) {
        let name = super::raw::clip(kind, 64);
        let known = self.0.contains_key(&name) || self.0.len() < MAX_NAMES;
        let entry = self.0.entry(if known { name } else { REST.to_owned() }).or_default();
        *entry = entry.saturating_add(1);
    }

    pub(crate) fn counts(&self) -> &BTreeMap<String, u64> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_a_line_shows_without_parsing() {
        assert_eq!(peek_kind(br#"{"type":"turn/start","seq":4}"#), Some("turn/start"));
        assert_eq!(peek_kind(br#"{"seq":4,"type":"turn/start"}"#), None);
        assert_eq!(peek_kind(br#"{"type":"unfinished"#), None);
        assert_eq!(peek_kind(br#"{"type":"a\"b","seq":4}"#), None);
        assert_eq!(peek_kind(b""), None);
    }

    #[test]
    fn unknown_types_are_counted_in_bounded_memory() {
        let mut skipped = Skipped::default();
        for number in 0..1000 {
            skipped.count(&format!("custom/{number}"));
        }
        skipped.count("custom/0");
        assert_eq!(skipped.counts().len(), MAX_NAMES + 1);
        assert_eq!(skipped.counts().get("custom/0"), Some(&2));
        assert_eq!(skipped.counts().get(REST), Some(&936));
    }
}
