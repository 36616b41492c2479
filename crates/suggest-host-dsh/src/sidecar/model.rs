//! Models behind the host's own model service.

use super::efforts::Efforts;
use super::peer::{Peer, Unanswered};
use super::protocol::{CallFailure, CancelParams, CompleteMessage, CompleteParams, CompleteResult};
use async_trait::async_trait;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;
use suggest_core::ErrorKind;
use suggest_llm::{Finish, Llm, LlmError, LlmErrorKind, LlmReply, LlmRequest, Role, TransferNeed, Usage};
use tokio::time::Instant;

/// How often a call is made at most: the host itself makes each only once (rule L4).
const ATTEMPTS: u32 = 3;

/// No answer to one line is longer, in bytes; a longer one is no answer.
const LONGEST_ANSWER: usize = 1024 * 1024;

/// The host's model service, asked on behalf of one session. What leaves the machine is the host's own transfer, with
/// the providers and keys that its user configured there, so that rule P1 asks for nothing more.
pub(crate) struct HostModel {
    peer: Arc<Peer>,
    efforts: Arc<Efforts>,
    session: String,
}

impl HostModel {
    pub(crate) fn new(peer: Arc<Peer>, efforts: Arc<Efforts>, session: &str) -> Self {
        Self { peer, efforts, session: session.to_owned() }
    }

    async fn once(
        &self,
        request: &LlmRequest,
        effort: Option<&String>,
        until: Instant,
    ) -> Result<LlmReply, LlmError> {
        let left = until.saturating_duration_since(Instant::now());
        let mut flight = Flight { peer: &self.peer, call: self.peer.next_call(), open: true };
        let params = CompleteParams {
            call: flight.call,
            session: &self.session,
            provider: request.model.provider(),
            model: request.model.model(),
            messages: request
                .messages
                .iter()
                .map(|message| CompleteMessage { role: role(message.role), text: &message.content })
                .collect(),
            max_tokens: request.max_output_tokens,
            reasoning_effort: effort.cloned(),
            deadline_ms: u64::try_from(left.as_millis()).unwrap_or(u64::MAX),
        };
        let asked = self.peer.request::<CompleteResult>("model/complete", &params);
        let Ok(answer) = tokio::time::timeout(left, asked).await else {
            return Err(timed_out(request));
        };
        flight.open = false;
        match answer {
            Ok(result) => reply(result, request),
            Err(Unanswered::Gone) => {
                Err(LlmError::new(LlmErrorKind::Cancelled, "the host ended before its model answered"))
            }
            Err(Unanswered::Unreadable) => Err(LlmError::new(
                LlmErrorKind::Malformed,
                "the host's model service gave no readable answer",
            )),
            Err(Unanswered::Refused(data)) => Err(failure(serde_json::from_value(data).ok())),
        }
    }
}

#[async_trait]
impl Llm for HostModel {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        let until = Instant::now() + request.deadline;
        let effort = self.efforts.of(&self.peer, request).await;
        let mut attempt = 1;
        loop {
            let error = match self.once(request, effort.as_ref(), until).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let wait = error.retry_after.unwrap_or_else(|| backoff(attempt));
            let fits = Instant::now().checked_add(wait).is_some_and(|next| next < until);
            if error.kind != LlmErrorKind::RetryLater || attempt >= ATTEMPTS || !fits {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
            attempt = attempt.saturating_add(1);
        }
    }

    fn needs_transfer_opt_in(&self) -> TransferNeed {
        TransferNeed::None
    }
}

/// A call under way: when nobody waits for it any more, the host is told.
struct Flight<'a> {
    peer: &'a Peer,
    call: u64,
    open: bool,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if self.open {
            self.peer.notify("model/cancel", &CancelParams { call: self.call });
        }
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

/// Half a second, then one, each up to a half longer or shorter, so that sessions do not come back together.
fn backoff(attempt: u32) -> Duration {
    let base = Duration::from_millis(500).saturating_mul(1_u32 << attempt.saturating_sub(1).min(8));
    let jitter = u32::try_from(RandomState::new().hash_one(attempt) % 1_000).unwrap_or(500);
    base / 2 + base * jitter / 1_000
}

