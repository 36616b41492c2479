//! What subscribers are sent, made once for all of them.

use crate::wire::Parcel;
use std::collections::BTreeSet;
use std::sync::Arc;
use suggest_core::{Snapshot, idle_suggestion_event};

/// One snapshot, ready to send (rule C7).
#[derive(Debug)]
pub(crate) struct Frame {
    snapshot: Arc<Snapshot>,
    pub(crate) parcel: Arc<Parcel>,
    /// The number of the frame before it, and what is new since that one.
    before: Option<u64>,
    added: Vec<Arc<Parcel>>,
}

impl Frame {
    pub(crate) fn new(snapshot: Arc<Snapshot>, before: Option<&Self>) -> Self {
        let text = serde_json::to_string(&*snapshot).unwrap_or_else(|_| "{}".to_owned());
        let added = before.map(|before| strings(&before.snapshot, &snapshot)).unwrap_or_default();
        Self { before: before.map(Self::seq), snapshot, parcel: Arc::new(Parcel::new(&text)), added }
    }

    pub(crate) fn seq(&self) -> u64 {
        self.snapshot.seq
    }

    /// The compatibility events for one who was sent `before` last: one for each card that is new to it. Whoever was
    /// sent nothing yet learns of the cards by the snapshot alone.
    pub(crate) fn strings_since(&self, before: Option<&Self>) -> Vec<Arc<Parcel>> {
        match before {
            None => Vec::new(),
            Some(before) if Some(before.seq()) == self.before => self.added.clone(),
            Some(before) => strings(&before.snapshot, &self.snapshot),
        }
    }
}

fn strings(before: &Snapshot, now: &Snapshot) -> Vec<Arc<Parcel>> {
    let known: BTreeSet<&str> = before.cards.iter().map(|card| card.id.as_str()).collect();
    let new = now.cards.iter().filter(|card| !known.contains(card.id.as_str()));
    new.map(|card| Arc::new(Parcel::new(&idle_suggestion_event(card).to_string()))).collect()
}
