//! The text under scan, with memory of how far runs reach, so that no stretch is measured again and again.

use std::sync::LazyLock;

use super::families::Family;
use super::keys::{Body, KEY_RULES, KeyRule};
use super::shape::{
    ALPHABETS, Alphabet, at, before, blank, contains, has_digit, has_letter, has_upper, longest_part,
    starts_with, word_starts,
};

/// A stretch of the text that must not leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) family: Family,
}

/// The text under scan.
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    /// Slashes before this offset belong to a web address.
    pub(super) address_until: usize,
    runs: [(usize, usize); ALPHABETS],
    /// Last unquoted values, for the wide and the narrow set of end marks.
    tokens: [(usize, usize); 2],
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            address_until: 0,
            runs: [(usize::MAX, 0); ALPHABETS],
            tokens: [(usize::MAX, 0); 2],
        }
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'a [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// Where the run of `alphabet` that covers `start` ends.
    pub(super) fn run_end(&mut self, alphabet: Alphabet, start: usize) -> usize {
        let slot = usize::from(alphabet as u8);
        if let Some((from, to)) = self.runs.get(slot).copied()
            && from <= start
            && start <= to
        {
            return to;
        }
        let length = self
            .bytes
            .get(start..)
            .map_or(0, |rest| rest.iter().take_while(|byte| alphabet.holds(**byte)).count());
        let end = start + length;
        if let Some(run) = self.runs.get_mut(slot) {
            *run = (start, end);
        }
        end
    }

    /// Where the unquoted value that covers `start` ends; a narrow one ends at list marks too.
    pub(super) fn token_end(&mut self, start: usize, narrow: bool) -> usize {
        let slot = usize::from(narrow);
        if let Some((from, to)) = self.tokens.get(slot).copied()
            && from <= start
            && start <= to
        {
            return to;
        }
        let length = self.bytes.get(start..).map_or(0, |rest| {
            rest.iter()
                .take_while(|byte| {
                    let ends = byte.is_ascii_whitespace() || matches!(byte, b'"' | b'`' | b'<' | b'\\' | 0);
                    let listed = matches!(byte, b'&' | b';' | b',' | b')' | b'}' | b'\'' | b'|');
                    !(ends || narrow && listed)
                })
                .count()
        });
        let end = start + length;
        if let Some(token) = self.tokens.get_mut(slot) {
            *token = (start, end);
        }
        end
    }

    /// Where a token that starts at `start` ends when a terminal or an editor broke it over lines.
    /// `usual` is the expected length, 0 when it varies.
    pub(super) fn wrapped_end(&mut self, alphabet: Alphabet, start: usize, usual: usize) -> usize {
        let mut end = self.run_end(alphabet, start);
        let mut length = end - start;
        for _ in 0..MOST_WRAPS {
            let Some(next) = self.continuation(end) else { break };
            let next_end = self.run_end(alphabet, next);
            let part = self.slice(next, next_end);
            let closed = !at(self.bytes, next_end).is_ascii_alphanumeric();
            let fits = if usual > 0 {
                length < usual && length + part.len() == usual
            } else {
                length >= 20 && part.len() >= 8 && has_digit(part) && has_letter(part)
            };
            if !(closed && fits) {
                break;
            }
            length += part.len();
            end = next_end;
        }
        end
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
        let mut end = self.wrapped_end(rule.alphabet, from, rule.usual);
        let wrapped = end > line;
        while end > from && before(self.bytes, end, 1) == b'.' {
            end -= 1;
        }
        let joined: Vec<u8>;
        let mut body = self.slice(from, end);
        if wrapped {
            joined = body.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
            body = &joined;
        }
        let stand_in =
            blank(body) || [&b"xxxxxx"[..], b"your", b"-here"].iter().any(|part| stand_in_part(body, part));
        if body.len() < rule.least || stand_in {
            return None;
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
                body.len() == count
                    && !next.is_ascii_alphanumeric()
                    && !matches!(next, b'_' | b'-')
                    && (has_digit(body) || rule.family == Family::AwsKeyId)
            }
            Body::TwoParts => body.split(|byte| *byte == b'.').filter(|part| part.len() >= 16).count() >= 2,
        };
        fits.then_some(Found { start, end, family: rule.family })
    }
}

fn stand_in_part(body: &[u8], part: &[u8]) -> bool {
    body.get(..256).map_or_else(|| contains(body, part), |head| contains(head, part))
}

/// Most line breaks inside one token.
const MOST_WRAPS: usize = 16;

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
    for byte in *b"[=:/\\~-.>" {
        if let Some(trigger) = index.triggers.get_mut(usize::from(byte)) {
            *trigger |= STRUCTURE;
        }
    }
    index
});
