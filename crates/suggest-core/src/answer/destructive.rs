//! Offers that could lose work, publish something or spend money (rule D13).
//!
//! Words are looked at near each other, within one clause: `git push origin main --force` is caught and "add a test
//! for `reset_hard`" is not.

use super::hazards::{
    COMMAND_PAIRS, DATA_NOUNS, DELETE_VERBS, HAZARD_CLAUSES, HAZARD_PHRASES, HAZARD_WORDS, MASS_NOUNS,
    MASS_WORDS, NOUN_FOLLOWERS, PRODUCTION_WORDS, PUBLISH_OBJECTS, PUBLISH_TOOLS, REGISTRIES, SPENDING_VERBS,
    TABLE_WORDS,
};
use super::words::{Word, contains_phrase, following, words};

/// How far a verb and its object may stand apart, in words.
const REACH: usize = 6;

/// `folded` is a prompt as `fold_for_phrases` leaves it.
pub(super) fn is_destructive(folded: &str) -> bool {
    let words = words(folded);
    HAZARD_PHRASES.iter().any(|phrase| contains_phrase(folded, phrase))
        || HAZARD_CLAUSES.iter().any(|clause| starts_a_clause(folded, clause))
        || (0..words.len()).any(|at| {
            loses_by_command(&words, at)
                || deletes_data(&words, at)
                || publishes(&words, at)
                || spends(&words, at)
        })
}

fn loses_by_command(words: &[Word<'_>], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let near = |reach| following(words, at, reach).map(|word| word.text);
    let name = word.text.rsplit('/').next().unwrap_or(word.text);
    if HAZARD_WORDS.contains(&name) || name.starts_with("mkfs.") {
        return true;
    }
    if COMMAND_PAIRS.iter().any(|(tool, verb)| name == *tool && near(4).any(|word| word == *verb)) {
        return true;
    }
    match name {
        "rm" | "remove-item" => near(4)
            .any(|flag| has_short_flag(flag, 'r') || is_long_flag(flag, "recursive") || flag == "-recurse"),
        "rmdir" | "rd" | "del" => near(4).any(|flag| flag == "/s"),
        "push" | "pushing" => near(8).any(|flag| {
            has_short_flag(flag, 'f')
                || is_long_flag(flag, "force")
                || is_long_flag(flag, "force-with-lease")
                || is_long_flag(flag, "force-if-includes")
                || is_long_flag(flag, "mirror")
                || is_long_flag(flag, "delete")
                || matches!(flag, "force" | "forced" | "forcefully")
                || flag.strip_prefix('+').is_some_and(|refspec| refspec.starts_with(char::is_alphabetic))
        }),
        "reset" => near(4).any(|flag| is_long_flag(flag, "hard")),
        "clean" => {
            at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|before| before.text == "git")
                && near(4).any(|flag| has_short_flag(flag, 'f') || is_long_flag(flag, "force"))
        }
        "dd" => near(REACH).any(|operand| operand.starts_with("of=")),
        "branch" => near(2).any(|flag| flag == "-d"),
        "find" => near(12).any(|flag| flag == "-delete"),
        _ => false,
    }
}

fn deletes_data(words: &[Word<'_>], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let object = |noun_of: &dyn Fn(&str) -> bool, reach: usize| {
        let last = words.len().min(at.saturating_add(reach).saturating_add(1));
        let mut here = at.saturating_add(1);
        while here < last {
            let Some(candidate) = words.get(here) else { return false };
            if candidate.starts_clause {
                return false;
            }
            let is_statement = matches!(word.text, "drop" | "truncate") && here == at.saturating_add(1);
            if noun_of(candidate.text) && (is_statement || ends_noun_phrase(words, here)) {
                return true;
            }
            here = here.saturating_add(1);
        }
        false
    };
    match word.text {
        "drop" | "dropping" | "truncate" => object(&|noun| TABLE_WORDS.contains(&noun), 4),
        "recursively" => following(words, at, 3).any(|near| DELETE_VERBS.contains(&near.text)),
        "discard" => object(&|noun| matches!(noun, "changes" | "work" | "commits" | "edits"), REACH),
        verb if DELETE_VERBS.contains(&verb) => {
            let near = || following(words, at, REACH).map(|word| word.text);
            near().any(|word| matches!(word, "recursively" | "rekursiv"))
                || near().next().is_some_and(|first| first == "everything")
                || (near().any(|word| MASS_WORDS.contains(&word)) && object(&|noun| MASS_NOUNS.contains(&noun), REACH))
                || object(&|noun| DATA_NOUNS.contains(&noun), REACH)
                || deletes_from_table(verb, near())
                // German puts the verb last.
                || (verb.ends_with("en")
                    && words.iter().take(at).rev().take(4).any(|before| DATA_NOUNS.contains(&before.text)))
        }
        _ => false,
    }
}

