//! From the lines of a session to events, whatever harness wrote it.

use serde_json::Value;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use suggest_core::SessionSetup;
use suggest_core::{SessionKind, Turn};
use suggest_host_dsh::Output;
use suggest_transcripts::{Fold, Format, ReadOptions, SessionInfo};

/// How much of a file is read to know what it is.
const HEAD: u64 = 64 * 1024;

/// How a compressed log begins.
pub(super) const COMPRESSED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The format of a session that can be followed line by line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FeedFormat {
    /// A session log of DeepSeek Harness.
    Dsh,
    /// One of the formats that the transcript readers know.
    Transcript(Format),
}

impl FeedFormat {
    /// What these first bytes are; `None` if nothing that is known, or nothing that has lines.
    pub(crate) fn of(first: &[u8], path: &Path) -> Option<Self> {
        if suggest_host_dsh::detect(first) {
            return Some(Self::Dsh);
        }
        let name = path.file_name().map(|name| name.to_string_lossy());
        let format = suggest_transcripts::detect(first, name.as_deref())?;
        format.is_lines().then_some(Self::Transcript(format))
    }

    /// What the core must know of the session. The person who named the file opted in for it (rule D12).
    pub(crate) fn setup(self, first: &[u8], path: &Path) -> SessionSetup {
        match self {
            Self::Dsh => {
                let header: Value = first
                    .split(|byte| *byte == b'\n')
                    .next()
                    .and_then(|line| serde_json::from_slice(line).ok())
                    .unwrap_or_default();
                let text = |key: &str| header.get(key).and_then(Value::as_str).map(str::to_owned);
                setup_with(text("id"), SessionKind::Interactive, text("cwd"), path)
            }
            Self::Transcript(format) => setup_of(SessionInfo::of(format, first), path),
        }
    }

    /// The same for a compressed log. `None` if its first frame is not whole yet.
    pub(super) fn setup_compressed(self, path: &Path) -> Option<SessionSetup> {
        let log = suggest_host_dsh::LogReader::new(File::open(path).ok()?).ok()?;
        let header = log.header();
        Some(setup_with(Some(header.id.clone()), SessionKind::Interactive, header.cwd.clone(), path))
    }
}

/// What the core must know of a session that says this of itself.
pub(super) fn setup_of(info: SessionInfo, path: &Path) -> SessionSetup {
    setup_with(info.id, info.kind, info.workspace, path)
}

fn setup_with(id: Option<String>, kind: SessionKind, workspace: Option<String>, path: &Path) -> SessionSetup {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().display().to_string());
    SessionSetup::new(id.unwrap_or(stem)).with_kind(kind, true).with_folders(workspace, home)
}

/// The first bytes of a file.
pub(crate) fn first_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut first = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut first)?;
    Ok(first)
}

/// Whether [`first_bytes`] gave all that it gives: what is not in them will not come.
pub(crate) fn is_full(first: &[u8]) -> bool {
    u64::try_from(first.len()).is_ok_and(|length| length >= HEAD)
}

/// Folds the lines of one session.
#[derive(Debug)]
pub(super) enum Feed {
    Dsh { fold: Box<suggest_host_dsh::Fold>, header_seen: bool },
    Transcript(Box<Fold>),
}

impl Feed {
    pub(super) fn new(format: FeedFormat, kind: SessionKind) -> Self {
        match format {
            FeedFormat::Dsh => {
                Self::Dsh { fold: Box::new(suggest_host_dsh::Fold::of_live(kind)), header_seen: false }
            }
            FeedFormat::Transcript(format) => {
                Self::Transcript(Box::new(Fold::new(format, &ReadOptions::default())))
            }
        }
    }

    /// Folds a whole line. One that cannot be read is left out.
    pub(super) fn line(&mut self, line: &[u8], sink: &mut dyn FnMut(Output)) {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        match self {
            Self::Dsh { header_seen, .. } if !*header_seen => *header_seen = true,
            Self::Dsh { fold, .. } => {
                if let Ok(value @ Value::Object(_)) = serde_json::from_slice(line) {
                    fold.push(value, sink);
                }
            }
            Self::Transcript(fold) => {
                if let Err(problem) = fold.line(line, sink) {
                    tracing::debug!(%problem, "a line of the session was left out");
                }
            }
        }
    }

    /// Nothing came for a while: a turn that looks finished has ended, where the harness writes no end.
    pub(super) fn settle(&mut self, sink: &mut dyn FnMut(Output)) {
        match self {
            Self::Dsh { .. } => {}
            Self::Transcript(fold) => {
                if !fold.is_waiting() {
                    fold.settle(sink);
                }
            }
        }
    }

    pub(super) fn last_ended(&self) -> Option<Turn> {
        match self {
            Self::Dsh { fold, .. } => fold.last_ended_turn(),
            Self::Transcript(fold) => fold.last_ended_turn(),
        }
    }
}
