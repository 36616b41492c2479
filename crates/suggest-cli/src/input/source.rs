//! An opened session: a file, a folder that holds one, or a stream.

use super::args::{FormatChoice, InputArgs, is_standard_input};
use super::detect::Format;
use super::places::{self, with_id as session_with_id};
use super::report::LogReport;
use super::unpacked::{MAGIC, Unpacked};
use crate::exit::Failure;
use crate::output::plain;
use std::fs::File;
use std::io::{self, Cursor, IsTerminal as _, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, SystemTime};
use suggest_core::{Event, SessionKind, SessionSetup, Turn};
use suggest_host_dsh::{Header, LogError, LogFile, LogReader, ReadOptions, TailBudget};
use suggest_transcripts::{Format as Transcript, FoundSession, SessionInfo, TranscriptError};

/// How many bytes may be needed to know a format.
const FIRST_BYTES: u64 = 64 * 1024;

/// What standard input is called.
const STANDARD_INPUT: &str = "standard input";

/// The names of a log in its session's folder.
const LOG_NAMES: [&str; 2] = ["session.jsonl", "session.jsonl.zstd"];

type Stream = io::Chain<Cursor<Vec<u8>>, Box<dyn Read>>;

/// An opened session.
pub(crate) struct Source {
    /// What the person called it.
    pub(crate) name: String,
    pub(crate) format: Format,
    id: String,
    kind: SessionKind,
    workspace: Option<String>,
    body: Body,
}

enum Body {
    DshFile(Box<LogFile>),
    DshStream(Box<LogReader<Stream>>),
    /// A session of another harness: its file where it is one, else a stream; of several, which one.
    TranscriptFile(Transcript, PathBuf, Option<String>),
    TranscriptStream(Transcript, Stream, Option<String>),
}

impl Source {
    /// Opens what the arguments name and finds its format.
    pub(crate) fn open(arguments: &InputArgs) -> Result<Self, Failure> {
        let (choice, session) = (arguments.format, arguments.session.as_deref());
        match (&arguments.file, session) {
            (Some(path), _) if !is_standard_input(path) => Self::open_path(path, choice)?.choose(session),
            (Some(_), _) => Self::open_standard_input(choice)?.choose(session),
            (None, Some(id)) => Self::open_found(session_with_id(id)?, choice),
            (None, None) => Self::open_nothing_named(choice),
        }
    }

    fn open_found(found: FoundSession, choice: FormatChoice) -> Result<Self, Failure> {
        match found.harness.format() {
            Some(format @ Transcript::OpencodeStore) => {
                Self::open_transcript(&found.path, format, found.id, found.project)
            }
            _ => Self::open_path(&found.path, choice),
        }
    }

    /// Chooses one of several sessions. A file that holds one must hold this one.
    fn choose(mut self, session: Option<&str>) -> Result<Self, Failure> {
        let Some(wanted) = session else { return Ok(self) };
        match &mut self.body {
            Body::TranscriptFile(Transcript::OpencodeStore | Transcript::Acp, _, chosen)
            | Body::TranscriptStream(Transcript::Acp, _, chosen) => {
                *chosen = Some(wanted.to_owned());
                self.id = wanted.to_owned();
                Ok(self)
            }
            _ if self.id == wanted => Ok(self),
            _ => {
                Err(Failure::usage(format_args!("{} does not hold the session {}", self.name, plain(wanted)))
                    .with_help("`--session` chooses one of several; leave it out for this file"))
            }
        }
    }

    /// What comes on standard input, or the newest session of the current folder.
    fn open_nothing_named(choice: FormatChoice) -> Result<Self, Failure> {
        if !io::stdin().is_terminal() {
            let mut input: Box<dyn Read> = Box::new(io::stdin());
            let first = first_bytes(&mut input)
                .map_err(|error| Failure::failed(format_args!("cannot read standard input: {error}")))?;
            if !first.trim_ascii().is_empty() {
                let input: Box<dyn Read> = Box::new(stream(first, input));
                return Self::open_stream(STANDARD_INPUT.to_owned(), "stdin".to_owned(), input, choice);
            }
        }
        match places::newest_here() {
            Some(found) => Self::open_found(found, choice),
            None => Err(Failure::usage("no session to read, and none of the current folder found")
                .with_help("name a session, or `-` for standard input; `suggest sessions` lists those that are found")),
        }
    }

