//! How free text and names are written, and read back.

/// The one value that stands for an absent thing; no name is written like it.
pub(super) const NONE: &str = "none";

/// One line of free text with every character escaped that would not be seen, or would move the cursor.
pub(super) fn escape(line: &str) -> String {
    let kept = line.trim_end().len();
    let mut escaped = String::with_capacity(line.len());
    for (at, character) in line.char_indices() {
        match character {
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            odd if at >= kept || is_unseen(odd) => {
                escaped.push_str(&format!("\\u{{{:x}}}", u32::from(odd)));
            }
            plain => escaped.push(plain),
        }
    }
    escaped
}

/// The text behind its escapes; nothing for an escape that [`escape`] does not know.
pub(super) fn unescape(line: &str) -> Option<String> {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once('\\') {
        text.push_str(before);
        let mut characters = behind.chars();
        let (character, after) = match characters.next()? {
            '\\' => ('\\', characters.as_str()),
            'n' => ('\n', characters.as_str()),
            'r' => ('\r', characters.as_str()),
            't' => ('\t', characters.as_str()),
            'u' => {
                let (digits, after) = characters.as_str().strip_prefix('{')?.split_once('}')?;
                if digits.is_empty() || digits.len() > 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                    return None;
                }
                (char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, after)
            }
            _ => return None,
        };
        text.push(character);
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

/// Whether a character is not seen as itself. The joiners U+200C and U+200D stay: emoji and scripts are made with them.
fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Whether a name can stand as it is in the value column: printable ASCII that nothing else is written like.
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name != NONE
        && !name.starts_with('|')
        && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}
