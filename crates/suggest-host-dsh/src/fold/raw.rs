//! The envelope of one session event, read tolerantly.

use serde_json::{Map, Value};

/// One raw session event.
#[derive(Debug)]
pub(crate) struct Raw {
    /// Its type, such as `turn/start`.
    pub(crate) kind: String,
    /// Its sequence number.
    pub(crate) seq: Option<u64>,
    /// Its payload; empty where the event has none.
    pub(crate) data: Map<String, Value>,
    /// The surface nodes that it replaces.
    pub(crate) replaces: Option<Replaces>,
}

/// A range of surface nodes, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Replaces {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Raw {
    /// Reads the envelope. `None` for everything that is no object with a `type`.
    pub(crate) fn from_value(value: Value) -> Option<Self> {
        let Value::Object(mut object) = value else { return None };
        let Some(Value::String(kind)) = object.remove("type") else { return None };
        let seq = object.get("seq").and_then(Value::as_u64);
        let replaces = object.get("surfaceOp").and_then(Replaces::from_value);
        let data = match object.remove("data") {
            Some(Value::Object(data)) => data,
            _ => Map::new(),
        };
        Some(Self { kind, seq, data, replaces })
    }

    /// The turn that the payload names.
    pub(crate) fn turn(&self) -> Option<u64> {
        self.data.get("turn").and_then(Value::as_u64)
    }

    /// Takes the message out of the payload: events of older kinds are the message, newer ones hold it.
    pub(crate) fn take_message(&mut self) -> Map<String, Value> {
        match self.data.remove("message") {
            Some(Value::Object(message)) => message,
            _ => std::mem::take(&mut self.data),
        }
    }
}

impl Replaces {
    /// Format 0 names the ends `start` and `end`, format 4 `startSeq` and `endSeq`.
    fn from_value(value: &Value) -> Option<Self> {
        if value.get("op").and_then(Value::as_str) != Some("replace") {
            return None;
        }
        let end_of = |old: &str, new: &str| value.get(new).or_else(|| value.get(old)).and_then(Value::as_u64);
        Some(Self { start: end_of("start", "startSeq")?, end: end_of("end", "endSeq")? })
    }
}

/// A string field of an object.
pub(crate) fn text_field<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

/// The first `limit` characters of a text.
pub(crate) fn clip(text: &str, limit: usize) -> String {
    text.chars().take(limit).collect()
}
