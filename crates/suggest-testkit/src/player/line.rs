//! What playing a scenario gives.

use crate::pattern::Difference;
use crate::scenario::StepNumber;
use serde::Serialize;
use std::fmt;
use suggest_core::{Effect, OutputCode, State, Timestamp};

/// What one step did. It serialises to the line that `suggest replay --json` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// The step.
    pub step: StepNumber,
    /// The virtual time.
    pub at: Timestamp,
    /// The session, in a scenario of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What the core asked for, in order; the effects of timers that fell due come first.
    pub effects: Vec<Effect>,
    /// The session's state after the step.
    pub state: State,
    /// What a command printed.
    pub output: Option<String>,
    /// How a command ended.
    pub output_code: Option<OutputCode>,
    /// What kind of step it was, for people; not part of the JSON.
    #[serde(skip)]
    pub title: String,
}

impl Line {
    /// The line as JSON, without a line break.
    ///
    /// # Errors
    /// None that a line of this crate can cause; the serialiser's, should it fail.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}

/// An `expect` step that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The step that expected.
    pub step: StepNumber,
    /// The step whose line it compared with.
    pub against: StepNumber,
    /// Every difference.
    pub differences: Vec<Difference>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: not what was expected of step {}", self.step, self.against)?;
        self.differences.iter().try_for_each(|difference| write!(f, "\n  {difference}"))
    }
}

/// What one step of a scenario gave.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly every value is a line, and none is kept for long")]
pub enum Played {
    /// A step of the session, with its line.
    Line(Line),
    /// An `expect` step that holds.
    Matched(StepNumber),
    /// An `expect` step that does not hold.
    Mismatched(Mismatch),
}

/// Everything that playing a scenario gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The lines in order.
    pub lines: Vec<Line>,
    /// The `expect` steps that hold, in order.
    pub matched: Vec<StepNumber>,
    /// The `expect` steps that do not hold, in order.
    pub mismatches: Vec<Mismatch>,
}

impl Outcome {
    /// Whether everything held.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.mismatches.is_empty() { Verdict::Passed } else { Verdict::Mismatch }
    }
}

/// How a scenario ended, with its exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Every expectation held.
    Passed,
    /// An expectation did not hold.
    Mismatch,
    /// The document is no scenario.
    Malformed,
}

impl Verdict {
    /// The exit status of `suggest replay`: 0, 1 or 2.
    #[must_use]
    pub const fn exit_status(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::Mismatch => 1,
            Self::Malformed => 2,
        }
    }
}
