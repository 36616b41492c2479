//! What reading a session told besides its events.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use suggest_core::Turn;
use suggest_host_dsh::{Position, Problem, Summary};

/// What reading a session told besides its events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct LogReport {
    /// Events that were folded.
    pub(crate) events: u64,
    /// Events of unknown types, which were skipped.
    pub(crate) skipped: u64,
    /// How often each unknown type was skipped; at most 64 types are named.
    pub(crate) skipped_types: BTreeMap<String, u64>,
    /// Whether the last line is unfinished and was left out.
    pub(crate) torn: bool,
    /// The first lines that could not be read, at most 20.
    pub(crate) problems: Vec<ProblemReport>,
    /// How many lines could not be read.
    pub(crate) problem_count: u64,
    /// Whether only the tail of a large file was read.
    pub(crate) tail_only: bool,
    /// The newest turn that ended.
    pub(crate) last_turn: Option<Turn>,
}

/// A line that could not be read, or not wholly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ProblemReport {
    /// Its number; absent when only the tail of a file was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u64>,
    /// Where it begins in bytes, when its number is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) byte: Option<u64>,
    /// What is wrong with it.
    pub(crate) message: String,
}

impl ProblemReport {
    fn place(&self) -> String {
        match (self.line, self.byte) {
            (Some(line), _) => format!("line {line}"),
            (None, Some(byte)) => format!("the line at byte {byte}"),
            (None, None) => "a line".to_owned(),
        }
    }
}

impl From<&Problem> for ProblemReport {
    fn from(problem: &Problem) -> Self {
        let (line, byte) = match problem.position {
            Position::Line(line) => (Some(line), None),
            Position::Byte(byte) => (None, Some(byte)),
        };
        Self { line, byte, message: problem.kind.to_string() }
    }
}

impl LogReport {
    pub(crate) fn of_dsh(summary: &Summary, events: u64) -> Self {
        Self {
            events,
            skipped: summary.skipped.values().sum(),
            skipped_types: summary.skipped.clone(),
            torn: summary.torn_last_line,
            problems: summary.problems.iter().map(ProblemReport::from).collect(),
            problem_count: summary.problem_count,
            tail_only: summary.tail_only,
            last_turn: summary.last_ended_turn,
        }
    }

    /// What a person should know about the file, one line each.
    pub(crate) fn warnings(&self, name: &str) -> Vec<String> {
        const SHOWN: usize = 5;
        let mut lines: Vec<String> = self
            .problems
            .iter()
            .take(SHOWN)
            .map(|problem| format!("{name}, {}: {}", problem.place(), problem.message))
            .collect();
        let shown = u64::try_from(lines.len()).unwrap_or(u64::MAX);
        if self.problem_count > shown {
            lines.push(format!("{name}: {} more lines could not be read", self.problem_count - shown));
        }
        if self.torn {
            lines.push(format!("{name}: the last line is unfinished and was left out"));
        }
        if self.skipped > 0 {
            let events = if self.skipped == 1 { "event" } else { "events" };
            let types: Vec<&str> = self.skipped_types.keys().take(3).map(String::as_str).collect();
            let more = if self.skipped_types.len() > types.len() { ", …" } else { "" };
            lines.push(format!(
                "{name}: skipped {} {events} of unknown types ({}{more})",
                self.skipped,
                types.join(", ")
            ));
        }
        lines
    }
}
