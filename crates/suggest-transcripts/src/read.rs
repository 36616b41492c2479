//! Reading a session: whole, from its tail, or from a file in the way that suits it.

use crate::error::TranscriptError;
use crate::fold::{Fold, event_of};
use crate::format::Format;
use crate::options::ReadOptions;
use crate::tail;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::ops::ControlFlow;
use std::path::Path;
use suggest_core::{Event, Turn};
use suggest_host_dsh::{Line, Lines, Output, Position, ProblemKind, Summary};

/// A file larger than this is read from its tail.
const SMALL: u64 = 4 * 1024 * 1024;

/// Reads a whole session from a stream and folds its events, in order, into the sink: all are history (rule D15).
///
/// Lines that cannot be read are skipped and told in the summary; an unfinished last line is no problem. Memory is
/// bounded by the longest line that is accepted; in an `opencode export`, which is one document, by its longest message.
///
/// # Errors
///
/// [`TranscriptError::Empty`], [`TranscriptError::NotThisFormat`] if nothing in it is of the format,
/// [`TranscriptError::NoSuchTurn`], [`TranscriptError::TooLarge`], and those of reading. A store is no stream:
/// [`TranscriptError::NotThisFormat`]; use [`read_file`].
pub fn read(
    format: Format,
    input: impl Read,
    options: &ReadOptions,
    mut sink: impl FnMut(Event),
) -> Result<Summary, TranscriptError> {
    match format {
        Format::OpencodeStore => {
            Err(TranscriptError::NotThisFormat { format, reason: "a store is a file, and no stream" })
        }
        Format::OpencodeExport => read_export(input, options, &mut sink),
        Format::GeminiDocument => read_gemini_document(input, options, &mut sink),
        _ => {
            let mut folding = Folding::new(format, options, false);
            let buffered = BufReader::with_capacity(128 * 1024, input);
            let mut lines = Lines::new(buffered, options.limits.line_bytes, 0);
            folding.read(&mut lines, &mut sink)?;
            folding.finish(format, lines.count(), &mut sink)
        }
    }
}

/// Reads the tail of a session that can be sought in, backwards until the budget of `options` is filled. Small files
/// and documents are read whole, and so is a session of which only the whole can tell what holds.
///
/// # Errors
///
/// As [`read`].
pub fn read_tail<R: Read + Seek>(
    format: Format,
    input: &mut R,
    options: &ReadOptions,
    mut sink: impl FnMut(Event),
) -> Result<Summary, TranscriptError> {
    input.rewind()?;
    if format.is_lines() && options.at_turn.is_none() {
        let mut events = Vec::new();
        if let Some(summary) = tail::read(format, input, options, &mut |event| events.push(event))? {
            events.into_iter().for_each(sink);
            return Ok(summary);
        }
        input.rewind()?;
    }
    read(format, input, options, &mut sink)
}

/// Reads a session from a file, in the way that suits it: a store with its database library, a large file from its
/// tail, a rollout that continues another one together with it.
///
/// # Errors
///
/// As [`read`], and those of opening the file and the store. They do not name the path.
pub fn read_file(
    format: Format,
    path: &Path,
    options: &ReadOptions,
    mut sink: impl FnMut(Event),
) -> Result<Summary, TranscriptError> {
    if format == Format::OpencodeStore {
        return read_store(path, options, &mut sink);
    }
    let mut file = File::open(path)?;
    if format == Format::Codex
        && let Some(base) = crate::rollout::base_of(&mut file, path)?
    {
        file.rewind()?;
        let mut folding = Folding::new(format, options, false);
        folding.up_to_ordinal = Some(base.end);
        let input = BufReader::with_capacity(128 * 1024, File::open(&base.path)?);
        folding.read(&mut Lines::new(input, options.limits.line_bytes, 0), &mut sink)?;
        folding.up_to_ordinal = None;
        let input = BufReader::with_capacity(128 * 1024, file);
        let mut lines = Lines::new(input, options.limits.line_bytes, 0);
        if !folding.summary.cut_at_turn {
            folding.read(&mut lines, &mut sink)?;
        }
        return folding.finish(format, lines.count(), &mut sink);
    }
    let facts = file.metadata()?;
    if facts.is_file() && facts.len() > SMALL && options.at_turn.is_none() {
        return read_tail(format, &mut file, options, sink);
    }
    read(format, file, options, sink)
}

