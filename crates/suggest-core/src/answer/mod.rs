//! The answer protocol: what a model's reply to "what next?" means (rules D7, D8, D9, D13, G2).
//!
//! A reply is first *cleaned* of everything that models wrap around a line, then *judged*: it is an offer, a
//! statement that there is nothing to offer, or invalid for one named cause. Nothing is ever cut to fit.
//!
//! "Characters" are Unicode scalar values. A cap applies to the cleaned text, without a goal prefix.
//!
//! All work is linear in the length of the reply: cleaning runs a bounded number of passes, each of which looks at
//! every character a constant number of times.

mod blanks;
mod characters;
mod checks;
mod clean;
mod destructive;
mod fold;
mod goal_words;
#[rustfmt::skip] // Word lists are set by hand: one line a word would be a thousand lines.
mod hazards;
mod invalid;
mod kind;
mod labels;
#[rustfmt::skip]
mod phrases;
mod reasoning;
mod script;
mod template;
mod words;
mod wrapping;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use clean::clean;
pub use fold::{fold_for_echo, same_step, step_key};
pub use invalid::InvalidAnswer;
pub use kind::{OfferKind, classify};

/// How many of the newest human prompts an answer may not repeat (rule D7).
const ECHO_WINDOW: usize = 3;

/// An accepted answer: one line that can be shown and submitted as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The cleaned prompt, without label and goal prefix. What is shown and what runs are these bytes (rule D11).
    pub text: String,
    /// What running it would do.
    pub kind: OfferKind,
}

/// What a reply means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// A prompt to offer.
    Offer(Proposal),
    /// The model says that there is nothing to recommend (rule D9). This is a good answer.
    Nothing,
    /// Not usable; one retry is due (rule D8).
    Invalid(InvalidAnswer),
}

/// Why the model stopped writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReplyFinish {
    /// It was done.
    Stop,
    /// It ran into an output limit. Such an answer is never accepted.
    Length,
    /// It asked for tools, which are never run.
    #[serde(alias = "tool-calls")]
    ToolCalls,
    /// Anything else that ends a reply.
    #[serde(other)]
    Other,
}

/// What a reply is judged against.
#[derive(Debug, Clone, Copy)]
pub struct AnswerContext<'a> {
    /// Cap on the cleaned text, in characters (`promptMaxChars`).
    pub max_chars: usize,
    /// The human's prompts, newest last, raw or folded. Only the last three are compared.
    pub recent_human: &'a [String],
    /// A sample of the session's own text: which scripts are at home there.
    pub session_text: &'a str,
}

/// Length of a text in characters, the unit of every cap here.
pub(crate) fn count_chars(text: &str) -> usize {
    text.chars().count()
}

/// Decides what `raw` means (rules D7, D9, D13, G2).
///
/// `had_reasoning` says that the reply also came with reasoning in a field of its own; it only words the cause when
/// there is no answer beside it.
pub fn judge(raw: &str, finish: ReplyFinish, had_reasoning: bool, context: &AnswerContext<'_>) -> Verdict {
    match examine(raw, finish, had_reasoning, context) {
        Ok(Some(proposal)) => Verdict::Offer(proposal),
        Ok(None) => Verdict::Nothing,
        Err(cause) => Verdict::Invalid(cause),
    }
}

fn examine(
    raw: &str,
    finish: ReplyFinish,
    had_reasoning: bool,
    context: &AnswerContext<'_>,
) -> Result<Option<Proposal>, InvalidAnswer> {
    let cleaned = clean::clean_noting_reasoning(raw);
    let reasoning = had_reasoning || cleaned.had_reasoning;
    match finish {
        ReplyFinish::Length => {
            return Err(InvalidAnswer::CutByLength { chars: count_chars(&cleaned.text), reasoning });
        }
        ReplyFinish::Stop | ReplyFinish::ToolCalls | ReplyFinish::Other => {}
    }
    if template::is_tool_call(raw, &cleaned.text)
        || (finish == ReplyFinish::ToolCalls && !checks::has_substance(&cleaned.text))
    {
        return Err(InvalidAnswer::ToolCallOnly);
    }
    if checks::is_none(&cleaned.text) {
        return Ok(None);
    }

    let (text, goal_prefixed) = labels::take_goal_prefix(cleaned.text);
    if !checks::has_substance(&text) {
        return Err(match (goal_prefixed, reasoning) {
            (true, _) => InvalidAnswer::EmptyGoalStep,
            (false, true) => InvalidAnswer::ReasoningOnly,
            (false, false) => InvalidAnswer::Empty,
        });
    }
    if goal_prefixed && checks::is_none(&text) {
        return Ok(None);
    }

    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    if lines > 1 {
        return Err(InvalidAnswer::SeveralLines { lines });
    }
    let chars = count_chars(&text);
    if chars > context.max_chars {
        return Err(InvalidAnswer::TooLong { chars, cap: context.max_chars });
    }
    checks::check_wording(&text)?;
    if let Some(letters) = script::foreign_tail(&text, context.session_text) {
        return Err(InvalidAnswer::ForeignTail { letters });
    }
    let folded = fold_for_echo(&text);
    for (index, prompt) in context.recent_human.iter().rev().take(ECHO_WINDOW).enumerate() {
        if fold_for_echo(prompt) == folded {
            return Err(InvalidAnswer::Echo { prompts_ago: index.saturating_add(1) });
        }
    }
    let kind = classify(&text, goal_prefixed);
    Ok(Some(Proposal { text, kind }))
}
