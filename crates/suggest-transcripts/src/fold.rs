//! Folds the records of one session, one at a time.

use crate::format::Format;
use crate::options::ReadOptions;
use crate::readers::{
    Acp, ClaudeCode, ClaudeStream, Codex, CodexExec, Events, Gemini, GeminiStream, Opencode, OpencodeRun,
    Qwen, Reader,
};
use crate::teller::Teller;
use serde_json::Value;
use std::fmt;
use suggest_core::{Event, SessionKind, Turn};
use suggest_host_dsh::{Output, ProblemKind};

/// Folds the records of one session into host-neutral events, in bounded memory whatever the length of the session.
///
/// This is what the readers of files are made of, for those who follow a file or a stream as it grows: give it each
/// whole line in order. What a rewrite tells again comes as [`Output::History`].
pub struct Fold {
    reader: Box<dyn Reader>,
    tell: Teller,
}

impl Fold {
    /// A fold of one session. Of the options it takes the own prompts, the session's id and the prompt.
    #[must_use]
    pub fn new(format: Format, options: &ReadOptions) -> Self {
        let reader: Box<dyn Reader> = match format {
            Format::ClaudeCode => Box::new(ClaudeCode::default()),
            Format::ClaudeStream | Format::QwenStream => Box::new(ClaudeStream::default()),
            Format::Codex => Box::new(Codex::default()),
            Format::CodexExec => Box::new(CodexExec::default()),
            Format::OpencodeStore | Format::OpencodeExport => Box::new(Opencode::default()),
            Format::OpencodeRun => Box::new(OpencodeRun::default()),
            Format::Acp => Box::new(Acp::new(options.session.clone())),
            Format::Gemini | Format::GeminiDocument => Box::new(Gemini::default()),
            Format::GeminiStream => Box::new(GeminiStream::default()),
            Format::Qwen => Box::new(Qwen::default()),
            Format::Events => Box::new(Events),
        };
        let tell = Teller::new(SessionKind::Interactive, options.own_prompts.clone(), options.prompt.clone());
        Self { reader, tell }
    }

    /// Folds a line without its end. An empty line means nothing.
    ///
    /// # Errors
    ///
    /// What is wrong with a line that cannot be read; [`ProblemKind::NotUtf8`] if it was read with replacements.
    pub fn line(&mut self, line: &[u8], sink: &mut dyn FnMut(Output)) -> Result<(), ProblemKind> {
        if line.is_empty() || self.reader.is_noise(line) {
            return Ok(());
        }
        let (value, problem) = parse(line)?;
        self.record(value, sink);
        self.tell.take_problem().or(problem).map_or(Ok(()), Err)
    }

    /// Folds a record.
    pub(crate) fn record(&mut self, record: Value, sink: &mut dyn FnMut(Output)) {
        self.reader.record(record, &mut self.tell);
        self.tell.drain().for_each(sink);
    }

    /// Says that nothing more comes, or that nothing came for a while. For harnesses that write no end of a turn this
    /// is when a turn that looks finished has ended.
    pub fn settle(&mut self, sink: &mut dyn FnMut(Output)) {
        self.reader.finish(&mut self.tell);
        self.tell.drain().for_each(sink);
    }

    /// Whether the session is a person's, a program's or a subagent's, as far as the records say.
    #[must_use]
    pub fn session_kind(&self) -> SessionKind {
        self.tell.session()
    }

    /// Whether something works or waits for the human: a turn that has not ended and does not look finished, a
    /// subagent in the background, a question.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.tell.is_waiting()
    }

    /// The newest turn that began.
    #[must_use]
    pub fn last_turn(&self) -> Option<Turn> {
        self.tell.newest()
    }

    /// The newest turn that ended.
    #[must_use]
    pub fn last_ended_turn(&self) -> Option<Turn> {
        self.tell.ended()
    }

    /// How often each unknown record type was skipped. At most 64 types are named.
    #[must_use]
    pub fn skipped(&self) -> &std::collections::BTreeMap<String, u64> {
        self.tell.skipped()
    }

    /// Whether a rewind went behind what was read, so that what holds is not known.
    pub(crate) fn lost(&self) -> bool {
        self.tell.lost()
    }
}

impl fmt::Debug for Fold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fold").field("last_turn", &self.last_turn()).finish_non_exhaustive()
    }
}

/// The event of an output, news or not: of a session that is read, everything is history (rule D15).
pub(crate) fn event_of(output: Output) -> Event {
    output.into_event()
}

/// Parses a line. Bytes that are no UTF-8 are replaced and told: one bad byte should not cost a message.
pub(crate) fn parse(line: &[u8]) -> Result<(Value, Option<ProblemKind>), ProblemKind> {
    let (value, problem) = match std::str::from_utf8(line) {
        Ok(text) => (serde_json::from_str::<Value>(text), None),
        Err(_) => (serde_json::from_str(&String::from_utf8_lossy(line)), Some(ProblemKind::NotUtf8)),
    };
    match value {
        Ok(value @ Value::Object(_)) => Ok((value, problem)),
        Ok(_) => Err(ProblemKind::NotAnEvent),
        Err(_) => Err(ProblemKind::NotJson),
    }
}
