use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{LlmError, LlmErrorKind};

/// A complete answer: the endpoint said that it is finished, and how.
///
/// An answer that broke off is never one of these, whatever text had arrived (rule L2). An empty answer and one cut by
/// the length limit are: the caller judges them (rule D8), with [`LlmReply::starved`] to say why.
///
/// `Debug` shows the length of the text, not the text (rule P3).
#[derive(Clone, PartialEq, Eq)]
pub struct LlmReply {
    /// The answer as the model wrote it, uncleaned, without reasoning that came in a field of its own.
    pub text: String,
    /// Why the model stopped.
    pub finish: Finish,
    /// Whether the reply carried reasoning (in its own field, or as a leading `<think>` block). The reasoning itself is
    /// not kept.
    pub reasoning: bool,
    /// A cap on output tokens was sent and the reply ended with [`Finish::Length`]: the budget went into reasoning or
    /// was simply too small. The knobs: a larger `enrichmentMaxTokens` (or 0), or a lower reasoning effort (rule L5).
    pub starved: bool,
    /// The cap on output tokens that was sent, by the request or by the endpoint's preset.
    pub output_cap: Option<u32>,
    /// The endpoint counted far fewer input tokens than the request must have had: it cut the prompt silently, as local
    /// servers with a small context window do. The answer was made from a part of what was sent.
    pub prompt_cut: bool,
    /// Tokens, as far as the endpoint told.
    pub usage: Usage,
    /// The model that the endpoint says it used; often an alias or a dated version. The author of an offer stays the
    /// configured model.
    pub model: Option<String>,
}

impl LlmReply {
    /// A normally finished answer without further facts.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            finish: Finish::Stop,
            reasoning: false,
            starved: false,
            output_cap: None,
            prompt_cut: false,
            usage: Usage::default(),
            model: None,
        }
    }

    /// The same reply with another finish reason.
    #[must_use]
    pub fn with_finish(mut self, finish: Finish) -> Self {
        self.finish = finish;
        self
    }

    /// The same reply with token counts.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// The text of a reply that is complete and not blank, for callers that do not judge by rule D8.
    ///
    /// # Errors
    ///
    /// `filtered`, `starved` (cut, or nothing but reasoning) or `empty`, each saying which knob to turn.
    pub fn require_text(self) -> Result<String, LlmError> {
        let blank = self.text.trim().is_empty();
        match self.finish {
            Finish::ContentFilter => Err(LlmError::new(
                LlmErrorKind::Filtered,
                "the endpoint's content filter stopped the answer",
            )
            .with_usage(self.usage)),
            Finish::Length => {
                Err(LlmError::new(LlmErrorKind::Starved, self.starvation_message()).with_usage(self.usage))
            }
            Finish::Stop | Finish::ToolCalls | Finish::Other if blank && self.reasoning => Err(LlmError::new(
                LlmErrorKind::Starved,
                "the reply holds reasoning and no answer; lower the reasoning effort or choose a model that thinks less",
            )
            .with_usage(self.usage)),
            Finish::Stop | Finish::ToolCalls | Finish::Other if blank => {
                Err(LlmError::new(LlmErrorKind::Empty, "the reply is empty").with_usage(self.usage))
            }
            Finish::Stop | Finish::ToolCalls | Finish::Other => Ok(self.text),
        }
    }

    fn starvation_message(&self) -> String {
        let what = if self.text.trim().is_empty() { "came back empty" } else { "was cut" };
        let spent = self
            .usage
            .reasoning_tokens
            .map(|tokens| format!(", {tokens} of them reasoning"))
            .unwrap_or_default();
        match self.output_cap {
            Some(cap) => format!(
                "the reply {what} at the cap of {cap} output tokens{spent}; raise enrichmentMaxTokens, set it to 0, or lower the reasoning effort"
            ),
            None => format!("the reply {what} at the model's own output limit; lower the reasoning effort"),
        }
    }
}

impl fmt::Debug for LlmReply {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("LlmReply")
            .field("text", &format_args!("{} characters", self.text.chars().count()))
            .field("finish", &self.finish)
            .field("reasoning", &self.reasoning)
            .field("starved", &self.starved)
            .field("output_cap", &self.output_cap)
            .field("prompt_cut", &self.prompt_cut)
            .field("usage", &self.usage)
            .field("model", &self.model)
            .finish()
    }
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It was done.
    Stop,
    /// The output limit cut it.
    Length,
    /// A content filter stopped it. The client of this crate reports this as the error `filtered` instead; a provider of
    /// an embedder may pass it on, and callers treat it as that error (rule D8).
    ContentFilter,
    /// It asked for tools, though none were offered. They are never executed (rule D7).
    ToolCalls,
    /// It was done for a reason that this crate does not know.
    Other,
}

/// Tokens of one call, each only where the endpoint told it; nothing is estimated (rule L6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the prompt, cached ones included where the endpoint counts so.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer, reasoning included where the endpoint counts so.
    pub output_tokens: Option<u64>,
    /// Tokens of the prompt that came from the provider's cache.
    pub cached_tokens: Option<u64>,
    /// Tokens spent on reasoning.
    pub reasoning_tokens: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_of_a_reply_shows_no_text_p3() {
        let shown = format!("{:?}", LlmReply::new("Add a secret"));
        assert!(shown.contains("12 characters") && !shown.contains("secret"), "{shown}");
    }

    #[test]
    fn a_starved_reply_names_the_cap_and_the_knob_l5() {
        let mut reply = LlmReply::new("").with_finish(Finish::Length);
        reply.output_cap = Some(64);
        reply.starved = true;
        reply.usage.reasoning_tokens = Some(64);
        let error = reply.require_text().unwrap_err();
        assert_eq!(error.kind, LlmErrorKind::Starved);
        assert_eq!(
            error.message,
            "the reply came back empty at the cap of 64 output tokens, 64 of them reasoning; raise enrichmentMaxTokens, set it to 0, or lower the reasoning effort"
        );
    }

    #[test]
    fn blank_and_filtered_replies_have_no_text() {
        let kind = |reply: LlmReply| reply.require_text().unwrap_err().kind;
        assert_eq!(kind(LlmReply::new(" \n")), LlmErrorKind::Empty);
        assert_eq!(kind(LlmReply::new("x").with_finish(Finish::ContentFilter)), LlmErrorKind::Filtered);
        let mut thinking = LlmReply::new("");
        thinking.reasoning = true;
        assert_eq!(kind(thinking), LlmErrorKind::Starved);
        assert_eq!(LlmReply::new("Add a test").require_text().unwrap(), "Add a test");
    }
}
