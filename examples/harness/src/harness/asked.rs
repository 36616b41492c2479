//! What the engine asks of the harness, answered where turns start.

use super::{Harness, Prompt, message};
use crate::host::Request;
use suggest_core::{Author, Event, Expectation, GoalRef, LoopReport, Origin, Submission, SubmitAuthor};
use suggest_engine::SubmitAnswer;

impl Harness {
    /// What the engine asks for.
    pub(super) fn requested(&mut self, request: Request) {
        match request {
            Request::Submit(submission, answer) => {
                let said = self.submit(submission);
                // If nobody waits any more, the session is closed.
                let _ = answer.send(said);
            }
            Request::Withdraw(ticket) => {
                let before = self.queue.len();
                self.queue.retain(|prompt| prompt.ticket != Some(ticket));
                if self.queue.len() != before {
                    self.tell_queue();
                }
            }
            Request::Inject(text) => self.note(text),
            Request::Steer { text, wakes } => self.steer(text, wakes),
            Request::Fill(text) => {
                self.clicked = false;
                self.screen.say("yours", &format!("{text}\n(type it yourself if you want it)"));
            }
            Request::Report(report) => self.screen.say("autorun", &told(&report)),
        }
    }

    // docs: submit
    /// Compares and starts in one step: between the two nothing else can happen in this loop (rule A3).
    fn submit(&mut self, submission: Submission) -> SubmitAnswer {
        let now = Expectation {
            turn: self.last_ended,
            goal: self.goal.as_ref().map(|goal| GoalRef { id: goal.id.clone(), revision: goal.revision }),
            human_epoch: self.human_inputs,
        };
        let Submission { text, ticket, .. } = submission;
        match submission.author {
            // The person's own prompt. If a turn runs, it waits in the queue.
            SubmitAuthor::Human => {
                self.clicked = false;
                self.enter(Prompt { origin: Origin::Human, text, ticket: Some(ticket) });
            }
            SubmitAuthor::Suggest if self.running.is_some() => {
                return SubmitAnswer::refused("a turn is running");
            }
            SubmitAuthor::Suggest if submission.expect != now => {
                return SubmitAnswer::refused("the session has moved on");
            }
            SubmitAuthor::Suggest => {
                self.begin(Prompt { origin: Origin::Suggest, text, ticket: Some(ticket) });
            }
        }
        SubmitAnswer::Accepted
    }
    // docs: end

    // docs: notes
    /// A note of the advisor that can wait: the worker reads it with whatever comes next.
    fn note(&mut self, text: String) {
        self.screen.say("advisor", &text);
        self.tell(Event::Message(message(Author::Advisor, &text)));
        self.notes.push(text);
    }

    /// A note that cannot wait: the worker reads it before the turn that runs may end, or in a turn of its own.
    fn steer(&mut self, text: String, wakes: bool) {
        if let Some(running) = &mut self.running {
            running.steered = true;
            self.note(text);
        } else if wakes {
            self.begin(Prompt { origin: Origin::Advisor, text, ticket: None });
        } else {
            self.note(text);
        }
    }
    // docs: end
}

fn told(report: &LoopReport) -> String {
    let rounds = if report.rounds == 1 { "1 round".to_owned() } else { format!("{} rounds", report.rounds) };
    format!("ended after {rounds}: {}", report.reason.message)
}
