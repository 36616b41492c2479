//! Checks on the wording of one cleaned line (rules D7, D9).
//!
//! Two decisions where the rule leaves room: wishes in the human's voice ("I want …", "I need …", "Let's …") are
//! accepted, because the offer is submitted as the human's own words; orders that mention a choice ("decide whether to
//! use A or B") are one prompt.

use super::blanks::count_blanks;
use super::characters::is_pictograph;
use super::fold::{fold_for_phrases, is_punctuation};
use super::invalid::InvalidAnswer;
use super::phrases::{
    ABSTAIN_ANYWHERE, ABSTAIN_STARTS, ASSISTANT_EXCEPTIONS, ASSISTANT_STARTS, EVALUATION_ENDS,
    EVALUATION_PHRASES, EVALUATION_SUBJECTS, NONE_WORDS, OPTION_LABELS, OWN_EXAMPLES,
};
use super::template::count_tokens;
use super::words::{contains_phrase, starts_with_phrase};
use super::wrapping::is_inline_list;

/// The longest way to say that there is nothing, with brackets and marks around it.
const MAX_NONE_CHARS: usize = 48;
/// Words of a sentence that can be nothing but a verdict ("The implementation of the parser looks good").
const MAX_EVALUATION_WORDS: usize = 9;

/// The text holds a letter, a digit or a symbol, not only punctuation.
pub(super) fn has_substance(text: &str) -> bool {
    text.chars().any(|character| {
        character.is_alphanumeric()
            || is_pictograph(character)
            || (!character.is_ascii() && !character.is_whitespace() && !is_dressing(character))
    })
}

/// The answer says that there is nothing to recommend (rule D9), and says nothing else.
pub(super) fn is_none(text: &str) -> bool {
    if text.chars().nth(MAX_NONE_CHARS).is_some() {
        return false;
    }
    let folded = fold_for_phrases(text);
    NONE_WORDS
        .contains(&folded.trim_matches(|character: char| character.is_whitespace() || is_dressing(character)))
}

/// Punctuation, brackets and marks that may stand around a word without changing it.
fn is_dressing(character: char) -> bool {
    is_punctuation(character)
        || matches!(
            character,
            '<' | '>' | '#' | '~' | '|' | '=' | '+' | '«' | '»' | '\u{200e}' | '\u{200f}' | '\u{61c}'
        )
        || matches!(
            character,
            '\u{300}'..='\u{36f}' | '\u{fe0e}' | '\u{fe0f}' | '\u{200c}' | '\u{200d}' | '\u{2800}'
        )
}

/// Checks what a line says. The first cause found is returned.
pub(super) fn check_wording(text: &str) -> Result<(), InvalidAnswer> {
    if is_structured(text) {
        return Err(InvalidAnswer::Structured);
    }
    let count = count_tokens(text);
    if count > 0 {
        return Err(InvalidAnswer::TemplateTokens { count });
    }
    let folded = fold_for_phrases(text);
    let count = count_alternatives(text, &folded);
    if count > 1 {
        return Err(InvalidAnswer::Alternatives { count });
    }
    if abstains(text, &folded) {
        return Err(InvalidAnswer::Abstains);
    }
    if is_assistant_voice(&folded) {
        return Err(InvalidAnswer::AssistantVoice);
    }
    if is_evaluation(&folded) {
        return Err(InvalidAnswer::Evaluation);
    }
    // The request's own example, with or without its brackets, asks to be filled in.
    let plain = folded.trim_matches(|character: char| character.is_whitespace() || is_dressing(character));
    let example = usize::from(OWN_EXAMPLES.contains(&plain));
    match count_blanks(text).max(example) {
        0 => Ok(()),
        count => Err(InvalidAnswer::Blanks { count }),
    }
}

fn is_structured(text: &str) -> bool {
    let compact: String = text.chars().filter(|character| !character.is_whitespace()).take(2).collect();
    matches!(compact.as_str(), "{\"" | "[{" | "[\"") && text.ends_with(['}', ']'])
}

