//! What is wrong with a scenario document, and where.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;

/// The number of a step, counted from 0 as its place in `steps`; the printed lines carry the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct StepNumber(usize);

impl StepNumber {
    /// The number of the first step.
    const FIRST: usize = 0;

    /// The step at a place in the list.
    #[must_use]
    pub const fn at(index: usize) -> Self {
        Self(index.saturating_add(Self::FIRST))
    }

    /// The plain number.
    #[must_use]
    pub const fn get(self) -> usize {
        self.0
    }
}

impl fmt::Display for StepNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Why a document is no scenario. It names the step and the field, and never quotes a text of the session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// The text is no JSON.
    #[error("the scenario is no JSON: {problem}")]
    NotJson {
        /// What the reader stumbled over, with line and column.
        problem: String,
    },
    /// A field does not fit.
    #[error("{}`{field}`: {problem}", step.map(|step| format!("step {step}, field ")).unwrap_or_default())]
    Field {
        /// The step, unless the field belongs to the whole document.
        step: Option<StepNumber>,
        /// The path of the field, within the step where there is one.
        field: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl ScenarioError {
    /// The step that is wrong, where one is.
    #[must_use]
    pub fn step(&self) -> Option<StepNumber> {
        match self {
            Self::NotJson { .. } => None,
            Self::Field { step, .. } => *step,
        }
    }

    /// The path of the field that is wrong.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::NotJson { .. } => None,
            Self::Field { field, .. } => Some(field),
        }
    }
}

/// A field that does not fit, before it is known which step it belongs to.
#[derive(Debug)]
pub(super) struct Misfit {
    field: String,
    problem: String,
}

impl Misfit {
    pub(super) fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }

    /// The same misfit with the start of its path exchanged.
    pub(super) fn moved(self, from: &str, to: &str) -> Self {
        let rest = self.field.strip_prefix(from).unwrap_or(&self.field);
        Self { field: join(to, rest.strip_prefix('.').unwrap_or(rest)), problem: self.problem }
    }

    pub(super) fn in_document(self) -> ScenarioError {
        ScenarioError::Field { step: None, field: self.field, problem: self.problem }
    }

    pub(super) fn in_step(self, step: StepNumber) -> ScenarioError {
        ScenarioError::Field { step: Some(step), field: self.field, problem: self.problem }
    }
}

/// Reads a value as one of the document's types. `place` is the path of the value itself, empty for a whole step.
pub(super) fn read<T: DeserializeOwned>(value: Value, place: &str) -> Result<T, Misfit> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let problem = without_payload(&error.into_inner().to_string());
        let inner = if path == "." { "" } else { &path };
        Misfit { field: join(&join(place, inner), &named_in(&problem, inner)), problem }
    })
}

/// As [`read`], for what has fields of its own.
pub(super) fn read_object<T: DeserializeOwned>(value: Value, place: &str) -> Result<T, Misfit> {
    if value.is_object() {
        read(value, place)
    } else {
        Err(Misfit::new(place, "write an object with its fields"))
    }
}

/// Joins two paths as `a.b` or `a[0]`.
pub(super) fn join(left: &str, right: &str) -> String {
    match (left.is_empty(), right.is_empty()) {
        (true, _) => right.to_owned(),
        (_, true) => left.to_owned(),
        _ if right.starts_with('[') => format!("{left}{right}"),
        _ => format!("{left}.{right}"),
    }
}

/// The field that a message names and the path does not: one that is missing, or one that is not known.
fn named_in(problem: &str, path: &str) -> String {
    let name = ["missing field `", "unknown field `"]
        .iter()
        .find_map(|start| problem.strip_prefix(start))
        .and_then(|rest| rest.split('`').next())
        .unwrap_or_default();
    let last = path.rsplit('.').next().unwrap_or_default();
    if last == name { String::new() } else { name.to_owned() }
}

/// The message without the text that stood in the wrong place; a prompt may be in it.
fn without_payload(message: &str) -> String {
    for kind in ["invalid type: string ", "invalid value: string "] {
        if let Some((_, expected)) =
            message.strip_prefix(kind).and_then(|rest| rest.rsplit_once(", expected "))
        {
            return format!("{}, expected {expected}", kind.trim_end());
        }
    }
    message.chars().filter(|c| !c.is_control()).take(400).collect()
}
