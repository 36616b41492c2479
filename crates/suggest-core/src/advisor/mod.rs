//! The advisor: a second opinion on every turn that can never get in the way (section V).

use crate::code::OutputCode;
use crate::command::{AdvisorCommand, CommandOutput};
use crate::config::Config;
use crate::effect::Voice;
use crate::event::{EndReason, Message, Origin, Tool};
use crate::ids::{CallId, Timestamp, Turn};
use crate::reply::{CallError, ModelReply};
use crate::session::Session;
use crate::state::AdvisorView;

/// What the advisor knows of a session.
#[derive(Debug, Default)]
pub(crate) struct Advisor {}

/// What the session tells the advisor. Every hook is called after the shared view has folded the event.
impl Session {
    /// A message was folded (a duplicate never comes here).
    pub(crate) fn advisor_saw_message(&mut self, _message: &Message, _live: bool) {}

    /// A tool call was folded.
    pub(crate) fn advisor_saw_tool(&mut self, _tool: &Tool, _live: bool) {}

    /// A live turn starts.
    pub(crate) fn advisor_turn_started(&mut self, _turn: Turn, _origin: Option<Origin>) {}

    /// A live turn ended; the director has seen it.
    pub(crate) fn advisor_turn_ended(&mut self, _turn: Turn, _reason: EndReason) {}

    /// A prompt of the human entered or was queued.
    pub(crate) fn advisor_human_prompt(&mut self) {}

    /// The session said that it is idle.
    pub(crate) fn advisor_idle(&mut self) {}

    /// The conversation was rewritten.
    pub(crate) fn advisor_rewrite(&mut self) {}

    /// The session closed.
    pub(crate) fn advisor_closed(&mut self) {}

    /// The configuration changed; `self.config` is the new one.
    pub(crate) fn advisor_config_changed(&mut self, _old: &Config) {}

    /// The request of a review, a prediction or a pin's validation left.
    pub(crate) fn advisor_sent(&mut self, _call: CallId) {}

    /// A call of the advisor or of the prediction brought a reply.
    pub(crate) fn advisor_reply(&mut self, _voice: Voice, _call: CallId, _reply: &ModelReply) {}

    /// A call of the advisor or of the prediction failed.
    pub(crate) fn advisor_error(&mut self, _voice: Voice, _call: CallId, _error: &CallError) {}

    /// When the advisor next wants time to pass.
    pub(crate) fn advisor_wake(&self) -> Option<Timestamp> {
        None
    }

    /// Timers that are due at `self.now`.
    pub(crate) fn advisor_timers(&mut self) {}

    /// An unanswered blocker holds the loop (rule A4).
    pub(crate) fn advisor_blocks_loop(&self) -> bool {
        false
    }

    /// A waking steer has not started its turn yet (rule A11).
    pub(crate) fn advisor_start_pending(&self) -> bool {
        false
    }

    pub(crate) fn advisor_command(&mut self, _command: AdvisorCommand) -> CommandOutput {
        CommandOutput::refused(OutputCode::UnknownCommand, "the advisor is not built in")
    }

    pub(crate) fn advisor_view(&self) -> Option<AdvisorView> {
        None
    }
}
