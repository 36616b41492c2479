//! Rollouts of Codex that continue another file: a rewind opens a new one, of which the old one is the beginning.

use crate::error::TranscriptError;
use crate::json::text;
use serde_json::Value;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use suggest_host_dsh::Lines;

/// The longest first line.
const MAX_HEADER: usize = 4 * 1024 * 1024;

/// The most files that are looked at for the beginning.
const MAX_FILES: usize = 10_000;

/// The beginning of a rollout in another file.
#[derive(Debug)]
pub(crate) struct Base {
    pub(crate) path: PathBuf,
    /// The first ordinal that does not hold any more.
    pub(crate) end: u64,
}

/// The file that a rollout continues. `None` if it is its own beginning, or if that file is gone.
pub(crate) fn base_of(file: &mut File, path: &Path) -> Result<Option<Base>, TranscriptError> {
    let mut lines = Lines::new(BufReader::new(file.by_ref()), MAX_HEADER, 0);
    let first = lines.next_line()?.and_then(|line| line.text);
    let header: Option<Value> = first.and_then(|text| serde_json::from_slice(text).ok());
    std::io::Seek::rewind(file)?;
    let base = header.as_ref().and_then(|header| header.get("payload")?.get("history_base"));
    let Some(base) = base else { return Ok(None) };
    let (Some(thread), Some(end)) =
        (text(base, "thread_id"), base.get("end_ordinal_exclusive").and_then(Value::as_u64))
    else {
        return Ok(None);
    };
    Ok(find(path, thread).map(|path| Base { path, end }))
}

/// The rollout of a thread: beside the one that continues it, or in another day's folder.
fn find(path: &Path, thread: &str) -> Option<PathBuf> {
    let ending = format!("{thread}.jsonl");
    let is_it = |file: &Path| file.file_name().is_some_and(|name| name.to_string_lossy().ends_with(&ending));
    let day = path.parent()?;
    let mut folders = vec![day.to_owned()];
    // sessions/YEAR/MONTH/DAY/rollout-….jsonl
    folders.extend(day.parent().and_then(Path::parent).and_then(Path::parent).map(Path::to_owned));
    let mut left = MAX_FILES;
    for folder in folders {
        if let Some(found) = walk(&folder, 4, &mut left, &is_it).filter(|found| found != path) {
            return Some(found);
        }
    }
    None
}

fn walk(folder: &Path, depth: u8, left: &mut usize, is_it: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut below = Vec::new();
    for entry in std::fs::read_dir(folder).ok()?.flatten() {
        *left = left.checked_sub(1)?;
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_file() && is_it(&path) => return Some(path),
            Ok(kind) if kind.is_dir() && depth > 0 => below.push(path),
            _ => {}
        }
    }
    below.sort();
    below.iter().rev().find_map(|folder| walk(folder, depth.saturating_sub(1), left, is_it))
}

/// The ordinal of a line, which stands near its beginning.
pub(crate) fn ordinal(line: &[u8]) -> Option<u64> {
    let head = line.get(..line.len().min(256))?;
    let at = memchr::memmem::find(head, b"\"ordinal\":")?;
    let digits = head.get(at.saturating_add(10)..)?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    std::str::from_utf8(digits.get(..end)?).ok()?.parse().ok()
}
