//! Values of names that speak of secrets: in env files, JSON, YAML, TOML, source code, query strings,
//! connection strings, headers, command line flags and XML elements.

use super::foreign;
use super::judge::{JUDGED, Style, judge, names_a_kind};
use super::names::{Name, classify, may_tell};
use super::scan::{Found, Scan, Stretch};
use super::shape::{
    at, before, contains, has_digit, has_letter, is_placeholder, looked, random_for_strong_name, starts_with,
    starts_with_folded, word_starts,
};
use super::structured::{authorization, boundary, family_of, line_end};

/// Longest name that is looked at, in bytes.
const LONGEST_NAME: usize = 64;
/// Longest quoted value that is looked for, in bytes.
const LONGEST_QUOTED: usize = 1024;

/// A secret that is assigned by the sign (`=`, `:` or their full-width kin) at `sign`.
pub(super) fn assigned(scan: &mut Scan<'_>, sign: usize) -> Option<Found> {
    let bytes = scan.bytes;
    let (kin, length) = foreign::sign_at(bytes, sign)?;
    let equals = kin == b'=';
    let next = at(bytes, sign + length);
    // Comparisons, `::` and `:=`: no assignment, or one that the second sign makes.
    let part_of_another =
        if equals { next == b'=' } else { matches!(next, b':' | b'=') || before(bytes, sign, 1) == b':' };
    if part_of_another {
        return None;
    }
    let (name, kind, foreign) = match foreign::name_before(bytes, sign) {
        Some((start, kind)) => ((start, sign), kind, true),
        None => {
            let name = name_before(scan, sign, equals)?;
            let (name, kind) = told_around(scan, name)?;
            (name, kind, false)
        }
    };
    let mut from = sign + length;
    if equals && at(bytes, from) == b'>' {
        from += 1;
    }
    let tight = at(bytes, from) != b' ' && before(bytes, sign, 1) != b' ';
    from += (0..8).take_while(|step| matches!(at(bytes, from + step), b' ' | b'\t')).count();
    match kind {
        Name::Authorization => {
            let from = from + opening_quote(bytes, from).map_or(0, |quote| quote.length);
            return authorization(scan, from);
        }
        Name::Cookie => return if equals { None } else { cookies(scan, from) },
        _ => {}
    }
    if let Some(next) = next_line(bytes, from) {
        return on_next_line(scan, kind, next, equals);
    }
    from += call_around_literal(bytes, from);
    if let Some(quote) = opening_quote(bytes, from) {
        let (start, end) = quoted(scan, from, quote);
        return judge(scan, kind, start, end, Style::Quoted);
    }
    let written = scan.slice(name.0, name.1);
    let shouting = written.iter().all(|byte| !byte.is_ascii_lowercase());
    let header = !equals && written.get(..2).is_some_and(|part| part.eq_ignore_ascii_case(b"x-"));
    let style = match (equals, tight && shouting) {
        _ if foreign => Style::Told,
        _ if header => Style::Header,
        (true, true) => Style::Environment,
        (true, false) => Style::Bare,
        (false, _) if line_starts(bytes, name.0) => Style::Line,
        (false, _) => Style::Inline,
    };
    let end = unquoted_end(scan, from, style);
    let whole = whole_value(scan, from, end, style);
    match judge(scan, kind, from, end, style) {
        Some(found) => Some(Found { end: whole.max(found.end), ..found }),
        // The first list mark is part of the password, when the whole looks like nothing else.
        None if whole > end && kind == Name::Password && random_for_strong_name(scan.slice(from, whole)) => {
            judge(scan, kind, from, whole, style)
        }
        None => None,
    }
}

