//! Lines from a stream, in bounded memory whatever comes.

use std::io;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// How much of a line that is too long is kept, to see what it was.
const HEAD: usize = 512;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// A line without its end. It may be anything.
    Line(Vec<u8>),
    /// A line over the limit, which was skipped but for its beginning.
    TooLong {
        /// The beginning.
        head: Vec<u8>,
    },
}

/// Cuts a stream into lines. Blank lines are skipped; a last line without its end is half a message and no line.
#[derive(Debug)]
pub(crate) struct Frames<R> {
    input: BufReader<R>,
    limit: usize,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(crate) fn new(input: R, limit: usize) -> Self {
        Self { input: BufReader::with_capacity(64 * 1024, input), limit }
    }

    /// The next line; `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Frame>> {
        let mut line = Vec::new();
        let mut too_long = false;
        loop {
            let bytes = match self.input.fill_buf().await {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if bytes.is_empty() {
                return Ok(None);
            }
            let end = memchr::memchr(b'\n', bytes);
            let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
            if !too_long {
                if line.len().saturating_add(part.len()) > self.limit {
                    too_long = true;
                    let room = HEAD.saturating_sub(line.len());
                    line.extend_from_slice(part.get(..room.min(part.len())).unwrap_or_default());
                    line.truncate(HEAD);
                    line.shrink_to_fit();
                } else {
                    line.extend_from_slice(part);
                }
            }
            let used = end.map_or(bytes.len(), |end| end.saturating_add(1));
            self.input.consume(used);
            if end.is_none() {
                continue;
            }
            if too_long {
                return Ok(Some(Frame::TooLong { head: line }));
            }
            if line.iter().any(|byte| !byte.is_ascii_whitespace()) {
                return Ok(Some(Frame::Line(line)));
            }
            line.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frames(bytes: &[u8], limit: usize) -> Vec<Frame> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut frames = Frames::new(bytes, limit);
            let mut all = Vec::new();
            while let Some(frame) = frames.next().await.unwrap() {
                all.push(frame);
            }
            all
        })
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_the_next_is_read() {
        let mut bytes = vec![b'x'; 200_000];
        bytes.extend_from_slice(b"\n\n  \nnext\r\nhalf");
        let all = frames(&bytes, 1_000);
        assert_eq!(all, [Frame::TooLong { head: vec![b'x'; HEAD] }, Frame::Line(b"next\r".to_vec())]);
        assert_eq!(frames(b"12345\n123456\n", 5).len(), 2);
    }

    proptest! {
        #[test]
        fn any_bytes_give_the_lines_that_they_hold(
            lines in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..80), 0..20),
            limit in 1_usize..60,
        ) {
            let mut bytes = Vec::new();
            let mut expected = Vec::new();
            for line in &lines {
                let line: Vec<u8> = line.iter().copied().filter(|byte| *byte != b'\n').collect();
                bytes.extend_from_slice(&line);
                bytes.push(b'\n');
                if line.len() > limit {
                    expected.push(Frame::TooLong { head: line });
                } else if line.iter().any(|byte| !byte.is_ascii_whitespace()) {
                    expected.push(Frame::Line(line));
                }
            }
            prop_assert_eq!(frames(&bytes, limit), expected);
        }
    }
}
