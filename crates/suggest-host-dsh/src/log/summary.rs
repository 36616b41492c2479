//! What reading a log tells besides its events.

use std::collections::BTreeMap;
use std::fmt;
use suggest_core::Turn;

/// The most problems that are kept one by one; all are counted.
const MAX_PROBLEMS: usize = 20;

/// What reading a log tells besides its events. Bounded, whatever the length of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// How many lines were read, the header among them.
    pub lines: u64,
    /// How often each unknown event type was skipped. At most 64 types are named, the rest shares `(others)`.
    pub skipped: BTreeMap<String, u64>,
    /// The first lines that could not be read, at most 20.
    pub problems: Vec<Problem>,
    /// How many lines could not be read.
    pub problem_count: u64,
    /// Whether the last line is unfinished, as after a crash of the host or while it writes. It was left out.
    pub torn_last_line: bool,
    /// Whether only the tail was read.
    pub tail_only: bool,
    /// Whether reading ended at the turn that was asked for.
    pub cut_at_turn: bool,
    /// The newest turn that began.
    pub last_turn: Option<Turn>,
    /// The newest turn that ended.
    pub last_ended_turn: Option<Turn>,
}

impl Summary {
    /// Notes a line that could not be read.
    pub fn problem(&mut self, position: Position, kind: ProblemKind) {
        self.problem_count = self.problem_count.saturating_add(1);
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem { position, kind });
        }
    }
}

/// A line that could not be read, or not wholly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// Where it stands.
    pub position: Position,
    /// What is wrong with it.
    pub kind: ProblemKind,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.position, self.kind)
    }
}

/// Where a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// Its number; the header is line 1.
    Line(u64),
    /// Where it begins, in bytes from the start of the file: a tail does not know its line numbers.
    Byte(u64),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Byte(offset) => write!(f, "the line at byte {offset}"),
        }
    }
}

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// It is no JSON; it was skipped.
    NotJson,
    /// It is JSON, but no object with a type; it was skipped.
    NotAnEvent,
    /// It is an event whose fields do not fit its type; it was skipped.
    Misfit,
    /// Some of its bytes are no UTF-8; they were replaced.
    NotUtf8,
    /// It is longer than the limit; it was skipped.
    TooLong {
        /// Its length in bytes.
        bytes: u64,
    },
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson => f.write_str("not JSON, skipped"),
            Self::NotAnEvent => f.write_str("no session event, skipped"),
            Self::Misfit => f.write_str("an event whose fields do not fit its type, skipped"),
            Self::NotUtf8 => f.write_str("not UTF-8, read with replacements"),
            Self::TooLong { bytes } => write!(f, "{bytes} bytes long, skipped"),
        }
    }
}