/// Where an unquoted password ends that holds list marks: at one that a blank, an end or the next name follows.
fn whole_value(scan: &mut Scan<'_>, from: usize, end: usize, style: Style) -> usize {
    if !matches!(style, Style::Bare | Style::Inline)
        || !matches!(at(scan.bytes, end), b',' | b';' | b'&' | b'|')
    {
        return end;
    }
    let bytes = scan.bytes;
    let limit = scan.stretch_end(Stretch::Wide, from).min(from + JUDGED);
    let mut whole = end;
    while matches!(at(bytes, whole), b',' | b';' | b'&' | b'|') && whole < limit {
        let rest = scan.slice(whole + 1, limit);
        let length = rest
            .iter()
            .position(|byte| Stretch::Narrow.ends_at(*byte) || matches!(byte, b'=' | b':' | b'('))
            .unwrap_or(rest.len());
        looked(length);
        // A pair of the list, a call, nothing at all: the value ended at the mark.
        if length == 0 || matches!(at(rest, length), b'=' | b':' | b'(') {
            break;
        }
        whole += 1 + length;
    }
    boundary(scan, whole)
}

/// Start of the value when it stands on the line below, indented: behind a block mark of YAML, or nothing.
/// The second part says whether there is a block mark.
fn next_line(bytes: &[u8], from: usize) -> Option<(usize, bool)> {
    let block = matches!(at(bytes, from), b'|' | b'>');
    let mut place = from + usize::from(block);
    if block {
        place += usize::from(matches!(at(bytes, place), b'-' | b'+'));
    }
    place += usize::from(at(bytes, place) == b'\r');
    if at(bytes, place) != b'\n' {
        return None;
    }
    let indent = (1..=64).take_while(|step| matches!(at(bytes, place + step), b' ' | b'\t')).count();
    (1..64).contains(&indent).then_some((place + 1 + indent, block))
}

/// A value alone on its line.
fn on_next_line(
    scan: &mut Scan<'_>,
    kind: Name,
    (from, block): (usize, bool),
    equals: bool,
) -> Option<Found> {
    let bytes = scan.bytes;
    let from = from + call_around_literal(bytes, from);
    if let Some(quote) = opening_quote(bytes, from) {
        let (start, end) = quoted(scan, from, quote);
        return judge(scan, kind, start, end, Style::Quoted);
    }
    if equals {
        return None;
    }
    let end = unquoted_end(scan, from, Style::Line);
    let alone = matches!(at(bytes, end), 0 | b'\n' | b'\r');
    let value = scan.slice(from, end.min(from + JUDGED));
    let telling = block || has_digit(value) || kind != Name::Password;
    let pair = value.contains(&b':') || matches!(at(value, 0), b'-' | b'#' | b'/' | b'|');
    (alone && telling && !pair).then(|| judge(scan, kind, from, end, Style::Line)).flatten()
}

/// A secret behind the flag whose first dash is at `dash`.
pub(super) fn flagged(scan: &mut Scan<'_>, dash: usize) -> Option<Found> {
    let bytes = scan.bytes;
    if !starts_with(bytes, dash, b"--") || matches!(before(bytes, dash, 1), b'-') || !word_starts(bytes, dash)
    {
        return None;
    }
    let rest = bytes.get(dash + 2..).unwrap_or_default();
    let length = rest
        .iter()
        .take(LONGEST_NAME)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        .count();
    let sign = dash + 2 + length;
    if length < 3 || at(bytes, sign) != b' ' {
        return None;
    }
    let name = scan.slice(dash + 2, sign);
    let from = sign + 1;
    let kind = match classify(name) {
        Some(Name::Authorization | Name::Cookie) => return None,
        Some(kind) => kind,
        None if name == b"user" => return user_and_password(scan, from),
        None => return None,
    };
    if let Some(quote) = opening_quote(bytes, from) {
        let (start, end) = quoted(scan, from, quote);
        return judge(scan, kind, start, end, Style::Quoted);
    }
    let end = unquoted_end(scan, from, Style::Flag);
    judge(scan, kind, from, end, Style::Flag)
}

/// `--user name:password`, as curl takes it.
fn user_and_password(scan: &mut Scan<'_>, from: usize) -> Option<Found> {
    let from = from + opening_quote(scan.bytes, from).map_or(0, |quote| quote.length);
    let end = unquoted_end(scan, from, Style::Flag);
    let colon = from + scan.slice(from, end).iter().position(|byte| *byte == b':')?;
    let value = scan.slice(colon + 1, end);
    if !has_letter(value) {
        return None;
    }
    judge(scan, Name::Password, colon + 1, end, Style::Environment)
}

