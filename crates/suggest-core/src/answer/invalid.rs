//! Why an answer was refused, in words for people and in words for the model that gets one more try.

use thiserror::Error;

/// Why an answer cannot be offered (rule D7), with what was measured. `Display` is one line for people; it never
/// holds text of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidAnswer {
    /// Nothing is left after cleaning.
    #[error("empty answer")]
    Empty,
    /// The reply held reasoning and no answer. Reasoning is never offered.
    #[error("empty answer, reasoning only")]
    ReasoningOnly,
    /// The model called a tool instead of writing. The call is not run.
    #[error("no text, only a tool call")]
    ToolCallOnly,
    /// The reply hit an output limit, so its end is missing.
    #[error(
        "cut by the output limit after {chars} characters{}",
        if *.reasoning { ", the reply also held reasoning" } else { "" }
    )]
    CutByLength {
        /// Characters of the cleaned text.
        chars: usize,
        /// The budget also went into reasoning.
        reasoning: bool,
    },
    /// More than one line. Lines are never joined.
    #[error("{lines} lines, one allowed")]
    SeveralLines {
        /// Lines that are not blank.
        lines: usize,
    },
    /// Over the cap.
    #[error("{chars} characters, cap {cap}")]
    TooLong {
        /// Characters of the cleaned text, without a goal prefix.
        chars: usize,
        /// The cap that it was held against.
        cap: usize,
    },
    /// Several prompts to choose from.
    #[error("{count} alternatives, one prompt allowed")]
    Alternatives {
        /// How many were recognised.
        count: usize,
    },
    /// Prose that declines, apologises or speaks of the model itself.
    #[error("prose that declines instead of a prompt or NONE")]
    Abstains,
    /// Written as the assistant ("I will …"), not as a prompt to it.
    #[error("written in the assistant's voice")]
    AssistantVoice,
    /// Only praise, thanks or a status.
    #[error("an evaluation, no next step")]
    Evaluation,
    /// Repeats a recent prompt of the human.
    #[error("repeats the human's prompt {prompts_ago} back")]
    Echo {
        /// 1 is the newest prompt.
        prompts_ago: usize,
    },
    /// A goal prefix with nothing behind it (rule G2).
    #[error("goal prefix with nothing behind it")]
    EmptyGoalStep,
    /// Unfilled blanks or option lists: nothing that can be sent.
    #[error("{count} unfilled {}", if *.count == 1 { "blank" } else { "blanks" })]
    Blanks {
        /// How many were recognised.
        count: usize,
    },
    /// The end switches to a script that neither the rest nor the session uses.
    #[error("the last {letters} letters switch to a script that the session does not use")]
    ForeignTail {
        /// Letters in the foreign script.
        letters: usize,
    },
    /// Control tokens of a chat template inside the text.
    #[error("{count} chat template {} in the text", if *.count == 1 { "token" } else { "tokens" })]
    TemplateTokens {
        /// How many were recognised.
        count: usize,
    },
    /// A data structure instead of a line of text.
    #[error("structured data instead of a line of text")]
    Structured,
}

impl InvalidAnswer {
    /// The message that asks the model once more (rule D8): what was wrong, in numbers where there are any, and the
    /// format and cap again. `max_chars` is the cap in force.
    pub fn correction(&self, max_chars: usize) -> String {
        format!(
            "Your answer cannot be used: {}. Answer again with exactly one line and nothing else, in one of three \
             forms:\nNEXT: <one imperative prompt to the coding agent>\nGOAL: <one step that changes the \
             goal>\nNONE\nThe text after the label has at most {max_chars} characters.",
            self.fault(max_chars)
        )
    }

    fn fault(&self, max_chars: usize) -> String {
        match self {
            Self::Empty => "it had 0 characters of text".to_owned(),
            Self::ReasoningOnly => {
                "it had 0 characters of text beside the reasoning; write the line itself after you have thought"
                    .to_owned()
            }
            Self::ToolCallOnly => {
                "it had 0 characters of text, only a tool call; no tools can be called here".to_owned()
            }
            Self::CutByLength { chars, .. } => format!(
                "it was cut by the output limit after {chars} characters; think less and write only the line"
            ),
            Self::SeveralLines { lines } => format!("it had {lines} lines where 1 is allowed"),
            Self::TooLong { chars, cap } => format!(
                "it had {chars} characters, {} over the cap of {cap}; say less, do not cut it off",
                chars.saturating_sub(*cap)
            ),
            Self::Alternatives { count } => {
                format!("it offered {count} alternatives where 1 prompt is allowed; choose the best one")
            }
            Self::Abstains => "it declined in prose; if there is nothing to recommend, write NONE".to_owned(),
            Self::AssistantVoice => {
                "it spoke as the assistant; write what the human would tell the agent to do, starting with a verb"
                    .to_owned()
            }
            Self::Evaluation => {
                "it judged the work and named 0 next steps; name one, or write NONE".to_owned()
            }
            Self::Echo { prompts_ago } => format!(
                "it repeated the human's own prompt ({prompts_ago} back); recommend what comes after it"
            ),
            Self::EmptyGoalStep => {
                format!("there were 0 characters behind GOAL: (1 to {max_chars} are allowed)")
            }
            Self::Blanks { count } => format!(
                "it had {count} unfilled blank(s) or option list(s); write concrete words that can be sent as they are"
            ),
            Self::ForeignTail { letters } => format!(
                "its last {letters} letters switched to another script; keep to the language of the session"
            ),
            Self::TemplateTokens { count } => format!("it held {count} chat template token(s)"),
            Self::Structured => "it was structured data; write plain text".to_owned(),
        }
    }
}
