//! Idle cards: up to three specific things to do next for a session that waits (section C).

use crate::code::OutputCode;
use crate::command::{CardsCommand, CommandOutput};
use crate::config::Config;
use crate::event::{EndReason, Origin};
use crate::ids::{CallId, Timestamp, Turn};
use crate::reply::{CallError, ModelReply};
use crate::session::Session;
use crate::state::CardsView;

/// What the cards know of a session.
#[derive(Debug, Default)]
pub(crate) struct Cards {}

/// What the session tells the cards. Every hook is called after the shared view has folded the event.
impl Session {
    /// A live turn starts, or the session said that it is busy: a generation in flight is given up.
    pub(crate) fn cards_busy(&mut self) {}

    /// A live turn starts.
    pub(crate) fn cards_turn_started(&mut self, _turn: Turn, _origin: Option<Origin>) {}

    /// A live turn ended.
    pub(crate) fn cards_turn_ended(&mut self, _turn: Turn, _reason: EndReason) {}

    /// The session said that it is idle (rule C1).
    pub(crate) fn cards_idle(&mut self) {}

    /// The conversation was rewritten.
    pub(crate) fn cards_rewrite(&mut self) {}

    /// The session closed.
    pub(crate) fn cards_closed(&mut self) {}

    /// The configuration changed; `self.config` is the new one.
    pub(crate) fn cards_config_changed(&mut self, _old: &Config) {}

    /// The request left.
    pub(crate) fn cards_sent(&mut self, _call: CallId) {}

    /// A call of the cards brought a reply.
    pub(crate) fn cards_reply(&mut self, _call: CallId, _reply: &ModelReply) {}

    /// A call of the cards failed.
    pub(crate) fn cards_error(&mut self, _call: CallId, _error: &CallError) {}

    /// When the cards next want time to pass.
    pub(crate) fn cards_wake(&self) -> Option<Timestamp> {
        None
    }

    /// Timers that are due at `self.now`.
    pub(crate) fn cards_timers(&mut self) {}

    pub(crate) fn cards_command(&mut self, _command: CardsCommand) -> CommandOutput {
        CommandOutput::refused(OutputCode::UnknownCommand, "the cards are not built in")
    }

    pub(crate) fn cards_view(&self) -> Option<CardsView> {
        None
    }
}