/// A secret in the element whose opening tag closes at `close`.
pub(super) fn enclosed(scan: &mut Scan<'_>, close: usize) -> Option<Found> {
    let length = (1..=LONGEST_NAME)
        .take_while(|back| {
            let byte = before(scan.bytes, close, *back);
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
        })
        .count();
    if length < 3 || before(scan.bytes, close, length + 1) != b'<' {
        return None;
    }
    let kind = classify(scan.slice(close - length, close))?;
    let rest = scan.bytes.get(close + 1..).unwrap_or_default();
    let value = rest.iter().take(LONGEST_QUOTED).take_while(|byte| !matches!(byte, b'<' | b'\n')).count();
    looked(value);
    if at(rest, value) != b'<' {
        return None;
    }
    judge(scan, kind, close + 1, boundary(scan, close + 1 + value), Style::Element)
}

/// "the password is …", also in other languages; `start` is the offset of "is".
pub(super) fn told(scan: &mut Scan<'_>, start: usize) -> Option<Found> {
    let bytes = scan.bytes;
    let spaced = before(bytes, start, 1) == b' ';
    let (kind, mut from) = if starts_with(bytes, start, b"is ") {
        let end = start.checked_sub(1).filter(|_| spaced)?;
        let length =
            (1..=LONGEST_NAME).take_while(|back| before(bytes, end, *back).is_ascii_alphanumeric()).count();
        (told_around(scan, (end - length, end))?.1, start + 3)
    } else {
        if !spaced && at(bytes, start).is_ascii() {
            return None;
        }
        let word = foreign::telling_at(bytes, start)?;
        (foreign::name_before(bytes, start)?.1, start + word)
    };
    from += usize::from(at(bytes, from) == b' ');
    if !at(bytes, from).is_ascii() {
        return None;
    }
    if let Some(quote) = opening_quote(bytes, from) {
        from += quote.length;
    }
    let end = unquoted_end(scan, from, Style::Prose);
    judge(scan, kind, from, end, Style::Prose)
}

/// The values of a Cookie header.
fn cookies(scan: &mut Scan<'_>, from: usize) -> Option<Found> {
    let limit = line_end(scan, from);
    let quote = [b'"', b'\'']
        .into_iter()
        .filter_map(|quote| scan.slice(from, limit).iter().position(|byte| *byte == quote))
        .min();
    let end = quote.map_or(limit, |quote| from + quote);
    let value = scan.slice(from, end);
    let pair = value.iter().position(|byte| *byte == b'=')?;
    let named = value
        .get(..pair)?
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    (named && value.len() >= pair + 5 && !is_placeholder(value) && !is_placeholder(value.get(pair + 1..)?))
        .then_some(Found { start: from, end, family: family_of(Name::Cookie) })
}

/// Whether only indent, list marks, quotes and `export` stand before `start` on its line.
fn line_starts(bytes: &[u8], start: usize) -> bool {
    for back in 1..=32 {
        match before(bytes, start, back) {
            0 | b'\n' => return true,
            b' ' | b'\t' | b'-' | b'"' | b'\'' | b'*' => {}
            _ => return false,
        }
    }
    false
}

fn told_by(name: &[u8]) -> Option<Name> {
    if may_tell(name) { classify(name) } else { None }
}

