//! What the engine may do to a session here.

use crate::desk::Desk;
use crate::writing::Ended;
use async_trait::async_trait;
use std::sync::Weak;
use suggest_core::{Submission, SubmitAuthor, Ticket};
use suggest_engine::{Host, SubmitAnswer};

/// The agent behind the proxy, seen as a host. It holds the desk weakly: the desk holds the sessions.
pub(crate) struct AgentHost {
    pub(crate) desk: Weak<Desk>,
    pub(crate) most_rounds: u32,
}

#[async_trait]
impl Host for AgentHost {
    /// Compares and writes in one step: the way to the agent is locked meanwhile (rule A3).
    async fn submit_turn(&self, session: &str, submission: Submission) -> SubmitAnswer {
        let Some(desk) = self.desk.upgrade() else { return SubmitAnswer::refused("the proxy is ending") };
        let mut sessions = desk.sessions();
        let done = match submission.author {
            SubmitAuthor::Human => {
                let held = sessions.seats.get_mut(session).and_then(|seat| seat.click.take());
                match held {
                    Some(held) => sessions.click(&desk.wires, session, held, &submission.text),
                    None => Err("the prompt that asked for it is gone".to_owned()),
                }
            }
            SubmitAuthor::Suggest => sessions.round(&desk.wires, session, &submission.text, self.most_rounds),
        };
        match done {
            Ok(()) => SubmitAnswer::Accepted,
            Err(reason) => SubmitAnswer::refused(reason),
        }
    }

    /// A prompt that was written is beyond recall; one that was not has its editor waiting.
    async fn withdraw_turn(&self, session: &str, _ticket: Ticket) {
        let Some(desk) = self.desk.upgrade() else { return };
        let mut sessions = desk.sessions();
        if let Some(held) = sessions.seats.get_mut(session).and_then(|seat| seat.click.take()) {
            sessions.reply(&desk.wires, session, held, "Nothing was sent: it was taken back.", Ended::Done);
        }
    }

    /// No editor lets an agent write into its input; the text is shown for the human to send (rule D13).
    async fn fill_input(&self, session: &str, text: String) {
        let Some(desk) = self.desk.upgrade() else { return };
        let mut sessions = desk.sessions();
        if let Some(held) = sessions.seats.get_mut(session).and_then(|seat| seat.click.take()) {
            let words = format!("This suggestion runs a command, so it is yours to send:\n\n{text}");
            sessions.reply(&desk.wires, session, held, &words, Ended::Done);
        }
    }
}
