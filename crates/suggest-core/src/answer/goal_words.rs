//! Offers that change the session's goal by ordinary words (rule D13).

use super::hazards::{
    GOAL_ARTICLES, GOAL_FOLLOWERS, GOAL_NOUNS, GOAL_PHRASES, GOAL_TARGET_COMPOUNDS, GOAL_TOOLS, GOAL_VERBS,
    GOAL_VERBS_CJK,
};
use super::words::{Word, contains_phrase, following, words};

/// Characters between a verb and the word for "goal" in scripts without spaces.
const CJK_REACH: usize = 6;

/// `folded` is a prompt as `fold_for_phrases` leaves it.
pub(super) fn changes_goal(folded: &str) -> bool {
    let words = words(folded);
    GOAL_PHRASES.iter().any(|phrase| contains_phrase(folded, phrase))
        || (0..words.len()).any(|at| orders_change(&words, at) || calls_goal_tool(&words, at))
        || states_change(&words)
        || changes_goal_cjk(folded)
}

/// "Set the goal to …", "close out our objective": a verb as an order, an article, the noun, and nothing that makes the noun
/// a part of another name ("the goal field").
fn orders_change(words: &[Word<'_>], at: usize) -> bool {
    let Some(verb) = words.get(at) else { return false };
    if !verb.is_order() || !GOAL_VERBS.contains(&verb.text) {
        return false;
    }
    let mut article = false;
    for (distance, word) in following(words, at, 5).enumerate() {
        if GOAL_NOUNS.contains(&word.text) {
            let noun = at.saturating_add(distance).saturating_add(1);
            let first = distance == 0;
            return (article || first || word.text.starts_with("l'")) && ends_goal_phrase(words, noun);
        }
        article |= GOAL_ARTICLES.contains(&word.text);
    }
    false
}

fn ends_goal_phrase(words: &[Word<'_>], noun: usize) -> bool {
    words
        .get(noun.saturating_add(1))
        .is_none_or(|next| next.starts_clause || next.quoted || GOAL_FOLLOWERS.contains(&next.text))
}

/// "Call `update_goal` …".
fn calls_goal_tool(words: &[Word<'_>], at: usize) -> bool {
    let Some(verb) = words.get(at) else { return false };
    verb.is_order()
        && matches!(verb.text, "call" | "use" | "run" | "invoke")
        && following(words, at, 3).any(|word| GOAL_TOOLS.contains(&word.text))
}

/// "The goal is met, close it out", "the objective should be narrowed to …".
fn states_change(words: &[Word<'_>]) -> bool {
    let mut texts = words.iter().map(|word| word.text);
    matches!(texts.next(), Some("the" | "our" | "this"))
        && matches!(texts.next(), Some("goal" | "objective"))
        && matches!(texts.next(), Some("should" | "must" | "needs" | "is" | "has" | "can"))
        && words.iter().skip(2).any(|word| {
            matches!(
                word.text,
                "changed"
                    | "narrowed"
                    | "widened"
                    | "closed"
                    | "close"
                    | "updated"
                    | "replaced"
                    | "re-cut"
                    | "complete"
                    | "completed"
                    | "met"
                    | "reached"
                    | "achieved"
                    | "done"
            )
        })
}

/// Chinese and Japanese: a verb shortly before or behind the noun, where the noun is not the first half of "target file"
/// and the like.
fn changes_goal_cjk(folded: &str) -> bool {
    ["目标", "目標", "ゴール"].iter().any(|noun| {
        folded.match_indices(noun).any(|(at, found)| {
            let before = folded.get(..at).unwrap_or_default();
            let behind = folded.get(at.saturating_add(found.len())..).unwrap_or_default();
            if GOAL_TARGET_COMPOUNDS.iter().any(|compound| behind.starts_with(compound)) {
                return false;
            }
            let near_before: Vec<char> = before.chars().rev().take(CJK_REACH).collect();
            let near_before: String = near_before.into_iter().rev().collect();
            let near_behind: String = behind.chars().take(CJK_REACH).collect();
            GOAL_VERBS_CJK.iter().any(|verb| near_before.contains(verb) || near_behind.contains(verb))
                || (before.is_empty() && near_behind.starts_with(':'))
        })
    })
}
