//! One failed request, before the client has decided what to do about it, and the classification of what endpoints say.

use std::time::Duration;

use super::retry::Retry;
use super::retry_after;
use super::scrub;
use super::shape::ErrorShape;
use crate::error::{LlmError, LlmErrorKind};
use crate::reply::Usage;

/// A failed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: LlmErrorKind,
    /// Our own words; no text of the endpoint but plain identifiers and numbers.
    pub(crate) message: String,
    pub(crate) retry: Retry,
    pub(crate) delay: Option<Duration>,
    pub(crate) status: Option<u16>,
    pub(crate) usage: Usage,
    /// What the endpoint said, for adapting parameters and for [`LlmError::endpoint_text`].
    pub(crate) said: Option<ErrorShape>,
    pub(crate) request_id: Option<String>,
    /// A successful stream that ended before anything came; asking without streaming often brings the real error.
    pub(crate) empty_stream: bool,
    /// Requests that were made before this was passed on.
    pub(crate) attempts: u32,
}

impl Failure {
    pub(crate) fn new(kind: LlmErrorKind, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            kind,
            message: message.into(),
            retry: Retry::Never,
            delay: None,
            status: None,
            usage: Usage::default(),
            said: None,
            request_id: None,
            empty_stream: false,
            attempts: 1,
        })
    }

    pub(crate) fn retried(mut self: Box<Self>, retry: Retry) -> Box<Self> {
        self.retry = retry;
        self
    }

    /// The error that the caller gets. `endpoint` is the provider's name; `is_ours` tells whether a word stands in what we
    /// sent, so that no identifier of the endpoint's choosing repeats it.
    pub(crate) fn into_error(
        self,
        endpoint: &str,
        key: Option<&str>,
        is_ours: impl Fn(&str) -> bool,
    ) -> LlmError {
        let said = self.said.as_ref().and_then(|said| scrub::endpoint_text(&said.message, key));
        let mut line = format!("{endpoint}: {}", self.describe(is_ours));
        if self.attempts > 1 {
            line.push_str(&format!(" (after {} attempts)", self.attempts));
        }
        LlmError::new(self.kind, line)
            .with_retry_after(self.delay)
            .with_http_status(self.status)
            .with_usage(self.usage)
            .with_request_id(self.request_id)
            .with_endpoint_text(said)
    }

    /// Sorts an error by what a caller does about it (rule L3). `status` is the HTTP status, or the one that an error
    /// inside a successful response claims.
    pub(crate) fn classify(status: u16, said: &ErrorShape) -> Box<Self> {
        let seen = said.haystack();
        let has = |words: &[&str]| words.iter().any(|word| seen.contains(word));
        let delay = said.delay.or_else(|| retry_after::from_text(&seen));
        let client_error = (400..500).contains(&status);
        let validation = has(&["validation error", "type_error", "value_error", "unsupported_parameter"]);

        let (kind, advice, retry) = if is_quota(status, &seen, said.delay.is_some()) {
            (LlmErrorKind::Quota, "out of credit or over a quota; check the account's billing", Retry::Never)
        } else if is_too_long(status, &seen) {
            (
                LlmErrorKind::ContextTooLong,
                "the prompt is too long for the model or the account; lower promptContextChars or the output cap",
                Retry::Never,
            )
        } else if has(FILTER_WORDS) {
            (LlmErrorKind::Filtered, "a content filter refused the request", Retry::Never)
        } else if has(UNKNOWN_MODEL_WORDS) || (client_error && says_model_is_missing(&seen)) {
            (
                LlmErrorKind::UnknownModel,
                "the endpoint does not know this model; check promptModel",
                Retry::Never,
            )
        } else if matches!(status, 401 | 403) || has(CREDENTIAL_WORDS) {
            (LlmErrorKind::Credentials, "the key was refused", Retry::Never)
        } else if status == 407 {
            (LlmErrorKind::Credentials, "the proxy wants credentials", Retry::Never)
        } else if matches!(status, 404 | 405 | 410) {
            (
                LlmErrorKind::UnknownModel,
                "nothing at this address; check the base URL, the deployment and its api-version",
                Retry::Never,
            )
        } else if matches!(status, 408 | 409 | 425) {
            (LlmErrorKind::RetryLater, "the endpoint could not take the request now", Retry::Backoff)
        } else if status == 429 || has(&["rate_limit", "rate limit", "too many requests"]) {
            (LlmErrorKind::RetryLater, "the endpoint limits the rate", Retry::Backoff)
        } else if status >= 500 && validation {
            (
                LlmErrorKind::UnsupportedParameter,
                "the endpoint failed on the request's own form",
                Retry::Never,
            )
        } else if has(&["loading model", "overloaded", "unavailable"])
            || matches!(status, 502..=504 | 520..=529)
        {
            (LlmErrorKind::RetryLater, "the endpoint is overloaded or not up yet", Retry::Backoff)
        } else if status >= 500 {
            // A plain 500 is as often a lasting fault of ours as a passing one of theirs.
            (LlmErrorKind::RetryLater, "the endpoint failed on its side", Retry::Once)
        } else {
            (LlmErrorKind::UnsupportedParameter, "the endpoint refuses the request as it is", Retry::Never)
        };

        let mut failure = Self::new(kind, advice);
        failure.retry = retry;
        failure.delay = if retry == Retry::Never && kind != LlmErrorKind::Quota { None } else { delay };
        failure.status = Some(status);
        failure.said = Some(said.clone());
        failure
    }

    /// `HTTP 429 (rate_limit_exceeded): the endpoint limits the rate; it asks to wait 26 s`.
    fn describe(&self, is_ours: impl Fn(&str) -> bool) -> String {
        let (Some(status), Some(said)) = (self.status, &self.said) else { return self.message.clone() };
        let shown_identifier = |raw: &String| scrub::identifier(raw).filter(|word| !is_ours(word));
        let codes = [&said.code, &said.kind].into_iter().flatten();
        let code = codes.filter(|code| code.parse::<u16>() != Ok(status)).find_map(shown_identifier);
        let mut line = format!("HTTP {status}");
        if let Some(code) = code {
            line.push_str(&format!(" ({code})"));
        }
        line.push_str(": ");
        line.push_str(&self.message);
        if self.kind == LlmErrorKind::UnsupportedParameter
            && let Some(parameter) = said.param.as_ref().and_then(shown_identifier)
        {
            line.push_str(&format!("; it names the parameter {parameter}"));
        }
        if matches!(self.kind, LlmErrorKind::Quota | LlmErrorKind::ContextTooLong) {
            let numbers = numbers(&said.message);
            if !numbers.is_empty() {
                line.push_str(&format!("; it names {}", numbers.join(", ")));
            }
        }
        if let Some(delay) = self.delay.filter(|_| self.kind == LlmErrorKind::RetryLater) {
            line.push_str(&format!("; it asks to wait {}", shown(delay)));
        }
        line
    }
}

