//! What stands around a whole answer: a fence, an answer tag, quotes, bold marks, a bullet.

use super::phrases::ANSWER_TAGS;

/// Byte range of a text; empty when it is out of bounds or inside a character.
pub(super) fn part(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

/// Takes off one surrounding code fence, also one that is only opened or only closed.
pub(super) fn strip_fence(text: &str) -> &str {
    for fence in ["```", "~~~"] {
        let Some(character) = fence.chars().next() else { continue };
        if let Some(opened) = text.strip_prefix(fence) {
            let opened = opened.trim_start_matches(character);
            let body = opened.strip_suffix(fence).map_or(opened, |body| body.trim_end_matches(character));
            let Some((info, content)) = body.split_once('\n') else {
                return body.trim();
            };
            let is_info = info.split_whitespace().count() <= 1 && !content.trim().is_empty();
            return if is_info { content.trim() } else { body.trim() };
        }
        if let Some(body) = text.strip_suffix(fence)
            && body.ends_with('\n')
            && !body.contains(fence)
        {
            return body.trim();
        }
    }
    text
}

/// Takes off tags that a model puts around its answer, such as `<next>…</next>`.
pub(super) fn strip_answer_tag(text: &str) -> &str {
    if !text.starts_with('<') && !text.ends_with('>') {
        return text;
    }
    for name in ANSWER_TAGS {
        let opened = strip_tag_prefix(text, name);
        let closed = strip_tag_suffix(opened.unwrap_or(text), name);
        match (opened, closed) {
            (Some(_), Some(inside)) => return inside.trim(),
            (Some(half), None) | (None, Some(half)) if *name == "next" => return half.trim(),
            _ => {}
        }
    }
    text
}

fn strip_tag_prefix<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let behind = text.strip_prefix('<')?;
    behind.get(..name.len())?.eq_ignore_ascii_case(name).then_some(())?;
    behind.get(name.len()..)?.strip_prefix('>')
}

fn strip_tag_suffix<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let before = text.strip_suffix('>')?;
    let at = before.len().checked_sub(name.len())?;
    before.get(at..)?.eq_ignore_ascii_case(name).then_some(())?;
    before.get(..at)?.strip_suffix("</")
}

/// Takes off one pair of quotes around the whole text. `"a" and "b"` has two pairs, none of them around the whole.
pub(super) fn strip_quotes(text: &str) -> &str {
    if let Some(inside) = text.strip_prefix("``").and_then(|rest| rest.strip_suffix("``"))
        && !inside.starts_with('`')
        && !inside.ends_with('`')
        && !inside.contains("``")
    {
        return inside.trim();
    }
    let (Some(first), Some(last)) = (text.chars().next(), text.chars().next_back()) else { return text };
    if !closing_quotes(first).contains(&last) {
        return text;
    }
    let Some(inside) = text.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return text };
    let is_one_pair = if first == '`' {
        !inside.contains('`')
    } else if first == last {
        nests_evenly(inside, first)
    } else {
        stays_open(inside, first, last)
    };
    if is_one_pair { inside.trim() } else { text }
}

fn closing_quotes(opening: char) -> &'static [char] {
    match opening {
        '"' => &['"'],
        '\'' => &['\''],
        '`' => &['`'],
        '“' => &['”', '“'],
        '”' => &['”'],
        '‘' => &['’', '‘'],
        '’' => &['’'],
        '„' => &['“', '”'],
        '‚' => &['‘', '’'],
        '«' => &['»'],
        '»' => &['«', '»'],
        '‹' => &['›'],
        '›' => &['‹'],
        '「' => &['」'],
        '『' => &['』'],
        '｢' => &['｣'],
        '《' => &['》'],
        '〈' => &['〉'],
        '＂' => &['＂'],
        '＇' => &['＇'],
        '〝' => &['〞', '〟'],
        '❝' => &['❞'],
        _ => &[],
    }
}

/// The outer pair of unequal marks is not closed before the end.
fn stays_open(inside: &str, open: char, close: char) -> bool {
    let mut depth = 0_usize;
    let mut previous = None;
    let mut chars = inside.chars().peekable();
    while let Some(character) = chars.next() {
        let apostrophe = previous.is_some_and(char::is_alphanumeric)
            && chars.peek().copied().is_some_and(char::is_alphanumeric)
            && matches!(character, '’' | '‘');
        if character == open && !apostrophe {
            depth += 1;
        } else if character == close && !apostrophe {
            let Some(less) = depth.checked_sub(1) else { return false };
            depth = less;
        }
        previous = Some(character);
    }
    depth == 0
}

/// Equal marks inside come in pairs, and the first of them opens.
fn nests_evenly(inside: &str, quote: char) -> bool {
    let mut marks = 0_usize;
    let mut previous: Option<char> = None;
    let mut chars = inside.chars().peekable();
    while let Some(character) = chars.next() {
        if character == quote {
            let next = chars.peek().copied();
            let apostrophe =
                previous.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric);
            if !apostrophe {
                let opens = previous.is_none_or(|before| before.is_whitespace() || "([{:=".contains(before))
                    && next.is_some_and(|after| !after.is_whitespace());
                if marks == 0 && !opens {
                    return false;
                }
                marks += 1;
            }
        }
        previous = Some(character);
    }
    marks.is_multiple_of(2)
}

/// Takes off bold marks around a whole sentence. A single word keeps them: `**kwargs` and `__init__` are names.
pub(super) fn strip_bold(text: &str) -> &str {
    for mark in ["**", "__"] {
        if let Some(inside) = text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark))
            && !inside.contains(mark)
            && inside.contains(char::is_whitespace)
            && !inside.starts_with(char::is_whitespace)
            && !inside.ends_with(char::is_whitespace)
        {
            return inside;
        }
    }
    text
}

/// Takes off one leading bullet or item number. `-1`, `--flag` and `*.rs` are none, and neither is the first number of
/// several on the line: that is a list.
pub(super) fn strip_bullet(text: &str) -> &str {
    for bullet in ["- ", "* ", "+ ", "– ", "— ", "• ", "•", "· ", "‣ ", "◦ ", "● ", "▪ "] {
        if let Some(rest) = text.strip_prefix(bullet) {
            let rest = rest.trim_start();
            let task = ["[ ] ", "[x] ", "[X] "].iter().find_map(|task| rest.strip_prefix(task));
            return task.unwrap_or(rest).trim_start();
        }
    }
    if is_inline_list(text) { text } else { strip_item_number(text).unwrap_or(text) }
}

/// `1) … 2) …` on one line.
pub(super) fn is_inline_list(text: &str) -> bool {
    [
        ("1)", " 2) "),
        ("1.", " 2. "),
        ("(1)", " (2) "),
        ("a)", " b) "),
        ("A)", " B) "),
        ("(a)", " (b) "),
        ("①", "②"),
    ]
    .iter()
    .any(|(first, second)| text.starts_with(first) && text.contains(second))
}

fn strip_item_number(text: &str) -> Option<&str> {
    let (open, start) = match text.strip_prefix('(') {
        Some(start) => (true, start),
        None => (false, text),
    };
    let behind = start.trim_start_matches(|character: char| character.is_ascii_digit());
    if !(1..=2).contains(&(start.len() - behind.len())) {
        return None;
    }
    if let Some(rest) = behind.strip_prefix('、')
        && !open
    {
        return Some(rest);
    }
    let rest = if open { behind.strip_prefix(')')? } else { behind.strip_prefix(['.', ')'])? };
    rest.starts_with(char::is_whitespace).then(|| rest.trim_start())
}
