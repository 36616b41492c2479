//! One clock for all sessions: who wants to be woken, and when.

use crate::gate::Gate;
use crate::session::Cell;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// Sessions woken before the task lets others run.
const WOKEN_AT_ONCE: usize = 32;

/// A sleeping session costs one entry here and no task and timer of its own.
#[derive(Debug, Default)]
pub(crate) struct Alarms {
    entries: Mutex<BTreeMap<(Instant, u64), Sleeper>>,
    changed: Notify,
}

#[derive(Debug)]
enum Sleeper {
    Session(Weak<Cell>),
    Gate,
}

/// The gate's own number among the sessions.
const GATE: u64 = u64::MAX;

impl Alarms {
    /// Moves the alarm of a session.
    pub(crate) fn move_alarm(&self, number: u64, from: Option<Instant>, to: Option<(Instant, Weak<Cell>)>) {
        let mut entries = self.lock();
        if let Some(from) = from {
            entries.remove(&(from, number));
        }
        if let Some((at, cell)) = to {
            self.insert(entries, (at, number), Sleeper::Session(cell));
        }
    }

    /// Wakes the gate then.
    pub(crate) fn wake_gate(&self, at: Instant) {
        self.insert(self.lock(), (at, GATE), Sleeper::Gate);
    }

    /// Wakes whoever is due until it is dropped.
    pub(crate) async fn run(&self, gate: &Gate) {
        loop {
            let earliest = self.lock().keys().next().map(|(at, _)| *at);
            match earliest {
                None => self.changed.notified().await,
                Some(at) => tokio::select! {
                    () = self.changed.notified() => {}
                    () = sleep_until(at) => self.ring(gate).await,
                },
            }
        }
    }

    async fn ring(&self, gate: &Gate) {
        let due = {
            let mut entries = self.lock();
            // Everything up to this very moment, whatever its number.
            let later = entries.split_off(&(Instant::now() + Duration::from_nanos(1), 0));
            let mut due = std::mem::replace(&mut *entries, later);
            due.retain(|_, sleeper| !matches!(sleeper, Sleeper::Session(cell) if cell.strong_count() == 0));
            due
        };
        for (count, ((at, _), sleeper)) in due.into_iter().enumerate() {
            match sleeper {
                Sleeper::Session(cell) => {
                    if let Some(cell) = cell.upgrade() {
                        cell.wake(at);
                    }
                }
                Sleeper::Gate => gate.end_pauses(),
            }
            if count % WOKEN_AT_ONCE == WOKEN_AT_ONCE - 1 {
                tokio::task::yield_now().await;
            }
        }
    }

    fn insert(
        &self,
        mut entries: MutexGuard<'_, BTreeMap<(Instant, u64), Sleeper>>,
        key: (Instant, u64),
        sleeper: Sleeper,
    ) {
        let is_earliest = entries.keys().next().is_none_or(|earliest| key < *earliest);
        entries.insert(key, sleeper);
        drop(entries);
        if is_earliest {
            self.changed.notify_one();
        }
    }

    /// Nothing panics while the lock is held, so a poisoned lock is still consistent.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<(Instant, u64), Sleeper>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
