//! Lines of a stream, forwards, with a bound on their length.

use std::io::{self, BufRead};

/// Reads lines into one buffer that is used again. Also for the line-wise formats of other harnesses.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    line: Vec<u8>,
    limit: usize,
    number: u64,
    offset: u64,
}

/// One line, without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// Its length in bytes, with its end.
    pub length: u64,
    /// Its text without space around it; `None` if it is longer than the limit.
    pub text: Option<&'a [u8]>,
    /// Whether a line feed ends it.
    pub ended: bool,
}

impl<R: BufRead> Lines<R> {
    /// Lines of up to `limit` bytes; the first byte has the given offset.
    #[must_use]
    pub fn new(input: R, limit: usize, offset: u64) -> Self {
        Self { input, line: Vec::new(), limit, number: 0, offset }
    }

    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Where the next line begins.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// What is read from.
    pub(crate) fn input(&self) -> &R {
        &self.input
    }

    /// How many lines were read.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.number
    }

    /// The next line, or `None` at the end.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        // One giant line must not keep its memory for the rest of the log.
        if self.line.capacity() > 1024 * 1024 {
            self.line = Vec::new();
        }
        self.line.clear();
        let (mut length, mut fits, mut ended) = (0_u64, true, false);
        while !ended {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                break;
            }
            let end = memchr::memchr(b'\n', available);
            ended = end.is_some();
            let used = end.map_or(available.len(), |end| end.saturating_add(1));
            fits = fits && self.line.len().saturating_add(used) <= self.limit;
            if fits {
                self.line.extend_from_slice(available.get(..used).unwrap_or_default());
            }
            length = length.saturating_add(u64::try_from(used).unwrap_or(u64::MAX));
            self.input.consume(used);
        }
        if length == 0 {
            return Ok(None);
        }
        let offset = self.offset;
        self.offset = self.offset.saturating_add(length);
        self.number = self.number.saturating_add(1);
        let text = fits.then(|| trimmed(&self.line, offset));
        Ok(Some(Line { number: self.number, offset, length, text, ended }))
    }
}

/// A line without the space around it, and without a byte order mark at the start of the file.
pub(crate) fn trimmed(line: &[u8], offset: u64) -> &[u8] {
    let line = if offset == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
    line.trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_know_their_number_place_and_end() {
        let text: &[u8] = b"\xef\xbb\xbfone\r\n\ntoo long a line\nlast";
        // A tiny buffer, so that lines span several reads.
        let mut lines = Lines::new(io::BufReader::with_capacity(3, text), 8, 0);
        let mut seen = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            let text = line.text.map(|text| String::from_utf8_lossy(text).into_owned());
            seen.push((line.number, line.offset, line.length, text, line.ended));
        }
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            seen,
            [
                (1, 0, 8, text("one"), true),
                (2, 8, 1, text(""), true),
                (3, 9, 16, None, true),
                (4, 25, 4, text("last"), false),
            ]
        );
    }
}
