//! The core of one session and everything that the engine keeps beside it, behind one lock.
//!
//! An input is handled where it arrives: the lock is taken, the core takes its step, its effects are performed or put
//! into the queue of errands, in order, and the lock is given back. So inputs keep their order, no queue of inputs can
//! fill, and a session that rests costs no task. No foreign code runs under the lock.

use super::errand::{Errand, Errands};
use crate::call;
use crate::engine::Shared;
use crate::host::Host;
use crate::panics::contain;
use crate::store::Counters;
use crate::transfer::{Permission, TransferPolicy};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use suggest_core::{
    AdvisorCommand, AutorunView, CallError, CallId, Command, CommandOutput, Config, Effect, Event, Input,
    ModelCall, ModelId, ModelReply, ModelSource, OutputCode, ReasonCode, Session, SessionFacts, SessionSetup,
    State, Status, Turn, Usage, Voice,
};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// One session.
pub(crate) struct Cell {
    pub(crate) number: u64,
    pub(crate) id: Box<str>,
    pub(crate) shared: Arc<Shared>,
    inner: Mutex<Inner>,
    /// Made for the first one who watches.
    watch: OnceLock<watch::Sender<Arc<State>>>,
}

pub(super) struct Inner {
    session: Session,
    calls: Vec<(CallId, AbortHandle)>,
    alarm: Option<Instant>,
    turn: Option<Turn>,
    /// The advisor's model that the human pinned by command: for it the second level of rule P1 is there.
    pinned_advisor: Option<ModelId>,
    /// The newest state that watchers, the observer or the counters know.
    pub(super) shown: Option<Arc<State>>,
    pub(super) state_is_new: bool,
    /// The newest state that the observer was told.
    pub(super) told: Option<Arc<State>>,
    pub(super) counters: Counters,
    pub(super) counters_are_new: bool,
    pub(super) errands: Errands,
    pub(super) draining: bool,
    pub(super) host: Option<Arc<dyn Host>>,
    closed: bool,
    /// Nothing more is taken: the engine shut down, or the core failed.
    dead: bool,
}

impl Inner {
    /// Takes the host out when nothing needs it any more, so that a host which keeps the handle is not kept by it. The
    /// caller drops it without the lock: a host's drop may come back here.
    pub(super) fn release_host(&mut self) -> Option<Arc<dyn Host>> {
        let over = (self.closed || self.dead) && self.calls.is_empty();
        if over && self.errands.is_empty() && !self.draining { self.host.take() } else { None }
    }
}

impl Cell {
    pub(crate) fn new(
        number: u64,
        shared: Arc<Shared>,
        setup: SessionSetup,
        config: Config,
        host: Arc<dyn Host>,
    ) -> Self {
        let id = setup.id.as_str().into();
        let counters = Counters::of(&setup);
        let inner = Inner {
            session: Session::new(setup, config),
            calls: Vec::new(),
            alarm: None,
            turn: None,
            pinned_advisor: None,
            shown: None,
            state_is_new: false,
            told: None,
            counters,
            counters_are_new: false,
            errands: Errands::default(),
            draining: false,
            host: Some(host),
            closed: false,
            dead: false,
        };
        Self { number, id, shared, inner: Mutex::new(inner), watch: OnceLock::new() }
    }

    /// Takes one input, performs what follows from it, and gives what a command printed.
    pub(crate) fn feed(self: &Arc<Self>, input: Input) -> Option<CommandOutput> {
        self.locked(|inner| self.take(inner, input))
    }

    /// The advisor's global configuration cannot be read, or can again; the tick performs what follows.
    pub(crate) fn set_advisor_config_error(self: &Arc<Self>, error: Option<String>) {
        self.locked(|inner| {
            if !inner.dead {
                inner.session.set_advisor_config_error(error);
                self.take(inner, Input::Tick);
            }
        });
    }

    /// The alarm that was set for `at` rang.
    pub(crate) fn wake(self: &Arc<Self>, at: Instant) {
        self.locked(|inner| {
            if inner.alarm == Some(at) {
                inner.alarm = None;
            }
            self.take(inner, Input::Tick);
        });
    }

    /// Closes the session, once. Calls that the core still wants, such as a summary, go on.
    pub(crate) fn close(self: &Arc<Self>) {
        let already = self.lock().closed;
        if !already {
            self.feed(Input::Event(Event::Closed));
        }
    }

    /// Ends everything of the session but the errands that must still be run.
    pub(crate) fn stop(self: &Arc<Self>) {
        self.locked(|inner| {
            if !inner.closed {
                self.take(inner, Input::Event(Event::Closed));
            }
            self.kill(inner);
            inner.errands.wind_up();
            self.start_draining(inner);
        });
    }

    pub(crate) fn state(&self) -> Arc<State> {
        let mut inner = self.lock();
        self.state_of(&mut inner)
    }

