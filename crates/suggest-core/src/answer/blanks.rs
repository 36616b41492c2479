//! Unfilled blanks and option lists: text that nobody can send as it is.
//!
//! Code is full of brackets, so only three things count, and only outside code spans: a choice between brackets, words
//! that ask to be replaced ("your …", "insert …"), and a bare placeholder noun such as `<email>`.

use super::fold::fold_for_phrases;
use super::phrases::{ELEMENT_WORDS, PLACEHOLDER_NOUNS, PLACEHOLDER_SQUARE_NOUNS, PLACEHOLDER_STARTS};
use super::wrapping::part;

/// The longest blank that is looked for, in characters.
const MAX_BLANK_CHARS: usize = 80;

/// How many blanks and option lists a line holds.
pub(super) fn count_blanks(text: &str) -> usize {
    let masked = mask_code(text);
    let mut count = 0;
    let mut previous = None;
    for (at, character) in masked.char_indices() {
        let before = previous.replace(character);
        let (close, bracket) = match character {
            '[' => (']', Bracket::Square),
            '<' => ('>', Bracket::Angle),
            '{' => ('}', Bracket::Curly),
            '_' => {
                count += usize::from(is_underscore_blank(&masked, at, before));
                continue;
            }
            _ => continue,
        };
        let behind = part(&masked, at + character.len_utf8(), masked.len());
        let Some((length, _)) = behind
            .char_indices()
            .take(MAX_BLANK_CHARS)
            .take_while(|(_, inner)| *inner != character)
            .find(|(_, inner)| *inner == close)
        else {
            continue;
        };
        let inside = part(behind, 0, length);
        let after = part(behind, length + close.len_utf8(), behind.len());
        if is_blank(bracket, part(&masked, 0, at), inside, after) {
            count += 1;
        }
    }
    count
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Square,
    Angle,
    Curly,
}

fn is_blank(bracket: Bracket, before: &str, inside: &str, after: &str) -> bool {
    let previous = before.chars().next_back();
    let next = after.chars().next();
    // Indexing, generics, paths, shell variables, links and arguments of flags are code or markup.
    let attached = previous.is_some_and(|character| {
        character.is_alphanumeric()
            || matches!(character, '_' | '/' | '.' | '$' | '=' | '!' | ']' | ':' | '-' | '\\' | '&')
    }) || next
        .is_some_and(|character| character.is_alphanumeric() || matches!(character, '(' | '/' | '_' | '['));
    let flag_argument = before.trim_end().rsplit(' ').next().is_some_and(|word| word.starts_with('-'));
    if attached || flag_argument {
        return false;
    }
    let folded = fold_for_phrases(inside);
    let words = folded.trim();
    if words.is_empty() {
        return false;
    }
    if is_option_list(bracket, words) {
        return true;
    }
    if PLACEHOLDER_STARTS
        .iter()
        .any(|start| words.strip_prefix(start).is_some_and(|rest| rest.starts_with([' ', '-', '_'])))
    {
        return !is_element(words, after);
    }
    let nouns = if bracket == Bracket::Square { PLACEHOLDER_SQUARE_NOUNS } else { PLACEHOLDER_NOUNS };
    let mut parts = words.split([' ', '-', '_']).filter(|word| !word.is_empty()).peekable();
    parts.peek().is_some()
        && parts.all(|word| nouns.contains(&word) || matches!(word, "the" | "a" | "of" | "to"))
        && !is_element(words, after)
}

fn is_option_list(bracket: Bracket, words: &str) -> bool {
    let spaced = words.contains(" / ") || words.contains(" | ") || words.contains(" or ");
    match bracket {
        Bracket::Square => spaced,
        Bracket::Angle => (spaced || words.contains('|')) && !words.contains(['=', '"']),
        Bracket::Curly => spaced && !words.contains(['=', ':', ';', '(', '|', '"']),
    }
}

/// "the `<name>` element" speaks about markup, and so does a text that also closes the tag.
fn is_element(words: &str, after: &str) -> bool {
    let folded = fold_for_phrases(after);
    let next = folded.split(|character: char| !character.is_alphanumeric()).find(|word| !word.is_empty());
    next.is_some_and(|word| ELEMENT_WORDS.contains(&word)) || folded.contains(&format!("</{words}>"))
}

/// Three or more underscores that are no part of a name.
fn is_underscore_blank(text: &str, at: usize, before: Option<char>) -> bool {
    if before.is_some_and(|character| !character.is_whitespace() && !matches!(character, '"' | '(' | ':')) {
        return false;
    }
    let behind = part(text, at, text.len());
    let rest = behind.trim_start_matches('_');
    behind.len() - rest.len() >= 3 && rest.chars().next().is_none_or(|character| !character.is_alphanumeric())
}

/// Code spans with their contents replaced, so that brackets in code do not count.
fn mask_code(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let segments: Vec<&str> = text.split('`').collect();
    let last = segments.len().saturating_sub(1);
    for (index, segment) in segments.iter().enumerate() {
        if index > 0 {
            masked.push('`');
        }
        let is_code = index % 2 == 1 && index < last;
        masked.push_str(if is_code { "code" } else { segment });
    }
    masked
}