fn read_export(
    input: impl Read,
    options: &ReadOptions,
    sink: &mut dyn FnMut(Event),
) -> Result<Summary, TranscriptError> {
    let mut folding = Folding::new(Format::OpencodeExport, options, false);
    crate::export::records(input, &mut |record| folding.one(record, sink))?;
    folding.any = true;
    folding.finish(Format::OpencodeExport, 1, sink)
}

/// The older form of Gemini CLI: what the document says of the session, and its messages, are the records of the newer one.
fn read_gemini_document(
    input: impl Read,
    options: &ReadOptions,
    sink: &mut dyn FnMut(Event),
) -> Result<Summary, TranscriptError> {
    const LARGEST: u64 = 256 * 1024 * 1024;
    let format = Format::GeminiDocument;
    let mut bytes = Vec::new();
    input.take(LARGEST.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > LARGEST {
        return Err(TranscriptError::TooLarge { limit: LARGEST });
    }
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() {
        return Err(TranscriptError::Empty);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Ok((mut document, _)) = crate::fold::parse(bytes) else {
        return Err(TranscriptError::NotThisFormat { format, reason: "it is no JSON document, or was cut" });
    };
    let Some(Value::Array(messages)) = document.get_mut("messages").map(Value::take) else {
        return Err(TranscriptError::NotThisFormat { format, reason: "it has no list of messages" });
    };
    let mut folding = Folding::new(format, options, false);
    for record in std::iter::once(document).chain(messages) {
        if folding.one(record, sink).is_break() {
            break;
        }
    }
    folding.any = true;
    folding.finish(format, 1, sink)
}

#[cfg(feature = "sqlite")]
fn read_store(
    path: &Path,
    options: &ReadOptions,
    sink: &mut dyn FnMut(Event),
) -> Result<Summary, TranscriptError> {
    let mut folding = Folding::new(Format::OpencodeStore, options, false);
    let mut lines = 0_u64;
    let tail_only = crate::store::messages(path, options, &mut |record| {
        lines = lines.saturating_add(1);
        folding.one(record, sink)
    })?;
    folding.any = true;
    folding.summary.tail_only = tail_only;
    folding.finish(Format::OpencodeStore, lines, sink)
}

#[cfg(not(feature = "sqlite"))]
fn read_store(_: &Path, _: &ReadOptions, _: &mut dyn FnMut(Event)) -> Result<Summary, TranscriptError> {
    Err(TranscriptError::NotBuilt { format: Format::OpencodeStore, feature: "sqlite" })
}

/// Folds records, and keeps count of what went wrong.
pub(crate) struct Folding {
    pub(crate) fold: Fold,
    pub(crate) summary: Summary,
    at_turn: Option<Turn>,
    by_offset: bool,
    /// Whether a line was a record.
    any: bool,
    /// Read only lines with smaller ordinals.
    up_to_ordinal: Option<u64>,
}

impl Folding {
    /// `by_offset`: problems are told by their place in bytes, because the line numbers are not known.
    pub(crate) fn new(format: Format, options: &ReadOptions, by_offset: bool) -> Self {
        Self {
            fold: Fold::new(format, options),
            summary: Summary::default(),
            at_turn: options.at_turn,
            by_offset,
            any: false,
            up_to_ordinal: None,
        }
    }

    /// Folds all lines, or those up to the turn that was asked for.
    pub(crate) fn read<R: BufRead>(
        &mut self,
        lines: &mut Lines<R>,
        sink: &mut dyn FnMut(Event),
    ) -> Result<(), TranscriptError> {
        while let Some(line) = lines.next_line()? {
            if self.line(line, sink).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn line(&mut self, line: Line<'_>, sink: &mut dyn FnMut(Event)) -> ControlFlow<()> {
        let position = if self.by_offset { Position::Byte(line.offset) } else { Position::Line(line.number) };
        let Some(text) = line.text else {
            self.summary.problem(position, ProblemKind::TooLong { bytes: line.length });
            return ControlFlow::Continue(());
        };
        if self.up_to_ordinal.is_some_and(|end| crate::rollout::ordinal(text).is_some_and(|at| at >= end)) {
            return ControlFlow::Break(());
        }
        let mut gate = Gate { at_turn: self.at_turn, sink, shut: false };
        let read = self.fold.line(text, &mut |output| gate.take(output));
        if gate.shut {
            self.summary.cut_at_turn = true;
            return ControlFlow::Break(());
        }
        match read {
            Ok(()) => self.any |= !text.is_empty(),
            Err(ProblemKind::NotUtf8) => {
                self.any = true;
                self.summary.problem(position, ProblemKind::NotUtf8);
            }
            Err(ProblemKind::NotJson) if !line.ended => self.summary.torn_last_line = true,
            Err(kind) => self.summary.problem(position, kind),
        }
        ControlFlow::Continue(())
    }

    fn one(&mut self, record: Value, sink: &mut dyn FnMut(Event)) -> ControlFlow<()> {
        let mut gate = Gate { at_turn: self.at_turn, sink, shut: false };
        self.fold.record(record, &mut |output| gate.take(output));
        if gate.shut {
            self.summary.cut_at_turn = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    pub(crate) fn finish(
        mut self,
        format: Format,
        lines: u64,
        sink: &mut dyn FnMut(Event),
    ) -> Result<Summary, TranscriptError> {
        if !self.summary.cut_at_turn {
            let mut gate = Gate { at_turn: self.at_turn, sink, shut: false };
            self.fold.settle(&mut |output| gate.take(output));
            self.summary.cut_at_turn = gate.shut;
        }
        if !self.any {
            return Err(if self.summary.problem_count == 0 && !self.summary.torn_last_line {
                TranscriptError::Empty
            } else {
                TranscriptError::NotThisFormat { format, reason: "no line of it is a record" }
            });
        }
        if let Some(turn) = self.at_turn {
            let last = self.fold.last_turn();
            // Where reading was cut, the next turn may have begun already.
            if last.is_none_or(|last| last < turn) {
                return Err(TranscriptError::NoSuchTurn { turn, last });
            }
            if turn.get() == 0 {
                return Err(TranscriptError::NoSuchTurn { turn, last: None });
            }
        }
        let up_to = |turn: Option<Turn>| match (self.at_turn, turn) {
            (Some(limit), Some(turn)) => Some(turn.min(limit)),
            _ => turn,
        };
        self.summary.lines = lines;
        self.summary.skipped = self.fold.skipped().clone();
        self.summary.last_turn = up_to(self.fold.last_turn());
        self.summary.last_ended_turn = up_to(self.fold.last_ended_turn());
        Ok(self.summary)
    }
}

/// Lets events through up to the end of a turn.
struct Gate<'a> {
    at_turn: Option<Turn>,
    sink: &'a mut dyn FnMut(Event),
    shut: bool,
}

impl Gate<'_> {
    fn take(&mut self, output: Output) {
        let event = event_of(output);
        if let (Some(limit), Event::TurnStarted { turn, .. }) = (self.at_turn, &event)
            && *turn > limit
        {
            self.shut = true;
        }
        if self.shut {
            return;
        }
        let last =
            matches!((self.at_turn, &event), (Some(limit), Event::TurnEnded { turn, .. }) if *turn >= limit);
        (self.sink)(event);
        self.shut = last;
    }
}