    /// A receiver that has not seen the newest state yet.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Arc<State>> {
        let mut inner = self.lock();
        let state = self.state_of(&mut inner);
        let sender = self.watch.get_or_init(|| watch::Sender::new(Arc::clone(&state)));
        sender.send_replace(state);
        let mut receiver = sender.subscribe();
        receiver.mark_changed();
        receiver
    }

    pub(crate) fn config(&self) -> Config {
        self.lock().session.config().clone()
    }

    pub(crate) fn facts(&self) -> SessionFacts {
        self.lock().session.facts()
    }

    pub(crate) fn slice(&self) -> String {
        self.lock().session.slice()
    }

    pub(crate) fn turn(&self) -> Option<Turn> {
        self.lock().turn
    }

    /// Whether the second level of rule P1 is there for a call, now.
    pub(crate) fn permission(&self, call: &ModelCall) -> Permission {
        if self.shared.transfer_policy == TransferPolicy::Allowed {
            return Permission::Granted;
        }
        let inner = self.lock();
        if inner.session.config().allow_transfer {
            return Permission::Granted;
        }
        let pinned = matches!(call.voice, Voice::Advisor | Voice::Prediction)
            && inner.pinned_advisor.as_ref() == Some(&call.model);
        // The consent goes for the model that the human named, not for another voice's from a file.
        let by_human = || {
            let model = inner.session.state().model;
            model.is_some_and(|model| chosen_by_a_human(model.source) && model.id == call.model)
        };
        if !inner.dead && (pinned || by_human()) { Permission::Granted } else { Permission::Withheld }
    }

    /// Tells the core that a call leaves, if it is still wanted. What was cancelled at the last moment does not leave.
    pub(crate) fn sends(self: &Arc<Self>, call: CallId) -> bool {
        let mut inner = self.lock();
        if !inner.calls.iter().any(|(wanted, _)| *wanted == call) {
            return false;
        }
        self.take(&mut inner, Input::CallSent(call));
        inner.calls.iter().any(|(wanted, _)| *wanted == call)
    }

    /// Gives the core what a call brought.
    pub(crate) fn answer(self: &Arc<Self>, call: CallId, outcome: Result<ModelReply, CallError>) {
        let input = match outcome {
            Ok(reply) => Input::Reply(call, reply),
            Err(error) => Input::CallFailed(call, error),
        };
        self.locked(|inner| {
            inner.calls.retain(|(other, _)| *other != call);
            self.take(inner, input);
        });
    }

    fn locked<T>(&self, work: impl FnOnce(&mut Inner) -> T) -> T {
        let mut inner = self.lock();
        let output = work(&mut inner);
        let host = inner.release_host();
        drop(inner);
        drop(host);
        output
    }

    fn take(self: &Arc<Self>, inner: &mut Inner, input: Input) -> Option<CommandOutput> {
        if inner.dead {
            return None;
        }
        let pin = note(inner, &input);
        let mut next = Some(input);
        let mut output = None;
        let mut answers = Vec::new();
        while let Some(input) = next.take() {
            let now = self.shared.now();
            let session = &mut inner.session;
            let stepped = contain(|| {
                let output = session.handle(now, input);
                let effects: Vec<Effect> = std::iter::from_fn(|| session.poll_effect()).collect();
                (output, effects, session.next_wake())
            });
            let Ok((printed, effects, wake)) = stepped else {
                tracing::error!(session = &*self.id, "the core failed; the session takes nothing more");
                self.kill(inner);
                inner.errands.wind_up();
                self.publish(inner);
                return None;
            };
            output = output.or(printed);
            if let (Some(pin), Some(CommandOutput { code: OutputCode::Ok, .. })) = (&pin, &output) {
                // Set before the effects: the call that validates the pin is one of them (rule V7).
                inner.pinned_advisor.clone_from(pin);
            }
            for effect in effects {
                answers.extend(self.perform(inner, effect));
            }
            let wake = wake.map(|at| self.shared.instant(at));
            self.set_alarm(inner, wake);
            next = answers.pop();
        }
        self.publish(inner);
        self.start_draining(inner);
        output
    }

    /// Performs one effect. Gives an answer to the core where there is one already.
    fn perform(self: &Arc<Self>, inner: &mut Inner, effect: Effect) -> Option<Input> {
        let errand = match effect {
            Effect::CallModel(call) => {
                let (id, place) = (call.call, self.shared.gate.take_place(call.attempt));
                let task = self.shared.spawn(call::run(Arc::clone(self), call, place));
                inner.calls.push((id, task));
                return None;
            }
            Effect::CancelCall { call } => {
                inner.calls.retain(|(other, task)| {
                    if *other == call {
                        task.abort();
                    }
                    *other != call
                });
                return None;
            }
            // `next_wake` says the same after every input.
            Effect::WakeAt { .. } => return None,
            Effect::WithdrawTurn { ticket } => {
                if inner.errands.recall(ticket) {
                    return Some(Input::SubmitResult {
                        ticket,
                        accepted: false,
                        reason: Some("withdrawn before the host saw it".to_owned()),
                    });
                }
                Errand::Withdraw(ticket)
            }
            Effect::SubmitTurn(submission) => {
                inner.counters.saw_ticket(submission.ticket);
                inner.counters.saw_offer(submission.offer);
                inner.counters_are_new = true;
                Errand::Submit(submission)
            }
            Effect::DisarmGoal { id, revision } => Errand::DisarmGoal { goal: id, revision },
            Effect::Inject { text } => Errand::Inject(text),
            Effect::Steer { text, wakes } => Errand::Steer { text, wakes },
            Effect::FillInput { text } => Errand::FillInput(text),
            Effect::Report(report) => Errand::Report(report),
            Effect::Publish { event } => Errand::Publish(event),
            Effect::Persist { what } => Errand::Save(what),
        };
        if inner.errands.push(errand) {
            tracing::warn!(session = &*self.id, "the host or the store hangs; an errand was dropped");
        }
        None
    }

    fn set_alarm(self: &Arc<Self>, inner: &mut Inner, wake: Option<Instant>) {
        // A core that wants a moment of the past still lets others run first.
        let wake = wake.map(|at| at.max(Instant::now() + Duration::from_millis(1)));
        if inner.alarm != wake {
            let to = wake.map(|at| (at, Arc::downgrade(self)));
            self.shared.alarms.move_alarm(self.number, inner.alarm, to);
            inner.alarm = wake;
        }
    }

    /// Shows a changed state to watchers, and leaves a note for the observer and the store.
    fn publish(&self, inner: &mut Inner) {
        let watched = self.watch.get().filter(|sender| sender.receiver_count() > 0);
        if watched.is_none() && self.shared.observer.is_none() && self.shared.store.is_none() {
            return;
        }
        let before = inner.shown.take();
        let state = self.state_of(inner);
        if before.as_ref() == Some(&state) {
            inner.shown = before;
            return;
        }
        if let Some(sender) = watched {
            sender.send_replace(Arc::clone(&state));
        }
        let mut counters = inner.counters;
        if let Some(offer) = &state.offer {
            counters.saw_offer(offer.id);
        }
        counters.spent_rounds = state.autorun.rounds;
        if counters != inner.counters {
            inner.counters = counters;
            inner.counters_are_new = true;
        }
        inner.state_is_new = true;
        inner.shown = Some(state);
    }

    fn state_of(&self, inner: &mut Inner) -> Arc<State> {
        if !inner.dead || inner.closed {
            let session = &inner.session;
            if let Ok(state) = contain(|| session.state()) {
                return Arc::new(state);
            }
        }
        Arc::new(closed_state())
    }

    /// Cancels every call and takes no more inputs.
    fn kill(&self, inner: &mut Inner) {
        inner.dead = true;
        for (_, task) in inner.calls.drain(..) {
            task.abort();
        }
        self.shared.alarms.move_alarm(self.number, inner.alarm.take(), None);
    }

    /// Nothing but the core runs under the lock, and its panics are caught, so a poisoned lock is still consistent.
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        let alarm = self.inner.get_mut().unwrap_or_else(PoisonError::into_inner).alarm.take();
        self.shared.alarms.move_alarm(self.number, alarm, None);
        self.shared.forget(self.number);
    }
}