/// A delay for people: whole seconds, or milliseconds below one.
pub(crate) fn shown(delay: Duration) -> String {
    if delay < Duration::from_secs(1) {
        format!("{} ms", delay.as_millis())
    } else {
        format!("{} s", delay.as_secs())
    }
}

/// Up to four numbers that stand alone in a message about limits: what was asked for and what is allowed.
fn numbers(message: &str) -> Vec<String> {
    message
        .split(|character: char| character.is_whitespace() || "(),.:;".contains(character))
        .filter(|word| {
            (2..=9).contains(&word.len()) && word.chars().all(|character| character.is_ascii_digit())
        })
        .take(4)
        .map(str::to_owned)
        .collect()
}

fn is_quota(status: u16, seen: &str, names_a_short_delay: bool) -> bool {
    const CODES: &[&str] = &[
        "insufficient_quota",
        "insufficient_balance",
        "billing_hard_limit",
        "billing_not_active",
        "arrearage",
        "accountoverdue",
        "exceeded_current_quota",
        "perday",
        "tokens per day",
        "requests per day",
        "\n1113\n",
        "budget_exceeded",
        "budget has been exceeded",
        "allocationquota",
        "freetier",
        "limit: 0,",
    ];
    const PHRASES: &[&str] = &[
        "insufficient balance",
        "余额不足",
        "欠费",
        "exceeded your current quota",
        "more credits",
        "credit balance",
        "out of credits",
        "no credits",
        "quota exceeded",
        "payment required",
        "recharge",
        "available credits",
        "spending limit",
    ];
    let any = |words: &[&str]| words.iter().any(|word| seen.contains(word));
    // Gemini uses the same words for a limit per minute, and then says when to come back.
    status == 402 || any(CODES) || (any(PHRASES) && !names_a_short_delay)
}

fn is_too_long(status: u16, seen: &str) -> bool {
    const WORDS: &[&str] = &[
        "context_length_exceeded",
        "exceed_context_size",
        "contextwindowexceeded",
        "string_above_max_length",
        "context length",
        "maximum context",
        "context window",
        "context size",
        "too many tokens",
        "prompt is too long",
        "input is too long",
        "range of input length",
        "input length",
        "reduce the length",
        "request too large",
        "max_prompt_tokens",
        "tokens_limit_reached",
        "prompt tokens exceed",
        "token limit exceeded",
        "上下文",
        "超长",
    ];
    let refused = (400..500).contains(&status) || status == 500;
    status == 413 || (refused && WORDS.iter().any(|word| seen.contains(word)))
}

