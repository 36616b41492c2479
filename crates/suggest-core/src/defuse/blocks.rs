//! Removes the blocks that hosts inject, reasoning, and markers of chat templates.

use super::wrappers::{COUNT, Fate, HOST_LINES, INSTRUCTION_HEADING, LONGEST_NAME, TEMPLATE_MARKS, wrapper};

/// A known tag in the text.
#[derive(Debug, Clone, Copy)]
struct Tag {
    start: usize,
    end: usize,
    name: usize,
    fate: Fate,
    kind: Kind,
    /// Stands in backticks: somebody speaks of the tag.
    quoted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Open,
    Close,
    /// `<name/>`
    Empty,
}

/// Most attributes of one tag, in bytes.
const LONGEST_TAG: usize = 1024;

/// The text without blocks; known tags that are left (mentions) have `‹` and `›` in place of their brackets.
pub(super) fn without_blocks(text: &str) -> String {
    let tags = tags_of(text);
    let partners = partners(&tags);
    let mut out = String::with_capacity(text.len());
    let mut place = 0;
    let mut next = 0;
    while let Some(tag) = tags.get(next) {
        let partner = partners.get(next).copied().flatten();
        next += 1;
        if tag.start < place {
            continue;
        }
        push_plain(&mut out, text, place, tag.start);
        place = tag.end;
        if tag.fate == Fate::Token {
            continue;
        }
        if tag.quoted {
            mention(&mut out, text, tag);
            continue;
        }
        match (tag.kind, tag.fate) {
            (_, Fate::Unwrap) | (Kind::Empty, _) => {}
            (Kind::Open, fate) => {
                if let Some(close) = partner.and_then(|partner| tags.get(partner)) {
                    drop_heading(&mut out, fate);
                    place = close.end;
                } else if at_line_start(&out) {
                    drop_heading(&mut out, fate);
                    place = text.len();
                } else {
                    mention(&mut out, text, tag);
                }
            }
            (Kind::Close, Fate::Reasoning) if partner.is_none() && ends_reasoning(&out) => out.clear(),
            // The person's own plain tag was opened above.
            (Kind::Close, Fate::RemoveWithAttributes) => push_plain(&mut out, text, tag.start, tag.end),
            (Kind::Close, _) => mention(&mut out, text, tag),
        }
    }
    push_plain(&mut out, text, place, text.len());
    out
}

fn push_plain(out: &mut String, text: &str, start: usize, end: usize) {
    out.push_str(text.get(start..end).unwrap_or_default());
}

fn mention(out: &mut String, text: &str, tag: &Tag) {
    let inside = text.get(tag.start + 1..tag.end.saturating_sub(1)).unwrap_or_default();
    out.push('‹');
    // Attributes may hold another opening bracket.
    out.extend(inside.chars().map(|letter| if letter == '<' { '‹' } else { letter }));
    out.push('›');
}

fn at_line_start(out: &str) -> bool {
    out.rsplit('\n').next().is_none_or(|line| line.trim().is_empty())
}

/// A closing tag that nobody opened ends reasoning when it starts its line or touches the text before it.
fn ends_reasoning(out: &str) -> bool {
    at_line_start(out) || !out.ends_with([' ', '\t', '"', '\''])
}

/// Takes away the heading that a host writes above an instruction file.
fn drop_heading(out: &mut String, fate: Fate) {
    if fate != Fate::RemoveInCapitals {
        return;
    }
    let kept = out.trim_end().len();
    let start = out.get(..kept).and_then(|head| head.rfind('\n')).map_or(0, |line| line + 1);
    if out.get(start..).is_some_and(|line| line.starts_with(INSTRUCTION_HEADING)) {
        out.truncate(start);
    }
}

/// For each opening tag its closing one, and the other way round.
fn partners(tags: &[Tag]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tags.len()];
    let mut open: Vec<Vec<usize>> = vec![Vec::new(); COUNT];
    for (place, tag) in tags.iter().enumerate().filter(|(_, tag)| !tag.quoted) {
        let Some(stack) = open.get_mut(tag.name) else { continue };
        match tag.kind {
            Kind::Open => stack.push(place),
            Kind::Close => {
                if let Some(opening) = stack.pop() {
                    if let Some(slot) = partners.get_mut(opening) {
                        *slot = Some(place);
                    }
                    if let Some(slot) = partners.get_mut(place) {
                        *slot = Some(opening);
                    }
                }
            }
            Kind::Empty => {}
        }
    }
    partners
}

fn tags_of(text: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut from = 0;
    while let Some(step) = text.get(from..).and_then(|rest| rest.find('<')) {
        let start = from + step;
        match tag_at(text, start) {
            Some(tag) => {
                from = tag.end;
                tags.push(tag);
            }
            None => from = start + 1,
        }
    }
    tags
}

