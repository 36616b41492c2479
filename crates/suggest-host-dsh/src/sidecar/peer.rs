//! Requests to the plugin and their answers.

use super::message::{self, Failure};
use super::outbox::Outbox;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// The most requests that wait for an answer. The engine asks for a handful a session.
const MOST_WAITING: usize = 16 * 1024;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Unanswered {
    /// The plugin is gone, or does not read.
    Gone,
    /// The plugin answered with an error, whose `data` this is.
    Refused(Value),
    /// The answer does not fit the protocol.
    Unreadable,
}

type Answer = Result<Value, Unanswered>;

/// The plugin at the other end.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) outbox: Arc<Outbox>,
    waiting: Mutex<Waiting>,
    next_request: AtomicU64,
    next_call: AtomicU64,
    next_state: AtomicU64,
    late: AtomicU64,
}

#[derive(Debug, Default)]
struct Waiting {
    answers: HashMap<u64, oneshot::Sender<Answer>>,
    closed: bool,
}

impl Peer {
    pub(crate) fn new(outbox: Arc<Outbox>) -> Self {
        Self {
            outbox,
            waiting: Mutex::default(),
            next_request: AtomicU64::new(1),
            next_call: AtomicU64::new(1),
            next_state: AtomicU64::new(1),
            late: AtomicU64::new(0),
        }
    }

    /// Sends a request at the first poll and waits for its answer. Dropping it forgets the request; an answer that
    /// comes later is ignored.
    pub(crate) async fn request<T: DeserializeOwned>(
        &self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<T, Unanswered> {
        let id = self.next_request.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        {
            let mut waiting = self.lock();
            if waiting.closed || waiting.answers.len() >= MOST_WAITING {
                return Err(Unanswered::Gone);
            }
            waiting.answers.insert(id, sender);
        }
        let _forget = Forget { peer: self, id };
        self.outbox.push(message::request(id, method, params)).map_err(|_| Unanswered::Gone)?;
        let value = receiver.await.map_err(|_| Unanswered::Gone)??;
        serde_json::from_value(value).map_err(|_| Unanswered::Unreadable)
    }

    /// Sends a notification; one that finds the queue full is lost.
    pub(crate) fn notify(&self, method: &str, params: &impl Serialize) {
        let _ = self.outbox.push(message::notification(method, params));
    }

    /// Takes an answer. One that nobody waits for, a second one included, is counted and ignored.
    pub(crate) fn answered(&self, id: u64, outcome: Result<Value, Failure>) {
        let sender = self.lock().answers.remove(&id);
        match sender {
            Some(sender) => {
                let _ = sender.send(outcome.map_err(|failure| Unanswered::Refused(failure.data)));
            }
            None => {
                self.late.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Nothing will be answered any more.
    pub(crate) fn close(&self) {
        let mut waiting = self.lock();
        waiting.closed = true;
        waiting.answers.clear();
    }

    /// How many answers came that nobody waited for.
    pub(crate) fn late(&self) -> u64 {
        self.late.load(Ordering::Relaxed)
    }

    /// A number for a model call.
    pub(crate) fn next_call(&self) -> u64 {
        self.next_call.fetch_add(1, Ordering::Relaxed)
    }

    /// A number for a state.
    pub(crate) fn next_state(&self) -> u64 {
        self.next_state.fetch_add(1, Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets a request when nobody waits for its answer any more.
struct Forget<'a> {
    peer: &'a Peer,
    id: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.peer.lock().answers.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn answers_find_their_request_once_and_late_ones_are_counted() {
        let peer = Arc::new(Peer::new(Arc::default()));
        let asked = tokio::spawn({
            let peer = Arc::clone(&peer);
            async move { peer.request::<Value>("withdraw", &json!({})).await }
        });
        let dropped =
            tokio::time::timeout(Duration::from_secs(1), peer.request::<Value>("submit", &json!({}))).await;
        assert!(dropped.is_err());
        peer.answered(1, Ok(json!(1)));
        peer.answered(1, Ok(json!(2)));
        peer.answered(2, Ok(json!(3)));
        peer.answered(99, Err(Failure { data: Value::Null }));
        // The first request is one of the two, whichever task ran first; the other was dropped.
        assert_eq!(peer.late(), 3);
        peer.close();
        let answer = asked.await.unwrap();
        assert!(answer == Ok(json!(1)) || answer == Ok(json!(3)), "{answer:?}");
        assert_eq!(peer.request::<Value>("submit", &json!({})).await, Err(Unanswered::Gone));
    }
}