/// What a name says, with what stands around it: `api key`, `the password is:`, `<add key="Password" value=`.
fn told_around(scan: &Scan<'_>, name: (usize, usize)) -> Option<((usize, usize), Name)> {
    let bytes = scan.bytes;
    let (start, end) = name;
    let word = scan.slice(start, end);
    if word.eq_ignore_ascii_case(b"is") {
        let name = name_at(bytes, start)?;
        return told_by(scan.slice(name.0, name.1)).map(|kind| (name, kind));
    }
    if word.eq_ignore_ascii_case(b"key") && before(bytes, start, 1) == b' ' {
        let length =
            (1..=20).take_while(|back| before(bytes, start - 1, *back).is_ascii_alphanumeric()).count();
        let name = (start - 1 - length, end);
        if let Some(kind @ Name::Token) = told_by(scan.slice(name.0, name.1)) {
            return Some((name, kind));
        }
    }
    if word.eq_ignore_ascii_case(b"value") {
        let tag = scan.slice(start.saturating_sub(ATTRIBUTES), start);
        looked(tag.len());
        let open = tag.iter().rposition(|byte| *byte == b'<')?;
        let kind = tag
            .get(open + 1..)?
            .split(|byte| matches!(byte, b' ' | b'"' | b'\'' | b'='))
            .filter_map(told_by)
            .find(|kind| matches!(kind, Name::Password | Name::Token));
        return kind.map(|kind| (name, kind));
    }
    told_by(word).map(|kind| (name, kind))
}

/// How far back in a tag the name of its value is looked for, in bytes.
const ATTRIBUTES: usize = 96;

/// A password behind its name and a blank: in `.netrc`, in an `ENV` line, or in quotes; `start` is where the name's
/// telling word begins.
pub(super) fn beside(scan: &mut Scan<'_>, start: usize) -> Option<Found> {
    let bytes = scan.bytes;
    let word =
        [&b"password"[..], b"passwd"].into_iter().find(|word| starts_with_folded(bytes, start, word))?;
    let end = start + word.len();
    if at(bytes, end) != b' ' {
        return None;
    }
    let from = end + 1;
    let opening = at(bytes, from);
    if matches!(opening, b'`' | b'"' | b'\'') {
        let rest = scan.slice(from + 1, (from + 1 + LONGEST_NAME).min(bytes.len()));
        looked(rest.len());
        let length = rest.iter().position(|byte| *byte == opening)?;
        let value = rest.get(..length)?;
        let literal = value.len() >= 5
            && has_digit(value)
            && has_letter(value)
            && !value
                .iter()
                .any(|byte| matches!(byte, b' ' | b'_' | b'.' | b'(' | b'/' | b'=' | b'-' | b':'))
            && !names_a_kind(value);
        return literal
            .then(|| judge(scan, Name::Password, from + 1, from + 1 + length, Style::Quoted))
            .flatten();
    }
    let line = scan.slice(start.saturating_sub(ATTRIBUTES), start);
    looked(line.len());
    let line = line.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let shouts = scan.slice(start, end).iter().all(u8::is_ascii_uppercase);
    let set =
        shouts && [&b"ENV "[..], b"setx "].iter().any(|command| line.trim_ascii_start().starts_with(command));
    if !(set || contains(line, b"machine ") && contains(line, b"login ")) {
        return None;
    }
    let end = unquoted_end(scan, from, Style::Flag);
    let value = scan.slice(from, end.min(from + JUDGED));
    (set || has_digit(value)).then(|| judge(scan, Name::Password, from, end, Style::Flag)).flatten()
}

/// Offsets of the name that the sign at `sign` assigns to.
fn name_before(scan: &Scan<'_>, sign: usize, equals: bool) -> Option<(usize, usize)> {
    let bytes = scan.bytes;
    let mut end = sign;
    if equals && matches!(before(bytes, end, 1), b':' | b'?' | b'+' | b'!' | b'=') {
        end -= 1;
    }
    let (start, end) = name_at(bytes, end)?;
    let attribute = scan.slice(start, end).eq_ignore_ascii_case(b"value");
    if !equals || attribute || told_by(scan.slice(start, end)).is_some() {
        return Some((start, end));
    }
    // A type may stand between the name and the sign: `let token: &str = …`.
    let back = (1..=48).find(|back| matches!(before(bytes, sign, *back), b':' | b'\n' | b',' | b';' | 0))?;
    if before(bytes, sign, back) != b':' || before(bytes, sign, back + 1) == b':' {
        return None;
    }
    name_at(bytes, sign - back)
}