fn tag_at(text: &str, start: usize) -> Option<Tag> {
    let rest = text.get(start + 1..)?;
    let closing = rest.starts_with('/');
    let rest = if closing { rest.get(1..)? } else { rest };
    let length = rest
        .bytes()
        .take(LONGEST_NAME + 1)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':'))
        .count();
    let written = rest.get(..length)?;
    let (name, fate) = wrapper(&written.to_ascii_lowercase())?;
    let after = rest.get(length..)?;
    let attributes = attributes_end(after)?;
    let inside = after.get(..attributes)?;
    // Behind the name comes a blank, a slash or the end; not `<next.js>`.
    if !(inside.is_empty() || inside.starts_with(|letter: char| letter.is_whitespace() || letter == '/')) {
        return None;
    }
    let capitals = written.bytes().all(|byte| byte.is_ascii_uppercase());
    let plain = inside.trim().is_empty();
    let own = match fate {
        Fate::RemoveInCapitals => !capitals,
        // A closing tag has no attributes; its partner decides.
        Fate::RemoveWithAttributes => !closing && plain,
        _ => false,
    };
    if own {
        return None;
    }
    let end = start + 1 + usize::from(closing) + length + attributes + 1;
    let kind = match (closing, inside.ends_with('/')) {
        (true, _) => Kind::Close,
        (false, true) => Kind::Empty,
        (false, false) => Kind::Open,
    };
    let bytes = text.as_bytes();
    let quoted = start > 0
        && bytes.get(start - 1) == Some(&b'`')
        && !text.get(..start).is_some_and(|head| head.ends_with("```"));
    Some(Tag { start, end, name, fate, kind, quoted })
}

/// Length of the attributes up to the closing bracket, which may stand in a quoted value.
fn attributes_end(after: &str) -> Option<usize> {
    let mut quote = None;
    for (place, byte) in after.bytes().enumerate().take(LONGEST_TAG) {
        match (quote, byte) {
            (None, b'>') => return Some(place),
            (None, b'<') => return None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// The text without markers of chat templates: `<|im_start|>` and its kin, with the role behind a start marker.
pub(super) fn without_template_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find(['<', '[']) {
        let (head, tail) = rest.split_at(place);
        out.push_str(head);
        if let Some(length) = template_mark(tail) {
            let mark = tail.get(..length).unwrap_or_default();
            rest = tail.get(length..).unwrap_or_default();
            if mark.contains("start") {
                rest = without_role(rest);
            }
        } else {
            let first = tail.chars().next().map_or(1, char::len_utf8);
            out.push_str(tail.get(..first).unwrap_or_default());
            rest = tail.get(first..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    // Sentence marks of templates are HTML's strike-through elsewhere.
    let inner = out.trim();
    let inner = inner
        .strip_prefix("<s>")
        .filter(|inner| !inner.contains("</s>") || inner.ends_with("</s>"))
        .unwrap_or(inner);
    let inner = inner.strip_suffix("</s>").filter(|inner| !inner.contains("<s>")).unwrap_or(inner);
    inner.to_owned()
}

/// Length of the marker that starts `tail`.
fn template_mark(tail: &str) -> Option<usize> {
    if let Some(mark) = TEMPLATE_MARKS.iter().find(|mark| tail.starts_with(**mark)) {
        return Some(mark.len());
    }
    let (bar, rest) = ["<|", "<｜"].iter().find_map(|bar| Some((bar, tail.strip_prefix(bar)?)))?;
    for (place, letter) in rest.char_indices().take(LONGEST_NAME) {
        match letter {
            '|' | '｜' => {
                let end = rest.get(place + letter.len_utf8()..)?;
                return (place > 0 && end.starts_with('>'))
                    .then(|| bar.len() + place + letter.len_utf8() + 1);
            }
            letter if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '▁') => {}
            _ => return None,
        }
    }
    None
}

/// The text behind the role that a start marker names.
fn without_role(rest: &str) -> &str {
    for role in ["system", "user", "assistant", "developer", "tool", "model"] {
        if let Some(after) = rest.strip_prefix(role)
            && (after.is_empty() || after.starts_with(['\n', '<']))
        {
            return after;
        }
    }
    rest
}

/// The text without the lines that hosts write in place of a person's words.
pub(super) fn without_host_lines(text: &str) -> String {
    if !HOST_LINES.iter().any(|line| text.contains(line)) {
        return text.to_owned();
    }
    let kept: Vec<&str> = text.split('\n').filter(|line| !HOST_LINES.contains(&line.trim())).collect();
    kept.join("\n")
}
