//! Lines of a stream, in bounded memory.

use std::io::{self, BufRead};

/// The longest line that is read, in bytes.
pub(super) const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Its number; the first is 1.
    pub(super) number: u64,
    /// Its bytes without the line end; `None` when it is too long.
    pub(super) bytes: Option<&'a [u8]>,
    /// Whether a line end follows; the last line of a file that is being written has none.
    pub(super) ended: bool,
}

/// Reads lines one by one.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    number: u64,
    limit: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R, limit: usize) -> Self {
        Self { input, buffer: Vec::new(), number: 0, limit }
    }

    /// The next line; `None` at the end.
    pub(super) fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let (mut any, mut ended, mut too_long) = (false, false, false);
        while !ended {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                break;
            }
            any = true;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let text = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
            too_long |= self.buffer.len().saturating_add(text.len()) > self.limit;
            if too_long {
                self.buffer.clear();
            } else {
                self.buffer.extend_from_slice(text);
            }
            ended = end.is_some();
            let used = end.map_or(chunk.len(), |end| end.saturating_add(1));
            self.input.consume(used);
        }
        if !any {
            return Ok(None);
        }
        self.number = self.number.saturating_add(1);
        Ok(Some(Line { number: self.number, bytes: (!too_long).then_some(&self.buffer), ended }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn lines_keep_their_numbers_whatever_the_chunks() {
        for capacity in [1, 2, 3, 64] {
            let input = BufReader::with_capacity(capacity, &b"ab\n\ntoo long\nend"[..]);
            let mut lines = Lines::new(input, 4);
            let mut seen = Vec::new();
            while let Some(line) = lines.next_line().unwrap() {
                seen.push((line.number, line.bytes.map(<[u8]>::to_vec), line.ended));
            }
            let expected = vec![
                (1, Some(b"ab".to_vec()), true),
                (2, Some(Vec::new()), true),
                (3, None, true),
                (4, Some(b"end".to_vec()), false),
            ];
            assert_eq!(seen, expected, "capacity {capacity}");
        }
    }
}
