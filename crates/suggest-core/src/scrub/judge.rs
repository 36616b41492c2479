//! Whether the value of a telling name is a secret, or a placeholder, code or plain talk.

use super::names::Name;
use super::scan::{Found, Scan};
use super::shape::{
    at, before, contains, entropy, has_digit, has_letter, is_placeholder, random_for_strong_name,
    random_for_weak_name, wordy,
};
use super::structured::{family_of, typed};

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Quoted,
    /// `NAME=value` with nothing around the sign.
    Environment,
    /// `name=value` in code, queries and connection strings.
    Bare,
    /// `name: value`, alone on its line.
    Line,
    /// `name: value` inside a line.
    Inline,
    /// `--name value`.
    Flag,
    /// `<name>value</name>`.
    Element,
    /// `the password is value`.
    Prose,
    /// `X-Api-Key: value`.
    Header,
    /// `Passwort: value`: a name of another language, where nobody writes code.
    Told,
}

/// Types and methods with a digit in their name.
pub(super) fn names_a_kind(value: &[u8]) -> bool {
    let value = folded(value);
    [
        "varchar", "char", "int", "uint", "float", "sha", "md5", "base", "argon", "utf", "string", "text",
        "rsa", "v",
    ]
    .iter()
    .filter_map(|kind| value.strip_prefix(kind))
    .any(|rest| rest.len() <= 4 && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

pub(super) fn folded(value: &[u8]) -> String {
    String::from_utf8_lossy(value).to_lowercase()
}

/// Longest stretch of a value that is judged, in bytes; the rest shares the verdict.
pub(super) const JUDGED: usize = 256;

/// The secret that the value of such a name is; nothing where it is a placeholder, code or plain talk.
pub(super) fn judge(
    scan: &mut Scan<'_>,
    name: Name,
    start: usize,
    end: usize,
    style: Style,
) -> Option<Found> {
    let value = scan.slice(start, end.min(start + JUDGED));
    if value.len() < 4 {
        return None;
    }
    let code = matches!(style, Style::Bare | Style::Line | Style::Inline | Style::Flag)
        && code_like(scan, value, end);
    let address = contains(value.get(..64).unwrap_or(value), b"://");
    let secret = !code
        && !address
        && match name {
            Name::Password => password_like(scan, value, start, end, style),
            Name::Token => {
                token_like(value) || style == Style::Header && has_digit(value) && value.len() >= 8
            }
            Name::AwsSecret | Name::Azure => value.len() >= 16 && !wordy(value) && entropy(value) >= 2.5,
            Name::Weak => random_for_weak_name(value),
            Name::Authorization | Name::Cookie => false,
        };
    if !secret || is_placeholder(value) || holds_mark(value) || typed(scan, start, end) {
        return None;
    }
    Some(Found { start, end, family: family_of(name) })
}

fn holds_mark(value: &[u8]) -> bool {
    contains(value, b"[secret:") || contains(value, b"[path#")
}

fn token_like(value: &[u8]) -> bool {
    if value.contains(&b' ') {
        return false;
    }
    let hex = value.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    random_for_strong_name(value) && (!hex || value.len() >= 12) || grouped(value)
}

/// Groups of one length, joined by dashes, with a digit among them, as many services write a key for people.
fn grouped(value: &[u8]) -> bool {
    let mut groups = value.split(|byte| *byte == b'-');
    let first = groups.next().map_or(0, <[u8]>::len);
    let mut count = 1;
    for group in groups {
        if group.len() != first || !group.iter().all(u8::is_ascii_alphanumeric) {
            return false;
        }
        count += 1;
    }
    count >= 3 && first >= 4 && has_digit(value) && has_letter(value)
}

/// Words that follow a password flag or colon in prose and in type positions.
const ORDINARY: &[&str] = &[
    "flag",
    "option",
    "argument",
    "parameter",
    "and",
    "or",
    "is",
    "to",
    "for",
    "the",
    "with",
    "in",
    "value",
    "file",
    "prompt",
    "field",
    "input",
    "from",
    "must",
    "when",
    "not",
    "as",
    "on",
    "it",
    "hash",
    "hashing",
    "reset",
    "auth",
    "form",
    "check",
    "only",
    "handling",
    "String",
    "Option",
    "Secret",
    "Zeroizing",
    "boolean",
    "string",
    "number",
    "char",
    "a",
    "an",
    "if",
    "should",
    "can",
    "was",
    "are",
    "will",
    "then",
    "length",
    "validation",
    "minimum",
    "maximum",
    "at",
    "too",
    "policy",
    "rules",
    "wrong",
    "correct",
    "expired",
    "stored",
    "encrypted",
    "hashed",
    "set",
    "unset",
    "blank",
    "needed",
    "incorrect",
    "good",
    "fine",
    "safe",
    "private",
    "sensitive",
    "provided",
    "given",
    "used",
    "passed",
    "valid",
    "read",
    "written",
    "sent",
    "shown",
    "logged",
    "changed",
    "checked",
    "being",
    "still",
    "never",
    "always",
    "also",
    "now",
    "current-password",
    "new-password",
];

/// Words that make a chain of words a sentence, not a pass phrase.
const SENTENCE: &[&str] = &[
    "password",
    "passphrase",
    "your",
    "enter",
    "the",
    "a",
    "is",
    "must",
    "invalid",
    "please",
    "be",
    "not",
    "wrong",
];

fn password_like(scan: &Scan<'_>, value: &[u8], start: usize, end: usize, style: Style) -> bool {
    if names_a_kind(value) {
        return false;
    }
    let ordinary = ORDINARY.iter().any(|word| word.as_bytes() == value);
    let letters = value.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    let marked = has_digit(value)
        || value
            .iter()
            .any(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-' | b'.' | b' '));
    let about_passwords = {
        let folded = value.to_ascii_lowercase();
        letters
            && (contains(&folded, b"password")
                || contains(&folded, b"passwd")
                || contains(&folded, b"secret"))
    };
    match style {
        Style::Quoted | Style::Element => {
            let spaces = value.iter().filter(|byte| **byte == b' ').count();
            if spaces > 0 {
                // A sentence is a label or a message; a chain of plain words is a pass phrase.
                let lower = value.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b' ');
                return spaces >= 3
                    && lower
                    && !SENTENCE
                        .iter()
                        .any(|word| value.split(|byte| *byte == b' ').any(|part| part == word.as_bytes()))
                    || value
                        .split(|byte| *byte == b' ')
                        .any(|part| part.len() >= 8 && random_for_strong_name(part));
            }
            !ordinary && !about_passwords
        }
        Style::Environment => !ordinary && !about_passwords,
        Style::Bare => {
            let closes = matches!(
                at(scan.bytes, end),
                0 | b' ' | b'\n' | b'\r' | b'\t' | b'&' | b';' | b'@' | b'"' | b'\''
            );
            marked
                || letters
                    && closes
                    && !ordinary
                    && !about_passwords
                    && !value.contains(&b'_')
                    && value.len() >= 6
                    && before(scan.bytes, start, 1) == b'='
        }
        Style::Line => {
            let alone = matches!(at(scan.bytes, end), 0 | b'\n' | b'\r');
            marked && !sentence(value)
                || letters
                    && alone
                    && !ordinary
                    && !about_passwords
                    && value.len() >= 6
                    && !value.first().is_some_and(u8::is_ascii_uppercase)
        }
        Style::Inline => marked && value.len() >= 5 && !sentence(value),
        Style::Flag => !ordinary && !about_passwords && !value.starts_with(b"-"),
        Style::Told | Style::Header => at(value, 0).is_ascii() && has_digit(value) && !sentence(value),
        Style::Prose => {
            value.len() >= 6 && has_digit(value) && (has_letter(value) || marked) && !sentence(value)
        }
    }
}

/// A word of a sentence with its punctuation, not a password.
fn sentence(value: &[u8]) -> bool {
    let core = value
        .strip_suffix(b".")
        .or_else(|| value.strip_suffix(b","))
        .or_else(|| value.strip_suffix(b":"))
        .unwrap_or(value);
    let wrapped = matches!(at(core, 0), b'(' | b'*' | b'_' | b'[' | b'>' | b'|' | b'#');
    wrapped
        || core
            .iter()
            .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'\'' | b'-' | b'/' | b'(' | b')'))
        || core.len() < LEAST_NUMBER && core.iter().all(u8::is_ascii_digit)
}

