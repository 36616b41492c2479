//! `suggestions.json`: versioned, and tolerant of fields and records that this version does not know (rule C6).

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use suggest_core::CardBook;

/// The version that this code writes and reads.
pub(crate) const VERSION: u64 = 1;
/// The most sessions of which small values (counters and the like) are kept.
const MOST_SESSIONS: usize = 5_000;
/// The lists whose items are read one by one.
const LISTS: [&str; 3] = ["cards", "summaries", "dismissed"];

/// What a session kept besides its cards, by kind, and the number of the change that kept it.
#[derive(Debug, Clone, Default)]
struct Kept {
    at: u64,
    kinds: BTreeMap<String, Value>,
}

impl Serialize for Kept {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        for (kind, value) in &self.kinds {
            fields.serialize_entry(kind, value)?;
        }
        fields.serialize_entry("at", &self.at)?;
        fields.end()
    }
}

/// The document as it is in memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Document {
    pub(crate) book: CardBook,
    /// Records of the lists that could not be read, written back as they were.
    unread: BTreeMap<String, Vec<Value>>,
    /// What sessions kept, by session. Shared with copies: most changes concern the cards alone.
    kept: Arc<BTreeMap<String, Kept>>,
    changes: u64,
}

/// Why a document cannot be used, as the end of "FILE …".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unusable(pub(crate) String);

/// The fields of a file of this version, but for the version itself.
fn fields(bytes: &[u8]) -> Result<Map<String, Value>, Unusable> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| Unusable(format!("is damaged (no JSON from line {} on)", error.line())))?;
    let Value::Object(mut fields) = value else {
        return Err(Unusable("is no store of cards (not an object)".to_owned()));
    };
    match fields.remove("version").as_ref().and_then(Value::as_u64) {
        Some(VERSION) => Ok(fields),
        Some(newer) if newer > VERSION => Err(Unusable(format!(
            "was written by a newer version (format {newer}, this one reads {VERSION})"
        ))),
        Some(_) | None => Err(Unusable("is no store of cards (it names no known version)".to_owned())),
    }
}

impl Document {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Unusable> {
        let mut fields = fields(bytes)?;
        let mut document = Self::default();
        document.read_kept(fields.remove("sessions"));
        // Mostly everything can be read at once; one by one takes several times as long.
        if let Ok(book) = serde_json::from_value(Value::Object(fields)) {
            document.book = book;
            return Ok(document);
        }
        let mut fields = self::fields(bytes)?;
        fields.remove("sessions");
        for list in LISTS {
            document.separate(list, &mut fields);
        }
        document.book = match serde_json::from_value(Value::Object(fields.clone())) {
            Ok(book) => book,
            // The lists are sound; a number or the counts are of another shape.
            Err(_) => {
                for name in ["seq", "counts"] {
                    fields.remove(name);
                }
                serde_json::from_value(Value::Object(fields))
                    .map_err(|_| Unusable("is no store of cards (its parts have other shapes)".to_owned()))?
            }
        };
        Ok(document)
    }

    /// Leaves in a list what can be read, and keeps the rest aside.
    fn separate(&mut self, list: &str, fields: &mut Map<String, Value>) {
        let Some(items) = fields.remove(list) else { return };
        let Value::Array(items) = items else {
            self.unread.insert(list.to_owned(), vec![items]);
            return;
        };
        let (sound, odd): (Vec<Value>, Vec<Value>) = items.into_iter().partition(|item| {
            let alone = Value::Object(Map::from_iter([(list.to_owned(), Value::Array(vec![item.clone()]))]));
            serde_json::from_value::<CardBook>(alone).is_ok()
        });
        fields.insert(list.to_owned(), Value::Array(sound));
        if !odd.is_empty() {
            self.unread.insert(list.to_owned(), odd);
        }
    }

    fn read_kept(&mut self, sessions: Option<Value>) {
        let Some(Value::Object(sessions)) = sessions else { return };
        for (session, kinds) in sessions {
            let Value::Object(kinds) = kinds else { continue };
            let at = kinds.get("at").and_then(Value::as_u64).unwrap_or_default();
            self.changes = self.changes.max(at);
            let kinds = kinds.into_iter().filter(|(kind, _)| kind != "at").collect();
            Arc::make_mut(&mut self.kept).insert(session, Kept { at, kinds });
        }
    }

