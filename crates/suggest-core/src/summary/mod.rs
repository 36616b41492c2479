//! The session summary (rule C9).

use crate::code::OutputCode;
use crate::command::CommandOutput;
use crate::config::Config;
use crate::ids::{CallId, Timestamp};
use crate::reply::{CallError, ModelReply};
use crate::session::Session;
use crate::state::SummaryView;

/// What the summary knows of a session.
#[derive(Debug, Default)]
pub(crate) struct Summary {}

/// What the session tells the summary.
impl Session {
    /// A live turn starts, or the session said that it is busy.
    pub(crate) fn summary_busy(&mut self) {}

    /// The session said that it is idle.
    pub(crate) fn summary_idle(&mut self) {}

    /// The session closed.
    pub(crate) fn summary_closed(&mut self) {}

    /// The configuration changed; `self.config` is the new one.
    pub(crate) fn summary_config_changed(&mut self, _old: &Config) {}

    /// The request left.
    pub(crate) fn summary_sent(&mut self, _call: CallId) {}

    /// A call of the summary brought a reply.
    pub(crate) fn summary_reply(&mut self, _call: CallId, _reply: &ModelReply) {}

    /// A call of the summary failed.
    pub(crate) fn summary_error(&mut self, _call: CallId, _error: &CallError) {}

    /// When the summary next wants time to pass.
    pub(crate) fn summary_wake(&self) -> Option<Timestamp> {
        None
    }

    /// Timers that are due at `self.now`.
    pub(crate) fn summary_timers(&mut self) {}

    pub(crate) fn summary_command(&mut self) -> CommandOutput {
        CommandOutput::refused(OutputCode::UnknownCommand, "the summary is not built in")
    }

    pub(crate) fn summary_view(&self) -> Option<SummaryView> {
        None
    }
}
