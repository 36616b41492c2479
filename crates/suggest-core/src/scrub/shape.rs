//! What a run of characters looks like: alphabets, borders, randomness, placeholders.

/// A set of characters that a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Alphabet {
    Alnum,
    /// Letters, digits, `_`.
    Word,
    /// Letters, digits, `_`, `-`.
    Url,
    /// Letters, digits, `_`, `-`, `.`.
    Dotted,
    /// Letters, digits, `_`, `-`, `/`.
    UrlPath,
    /// Lower-case hexadecimal digits.
    LowerHex,
    /// Upper-case letters and digits.
    UpperAlnum,
    /// Base64 in both spellings, with padding.
    Base64,
}

/// Number of alphabets.
pub(super) const ALPHABETS: usize = 8;

impl Alphabet {
    pub(super) const fn holds(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Url => byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-',
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::UrlPath => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/'),
            Self::LowerHex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::UpperAlnum => matches!(byte, b'0'..=b'9' | b'A'..=b'Z'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-'),
        }
    }
}

/// Counts the bytes that are looked at, in tests only: cost is tested without a clock.
#[cfg(test)]
pub(super) mod cost {
    use std::cell::Cell;

    thread_local! {
        static LOOKS: Cell<usize> = const { Cell::new(0) };
    }

    pub(in super::super) fn add(looks: usize) {
        LOOKS.with(|count| count.set(count.get().saturating_add(looks)));
    }

    /// Looks since the last call.
    pub(in super::super) fn take() -> usize {
        LOOKS.with(Cell::take)
    }
}

/// Says that so many bytes are looked at.
#[inline]
pub(super) fn looked(bytes: usize) {
    #[cfg(test)]
    cost::add(bytes);
    #[cfg(not(test))]
    let _ = bytes;
}

/// The byte at `index`, or 0 past the end.
pub(super) fn at(bytes: &[u8], index: usize) -> u8 {
    looked(1);
    bytes.get(index).copied().unwrap_or(0)
}

/// The byte `back` places before `index`, or 0 before the start.
pub(super) fn before(bytes: &[u8], index: usize, back: usize) -> u8 {
    index.checked_sub(back).map_or(0, |place| at(bytes, place))
}

pub(super) fn starts_with(bytes: &[u8], index: usize, what: &[u8]) -> bool {
    bytes.get(index..).is_some_and(|rest| rest.starts_with(what))
}

pub(super) fn starts_with_folded(bytes: &[u8], index: usize, what: &[u8]) -> bool {
    bytes.get(index..index.saturating_add(what.len())).is_some_and(|part| part.eq_ignore_ascii_case(what))
}

/// Whether a word may start at `index`: no letter or digit stands before it, or only the end of an escape
/// (`\n`, `%20`).
pub(super) fn word_starts(bytes: &[u8], index: usize) -> bool {
    let previous = before(bytes, index, 1);
    if !previous.is_ascii_alphanumeric() {
        return true;
    }
    escape_ends(bytes, index)
}

/// Whether the bytes before `index` end an escape such as `\n` or `%2F`.
pub(super) fn escape_ends(bytes: &[u8], index: usize) -> bool {
    let previous = before(bytes, index, 1);
    if matches!(previous, b'n' | b'r' | b't') && before(bytes, index, 2) == b'\\' {
        return true;
    }
    previous.is_ascii_hexdigit()
        && before(bytes, index, 2).is_ascii_hexdigit()
        && before(bytes, index, 3) == b'%'
}

/// The longest stretch that is judged; the rest of a longer value shares the verdict.
const JUDGED: usize = 256;

pub(super) fn judged(value: &[u8]) -> &[u8] {
    let part = value.get(..JUDGED).unwrap_or(value);
    looked(part.len());
    part
}

/// Length of the longest part between `-`, `_` and `.`, and whether that part holds a digit.
pub(super) fn longest_part(value: &[u8]) -> (usize, bool) {
    let mut best = (0, false);
    for part in judged(value).split(|byte| matches!(byte, b'-' | b'_' | b'.')) {
        if part.len() > best.0 {
            best = (part.len(), part.iter().any(u8::is_ascii_digit));
        }
    }
    best
}

pub(super) fn has_digit(value: &[u8]) -> bool {
    judged(value).iter().any(u8::is_ascii_digit)
}

pub(super) fn has_letter(value: &[u8]) -> bool {
    judged(value).iter().any(u8::is_ascii_alphabetic)
}

pub(super) fn has_upper(value: &[u8]) -> bool {
    judged(value).iter().any(u8::is_ascii_uppercase)
}

pub(super) fn has_lower(value: &[u8]) -> bool {
    judged(value).iter().any(u8::is_ascii_lowercase)
}

/// Shannon entropy in bits per byte.
pub(super) fn entropy(value: &[u8]) -> f64 {
    let value = judged(value);
    let mut counts = [0_u32; 256];
    let mut total = 0_u32;
    for byte in value {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
        total += 1;
    }
    let total = f64::from(total.max(1));
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / total;
            -share * share.log2()
        })
        .sum()
}