/// `DELETE FROM users`, not "delete from the list".
fn deletes_from_table<'w>(verb: &str, mut near: impl Iterator<Item = &'w str>) -> bool {
    verb == "delete"
        && near.next() == Some("from")
        && near
            .next()
            .is_some_and(|table| !matches!(table, "the" | "this" | "that" | "a" | "an" | "our" | "your"))
}

/// "the database" and "the database before the run", not "the database column picker".
fn ends_noun_phrase(words: &[Word<'_>], at: usize) -> bool {
    words.get(at.saturating_add(1)).is_none_or(|next| {
        next.is_order() || NOUN_FOLLOWERS.contains(&next.text) || next.text.starts_with(['.', '/'])
    })
}

fn publishes(words: &[Word<'_>], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let near = |reach| following(words, at, reach).map(|word| word.text);
    let goes_public = || near(8).any(|word| PRODUCTION_WORDS.contains(&word));
    match word.text {
        "publish" | "publishing" | "unpublish" => {
            let by_tool =
                words.iter().take(at).rev().take(2).any(|before| PUBLISH_TOOLS.contains(&before.text));
            by_tool
                || (word.is_order()
                    && (near(1).next().is_none()
                        || near(5).any(|object| PUBLISH_OBJECTS.contains(&object) || is_version(object))
                        || near(8).any(|object| REGISTRIES.contains(&object))))
        }
        "release" if word.is_order() => {
            near(2).any(|object| matches!(object, "it" | "crate" | "package"))
                || near(4).any(is_version)
                || near(8).any(|object| REGISTRIES.contains(&object))
                || goes_public()
        }
        "deploy" | "push" | "ship" | "promote" | "roll" | "release" => word.is_order() && goes_public(),
        "make" => {
            near(4).any(|word| matches!(word, "repository" | "repo")) && near(5).any(|word| word == "public")
        }
        _ => false,
    }
}

fn spends(words: &[Word<'_>], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    if !word.is_order() {
        return false;
    }
    let near = |reach| following(words, at, reach).map(|word| word.text);
    match word.text {
        "pay" => near(3).any(|object| {
            matches!(object, "for" | "invoice" | "invoices" | "bill" | "fee" | "vendor" | "subscription")
                || is_money(object)
        }),
        "spend" => near(4)
            .any(|object| matches!(object, "money" | "credits" | "dollars" | "euros") || is_money(object)),
        "transfer" => near(4).any(|object| matches!(object, "money" | "funds") || is_money(object)),
        "charge" => near(5).any(|object| matches!(object, "card" | "customer" | "customers")),
        "upgrade" | "subscribe" => {
            near(5).any(|object| matches!(object, "paid" | "premium" | "pro" | "enterprise"))
        }
        verb => SPENDING_VERBS.contains(&verb),
    }
}

fn has_short_flag(word: &str, flag: char) -> bool {
    word.strip_prefix('-').is_some_and(|letters| {
        !letters.is_empty()
            && letters.chars().all(|letter| letter.is_ascii_alphabetic())
            && letters.contains(flag)
            && letters.len() <= 5
    })
}

/// `--name` and `--name=value`, also with the dashes that typography makes of them.
fn is_long_flag(word: &str, name: &str) -> bool {
    let plain = word.trim_start_matches(['-', '–', '—']);
    plain.len() < word.len()
        && plain.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or(word);
    digits.starts_with(|first: char| first.is_ascii_digit())
        && (digits.contains('.') || digits.len() < word.len())
        && digits
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '+'))
}

fn is_money(word: &str) -> bool {
    word.starts_with(['$', '€', '£', '¥']) && word.contains(|character: char| character.is_ascii_digit())
}

/// `clause` begins the text or follows a clause mark: for scripts without spaces between words.
fn starts_a_clause(folded: &str, clause: &str) -> bool {
    folded.match_indices(clause).any(|(at, _)| {
        folded.get(..at).and_then(|before| before.chars().next_back()).is_none_or(|before| {
            before.is_whitespace()
                || super::fold::is_punctuation(before)
                || matches!(before, '并' | '後' | '后' | '再' | '请' | '請' | '去' | '来' | '並')
        })
    })
}
