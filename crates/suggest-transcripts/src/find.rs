//! Where the harnesses keep their sessions.

use crate::format::Format;
use crate::info::SessionInfo;
use crate::options::ReadOptions;
use crate::read::read;
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use suggest_core::{Event, SessionKind};

/// How many bytes of a session are read to know whose it is.
const HEAD: u64 = 64 * 1024;

/// Turns are counted in files up to this size; larger ones say nothing about it.
const COUNTED: u64 = 4 * 1024 * 1024;

/// The most files that are looked at in one place.
const MAX_FILES: usize = 20_000;

/// A harness whose sessions can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Harness {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// opencode.
    Opencode,
    /// Gemini CLI.
    Gemini,
    /// Qwen Code.
    Qwen,
    /// DeepSeek Harness.
    Dsh,
}

impl Harness {
    /// Its short name; it never changes.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Opencode => "opencode",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::Dsh => "dsh",
        }
    }

    /// The format of its sessions; `None` for dsh, whose logs another crate reads.
    #[must_use]
    pub const fn format(self) -> Option<Format> {
        match self {
            Self::ClaudeCode => Some(Format::ClaudeCode),
            Self::Codex => Some(Format::Codex),
            Self::Opencode => Some(Format::OpencodeStore),
            Self::Gemini => Some(Format::Gemini),
            Self::Qwen => Some(Format::Qwen),
            Self::Dsh => None,
        }
    }
}

impl fmt::Display for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The folders in which the harnesses keep their sessions. Nothing here reads the environment: the caller says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    claude: PathBuf,
    codex: PathBuf,
    opencode: PathBuf,
    gemini: PathBuf,
    qwen: PathBuf,
    dsh: PathBuf,
}

impl Places {
    /// The usual places below a home folder.
    #[must_use]
    pub fn of_home(home: &Path) -> Self {
        Self {
            claude: home.join(".claude"),
            codex: home.join(".codex"),
            opencode: home.join(".local/share/opencode"),
            gemini: home.join(".gemini"),
            qwen: home.join(".qwen"),
            dsh: home.join(".dsh"),
        }
    }

    /// Follows the variables by which people move these places, as the harnesses do: `CLAUDE_CONFIG_DIR`,
    /// `CODEX_HOME`, `XDG_DATA_HOME` and `DSH_HOME`. An empty value is none.
    #[must_use]
    pub fn with_environment(mut self, variable: impl Fn(&str) -> Option<PathBuf>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.as_os_str().is_empty());
        self.claude = set("CLAUDE_CONFIG_DIR").unwrap_or(self.claude);
        self.codex = set("CODEX_HOME").unwrap_or(self.codex);
        self.opencode = set("XDG_DATA_HOME").map_or(self.opencode, |data| data.join("opencode"));
        self.dsh = set("DSH_HOME").unwrap_or(self.dsh);
        self
    }
}

/// A session that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundSession {
    /// Whose it is.
    pub harness: Harness,
    /// The file that holds it. A store of opencode holds several.
    pub path: PathBuf,
    /// Its id, where it is known.
    pub id: Option<String>,
    /// The folder that it works in, where it is known.
    pub project: Option<String>,
    /// When it last changed.
    pub modified: SystemTime,
    /// How many turns it has; `None` where counting them would take long.
    pub turns: Option<u64>,
}

/// The newest sessions of all harnesses, newest first, at most `limit`. Sessions of subagents are left out. What cannot
/// be read is left out, too: a list of what is there is no place to fail.
#[must_use]
pub fn find_sessions(places: &Places, limit: usize) -> Vec<FoundSession> {
    let mut found = candidates(places, limit);
    found.sort_by(newest_first);
    let mut sessions = Vec::new();
    for candidate in found {
        if sessions.len() >= limit {
            break;
        }
        sessions.extend(look_into(candidate, places, true));
    }
    sessions
}

/// The newest session that works in a folder.
#[must_use]
pub fn newest_for(places: &Places, folder: &Path) -> Option<FoundSession> {
    let mut found = candidates(places, MAX_FILES);
    found.sort_by(newest_first);
    found.into_iter().filter_map(|candidate| look_into(candidate, places, false)).find(|session| {
        session.project.as_deref().is_some_and(|project| is_same_folder(Path::new(project), folder))
    })
}

/// The session with this id: the newest file of it, where there are several.
#[must_use]
pub fn find_session(places: &Places, id: &str) -> Option<FoundSession> {
    let mut found = candidates(places, MAX_FILES);
    // Most harnesses name the file by the id, so that few files are opened.
    let named = |session: &FoundSession| {
        let name = session.path.file_stem().unwrap_or_default().to_string_lossy();
        session.id.as_deref() == Some(id) || !id.is_empty() && name.contains(id)
    };
    found.sort_by(|one, other| named(other).cmp(&named(one)).then_with(|| newest_first(one, other)));
    let mut looked = found.into_iter().filter_map(|candidate| look_into(candidate, places, false));
    looked.find(|session| session.id.as_deref() == Some(id))
}

