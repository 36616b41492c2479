//! What the player drives.

use suggest_core::{CommandOutput, Config, Effect, Input, Session, SessionSetup, State, Timestamp};

/// A state machine of one session, as the player sees it. [`Session`] is the real one; tests of the player itself
/// use smaller ones.
pub trait Machine {
    /// Makes one.
    fn start(setup: SessionSetup, config: Config) -> Self;
    /// Feeds one input; see [`Session::handle`].
    fn handle(&mut self, now: Timestamp, input: Input) -> Option<CommandOutput>;
    /// Gives the next effect; see [`Session::poll_effect`].
    fn poll_effect(&mut self) -> Option<Effect>;
    /// Says when the next tick is due; see [`Session::next_wake`].
    fn next_wake(&self) -> Option<Timestamp>;
    /// Shows the state; see [`Session::state`].
    fn state(&self) -> State;
}

impl Machine for Session {
    fn start(setup: SessionSetup, config: Config) -> Self {
        Self::new(setup, config)
    }

    fn handle(&mut self, now: Timestamp, input: Input) -> Option<CommandOutput> {
        Self::handle(self, now, input)
    }

    fn poll_effect(&mut self) -> Option<Effect> {
        Self::poll_effect(self)
    }

    fn next_wake(&self) -> Option<Timestamp> {
        Self::next_wake(self)
    }

    fn state(&self) -> State {
        Self::state(self)
    }
}
