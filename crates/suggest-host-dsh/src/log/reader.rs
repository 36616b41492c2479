//! Reading a whole log as a stream.

use super::error::LogError;
use super::frames::{Frames, MAGIC};
use super::header::Header;
use super::lines::{Line, Lines};
use super::options::ReadOptions;
use super::summary::{Position, ProblemKind, Summary};
use crate::fold::{Fold, Output, is_without_meaning, peek_kind};
use serde_json::Value;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::ops::ControlFlow;
use suggest_core::{Event, Turn};

/// The longest header line, in bytes.
pub(crate) const MAX_HEADER: usize = 1024 * 1024;

/// Reads a session log from a stream, plain or compressed, from its beginning to its end.
///
/// Memory is bounded by the longest line that is accepted, whatever the length of the log: events go to a sink.
pub struct LogReader<R> {
    lines: Lines<BufReader<Input<R>>>,
    header: Header,
}

impl<R: Read> LogReader<R> {
    /// Reads the header.
    ///
    /// # Errors
    ///
    /// [`LogError::Empty`] and [`LogError::NotALog`] if there is none, and the errors of reading and decompressing.
    pub fn new(input: R) -> Result<Self, LogError> {
        let mut lines = Lines::new(BufReader::with_capacity(128 * 1024, Input::new(input)?), MAX_HEADER, 0);
        let header = match lines.next_line()? {
            None => return Err(LogError::Empty),
            Some(Line { text: None, .. }) => {
                return Err(LogError::NotALog { reason: "its first line is longer than any header" });
            }
            Some(Line { text: Some(text), .. }) => Header::read(text)?,
        };
        Ok(Self { lines, header })
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Folds the events, in order, into the sink: all are history (rule D15).
    ///
    /// Lines that cannot be read are skipped and told in the summary; an unfinished last line is no problem.
    ///
    /// # Errors
    ///
    /// [`LogError::NoSuchTurn`] if the log does not hold the turn that `options` asks for, [`LogError::Damaged`] and
    /// [`LogError::WindowTooLarge`] for compressed data that cannot be read on, and [`LogError::Io`].
    pub fn read(mut self, options: &ReadOptions, mut sink: impl FnMut(Event)) -> Result<Summary, LogError> {
        self.lines.set_limit(options.limits.line_bytes);
        let mut folding = Folding::new(Fold::of_log(self.header.session_kind()), options.at_turn, false);
        folding.read(&mut self.lines, &mut sink)?;
        folding.summary.lines = self.lines.count();
        folding.summary.torn_last_line |=
            !folding.summary.cut_at_turn && self.lines.input().get_ref().is_torn();
        folding.finish()
    }
}

impl<R> std::fmt::Debug for LogReader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogReader").field("header", &self.header).finish_non_exhaustive()
    }
}

/// The bytes of a log, decompressed where needed.
enum Input<R> {
    Plain(Started<R>),
    Compressed(Box<Frames<Started<R>>>),
}

/// A stream whose first bytes were looked at.
type Started<R> = Chain<Cursor<Vec<u8>>, R>;

impl<R: Read> Input<R> {
    fn new(mut input: R) -> io::Result<Self> {
        let mut first = Vec::new();
        input.by_ref().take(4).read_to_end(&mut first)?;
        let compressed = first == MAGIC;
        let input = Cursor::new(first).chain(input);
        Ok(if compressed { Self::Compressed(Box::new(Frames::new(input))) } else { Self::Plain(input) })
    }

    fn is_torn(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Compressed(frames) => frames.is_torn(),
        }
    }
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(input) => input.read(buffer),
            Self::Compressed(frames) => frames.read(buffer),
        }
    }
}

/// Folds lines, and keeps count of what went wrong.
pub(crate) struct Folding {
    pub(crate) fold: Fold,
    pub(crate) summary: Summary,
    at_turn: Option<Turn>,
    by_offset: bool,
}

impl Folding {
    /// `by_offset`: problems are told by their place in bytes, because the line numbers are not known.
    pub(crate) fn new(fold: Fold, at_turn: Option<Turn>, by_offset: bool) -> Self {
        Self { fold, summary: Summary::default(), at_turn, by_offset }
    }

    /// Folds all lines, or those up to the turn that was asked for.
    pub(crate) fn read<R: io::BufRead>(
        &mut self,
        lines: &mut Lines<R>,
        sink: &mut dyn FnMut(Event),
    ) -> Result<(), LogError> {
        while let Some(line) = lines.next_line()? {
            if self.line(line, sink).is_break() {
                self.summary.cut_at_turn = true;
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<Summary, LogError> {
        if let Some(turn) = self.at_turn {
            let last = self.fold.last_turn();
            if last != Some(turn) {
                return Err(LogError::NoSuchTurn { turn, last: last.filter(|last| *last < turn) });
            }
        }
        self.summary.skipped = self.fold.skipped().clone();
        self.summary.last_turn = self.fold.last_turn();
        self.summary.last_ended_turn = self.fold.last_ended_turn();
        Ok(self.summary)
    }

    fn line(&mut self, line: Line<'_>, sink: &mut dyn FnMut(Event)) -> ControlFlow<()> {
        let position = if self.by_offset { Position::Byte(line.offset) } else { Position::Line(line.number) };
        let Some(text) = line.text else {
            self.summary.problem(position, ProblemKind::TooLong { bytes: line.length });
            return ControlFlow::Continue(());
        };
        // Most lines are chunks of a stream that comes again as a whole: they need no parsing.
        let means_nothing = peek_kind(text).is_some_and(is_without_meaning) && text.ends_with(b"}");
        if text.is_empty() || means_nothing {
            return ControlFlow::Continue(());
        }
        match parse(text) {
            Ok((value, problem)) => {
                if let Some(kind) = problem {
                    self.summary.problem(position, kind);
                }
                self.event(value, sink)
            }
            Err(_) if !line.ended => {
                self.summary.torn_last_line = true;
                ControlFlow::Continue(())
            }
            Err(kind) => {
                self.summary.problem(position, kind);
                ControlFlow::Continue(())
            }
        }
    }

    pub(crate) fn event(&mut self, value: Value, sink: &mut dyn FnMut(Event)) -> ControlFlow<()> {
        if let Some(limit) = self.at_turn {
            let starts = value.get("type").and_then(Value::as_str) == Some("turn/start");
            if starts && turn_of(&value).is_some_and(|turn| turn > limit) {
                return ControlFlow::Break(());
            }
        }
        self.fold.push(value, &mut |output: Output| sink(output.into_event()));
        match (self.at_turn, self.fold.last_ended_turn()) {
            (Some(limit), Some(ended)) if ended >= limit => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// The turn that an event names.
pub(crate) fn turn_of(event: &Value) -> Option<Turn> {
    event.get("data")?.get("turn")?.as_u64().map(Turn::new)
}

/// Parses a line. Bytes that are no UTF-8 are replaced and told: one bad byte should not cost a message.
pub(crate) fn parse(text: &[u8]) -> Result<(Value, Option<ProblemKind>), ProblemKind> {
    let (value, problem) = match std::str::from_utf8(text) {
        Ok(text) => (serde_json::from_str::<Value>(text), None),
        Err(_) => (serde_json::from_str(&String::from_utf8_lossy(text)), Some(ProblemKind::NotUtf8)),
    };
    let value = value.map_err(|_| ProblemKind::NotJson)?;
    if value.get("type").is_some_and(Value::is_string) {
        Ok((value, problem))
    } else {
        Err(ProblemKind::NotAnEvent)
    }
}