/// Fewest digits of a number that is a password rather than a count, a length or a port.
const LEAST_NUMBER: usize = 6;

/// Whether an unquoted value is an expression rather than a literal.
pub(super) fn code_like(scan: &Scan<'_>, value: &[u8], end: usize) -> bool {
    if matches!(at(value, 0), b'&' | b'(' | b'[' | b'{' | b'|' | b'@' | b'!' | b'*' | b'?' | b'>' | b'=')
        && value.len() < 40
        && value.iter().skip(1).all(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(
                    byte,
                    b'_' | b'<' | b'>' | b'\'' | b':' | b'.' | b'[' | b']' | b'(' | b')' | b'{' | b'}' | b','
                )
        })
        && !has_digit(value)
    {
        return true;
    }
    if matches!(at(scan.bytes, end), b'(' | b'[' | b'<')
        || [&b"::"[..], b"->", b"=>", b"()", b"[\"", b"['"].iter().any(|part| contains(value, part))
    {
        return true;
    }
    if let Some(open) = value.iter().position(|byte| *byte == b'(') {
        return open > 0
            && value.get(..open).is_some_and(|name| {
                name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
            });
    }
    // `self.token`, `args.db_password`: names joined by dots; `new_password2`: words joined by underscores.
    let identifier = value.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
        && value.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    identifier && (value.contains(&b'.') || value.contains(&b'_')) && wordy(value)
}
