//! The client for OpenAI-compatible chat completions.
//!
//! `transport` talks, `sse` and `assemble` read, `shape` and `failure` sort errors, `adapt` learns which parameters are
//! refused, `retry` decides about another attempt. All but `transport` are free of IO.

mod adapt;
mod assemble;
mod body;
mod builder;
mod endpoint;
mod failure;
mod phase;
mod probe;
mod retry;
mod retry_after;
mod scrub;
mod shape;
mod sse;
mod tls;
mod transport;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use secrecy::{ExposeSecret, SecretString};
use tokio::time::{Instant, sleep, timeout};

pub use adapt::{CapField, SystemRole};
pub use builder::{ClientError, KeyHeader, OpenAiClientBuilder};
pub use probe::{ProbeCompletion, ProbeReport};
pub use retry::RetryPolicy;

pub(crate) use endpoint::Endpoint;

use crate::error::{LlmError, LlmErrorKind};
use crate::llm::{Llm, TransferNeed};
use crate::model_id::ModelId;
use crate::reply::{Finish, LlmReply};
use crate::request::{LlmRequest, Message};
use adapt::Memory;
use body::{Additions, Body};
use failure::Failure;
use phase::{Phase, PhaseCell};

/// A provider that speaks the chat completions protocol of OpenAI, as most endpoints do, each in its own way.
///
/// - Replies are streamed where the endpoint lets it, and count only when the endpoint says how they ended (rule L2).
/// - A parameter that the endpoint refuses is left out or renamed, and that is remembered per model (rule L4).
/// - Passing failures are retried inside the request's deadline, at the server's own pace where it names one.
/// - Dropping the future closes the connection (with HTTP/2: resets its stream).
/// - No redirect is followed, and a loopback endpoint is never reached through a proxy.
/// - It needs a tokio runtime with time and IO enabled.
///
/// One client serves any number of models and calls at once; share it in an `Arc`.
pub struct OpenAiClient {
    name: String,
    endpoint: Endpoint,
    http: reqwest::Client,
    key: Option<SecretString>,
    additions: Additions,
    retry: RetryPolicy,
    most_bytes: usize,
    memory: Memory,
}

/// Most adaptations within one call; each is a lesson that is not learnt twice.
const MOST_CHANGES: u32 = 8;

impl OpenAiClient {
    /// Settings for the endpoint at this base URL: with or without version, or the full address of its chat endpoint.
    #[must_use]
    pub fn builder(base_url: impl Into<String>) -> OpenAiClientBuilder {
        OpenAiClientBuilder::new(base_url.into())
    }

    /// What the client changed in its requests to this model because the endpoint refused it, one short phrase each.
    #[must_use]
    pub fn adapted(&self, model: &ModelId) -> Vec<String> {
        self.memory.describe(model.model())
    }

    async fn attempts(&self, request: &LlmRequest, phase: &PhaseCell) -> Result<LlmReply, Box<Failure>> {
        let started = Instant::now();
        let model = request.model.model();
        let (mut attempt, mut changes, mut plain) = (1_u32, 0_u32, false);
        loop {
            let mut form = self.memory.form(model);
            form.stream &= !plain;
            let body = Body::new(request, &form, &self.additions);
            let mut failure = match self.once(request, &body, phase).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            if changes < MOST_CHANGES
                && let Some(change) = form.change_for(&failure, &body.sent)
            {
                self.memory.learn(model, &change);
                changes += 1;
                continue;
            }
            if failure.empty_stream && body.sent.stream {
                // The same question without streaming often brings the real error, or the answer.
                plain = true;
                continue;
            }
            let remaining = request.deadline.saturating_sub(started.elapsed());
            match self.retry.next(failure.retry, failure.delay, attempt, remaining, retry::jitter()) {
                Some(delay) => {
                    phase.set(Phase::Pausing);
                    sleep(delay).await;
                    attempt += 1;
                }
                None => {
                    failure.attempts = attempt;
                    return Err(failure);
                }
            }
        }
    }

    async fn once(
        &self,
        request: &LlmRequest,
        body: &Body,
        phase: &PhaseCell,
    ) -> Result<LlmReply, Box<Failure>> {
        let http = self.http.post(self.endpoint.chat().clone()).json(&body.json);
        let mut reply = transport::chat(http, self.most_bytes, phase).await?;
        reply.output_cap = body.cap;
        reply.starved = body.cap.is_some() && reply.finish == Finish::Length;
        reply.prompt_cut = was_cut(request.characters(), &reply);
        Ok(reply)
    }

    fn error(&self, failure: Failure, sent: &[Message]) -> LlmError {
        let key = self.key.as_ref().map(ExposeSecret::expose_secret);
        let is_ours = |word: &str| {
            sent.iter().any(|message| message.content.contains(word))
                || key.is_some_and(|key| key.contains(word))
        };
        failure.into_error(&self.name, key, is_ours)
    }

    fn timed_out(&self, deadline: Duration, phase: &PhaseCell) -> LlmError {
        let message =
            format!("{}: no reply within {}, {}", self.name, failure::shown(deadline), phase.describe());
        LlmError::new(LlmErrorKind::Timeout, message)
    }
}

/// Whether so few input tokens were counted that a part of the prompt must be missing. Eight characters in a token are
/// beyond any ordinary text; short prompts are not judged, and neither are counts that leave out what was cached.
fn was_cut(characters: usize, reply: &LlmReply) -> bool {
    const LEAST: u64 = 8000;
    let characters = u64::try_from(characters).unwrap_or(u64::MAX);
    match (reply.usage.input_tokens, reply.usage.cached_tokens.unwrap_or(0)) {
        (Some(tokens), 0) if tokens > 0 => characters >= LEAST && tokens.saturating_mul(8) < characters,
        _ => false,
    }
}

#[async_trait]
impl Llm for OpenAiClient {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        let phase = PhaseCell::default();
        match timeout(request.deadline, self.attempts(request, &phase)).await {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(failure)) => Err(self.error(*failure, &request.messages)),
            Err(_) => Err(self.timed_out(request.deadline, &phase)),
        }
    }

    fn needs_transfer_opt_in(&self) -> TransferNeed {
        if self.endpoint.is_loopback() { TransferNeed::Loopback } else { TransferNeed::Network }
    }
}

impl fmt::Debug for OpenAiClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("OpenAiClient")
            .field("name", &self.name)
            .field("endpoint", &self.endpoint)
            .field("key", &self.key.as_ref().map(|_| "[redacted]"))
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}
