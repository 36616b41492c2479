//! What is known of each session: one small file each, written whole or not at all, readable by its owner alone.

use super::Host;
use crate::exit::Failure;
use serde::{Deserialize, Serialize};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use suggest_core::State;

/// The most bytes of a record.
const LONGEST: u64 = 256 * 1024;

/// How long a session that nobody goes on with is remembered.
const REMEMBERED: Duration = Duration::from_secs(30 * 24 * 3600);

const VERSION: u32 = 1;

/// What is known of one session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Record {
    version: u32,
    /// Rises with each end of a turn that the harness tells. Work for an older one writes nothing any more.
    pub(crate) generation: u64,
    /// The work that is under way.
    pub(crate) work: Option<Work>,
    /// The harness's id of the prompt that the state answers.
    pub(crate) prompt: Option<String>,
    /// What the newest work left; `None` before the first.
    pub(crate) state: Option<State>,
    /// Which turn it answered, so that none is answered twice.
    pub(crate) answered: Option<u64>,
    /// The number of the next offer (rule D11).
    pub(crate) next_offer: u64,
}

/// Work under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Work {
    pub(crate) phase: Phase,
    /// The process that does it, once it has begun.
    pub(crate) process: Option<u32>,
    /// When it began, in milliseconds since 1970.
    pub(crate) since: u64,
    /// Nobody needs to wait for it: the turn may go on yet.
    #[serde(default)]
    pub(crate) deferred: bool,
}

/// How far the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    /// It waits until the harness has written that the turn is over.
    Waiting,
    /// A generation is under way.
    Asking,
}

impl Work {
    pub(crate) fn new(phase: Phase) -> Self {
        Self { phase, process: None, since: now_ms(), deferred: false }
    }

    /// Whether its process is gone though it never said how it ended.
    pub(crate) fn is_lost(&self) -> bool {
        const STARTS_WITHIN_MS: u64 = 10_000;
        match self.process {
            Some(process) => !is_alive(process),
            None => now_ms().saturating_sub(self.since) > STARTS_WITHIN_MS,
        }
    }
}

fn now_ms() -> u64 {
    let age = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(age.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(unix)]
fn is_alive(process: u32) -> bool {
    let id = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    // One that belongs to somebody else is not ours, but it is answered as such.
    id.is_some_and(|id| rustix::process::test_kill_process(id).is_ok()) && !is_unburied(process)
}

/// Whether it ended and nobody asked how: some containers have no process that does.
#[cfg(unix)]
fn is_unburied(process: u32) -> bool {
    let facts = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    facts.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}

#[cfg(not(unix))]
fn is_alive(_process: u32) -> bool {
    true
}

/// Whether an id can be the name of a file: harnesses use UUIDs.
pub(crate) fn is_session_id(id: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !id.is_empty() && id.len() <= 128 && !id.starts_with('.') && id.chars().all(fits)
}

/// The records of one harness's sessions.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    folder: PathBuf,
}

impl Store {
    /// The store in its usual place: below `XDG_STATE_HOME`, or what the platform has for it.
    pub(crate) fn open(host: Host) -> Result<Self, Failure> {
        Ok(Self { folder: state_folder()?.join("hosts").join(host.name()) })
    }

    #[cfg(test)]
    pub(crate) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    fn path(&self, session: &str) -> PathBuf {
        self.folder.join(format!("{session}.json"))
    }

    /// What is known of a session. One that is unknown, or written by another version, is `None`.
    pub(crate) fn read(&self, session: &str) -> Option<Record> {
        if !is_session_id(session) {
            return None;
        }
        let mut text = String::new();
        File::open(self.path(session)).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
        serde_json::from_str::<Record>(&text).ok().filter(|record| record.version == VERSION)
    }

    /// The session that was written to last.
    pub(crate) fn newest(&self) -> Option<Record> {
        let entries = std::fs::read_dir(&self.folder).ok()?.flatten();
        let newest = entries
            .filter_map(|entry| {
                let path = entry.path();
                let session = path.file_stem()?.to_str()?.to_owned();
                let is_record = path.extension().is_some_and(|ending| ending == "json");
                is_record.then_some((entry.metadata().ok()?.modified().ok()?, session))
            })
            .max()?;
        self.read(&newest.1)
    }

