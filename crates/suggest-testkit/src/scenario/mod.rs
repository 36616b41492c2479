//! Scenarios: documents that script a session, read and checked whole before anything is played.

mod document;
mod error;
mod event;
mod once;
mod read;
#[cfg(test)]
mod tests;

pub use error::{ScenarioError, StepNumber};

#[cfg(feature = "schema")]
pub(crate) use document::Document;

use crate::pattern::Pattern;
use suggest_core::{
    CallError, CallId, Config, Event, ModelReply, SessionKind, SessionSetup, Ticket, Timestamp, Voice,
};

/// A scenario that can be played: every step was read, every session is known, every time is in order.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub(crate) config: Config,
    pub(crate) sessions: Vec<ScenarioSession>,
    pub(crate) several: bool,
    pub(crate) history: Vec<Event>,
    pub(crate) steps: Vec<Step>,
}

impl Scenario {
    /// Reads a document.
    ///
    /// # Errors
    /// The first thing that is wrong, with its step and field.
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        read::scenario(text)
    }

    /// How many steps there are, comparisons included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no steps.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

impl std::str::FromStr for Scenario {
    type Err = ScenarioError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_json(text)
    }
}

/// A session of a scenario.
#[derive(Debug, Clone)]
pub(crate) struct ScenarioSession {
    pub(crate) id: String,
    pub(crate) kind: SessionKind,
    pub(crate) opt_in: bool,
    pub(crate) cwd: Option<String>,
    pub(crate) home: Option<String>,
}

impl ScenarioSession {
    pub(crate) fn setup(&self) -> SessionSetup {
        SessionSetup::new(self.id.clone())
            .with_kind(self.kind, self.opt_in)
            .with_folders(self.cwd.clone(), self.home.clone())
    }
}

/// The place of a session in its scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SessionIndex(pub(crate) usize);

#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) number: StepNumber,
    pub(crate) at: Option<Timestamp>,
    pub(crate) session: SessionIndex,
    pub(crate) body: StepBody,
}

#[derive(Debug, Clone)]
pub(crate) enum StepBody {
    Act(Action),
    Expect { against: StepNumber, pattern: Pattern },
}

#[derive(Debug, Clone)]
pub(crate) enum Action {
    Wait,
    Event(Event),
    History(Event),
    Command(String),
    Answer {
        to: Addressee,
        with: Answer,
    },
    SubmitResult {
        ticket: Option<Ticket>,
        accepted: bool,
        reason: Option<String>,
    },
    /// The whole configuration that is in force from here on.
    Config(Box<Config>),
    Restart,
}

/// Which call a scripted reply or error is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Addressee {
    pub(crate) voice: Voice,
    pub(crate) call: Option<CallId>,
}

#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Reply(ModelReply),
    Error(CallError),
}
