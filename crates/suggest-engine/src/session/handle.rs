//! How an embedder speaks to one session.

use super::cell::Cell;
use std::sync::Arc;
use suggest_core::{Command, CommandOutput, Config, Event, Input, OutputCode, SessionFacts, State, Ticket};
use tokio::sync::watch;

/// A session of an engine. Clones speak to the same session; when the last one is dropped, the session is closed.
///
/// Inputs are handled where they arrive, in the order of the calls, and never wait for the host, a model or another
/// session. They may come from any thread, also from outside the runtime. After a shutdown of the engine they do
/// nothing.
#[derive(Debug, Clone)]
pub struct SessionHandle {
    owner: Arc<Owner>,
}

#[derive(Debug)]
struct Owner {
    cell: Arc<Cell>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.cell.close();
    }
}

impl SessionHandle {
    pub(crate) fn new(cell: Arc<Cell>) -> Self {
        Self { owner: Arc::new(Owner { cell }) }
    }

    /// The host's id of the session.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.owner.cell.id
    }

    /// Takes a live event of the host.
    pub fn event(&self, event: Event) {
        self.owner.cell.feed(Input::Event(event));
    }

    /// Takes an event of the past: it folds and triggers nothing (rule D15).
    pub fn history(&self, event: Event) {
        self.owner.cell.feed(Input::History(event));
    }

    /// Performs an act of the human and gives what it printed. It does not wait for a model: `retry` answers that the
    /// generation began, and the state tells the rest.
    pub async fn command(&self, command: Command) -> CommandOutput {
        self.owner.cell.feed(Input::Command(command)).unwrap_or_else(|| {
            CommandOutput::refused(OutputCode::Closed, "the engine of this session has stopped")
        })
    }

    /// Answers a submission that the host answered with [`SubmitAnswer::Later`](crate::SubmitAnswer::Later). A second
    /// answer, or one to an unknown ticket, does nothing.
    pub fn submit_result(&self, ticket: Ticket, accepted: bool, reason: Option<String>) {
        self.owner.cell.feed(Input::SubmitResult { ticket, accepted, reason });
    }

    /// Changes the configuration. Unless the engine was built with a fixed limit, `maxConcurrentCalls` goes for the
    /// whole engine at once.
    pub fn set_config(&self, config: Config) {
        self.owner.cell.shared.follow_limit(&config);
        self.owner.cell.feed(Input::Config(Box::new(config)));
    }

    /// Tells the advisor that its global configuration cannot be read, and why; `None` when it can again. While it
    /// cannot, it does not run here, whatever the human pinned (rule V1).
    pub fn set_advisor_config_error(&self, error: Option<String>) {
        self.owner.cell.set_advisor_config_error(error);
    }

    /// The configuration in force.
    #[must_use]
    pub fn config(&self) -> Config {
        self.owner.cell.config()
    }

    /// What a person sees now. Never calls a model (rule D6).
    #[must_use]
    pub fn state(&self) -> Arc<State> {
        self.owner.cell.state()
    }

    /// Follows the state from now on.
    #[must_use]
    pub fn watch(&self) -> StateWatch {
        StateWatch { receiver: self.owner.cell.subscribe() }
    }

    /// The folded facts of the session.
    #[must_use]
    pub fn facts(&self) -> SessionFacts {
        self.owner.cell.facts()
    }

    /// What the director's model would read now, scrubbed and cut (section S). It is session text: do not log it.
    #[must_use]
    pub fn slice(&self) -> String {
        self.owner.cell.slice()
    }

    /// Tells the session that it is over. Calls that the core still wants, such as a last summary, go on; the loop
    /// disarms. Closing twice is the same as closing once.
    pub fn close(&self) {
        self.owner.cell.close();
    }
}

/// Follows the state of one session. A slow follower gets the newest state and misses those between. It does not keep
/// the session open.
#[derive(Debug, Clone)]
pub struct StateWatch {
    receiver: watch::Receiver<Arc<State>>,
}

impl StateWatch {
    /// The newest state.
    #[must_use]
    pub fn current(&self) -> Arc<State> {
        Arc::clone(&self.receiver.borrow())
    }

    /// Waits for a state that this follower has not seen; the first call gives the state of now. `None` when the session
    /// is gone. Safe to drop while it waits.
    pub async fn changed(&mut self) -> Option<Arc<State>> {
        self.receiver.changed().await.ok()?;
        Some(Arc::clone(&self.receiver.borrow_and_update()))
    }

    /// Waits for a state that fits, beginning with the newest. `None` when the session is gone before one came. Safe to
    /// drop while it waits.
    pub async fn wait_for(&mut self, mut fits: impl FnMut(&State) -> bool) -> Option<Arc<State>> {
        self.receiver.wait_for(|state| fits(state)).await.ok().map(|state| Arc::clone(&state))
    }
}
