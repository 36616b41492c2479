//! Lines of a stream as bytes, however long.

use std::io::{self, BufRead, ErrorKind};

/// A line up to this many bytes is read whole; a longer one passes in pieces and nobody looks at it.
pub(crate) const LONGEST_LINE: usize = 32 * 1024 * 1024;

/// A buffer that grew beyond this is given back after its line.
const KEPT_BUFFER: usize = 256 * 1024;

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A whole line with its line end, or the last one, which may have none.
    Line,
    /// The beginning or the middle of a line that is too long.
    Part,
    /// The rest of a line that is too long.
    LastPart,
    /// The stream is over.
    End,
}

/// Reads lines and keeps every byte of them.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    source: R,
    inside: bool,
    longest: usize,
}

impl<R: BufRead> LineReader<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, inside: false, longest: LONGEST_LINE }
    }

    /// Reads the next piece into the buffer, over what was in it.
    pub(crate) fn read(&mut self, piece: &mut Vec<u8>) -> io::Result<Piece> {
        piece.clear();
        piece.shrink_to(KEPT_BUFFER);
        loop {
            let available = match self.source.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                let inside = std::mem::take(&mut self.inside);
                return Ok(match (piece.is_empty(), inside) {
                    (true, _) => Piece::End,
                    (false, true) => Piece::LastPart,
                    (false, false) => Piece::Line,
                });
            }
            let end = memchr::memchr(b'\n', available).map(|at| at + 1);
            let taken = end.unwrap_or(available.len());
            piece.extend_from_slice(available.get(..taken).unwrap_or(available));
            self.source.consume(taken);
            if end.is_some() {
                let inside = std::mem::take(&mut self.inside);
                return Ok(if inside { Piece::LastPart } else { Piece::Line });
            }
            if piece.len() >= self.longest {
                self.inside = true;
                return Ok(Piece::Part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn pieces(text: &[u8], buffer: usize, longest: usize) -> Vec<(Piece, Vec<u8>)> {
        let mut reader =
            LineReader { source: BufReader::with_capacity(buffer, text), inside: false, longest };
        let (mut all, mut piece) = (Vec::new(), Vec::new());
        loop {
            let kind = reader.read(&mut piece).unwrap();
            if kind == Piece::End {
                return all;
            }
            all.push((kind, piece.clone()));
        }
    }

    #[test]
    fn every_byte_is_kept_whatever_the_line_ends() {
        for buffer in [1, 2, 3, 64] {
            let text = b"{\"a\":1}\r\n\n  x\n\xff\xfe\nlast";
            let read = pieces(text, buffer, 1_000);
            assert_eq!(read.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), [Piece::Line; 5]);
            assert_eq!(read.concat_bytes(), text);
        }
    }

    #[test]
    fn a_line_that_is_too_long_passes_in_parts() {
        let read = pieces(b"short\n0123456789abcdef\nend\n", 4, 8);
        let kinds: Vec<Piece> = read.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [Piece::Line, Piece::Part, Piece::LastPart, Piece::Line]);
        assert_eq!(read.concat_bytes(), b"short\n0123456789abcdef\nend\n");
    }

    trait ConcatBytes {
        fn concat_bytes(&self) -> Vec<u8>;
    }

    impl ConcatBytes for Vec<(Piece, Vec<u8>)> {
        fn concat_bytes(&self) -> Vec<u8> {
            self.iter().flat_map(|(_, bytes)| bytes.clone()).collect()
        }
    }
}
