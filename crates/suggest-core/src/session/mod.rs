//! One session: the shared view of what happened in it, and the voices that speak about it.

mod setup;

pub use setup::{SessionKind, SessionSetup};

use crate::command::{Command, CommandOutput};
use crate::config::Config;
use crate::effect::Effect;
use crate::event::Event;
use crate::facts::SessionFacts;
use crate::ids::{CallId, Ticket, Timestamp};
use crate::reply::{CallError, ModelReply};
use crate::state::State;

/// One thing that happened, for [`Session::handle`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Input {
    /// A live event of the host.
    Event(Event),
    /// An event of the past: it folds, and never triggers, arms, disarms or counts (rule D15).
    History(Event),
    /// An act of the human.
    Command(Command),
    /// The request of a call left the process; its deadline runs from now (rule D8).
    CallSent(CallId),
    /// A call brought a reply.
    Reply(CallId, ModelReply),
    /// A call brought an error.
    CallFailed(CallId, CallError),
    /// The host answered a submission.
    SubmitResult {
        /// Which one.
        ticket: Ticket,
        /// Whether the turn will start.
        accepted: bool,
        /// Why not.
        reason: Option<String>,
    },
    /// The configuration changed.
    Config(Box<Config>),
    /// Time passed.
    Tick,
}

/// The state machine of one session. It never blocks, reads no clock and does no IO.
///
/// Feed inputs in the order in which they happened, each with a time that never falls; after each, perform what
/// [`Session::poll_effect`] gives, in order, until it gives nothing. Call `handle` with [`Input::Tick`] at the latest
/// at [`Session::next_wake`].
#[derive(Debug)]
pub struct Session {
    config: Config,
}

impl Session {
    /// A new session. Feed what happened before as [`Input::History`].
    #[must_use]
    pub fn new(_setup: SessionSetup, config: Config) -> Self {
        Self { config }
    }

    /// Takes one input. A command gives what it printed; every other input gives nothing.
    pub fn handle(&mut self, _now: Timestamp, _input: Input) -> Option<CommandOutput> {
        None
    }

    /// The next effect to perform, oldest first.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        None
    }

    /// When the core next wants [`Input::Tick`], if it waits for time at all.
    #[must_use]
    pub fn next_wake(&self) -> Option<Timestamp> {
        None
    }

    /// What a person sees.
    #[must_use]
    pub fn state(&self) -> State {
        unreachable!()
    }

    /// The configuration in force.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The folded facts, for providers that work on facts and not on prompts.
    #[must_use]
    pub fn facts(&self) -> SessionFacts {
        SessionFacts::default()
    }

    /// What the director's model would read now: the slice, scrubbed and cut (section S).
    #[must_use]
    pub fn slice(&self) -> String {
        String::new()
    }
}
