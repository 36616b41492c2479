//! The text under scan, with memory of how far runs reach, so that no stretch is measured again and again.

use std::sync::LazyLock;

use super::families::Family;
use super::foreign::{self, TELLING};
use super::keys::{Body, KEY_RULES, KeyRule};
use super::shape::{
    ALPHABETS, Alphabet, at, before, blank, contains, has_digit, has_letter, has_upper, judged, longest_part,
    looked, starts_with, word_starts,
};
use super::tables::Table;

/// A stretch of the text that must not leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) family: Family,
}

/// How far an unquoted stretch reaches: which bytes end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Stretch {
    /// A value up to a blank or a double quote.
    Wide,
    /// A value that ends at list marks too.
    Narrow,
    /// One credential of a header.
    Credential,
    /// What is left of a line.
    Line,
    /// The address of a web page or service.
    Address,
}

const STRETCHES: usize = 5;

impl Stretch {
    pub(super) const fn ends_at(self, byte: u8) -> bool {
        match self {
            Self::Wide => byte.is_ascii_whitespace() || matches!(byte, b'"' | b'`' | b'<' | b'\\' | 0),
            Self::Narrow => {
                Self::Wide.ends_at(byte) || matches!(byte, b'&' | b';' | b',' | b')' | b'}' | b'\'' | b'|')
            }
            Self::Credential => {
                byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b'\\' | b')')
            }
            Self::Line => matches!(byte, b'\n' | b'\r' | b'`'),
            Self::Address => {
                byte.is_ascii_whitespace()
                    || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b'\\' | b',')
            }
        }
    }
}

/// Stretches that were measured last, newest first. Several, because one rule looks at the parts of a token
/// in turn: with one alone, each start in a long part would measure it again.
type Measured = [(usize, usize); 4];
const NOTHING: Measured = [(usize::MAX, 0); 4];

fn recall(measured: &Measured, start: usize) -> Option<usize> {
    measured.iter().find(|(from, to)| *from <= start && start <= *to).map(|(_, to)| *to)
}

fn remember(measured: &mut Measured, start: usize, end: usize) {
    measured.rotate_right(1);
    if let Some(newest) = measured.first_mut() {
        *newest = (start, end);
    }
}

/// The text under scan.
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    /// Slashes before this offset belong to a web address.
    pub(super) address_until: usize,
    /// The table that is being read, if any.
    pub(super) table: Option<Table>,
    runs: [Measured; ALPHABETS],
    stretches: [Measured; STRETCHES],
    /// Where the last run that ends in dots ends, and where without them.
    dots: (usize, usize),
    /// Where tokens of varying length that end a line go on: alphabet, end of the line, end, length of the rest.
    wraps: [(usize, usize, usize); ALPHABETS],
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            address_until: 0,
            table: None,
            runs: [NOTHING; ALPHABETS],
            stretches: [NOTHING; STRETCHES],
            dots: (usize::MAX, 0),
            wraps: [(usize::MAX, 0, 0); ALPHABETS],
        }
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'a [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// Length of the stretch from `start` on whose bytes all pass, at most `most`.
    fn length(&self, start: usize, most: usize, passes: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let length = rest.iter().take(most).take_while(|byte| passes(**byte)).count();
        looked(length);
        length
    }

    /// Where the run of `alphabet` that covers `start` ends.
    pub(super) fn run_end(&mut self, alphabet: Alphabet, start: usize) -> usize {
        let slot = usize::from(alphabet as u8);
        if let Some(end) = self.runs.get(slot).and_then(|measured| recall(measured, start)) {
            return end;
        }
        let end = start + self.length(start, usize::MAX, |byte| alphabet.holds(byte));
        if let Some(measured) = self.runs.get_mut(slot) {
            remember(measured, start, end);
        }
        end
    }

    /// Where the stretch that covers `start` ends.
    pub(super) fn stretch_end(&mut self, stretch: Stretch, start: usize) -> usize {
        let slot = usize::from(stretch as u8);
        if let Some(end) = self.stretches.get(slot).and_then(|measured| recall(measured, start)) {
            return end;
        }
        let end = start + self.length(start, usize::MAX, |byte| !stretch.ends_at(byte));
        if let Some(measured) = self.stretches.get_mut(slot) {
            remember(measured, start, end);
        }
        end
    }

    /// Where a token that starts at `start` ends when a terminal or an editor broke it over lines, and its length
    /// without the breaks. `usual` is the expected length, 0 when it varies.
    pub(super) fn wrapped_end(&mut self, alphabet: Alphabet, start: usize, usual: usize) -> (usize, usize) {
        let line = self.run_end(alphabet, start);
        let length = line - start;
        if usual == 0 && length < LEAST_LINE || usual > 0 && length >= usual {
            return (line, length);
        }
        let slot = usize::from(alphabet as u8);
        if usual == 0
            && let Some((_, end, rest)) = self.wraps.get(slot).copied().filter(|(known, ..)| *known == line)
        {
            return (end, length + rest);
        }
        let mut end = line;
        let mut whole = length;
        for _ in 0..MOST_WRAPS {
            let Some(next) = self.continuation(end) else { break };
            let length = self.length(next, LONGEST_LINE, |byte| alphabet.holds(byte));
            let next_end = next + length;
            let part = self.slice(next, next_end);
            let closed = length < LONGEST_LINE && !at(self.bytes, next_end).is_ascii_alphanumeric();
            let fits = if usual > 0 {
                whole < usual && whole + length == usual
            } else {
                length >= 8 && has_digit(part) && has_letter(part)
            };
            if !(closed && fits) {
                break;
            }
            whole += length;
            end = next_end;
        }
        if usual == 0
            && let Some(wrap) = self.wraps.get_mut(slot)
        {
            *wrap = (line, end, whole - length);
        }
        (end, whole)
    }

    /// Where the token that ends at `end` ends without the dots of a sentence; not before `from`.
    fn without_dots(&mut self, from: usize, end: usize) -> usize {
        if self.dots.0 != end {
            let dots = (1..=end).take_while(|back| before(self.bytes, end, *back) == b'.').count();
            self.dots = (end, end - dots);
        }
        self.dots.1.max(from)
    }

    /// Start of the next line's text when a line ends at `end`.
    fn continuation(&self, end: usize) -> Option<usize> {
        let mut next = end;
        if at(self.bytes, next) == b'\r' {
            next += 1;
        }
        if at(self.bytes, next) != b'\n' {
            return None;
        }
        next += 1;
        let indent = (0..8).take_while(|step| matches!(at(self.bytes, next + step), b' ' | b'\t')).count();
        Some(next + indent)
    }

    /// A key with a published prefix that starts at `start`.
    pub(super) fn key_at(&mut self, start: usize) -> Option<Found> {
        let rules = INDEX.rules.get(usize::from(at(self.bytes, start)))?;
        let bytes = self.bytes;
        rules
            .iter()
            .filter(|rule| starts_with(bytes, start, rule.prefix.as_bytes()))
            .filter(|rule| rule.glued || word_starts(bytes, start))
            .find_map(|rule| self.key_by(rule, start))
    }

    fn key_by(&mut self, rule: &KeyRule, start: usize) -> Option<Found> {
        let from = start + rule.prefix.len();
        let line = self.run_end(rule.alphabet, from);
        let (wrapped, length) = self.wrapped_end(rule.alphabet, from, rule.usual);
        let end = self.without_dots(from, wrapped);
        let length = length - (wrapped - end);
        if length < rule.least {
            return None;
        }
        let joined: Vec<u8>;
        // Only so much of a token is judged; the rest shares the verdict.
        let mut body = judged(self.slice(from, end));
        if end > line {
            joined = body.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
            body = &joined;
        }
        let next = at(self.bytes, end);
        let fits = match rule.body {
            Body::Any => true,
            Body::Mixed => has_digit(body) || has_upper(body),
            Body::LettersAndDigits => has_digit(body) && has_letter(body),
            Body::LongPart => {
                let (length, digit) = longest_part(body);
                length >= 20 || length >= 16 && digit
            }
            Body::Exactly(count) => {
                length == count
                    && !next.is_ascii_alphanumeric()
                    && !matches!(next, b'_' | b'-')
                    && (has_digit(body) || rule.family == Family::AwsKeyId)
            }
            Body::TwoParts => body.split(|byte| *byte == b'.').filter(|part| part.len() >= 16).count() >= 2,
        };
        let stand_in =
            || blank(body) || [&b"xxxxxx"[..], b"your", b"-here"].iter().any(|part| contains(body, part));
        (fits && !stand_in()).then_some(Found { start, end, family: rule.family })
    }
}

