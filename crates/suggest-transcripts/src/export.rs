//! `opencode export`: one document, read message by message, so that only one of them is held at a time.

use crate::error::TranscriptError;
use crate::format::Format;
use serde::Deserializer as _;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};
use std::fmt;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;

/// The largest document that is read: a single message of it may be as large.
const LARGEST: u64 = 256 * 1024 * 1024;

/// Gives the records of an export, in order: the session, then its messages.
pub(crate) fn records(
    input: impl Read,
    sink: &mut dyn FnMut(Value) -> ControlFlow<()>,
) -> Result<(), TranscriptError> {
    let format = Format::OpencodeExport;
    let mut bytes = Utf8::new(input.take(LARGEST.saturating_add(1)));
    let mut document = Document { sink, told_session: false, early: Vec::new(), list: false, stopped: false };
    let mut reader = serde_json::Deserializer::from_reader(BufReader::new(&mut bytes));
    let read = reader.deserialize_map(&mut document).and_then(|()| reader.end());
    drop(reader);
    let Document { list, stopped, .. } = document;
    if bytes.count > LARGEST {
        return Err(TranscriptError::TooLarge { limit: LARGEST });
    }
    match read {
        _ if stopped => Ok(()),
        Ok(()) if list => Ok(()),
        Ok(()) => Err(TranscriptError::NotThisFormat { format, reason: "it has no list of messages" }),
        Err(_) if bytes.is_blank => Err(TranscriptError::Empty),
        Err(error) if error.is_io() => Err(TranscriptError::Io(error.into())),
        Err(_) => {
            Err(TranscriptError::NotThisFormat { format, reason: "it is no JSON document, or was cut" })
        }
    }
}

struct Document<'a> {
    sink: &'a mut dyn FnMut(Value) -> ControlFlow<()>,
    told_session: bool,
    /// Messages that stand before the session, which must be told first.
    early: Vec<Value>,
    /// Whether there is a list of messages.
    list: bool,
    /// Whether the sink wants no more.
    stopped: bool,
}

impl Document<'_> {
    fn session(&mut self, session: &Value) {
        self.told_session = true;
        self.tell(json!({ "session": session }));
        for message in std::mem::take(&mut self.early) {
            self.tell(message);
        }
    }

    fn message(&mut self, message: Value) {
        if self.told_session { self.tell(message) } else { self.early.push(message) }
    }

    fn tell(&mut self, record: Value) {
        self.stopped = self.stopped || (self.sink)(record).is_break();
    }

    /// An error ends the parsing when nobody wants the rest.
    fn go_on<E: serde::de::Error>(&self) -> Result<(), E> {
        if self.stopped { Err(E::custom("the rest is not wanted")) } else { Ok(()) }
    }
}

impl<'de> Visitor<'de> for &mut Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an export")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "info" if !self.told_session => {
                    let session = map.next_value()?;
                    self.session(&session);
                }
                "messages" => map.next_value_seed(Messages(&mut *self))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
            self.go_on()?;
        }
        if !self.told_session {
            self.session(&Value::Null);
        }
        Ok(())
    }
}

struct Messages<'a, 'b>(&'a mut Document<'b>);

impl<'de> DeserializeSeed<'de> for Messages<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Messages<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.0.list = true;
        while let Some(message) = list.next_element()? {
            self.0.message(message);
            self.0.go_on()?;
        }
        Ok(())
    }
}

/// Bytes as UTF-8, without a byte order mark. What is none is replaced: one bad byte should not cost a session.
struct Utf8<R> {
    input: R,
    /// Bytes that are ready, and how many of them were taken.
    ready: Vec<u8>,
    taken: usize,
    /// The beginning of a character whose rest has not come.
    begun: Vec<u8>,
    count: u64,
    is_blank: bool,
}

impl<R: Read> Utf8<R> {
    fn new(input: R) -> Self {
        Self { input, ready: Vec::new(), taken: 0, begun: Vec::new(), count: 0, is_blank: true }
    }

