//! The one gate through which every model call of an engine leaves (rule L2).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A call's place in the queue, taken when the core asks for the call. First come, first served over all sessions; the
/// second attempt of a generation goes before them, since its deadline already runs (rule D8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    deadline_waits: bool,
    number: u64,
}

/// Admits at most a number of calls at a time, and none to a provider that asked for a pause.
#[derive(Debug)]
pub(crate) struct Gate {
    state: Mutex<GateState>,
}

#[derive(Debug)]
struct GateState {
    limit: usize,
    admitted: BTreeSet<Place>,
    waiting: BTreeMap<Place, Waiter>,
    paused: HashMap<Box<str>, Pause>,
    next_number: u64,
    most_admitted: usize,
}

#[derive(Debug)]
struct Waiter {
    provider: Box<str>,
    patience: Duration,
    answer: oneshot::Sender<Result<(), Paused>>,
}

#[derive(Debug)]
struct Pause {
    until: Instant,
    waiting: BTreeMap<Place, Waiter>,
}

/// The provider asked for a pause that is longer than the call would wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paused {
    /// How much of the pause is left.
    pub(crate) left: Duration,
}

/// A place at the gate, first in the queue and then inside. Dropping it gives the place back, wherever it is.
#[derive(Debug)]
pub(crate) struct Permit {
    gate: Arc<Gate>,
    place: Place,
    provider: Box<str>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.gate.leave(self.place, &self.provider);
    }
}

impl Gate {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            state: Mutex::new(GateState {
                limit: limit.max(1),
                admitted: BTreeSet::new(),
                waiting: BTreeMap::new(),
                paused: HashMap::new(),
                next_number: 0,
                most_admitted: 0,
            }),
        }
    }

    /// The next place in the queue. `attempt` is the call's, 1 or more.
    pub(crate) fn take_place(&self, attempt: u8) -> Place {
        let mut state = self.lock();
        let number = state.next_number;
        state.next_number = number.wrapping_add(1);
        Place { deadline_waits: attempt <= 1, number }
    }

    /// Waits at a place until the call may be sent. A call that would wait longer than `patience` for a pause of its
    /// provider is turned away at once. Dropping the future leaves the queue.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        place: Place,
        provider: &str,
        patience: Duration,
    ) -> Result<Permit, Paused> {
        let (answer, answered) = oneshot::channel();
        let permit = {
            let mut state = self.lock();
            let waiter = Waiter { provider: provider.into(), patience, answer };
            state.queue(place, waiter, Instant::now());
            state.admit();
            Permit { gate: Arc::clone(self), place, provider: provider.into() }
        };
        match answered.await {
            Ok(Ok(())) => Ok(permit),
            Ok(Err(paused)) => Err(paused),
            // The gate answers every waiter that it removes by itself.
            Err(_) => Err(Paused { left: Duration::ZERO }),
        }
    }

    /// Sends nothing more to this provider until then. A shorter pause never ends a longer one.
    pub(crate) fn pause(&self, provider: &str, until: Instant) {
        let mut state = self.lock();
        let now = Instant::now();
        let pause =
            state.paused.entry(provider.into()).or_insert_with(|| Pause { until, waiting: BTreeMap::new() });
        pause.until = pause.until.max(until);
        let mut affected = std::mem::take(&mut pause.waiting);
        let (theirs, others) = std::mem::take(&mut state.waiting)
            .into_iter()
            .partition::<BTreeMap<_, _>, _>(|(_, waiter)| &*waiter.provider == provider);
        state.waiting = others;
        affected.extend(theirs);
        for (place, waiter) in affected {
            state.queue(place, waiter, now);
        }
    }

    /// Lets the calls of providers go on whose pause is over.
    pub(crate) fn end_pauses(&self) {
        let mut state = self.lock();
        let now = Instant::now();
        let mut resumed = Vec::new();
        state.paused.retain(|_, pause| {
            let goes_on = pause.until > now;
            if !goes_on {
                resumed.push(std::mem::take(&mut pause.waiting));
            }
            goes_on
        });
        for waiting in resumed {
            state.waiting.extend(waiting);
        }
        state.admit();
    }

    /// Changes how many calls may be in flight. Those that are stay.
    pub(crate) fn set_limit(&self, limit: usize) {
        let mut state = self.lock();
        if state.limit != limit.max(1) {
            state.limit = limit.max(1);
            state.admit();
        }
    }

    /// Calls in flight, calls in the queue, and the most that ever were in flight.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        let state = self.lock();
        let paused: usize = state.paused.values().map(|pause| pause.waiting.len()).sum();
        (state.admitted.len(), state.waiting.len().saturating_add(paused), state.most_admitted)
    }

    fn leave(&self, place: Place, provider: &str) {
        let mut state = self.lock();
        if state.admitted.remove(&place) {
            state.admit();
        } else if state.waiting.remove(&place).is_none()
            && let Some(pause) = state.paused.get_mut(provider)
        {
            pause.waiting.remove(&place);
        }
    }

    /// Nothing panics while the lock is held, so a poisoned lock is still consistent.
    fn lock(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GateState {
    fn queue(&mut self, place: Place, waiter: Waiter, now: Instant) {
        match self.paused.get_mut(&waiter.provider) {
            Some(pause) if pause.until > now => {
                let left = pause.until.duration_since(now);
                if left > waiter.patience {
                    // Nobody listens when the call was cancelled meanwhile.
                    let _ = waiter.answer.send(Err(Paused { left }));
                } else {
                    pause.waiting.insert(place, waiter);
                }
            }
            Some(_) | None => {
                self.waiting.insert(place, waiter);
            }
        }
    }

    fn admit(&mut self) {
        while self.admitted.len() < self.limit {
            let Some((place, waiter)) = self.waiting.pop_first() else { return };
            if waiter.answer.send(Ok(())).is_ok() {
                self.admitted.insert(place);
                self.most_admitted = self.most_admitted.max(self.admitted.len());
            }
        }
    }
}

#[cfg(test)]
mod tests;