    fn open_transcript(
        path: &Path,
        format: Transcript,
        session: Option<String>,
        workspace: Option<String>,
    ) -> Result<Self, Failure> {
        let mut first = Vec::new();
        File::open(path)
            .and_then(|file| file.take(FIRST_BYTES).read_to_end(&mut first))
            .map_err(|error| unreadable(path, &error))?;
        let info = SessionInfo::of(format, &first);
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self {
            name: path.display().to_string(),
            format: format.into(),
            id: session.clone().or(info.id).unwrap_or(stem),
            kind: info.kind,
            workspace: workspace.or(info.workspace),
            body: Body::TranscriptFile(format, path.to_owned(), session),
        })
    }

    /// What the core must know of the session. A person names it, which is the opt-in for headless sessions and those
    /// of subagents (rule D12).
    pub(crate) fn setup(&self) -> SessionSetup {
        let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().display().to_string());
        SessionSetup::new(self.id.clone())
            .with_kind(self.kind, true)
            .with_folders(self.workspace.clone(), home)
    }

    /// Folds the session, in order, into the sink; `slice_chars` says how much of a large file is enough.
    pub(crate) fn read(
        self,
        at_turn: Option<Turn>,
        slice_chars: u32,
        mut sink: impl FnMut(Event),
    ) -> Result<LogReport, Failure> {
        let name = self.name;
        let options = ReadOptions::default().at_turn(at_turn).with_tail(TailBudget::for_slice(slice_chars));
        let mut count = 0_u64;
        let counted = |event| {
            count = count.saturating_add(1);
            sink(event);
        };
        let summary = match self.body {
            Body::DshFile(file) => file.read(&options, counted),
            Body::DshStream(reader) => reader.read(&options, counted),
            Body::TranscriptFile(format, path, session) => {
                let options = transcript_options(&options).with_session(session);
                return suggest_transcripts::read_file(format, &path, &options, counted)
                    .map(|summary| LogReport::of_dsh(&summary, count))
                    .map_err(|error| transcript_failure(&name, error));
            }
            Body::TranscriptStream(format, stream, session) => {
                let options = transcript_options(&options).with_session(session);
                return suggest_transcripts::read(format, stream, &options, counted)
                    .map(|summary| LogReport::of_dsh(&summary, count))
                    .map_err(|error| transcript_failure(&name, error));
            }
        };
        summary.map(|summary| LogReport::of_dsh(&summary, count)).map_err(|error| log_failure(&name, error))
    }

    fn open_standard_input(choice: FormatChoice) -> Result<Self, Failure> {
        Self::open_stream(STANDARD_INPUT.to_owned(), "stdin".to_owned(), Box::new(io::stdin()), choice)
    }

    fn open_path(path: &Path, choice: FormatChoice) -> Result<Self, Failure> {
        let facts = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        let inside = if facts.is_dir() { Some(log_in(path)?) } else { None };
        let path = inside.as_deref().unwrap_or(path);
        let name = path.display().to_string();
        let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let mut file = open(path).map_err(|error| unreadable(path, &error))?;
        let is_file = file.metadata().is_ok_and(|facts| facts.is_file());
        if !is_file {
            return Self::open_stream(name, id, Box::new(file), choice);
        }
        let format = match choice.format() {
            Some(Format::Events) if is_compressed(path)? => {
                return Self::open_stream(name, id, unpacked(Box::new(file)), choice);
            }
            Some(format) => format,
            None => {
                let mut first = first_bytes(&mut file).map_err(|error| unreadable(path, &error))?;
                if Format::of(&first, Some(&name)).is_none() {
                    // Unlike a stream, a file can be looked at further without waiting.
                    let more = FIRST_BYTES.saturating_sub(u64::try_from(first.len()).unwrap_or(u64::MAX));
                    file.take(more).read_to_end(&mut first).map_err(|error| unreadable(path, &error))?;
                }
                if first.starts_with(&MAGIC) && Format::of(&first, Some(&name)).is_none() {
                    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
                    return Self::open_stream(name, id, unpacked(Box::new(file)), choice);
                }
                detected(&name, &first)?
            }
        };
        match format {
            Format::Dsh => {
                let log = LogFile::open(path).map_err(|error| log_failure(&name, error))?;
                Ok(Self::of_dsh(name, log.header().clone(), Body::DshFile(Box::new(log))))
            }
            Format::Events => Self::open_transcript(path, Transcript::Events, None, None),
            Format::Transcript(format) => Self::open_transcript(path, format, None, None),
        }
    }

    /// Opens what can be read only once.
    fn open_stream(
        name: String,
        id: String,
        mut input: Box<dyn Read>,
        choice: FormatChoice,
    ) -> Result<Self, Failure> {
        let first = match choice.format() {
            Some(_) => Vec::new(),
            None => first_bytes(&mut input)
                .map_err(|error| Failure::failed(format_args!("cannot read {name}: {error}")))?,
        };
        if first.starts_with(&MAGIC) && Format::of(&first, None).is_none() {
            // Once only: what is compressed twice is no session.
            let mut input = unpacked(Box::new(stream(first, input)));
            let first = first_bytes(&mut input)
                .map_err(|error| Failure::failed(format_args!("cannot read {name}: {error}")))?;
            return Self::open_detected(name, id, first, input, choice);
        }
        Self::open_detected(name, id, first, input, choice)
    }

    fn open_detected(
        name: String,
        id: String,
        first: Vec<u8>,
        input: Box<dyn Read>,
        choice: FormatChoice,
    ) -> Result<Self, Failure> {
        let format = match choice.format() {
            Some(format) => format,
            None => detected(&name, &first)?,
        };
        match format {
            Format::Dsh => {
                let reader =
                    LogReader::new(stream(first, input)).map_err(|error| log_failure(&name, error))?;
                Ok(Self::of_dsh(name, reader.header().clone(), Body::DshStream(Box::new(reader))))
            }
            Format::Events => Ok(Self::of_events(name, id, stream(first, input))),
            Format::Transcript(format) => {
                let info = SessionInfo::of(format, &first);
                let body = Body::TranscriptStream(format, stream(first, input), None);
                let (kind, workspace) = (info.kind, info.workspace);
                Ok(Self { name, format: format.into(), id: info.id.unwrap_or(id), kind, workspace, body })
            }
        }
    }

    fn of_dsh(name: String, header: Header, body: Body) -> Self {
        let kind = header.session_kind();
        Self { name, format: Format::Dsh, id: header.id, kind, workspace: header.cwd, body }
    }

    fn of_events(name: String, id: String, stream: Stream) -> Self {
        let body = Body::TranscriptStream(Transcript::Events, stream, None);
        Self { name, format: Format::Events, id, kind: SessionKind::Interactive, workspace: None, body }
    }
}

