//! A folded text as words, for the checks that look at which words stand near each other.

use super::phrases::{COORDINATORS, INTRODUCERS};

/// A word without the punctuation around it. Dashes, dots, slashes and underscores inside it stay: `--force` and
/// `reset_hard` are one word each.
#[derive(Debug)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    /// Begins a clause: the first word, or one behind punctuation or a coordinating word such as "and".
    pub(super) starts_clause: bool,
    /// Stands behind a word that introduces a verb, such as "to" or "please".
    introduced: bool,
    /// Stands behind an opening quote or backtick.
    pub(super) quoted: bool,
}

impl Word<'_> {
    /// Reads as the verb of an order.
    pub(super) fn is_order(&self) -> bool {
        self.starts_clause || self.introduced || self.quoted
    }
}

pub(super) fn words(folded: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut starts_clause = true;
    let mut introduced = false;
    for token in folded.split_whitespace() {
        let start = token.trim_start_matches(is_opening);
        let text = start.trim_end_matches(is_closing);
        if text.is_empty() {
            // A lone dot is a directory.
            starts_clause |= token != "." && token.contains(is_clause_mark);
            continue;
        }
        let quoted = token.starts_with(['`', '"', '\'', '“', '„', '«', '(']);
        words.push(Word { text, starts_clause, introduced, quoted });
        let tail = start.get(text.len()..).unwrap_or_default();
        starts_clause = tail.contains(is_clause_mark) || COORDINATORS.contains(&text);
        introduced = INTRODUCERS.contains(&text);
    }
    words
}

/// The words behind position `at` in the same clause, at most `reach`.
pub(super) fn following<'w, 't>(
    words: &'w [Word<'t>],
    at: usize,
    reach: usize,
) -> impl Iterator<Item = &'w Word<'t>> {
    words.iter().skip(at.saturating_add(1)).take(reach).take_while(|word| !word.starts_clause)
}

/// `phrase` occurs in `folded` and not as a part of longer words. Scripts without spaces have no such parts.
pub(super) fn contains_phrase(folded: &str, phrase: &str) -> bool {
    folded.match_indices(phrase).any(|(at, found)| {
        let before = folded.get(..at).and_then(|text| text.chars().next_back());
        let after = folded.get(at + found.len()..).and_then(|text| text.chars().next());
        let joins = |inner: Option<char>, outer: Option<char>| {
            inner.is_some_and(is_spaced_letter)
                && outer.is_some_and(|character| is_spaced_letter(character) || character == '_')
        };
        !joins(found.chars().next(), before) && !joins(found.chars().next_back(), after)
    })
}

/// `folded` begins with `phrase`, and with nothing longer.
pub(super) fn starts_with_phrase(folded: &str, phrase: &str) -> bool {
    folded.strip_prefix(phrase).is_some_and(|rest| {
        !(phrase.chars().next_back().is_some_and(is_spaced_letter)
            && rest.chars().next().is_some_and(|next| is_spaced_letter(next) || next == '_'))
    })
}

/// Letters and digits of scripts that put spaces between words.
fn is_spaced_letter(character: char) -> bool {
    character.is_alphanumeric()
        && !matches!(character, '\u{2e80}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..)
}

fn is_opening(character: char) -> bool {
    matches!(
        character,
        '`' | '"' | '\'' | '“' | '”' | '„' | '«' | '»' | '(' | '[' | '{' | '<' | '*' | ',' | ';' | ':'
    )
}

fn is_closing(character: char) -> bool {
    matches!(
        character,
        '`' | '"'
            | '\''
            | '“'
            | '”'
            | '«'
            | '»'
            | ')'
            | ']'
            | '}'
            | '>'
            | '*'
            | ','
            | ';'
            | ':'
            | '.'
            | '!'
            | '?'
            | '…'
    )
}

fn is_clause_mark(character: char) -> bool {
    matches!(character, ',' | ';' | ':' | '.' | '!' | '?' | '…' | '—' | '–' | '|' | '&' | '-')
}