fn newest_first(one: &FoundSession, other: &FoundSession) -> std::cmp::Ordering {
    other
        .modified
        .cmp(&one.modified)
        .then_with(|| one.path.cmp(&other.path))
        .then_with(|| one.id.cmp(&other.id))
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn candidates(places: &Places, limit: usize) -> Vec<FoundSession> {
    let jsonl = |path: &Path| path.extension().is_some_and(|ending| ending == "jsonl");
    let named = |start: &'static str| {
        move |path: &Path| {
            jsonl(path) && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
        }
    };
    let in_chats = |path: &Path| path.parent().is_some_and(|folder| folder.ends_with("chats"));
    let dsh_log = |path: &Path| {
        path.file_name().is_some_and(|name| name == "session.jsonl" || name == "session.jsonl.zstd")
    };
    let mut found = Vec::new();
    collect(Harness::ClaudeCode, &places.claude.join("projects"), 1, &jsonl, &mut found);
    collect(Harness::Codex, &places.codex.join("sessions"), 3, &named("rollout-"), &mut found);
    let gemini = |path: &Path| named("session-")(path) || is_gemini_document(path);
    collect(
        Harness::Gemini,
        &places.gemini.join("tmp"),
        2,
        &|path| gemini(path) && in_chats(path),
        &mut found,
    );
    collect(
        Harness::Qwen,
        &places.qwen.join("projects"),
        2,
        &|path| jsonl(path) && in_chats(path),
        &mut found,
    );
    collect(Harness::Dsh, &places.dsh.join("sessions"), 3, &dsh_log, &mut found);
    found.extend(stored(&places.opencode.join("opencode.db"), limit));
    found
}

#[cfg(feature = "sqlite")]
fn stored(path: &Path, limit: usize) -> Vec<FoundSession> {
    let sessions = crate::store::sessions(path, limit).unwrap_or_default();
    sessions
        .into_iter()
        .map(|session| FoundSession {
            harness: Harness::Opencode,
            path: path.to_owned(),
            id: Some(session.id),
            project: Some(session.folder),
            modified: SystemTime::UNIX_EPOCH
                + std::time::Duration::from_millis(u64::try_from(session.updated).unwrap_or(0)),
            turns: Some(session.prompts),
        })
        .collect()
}

#[cfg(not(feature = "sqlite"))]
fn stored(_: &Path, _: usize) -> Vec<FoundSession> {
    Vec::new()
}

/// Collects the files below a folder, so many levels deep.
fn collect(
    harness: Harness,
    folder: &Path,
    depth: u8,
    accept: &dyn Fn(&Path) -> bool,
    found: &mut Vec<FoundSession>,
) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten().take(MAX_FILES) {
        let path = entry.path();
        let Ok(facts) = std::fs::metadata(&path) else { continue };
        if facts.is_dir() {
            if depth > 0 {
                collect(harness, &path, depth.saturating_sub(1), accept, found);
            }
        } else if facts.len() > 0 && accept(&path) && found.len() < MAX_FILES {
            let modified = facts.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            found.push(FoundSession { harness, path, id: None, project: None, modified, turns: None });
        }
    }
}

/// Adds what the session itself says. `None` for subagents and for what is no session.
fn look_into(mut session: FoundSession, places: &Places, count: bool) -> Option<FoundSession> {
    let Some(mut format) = session.harness.format() else { return look_into_dsh(session, count) };
    if format == Format::Gemini && is_gemini_document(&session.path) {
        format = Format::GeminiDocument;
    }
    if format == Format::OpencodeStore {
        return Some(session);
    }
    let mut file = File::open(&session.path).ok()?;
    let mut head = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut head).ok()?;
    let info = SessionInfo::of(format, &head);
    if info.kind == SessionKind::Subagent {
        return None;
    }
    session.id = info.id;
    session.project = info.workspace.or_else(|| gemini_project(&session, places));
    if count && file.metadata().ok()?.len() <= COUNTED {
        let mut turns = 0_u64;
        let file = File::open(&session.path).ok()?;
        read(format, file, &ReadOptions::default(), |event| {
            turns = turns.saturating_add(u64::from(is_end(&event)))
        })
        .ok()?;
        session.turns = Some(turns);
    }
    Some(session)
}

fn look_into_dsh(mut session: FoundSession, count: bool) -> Option<FoundSession> {
    let file = File::open(&session.path).ok()?;
    let small = file.metadata().ok()?.len() <= COUNTED;
    let log = suggest_host_dsh::LogReader::new(file).ok()?;
    if log.header().session_kind() == SessionKind::Subagent {
        return None;
    }
    session.id = Some(log.header().id.clone());
    session.project = log.header().cwd.clone();
    if count && small {
        let mut turns = 0_u64;
        let counted = log.read(&suggest_host_dsh::ReadOptions::default(), |event| {
            turns = turns.saturating_add(u64::from(is_end(&event)));
        });
        session.turns = counted.ok().map(|_| turns);
    }
    Some(session)
}

fn is_end(event: &Event) -> bool {
    matches!(event, Event::TurnEnded { .. })
}

/// Whether a file is named as older versions of Gemini CLI do.
fn is_gemini_document(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("session-") && name.ends_with(".json")
}

/// Gemini CLI's sessions do not name their folder: a file beside them, or a list in its home, does.
fn gemini_project(session: &FoundSession, places: &Places) -> Option<String> {
    if session.harness != Harness::Gemini {
        return None;
    }
    let folder = session.path.parent()?.parent()?;
    if let Ok(root) = std::fs::read_to_string(folder.join(".project_root")) {
        return Some(root.trim().to_owned()).filter(|root| !root.is_empty());
    }
    let name = folder.file_name()?.to_string_lossy().into_owned();
    let list = std::fs::read_to_string(places.gemini.join("projects.json")).ok()?;
    let list: serde_json::Value = serde_json::from_str(&list).ok()?;
    let projects = list.get("projects")?.as_object()?;
    projects.iter().find(|(_, short)| short.as_str() == Some(&name)).map(|(path, _)| path.clone())
}