fn unpacked(input: Box<dyn Read>) -> Box<dyn Read> {
    Box::new(Unpacked::new(input))
}

fn is_compressed(path: &Path) -> Result<bool, Failure> {
    let mut first = Vec::new();
    File::open(path)
        .and_then(|file| file.take(4).read_to_end(&mut first))
        .map_err(|error| unreadable(path, &error))?;
    Ok(first == MAGIC)
}

/// Opens a file. A pipe with a name opens only when somebody writes to it, which may be long, so that it is said.
fn open(path: &Path) -> io::Result<File> {
    const SOON: Duration = Duration::from_secs(1);
    let facts = std::fs::metadata(path)?;
    if facts.is_file() || facts.is_dir() {
        return File::open(path);
    }
    let (opened, wait) = std::sync::mpsc::channel::<()>();
    let name = plain(&path.display().to_string());
    let teller = std::thread::spawn(move || {
        if wait.recv_timeout(SOON) == Err(RecvTimeoutError::Timeout) {
            eprintln!("note: {name} is a pipe; waiting for somebody to write to it");
        }
    });
    let file = File::open(path);
    drop(opened);
    // It has nothing more to say.
    let _ = teller.join();
    file
}

fn stream(first: Vec<u8>, rest: Box<dyn Read>) -> Stream {
    Cursor::new(first).chain(rest)
}

