//! An incremental decoder of server-sent events, without IO.
//!
//! Written for what endpoints really send: all three line ends also when split over reads, a byte order mark, `data:`
//! without a space, several `data:` lines, characters split over reads, and a last event without its blank line.

/// One event of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// The event's name; empty when the stream gave none.
    pub(crate) name: String,
    /// The data lines, joined by line feeds. Bytes that are not UTF-8 are replaced.
    pub(crate) data: String,
    /// Whether a blank line ended the event. The tail that [`SseDecoder::finish`] returns has none, and may be cut.
    pub(crate) terminated: bool,
}

/// An event or line longer than the decoder's bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Feed bytes with [`push`](Self::push) as they come, then call [`finish`](Self::finish) once.
#[derive(Debug)]
pub(crate) struct SseDecoder {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    name: String,
    after_carriage_return: bool,
    first_line: bool,
    longest_event: usize,
}

impl SseDecoder {
    /// A decoder that refuses events of more than `longest_event` bytes.
    pub(crate) fn new(longest_event: usize) -> Self {
        Self {
            line: Vec::new(),
            data: Vec::new(),
            has_data: false,
            name: String::new(),
            after_carriage_return: false,
            first_line: true,
            longest_event,
        }
    }

    /// Takes the next bytes, cut anywhere, and returns the events that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, TooLong> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_carriage_return = std::mem::take(&mut self.after_carriage_return);
            match byte {
                b'\n' if after_carriage_return => {}
                b'\n' | b'\r' => {
                    self.after_carriage_return = byte == b'\r';
                    events.extend(self.end_line());
                }
                _ => {
                    if self.line.len() + self.data.len() >= self.longest_event {
                        return Err(TooLong);
                    }
                    self.line.push(byte);
                }
            }
        }
        Ok(events)
    }

    /// The unterminated tail of the stream, if it holds any data.
    pub(crate) fn finish(mut self) -> Option<SseEvent> {
        if !self.line.is_empty() {
            let ended = self.end_line();
            debug_assert!(ended.is_none(), "only a blank line ends an event");
        }
        self.take_event(false)
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let line = std::mem::take(&mut self.line);
        let mut line = line.as_slice();
        if std::mem::take(&mut self.first_line) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            return self.take_event(true);
        }
        let colon = line.iter().position(|&byte| byte == b':');
        let (field, value) = match colon {
            Some(position) => line.split_at(position),
            None => (line, [].as_slice()),
        };
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
                self.has_data = true;
            }
            b"event" => self.name = String::from_utf8_lossy(value).into_owned(),
            // Comments (an empty field name), ids, reconnection times and unknown fields mean nothing here.
            _ => {}
        }
        None
    }

    fn take_event(&mut self, terminated: bool) -> Option<SseEvent> {
        let name = std::mem::take(&mut self.name);
        let data = std::mem::take(&mut self.data);
        std::mem::take(&mut self.has_data).then(|| SseEvent {
            name,
            data: String::from_utf8_lossy(&data).into_owned(),
            terminated,
        })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;
    use proptest::prelude::*;

    use super::*;

    fn decode(chunks: &[&[u8]]) -> Vec<SseEvent> {
        let mut decoder = SseDecoder::new(1 << 20);
        let mut events = Vec::new();
        for chunk in chunks {
            events.extend(decoder.push(chunk).unwrap());
        }
        events.extend(decoder.finish());
        events
    }

    fn data(bytes: &[u8]) -> Vec<String> {
        decode(&[bytes]).into_iter().map(|event| event.data).collect()
    }

    #[test]
    fn every_framing_of_the_same_events_reads_the_same() {
        for text in [
            "data: one\n\ndata: two\n\n",
            "data:one\r\n\r\ndata:two\r\n\r\n",
            "data: one\r\rdata: two\r\r",
            "\u{feff}data: one\n\n: comment\n:\ndata: two\n\n",
            "id: 7\nretry: 1\nunknown\ndata: one\n\n\n\n\ndata: two",
        ] {
            assert_eq!(data(text.as_bytes()), ["one", "two"], "{text:?}");
            let single: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(decode(&single), decode(&[text.as_bytes()]), "{text:?}");
        }
    }

    #[test]
    fn data_lines_are_joined_and_names_kept() {
        let events = decode(&["event: error\ndata: a\ndata:\ndata:  b\n\n".as_bytes()]);
        assert_eq!(
            events,
            [SseEvent { name: "error".to_owned(), data: "a\n\n b".to_owned(), terminated: true }]
        );
    }

    #[test]
    fn a_tail_without_blank_line_is_kept_and_flagged() {
        for tail in ["data: x", "data: x\n"] {
            let events = decode(&[tail.as_bytes()]);
            assert_eq!(events.len(), 1);
            assert!(!events.first().unwrap().terminated);
        }
    }

    #[test]
    fn an_event_over_the_bound_is_refused() {
        let mut decoder = SseDecoder::new(8);
        assert_eq!(decoder.push(b"data: 0123456789"), Err(TooLong));
    }

    fn stream_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("data: ".to_owned()),
            Just("data:".to_owned()),
            Just("event: ping".to_owned()),
            Just(": keep-alive".to_owned()),
            Just("id: 4".to_owned()),
            Just("\n".to_owned()),
            Just("\r\n".to_owned()),
            Just("\n\n".to_owned()),
            "[a-z:é漢😀 {}\"]{0,6}",
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_events(
            bytes in prop::collection::vec(
                prop_oneof![Just(b'\n'), Just(b'\r'), Just(b':'), Just(b'd'), any::<u8>()], 0..200,
            ),
            cuts in prop::collection::vec(1usize..9, 0..60),
        ) {
            let whole = decode(&[&bytes]);
            let mut chunks: Vec<&[u8]> = Vec::new();
            let mut rest = bytes.as_slice();
            for cut in cuts {
                let (head, tail) = rest.split_at(cut.min(rest.len()));
                chunks.push(head);
                rest = tail;
            }
            chunks.push(rest);
            prop_assert_eq!(whole, decode(&chunks));
        }

        #[test]
        fn agrees_with_an_independent_decoder_on_terminated_events(text in stream_text()) {
            let ours: Vec<String> = decode(&[text.as_bytes()])
                .into_iter()
                .filter(|event| event.terminated)
                .map(|event| event.data)
                .collect();
            let bytes = std::collections::VecDeque::from(text.clone().into_bytes());
            let body = http_body_util::Full::new(bytes);
            let theirs: Vec<String> = futures_util::FutureExt::now_or_never(
                sse_stream::SseStream::new(body).collect::<Vec<_>>(),
            )
            .unwrap()
            .into_iter()
            .filter_map(|event| event.unwrap().data)
            .collect();
            prop_assert_eq!(ours, theirs);
        }
    }
}
