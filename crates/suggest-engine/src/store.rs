//! What outlives the process.

use crate::panics::contain_async;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use suggest_core::{CardBook, OfferId, SessionSetup, Ticket};

/// Why a store failed, in one line without contents.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store failed: {message}")]
pub struct StoreError {
    message: String,
}

impl StoreError {
    /// An error with its line; name the place and the remedy, never what was to be stored.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// Keeps what a session must not forget: its cards, its summary, and the numbers that must not be used twice.
///
/// Each value is an object with a `kind`; of one kind only the newest counts. A failure is logged and loses that value
/// alone: no session ever waits for its store.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Keeps `what`, replacing what the session kept of the same `kind`.
    ///
    /// # Errors
    ///
    /// When it could not be kept.
    async fn save(&self, session: &str, what: &Value) -> Result<(), StoreError>;

    /// What the session kept of this `kind`.
    ///
    /// # Errors
    ///
    /// When it could not be read. A session that kept nothing is no error.
    async fn load(&self, session: &str, kind: &str) -> Result<Option<Value>, StoreError>;
}

/// Whether the host's process is the one in which the rounds were spent (rule A6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostProcess {
    /// The same: only the engine was restarted, and spent rounds stay spent.
    Same,
    /// A new one: the round budget begins afresh.
    New,
}

/// The numbers of one session that must not be used twice, restarts included (rules D11, A6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// The number of the next offer.
    pub next_offer: u64,
    /// The number of the next submission.
    pub next_ticket: Ticket,
    /// Rounds that the loop spent.
    pub spent_rounds: u32,
}

impl Counters {
    pub(crate) const KIND: &str = "counters";

    pub(crate) fn of(setup: &SessionSetup) -> Self {
        Self {
            next_offer: setup.first_offer,
            next_ticket: setup.first_ticket,
            spent_rounds: setup.spent_rounds,
        }
    }

    pub(crate) fn saw_offer(&mut self, offer: OfferId) {
        self.next_offer = self.next_offer.max(offer.number().saturating_add(1));
    }

    pub(crate) fn saw_ticket(&mut self, ticket: Ticket) {
        self.next_ticket = self.next_ticket.max(ticket.next());
    }

    /// As a value for a [`Store`].
    pub(crate) fn to_value(self) -> Value {
        serde_json::json!({
            "kind": Self::KIND,
            "next_offer": self.next_offer,
            "next_ticket": self.next_ticket,
            "spent_rounds": self.spent_rounds,
        })
    }

    /// The setup, going on where these counters stopped.
    #[must_use]
    pub fn resume(self, setup: SessionSetup, process: HostProcess) -> SessionSetup {
        let rounds = match process {
            HostProcess::Same => self.spent_rounds.max(setup.spent_rounds),
            HostProcess::New => setup.spent_rounds,
        };
        let (offer, ticket) =
            (self.next_offer.max(setup.first_offer), self.next_ticket.max(setup.first_ticket));
        setup.resuming(offer, ticket, rounds)
    }
}

/// Reads a session's counters.
pub(crate) async fn load_counters(store: &dyn Store, session: &str) -> Result<Option<Counters>, StoreError> {
    let loaded = contain_async(async { store.load(session, Counters::KIND).await })
        .await
        .unwrap_or_else(|_| Err(StoreError::new("it panicked while reading")))?;
    loaded
        .map(|value| {
            serde_json::from_value(value)
                .map_err(|_| StoreError::new(format!("the counters of session {session} could not be read")))
        })
        .transpose()
}

/// Reads what was kept of a session's cards.
pub(crate) async fn load_cards(store: &dyn Store, session: &str) -> Result<Option<CardBook>, StoreError> {
    let loaded = contain_async(async { store.load(session, CardBook::KIND).await })
        .await
        .unwrap_or_else(|_| Err(StoreError::new("it panicked while reading")))?;
    loaded
        .map(|mut value| {
            if let Some(fields) = value.as_object_mut() {
                fields.remove("kind");
            }
            serde_json::from_value(value)
                .map_err(|_| StoreError::new(format!("the cards of session {session} could not be read")))
        })
        .transpose()
}

/// A store that forgets everything with the process: for tests and for engines that restart inside one process.
#[derive(Debug, Default)]
pub struct MemoryStore {
    kept: Mutex<HashMap<(String, String), Value>>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn save(&self, session: &str, what: &Value) -> Result<(), StoreError> {
        let kind = what.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert((session.to_owned(), kind), what.clone());
        Ok(())
    }

    async fn load(&self, session: &str, kind: &str) -> Result<Option<Value>, StoreError> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(kept.get(&(session.to_owned(), kind.to_owned())).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_and_rounds_belong_to_the_host_process_d11_a6() {
        let counters = Counters { next_offer: 7, next_ticket: Ticket::new(3), spent_rounds: 5 };
        let same = counters.resume(SessionSetup::new("s"), HostProcess::Same);
        assert_eq!((same.first_offer, same.first_ticket, same.spent_rounds), (7, Ticket::new(3), 5));
        let new = counters.resume(SessionSetup::new("s"), HostProcess::New);
        assert_eq!((new.first_offer, new.first_ticket, new.spent_rounds), (7, Ticket::new(3), 0));
    }

    #[tokio::test]
    async fn counters_survive_the_store_and_a_damaged_record_is_an_error() {
        let store = MemoryStore::new();
        assert_eq!(load_counters(&store, "s").await, Ok(None));
        let counters = Counters { next_offer: 2, next_ticket: Ticket::new(1), spent_rounds: 0 };
        store.save("s", &counters.to_value()).await.unwrap();
        assert_eq!(load_counters(&store, "s").await, Ok(Some(counters)));
        store.save("s", &serde_json::json!({ "kind": "counters" })).await.unwrap();
        assert!(load_counters(&store, "s").await.is_err());
    }
}
