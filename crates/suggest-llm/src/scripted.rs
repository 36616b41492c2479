use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::error::{LlmError, LlmErrorKind};
use crate::llm::{Llm, TransferNeed};
use crate::reply::LlmReply;
use crate::request::LlmRequest;

type Answer = Pin<Box<dyn Future<Output = Result<LlmReply, LlmError>> + Send>>;
type Handler = Box<dyn FnOnce(LlmRequest) -> Answer + Send>;

/// What a [`ScriptedLlm`] does with one call.
enum Step {
    Answer(Result<LlmReply, LlmError>),
    Hang,
    Run(Handler),
}

/// A provider for tests: it plays a queue of answers and keeps every request.
///
/// Steps are taken in the order in which calls are first polled. A call beyond the script fails with the error `empty`,
/// unless [`ScriptedLlm::otherwise`] gave a standing answer. Cheap to clone: clones share script and record.
///
/// ```
/// # use std::time::Duration;
/// # use suggest_llm::*;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let model = ScriptedLlm::new().reply("NEXT: Add a test for parse()").hang();
/// let request = LlmRequest::new(
///     Voice::Director,
///     ModelId::parse("scripted/one").unwrap(),
///     vec![Message::user("What next?")],
///     Duration::from_secs(1),
/// );
/// assert_eq!(model.complete(&request).await.unwrap().text, "NEXT: Add a test for parse()");
/// assert_eq!(model.requests().len(), 1);
/// # }
/// ```
#[derive(Clone)]
pub struct ScriptedLlm {
    state: Arc<Mutex<State>>,
    transfer: TransferNeed,
}

struct State {
    steps: VecDeque<Step>,
    otherwise: Option<Result<LlmReply, LlmError>>,
    requests: Vec<LlmRequest>,
    in_flight: usize,
    cancelled: usize,
}

impl ScriptedLlm {
    /// A provider with an empty script that needs no transfer opt-in.
    #[must_use]
    pub fn new() -> Self {
        Self {
            state: Arc::new(Mutex::new(State {
                steps: VecDeque::new(),
                otherwise: None,
                requests: Vec::new(),
                in_flight: 0,
                cancelled: 0,
            })),
            transfer: TransferNeed::None,
        }
    }

    /// The same provider, claiming that its calls go to `need`.
    #[must_use]
    pub fn with_transfer_need(mut self, need: TransferNeed) -> Self {
        self.transfer = need;
        self
    }

    /// Then answer with this text, normally finished.
    #[must_use]
    pub fn reply(self, text: impl Into<String>) -> Self {
        self.answer(Ok(LlmReply::new(text)))
    }

    /// Then fail with this kind.
    #[must_use]
    pub fn fail(self, kind: LlmErrorKind) -> Self {
        self.answer(Err(LlmError::new(kind, "scripted failure")))
    }

    /// Then answer with exactly this.
    #[must_use]
    pub fn answer(self, answer: Result<LlmReply, LlmError>) -> Self {
        self.push(answer);
        self
    }

    /// Then never answer: the call ends only by being dropped.
    #[must_use]
    pub fn hang(self) -> Self {
        self.lock().steps.push_back(Step::Hang);
        self
    }

    /// Then do whatever `handler` does: wait for a gate, sleep, look at the request.
    #[must_use]
    pub fn run<F, A>(self, handler: F) -> Self
    where
        F: FnOnce(LlmRequest) -> A + Send + 'static,
        A: Future<Output = Result<LlmReply, LlmError>> + Send + 'static,
    {
        self.lock().steps.push_back(Step::Run(Box::new(move |request| Box::pin(handler(request)))));
        self
    }

    /// Answer every call beyond the script with this.
    #[must_use]
    pub fn otherwise(self, answer: Result<LlmReply, LlmError>) -> Self {
        self.lock().otherwise = Some(answer);
        self
    }

    /// Adds an answer to the end of the script of a provider that is in use already.
    pub fn push(&self, answer: Result<LlmReply, LlmError>) {
        self.lock().steps.push_back(Step::Answer(answer));
    }

    /// Every request so far, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<LlmRequest> {
        self.lock().requests.clone()
    }

    /// Calls that have begun and have neither answered nor been dropped.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.lock().in_flight
    }

    /// Calls that were dropped before they answered.
    #[must_use]
    pub fn cancelled(&self) -> usize {
        self.lock().cancelled
    }

    /// Steps of the script that no call has taken yet.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.lock().steps.len()
    }

    /// Nothing panics while the lock is held, so a poisoned lock is still consistent.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for ScriptedLlm {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ScriptedLlm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        formatter
            .debug_struct("ScriptedLlm")
            .field("remaining", &state.steps.len())
            .field("requests", &state.requests.len())
            .field("in_flight", &state.in_flight)
            .field("cancelled", &state.cancelled)
            .finish_non_exhaustive()
    }
}

/// Counts a call as in flight, and as cancelled when it is dropped unanswered.
struct Flight<'a> {
    model: &'a ScriptedLlm,
    answered: bool,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        let mut state = self.model.lock();
        state.in_flight = state.in_flight.saturating_sub(1);
        if !self.answered {
            state.cancelled += 1;
        }
    }
}

#[async_trait]
impl Llm for ScriptedLlm {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        let step = {
            let mut state = self.lock();
            state.requests.push(request.clone());
            state.in_flight += 1;
            state.steps.pop_front().or_else(|| state.otherwise.clone().map(Step::Answer))
        };
        let mut flight = Flight { model: self, answered: false };
        let answer = match step {
            Some(Step::Answer(answer)) => answer,
            Some(Step::Run(handler)) => handler(request.clone()).await,
            Some(Step::Hang) => std::future::pending().await,
            None => Err(LlmError::new(LlmErrorKind::Empty, "the script of this test provider has ended")),
        };
        flight.answered = true;
        answer
    }

    fn needs_transfer_opt_in(&self) -> TransferNeed {
        self.transfer
    }
}