fn count_alternatives(text: &str, folded: &str) -> usize {
    if is_inline_list(text) {
        return 2;
    }
    for series in OPTION_LABELS {
        let count = series.iter().filter(|label| has_option(folded, label)).count();
        if count > 1 {
            return count;
        }
    }
    let labelled = [". NEXT:", "; NEXT:", "! NEXT:", "? NEXT:", ", NEXT:", "| NEXT:", ") NEXT:", "。NEXT:"]
        .iter()
        .map(|label| text.matches(label).count())
        .sum::<usize>();
    let either = starts_with_phrase(folded, "either")
        && !starts_with_phrase(folded, "either way")
        && folded.contains(" or ");
    let between = either
        || [", or alternatively", ". alternatively", "; alternatively", ", alternatively"]
            .iter()
            .any(|turn| folded.contains(turn))
        || (folded.starts_with("要么") && folded.matches("要么").count() > 1);
    labelled + usize::from(labelled > 0) + if between { 2 } else { 0 }
}

/// "Option A:" as a heading of a choice, not "option A" in a sentence.
fn has_option(folded: &str, label: &str) -> bool {
    folded.match_indices(label).any(|(at, found)| {
        let before = folded.get(..at).and_then(|text| text.chars().next_back());
        let behind = folded.get(at + found.len()..).unwrap_or_default();
        before.is_none_or(|character| {
            !character.is_alphanumeric() || label.starts_with(['方', '选', '選', '案'])
        }) && (behind.starts_with([':', ')', '.', '、'])
            || behind.starts_with(" - ")
            || behind.starts_with(" – "))
    })
}

fn abstains(text: &str, folded: &str) -> bool {
    // The agreed word with an excuse behind it. "None of the tests pass" is a prompt.
    let excused = text.strip_prefix("NONE").is_some_and(|rest| {
        rest.trim_start().starts_with(|mark: char| is_punctuation(mark) && !matches!(mark, '_' | '\'' | '`'))
            && !rest.starts_with('-')
    });
    let plain =
        folded.trim_start_matches(|character: char| is_dressing(character) || character.is_whitespace());
    excused
        || ABSTAIN_STARTS.iter().any(|phrase| starts_with_phrase(plain, phrase))
        || ABSTAIN_ANYWHERE.iter().any(|phrase| contains_phrase(folded, phrase))
}

fn is_assistant_voice(folded: &str) -> bool {
    let plain =
        folded.trim_start_matches(|character: char| is_dressing(character) || character.is_whitespace());
    ASSISTANT_STARTS.iter().any(|phrase| starts_with_phrase(plain, phrase))
        && !ASSISTANT_EXCEPTIONS.iter().any(|phrase| starts_with_phrase(plain, phrase))
}

/// Every clause is praise, thanks or a verdict. "Looks good, commit it" has a clause that is not.
fn is_evaluation(folded: &str) -> bool {
    let mut clauses = folded
        .split(['.', '!', '?', ',', ';', '。', '、', '，', '！', '—', '–', '~'])
        .map(|clause| {
            clause.trim_matches(|character: char| {
                character.is_whitespace() || is_dressing(character) || is_pictograph(character)
            })
        })
        .filter(|clause| !clause.is_empty())
        .peekable();
    clauses.peek().is_some() && clauses.all(is_evaluating_clause)
}

fn is_evaluating_clause(clause: &str) -> bool {
    if EVALUATION_PHRASES.contains(&clause) {
        return true;
    }
    let short = clause.split_whitespace().nth(MAX_EVALUATION_WORDS).is_none();
    short
        && EVALUATION_SUBJECTS.iter().any(|subject| starts_with_phrase(clause, subject))
        && EVALUATION_ENDS.iter().any(|end| clause.ends_with(end))
}