const FILTER_WORDS: &[&str] = &[
    "content_filter",
    "contentfilter",
    "data_inspection_failed",
    "datainspectionfailed",
    "content_policy",
    "content management policy",
    "inappropriate content",
    "was flagged",
    "moderation",
    "\n1301\n",
    "responsibleai",
    "敏感",
];

const CREDENTIAL_WORDS: &[&str] = &[
    "invalid_api_key",
    "invalid api key",
    "incorrect api key",
    "api key not valid",
    "api_key_invalid",
    "authentication_error",
    "authentication failed",
    "unauthenticated",
    "no auth credentials",
];

const UNKNOWN_MODEL_WORDS: &[&str] = &[
    "model_not_found",
    "model_not_exist",
    "model not exist",
    "modelnotfound",
    "invalid_model",
    "unknown_model",
    "unknown model",
    "no such model",
    "not a valid model",
    "deploymentnotfound",
    "model not found",
    "invalid model",
    "no endpoints found",
    "decommissioned",
    "model_not_supported",
];

/// "The model `x` does not exist", in the many wordings of it.
fn says_model_is_missing(seen: &str) -> bool {
    const MISSING: &[&str] = &[
        "does not exist",
        "not found",
        "not exist",
        "is not available",
        "no access to",
        "not have access",
        "不存在",
    ];
    (seen.contains("model") || seen.contains("模型")) && MISSING.iter().any(|word| seen.contains(word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::shape;
    use super::*;

    fn kind(status: u16, body: serde_json::Value) -> (LlmErrorKind, Retry) {
        let failure = Failure::classify(status, &shape::read(&body));
        (failure.kind, failure.retry)
    }

    #[test]
    fn a_message_holds_our_words_numbers_and_codes_only_p3() {
        let said = shape::read(&json!({"error": {
            "message": "This request requires more credits. You requested up to 65536 tokens, but can only afford 3919. SECRET",
            "code": 402,
        }}));
        let error = Failure::classify(402, &said).into_error("openrouter", None, |_| false);
        assert_eq!(
            error.to_string(),
            "quota: openrouter: HTTP 402: out of credit or over a quota; check the account's billing; it names 65536, 3919"
        );
        assert!(!format!("{error:?}").contains("SECRET"));
        assert!(error.endpoint_text().unwrap().contains("requires more credits"));
    }

    #[test]
    fn the_same_words_with_a_short_delay_are_a_rate_limit() {
        let words = "You exceeded your current quota, please check your plan";
        let minute = json!([{"error": {"code": 429, "message": words, "details": [
            {"violations": [{"quotaId": "GenerateRequestsPerMinutePerProject"}]}, {"retryDelay": "26s"}]}}]);
        assert_eq!(kind(429, minute), (LlmErrorKind::RetryLater, Retry::Backoff));
        let day = json!([{"error": {"code": 429, "message": words, "details": [
            {"violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}, {"retryDelay": "26s"}]}}]);
        assert_eq!(kind(429, day), (LlmErrorKind::Quota, Retry::Never));
    }

    #[test]
    fn statuses_alone_are_sorted_too() {
        for (status, expected) in [
            (400, (LlmErrorKind::UnsupportedParameter, Retry::Never)),
            (401, (LlmErrorKind::Credentials, Retry::Never)),
            (402, (LlmErrorKind::Quota, Retry::Never)),
            (403, (LlmErrorKind::Credentials, Retry::Never)),
            (404, (LlmErrorKind::UnknownModel, Retry::Never)),
            (408, (LlmErrorKind::RetryLater, Retry::Backoff)),
            (409, (LlmErrorKind::RetryLater, Retry::Backoff)),
            (413, (LlmErrorKind::ContextTooLong, Retry::Never)),
            (429, (LlmErrorKind::RetryLater, Retry::Backoff)),
            (500, (LlmErrorKind::RetryLater, Retry::Once)),
            (503, (LlmErrorKind::RetryLater, Retry::Backoff)),
            (529, (LlmErrorKind::RetryLater, Retry::Backoff)),
        ] {
            assert_eq!(kind(status, json!({})), expected, "{status}");
        }
    }

    proptest! {
        #[test]
        fn no_body_makes_the_classifier_panic(status in any::<u16>(), body in shape::tests::any_json()) {
            let failure = Failure::classify(status, &shape::read(&body));
            let error = failure.into_error("x", Some("key"), |_| false);
            prop_assert!(!error.message.contains('\n'));
        }
    }
}
