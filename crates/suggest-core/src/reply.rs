//! What a model call brought back.

use crate::answer::ReplyFinish;
use serde::{Deserialize, Serialize};

/// A finished reply of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ModelReply {
    /// The text of the answer; never the reasoning.
    #[serde(default)]
    pub text: String,
    /// Why the model stopped.
    #[serde(default = "stop")]
    pub finish: ReplyFinish,
    /// Whether the model reasoned. The reasoning itself never enters the core.
    #[serde(default)]
    pub had_reasoning: bool,
    /// What the call used, where the provider said so (rule L6).
    #[serde(default)]
    pub usage: CallUsage,
}

fn stop() -> ReplyFinish {
    ReplyFinish::Stop
}

impl ModelReply {
    /// A reply that ended by itself and said nothing of its usage.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            finish: ReplyFinish::Stop,
            had_reasoning: false,
            usage: CallUsage::default(),
        }
    }
}

/// Tokens that one call used. What the provider did not say is absent and never made up (rule L6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CallUsage {
    /// Tokens read, cached ones included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens written, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Tokens read from the provider's cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Tokens of reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

impl CallUsage {
    /// The provider said nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A call that brought no reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CallError {
    /// What a caller does about it.
    pub kind: ErrorKind,
    /// One line for people: numbers and names, no secrets and no raw provider text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How long the server asked to wait, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// What the failed call used all the same, where the provider said so (rule D14).
    #[serde(default, skip_serializing_if = "CallUsage::is_empty")]
    pub usage: CallUsage,
}

impl CallError {
    /// An error of a kind, without more words.
    #[must_use]
    pub fn new(kind: ErrorKind) -> Self {
        Self { kind, message: None, retry_after_ms: None, usage: CallUsage::default() }
    }
}

/// What a caller does about a failed call (rule L3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// Wait and try again.
    RetryLater,
    /// The account is out of money or quota: waiting does not help soon.
    Quota,
    /// The key is missing or refused.
    Credentials,
    /// The provider does not have the model.
    UnknownModel,
    /// The endpoint refuses a parameter.
    UnsupportedParameter,
    /// The prompt does not fit into the model's window.
    ContextTooLong,
    /// The provider withheld the answer.
    Filtered,
    /// The output budget went into reasoning, or cut the answer.
    Starved,
    /// The reply had nothing in it.
    Empty,
    /// The reply could not be read.
    Malformed,
    /// The deadline passed.
    Timeout,
    /// The call was cancelled.
    Cancelled,
    /// The endpoint was not reached, or the connection broke.
    Network,
    /// Sending was not allowed (rule P1).
    NotAllowed,
}

impl ErrorKind {
    /// The kind's code, as it is written everywhere.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::RetryLater => "retry-later",
            Self::Quota => "quota",
            Self::Credentials => "credentials",
            Self::UnknownModel => "unknown-model",
            Self::UnsupportedParameter => "unsupported-parameter",
            Self::ContextTooLong => "context-too-long",
            Self::Filtered => "filtered",
            Self::Starved => "starved",
            Self::Empty => "empty",
            Self::Malformed => "malformed",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::Network => "network",
            Self::NotAllowed => "not-allowed",
        }
    }

    /// What the kind means, in one lower-case line for people.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::RetryLater => "the provider is busy; try again later",
            Self::Quota => "the provider's quota is used up",
            Self::Credentials => "the provider refused the key, or there is none",
            Self::UnknownModel => "the provider does not know this model",
            Self::UnsupportedParameter => "the endpoint refuses a parameter",
            Self::ContextTooLong => "the session slice does not fit into the model's context",
            Self::Filtered => "the provider's content filter withheld the answer",
            Self::Starved => "the output budget was used up before the answer was complete",
            Self::Empty => "the reply was empty",
            Self::Malformed => "the reply could not be read",
            Self::Timeout => "the call timed out",
            Self::Cancelled => "the call was cancelled",
            Self::Network => "the endpoint could not be reached",
            Self::NotAllowed => "sending to this provider is not allowed",
        }
    }
}
