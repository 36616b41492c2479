//! Runs a session's errands: one short-lived task while there are any.

use super::cell::{Cell, Inner};
use super::errand::Errand;
use crate::host::{Host, SubmitAnswer};
use crate::observer::meters;
use crate::panics::{contain, contain_async};
use crate::store::Counters;
use futures_util::FutureExt;
use std::future::Future;
use std::sync::Arc;
use suggest_core::{Input, State, Submission};

/// One piece of work for the task.
enum Work {
    Tell { state: Arc<State>, before: Option<Arc<State>> },
    Count(Counters),
    Run(Errand, Option<Arc<dyn Host>>),
}

impl Cell {
    /// Starts the task if there is work and none runs.
    pub(super) fn start_draining(self: &Arc<Self>, inner: &mut Inner) {
        let tells = inner.state_is_new && self.shared.observer.is_some();
        let counts = inner.counters_are_new && self.shared.store.is_some();
        if !inner.draining && (tells || counts || !inner.errands.is_empty()) {
            inner.draining = true;
            self.shared.spawn(drain(Arc::clone(self)));
        }
    }

    /// The next piece of work; with none, the task is over. Numbers are kept before anything that uses them is shown.
    fn next_work(&self, told: &Option<Arc<State>>) -> Option<Work> {
        let mut inner = self.lock();
        if std::mem::take(&mut inner.counters_are_new) && self.shared.store.is_some() {
            return Some(Work::Count(inner.counters));
        }
        if std::mem::take(&mut inner.state_is_new)
            && self.shared.observer.is_some()
            && let Some(state) = inner.shown.clone()
        {
            return Some(Work::Tell { state, before: told.clone() });
        }
        if let Some(errand) = inner.errands.pop() {
            return Some(Work::Run(errand, inner.host.clone()));
        }
        inner.draining = false;
        inner.told.clone_from(told);
        let host = inner.release_host();
        drop(inner);
        drop(host);
        None
    }

    /// Waits for foreign code, contains its panic, and gives up on it after a while.
    async fn patiently<F: Future>(&self, what: &'static str, work: F) -> Option<F::Output> {
        match tokio::time::timeout(self.shared.callback_timeout, contain_async(work)).await {
            Ok(Ok(output)) => Some(output),
            Ok(Err(_)) => {
                tracing::error!(session = &*self.id, what, "the embedder's code panicked");
                None
            }
            Err(_) => {
                tracing::warn!(
                    session = &*self.id,
                    what,
                    "the embedder's code took too long and was given up"
                );
                None
            }
        }
    }

    fn watchfully(&self, what: &'static str, work: impl FnOnce()) {
        if contain(work).is_err() {
            tracing::error!(session = &*self.id, what, "the embedder's code panicked");
        }
    }

    fn tell(&self, state: &State, before: Option<&State>) {
        let Some(observer) = &self.shared.observer else { return };
        self.watchfully("on_state", || observer.on_state(&self.id, state));
        let old = before.map(meters);
        for (position, (voice, usage)) in meters(state).into_iter().enumerate() {
            let known = old.and_then(|old| old.get(position).map(|(_, usage)| *usage)).unwrap_or_default();
            if usage != known {
                self.watchfully("on_meter", || observer.on_meter(&self.id, voice, &usage));
            }
        }
    }

    async fn save(&self, what: &serde_json::Value) {
        let Some(store) = &self.shared.store else { return };
        if let Some(Err(error)) = self.patiently("save", async { store.save(&self.id, what).await }).await {
            tracing::warn!(session = &*self.id, %error, "a value was not kept");
        }
    }

    async fn run_errand(self: &Arc<Self>, errand: Errand, host: Option<Arc<dyn Host>>) {
        let id = &*self.id;
        // The observer and the store belong to the engine; the rest needs the host, which is gone after the end.
        match (errand, host) {
            (Errand::Save(what), _) => self.save(&what).await,
            (Errand::Publish(event), _) => {
                if let Some(observer) = &self.shared.observer {
                    self.watchfully("on_publish", || observer.on_publish(id, &event));
                }
            }
            (Errand::Report(report), host) => {
                if let Some(observer) = &self.shared.observer {
                    self.watchfully("on_report", || observer.on_report(id, &report));
                }
                if let Some(host) = host {
                    self.patiently("report", async { host.report(id, &report).await }).await;
                }
            }
            (Errand::Submit(submission), Some(host)) => self.submit(host, submission),
            (Errand::Withdraw(ticket), Some(host)) => {
                self.patiently("withdraw_turn", async { host.withdraw_turn(id, ticket).await }).await;
            }
            (Errand::DisarmGoal { goal, revision }, Some(host)) => {
                self.patiently("disarm_goal", async { host.disarm_goal(id, &goal, revision).await }).await;
            }
            (Errand::Inject(text), Some(host)) => {
                self.patiently("inject", async { host.inject(id, text).await }).await;
            }
            (Errand::Steer { text, wakes }, Some(host)) => {
                self.patiently("steer", async { host.steer(id, text, wakes).await }).await;
            }
            (Errand::FillInput(text), Some(host)) => {
                self.patiently("fill_input", async { host.fill_input(id, text).await }).await;
            }
            (
                Errand::Submit(_)
                | Errand::Withdraw(_)
                | Errand::DisarmGoal { .. }
                | Errand::Inject(_)
                | Errand::Steer { .. }
                | Errand::FillInput(_),
                None,
            ) => {}
        }
    }

    /// Begins a submission here, so that nothing later reaches the host before it, and leaves what waits to a task of
    /// its own, so that a withdrawal can overtake the answer.
    fn submit(self: &Arc<Self>, host: Arc<dyn Host>, submission: Submission) {
        let cell = Arc::clone(self);
        let ticket = submission.ticket;
        let mut submitting = Box::pin(async move {
            let answer = contain_async(async { host.submit_turn(&cell.id, submission).await }).await;
            let (accepted, reason) = match answer {
                Ok(SubmitAnswer::Accepted) => (true, None),
                Ok(SubmitAnswer::Refused(reason)) => (false, Some(reason)),
                Ok(SubmitAnswer::Later) => return,
                Err(_) => {
                    tracing::error!(
                        session = &*cell.id,
                        what = "submit_turn",
                        "the embedder's code panicked"
                    );
                    (false, Some("the host failed while it took the submission".to_owned()))
                }
            };
            cell.feed(Input::SubmitResult { ticket, accepted, reason });
        });
        if submitting.as_mut().now_or_never().is_none() {
            self.shared.spawn(submitting);
        }
    }
}

/// Lets the next task start even when this one is torn down in the middle.
struct Running<'a>(&'a Arc<Cell>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut inner = self.0.lock();
            inner.draining = false;
            self.0.start_draining(&mut inner);
        }
    }
}

async fn drain(cell: Arc<Cell>) {
    let _running = Running(&cell);
    let mut told = cell.lock().told.clone();
    while let Some(work) = cell.next_work(&told) {
        match work {
            Work::Tell { state, before } => {
                cell.tell(&state, before.as_deref());
                told = Some(state);
            }
            Work::Count(counters) => cell.save(&counters.to_value()).await,
            Work::Run(errand, host) => cell.run_errand(errand, host).await,
        }
    }
}