/// The first line, or as much as is needed of it. A stream that is still written to is not waited for any longer.
fn first_bytes(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut first = Vec::new();
    let mut chunk = [0_u8; 4096];
    let limit = usize::try_from(FIRST_BYTES).unwrap_or(usize::MAX);
    while first.len() < limit {
        let read = match input.read(&mut chunk) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        first.extend_from_slice(chunk.get(..read).unwrap_or_default());
        let mut lines = first.split(|byte| *byte == b'\n').rev().skip(1).map(<[u8]>::trim_ascii);
        let has_line = lines.any(|line| !line.is_empty()) && !is_spread(&first);
        if read == 0 || (has_line && !first.starts_with(&MAGIC)) || Format::of(&first, None).is_some() {
            break;
        }
    }
    Ok(first)
}

/// Whether a document begins here that is spread over lines: the first is only a brace.
fn is_spread(first: &[u8]) -> bool {
    let mut lines = first.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.find(|line| !line.is_empty()).is_some_and(|line| line == b"{")
}

/// What a name means to the readers of other harnesses.
fn transcript_options(options: &ReadOptions) -> suggest_transcripts::ReadOptions {
    suggest_transcripts::ReadOptions::default()
        .at_turn(options.at_turn)
        .with_tail(options.tail)
        .with_limits(options.limits)
}

fn transcript_failure(name: &str, error: TranscriptError) -> Failure {
    match error {
        TranscriptError::NoSuchTurn { .. } => Failure::usage(format_args!("{name}: {error}")),
        TranscriptError::Io(cause) => Failure::failed(format_args!("cannot read {name}: {cause}")),
        TranscriptError::NoSuchSession => Failure::usage(format_args!("{name}: {error}"))
            .with_help("`suggest sessions` lists those that are found"),
        TranscriptError::Empty => Failure::failed(format_args!("{name} is empty")),
        TranscriptError::NotThisFormat { .. } => Failure::failed(format_args!("{name}: {error}"))
            .with_help("choose another `--format`, or another file"),
        error => Failure::failed(format_args!("{name}: {error}")),
    }
}

fn detected(name: &str, first: &[u8]) -> Result<Format, Failure> {
    if first.trim_ascii().is_empty() {
        return Err(Failure::failed(format_args!("{name} is empty")));
    }
    Format::of(first, Some(name)).ok_or_else(|| {
        let names: Vec<&str> = Format::all().map(Format::name).collect();
        Failure::failed(format_args!("{name}, line 1: not a session in a format that is known"))
            .with_help(format_args!("name a session, and its format with `--format {}`", names.join("|")))
    })
}

/// The log of a session's folder: the newest by its usual names.
fn log_in(folder: &Path) -> Result<PathBuf, Failure> {
    let written =
        |path: &PathBuf| path.metadata().and_then(|facts| facts.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    LOG_NAMES
        .iter()
        .map(|name| folder.join(name))
        .filter(|path| path.is_file())
        .max_by_key(written)
        .ok_or_else(|| {
            Failure::failed(format_args!("{} is a folder that holds no session log", folder.display()))
                .with_help(format_args!(
                    "name the folder of one session, with {} in it",
                    LOG_NAMES.join(" or ")
                ))
        })
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let failure = Failure::failed(format_args!("cannot read {}: {error}", path.display()));
    match error.kind() {
        io::ErrorKind::NotFound => failure.with_help("check the path"),
        io::ErrorKind::PermissionDenied => failure.with_help("check who may read it"),
        _ => failure,
    }
}

fn log_failure(name: &str, error: LogError) -> Failure {
    match error {
        LogError::NoSuchTurn { .. } => Failure::usage(format_args!("{name}: {error}")),
        LogError::Io(cause) => Failure::failed(format_args!("cannot read {name}: {cause}")),
        LogError::NotALog { .. } => Failure::failed(format_args!("{name}, line 1: {error}"))
            .with_help("choose another `--format`, or another file"),
        error => Failure::failed(format_args!("{name}: {error}")),
    }
}
