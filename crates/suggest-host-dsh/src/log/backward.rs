//! Lines of a file, backwards, and searching a file backwards.

use super::lines::trimmed;
use memchr::memmem::Finder;
use std::io::{self, Read, Seek, SeekFrom};

/// How much is read at once while walking backwards over lines, at first; giant lines double it.
const CHUNK: u64 = 64 * 1024;

/// The most that is read at once for a giant line.
const MAX_CHUNK: u64 = 4 * 1024 * 1024;

/// How much is read at once while searching.
const SEARCH_CHUNK: u64 = 1024 * 1024;

/// Walks over the lines of a file from the end to a floor. Also for the line-wise formats of other harnesses.
pub struct BackwardLines<'a, R> {
    input: &'a mut R,
    floor: u64,
    limit: usize,
    /// What was read and not yet given: the bytes from `base`, up to the end of the next line.
    held: Vec<u8>,
    base: u64,
    /// How much of `held` is left after the line that was given last.
    left: usize,
    chunk: u64,
}

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackwardLine<'a> {
    /// Where it begins.
    pub start: u64,
    /// Where the next one begins.
    pub end: u64,
    /// Its text; `None` if it is longer than the limit.
    pub text: Option<&'a [u8]>,
}

impl<R> std::fmt::Debug for BackwardLines<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BackwardLines").field("base", &self.base).finish_non_exhaustive()
    }
}

impl<'a, R: Read + Seek> BackwardLines<'a, R> {
    /// The lines between two offsets, both of which are line starts or the ends of the file.
    #[must_use]
    pub fn new(input: &'a mut R, floor: u64, end: u64, limit: usize) -> Self {
        Self { input, floor, limit, held: Vec::new(), base: end.max(floor), left: 0, chunk: CHUNK }
    }

    /// The line before the one that was given last.
    ///
    /// # Errors
    ///
    /// Those of reading and seeking, and [`io::ErrorKind::UnexpectedEof`] if the file became shorter meanwhile.
    pub fn next_line(&mut self) -> io::Result<Option<BackwardLine<'_>>> {
        self.held.truncate(self.left);
        let end = self.base.saturating_add(to_u64(self.held.len()));
        if end <= self.floor {
            return Ok(None);
        }
        let mut too_long = false;
        // The last byte is the line feed of the line itself, or none: the one before the line is further left.
        let mut unsearched = self.held.len().saturating_sub(1);
        loop {
            let found = memchr::memrchr(b'\n', self.held.get(..unsearched).unwrap_or_default());
            if found.is_some() || self.base <= self.floor {
                let start = found.map_or(0, |found| found.saturating_add(1));
                self.left = start;
                self.chunk = CHUNK;
                let offset = self.base.saturating_add(to_u64(start));
                let text = self.held.get(start..).filter(|text| !too_long && text.len() <= self.limit);
                return Ok(Some(BackwardLine {
                    start: offset,
                    end,
                    text: text.map(|text| trimmed(text, offset)),
                }));
            }
            if self.held.len() > self.limit {
                // Nobody wants the text any more, only where the line begins.
                too_long = true;
                self.held.clear();
            }
            let holds_last_byte = self.base == end;
            let size = self.chunk.min(self.base.saturating_sub(self.floor));
            self.chunk = self.chunk.saturating_mul(2).min(MAX_CHUNK);
            self.base = self.base.saturating_sub(size);
            let mut before = read_at(self.input, self.base, size)?;
            unsearched = before.len().saturating_sub(usize::from(holds_last_byte));
            before.append(&mut self.held);
            self.held = before;
        }
    }
}

/// Looks backwards from `end` for the newest line that holds the needle and that `accept` takes. Lines longer than
/// `limit` are not looked at. The floor is a line start. `accept` gets the line and where the next one begins.
///
/// # Errors
///
/// As [`BackwardLines::next_line`].
pub fn find_line<R: Read + Seek, T>(
    input: &mut R,
    (floor, end): (u64, u64),
    needle: &Finder<'_>,
    limit: usize,
    mut accept: impl FnMut(&[u8], u64) -> Option<T>,
) -> io::Result<Option<T>> {
    let overlap = to_u64(needle.needle().len()).saturating_sub(1);
    let mut high = end;
    while high > floor {
        let low = high.saturating_sub(SEARCH_CHUNK).max(floor);
        let bytes = read_at(input, low, high.saturating_add(overlap).min(end).saturating_sub(low))?;
        let hits: Vec<u64> = needle
            .find_iter(&bytes)
            .map(|hit| low.saturating_add(to_u64(hit)))
            .filter(|hit| *hit < high)
            .collect();
        let mut seen_from = u64::MAX;
        for hit in hits.into_iter().rev().filter(|hit| *hit < end) {
            if hit >= seen_from {
                continue;
            }
            let Some((start, line)) = line_around(input, (floor, end), hit, limit)? else { continue };
            seen_from = start;
            let next = start.saturating_add(to_u64(line.len()));
            if let Some(found) = accept(trimmed(&line, start), next) {
                return Ok(Some(found));
            }
        }
        high = low;
    }
    Ok(None)
}

