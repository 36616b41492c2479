//! Where the text of a path starts and ends, and how it reads.

use super::scan::Scan;
use super::shape::{at, before, escape_ends, starts_with};

/// The text of a path with single, unescaped slashes.
pub(super) fn plain(path: &[u8]) -> String {
    let text = String::from_utf8_lossy(path).replace("\\/", "/").replace("\\ ", " ");
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        if !(letter == '/' && plain.ends_with('/')) {
            plain.push(letter);
        }
    }
    plain
}

/// Whether the name of a directory goes on at `place`, so that the prefix before it is another directory's.
pub(super) fn name_goes_on(scan: &Scan<'_>, place: usize) -> bool {
    let byte = at(scan.bytes, place);
    let next = at(scan.bytes, place + 1);
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'~' | b'@' | b'+' | b'$' | b'%' | b'=')
        || matches!(byte, b'.') && (next.is_ascii_alphanumeric() || matches!(next, b'_' | b'-' | b'.'))
        || byte >= 0x80
            && scan
                .text
                .get(place..)
                .and_then(|rest| rest.chars().next())
                .is_some_and(|letter| !ends_path(letter))
}

/// Whether the relative path climbs above its start.
pub(super) fn climbs_out(rest: &[u8]) -> bool {
    let mut depth = 0_i32;
    for part in rest.split(|byte| matches!(byte, b'/' | b'\\')) {
        match part {
            b"" | b"." => {}
            b".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            return true;
        }
    }
    false
}

/// Whether an absolute path may start at `place`, judged by what stands before it.
pub(super) fn path_starts(bytes: &[u8], place: usize) -> bool {
    let previous = before(bytes, place, 1);
    if escape_ends(bytes, place) || previous >= 0x80 {
        return true;
    }
    match previous {
        b'_' | b'-' | b'~' | b'/' | b'}' | b'$' | b'%' | b'\\' => false,
        b'.' => before(bytes, place, 2) == b'.' && before(bytes, place, 3) == b'.',
        previous if previous.is_ascii_alphanumeric() => {
            // `-I/home/x`: a compiler flag of one letter; `vscode://file/home/x`: an editor's link.
            let flag = previous.is_ascii_alphabetic()
                && before(bytes, place, 2) == b'-'
                && !before(bytes, place, 3).is_ascii_alphanumeric();
            flag || place >= 7 && starts_with(bytes, place - 7, b"://file")
        }
        _ => true,
    }
}

pub(super) fn drive_starts(bytes: &[u8], start: usize) -> bool {
    let previous = before(bytes, start, 1);
    !(previous.is_ascii_alphanumeric() || matches!(previous, b'_' | b'.' | b'-')) || escape_ends(bytes, start)
}

/// Punctuation of other scripts that ends a path.
pub(super) fn ends_path(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(
            letter,
            '“' | '”'
                | '‘'
                | '’'
                | '«'
                | '»'
                | '„'
                | '、'
                | '。'
                | '，'
                | '；'
                | '：'
                | '！'
                | '？'
                | '（'
                | '）'
                | '「'
                | '」'
                | '『'
                | '』'
                | '《'
                | '》'
                | '【'
                | '】'
                | '…'
        )
}

/// End of the path that covers `from`; at most `most` characters are read.
pub(super) fn path_end(scan: &Scan<'_>, from: usize, windows: bool, most: usize) -> usize {
    let bytes = scan.bytes;
    let quote = (1..=12)
        .map(|back| before(bytes, from, back))
        .find(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'\\' | b':')))
        .filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    let mut depth = 0_usize;
    let mut end = from;
    let rest = scan.text.get(from..).unwrap_or_default();
    for (step, letter) in rest.char_indices().take(most) {
        let place = from + step;
        let next = at(bytes, place + letter.len_utf8());
        match letter {
            '\\' if windows && matches!(next, b'"' | b'\'' | b'`') => break,
            '\\' if windows || matches!(next, b'/' | b' ') => {}
            '\\' => break,
            ' ' if before(bytes, place, 1) == b'\\' && !windows => {}
            ' ' if (quote.is_some() || windows) && space_inside(bytes, place, windows, quote) => {}
            ' ' => break,
            '"' | '\'' | '`' | '<' | '>' | '|' | ',' | ';' | ':' | '*' | '\0' => break,
            '[' if starts_with(bytes, place, b"[secret:") || starts_with(bytes, place, b"[path#") => break,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => break,
            },
            letter if letter.is_control() || ends_path(letter) => break,
            _ => {}
        }
        end = place + letter.len_utf8();
    }
    // Marks that end a sentence do not belong to the path.
    while end > from && matches!(before(bytes, end, 1), b'.' | b'!' | b'?' | b'/' | b'\\') && end - from > 1 {
        let sign = before(bytes, end, 1);
        if sign == b'.' && before(bytes, end, 2) == b'.' {
            break;
        }
        end -= 1;
    }
    end
}

/// Whether the blank at `place` belongs to a name (`/home/a/My Documents/x`): the next word goes on as a path.
pub(super) fn space_inside(bytes: &[u8], place: usize, windows: bool, quote: Option<u8>) -> bool {
    let rest = bytes.get(place + 1..).unwrap_or_default();
    let word: usize =
        rest.iter().take(64).take_while(|byte| !byte.is_ascii_whitespace() && Some(**byte) != quote).count();
    let word = rest.get(..word).unwrap_or_default();
    let separator = if windows { b'\\' } else { b'/' };
    let position = word.iter().position(|byte| *byte == separator);
    position.is_some_and(|position| {
        position > 0
            && word.get(..position).is_some_and(|name| {
                name.iter().all(|byte| {
                    byte.is_ascii_alphanumeric()
                        || *byte >= 0x80
                        || matches!(byte, b'.' | b'_' | b'-' | b'(' | b')')
                }) && !name.starts_with(b"-")
            })
    })
}
