//! Where a session is.

use std::fmt;
use std::path::PathBuf;
use suggest_transcripts::{Format, FoundSession};

/// A session: the file that holds it, and of a file that holds several, which one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    /// Its id; the newest if absent.
    pub(crate) session: Option<String>,
}

impl Place {
    /// Where a session was found. Only that of a store needs its id.
    pub(crate) fn of_found(found: FoundSession) -> Self {
        let in_store = found.harness.format() == Some(Format::OpencodeStore);
        Self { path: found.path, session: found.id.filter(|_| in_store) }
    }
}

impl From<PathBuf> for Place {
    fn from(path: PathBuf) -> Self {
        Self { path, session: None }
    }
}

/// As a person names it.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.session.as_ref().map_or(Ok(()), |session| write!(f, " --session {session}"))
    }
}