impl std::fmt::Debug for Cell {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Cell").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Notes what the engine itself must know of an input. Gives the advisor's pin that a command asks for.
fn note(inner: &mut Inner, input: &Input) -> Option<Option<ModelId>> {
    match input {
        Input::Event(Event::TurnStarted { turn, .. } | Event::TurnEnded { turn, .. })
        | Input::History(Event::TurnStarted { turn, .. } | Event::TurnEnded { turn, .. }) => {
            inner.turn = Some(*turn);
            None
        }
        Input::Event(Event::Closed) => {
            inner.closed = true;
            None
        }
        Input::Command(Command::Advisor(AdvisorCommand::PinModel { provider, model })) => {
            format!("{provider}/{model}").parse().ok().map(Some)
        }
        Input::Command(Command::Advisor(AdvisorCommand::ResetModel)) => Some(None),
        _ => None,
    }
}

fn chosen_by_a_human(source: ModelSource) -> bool {
    match source {
        ModelSource::Command | ModelSource::Flag => true,
        ModelSource::Config | ModelSource::Default | ModelSource::File | ModelSource::Environment => false,
    }
}

/// What is shown of a session whose core failed.
fn closed_state() -> State {
    State {
        status: Status::Off,
        reason: Some(ReasonCode::Closed.coded()),
        offer: None,
        autorun: AutorunView { armed: false, hold: None, rounds: 0, max_rounds: 0, disarmed_because: None },
        goal: None,
        model: None,
        usage: Usage::default(),
        advisor: None,
        cards: None,
        summary: None,
    }
}
