//! A host that keeps what it was asked, for tests of engines and adapters.

use async_trait::async_trait;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use suggest_core::{LoopReport, Revision, Submission, Ticket};
use suggest_engine::{Host, SubmitAnswer};

/// One thing that a [`RecordingHost`] was asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    /// To start a turn.
    Submit(Submission),
    /// To take a submission back.
    Withdraw(Ticket),
    /// To take the next turn away from a goal's driver.
    DisarmGoal {
        /// The goal.
        goal: String,
        /// Its revision.
        revision: Revision,
    },
    /// To inject a note.
    Inject(String),
    /// To steer.
    Steer {
        /// The note.
        text: String,
        /// Whether the note wakes the session.
        wakes: bool,
    },
    /// To fill the input.
    FillInput(String),
    /// To take a report.
    Report(LoopReport),
}

/// What a [`RecordingHost`] does with one submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubmitScript {
    /// Answers this.
    Answer(SubmitAnswer),
    /// Panics.
    Panic,
    /// Never answers.
    Hang,
}

/// A host that keeps what it was asked, in order, and answers submissions from a script; beyond the script it accepts.
/// Clones share record and script.
#[derive(Debug, Clone, Default)]
pub struct RecordingHost {
    shared: Arc<Mutex<Record>>,
}

#[derive(Debug, Default)]
struct Record {
    asked: Vec<(String, Asked)>,
    script: VecDeque<SubmitScript>,
    panics: bool,
    hangs: bool,
}

impl RecordingHost {
    /// A host that accepts everything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Then does this with a submission.
    #[must_use]
    pub fn then(self, step: SubmitScript) -> Self {
        self.lock().script.push_back(step);
        self
    }

    /// Then answers a submission so.
    #[must_use]
    pub fn answering(self, answer: SubmitAnswer) -> Self {
        self.then(SubmitScript::Answer(answer))
    }

    /// Panics in every call but `submit_turn`, which has its script.
    #[must_use]
    pub fn panicking(self) -> Self {
        self.lock().panics = true;
        self
    }

    /// Never returns from any call but `submit_turn`, which has its script.
    #[must_use]
    pub fn hanging(self) -> Self {
        self.lock().hangs = true;
        self
    }

    /// Everything asked so far, with its session, oldest first.
    #[must_use]
    pub fn asked(&self) -> Vec<(String, Asked)> {
        self.lock().asked.clone()
    }

    /// The submissions so far, oldest first.
    #[must_use]
    pub fn submissions(&self) -> Vec<Submission> {
        self.lock()
            .asked
            .iter()
            .filter_map(|(_, asked)| match asked {
                Asked::Submit(submission) => Some(submission.clone()),
                Asked::Withdraw(_)
                | Asked::DisarmGoal { .. }
                | Asked::Inject(_)
                | Asked::Steer { .. }
                | Asked::FillInput(_)
                | Asked::Report(_) => None,
            })
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn keep(&self, session: &str, asked: Asked) {
        let (panics, hangs) = {
            let mut record = self.lock();
            record.asked.push((session.to_owned(), asked));
            (record.panics, record.hangs)
        };
        if panics {
            scripted_panic();
        }
        if hangs {
            std::future::pending::<()>().await;
        }
    }
}

#[expect(clippy::panic, reason = "tests ask for it, to see that an engine contains it")]
fn scripted_panic() -> ! {
    panic!("scripted panic of the host")
}

#[async_trait]
impl Host for RecordingHost {
    async fn submit_turn(&self, session: &str, submission: Submission) -> SubmitAnswer {
        let step = {
            let mut record = self.lock();
            record.asked.push((session.to_owned(), Asked::Submit(submission)));
            record.script.pop_front()
        };
        match step {
            None => SubmitAnswer::Accepted,
            Some(SubmitScript::Answer(answer)) => answer,
            Some(SubmitScript::Panic) => scripted_panic(),
            Some(SubmitScript::Hang) => std::future::pending().await,
        }
    }

    async fn withdraw_turn(&self, session: &str, ticket: Ticket) {
        self.keep(session, Asked::Withdraw(ticket)).await;
    }

    async fn disarm_goal(&self, session: &str, goal: &str, revision: Revision) {
        self.keep(session, Asked::DisarmGoal { goal: goal.to_owned(), revision }).await;
    }

    async fn inject(&self, session: &str, text: String) {
        self.keep(session, Asked::Inject(text)).await;
    }

    async fn steer(&self, session: &str, text: String, wakes: bool) {
        self.keep(session, Asked::Steer { text, wakes }).await;
    }

    async fn fill_input(&self, session: &str, text: String) {
        self.keep(session, Asked::FillInput(text)).await;
    }

    async fn report(&self, session: &str, report: &LoopReport) {
        self.keep(session, Asked::Report(report.clone())).await;
    }
}
