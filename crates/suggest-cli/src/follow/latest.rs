//! The newest session of a folder, and the one that a cleared session goes on in.

use super::feed::first_bytes;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use suggest_transcripts::{Places, newest_for};

/// The newest session of the current folder, in the usual places of the harnesses.
pub(crate) fn newest(folder: &Path) -> Option<PathBuf> {
    let home = directories::BaseDirs::new()?.home_dir().to_owned();
    let places = Places::of_home(&home)
        .with_environment(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from));
    newest_for(&places, folder).map(|found| found.path)
}

/// The file in which a session of Claude Code goes on after `/clear`: a newer one beside it that begins with this
/// command. Another session of the same folder begins otherwise.
pub(crate) fn after_clear(path: &Path, since: SystemTime) -> Option<PathBuf> {
    let folder = path.parent()?;
    let mut found: Vec<(SystemTime, PathBuf)> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|entry| {
            let other = entry.path();
            let facts = entry.metadata().ok()?;
            let modified = facts.modified().ok()?;
            let born = facts.created().unwrap_or(modified);
            let fits = facts.is_file()
                && other != path
                && other.extension().is_some_and(|ending| ending == "jsonl")
                && modified > since
                && born >= since;
            fits.then_some((modified, other))
        })
        .collect();
    found.sort();
    found.into_iter().rev().map(|(_, other)| other).find(|other| begins_with_clear(other))
}

fn begins_with_clear(path: &Path) -> bool {
    const COMMAND: &[u8] = b"<command-name>/clear</command-name>";
    first_bytes(path).is_ok_and(|first| first.windows(COMMAND.len()).any(|window| window == COMMAND))
}
