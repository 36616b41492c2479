//! Private key blocks: whole, cut off at either end, with real or escaped newlines, or quoted line by line.

use super::families::Family;
use super::scan::{Found, Scan};
use super::shape::{Alphabet, at, contains, has_digit, has_upper, looked, starts_with};

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
/// Lines that may stand above the key material.
const HEADERS: &[&str] = &["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:"];
/// Longest label between the dashes.
const LABEL: usize = 64;

/// A block whose first or last line stands at `start`. `floor` is where earlier findings end.
pub(super) fn find(scan: &mut Scan<'_>, start: usize, floor: usize) -> Option<Found> {
    if starts_with(scan.bytes, start, BEGIN) {
        let body = label_end(scan, start + BEGIN.len())?;
        let end = whole_block(scan, body).or_else(|| body_end(scan, body))?;
        return Some(Found { start, end, family: Family::PrivateKey });
    }
    if starts_with(scan.bytes, start, END) {
        let end = label_end(scan, start + END.len())?;
        let start = body_start(scan, start, floor)?;
        return Some(Found { start, end, family: Family::PrivateKey });
    }
    None
}

/// How far the closing line of a block is looked for.
const BLOCK: usize = 16 * 1024;

/// End of a block that has both its lines and nothing but key material between them, however short its lines are.
fn whole_block(scan: &Scan<'_>, body: usize) -> Option<usize> {
    let window = scan.slice(body, body.saturating_add(BLOCK).min(scan.bytes.len()));
    // The next line of dashes closes the block, or it is none: so the search never goes over a byte twice.
    let closing = window.windows(5).position(|five| five == b"-----")?;
    if !starts_with(window, closing, END) {
        return None;
    }
    let between = window.get(..closing)?;
    looked(window.len());
    let breaks = |byte: &u8| matches!(byte, b'\n' | b'\\');
    let real_breaks = between.contains(&b'\n');
    let mut material = false;
    for line in between.split(breaks) {
        // Behind the backslash of an escaped line feed stands its letter.
        let line = if real_breaks { line } else { line.strip_prefix(b"n").unwrap_or(line) };
        let line = trim(line);
        if HEADERS.iter().any(|name| line.starts_with(name.as_bytes())) {
            continue;
        }
        if !line.iter().all(|byte| Alphabet::Base64.holds(*byte)) {
            return None;
        }
        material |= has_digit(line) || has_upper(line) || line.contains(&b'=');
    }
    let lines = between.iter().any(breaks);
    (material && lines).then(|| label_end(scan, body + closing + END.len())).flatten()
}

/// Without the marks that quote a line.
fn trim(mut line: &[u8]) -> &[u8] {
    let mark = |byte: &u8| {
        matches!(byte, b' ' | b'\t' | b'\r' | b'"' | b'\'' | b'`' | b'>' | b'|' | b'#' | b'*' | b',' | b'+')
    };
    while let Some((first, rest)) = line.split_first().filter(|(first, _)| mark(first)) {
        let _ = first;
        line = rest;
    }
    while let Some((last, rest)) = line.split_last().filter(|(last, _)| mark(last) && **last != b'+') {
        let _ = last;
        line = rest;
    }
    line
}

/// Behind the label and its dashes, when the label names a private key.
fn label_end(scan: &Scan<'_>, start: usize) -> Option<usize> {
    let window = scan.slice(start, (start + LABEL).min(scan.bytes.len()));
    let length = window
        .iter()
        .take_while(|byte| byte.is_ascii_uppercase() || **byte == b' ' || byte.is_ascii_digit())
        .count();
    let label = window.get(..length)?;
    if !contains(label, b"PRIVATE KEY") {
        return None;
    }
    let dashes = (0..5).take_while(|step| at(scan.bytes, start + length + step) == b'-').count();
    Some(start + length + dashes)
}

/// Length of a separator between lines at `place`: white space, quotes, quoting marks, escaped newlines.
fn separator(bytes: &[u8], place: usize) -> usize {
    match at(bytes, place) {
        b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b'`' | b'>' | b'|' | b'#' | b'*' | b',' => 1,
        b'+' if matches!(at(bytes, place.wrapping_sub(1)), b'\n' | b' ') => 1,
        b'\\' => match at(bytes, place + 1) {
            b'n' | b'r' | b't' | b'\\' | b'"' => 2,
            b'\n' | b'\r' => 1,
            _ => 0,
        },
        _ => 0,
    }
}

/// End of the body that starts at `start`; `None` when there is no key material.
fn body_end(scan: &mut Scan<'_>, start: usize) -> Option<usize> {
    let bytes = scan.bytes;
    let mut place = start;
    let mut accepted = start;
    let mut material = 0_usize;
    loop {
        loop {
            match separator(bytes, place) {
                0 => break,
                step => place += step,
            }
        }
        if starts_with(bytes, place, END) {
            if material == 0 {
                return None;
            }
            return Some(label_end(scan, place + END.len()).unwrap_or(place + END.len()));
        }
        let end = scan.run_end(Alphabet::Base64, place);
        // A run of dashes inside the alphabet belongs to the closing line.
        let token = scan.slice(place, end);
        let (token, end) = match token.windows(5).take(4096).position(|five| five == b"-----") {
            Some(cut) => (token.get(..cut).unwrap_or_default(), place + cut),
            None => (token, end),
        };
        let header = HEADERS.iter().find(|name| starts_with(bytes, place, name.as_bytes()));
        if let Some(name) = header {
            let rest = bytes.get(place + name.len()..).unwrap_or_default();
            place +=
                name.len() + rest.iter().take(128).take_while(|byte| !matches!(byte, b'\n' | b'\\')).count();
            continue;
        }
        // The last line is short; a word of the sentence behind the block has a blank after it.
        let short_tail = material > 0
            && at(bytes, end) != b' '
            && (token.contains(&b'=') || has_digit(token) || has_upper(token));
        let line_number = token.len() <= 4 && !token.is_empty() && token.iter().all(u8::is_ascii_digit);
        if token.len() >= 16 || short_tail && !token.is_empty() && !line_number {
            material += token.len();
            accepted = end;
            place = end;
        } else if line_number || !token.is_empty() && starts_with(bytes, end, END) {
            place = end;
        } else {
            return (material >= 16).then_some(accepted);
        }
    }
}

/// Start of the key material that ends at `end`: a block whose first line was cut away.
fn body_start(scan: &Scan<'_>, end: usize, floor: usize) -> Option<usize> {
    let bytes = scan.bytes;
    let mut place = end;
    let mut accepted = None;
    while place > floor {
        let previous = at(bytes, place - 1);
        let escaped = previous == b'n' && place >= floor + 2 && at(bytes, place - 2) == b'\\';
        if escaped {
            place -= 2;
        } else if matches!(previous, b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'>' | b'|') {
            place -= 1;
        } else {
            let mut start = place;
            while start > floor && Alphabet::Base64.holds(at(bytes, start - 1)) {
                // An escaped newline's letter is no part of the line.
                if at(bytes, start - 1) == b'n' && start >= 2 && at(bytes, start - 2) == b'\\' {
                    break;
                }
                start -= 1;
            }
            let token = scan.slice(start, place);
            let material = token.len() >= 16
                || accepted.is_none() && (has_digit(token) || has_upper(token) || token.contains(&b'='));
            if !material {
                break;
            }
            accepted = Some(start);
            place = start;
        }
    }
    accepted
}
