//! Quoting, counting and cutting of text that goes into a prompt.

use unicode_segmentation::UnicodeSegmentation as _;

/// Characters of a text: Unicode scalar values.
#[must_use]
pub fn char_count(text: &str) -> usize {
    text.chars().count()
}

/// Puts `first_prefix` before the first line and `prefix` before every other one.
///
/// With prefixes that are not blank, nothing in the text can start a line as a section mark, as a label of the
/// answer's protocol, or as the end of a block (rule S4). Every kind of line end that Unicode knows counts as one.
/// An empty text gives the first prefix alone.
#[must_use]
pub fn quote(text: &str, first_prefix: &str, prefix: &str) -> String {
    let lines = text.matches('\n').count() + 1;
    let mut quoted = String::with_capacity(text.len() + first_prefix.len() + lines * prefix.len());
    quoted.push_str(first_prefix);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' if letters.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                quoted.push('\n');
                quoted.push_str(prefix);
            }
            letter => quoted.push(letter),
        }
    }
    quoted
}

/// The text, shortened in the middle to at most `max_chars` characters, with a mark that says how many were left
/// out. No grapheme cluster is split. Where no mark fits, the start that fits is all that is left.
#[must_use]
pub fn shorten_middle(text: &str, max_chars: usize) -> String {
    let total = char_count(text);
    if total <= max_chars {
        return text.to_owned();
    }
    let room = max_chars.saturating_sub(char_count(&mark(total)));
    if room == 0 {
        return start_of(text, max_chars).to_owned();
    }
    let head = start_of(text, room - room / 2);
    let tail = end_of(text.get(head.len()..).unwrap_or_default(), room / 2);
    let left_out = total - char_count(head) - char_count(tail);
    format!("{head}{}{tail}", mark(left_out))
}

/// The newest end of the text in at most `max_chars` characters, behind a mark that says how many were left out,
/// and that number. No grapheme cluster is split, so no CRLF either. Where no mark fits, the end stands alone.
#[must_use]
pub fn cut_front(text: &str, max_chars: usize) -> (String, usize) {
    let total = char_count(text);
    if total <= max_chars {
        return (text.to_owned(), 0);
    }
    let room = max_chars.saturating_sub(char_count(&mark(total)));
    if room == 0 {
        let tail = end_of(text, max_chars);
        return (tail.to_owned(), total - char_count(tail));
    }
    let tail = end_of(text, room);
    let left_out = total - char_count(tail);
    (format!("{}{tail}", mark(left_out)), left_out)
}

fn mark(left_out: usize) -> String {
    format!("[… {left_out} characters left out …]")
}

/// The longest start of whole grapheme clusters in at most `most` characters.
fn start_of(text: &str, most: usize) -> &str {
    let mut length = 0;
    let mut characters = 0;
    for cluster in text.graphemes(true) {
        characters += char_count(cluster);
        if characters > most {
            break;
        }
        length += cluster.len();
    }
    text.get(..length).unwrap_or_default()
}

/// The longest end of whole grapheme clusters in at most `most` characters.
fn end_of(text: &str, most: usize) -> &str {
    let mut start = text.len();
    let mut characters = 0;
    for cluster in text.graphemes(true).rev() {
        characters += char_count(cluster);
        if characters > most {
            break;
        }
        start -= cluster.len();
    }
    text.get(start..).unwrap_or_default()
}
