//! An opened session: a file, a folder that holds one, or a stream.

use super::args::{FormatChoice, InputArgs, is_standard_input};
use super::detect::Format;
use super::events::{self, EventsError};
use super::report::LogReport;
use crate::exit::Failure;
use std::fs::File;
use std::io::{self, BufReader, Cursor, IsTerminal as _, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use suggest_core::{Event, SessionKind, SessionSetup, Turn};
use suggest_host_dsh::{Header, LogError, LogFile, LogReader, ReadOptions, TailBudget};

/// How many bytes may be needed to know a format.
const FIRST_BYTES: u64 = 64 * 1024;

/// How a compressed log begins.
const COMPRESSED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

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
    Events(Stream),
}

impl Source {
    /// Opens what the arguments name and finds its format.
    pub(crate) fn open(arguments: &InputArgs) -> Result<Self, Failure> {
        match &arguments.file {
            Some(path) if !is_standard_input(path) => Self::open_path(path, arguments.format),
            Some(_) => Self::open_standard_input(arguments.format),
            None if !io::stdin().is_terminal() => Self::open_standard_input(arguments.format),
            None => Err(Failure::usage("no session to read")
                .with_help("name a session log, or `-` for standard input")),
        }
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
            Body::Events(stream) => {
                return events::read(BufReader::new(stream), at_turn, &mut sink)
                    .map_err(|error| events_failure(&name, at_turn, &error));
            }
        };
        summary.map(|summary| LogReport::of_dsh(&summary, count)).map_err(|error| log_failure(&name, error))
    }

    fn open_standard_input(choice: FormatChoice) -> Result<Self, Failure> {
        Self::open_stream("standard input".to_owned(), "stdin".to_owned(), Box::new(io::stdin()), choice)
    }

    fn open_path(path: &Path, choice: FormatChoice) -> Result<Self, Failure> {
        let facts = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        let inside = if facts.is_dir() { Some(log_in(path)?) } else { None };
        let path = inside.as_deref().unwrap_or(path);
        let name = path.display().to_string();
        let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let mut file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let is_file = file.metadata().is_ok_and(|facts| facts.is_file());
        if !is_file {
            return Self::open_stream(name, id, Box::new(file), choice);
        }
        let format = match choice.format() {
            Some(format) => format,
            None => detected(&name, &first_bytes(&mut file).map_err(|error| unreadable(path, &error))?)?,
        };
        match format {
            Format::Dsh => {
                let log = LogFile::open(path).map_err(|error| log_failure(&name, error))?;
                Ok(Self::of_dsh(name, log.header().clone(), Body::DshFile(Box::new(log))))
            }
            Format::Events => {
                let file = File::open(path).map_err(|error| unreadable(path, &error))?;
                Ok(Self::of_events(name, id, stream(Vec::new(), Box::new(file))))
            }
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
        }
    }

    fn of_dsh(name: String, header: Header, body: Body) -> Self {
        let kind = header.session_kind();
        Self { name, format: Format::Dsh, id: header.id, kind, workspace: header.cwd, body }
    }

    fn of_events(name: String, id: String, stream: Stream) -> Self {
        let body = Body::Events(stream);
        Self { name, format: Format::Events, id, kind: SessionKind::Interactive, workspace: None, body }
    }
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
        let has_line =
            first.split(|byte| *byte == b'\n').rev().skip(1).any(|line| !line.trim_ascii().is_empty());
        if read == 0 || (has_line && !first.starts_with(&COMPRESSED)) || Format::of(&first).is_some() {
            break;
        }
    }
    Ok(first)
}

fn detected(name: &str, first: &[u8]) -> Result<Format, Failure> {
    if first.trim_ascii().is_empty() {
        return Err(Failure::failed(format_args!("{name} is empty")));
    }
    Format::of(first).ok_or_else(|| {
        Failure::failed(format_args!("{name}, line 1: not a session in a format that is known")).with_help(
            "name a dsh session log or a file of events, and its format with `--format dsh|events`",
        )
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

fn events_failure(name: &str, at_turn: Option<Turn>, error: &EventsError) -> Failure {
    match error {
        EventsError::Io(cause) => Failure::failed(format_args!("cannot read {name}: {cause}")),
        EventsError::NoSuchTurn(before) => {
            let turn = at_turn.map(Turn::get).unwrap_or_default();
            Failure::usage(match before {
                Some(before) => format!("{name}: the log has no turn {turn}; the turn before it is {before}"),
                None => format!("{name}: the log has no turn {turn}; no turn began before it"),
            })
        }
    }
}