/// Whether the value reads as words: parts of letters only, a short number, or a word with a short number
/// (`step-2-token`, `access_token_v2`, `2026-11-30`).
pub(super) fn wordy(value: &[u8]) -> bool {
    judged(value).split(|byte| matches!(byte, b'-' | b'_' | b'.' | b'/' | b':' | b' ' | b'@')).all(|part| {
        let letters = part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let rest = part.get(letters..).unwrap_or_default();
        let camel = part
            .windows(2)
            .filter(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
        letters <= 24 && rest.len() <= 4 && rest.iter().all(u8::is_ascii_digit) && camel.count() <= 3
    })
}

/// Whether the value is random enough for the value of a name that says "secret".
pub(super) fn random_for_strong_name(value: &[u8]) -> bool {
    if value.len() < 8 || looks_like_location(value) {
        return false;
    }
    let mixed = has_digit(value) && has_letter(value);
    if mixed && !wordy(value) {
        return value.len() >= 10 && entropy(value) >= 2.5 || value.len() >= 8 && entropy(value) >= 2.9;
    }
    value.len() >= 20 && has_upper(value) && has_lower(value) && !wordy(value) && entropy(value) >= 3.5
}

/// Whether the value is random enough for the value of a name that says little ("key", "session").
pub(super) fn random_for_weak_name(value: &[u8]) -> bool {
    value.len() >= 20
        && has_digit(value)
        && has_letter(value)
        && !value.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
        && !value.contains(&b' ')
        && !wordy(value)
        && !looks_like_location(value)
        && !value.starts_with(b"sha")
        && entropy(value) >= 3.5
}

/// A URL, a path or a file name rather than a token.
fn looks_like_location(value: &[u8]) -> bool {
    let value = judged(value);
    value.starts_with(b"/")
        || value.starts_with(b"./")
        || value.starts_with(b"~/")
        || value.starts_with(b"../")
        || value.windows(3).any(|three| three == b"://")
}

/// Whether the value stands for a secret and is none: `<your-key>`, `${TOKEN}`, `xxxx`, `process.env.KEY`.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let value = judged(value).trim_ascii();
    let first = at(value, 0);
    if matches!(first, 0 | b'$' | b'<' | b'%' | b'{') || value.starts_with(b"[") && value.ends_with(b"]") {
        return true;
    }
    if blank(value) {
        return true;
    }
    let folded = value.to_ascii_lowercase();
    STAND_INS.iter().any(|word| folded == word.as_bytes())
        || STAND_IN_PARTS.iter().any(|part| contains(&folded, part.as_bytes()))
}

/// Only fill characters: `xxxx`, `****`, `…`.
pub(super) fn blank(value: &[u8]) -> bool {
    judged(value).iter().all(|byte| {
        matches!(byte, b'x' | b'X' | b'*' | b'.' | b'-' | b'_' | b'?' | b'#' | 0xe2 | 0x80 | 0xa6)
    })
}

pub(super) fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    looked(haystack.len());
    haystack.windows(needle.len().max(1)).any(|window| window == needle)
}

/// Whole values that are no secret.
const STAND_INS: &[&str] = &[
    "changeme",
    "change-me",
    "change_me",
    "none",
    "null",
    "nil",
    "undefined",
    "true",
    "false",
    "todo",
    "tbd",
    "redacted",
    "hidden",
    "secret",
    "password",
    "passwd",
    "token",
    "string",
    "str",
    "&str",
    "number",
    "boolean",
    "bool",
    "any",
    "object",
    "text",
    "varchar",
    "required",
    "optional",
    "required,",
    "unknown",
    "never",
    "void",
    "bytes",
    "default",
    "empty",
    "missing",
    "invalid",
    "bearer",
    "basic",
    "inherit",
    "env",
    "self",
    "this",
];

/// Parts that only stand-ins hold.
const STAND_IN_PARTS: &[&str] = &[
    "your-",
    "your_",
    "yourkey",
    "yourtoken",
    "yourpassword",
    "placeholder",
    "process.env",
    "os.environ",
    "-here",
    "_here",
    "xxxxxx",
    "******",
    "[secret:",
    "[path#",
    "…",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_not_random_and_keys_are() {
        assert!(wordy(b"access_token_v2") && wordy(b"2026-11-30") && wordy(b"sha256"));
        assert!(!wordy(b"abc123def456") && !wordy(b"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"));
        assert!(random_for_strong_name(b"abc123def456") && !random_for_strong_name(b"refresh-token"));
    }

    #[test]
    fn stand_ins_are_known() {
        for value in [
            "<your-key>",
            "${TOKEN}",
            "$TOKEN",
            "xxxxxxxx",
            "****",
            "changeme",
            "process.env.KEY",
            "your-api-key-here",
        ] {
            assert!(is_placeholder(value.as_bytes()), "{value}");
        }
        assert!(!is_placeholder(b"hunter2"));
    }
}
