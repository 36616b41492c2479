//! The newest session of a folder, and the one that a cleared session goes on in.

use super::feed::{first_bytes, is_full};
use super::place::Place;
use crate::input::usual_places;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use suggest_transcripts::newest_for;

/// The newest session of the current folder, in the usual places of the harnesses.
pub(crate) fn newest(folder: &Path) -> Option<Place> {
    newest_for(&usual_places()?, folder).map(Place::of_found)
}

/// The session files beside a followed one, by name. A new name says that a file is new; the times of a file system are
/// too coarse for that, and lag behind the clock.
#[derive(Debug)]
pub(crate) struct Siblings {
    folder: PathBuf,
    known: HashSet<PathBuf>,
}

impl Siblings {
    /// What lies beside this file now.
    pub(crate) fn of(path: &Path) -> Self {
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let known = sessions(&folder).collect();
        Self { folder, known }
    }

    /// The file in which a session of Claude Code goes on after `/clear`: a new one that begins with this command.
    /// Another session of the same folder begins otherwise. The newest, if there are several.
    pub(crate) fn after_clear(&mut self) -> Option<PathBuf> {
        let mut begun: Option<(Option<SystemTime>, PathBuf)> = None;
        for path in sessions(&self.folder) {
            if self.known.contains(&path) {
                continue;
            }
            match Beginning::of(&path) {
                // What it is shows when more of it is there.
                Beginning::Open => {}
                Beginning::Other => {
                    self.known.insert(path);
                }
                Beginning::Clear => {
                    let modified = path.metadata().and_then(|facts| facts.modified()).ok();
                    let found = Some((modified, path.clone()));
                    self.known.insert(path);
                    begun = begun.max(found);
                }
            }
        }
        begun.map(|(_, path)| path)
    }
}

fn sessions(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
}

/// How a session file begins.
#[derive(Debug, PartialEq, Eq)]
enum Beginning {
    /// With the command that cleared another session.
    Clear,
    /// With something else.
    Other,
    /// No prompt is in it yet.
    Open,
}

impl Beginning {
    fn of(path: &Path) -> Self {
        const COMMAND: &[u8] = b"<command-name>/clear</command-name>";
        const ANSWER: &[u8] = b"\"type\":\"assistant\"";
        let Ok(first) = first_bytes(path) else { return Self::Open };
        let has = |part: &[u8]| first.windows(part.len()).any(|window| window == part);
        if has(COMMAND) {
            Self::Clear
        } else if is_full(&first) || has(ANSWER) {
            Self::Other
        } else {
            Self::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAR: &str = "{\"content\":\"<command-name>/clear</command-name>\"}\n";
    const OTHER: &str = "{\"type\":\"user\"}\n{\"type\":\"assistant\"}\n";

    fn name(path: Option<PathBuf>) -> Option<String> {
        path.and_then(|path| Some(path.file_name()?.to_str()?.to_owned()))
    }

    #[test]
    fn only_a_new_file_that_begins_with_the_command_counts_and_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("a.jsonl", OTHER);
        write("old.jsonl", CLEAR);
        let mut siblings = Siblings::of(&folder.path().join("a.jsonl"));
        assert_eq!(name(siblings.after_clear()), None);
        write("other.jsonl", OTHER);
        write("notes.txt", CLEAR);
        assert_eq!(name(siblings.after_clear()), None);
        write("b.jsonl", CLEAR);
        assert_eq!(name(siblings.after_clear()).as_deref(), Some("b.jsonl"));
        assert_eq!(name(siblings.after_clear()), None);
    }

    #[test]
    fn a_new_file_is_looked_at_again_until_it_says_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let mut siblings = Siblings::of(&folder.path().join("a.jsonl"));
        let path = folder.path().join("b.jsonl");
        std::fs::write(&path, "").unwrap();
        assert_eq!(name(siblings.after_clear()), None);
        std::fs::write(&path, "{\"type\":\"mode\"}\n{\"content\":\"<comm").unwrap();
        assert_eq!(name(siblings.after_clear()), None);
        std::fs::write(&path, CLEAR).unwrap();
        assert_eq!(name(siblings.after_clear()).as_deref(), Some("b.jsonl"));
    }

    #[test]
    fn a_folder_that_comes_later_has_only_new_files() {
        let folder = tempfile::tempdir().unwrap();
        let later = folder.path().join("later");
        let mut siblings = Siblings::of(&later.join("a.jsonl"));
        assert_eq!(name(siblings.after_clear()), None);
        std::fs::create_dir(&later).unwrap();
        std::fs::write(later.join("b.jsonl"), CLEAR).unwrap();
        assert_eq!(name(siblings.after_clear()).as_deref(), Some("b.jsonl"));
    }
}