/// Most line breaks inside one token.
const MOST_WRAPS: usize = 16;
/// Shortest line, in bytes, that a token of varying length may fill.
const LEAST_LINE: usize = 20;
/// Longest line, in bytes, that goes on with a token.
const LONGEST_LINE: usize = 512;

/// Nothing can start with this byte.
pub(super) const QUIET: u8 = 0;
/// A rule by prefix may start here, if the next byte fits too.
pub(super) const PREFIX: u8 = 1;
/// A mark, an assignment, a path or another structure may be here.
pub(super) const STRUCTURE: u8 = 2;

/// Which bytes and pairs of bytes can start something.
pub(super) struct Index {
    pub(super) triggers: [u8; 256],
    pairs: Vec<bool>,
    rules: Vec<Vec<&'static KeyRule>>,
}

impl Index {
    /// Whether a rule starts with these two bytes.
    pub(super) fn pair(&self, first: u8, second: u8) -> bool {
        self.pairs.get(usize::from(first) * 256 + usize::from(second)).copied().unwrap_or(false)
    }
}

/// The one index of all rules.
pub(super) static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index =
        Index { triggers: [QUIET; 256], pairs: vec![false; 65_536], rules: vec![Vec::new(); 256] };
    let mut start = |first: u8, second: u8| {
        if let Some(trigger) = index.triggers.get_mut(usize::from(first)) {
            *trigger |= PREFIX;
        }
        if let Some(pair) = index.pairs.get_mut(usize::from(first) * 256 + usize::from(second)) {
            *pair = true;
        }
    };
    for rule in KEY_RULES {
        let bytes = rule.prefix.as_bytes();
        start(at(bytes, 0), at(bytes, 1));
        if let Some(rules) = index.rules.get_mut(usize::from(at(bytes, 0))) {
            rules.push(rule);
        }
    }
    // JSON Web Tokens, "Bearer" in three spellings, and "password is".
    for (first, second) in [(b'e', b'y'), (b'B', b'e'), (b'b', b'e'), (b'B', b'E'), (b'i', b's')] {
        start(first, second);
    }
    // "password" and a value beside it.
    for (first, second) in [(b'p', b'a'), (b'P', b'a'), (b'P', b'A')] {
        start(first, second);
    }
    // The same said in other languages, and full-width signs.
    for word in TELLING {
        let bytes = word.as_bytes();
        start(at(bytes, 0), at(bytes, 1));
    }
    start(foreign::SIGN_LEAD, 0xbc);
    for byte in *b"[=:/\\~-.>|\n" {
        if let Some(trigger) = index.triggers.get_mut(usize::from(byte)) {
            *trigger |= STRUCTURE;
        }
    }
    index
});
