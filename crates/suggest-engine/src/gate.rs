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
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use std::future::Future;
    use std::pin::Pin;

    type Entering = Pin<Box<dyn Future<Output = Result<Permit, Paused>> + Send>>;
    const PATIENCE: Duration = Duration::from_secs(60);

    fn enter(gate: &Arc<Gate>, provider: &'static str, attempt: u8) -> Entering {
        let (gate, place) = (Arc::clone(gate), gate.take_place(attempt));
        let mut entering: Entering = Box::pin(async move { gate.enter(place, provider, PATIENCE).await });
        assert!(entering.as_mut().now_or_never().is_none(), "it queues");
        entering
    }

    fn admitted(gate: &Arc<Gate>, provider: &'static str) -> Permit {
        let (gate, place) = (Arc::clone(gate), gate.take_place(1));
        let entered = async move { gate.enter(place, provider, PATIENCE).await }.now_or_never();
        entered.expect("there is room").expect("there is no pause")
    }

    #[tokio::test(start_paused = true)]
    async fn the_queue_is_first_come_first_served_and_a_second_attempt_goes_before_it_l2_d8() {
        let gate = Arc::new(Gate::new(1));
        let inside = admitted(&gate, "a");
        let mut first = enter(&gate, "a", 1);
        let mut second = enter(&gate, "a", 1);
        let mut retry = enter(&gate, "a", 2);
        drop(inside);
        let retry = retry.as_mut().now_or_never().expect("the retry is next").unwrap();
        assert!(first.as_mut().now_or_never().is_none());
        drop(retry);
        let first = first.as_mut().now_or_never().expect("then the oldest").unwrap();
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        assert!(second.as_mut().now_or_never().is_some());
        assert_eq!(gate.counts().2, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_that_is_dropped_in_the_queue_frees_nothing_and_blocks_nobody_l2() {
        let gate = Arc::new(Gate::new(1));
        let inside = admitted(&gate, "a");
        let dropped = enter(&gate, "a", 1);
        let mut kept = enter(&gate, "a", 1);
        drop(dropped);
        assert_eq!(gate.counts(), (1, 1, 1));
        assert!(kept.as_mut().now_or_never().is_none());
        drop(inside);
        assert!(kept.as_mut().now_or_never().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn an_admitted_place_that_is_dropped_before_it_notices_is_given_on() {
        let gate = Arc::new(Gate::new(1));
        let inside = admitted(&gate, "a");
        let unaware = enter(&gate, "a", 1);
        let mut last = enter(&gate, "a", 1);
        drop(inside);
        drop(unaware);
        assert!(last.as_mut().now_or_never().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_paused_provider_waits_others_do_not_and_the_impatient_are_turned_away() {
        let gate = Arc::new(Gate::new(1));
        let inside = admitted(&gate, "a");
        let mut queued = enter(&gate, "a", 1);
        gate.pause("a", Instant::now() + Duration::from_secs(30));
        drop(inside);
        assert!(queued.as_mut().now_or_never().is_none());
        drop(admitted(&gate, "b"));
        tokio::time::sleep(Duration::from_secs(31)).await;
        gate.end_pauses();
        drop(queued.as_mut().now_or_never().expect("the pause is over").unwrap());

        gate.pause("a", Instant::now() + Duration::from_secs(600));
        let place = gate.take_place(1);
        let refused = gate.enter(place, "a", PATIENCE).await.unwrap_err();
        assert_eq!(refused, Paused { left: Duration::from_secs(600) });
        assert_eq!(gate.counts(), (0, 0, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_raised_limit_admits_at_once() {
        let gate = Arc::new(Gate::new(1));
        let _inside = admitted(&gate, "a");
        let mut waits = enter(&gate, "a", 1);
        gate.set_limit(2);
        assert!(waits.as_mut().now_or_never().is_some());
    }
}
