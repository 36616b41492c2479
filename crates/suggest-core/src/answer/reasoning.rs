//! Reasoning that a model wrote into its answer.

use std::borrow::Cow;

use super::phrases::{REASONING_TAGS, REASONING_TOKENS_CLOSE, REASONING_TOKENS_OPEN};
use super::wrapping::part;

/// A block in mid-sentence is reasoning when it holds at least this many words; a shorter one is a sentence about
/// the tags.
const MIN_WORDS_IN_SENTENCE: usize = 3;
/// Attributes inside a tag that are looked through.
const MAX_ATTRIBUTE_CHARS: usize = 48;

pub(super) struct Stripped<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) removed: bool,
}

struct Tag {
    start: usize,
    end: usize,
    closes: bool,
}

/// Removes reasoning blocks. An opening tag without an end takes everything behind it when it begins a line; a closing tag
/// without a beginning takes everything before it. A tag between quotes or backticks is spoken about, and stays.
pub(super) fn strip(text: &str) -> Stripped<'_> {
    if let Some(answer) = strip_channels(text) {
        return Stripped { text: answer, removed: true };
    }
    let tags = find_tags(text);
    if tags.is_empty() {
        return Stripped { text: Cow::Borrowed(text), removed: false };
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    let mut removed = false;
    let mut tags = tags.iter().peekable();
    while let Some(tag) = tags.next() {
        if tag.closes {
            kept.clear();
            from = tag.end;
            removed = true;
            continue;
        }
        let begins_line = !has_word_on_its_line(part(text, from, tag.start));
        while tags.next_if(|following| !following.closes).is_some() {}
        match tags.next() {
            Some(close) if begins_line || is_long(part(text, tag.end, close.start)) => {
                kept.push_str(part(text, from, tag.start));
                from = close.end;
                removed = true;
            }
            // A sentence about the tags: both stay.
            Some(_) => {}
            None if begins_line => {
                kept.push_str(part(text, from, tag.start));
                from = text.len();
                removed = true;
            }
            None => {}
        }
    }
    kept.push_str(part(text, from, text.len()));
    Stripped { text: if removed { Cow::Owned(kept) } else { Cow::Borrowed(text) }, removed }
}

/// The channel format of some open models: only the final channel is the answer.
fn strip_channels(text: &str) -> Option<Cow<'_, str>> {
    const FINAL: &str = "<|channel|>final";
    const MESSAGE: &str = "<|message|>";
    if let Some(start) = text.rfind(FINAL) {
        let behind = part(text, start + FINAL.len(), text.len());
        let answer = behind.find(MESSAGE).map_or(behind, |at| part(behind, at + MESSAGE.len(), behind.len()));
        return Some(Cow::Borrowed(answer));
    }
    let start = ["<|channel|>analysis", "<|channel|>commentary"]
        .iter()
        .filter_map(|channel| text.find(channel))
        .min()?;
    let end = ["<|end|>", "<|return|>"]
        .iter()
        .filter_map(|token| text.rfind(token).filter(|at| *at > start).map(|at| at + token.len()))
        .max()
        .unwrap_or(text.len());
    Some(Cow::Owned(format!("{}{}", part(text, 0, start), part(text, end, text.len()))))
}

fn find_tags(text: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut previous = None;
    // A closing tag is spoken about with the opening one before it, or by quotes of its own on both sides.
    let mut opening_is_quoted = false;
    for (start, character) in text.char_indices() {
        let before = previous.replace((start, character));
        if !matches!(character, '<' | '[' | '◁') {
            continue;
        }
        let Some((length, closes)) = parse_tag(part(text, start, text.len())) else { continue };
        let end = start + length;
        let after = part(text, end, text.len()).chars().next();
        let spoken_about = if closes {
            let opened = std::mem::take(&mut opening_is_quoted);
            after.is_some_and(is_quote)
                && (opened || before.is_some_and(|(_, character)| is_quote(character)))
        } else {
            opening_is_quoted = before.is_some_and(|(at, character)| at > 0 && is_quote(character));
            opening_is_quoted
        };
        if !spoken_about {
            tags.push(Tag { start, end, closes });
        }
    }
    tags
}

/// Length in bytes of a reasoning tag at the start of `text`, and whether it closes.
fn parse_tag(text: &str) -> Option<(usize, bool)> {
    let is_token = |token: &&&str| starts_with_ignoring_case(text, token);
    if text.starts_with("<|") {
        return (REASONING_TOKENS_OPEN.iter().find(is_token).map(|token| (token.len(), false)))
            .or_else(|| REASONING_TOKENS_CLOSE.iter().find(is_token).map(|token| (token.len(), true)));
    }
    let (open, close) =
        [('<', '>'), ('[', ']'), ('◁', '▷')].into_iter().find(|(open, _)| text.starts_with(*open))?;
    let inside = text.strip_prefix(open)?;
    let (inside, closes) = match inside.strip_prefix('/') {
        Some(inside) => (inside, true),
        None => (inside, false),
    };
    // Square brackets are common in prose; only one model family writes its tags in them.
    let names = if open == '[' { &["think"] } else { REASONING_TAGS };
    let rest = names
        .iter()
        .filter(|name| starts_with_ignoring_case(inside, name))
        .map(|name| part(inside, name.len(), inside.len()))
        .find(|rest| rest.starts_with([close, ' ']))?;
    let end = rest
        .char_indices()
        .take(MAX_ATTRIBUTE_CHARS)
        .take_while(|(_, character)| !matches!(character, '<' | '\n'))
        .find(|(_, character)| *character == close)
        .map(|(at, character)| at + character.len_utf8())?;
    Some((text.len() - rest.len() + end, closes))
}

fn starts_with_ignoring_case(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn is_quote(character: char) -> bool {
    matches!(character, '`' | '"' | '\'' | '“' | '”' | '‘' | '’' | '「' | '」')
}

/// The last line of `before` holds a word. Looks back to the nearest word only, which the next tag before has.
fn has_word_on_its_line(before: &str) -> bool {
    before.chars().rev().take_while(|character| *character != '\n').any(char::is_alphanumeric)
}

fn has_word(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn is_long(inside: &str) -> bool {
    let words = inside.split_whitespace().filter(|word| has_word(word));
    words.take(MIN_WORDS_IN_SENTENCE).count() == MIN_WORDS_IN_SENTENCE
        || inside.chars().filter(|character| super::characters::is_ideograph(*character)).take(6).count() == 6
}
