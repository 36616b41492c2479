//! A foreign tail: some models fall into another language at the end of a line.

use super::wrapping::part;

/// Fewer foreign letters than this are a name or a term.
const MIN_LETTERS: usize = 5;
/// Words that a foreign tail has, in scripts with spaces between words.
const MIN_WORDS: usize = 2;
/// Letters that a foreign tail has, in scripts without.
const MIN_UNSPACED_LETTERS: usize = 6;
/// Capitalised words up to this many are a name.
const MAX_NAME_WORDS: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Hebrew,
    Arabic,
    Indic,
    Thai,
    Georgian,
    Ethiopic,
    Hangul,
    /// Han and kana: Chinese and Japanese share most of it.
    EastAsian,
}

/// How many letters at the end of `text` belong to a script that neither the rest of it nor the session uses.
///
/// Latin is at home everywhere: every session names files, commands and symbols. Quoted text and code do not count,
/// and neither do names.
pub(super) fn foreign_tail(text: &str, session_text: &str) -> Option<usize> {
    let plain = without_quotes(text);
    let (start, script) = plain.char_indices().find_map(|(at, character)| {
        let script = script_of(character)?;
        (script != Script::Latin && script != first_script(&plain)?).then_some((at, script))
    })?;
    if session_text.chars().filter(|character| script_of(*character) == Some(script)).nth(1).is_some() {
        return None;
    }
    let tail = part(&plain, start, plain.len());
    let letters = tail.chars().filter_map(script_of).count();
    let foreign = tail.chars().filter(|character| script_of(*character) == Some(script)).count();
    let foreign_words: Vec<&str> =
        tail.split_whitespace().filter(|word| word.chars().any(|c| script_of(c) == Some(script))).collect();
    let is_name = foreign_words.len() <= MAX_NAME_WORDS
        && foreign_words.iter().all(|word| word.chars().next().is_some_and(char::is_uppercase));
    let enough = match script {
        Script::EastAsian | Script::Thai => foreign >= MIN_UNSPACED_LETTERS,
        _ => foreign >= MIN_LETTERS && foreign_words.len() >= MIN_WORDS && !is_name,
    };
    // Most of what follows is foreign: it is a tail, not a word on the way.
    (enough && foreign.saturating_mul(10) >= letters.saturating_mul(6)).then_some(foreign)
}

fn first_script(text: &str) -> Option<Script> {
    text.chars().find_map(script_of)
}

/// The text without quoted parts and code spans. An opened quote that is never closed is kept.
fn without_quotes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, open)) = rest.char_indices().find(|(_, character)| closing(*character).is_some()) {
        plain.push_str(part(rest, 0, at));
        let behind = part(rest, at + open.len_utf8(), rest.len());
        let end = closing(open).and_then(|close| behind.find(close).map(|end| end + close.len_utf8()));
        match end {
            Some(end) => {
                plain.push(' ');
                rest = part(behind, end, behind.len());
            }
            None => {
                plain.push_str(behind);
                return plain;
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn closing(open: char) -> Option<char> {
    Some(match open {
        '"' => '"',
        '`' => '`',
        '“' | '„' => '”',
        '«' => '»',
        '「' => '」',
        '『' => '』',
        '《' => '》',
        '(' => ')',
        '（' => '）',
        _ => return None,
    })
}

fn script_of(character: char) -> Option<Script> {
    if !character.is_alphabetic() {
        return None;
    }
    Some(match character {
        'a'..='z'
        | 'A'..='Z'
        | '\u{aa}'..='\u{24f}'
        | '\u{1e00}'..='\u{1eff}'
        | 'Ａ'..='Ｚ'
        | 'ａ'..='ｚ' => Script::Latin,
        // A single Greek letter is a symbol (µ, λ, Δ); as a script it counts by length like every other.
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Script::Greek,
        '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' => Script::Cyrillic,
        '\u{530}'..='\u{58f}' => Script::Armenian,
        '\u{590}'..='\u{5ff}' | '\u{fb1d}'..='\u{fb4f}' => Script::Hebrew,
        '\u{600}'..='\u{77f}' | '\u{8a0}'..='\u{8ff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' => {
            Script::Arabic
        }
        '\u{900}'..='\u{dff}' => Script::Indic,
        '\u{e00}'..='\u{eff}' => Script::Thai,
        '\u{10a0}'..='\u{10ff}' | '\u{1c90}'..='\u{1cbf}' => Script::Georgian,
        '\u{1200}'..='\u{139f}' => Script::Ethiopic,
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => Script::Hangul,
        '\u{3005}'..='\u{312f}'
        | '\u{31a0}'..='\u{31ff}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9d}'
        | '\u{20000}'..='\u{3ffff}' => Script::EastAsian,
        _ => return None,
    })
}