    /// Changes a record; two processes never do it at once. Nothing is written when `change` says so by `false`, and
    /// the answer says whether it was.
    pub(crate) fn update(&self, session: &str, change: impl FnOnce(&mut Record) -> bool) -> io::Result<bool> {
        if !is_session_id(session) {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        make_private(&self.folder)?;
        let lock =
            OpenOptions::new().create(true).truncate(false).write(true).open(self.folder.join("lock"))?;
        // Freed when the file is closed, whatever happens to us.
        lock.lock()?;
        let mut record = self.read(session).unwrap_or_default();
        record.version = VERSION;
        if !change(&mut record) {
            return Ok(false);
        }
        let mut fresh = tempfile::Builder::new().prefix(".").tempfile_in(&self.folder)?;
        serde_json::to_writer(&mut fresh, &record)?;
        fresh.flush()?;
        fresh.persist(self.path(session)).map_err(|error| error.error)?;
        Ok(true)
    }

    /// Forgets sessions that nobody went on with.
    pub(crate) fn forget_old(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let age = entry.metadata().and_then(|facts| facts.modified()).map(|time| time.elapsed());
            let is_old = age.is_ok_and(|age| age.is_ok_and(|age| age > REMEMBERED));
            if is_old && entry.path().extension().is_some_and(|ending| ending == "json") {
                // Another process may have been faster.
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// The folder for what the program must remember.
pub(crate) fn state_folder() -> Result<PathBuf, Failure> {
    let folders = directories::ProjectDirs::from("", "", "suggest").ok_or_else(|| {
        Failure::failed("no home folder, so nothing can be remembered")
            .with_help("set HOME or XDG_STATE_HOME")
    })?;
    Ok(folders.state_dir().unwrap_or_else(|| folders.data_local_dir()).to_owned())
}

/// Makes a folder that only its owner can look into.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written_and_by_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(&folder.path().join("a/b"));
        assert_eq!(store.read("s-1"), None);
        let wrote = store.update("s-1", |record| {
            record.generation = 3;
            record.work = Some(Work::new(Phase::Asking));
            true
        });
        assert!(wrote.unwrap());
        assert_eq!(store.read("s-1").unwrap().generation, 3);
        assert_eq!(store.newest().unwrap().generation, 3);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&store.path("s-1")), 0o600);
            assert_eq!(mode(&store.folder), 0o700);
        }
    }

    #[test]
    fn an_id_that_is_no_file_name_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        for id in ["", "../x", "a/b", ".hidden", "a\0b", &"x".repeat(200)] {
            assert!(store.update(id, |_| true).is_err(), "{id:?}");
            assert_eq!(store.read(id), None);
        }
    }

    #[test]
    fn a_damaged_record_counts_as_none_and_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        for damage in ["", "{", "[]", "{\"version\":9}", "{\"version\":1,\"state\":{\"status\":\"new\"}}"] {
            std::fs::write(store.path("s"), damage).unwrap();
            assert_eq!(store.read("s"), None, "{damage}");
        }
        store
            .update("s", |record| {
                record.generation = 1;
                true
            })
            .unwrap();
        assert_eq!(store.read("s").unwrap().generation, 1);
    }

    #[test]
    fn two_writers_never_lose_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        store
                            .update("s", |record| {
                                record.generation += 1;
                                true
                            })
                            .unwrap();
                    }
                });
            }
        });
        assert_eq!(store.read("s").unwrap().generation, 100);
    }

    #[test]
    fn work_whose_process_is_gone_is_lost() {
        let mut work = Work::new(Phase::Asking);
        assert!(!work.is_lost());
        work.process = Some(std::process::id());
        assert!(!work.is_lost());
        #[cfg(unix)]
        {
            let mut child = std::process::Command::new("true").spawn().unwrap();
            work.process = Some(child.id());
            child.wait().unwrap();
            assert!(work.is_lost());
        }
    }
}
