//! The fold of a running session.

use super::record::{LiveRecord, PendingSizes};
use crate::fold::{Fold, Output};
use serde_json::Value;
use suggest_core::{EndReason, Event, SessionKind, Turn};

/// Folds what a plugin inside the host observes of one session.
///
/// A session that existed before has a past: give its events to [`LiveFold::seed`] first. Then give everything else
/// in the order of the callbacks. Everything that the host reports twice, or out of order, is told once:
///
/// * session events are ordered by their sequence number; one that was seen is ignored;
/// * the queue is followed by the splices in the log alone, so that a waiting prompt of the human counts once;
/// * a goal is told when it differs from what was told last, its activation included;
/// * a turn whose end the host forgot ends when the agent rests.
///
/// Idle means that nothing runs *and* nothing waits: an agent that stopped with a message in its queue is busy.
#[derive(Debug)]
pub struct LiveFold {
    fold: Fold,
    running: Option<bool>,
    /// The host says that something waits which no splice told of.
    hidden_pending: bool,
    idle_told: Option<bool>,
    last_seq: Option<u64>,
    /// The turn that began and has not ended.
    open_turn: Option<Turn>,
    missed: u64,
    closed: bool,
}

impl LiveFold {
    /// A fold of a running session.
    #[must_use]
    pub fn new(session: SessionKind) -> Self {
        Self {
            fold: Fold::of_live(session),
            running: None,
            hidden_pending: false,
            idle_told: None,
            last_seq: None,
            open_turn: None,
            missed: 0,
            closed: false,
        }
    }

    /// What kind of session it is.
    #[must_use]
    pub fn session_kind(&self) -> SessionKind {
        self.fold.session()
    }

    /// How many session events never arrived, by the gaps in their numbers. More than none calls for a new start
    /// with [`LiveFold::seed`].
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// The fold of the session's events.
    #[must_use]
    pub fn fold(&self) -> &Fold {
        &self.fold
    }

    /// Folds an event of the past: all that the session's log held when watching began.
    pub fn seed(&mut self, event: Value, sink: &mut dyn FnMut(Output)) {
        if self.is_next(&event) {
            self.fold.push_history(event, sink);
        }
    }

    /// Folds one observation.
    pub fn record(&mut self, record: LiveRecord, sink: &mut dyn FnMut(Output)) {
        match record {
            LiveRecord::SessionEvent { event } => self.session_event(event, sink),
            LiveRecord::Status { status, pending, goal } => {
                if let Some(goal) = goal {
                    self.goal_view(&goal, sink);
                }
                match status.as_str() {
                    "idle" => self.status(false, pending, sink),
                    "running" => self.status(true, pending, sink),
                    _ => {}
                }
            }
            LiveRecord::GoalChanged { change } => self.goal_changed(&change, sink),
            LiveRecord::SessionKind { root, web, origin, depth } => {
                let child = !root || origin.as_deref() == Some("subagent") || depth.unwrap_or(0) > 0;
                self.fold.set_session(match (child, web) {
                    (true, _) => SessionKind::Subagent,
                    (false, true) => SessionKind::Interactive,
                    (false, false) => SessionKind::Headless,
                });
            }
            LiveRecord::Disposed => self.dispose(sink),
            LiveRecord::Other => {}
        }
    }

    /// Folds an event that was appended to the session's log just now.
    pub fn session_event(&mut self, event: Value, sink: &mut dyn FnMut(Output)) {
        if !self.is_next(&event) {
            return;
        }
        if event.get("type").and_then(Value::as_str) == Some("agent/inbox/spliced") {
            self.hidden_pending = false;
        }
        self.note_turn(&event);
        let mut told_again = false;
        self.fold.push(event, &mut |output| {
            told_again |= matches!(output, Output::History(_));
            sink(output);
        });
        // What survived a rewrite is of the past, and no boundary is open behind the past: a session that rests says so
        // anew (rule D15).
        self.settle(told_again, sink);
    }

    /// The agent began to run, or stopped. `pending` are the sizes of the queue at this moment.
    pub fn status(&mut self, running: bool, pending: Option<PendingSizes>, sink: &mut dyn FnMut(Output)) {
        self.running = Some(running);
        if let Some(pending) = pending {
            let waiting = pending.turn.saturating_add(pending.step);
            if waiting == 0 {
                self.fold.nothing_waits(sink);
            }
            self.hidden_pending = waiting > 0 && self.fold.inbox().is_empty();
        }
        if !running && let Some(turn) = self.open_turn.take() {
            // A stop at certain moments makes the host forget the end: an agent that rests runs no turn.
            sink(Output::Live(Event::TurnEnded { turn, reason: EndReason::Aborted }));
        }
        self.settle(!running, sink);
    }

    /// The host's view of the goal at this moment, with its activation; null says that there is none.
    pub fn goal_view(&mut self, view: &Value, sink: &mut dyn FnMut(Output)) {
        if let Some(event) = self.fold.goal().view(view) {
            sink(Output::Live(event));
        }
    }

    /// The host says that a goal changed: `{operation, ref, goal?}`.
    pub fn goal_changed(&mut self, change: &Value, sink: &mut dyn FnMut(Output)) {
        if let Some(event) = self.fold.goal().notice(change) {
            sink(Output::Live(event));
        }
    }

    /// The agent is gone.
    pub fn dispose(&mut self, sink: &mut dyn FnMut(Output)) {
        if !self.closed {
            self.closed = true;
            sink(Output::Live(Event::Closed));
        }
    }

    fn note_turn(&mut self, event: &Value) {
        match event.get("type").and_then(Value::as_str) {
            Some("turn/start") => {
                let number = event.get("data").and_then(|data| data.get("turn")).and_then(Value::as_u64);
                self.open_turn = number.map(Turn::new);
            }
            Some("turn/end") => self.open_turn = None,
            _ => {}
        }
    }

    /// Whether an event is the next one; what was seen is not folded again.
    fn is_next(&mut self, event: &Value) -> bool {
        let Some(seq) = event.get("seq").and_then(Value::as_u64) else { return true };
        if let Some(last) = self.last_seq {
            if seq <= last {
                return false;
            }
            self.missed = self.missed.saturating_add(seq.saturating_sub(last).saturating_sub(1));
        }
        self.last_seq = Some(seq);
        true
    }

    /// Tells idle and busy: each change, and every idle that the host itself reports.
    fn settle(&mut self, again: bool, sink: &mut dyn FnMut(Output)) {
        let Some(running) = self.running else { return };
        let idle = !running && !self.hidden_pending && self.fold.inbox().is_empty();
        if self.idle_told != Some(idle) || (idle && again) {
            self.idle_told = Some(idle);
            sink(Output::Live(if idle { Event::Idle } else { Event::Busy }));
        }
    }
}
