//! What the engine's tests share: a model that counts, an observer that records, and whole turns in one call.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "each test file uses its own part, and a helper may fail as a test may"
)]

use async_trait::async_trait;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use suggest_core::{
    Author, Config, EndReason, Event, LoopReport, Message, Origin, SessionSetup, State, Status, Turn, Usage,
    Voice,
};
use suggest_engine::{Engine, NoHost, Observer, SessionHandle};
use suggest_llm::{Llm, LlmError, LlmReply, LlmRequest, TransferNeed};

type Answer = dyn Fn(&LlmRequest) -> Result<LlmReply, LlmError> + Send + Sync;

/// A model that takes its time, keeps requests and knows how many were ever in flight at once.
pub struct SlowModel {
    delay: Duration,
    need: TransferNeed,
    answer: Box<Answer>,
    requests: Mutex<Vec<(tokio::time::Instant, LlmRequest)>>,
    in_flight: AtomicUsize,
    most: AtomicUsize,
    dropped: AtomicUsize,
}

impl SlowModel {
    /// Answers each session with its own subject.
    pub fn new(delay: Duration) -> Self {
        Self::answering(delay, |request| Ok(LlmReply::new(offer_for(&subject_of(request)))))
    }

    pub fn answering(
        delay: Duration,
        answer: impl Fn(&LlmRequest) -> Result<LlmReply, LlmError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            delay,
            need: TransferNeed::None,
            answer: Box::new(answer),
            requests: Mutex::new(Vec::new()),
            in_flight: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            dropped: AtomicUsize::new(0),
        }
    }

    pub fn with_need(mut self, need: TransferNeed) -> Self {
        self.need = need;
        self
    }

    pub fn calls(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    pub fn requests(&self) -> Vec<LlmRequest> {
        self.requests.lock().unwrap().iter().map(|(_, request)| request.clone()).collect()
    }

    pub fn times(&self) -> Vec<tokio::time::Instant> {
        self.requests.lock().unwrap().iter().map(|(time, _)| *time).collect()
    }

    pub fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::SeqCst)
    }

    pub fn most_in_flight(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }

    pub fn dropped(&self) -> usize {
        self.dropped.load(Ordering::SeqCst)
    }
}

struct Flight<'a> {
    model: &'a SlowModel,
    answered: bool,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.model.in_flight.fetch_sub(1, Ordering::SeqCst);
        if !self.answered {
            self.model.dropped.fetch_add(1, Ordering::SeqCst);
        }
    }
}

#[async_trait]
impl Llm for SlowModel {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        let now = self.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        self.requests.lock().unwrap().push((tokio::time::Instant::now(), request.clone()));
        let mut flight = Flight { model: self, answered: false };
        tokio::time::sleep(self.delay).await;
        flight.answered = true;
        (self.answer)(request)
    }

    fn needs_transfer_opt_in(&self) -> TransferNeed {
        self.need
    }
}

/// The newest `ledger-N` in what the model reads.
pub fn subject_of(request: &LlmRequest) -> String {
    let text = &request.messages.last().unwrap().content;
    let start = text.rfind("ledger-").expect("the slice names the subject");
    let tail = text.get(start..).unwrap();
    tail.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

pub fn offer_for(subject: &str) -> String {
    format!("NEXT: Add a test for the totals of {subject}")
}

/// Only the director speaks.
pub fn config(changes: serde_json::Value) -> Config {
    let base = Config::from_json(&serde_json::json!({
        "promptModel": "acme/one",
        "cards": { "enabled": false },
        "summary": { "enabled": false },
    }))
    .unwrap();
    base.with_changes(&changes).unwrap()
}

pub fn plain() -> Config {
    config(serde_json::json!({}))
}

pub fn engine(model: &Arc<SlowModel>) -> Engine {
    Engine::builder().model(Arc::clone(model) as Arc<dyn Llm>).build().unwrap()
}

pub fn open(engine: &Engine, id: &str) -> SessionHandle {
    engine.open_session(SessionSetup::new(id), plain(), Arc::new(NoHost))
}

pub fn begin_turn(session: &SessionHandle, turn: u64, origin: Origin, subject: &str) {
    session.event(Event::Busy);
    session.event(Event::TurnStarted { turn: Turn::new(turn), origin: Some(origin) });
    let author = if origin == Origin::Human { Author::Human } else { Author::Suggest };
    session.event(Event::Message(Message::new(author, format!("Sum up {subject}, step {turn}."))));
}

pub fn end_turn(session: &SessionHandle, turn: u64, subject: &str) {
    let done = format!("Step {turn}: the totals of {subject} are summed in src/{subject}.rs.");
    session.event(Event::Message(Message::new(Author::Assistant, done)));
    session.event(Event::TurnEnded { turn: Turn::new(turn), reason: EndReason::Completed });
    session.event(Event::Idle);
}

/// One completed turn of the human.
pub fn complete_turn(session: &SessionHandle, turn: u64, subject: &str) {
    begin_turn(session, turn, Origin::Human, subject);
    end_turn(session, turn, subject);
}

/// Waits until the director has come to rest.
pub async fn settled(session: &SessionHandle) -> Arc<State> {
    session.watch().wait_for(|state| state.status != Status::Analyzing).await.expect("the session lives")
}

pub fn offer_text(state: &State) -> Option<&str> {
    state.offer.as_ref().map(|offer| offer.text.as_str())
}

/// Keeps what it sees; panics at everything if told so.
#[derive(Default)]
pub struct Seen {
    pub panics: bool,
    pub states: Mutex<Vec<(String, Status)>>,
    pub meters: Mutex<Vec<(String, Voice, u64)>>,
    pub reports: AtomicUsize,
}

impl Observer for Seen {
    fn on_state(&self, session: &str, state: &State) {
        self.states.lock().unwrap().push((session.to_owned(), state.status));
        assert!(!self.panics, "scripted panic of the observer");
    }

    fn on_meter(&self, session: &str, voice: Voice, usage: &Usage) {
        self.meters.lock().unwrap().push((session.to_owned(), voice, usage.calls));
        assert!(!self.panics, "scripted panic of the observer");
    }

    fn on_report(&self, _session: &str, _report: &LoopReport) {
        self.reports.fetch_add(1, Ordering::SeqCst);
        assert!(!self.panics, "scripted panic of the observer");
    }
}