    /// Makes the next bytes ready; none at the end.
    fn refill(&mut self) -> io::Result<()> {
        let first = self.count == 0;
        let mut bytes = std::mem::take(&mut self.begun);
        let more = (&mut self.input).take(64 * 1024).read_to_end(&mut bytes)?;
        self.count = self.count.saturating_add(u64::try_from(more).unwrap_or(u64::MAX));
        if first && bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        self.is_blank = self.is_blank && bytes.trim_ascii().is_empty();
        self.taken = 0;
        if std::str::from_utf8(&bytes).is_ok() {
            self.ready = bytes;
            return Ok(());
        }
        self.ready.clear();
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.ready.extend_from_slice(chunk.valid().as_bytes());
            let bad = chunk.invalid();
            let may_go_on = more > 0
                && chunks.peek().is_none()
                && std::str::from_utf8(bad).is_err_and(|error| error.error_len().is_none());
            if may_go_on {
                self.begun = bad.to_vec();
            } else if !bad.is_empty() {
                self.ready.extend_from_slice("\u{fffd}".as_bytes());
            }
        }
        // All that came was the beginning of a character.
        if self.ready.is_empty() && !self.begun.is_empty() { self.refill() } else { Ok(()) }
    }
}

impl<R: Read> Read for Utf8<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken >= self.ready.len() {
            self.refill()?;
        }
        let rest = self.ready.get(self.taken..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.taken = self.taken.saturating_add(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &[u8]) -> Result<Vec<Value>, TranscriptError> {
        let mut told = Vec::new();
        records(text, &mut |record| {
            told.push(record);
            ControlFlow::Continue(())
        })?;
        Ok(told)
    }

    #[test]
    fn the_session_is_told_before_its_messages_wherever_it_stands() {
        let expected = vec![json!({ "session": { "id": "s" } }), json!({ "info": 1 }), json!({ "info": 2 })];
        let first = br#"{"info":{"id":"s"},"other":[{}],"messages":[{"info":1},{"info":2}]}"#;
        assert_eq!(told(first).unwrap(), expected);
        let last = br#" {"messages":[{"info":1},{"info":2}],"info":{"id":"s"}} "#;
        assert_eq!(told(last).unwrap(), expected);
    }

    #[test]
    fn what_is_no_export_says_why() {
        let reason = |text: &[u8]| match told(text).unwrap_err() {
            TranscriptError::NotThisFormat { reason, .. } => reason,
            TranscriptError::Empty => "empty",
            other => panic!("{other:?}"),
        };
        assert_eq!(reason(b""), "empty");
        assert_eq!(reason(b"\xef\xbb\xbf \n"), "empty");
        assert_eq!(reason(b"{}"), "it has no list of messages");
        for other in
            [&b"[]"[..], b"{\"messages\":{}}", b"{\"messages\":[{}", b"{\"messages\":[]} x", b"hello"]
        {
            assert_eq!(reason(other), "it is no JSON document, or was cut", "{}", other.escape_ascii());
        }
    }

    #[test]
    fn a_bad_byte_costs_one_character_and_a_character_may_come_in_pieces() {
        /// One byte at a time.
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let (Some((first, rest)), Some(to)) = (self.0.split_first(), buffer.first_mut()) else {
                    return Ok(0);
                };
                *to = *first;
                self.0 = rest;
                Ok(1)
            }
        }
        for (text, read) in
            [(&b"\xef\xbb\xbf\xe6\x97\xa5x"[..], "日x"), (b"a\xffb\xe6", "a\u{fffd}b\u{fffd}")]
        {
            let mut out = String::new();
            Utf8::new(Slow(text)).read_to_string(&mut out).unwrap();
            assert_eq!(out, read);
            let mut out = String::new();
            Utf8::new(text).read_to_string(&mut out).unwrap();
            assert_eq!(out, read);
        }
    }

    #[test]
    fn nothing_more_is_read_when_the_rest_is_not_wanted() {
        let mut count = 0;
        let text = br#"{"info":{},"messages":[{},{},{} and then no JSON"#;
        records(&text[..], &mut |_| {
            count += 1;
            if count == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
        assert_eq!(count, 3);
    }
}
