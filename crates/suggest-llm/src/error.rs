use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::reply::Usage;

/// What the caller does about a failed call (rule L3). Serialised in kebab-case.
///
/// The list is closed: a caller decides on each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LlmErrorKind {
    /// The endpoint is overloaded, limits the rate, or failed on its side; the client's own retries inside the deadline
    /// did not help. Try again later, not before [`LlmError::retry_after`] when the server named a time.
    RetryLater,
    /// Out of credit or over a quota that waiting does not clear. Stop calling until a human has dealt with the account.
    Quota,
    /// The key is missing, wrong, or not allowed to do this. Stop calling until the configuration changes.
    Credentials,
    /// No such model, deployment or address at this endpoint. Stop calling until the configuration changes.
    UnknownModel,
    /// The endpoint refuses the request as it is and the client has no way left to adapt it. Change the configured
    /// parameters; the same request will be refused again.
    UnsupportedParameter,
    /// The prompt, or the prompt plus the output cap, is larger than the model or the account takes. Send less.
    ContextTooLong,
    /// A content filter or the model's own refusal stopped it. Do not retry the same text.
    Filtered,
    /// The output budget went into reasoning, or the reply was cut. Raise the cap or lower the reasoning effort.
    Starved,
    /// The endpoint answered with success and nothing in it. Retrying may help; it is no "nothing to recommend".
    Empty,
    /// The answer is not one that an OpenAI-compatible endpoint gives. Check the base URL; it may be another service, a
    /// login page or a proxy.
    Malformed,
    /// The call's deadline passed. Retrying with the same deadline may help; nothing of the call goes on.
    Timeout,
    /// Somebody withdrew the call. Nobody waits for the result.
    Cancelled,
    /// No connection, or it broke before the reply was complete. Check network, proxy and address; retrying may help.
    Network,
    /// The call was not sent because nobody allowed text to leave this machine (rule P1).
    NotAllowed,
}

impl LlmErrorKind {
    /// Every kind, in the order in which the rules list them.
    pub const ALL: [Self; 14] = [
        Self::RetryLater,
        Self::Quota,
        Self::Credentials,
        Self::UnknownModel,
        Self::UnsupportedParameter,
        Self::ContextTooLong,
        Self::Filtered,
        Self::Starved,
        Self::Empty,
        Self::Malformed,
        Self::Timeout,
        Self::Cancelled,
        Self::Network,
        Self::NotAllowed,
    ];

    /// The kind in kebab-case, as it is serialised.
    #[must_use]
    pub fn as_str(self) -> &'static str {
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
}

impl fmt::Display for LlmErrorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A failed call. Comparable; its text is safe to show and to log (rules D10, P3).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LlmError {
    /// What the caller does about it.
    pub kind: LlmErrorKind,
    /// How long the server asked to wait, measured from the failure.
    pub retry_after: Option<Duration>,
    /// One line in this crate's own words: what happened, the numbers, what to do. Never the prompt, the key, the reply
    /// or a URL's query.
    pub message: String,
    /// The HTTP status, where there was one. Errors inside a successful response carry the status that they claim.
    pub http_status: Option<u16>,
    /// The endpoint's id of the request, at most 80 printable characters, for its operator.
    pub request_id: Option<String>,
    usage: Option<Box<Usage>>,
    endpoint_text: Option<Box<str>>,
}

impl LlmError {
    /// An error with a message of one line. Control characters are replaced by spaces.
    #[must_use]
    pub fn new(kind: LlmErrorKind, message: impl AsRef<str>) -> Self {
        let message = message
            .as_ref()
            .chars()
            .map(|character| if character.is_control() { ' ' } else { character })
            .collect();
        Self {
            kind,
            retry_after: None,
            message,
            http_status: None,
            request_id: None,
            usage: None,
            endpoint_text: None,
        }
    }

    /// The same error with the server's own delay.
    #[must_use]
    pub fn with_retry_after(mut self, delay: Option<Duration>) -> Self {
        self.retry_after = delay;
        self
    }

    /// The same error with an HTTP status.
    #[must_use]
    pub fn with_http_status(mut self, status: Option<u16>) -> Self {
        self.http_status = status;
        self
    }

    /// The same error with what the failed call cost, as far as the endpoint told.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = (usage != Usage::default()).then(|| Box::new(usage));
        self
    }

    #[cfg(feature = "client")]
    pub(crate) fn with_endpoint_text(mut self, text: Option<String>) -> Self {
        self.endpoint_text = text.map(String::into_boxed_str);
        self
    }

    #[cfg(feature = "client")]
    pub(crate) fn with_request_id(mut self, id: Option<String>) -> Self {
        self.request_id = id;
        self
    }

    /// What the failed call cost, as far as the endpoint told (rule D14 counts failed calls too).
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.usage.as_deref().copied().unwrap_or_default()
    }

    /// What the endpoint itself said: one line, at most 300 characters, keys masked. It may quote what was sent, so it
    /// belongs neither into a log nor into a state block: only where a person asked for it, as a `doctor` command does
    /// with its own harmless prompt (rule P3). `Debug` and `Display` leave it out.
    #[must_use]
    pub fn endpoint_text(&self) -> Option<&str> {
        self.endpoint_text.as_deref()
    }
}

impl fmt::Debug for LlmError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("LlmError")
            .field("kind", &self.kind)
            .field("message", &self.message)
            .field("retry_after", &self.retry_after)
            .field("http_status", &self.http_status)
            .field("request_id", &self.request_id)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for LlmError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.kind, self.message)
    }
}

impl std::error::Error for LlmError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_serialise_to_the_words_of_rule_l3() {
        let words: Vec<String> = LlmErrorKind::ALL
            .iter()
            .map(|kind| serde_json::to_value(kind).unwrap().as_str().unwrap().to_owned())
            .collect();
        assert_eq!(
            words.join(" "),
            "retry-later quota credentials unknown-model unsupported-parameter context-too-long filtered starved empty \
             malformed timeout cancelled network not-allowed"
        );
        assert!(LlmErrorKind::ALL.iter().zip(&words).all(|(kind, word)| kind.as_str() == word));
    }

    #[test]
    fn the_message_is_one_line() {
        let error = LlmError::new(LlmErrorKind::Network, "a\nb\u{1b}c");
        assert_eq!(error.to_string(), "network: a b c");
    }
}
