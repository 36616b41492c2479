use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::facts::Facts;
use crate::model_id::ModelId;

/// One call: what to ask which model, and the bounds of the call.
///
/// Keep the unchanging part of the conversation first and byte-identical from call to call: providers cache prompts by
/// prefix (rule L7). The client sends the messages exactly as they stand here.
///
/// `Debug` shows sizes, never text (rule P3).
#[derive(Clone, PartialEq)]
pub struct LlmRequest {
    /// The configured model. Providers send only [`ModelId::model`] over the wire.
    pub model: ModelId,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// Time for the whole call, retries of the transport included, from the moment when the future is first polled.
    pub deadline: Duration,
    /// Cap on the tokens of the answer, reasoning included. `None` sends none, unless the endpoint's preset needs one
    /// (rule L5).
    pub max_output_tokens: Option<u32>,
    /// How much a reasoning model should think, in the endpoint's own words (`low`, `none`, …). `None` sends nothing.
    pub reasoning_effort: Option<String>,
    /// Sampling temperature. `None` sends nothing, which suits most endpoints best: many refuse any value.
    pub temperature: Option<f32>,
    /// What is known about the session, as plain data. Only the local provider reads it; nothing of it is ever sent.
    pub facts: Option<Facts>,
    /// On whose behalf the call is made: the local provider answers each voice in its own form, meters count per voice.
    pub voice: Voice,
}

impl LlmRequest {
    /// A request by `voice` with nothing optional set.
    #[must_use]
    pub fn new(voice: Voice, model: ModelId, messages: Vec<Message>, deadline: Duration) -> Self {
        Self {
            model,
            messages,
            deadline,
            max_output_tokens: None,
            reasoning_effort: None,
            temperature: None,
            facts: None,
            voice,
        }
    }

    /// The same request with a cap on the answer's tokens.
    #[must_use]
    pub fn with_max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// The same request with a reasoning effort.
    #[must_use]
    pub fn with_reasoning_effort(mut self, effort: impl Into<String>) -> Self {
        self.reasoning_effort = Some(effort.into());
        self
    }

    /// The same request with a sampling temperature.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// The same request with the facts that the local provider works on.
    #[must_use]
    pub fn with_facts(mut self, facts: Facts) -> Self {
        self.facts = Some(facts);
        self
    }

    /// Characters in all messages together.
    #[must_use]
    pub fn characters(&self) -> usize {
        self.messages.iter().map(|message| message.content.chars().count()).sum()
    }
}

impl fmt::Debug for LlmRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("LlmRequest")
            .field("voice", &self.voice)
            .field("model", &self.model)
            .field("messages", &self.messages)
            .field("deadline", &self.deadline)
            .field("max_output_tokens", &self.max_output_tokens)
            .field("reasoning_effort", &self.reasoning_effort)
            .field("temperature", &self.temperature)
            .field("facts", &self.facts)
            .finish()
    }
}

/// One message of the conversation. `Debug` shows the role and the length, never the text (rule P3).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text, always sent as one plain string: several endpoints refuse a list of parts.
    pub content: String,
}

impl Message {
    /// An instruction.
    #[must_use]
    pub fn system(content: impl Into<String>) -> Self {
        Self { role: Role::System, content: content.into() }
    }

    /// The caller's side of the conversation.
    #[must_use]
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: Role::User, content: content.into() }
    }

    /// An earlier answer of the model.
    #[must_use]
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: content.into() }
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Message({:?}, {} characters)", self.role, self.content.chars().count())
    }
}

/// Who speaks in a [`Message`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions for the model.
    System,
    /// The caller.
    User,
    /// The model itself, earlier.
    Assistant,
}

/// On whose behalf a call is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Voice {
    /// The next prompt.
    Director,
    /// A review note.
    Advisor,
    /// The guess at what the user will type next (rule V8).
    Prediction,
    /// Idle suggestions.
    Cards,
    /// The session's summary.
    Summary,
}

impl Voice {
    /// The voice in lower case, as meters and logs name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Director => "director",
            Self::Advisor => "advisor",
            Self::Prediction => "prediction",
            Self::Cards => "cards",
            Self::Summary => "summary",
        }
    }
}

impl fmt::Display for Voice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_of_a_request_shows_sizes_and_no_text_p3() {
        let facts = Facts { last_human: Some("secret wish".to_owned()), ..Facts::default() };
        let request = LlmRequest::new(
            Voice::Director,
            ModelId::local_facts(),
            vec![Message::system("secret rules"), Message::user("secret talk")],
            Duration::from_secs(1),
        )
        .with_facts(facts);
        let shown = format!("{request:?}");
        assert!(!shown.contains("secret"), "{shown}");
        assert!(shown.contains("Message(System, 12 characters)"), "{shown}");
        assert_eq!(request.characters(), 23);
    }
}