fn timed_out(request: &LlmRequest) -> LlmError {
    LlmError::new(
        LlmErrorKind::Timeout,
        format!("timed out after {} s", request.deadline.as_secs_f64().ceil()),
    )
}

fn reply(result: CompleteResult, request: &LlmRequest) -> Result<LlmReply, LlmError> {
    if result.text.len() > LONGEST_ANSWER {
        return Err(LlmError::new(
            LlmErrorKind::Malformed,
            format!("the model's answer has {} bytes; no answer has as many", result.text.len()),
        ));
    }
    let finish = match result.finish.as_deref() {
        None | Some("stop" | "end" | "completed") => Finish::Stop,
        Some("length" | "max-tokens" | "max_tokens") => Finish::Length,
        Some("content_filter" | "content-filter" | "filtered") => Finish::ContentFilter,
        Some("tool_calls" | "tool-calls" | "tool-use") => Finish::ToolCalls,
        Some(_) => Finish::Other,
    };
    let mut reply = LlmReply::new(result.text).with_finish(finish).with_usage(Usage {
        input_tokens: result.usage.input_tokens,
        output_tokens: result.usage.output_tokens,
        cached_tokens: result.usage.cached_tokens,
        reasoning_tokens: result.usage.reasoning_tokens,
    });
    reply.reasoning = result.reasoning || result.usage.reasoning_tokens.is_some_and(|tokens| tokens > 0);
    reply.output_cap = request.max_output_tokens;
    reply.starved = finish == Finish::Length && reply.output_cap.is_some();
    Ok(reply)
}

/// The error in our own words: the host's message may hold anything.
fn failure(told: Option<CallFailure>) -> LlmError {
    let Some(told) = told else {
        return LlmError::new(LlmErrorKind::Network, "the host's model service failed and did not say why");
    };
    let mut message = told.kind.describe().to_owned();
    let code = told.code.filter(|code| {
        !code.is_empty()
            && code.len() <= 40
            && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    });
    match (told.status, code) {
        (Some(status), Some(code)) => message.push_str(&format!(" ({code}, status {status})")),
        (Some(status), None) => message.push_str(&format!(" (status {status})")),
        (None, Some(code)) => message.push_str(&format!(" ({code})")),
        (None, None) => {}
    }
    LlmError::new(kind(told.kind), message).with_retry_after(told.retry_after_ms.map(Duration::from_millis))
}

fn kind(kind: ErrorKind) -> LlmErrorKind {
    LlmErrorKind::ALL.into_iter().find(|known| known.as_str() == kind.code()).unwrap_or(LlmErrorKind::Network)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_kind_of_error_is_the_same_on_both_sides_l3() {
        for known in LlmErrorKind::ALL {
            let told: CallFailure = serde_json::from_value(json!({ "kind": known.as_str() })).unwrap();
            assert_eq!(failure(Some(told)).kind, known);
        }
        assert_eq!(failure(None).kind, LlmErrorKind::Network);
    }

    #[test]
    fn the_hosts_own_words_do_not_come_through_p3() {
        let told = json!({ "kind": "retry-later", "code": "SERVER", "status": 503, "retryAfterMs": 1_500,
            "message": "secret" });
        let error = failure(serde_json::from_value(told).ok());
        assert_eq!(error.message, "the provider is busy; try again later (SERVER, status 503)");
        assert_eq!(error.retry_after, Some(Duration::from_millis(1_500)));
        let odd = json!({ "kind": "quota", "code": "sk-secret" });
        assert_eq!(failure(serde_json::from_value(odd).ok()).message, "the provider's quota is used up");
    }

    #[test]
    fn waits_grow_and_stay_short() {
        for _ in 0..50 {
            assert!((250..=750).contains(&backoff(1).as_millis()));
            assert!((500..=1_500).contains(&backoff(2).as_millis()));
        }
    }
}
