//! What the engine asks of the harness that embeds it.

use async_trait::async_trait;
use suggest_core::{LoopReport, Revision, Submission, Ticket};

/// How a host answers a submission (rule A3).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SubmitAnswer {
    /// What the submission expects still held, and the turn will start.
    Accepted,
    /// The turn will not start; the line for people says why.
    Refused(String),
    /// The answer follows through [`SessionHandle::submit_result`](crate::SessionHandle::submit_result).
    Later,
}

impl SubmitAnswer {
    /// A refusal with its reason.
    #[must_use]
    pub fn refused(reason: impl Into<String>) -> Self {
        Self::Refused(reason.into())
    }
}

/// The harness whose sessions the engine watches. Every method has a default, so that a harness which only shows
/// suggestions implements nothing.
///
/// For one session, calls begin in the order in which the core decided on them, and each but `submit_turn` ends before
/// the next begins; `submit_turn` runs up to its first wait and then beside the others, so that `withdraw_turn` can
/// overtake it. Different sessions never wait for each other. A panic is caught: a submission counts as refused, and
/// nothing else happens. A call other than `submit_turn` that takes longer than
/// [`EngineBuilder::callback_timeout`](crate::EngineBuilder::callback_timeout) is dropped, and so is every call that
/// still waits when a shutdown has used up its grace: hold nothing over a wait that must not be dropped.
///
/// A method may use the session's handle freely; the engine holds no lock meanwhile. It must not block its thread.
#[async_trait]
pub trait Host: Send + Sync + 'static {
    /// Starts a turn, if what the submission expects still holds. Compare and submit in one step without a wait between
    /// (rule A3).
    async fn submit_turn(&self, _session: &str, _submission: Submission) -> SubmitAnswer {
        SubmitAnswer::refused("this host cannot start turns")
    }

    /// Takes a submission back if its turn has not started.
    async fn withdraw_turn(&self, _session: &str, _ticket: Ticket) {}

    /// Takes the next turn away from the goal's own driver, by the mildest means that the human can see (rule A2). A
    /// goal event shows that it worked.
    async fn disarm_goal(&self, _session: &str, _goal: &str, _revision: Revision) {}

    /// Puts a note of the advisor into the session without waking it (rule V4).
    async fn inject(&self, _session: &str, _text: String) {}

    /// Puts a note of the advisor into the session and has the worker read it now; `wakes` says that the session is
    /// idle, so that the note starts a turn (rule V4).
    async fn steer(&self, _session: &str, _text: String, _wakes: bool) {}

    /// Puts a text into the human's input, never over text that the human typed (rules D11, D13).
    async fn fill_input(&self, _session: &str, _text: String) {}

    /// Takes the record of a loop that ended (rule A9).
    async fn report(&self, _session: &str, _report: &LoopReport) {}
}

/// A host that does nothing and refuses every submission: for readers of logs and boards.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHost;

#[async_trait]
impl Host for NoHost {}
