//! What goes wrong with a file, and what a person is told.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why the file could not be read or written. Nothing changed, in memory or on the disk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreFileError {
    /// The disk, a quota or a limit is full.
    #[error("{} was not written: there is no room; make room and try again", path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The folder or the file may not be written.
    #[error("{} was not written: it or its folder is read-only; choose another place, or change who may write", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Another process holds the lock and does not give it back.
    #[error("{} is in use: another process has held its lock for {seconds} s; try again, or end that process", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
        /// How long was waited.
        seconds: u64,
    },
    /// Anything else.
    #[error("{} could not be used: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl StoreFileError {
    pub(crate) fn new(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::Full { path, source }
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly { path, source }
            }
            _ => Self::Io { path, source },
        }
    }
}

/// Why an act failed: the manager refused it, or the file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ActError<E> {
    /// The manager refused it.
    #[error(transparent)]
    Refused(E),
    /// The file could not be used; the act did not happen.
    #[error(transparent)]
    File(#[from] StoreFileError),
}

/// Something that a person should know: a file was set aside. It is where it says, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The file that could not be used.
    pub path: PathBuf,
    /// Where it is now; absent where it could not be moved, and then nothing is written either.
    pub set_aside: Option<PathBuf>,
    /// Why, in lower case, without contents.
    pub reason: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path.display(), self.reason)?;
        match &self.set_aside {
            Some(place) => write!(f, "; it was kept as {}", place.display()),
            None => f.write_str("; it was left where it is, and nothing is saved"),
        }
    }
}