    /// Rises whenever a value is kept.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    pub(crate) fn kept(&self, session: &str, kind: &str) -> Option<&Value> {
        self.kept.get(session)?.kinds.get(kind)
    }

    /// Keeps a value of a session. Gives whether anything changed.
    pub(crate) fn keep(&mut self, session: &str, kind: &str, value: &Value) -> bool {
        if self.kept(session, kind) == Some(value) {
            return false;
        }
        self.changes = self.changes.saturating_add(1);
        let sessions = Arc::make_mut(&mut self.kept);
        let kept = sessions.entry(session.to_owned()).or_default();
        kept.at = self.changes;
        kept.kinds.insert(kind.to_owned(), value.clone());
        if sessions.len() > MOST_SESSIONS {
            let oldest = sessions.iter().min_by_key(|(_, kept)| kept.at).map(|(session, _)| session.clone());
            if let Some(oldest) = oldest {
                sessions.remove(&oldest);
            }
        }
        true
    }

    /// The file with this book.
    pub(crate) fn write(&self, book: &CardBook) -> serde_json::Result<Vec<u8>> {
        if self.unread.is_empty() {
            return self.write_plainly(book);
        }
        let mut fields = Map::new();
        fields.insert("version".to_owned(), VERSION.into());
        if let Value::Object(book) = serde_json::to_value(book)? {
            fields.extend(book);
        }
        for (list, odd) in &self.unread {
            if let Some(Value::Array(items)) = fields.get_mut(list) {
                items.extend(odd.iter().cloned());
            }
        }
        if !self.kept.is_empty() {
            fields.insert("sessions".to_owned(), serde_json::to_value(&*self.kept)?);
        }
        let mut bytes = serde_json::to_vec(&Value::Object(fields))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// The usual way: field by field, since what was written of the dismissals before need not be written again. A field
    /// that the book learns must be added here; a test compares both ways.
    fn write_plainly(&self, book: &CardBook) -> serde_json::Result<Vec<u8>> {
        let mut bytes = format!("{{\"version\":{VERSION},\"seq\":{},\"cards\":", book.seq).into_bytes();
        serde_json::to_writer(&mut bytes, &book.cards)?;
        bytes.extend_from_slice(b",\"summaries\":");
        serde_json::to_writer(&mut bytes, &book.summaries)?;
        bytes.extend_from_slice(b",\"dismissed\":");
        book.dismissed.write_json(&mut bytes)?;
        bytes.extend_from_slice(b",\"counts\":");
        serde_json::to_writer(&mut bytes, &book.counts)?;
        for (name, value) in &book.unknown {
            bytes.push(b',');
            serde_json::to_writer(&mut bytes, name)?;
            bytes.push(b':');
            serde_json::to_writer(&mut bytes, value)?;
        }
        if !self.kept.is_empty() {
            bytes.extend_from_slice(b",\"sessions\":");
            serde_json::to_writer(&mut bytes, &*self.kept)?;
        }
        bytes.extend_from_slice(b"}\n");
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    #[test]
    fn records_and_fields_of_another_version_are_written_back_c6() {
        let written = json!({
            "version": 1,
            "seq": 7,
            "cards": [{"id": "x", "state": "snoozed"}],
            "summaries": [],
            "dismissed": [{"id": "y", "fingerprint": "00000000000000ff", "at": 3, "by": "me"}],
            "counts": {"offered": 2, "accepted": 0, "assigned": 0, "dismissed": 1, "retired": 0},
            "theme": "dark",
            "sessions": {"s1": {"at": 4, "counters": {"kind": "counters", "next_offer": 3}}}
        });
        let document = Document::read(written.to_string().as_bytes()).unwrap();
        assert_eq!(document.book.dismissed.len(), 1);
        let again: Value = serde_json::from_slice(&document.write(&document.book).unwrap()).unwrap();
        assert_eq!(again, written);
    }

    #[test]
    fn both_ways_of_writing_give_the_same_c6() {
        let written = json!({
            "version": 1, "seq": 7,
            "cards": [{
                "id": "s-1", "session": "s", "title": "t", "text": "x", "prompt": "p", "category": "fix", "priority": "high",
                "origin": "local", "turn": 1, "fingerprint": "00000000000000aa", "created_at": 1, "updated_at": 1, "mood": "good",
            }],
            "summaries": [{
                "session": "s", "text": "x", "origin": "local", "turn": 1, "created_at": 1, "updated_at": 1
            }],
            "dismissed": [{"id": "y", "fingerprint": "00000000000000ff", "at": 3, "by": "me"}],
            "counts": {"offered": 2, "accepted": 0, "assigned": 0, "dismissed": 1, "retired": 0},
            "theme": "dark \" and light", "more": {"a": [1, 2]},
            "sessions": {"s1": {"at": 4, "counters": {"kind": "counters", "next_offer": 3}}}
        });
        let document = Document::read(written.to_string().as_bytes()).unwrap();
        let plainly: Value = serde_json::from_slice(&document.write(&document.book).unwrap()).unwrap();
        let mut whole = serde_json::to_value(&document.book).unwrap();
        let fields = whole.as_object_mut().unwrap();
        fields.insert("version".to_owned(), VERSION.into());
        fields.insert("sessions".to_owned(), written["sessions"].clone());
        assert_eq!(plainly, whole);
        assert_eq!(plainly["theme"], written["theme"]);
        assert_eq!(plainly["cards"][0]["mood"], "good");
    }

    #[test]
    fn what_is_no_store_says_why_without_contents() {
        let why = |text: &str| Document::read(text.as_bytes()).unwrap_err().0;
        assert!(why("").contains("damaged"));
        assert!(why("{\"version\":1,").contains("damaged"));
        assert!(why("[]").contains("not an object"));
        assert!(why("{}").contains("no known version"));
        assert!(why("{\"version\":\"1\"}").contains("no known version"));
        assert!(why("{\"version\":2,\"secret\":\"hunter2\"}").contains("newer version (format 2"));
    }
}
