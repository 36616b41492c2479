//! Words, names and runs of unspaced script in a text, folded for comparison.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// One piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// A word of a script with spaces: lower case, without accents.
    Word {
        text: String,
        /// It looks like a path, a symbol, a flag or a number rather than a word of a language.
        name_like: bool,
    },
    /// A run of a script without spaces.
    Unspaced(String),
}

/// Han, kana and the like: scripts that put no spaces between words.
pub(crate) fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{2ffff}' | '々' | '〆')
}

/// The tokens of a text, in order.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let (mut word, mut run) = (String::new(), String::new());
    // Compatibility forms first, so that full-width letters are letters.
    for character in text.nfkc() {
        if is_unspaced(character) {
            end_word(&mut found, &mut word);
            run.push(character);
            continue;
        }
        end_run(&mut found, &mut run);
        let joins = matches!(character, '_' | '.' | '/' | ':' | '#' | '-' | '\\' | '@')
            || is_combining_mark(character) && !word.is_empty();
        if character.is_alphanumeric() || joins {
            word.push(character);
        } else {
            end_word(&mut found, &mut word);
        }
    }
    end_word(&mut found, &mut word);
    end_run(&mut found, &mut run);
    found
}

fn end_run(found: &mut Vec<Token>, run: &mut String) {
    if !run.is_empty() {
        found.push(Token::Unspaced(std::mem::take(run)));
    }
}

fn end_word(found: &mut Vec<Token>, word: &mut String) {
    let raw = std::mem::take(word);
    let flag = raw.starts_with("--") && raw.len() > 3;
    let trimmed = raw
        .trim_end_matches(|character: char| !character.is_alphanumeric() && character != '_')
        .trim_start_matches(|character: char| {
            !character.is_alphanumeric() && !matches!(character, '_' | '.' | '/')
        });
    let trimmed = if trimmed.starts_with("./") { trimmed.trim_start_matches("./") } else { trimmed };
    if !trimmed.chars().any(char::is_alphanumeric) {
        return;
    }
    let name_like = flag || is_name_like(trimmed);
    let text = fold_word(trimmed);
    found.push(Token::Word { text, name_like });
}

/// Lower case, without accents.
pub(crate) fn fold_word(word: &str) -> String {
    word.nfkd().filter(|character| !is_combining_mark(*character)).flat_map(char::to_lowercase).collect()
}

fn is_name_like(word: &str) -> bool {
    let inner = word.trim_matches(['.', ':', '-']);
    let mut letters = inner.chars();
    let first = letters.next();
    let camel = first.is_some_and(char::is_lowercase) && letters.clone().any(char::is_uppercase)
        || inner
            .chars()
            .zip(inner.chars().skip(1))
            .skip(1)
            .any(|(before, behind)| before.is_lowercase() && behind.is_uppercase());
    camel
        || inner.chars().any(|character| character.is_ascii_digit())
        || inner.contains(['_', '/', '\\', '#'])
        || inner.contains("::")
        || inner
            .split_once('.')
            .is_some_and(|(stem, end)| !stem.is_empty() && end.starts_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        tokens(text)
            .into_iter()
            .filter_map(|token| match token {
                Token::Word { text, name_like: true } => Some(text),
                Token::Word { .. } | Token::Unspaced(_) => None,
            })
            .collect()
    }

    #[test]
    fn names_are_told_from_words() {
        assert_eq!(
            names("Fix `src/a.rs`, parse_it() and FooBar in foo::bar, 3 times."),
            ["src/a.rs", "parse_it", "foobar", "foo::bar", "3"]
        );
        assert_eq!(names("Run the tests. Then stop."), [] as [&str; 0]);
        assert_eq!(names("运行src/a.rs的测试"), ["src/a.rs"]);
        assert_eq!(names("add --json to it"), ["json"]);
    }

    #[test]
    fn scripts_without_spaces_are_runs_and_accents_fold() {
        assert_eq!(
            tokens("运行测试，améliorer"),
            [
                Token::Unspaced("运行测试".to_owned()),
                Token::Word { text: "ameliorer".to_owned(), name_like: false }
            ]
        );
    }
}
