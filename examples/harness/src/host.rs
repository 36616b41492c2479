//! The engine's way into the harness.
//!
//! Every request goes to the chat loop, which alone starts turns: so nothing here needs a lock, and comparing and
//! starting are one step there.

use async_trait::async_trait;
use suggest_core::{LoopReport, Submission, Ticket};
use suggest_engine::{Host, SubmitAnswer};
use tokio::sync::{mpsc, oneshot};

/// What the engine wants of the chat loop.
pub(crate) enum Request {
    /// Start a turn, and say whether it will start.
    Submit(Submission, oneshot::Sender<SubmitAnswer>),
    /// Take a submission back, if its turn has not started.
    Withdraw(Ticket),
    /// Have the worker read a note with the next prompt.
    Inject(String),
    /// Have the worker read a note now, in a turn of its own if none runs.
    Steer { text: String, wakes: bool },
    /// Put a text into the person's input.
    Fill(String),
    /// Tell the person that a loop ended.
    Report(LoopReport),
}

// docs: host
/// Hands each request to the chat loop, in order.
pub(crate) struct Requests(pub(crate) mpsc::UnboundedSender<Request>);

impl Requests {
    /// A loop that has ended needs nothing any more.
    fn send(&self, request: Request) {
        let _ = self.0.send(request);
    }
}

#[async_trait]
impl Host for Requests {
    async fn submit_turn(&self, _session: &str, submission: Submission) -> SubmitAnswer {
        let (answer, answered) = oneshot::channel();
        self.send(Request::Submit(submission, answer));
        answered.await.unwrap_or_else(|_| SubmitAnswer::refused("the harness is closing"))
    }

    async fn withdraw_turn(&self, _session: &str, ticket: Ticket) {
        self.send(Request::Withdraw(ticket));
    }

    async fn inject(&self, _session: &str, text: String) {
        self.send(Request::Inject(text));
    }

    async fn steer(&self, _session: &str, text: String, wakes: bool) {
        self.send(Request::Steer { text, wakes });
    }

    async fn fill_input(&self, _session: &str, text: String) {
        self.send(Request::Fill(text));
    }

    async fn report(&self, _session: &str, report: &LoopReport) {
        self.send(Request::Report(report.clone()));
    }
}
// docs: end
