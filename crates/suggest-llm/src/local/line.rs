//! One line: tidied, cut at characters that people see, compared, and judged for substance.

use unicode_segmentation::UnicodeSegmentation as _;

/// Text as one plain line: control characters and white space collapsed, list marks and emphasis gone, one full stop at the
/// end dropped.
pub(crate) fn tidy(text: &str) -> String {
    let words = text.split(|character: char| character.is_whitespace() || is_invisible(character));
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let line = without_list_mark(&line).replace("**", "").replace("__init__", "\u{0}").replace("__", "");
    let line = line.replace('\u{0}', "__init__");
    let line = line.trim();
    let line = line.strip_suffix(['.', '。', ';', '；', ':', '：', ',', '，']).unwrap_or(line);
    line.trim().to_owned()
}

/// Controls, bidirectional marks and zero-width characters but for the joiner, which emoji need.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// A line without the mark of a list item in front of it.
pub(crate) fn without_list_mark(line: &str) -> &str {
    let line = line.trim_start();
    let line = line.trim_start_matches('#').trim_start();
    let line = ["- ", "* ", "+ ", "• ", "– "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
    let line =
        ["[ ] ", "[x] ", "[X] ", "[-] "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
    let digits = line.trim_start_matches(|character: char| character.is_ascii_digit());
    if digits.len() < line.len() && line.len() - digits.len() <= 2 {
        return [". ", ") ", "、"].iter().find_map(|mark| digits.strip_prefix(mark)).unwrap_or(line);
    }
    line
}

/// Whether a line is an item of a list.
pub(crate) fn is_list_item(line: &str) -> bool {
    without_list_mark(line).len() < line.trim_start().len()
}

/// At most `most` characters, cut before a word where possible and never inside a character that people see, with an
/// ellipsis. `None` when next to nothing would be left.
pub(crate) fn shorten(text: &str, most: usize) -> Option<String> {
    const LEAST: usize = 8;
    if text.chars().count() <= most {
        return Some(text.to_owned());
    }
    if most < LEAST {
        return None;
    }
    let mut kept = String::new();
    let mut used = 1;
    for grapheme in text.graphemes(true) {
        used += grapheme.chars().count();
        if used > most {
            break;
        }
        kept.push_str(grapheme);
    }
    let whole_words = kept.rsplit_once(' ').map(|(words, _)| words);
    if let Some(words) = whole_words.filter(|words| words.chars().count() * 3 >= most * 2) {
        kept = words.to_owned();
    }
    let kept = kept.trim_end();
    (!kept.is_empty()).then(|| format!("{kept}…"))
}

/// Text for comparison: case and width folded, everything but letters and digits dropped.
pub(crate) fn folded(text: &str) -> String {
    text.chars()
        .map(narrow)
        .flat_map(char::to_lowercase)
        .filter(|character| character.is_alphanumeric())
        .collect()
}

/// The plain form of a full-width character.
fn narrow(character: char) -> char {
    match u32::from(character) {
        code @ 0xff01..=0xff5e => char::from_u32(code - 0xfee0).unwrap_or(character),
        _ => character,
    }
}

/// Sentences of a text, each with its end mark. A full stop inside a word (`x.rs`, `1.5`) ends none.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut current = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\n' {
            sentences.push(std::mem::take(&mut current));
            continue;
        }
        current.push(character);
        let ends = match character {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => {
                characters.peek().is_none_or(|next| next.is_whitespace() || "*_\"'”’)".contains(*next))
            }
            _ => false,
        };
        if ends {
            sentences.push(std::mem::take(&mut current));
        }
    }
    sentences.push(current);
    sentences.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    sentences
}

/// The text without fenced code: what is said, not what is shown.
pub(crate) fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The first letter in upper case.
pub(crate) fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) if first.is_lowercase() => first.to_uppercase().chain(characters).collect(),
        _ => text.to_owned(),
    }
}

/// What stands behind a prefix that is compared without regard to case.
pub(crate) fn after_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    if head.to_lowercase() == prefix.to_lowercase() { text.get(prefix.len()..) } else { None }
}

/// Whether a text is written in Chinese: Han characters and no Japanese ones.
pub(crate) fn is_chinese(text: &str) -> bool {
    let mut han = false;
    for character in text.chars() {
        match u32::from(character) {
            0x3040..=0x30ff => return false,
            0x4e00..=0x9fff => han = true,
            _ => {}
        }
    }
    han
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn list_marks_emphasis_and_controls_go_and_code_stays() {
        for (text, tidied) in [
            ("- [ ] **Add** retry\n to `client.rs`.", "Add retry to `client.rs`"),
            ("2. Write the docs", "Write the docs"),
            ("1、补充 parser.rs 的测试。", "补充 parser.rs 的测试"),
            ("fix \u{1b}[31m__init__.py\u{202e}", "fix [31m__init__.py"),
            ("2026 is a year", "2026 is a year"),
        ] {
            assert_eq!(tidy(text), tidied);
        }
    }

    #[test]
    fn sentences_end_at_marks_and_not_inside_names() {
        assert_eq!(
            sentences("Fixed x.rs. Run it? 好的。继续吗？"),
            ["Fixed x.rs.", " Run it?", " 好的。", "继续吗？"]
        );
    }

    proptest! {
        #[test]
        fn a_shortened_text_fits_and_is_cut_between_graphemes(text in "(\\PC|[a-z ]|👩‍👩‍👧|e\u{301}){0,60}", most in 0usize..40) {
            if let Some(short) = shorten(&text, most) {
                prop_assert!(short.chars().count() <= most);
                let kept = short.strip_suffix('…').unwrap_or(&short);
                let graphemes: Vec<&str> = text.graphemes(true).collect();
                let whole = (0..=graphemes.len()).any(|count| graphemes.get(..count).unwrap().concat().trim_end() == kept);
                prop_assert!(short == text || whole, "{short:?} of {text:?}");
            }
        }

        #[test]
        fn no_text_makes_the_tools_of_this_file_panic(text in "\\PC{0,60}") {
            let _ = (tidy(&text), sentences(&text), folded(&text), after_prefix(&text, "next, "));
        }
    }
}