/// Offsets of the name that ends at `end`, without quotes, brackets and blanks.
fn name_at(bytes: &[u8], end: usize) -> Option<(usize, usize)> {
    let mut end = end;
    end -= (1..=8).take_while(|back| matches!(before(bytes, end, *back), b' ' | b'\t')).count();
    for _ in 0..4 {
        if matches!(before(bytes, end, 1), b'"' | b'\'' | b'`' | b']' | b'\\' | b'*') {
            end -= 1;
        }
    }
    let length = (1..=LONGEST_NAME)
        .take_while(|back| {
            let byte = before(bytes, end, *back);
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
        })
        .count();
    // The letter of an escaped newline is no part of the name.
    let start = end - length;
    let escaped =
        before(bytes, start, 1) == b'\\' && matches!(at(bytes, start), b'n' | b't' | b'r') && length > 2;
    let start = if escaped { start + 1 } else { start };
    (start < end).then_some((start, end))
}

/// Calls that only wrap a literal.
const WRAPPERS: &[&str] = &[
    "String::from(",
    "Some(",
    "SecretString::from(",
    "SecretString::new(",
    "Secret::new(",
    "new String(",
    "str(",
    "Secret(",
    "SecretStr(",
    "b",
    "f",
    "r",
    "rb",
    "@",
];

/// Length of a call that wraps a literal at `from`; 0 when there is none.
fn call_around_literal(bytes: &[u8], from: usize) -> usize {
    WRAPPERS
        .iter()
        .filter(|wrapper| starts_with(bytes, from, wrapper.as_bytes()))
        .map(|wrapper| wrapper.len())
        .find(|length| opening_quote(bytes, from + length).is_some())
        .unwrap_or(0)
}

/// A quote that opens a value.
#[derive(Debug, Clone, Copy)]
struct Quote {
    sign: u8,
    /// Written as `\"`.
    escaped: bool,
    length: usize,
}

fn opening_quote(bytes: &[u8], from: usize) -> Option<Quote> {
    let escaped = at(bytes, from) == b'\\';
    let sign = at(bytes, from + usize::from(escaped));
    matches!(sign, b'"' | b'\'' | b'`').then_some(Quote { sign, escaped, length: 1 + usize::from(escaped) })
}

/// Offsets of the value inside the quotes; an unclosed one ends with its line.
fn quoted(scan: &Scan<'_>, from: usize, quote: Quote) -> (usize, usize) {
    let bytes = scan.bytes;
    let start = from + quote.length;
    let mut place = start;
    while place < bytes.len() && place - start < LONGEST_QUOTED {
        let byte = at(bytes, place);
        if byte == b'\n' || byte == quote.sign && !quote.escaped {
            break;
        }
        if byte == b'\\' {
            if quote.escaped && at(bytes, place + 1) == quote.sign {
                break;
            }
            place += 1;
        }
        place += 1;
    }
    // The step over an escaped character may have crossed the border of a wide one.
    (start, boundary(scan, place))
}

/// End of an unquoted value, without the marks that end a sentence or a statement.
fn unquoted_end(scan: &mut Scan<'_>, from: usize, style: Style) -> usize {
    let narrow = matches!(style, Style::Bare | Style::Inline | Style::Header);
    let mut end = scan.stretch_end(if narrow { Stretch::Narrow } else { Stretch::Wide }, from);
    // A sentence of a script without spaces goes on right behind the value.
    let value = scan.slice(from, end.min(from + LONGEST_QUOTED));
    looked(value.len());
    let wide = foreign::value_end(value);
    if wide < value.len() {
        end = from + wide;
    }
    let sentence = matches!(style, Style::Prose | Style::Told);
    let trailing: &[u8] = if sentence { b".,;:!?)'" } else { b";,'" };
    let marks = (1..=MOST_TRAILING)
        .take_while(|back| from + back <= end && trailing.contains(&before(scan.bytes, end, *back)))
        .count();
    end - marks
}

/// Most marks of a sentence or a statement behind a value.
const MOST_TRAILING: usize = 16;
