//! Folding texts for comparison.

use unicode_normalization::UnicodeNormalization;

use super::characters::{is_blank_edge, is_direction_mark};
use super::phrases::{FILLER_PREFIXES, FILLER_WORDS};

/// Folds case, width and white space: two prompts with the same result are the same prompt typed twice (rule D7).
pub fn fold_for_echo(text: &str) -> String {
    collapse(text.nfkc().flat_map(char::to_lowercase))
}

/// As [`fold_for_echo`], with one kind of apostrophe and without directional marks: what phrase lists are held against.
pub(super) fn fold_for_phrases(text: &str) -> String {
    collapse(text.nfkc().filter(|character| !is_direction_mark(*character)).flat_map(char::to_lowercase).map(
        |character| match character {
            '’' | '‘' | 'ʼ' | '´' => '\'',
            other => other,
        },
    ))
}

fn collapse(chars: impl Iterator<Item = char>) -> String {
    let mut folded = String::new();
    let mut gap = false;
    for character in chars {
        if character.is_whitespace() {
            gap = !folded.is_empty();
            continue;
        }
        if gap {
            folded.push(' ');
            gap = false;
        }
        folded.push(character);
    }
    folded
}

/// Folds a prompt down to what it asks for (rule A5): case and width folded, punctuation and filler words dropped. A
/// prompt of nothing but filler keeps its words.
pub fn step_key(text: &str) -> String {
    let folded = fold_for_phrases(text);
    let spaced: String = folded
        .chars()
        .filter(|character| *character != '\'')
        .map(|character| if is_punctuation(character) { ' ' } else { character })
        .collect();
    let key = spaced
        .split_whitespace()
        .map(strip_filler_prefix)
        .filter(|word| !word.is_empty() && !FILLER_WORDS.contains(word))
        .collect::<Vec<_>>()
        .join(" ");
    if key.is_empty() { folded } else { key }
}

/// Two prompts ask for the same step (rule A5).
pub fn same_step(a: &str, b: &str) -> bool {
    step_key(a) == step_key(b)
}

/// Filler at the start of a run of words that are written without spaces.
fn strip_filler_prefix(word: &str) -> &str {
    let mut rest = word;
    while let Some(behind) = FILLER_PREFIXES.iter().find_map(|filler| rest.strip_prefix(filler)) {
        rest = behind;
    }
    rest
}

/// Punctuation proper. Symbols such as `+`, `<` or `#` tell steps apart and are none.
pub(super) fn is_punctuation(character: char) -> bool {
    matches!(
        character,
        '!' | '"'
            | '\''
            | '('
            | ')'
            | ','
            | '-'
            | '.'
            | '/'
            | ':'
            | ';'
            | '?'
            | '['
            | '\\'
            | ']'
            | '_'
            | '`'
            | '{'
            | '}'
            | '*'
            | '¡'
            | '¿'
            | '«'
            | '»'
            | '·'
            | '،'
            | '؛'
            | '؟'
            | '۔'
            | '।'
            | '\u{2010}'..='\u{2027}'
            | '\u{2030}'..='\u{205e}'
            | '\u{3001}'..='\u{3003}'
            | '\u{3008}'..='\u{3011}'
            | '\u{3014}'..='\u{301f}'
            | '\u{30fb}'
            | '\u{fe30}'..='\u{fe6b}'
            | '！'
            | '（'
            | '）'
            | '，'
            | '．'
            | '：'
            | '；'
            | '？'
            | '［'
            | '］'
            | '｛'
            | '｝'
            | '｡'..='･'
    )
}

/// The rest behind `prefix` (given in lower case), with case and width of `text` folded. Directional marks before it are
/// looked through.
pub(super) fn strip_folded_prefix<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let mut rest = text.trim_start_matches(is_blank_edge).chars();
    for wanted in prefix.chars() {
        let found = rest.next()?;
        if fold_char(found) != wanted {
            return None;
        }
    }
    Some(rest.as_str())
}

/// One character in lower case and narrow form.
fn fold_char(character: char) -> char {
    let narrow = match character {
        '\u{3000}' => ' ',
        '\u{ff01}'..='\u{ff5e}' => {
            u32::from(character).checked_sub(0xfee0).and_then(char::from_u32).unwrap_or(character)
        }
        '\u{a0}' => ' ',
        other => other,
    };
    narrow.to_lowercase().next().unwrap_or(narrow)
}
