//! The file itself: locking, reading, replacing, setting aside.

use crate::error::{StoreFileError, Warning};
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// A larger file is not read.
pub(crate) const MOST_BYTES: u64 = 32 * 1024 * 1024;
/// How long another process may hold the lock.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(2);

/// What tells one state of the file from another: every change is a new file.
#[derive(Debug, PartialEq, Eq)]
struct Identity {
    number: u64,
    written: Option<SystemTime>,
    length: u64,
}

/// The file as it was seen. It is held open, so that no later file can get its number.
#[derive(Debug)]
pub(crate) struct Seen {
    identity: Identity,
    _file: File,
}

impl Seen {
    fn of(file: File) -> io::Result<Self> {
        Ok(Self { identity: Identity::of(&file.metadata()?), _file: file })
    }
}

impl Identity {
    fn of(facts: &Metadata) -> Self {
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(facts);
        #[cfg(not(unix))]
        let number = 0;
        Self { number, written: facts.modified().ok(), length: facts.len() }
    }
}

/// What was found at the path.
pub(crate) enum Found {
    Nothing,
    Bytes(Vec<u8>, Seen),
    /// More than is read.
    TooLarge(u64),
}

/// Where the file is, and the names beside it.
#[derive(Debug)]
pub(crate) struct Disk {
    path: PathBuf,
    folder: PathBuf,
    name: String,
}

/// Held while one process changes the file; dropping it lets others go on.
#[derive(Debug)]
pub(crate) struct Locked(#[expect(dead_code, reason = "it holds the lock")] File);

impl Disk {
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        // The file itself is replaced, not a link to it.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Some(folder) = path.parent() {
            // Where this fails, the first change says so.
            let _ = fs::create_dir_all(folder);
        }
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            Some(_) | None => PathBuf::from("."),
        };
        Ok(Self { path, folder, name })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn error(&self, source: io::Error) -> StoreFileError {
        StoreFileError::new(&self.path, source)
    }

    /// Waits for the lock, which stands in a file of its own, since the store's file is replaced.
    pub(crate) fn lock(&self) -> Result<Locked, StoreFileError> {
        let place = self.folder.join(format!("{}.lock", self.name));
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match only_a_file(&place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(self.error(error)),
            Ok(()) | Err(_) => {}
        }
        let file = options.open(place).map_err(|error| self.error(error))?;
        Self::make_private(&file);
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Locked(file)),
                Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreFileError::Busy {
                        path: self.path.clone(),
                        seconds: PATIENCE.as_secs(),
                    });
                }
                Err(TryLockError::Error(error)) => return Err(self.error(error)),
            }
        }
    }

    /// Earlier versions let others read the lock, and so hold it.
    fn make_private(lock: &File) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = lock.metadata().map(|facts| facts.permissions().mode());
            if mode.is_ok_and(|mode| mode & 0o077 != 0) {
                // Where it is another person's, it is theirs to say.
                let _ = lock.set_permissions(fs::Permissions::from_mode(0o600));
            }
        }
        #[cfg(not(unix))]
        let _ = lock;
    }

    /// Whether there is a file that is not the one that was seen.
    pub(crate) fn has_news(&self, seen: Option<&Seen>) -> bool {
        fs::metadata(&self.path)
            .is_ok_and(|facts| seen.is_none_or(|seen| seen.identity != Identity::of(&facts)))
    }

    pub(crate) fn read(&self) -> io::Result<Found> {
        // A pipe would keep whoever opens it waiting, and everybody behind the lock.
        let opened = only_a_file(&self.path).and_then(|()| File::open(&self.path));
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(error) => return Err(error),
        };
        let facts = file.metadata()?;
        if facts.len() > MOST_BYTES {
            return Ok(Found::TooLarge(facts.len()));
        }
        let mut bytes = Vec::new();
        (&file).take(MOST_BYTES).read_to_end(&mut bytes)?;
        Ok(Found::Bytes(bytes, Seen::of(file)?))
    }

    /// Puts the bytes in the file's place: written beside it, flushed, renamed. [`Disk::flush_folder`] makes it last. Only
    /// under the lock.
    pub(crate) fn replace(&self, bytes: &[u8]) -> io::Result<Seen> {
        let mut beside = self.make_beside()?;
        beside.write_all(bytes)?;
        beside.as_file().sync_all()?;
        let file = beside.persist(&self.path).map_err(|error| error.error)?;
        Seen::of(file)
    }

    /// Whether a file can be made in the folder.
    pub(crate) fn takes_files(&self) -> io::Result<()> {
        self.make_beside().map(drop)
    }

    fn make_beside(&self) -> io::Result<tempfile::NamedTempFile> {
        tempfile::Builder::new().prefix(&self.temporary_prefix()).suffix(".tmp").tempfile_in(&self.folder)
    }

    /// Makes the rename itself last. Where folders cannot be flushed, the file system does it in its own time.
    pub(crate) fn flush_folder(&self) {
        #[cfg(unix)]
        if let Ok(folder) = File::open(&self.folder) {
            let _ = folder.sync_all();
        }
    }

    fn temporary_prefix(&self) -> String {
        format!(".{}.", self.name)
    }

    /// Removes what killed processes left half written. Only under the lock: nobody else is writing.
    pub(crate) fn sweep(&self) {
        let prefix = self.temporary_prefix();
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(&prefix) && name.ends_with(".tmp") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Moves the file to a name that nothing has. Only under the lock.
    pub(crate) fn set_aside(&self, reason: String) -> Warning {
        let free = (1_u32..10_000)
            .map(|number| self.folder.join(format!("{}.set-aside-{number}", self.name)))
            .find(|place| fs::symlink_metadata(place).is_err());
        let set_aside = free.filter(|place| fs::rename(&self.path, place).is_ok());
        let warning = Warning { path: self.path.clone(), set_aside, reason };
        tracing::warn!(%warning, "a store of cards could not be used");
        warning
    }
}

/// Fails for what is there and is no file: a folder, a pipe, a device.
fn only_a_file(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file; move it away"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_in_the_place_of_the_store_or_of_its_lock_keeps_nobody_waiting_c6() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["suggestions.json", "other.json.lock"] {
            let made = std::process::Command::new("mkfifo").arg(folder.path().join(name)).status().unwrap();
            assert!(made.success());
        }
        let disk = Disk::new(&folder.path().join("suggestions.json")).unwrap();
        assert!(disk.lock().is_ok());
        assert!(disk.read().is_err());
        assert!(Disk::new(&folder.path().join("other.json")).unwrap().lock().is_err());
    }
}
