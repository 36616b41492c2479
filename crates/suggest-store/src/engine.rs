//! The store as the engine sees it: what the cores persist is taken up by the manager.

use crate::error::ActError;
use crate::store::CardStore;
use async_trait::async_trait;
use serde_json::Value;
use std::convert::Infallible;
use suggest_core::CardBook;
use suggest_engine::{Store, StoreError};

fn failed(error: &dyn std::fmt::Display) -> StoreError {
    StoreError::new(error.to_string())
}

#[async_trait]
impl Store for CardStore {
    async fn save(&self, session: &str, what: &Value) -> Result<(), StoreError> {
        let (store, session, what) = (self.clone(), session.to_owned(), what.clone());
        let saved = tokio::task::spawn_blocking(move || store.save_now(&session, what)).await;
        saved.map_err(|_| StoreError::new("it stopped in the middle of writing"))?
    }

    async fn load(&self, session: &str, kind: &str) -> Result<Option<Value>, StoreError> {
        let (store, session, kind) = (self.clone(), session.to_owned(), kind.to_owned());
        let loaded = tokio::task::spawn_blocking(move || store.load_now(&session, &kind)).await;
        loaded.map_err(|_| StoreError::new("it stopped in the middle of reading"))?
    }
}

impl CardStore {
    fn save_now(&self, session: &str, mut what: Value) -> Result<(), StoreError> {
        let kind = what.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        if kind == CardBook::KIND {
            if let Some(fields) = what.as_object_mut() {
                fields.remove("kind");
            }
            let book: CardBook = serde_json::from_value(what)
                .map_err(|_| StoreError::new("the cards of a session have an unknown shape"))?;
            return self
                .change(|manager, now| {
                    manager.absorb(session, &book, now);
                })
                .map_err(|error| failed(&error));
        }
        self.transact(|_, rest, _| {
            rest.keep(session, &kind, &what);
            Ok::<(), Infallible>(())
        })
        .map_err(|error| match error {
            ActError::File(error) => failed(&error),
            ActError::Refused(never) => match never {},
        })
    }

    fn load_now(&self, session: &str, kind: &str) -> Result<Option<Value>, StoreError> {
        if kind != CardBook::KIND {
            return Ok(self.kept(|_, rest| rest.kept(session, kind).cloned()));
        }
        let book = self.read(|manager| manager.book_of(session));
        if book.cards.is_empty() && book.summaries.is_empty() && book.dismissed.is_empty() {
            return Ok(None);
        }
        let mut value = serde_json::to_value(book).map_err(|error| failed(&error))?;
        if let Some(fields) = value.as_object_mut() {
            fields.insert("kind".to_owned(), kind.into());
        }
        Ok(Some(value))
    }
}
