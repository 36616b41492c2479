//! Labels before a line: `NEXT:` and kin, and the goal prefix (rules D7, G2).

use super::characters::is_blank_edge;
use super::clean::clean;
use super::fold::strip_folded_prefix;
use super::phrases::{GOAL_LABELS, NEXT_LABELS};
use super::wrapping::part;

/// Goal prefixes with other wrapping between them that are taken off.
const MAX_GOAL_LAYERS: usize = 4;

/// The text behind a `NEXT:` label or one of its kin. An ordinary `fix:` is no label.
pub(super) fn strip_next_label(text: &str) -> Option<&str> {
    strip_label(text, NEXT_LABELS, "NEXT")
}

/// Takes the goal prefix off a cleaned text, however often it is repeated, and cleans what was behind it.
pub(super) fn take_goal_prefix(cleaned: String) -> (String, bool) {
    let mut text = cleaned;
    let mut prefixed = false;
    for _ in 0..MAX_GOAL_LAYERS {
        let mut rest = text.as_str();
        while let Some(behind) = strip_label(rest, GOAL_LABELS, "GOAL") {
            rest = behind;
            prefixed = true;
        }
        if rest.len() == text.len() {
            return (text, prefixed);
        }
        text = clean(rest);
    }
    (String::new(), prefixed)
}

/// The text says by a prefix that it changes the goal.
pub(super) fn has_goal_prefix(text: &str) -> bool {
    strip_label(text, GOAL_LABELS, "GOAL").is_some()
}

/// Recognises a label in any case or width, with bold, quote or heading marks around it. `shouted` is the label that
/// the model was asked for: written so, it also counts in brackets, or before a dash, an arrow or a line break.
fn strip_label<'t>(text: &'t str, names: &[&str], shouted: &str) -> Option<&'t str> {
    let start = strip_line_mark(text.trim_start_matches(is_blank_edge));
    let inside = start.trim_start_matches(is_mark);
    let mark = part(start, 0, start.len() - inside.len());
    if mark.chars().count() > 3 {
        return None;
    }
    let closing: String = mark.chars().rev().map(closing_mark).collect();
    let (bracket, name_start) = match inside.chars().next() {
        Some('[') => (Some(']'), inside.strip_prefix('[')?),
        Some('【') => (Some('】'), inside.strip_prefix('【')?),
        _ => (None, inside),
    };
    let behind_name = names
        .iter()
        .filter_map(|name| strip_folded_prefix(name_start, name))
        .min_by_key(|rest| rest.len())?;
    let is_shouted = part(name_start, 0, name_start.len() - behind_name.len()) == shouted;

    let mut rest = behind_name.trim_start_matches([' ', '\u{3000}']);
    if let Some(bracket) = bracket {
        rest = rest.strip_prefix(bracket)?;
    }
    let mut closed = mark.is_empty();
    let mut close = |rest: &mut &'t str| {
        if !closed && let Some(behind) = rest.strip_prefix(closing.as_str()) {
            *rest = behind;
            closed = true;
        }
    };
    close(&mut rest);
    let spaced = rest.trim_start_matches([' ', '\u{3000}']);
    rest = match strip_colon(spaced, is_shouted) {
        Some(behind) => behind,
        None if is_shouted && bracket.is_some() => rest,
        None if is_shouted => strip_loose_separator(rest, behind_name.starts_with(' '))?,
        None => return None,
    };
    close(&mut rest);
    rest = rest.trim();
    if !closed {
        rest = rest.strip_suffix(closing.as_str()).unwrap_or(rest).trim_end();
    }
    Some(rest)
}

/// A colon of any width. `Prompt::new` and `next://` are no labels.
fn strip_colon(text: &str, lenient: bool) -> Option<&str> {
    let behind = text.strip_prefix([':', '：', '﹕', '︰'])?;
    if lenient {
        return Some(behind.trim_start_matches(':'));
    }
    (!behind.starts_with([':', '/', '='])).then_some(behind)
}

fn strip_loose_separator(text: &str, after_space: bool) -> Option<&str> {
    if text.starts_with('\n') {
        return Some(text);
    }
    if !after_space {
        return None;
    }
    ["- ", "– ", "— ", "-> ", "→ ", "=> "].iter().find_map(|separator| text.strip_prefix(separator))
}

/// A heading or block quote mark before a label.
fn strip_line_mark(text: &str) -> &str {
    let behind = text.trim_start_matches('#');
    if behind.len() < text.len() && behind.starts_with(' ') {
        return behind.trim_start();
    }
    text.strip_prefix("> ").map_or(text, str::trim_start)
}

fn is_mark(character: char) -> bool {
    matches!(character, '*' | '_' | '`' | '"' | '\'' | '“' | '‘' | '「')
}

fn closing_mark(opening: char) -> char {
    match opening {
        '“' => '”',
        '‘' => '’',
        '「' => '」',
        same => same,
    }
}