/// The line that holds an offset, with its start.
fn line_around<R: Read + Seek>(
    input: &mut R,
    (floor, end): (u64, u64),
    hit: u64,
    limit: usize,
) -> io::Result<Option<(u64, Vec<u8>)>> {
    let mut size = 4096;
    loop {
        let low = hit.saturating_sub(size).max(floor);
        let high = hit.saturating_add(size).min(end);
        let bytes = read_at(input, low, high.saturating_sub(low))?;
        let place = usize::try_from(hit.saturating_sub(low)).unwrap_or(usize::MAX);
        let Some((before, behind)) = bytes.split_at_checked(place) else { return Ok(None) };
        let start =
            memchr::memrchr(b'\n', before).map(|at| at.saturating_add(1)).or((low == floor).then_some(0));
        let stop = memchr::memchr(b'\n', behind)
            .map(|at| at.saturating_add(1))
            .or((high == end).then_some(behind.len()));
        if let (Some(start), Some(stop)) = (start, stop) {
            let stop = place.saturating_add(stop);
            let line = bytes.get(start..stop).filter(|line| line.len() <= limit).map(<[u8]>::to_vec);
            return Ok(line.map(|line| (low.saturating_add(to_u64(start)), line)));
        }
        if size > to_u64(limit) {
            return Ok(None);
        }
        size = size.saturating_mul(4);
    }
}

fn read_at<R: Read + Seek>(input: &mut R, offset: u64, size: u64) -> io::Result<Vec<u8>> {
    input.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0).min(16 * 1024 * 1024));
    input.by_ref().take(size).read_to_end(&mut bytes)?;
    if to_u64(bytes.len()) < size {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the log became shorter while it was read"));
    }
    Ok(bytes)
}

pub(crate) fn to_u64(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Cursor;

    fn backwards(bytes: &[u8], floor: u64, limit: usize) -> Vec<(u64, u64, Option<Vec<u8>>)> {
        let mut input = Cursor::new(bytes);
        let mut lines = BackwardLines::new(&mut input, floor, to_u64(bytes.len()), limit);
        lines.chunk = 1;
        let mut all = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            all.push((line.start, line.end, line.text.map(<[u8]>::to_vec)));
            lines.chunk = 3;
        }
        all.reverse();
        all
    }

    fn forwards(bytes: &[u8], floor: u64, limit: usize) -> Vec<(u64, u64, Option<Vec<u8>>)> {
        let mut all = Vec::new();
        let mut start = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let end = start + to_u64(line.len());
            if start >= floor {
                all.push((start, end, (line.len() <= limit).then(|| trimmed(line, start).to_vec())));
            }
            start = end;
        }
        all
    }

    #[test]
    fn lines_come_backwards_with_and_without_a_last_line_feed() {
        for text in ["", "\n", "a\nbb\n\nccc", "a\nbb\n\nccc\n", "one line only", "0123456789\nx\n0123456789"]
        {
            for floor in [0, 2] {
                if floor == 2 && !text.starts_with("a\n") {
                    continue;
                }
                assert_eq!(
                    backwards(text.as_bytes(), floor, 5),
                    forwards(text.as_bytes(), floor, 5),
                    "{text:?}"
                );
            }
        }
    }

    #[test]
    fn a_search_finds_the_newest_line_that_is_accepted() {
        let text =
            format!("goal 1\n{}goal 2 goal\n{}goal no\nend", "x\n".repeat(900_000), "y\n".repeat(700_000));
        let mut input = Cursor::new(text.as_bytes());
        let end = to_u64(text.len());
        let finder = Finder::new("goal");
        let mut seen = 0;
        let found = find_line(&mut input, (0, end), &finder, 1024, |line, next| {
            seen += 1;
            line.starts_with(b"goal 2").then(|| (String::from_utf8_lossy(line).into_owned(), next))
        });
        let (line, next) = found.unwrap().unwrap();
        assert_eq!((line.as_str(), seen), ("goal 2 goal", 2));
        assert!(text.get(usize::try_from(next).unwrap()..).unwrap().starts_with("y\n"));
        let none = find_line(&mut input, (0, end), &Finder::new("absent"), 1024, |_, _| Some(()));
        assert_eq!(none.unwrap(), None);
    }

    proptest! {
        #[test]
        fn backwards_is_forwards_reversed(text in "[ab\n]{0,60}", limit in 1_usize..12) {
            prop_assert_eq!(backwards(text.as_bytes(), 0, limit), forwards(text.as_bytes(), 0, limit));
        }
    }
}
