//! Where session logs are looked for.

use crate::exit::Failure;
use crate::follow::Place;
use crate::input::usual_places;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use suggest_transcripts::{Places, find_sessions};

/// The most logs that are followed, the ones that changed last.
const MOST_LOGS: usize = 200;
/// The most entries that one search looks at.
const MOST_ENTRIES: usize = 50_000;
/// How deep below a named folder logs may lie.
const DEPTH: usize = 8;
/// A log that did not change for so long is not followed.
const OLD: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// Where session logs are looked for.
#[derive(Debug, Clone)]
pub(super) enum Folders {
    /// Nowhere.
    None,
    /// Where the harnesses keep them.
    Usual(Box<Places>),
    /// Below these folders.
    Named(Vec<PathBuf>),
}

impl Folders {
    pub(super) fn usual() -> Self {
        usual_places().map_or(Self::None, |places| Self::Usual(Box::new(places)))
    }

    /// # Errors
    /// When one of them is no folder.
    pub(super) fn named(folders: &[PathBuf]) -> Result<Self, Failure> {
        match folders.iter().find(|folder| !folder.is_dir()) {
            None => Ok(Self::Named(folders.to_vec())),
            Some(other) => Err(Failure::usage(format_args!("{} is no folder", other.display()))
                .with_help("name the folder that holds the session logs, such as ~/.dsh/sessions")),
        }
    }

    /// The logs that are there now, the newest first.
    pub(super) fn logs(&self) -> Vec<Place> {
        let now = SystemTime::now();
        let is_old = |modified: SystemTime| now.duration_since(modified).is_ok_and(|age| age > OLD);
        match self {
            Self::None => Vec::new(),
            Self::Usual(places) => find_sessions(places, MOST_LOGS)
                .into_iter()
                .filter(|session| !is_old(session.modified))
                .map(Place::of_found)
                .collect(),
            Self::Named(folders) => {
                let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
                for folder in folders {
                    walk(folder, &mut found);
                }
                found.retain(|(modified, _)| !is_old(*modified));
                found.sort_by(|one, other| other.cmp(one));
                found.dedup_by(|one, other| one.1 == other.1);
                found.into_iter().take(MOST_LOGS).map(|(_, path)| Place::from(path)).collect()
            }
        }
    }
}

/// Every log below a folder. Links are not followed, and what cannot be read is left out.
fn walk(folder: &Path, found: &mut Vec<(SystemTime, PathBuf)>) {
    let mut waiting = VecDeque::from([(folder.to_owned(), 0)]);
    let mut looked = 0_usize;
    while let Some((folder, depth)) = waiting.pop_front() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            looked = looked.saturating_add(1);
            if looked > MOST_ENTRIES {
                return;
            }
            let Ok(facts) = entry.metadata() else { continue };
            let path = entry.path();
            if facts.is_dir() && depth < DEPTH {
                waiting.push_back((path, depth + 1));
            } else if facts.is_file() && is_log(&path) {
                found.push((facts.modified().unwrap_or(SystemTime::UNIX_EPOCH), path));
            }
        }
    }
}

fn is_log(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".jsonl") || name.ends_with(".jsonl.zstd")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_found_at_any_depth_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        for name in
            ["a/b/session.jsonl", "one.jsonl", "a/session.jsonl.zstd", "notes.md", "a/list.json", "b.zstd"]
        {
            std::fs::write(folder.path().join(name), "{}").unwrap();
        }
        let mut logs = Folders::named(&[folder.path().to_owned()]).unwrap().logs();
        logs.sort();
        let expected = [
            deep.join("session.jsonl"),
            folder.path().join("a/session.jsonl.zstd"),
            folder.path().join("one.jsonl"),
        ];
        assert_eq!(logs, expected.map(Place::from));
    }
}
