//! Absolute paths: relative inside the workspace, a mark outside it.
//!
//! A path is recognised by its first directory (the usual roots of a file system, the first directory of the
//! workspace and of the home directory), by a file ending that web routes do not have, or by a drive letter or
//! share. Routes such as `/api/v1/users`, slash commands and paths that start with `~/` or `..` stay.

use super::path_text::{climbs_out, drive_starts, name_goes_on, path_end, path_starts, plain};
use super::scan::Scan;
use super::shape::{at, before, starts_with, starts_with_folded};

/// First directories that only a file system has.
const ROOTS: &[&str] = &[
    "home",
    "Users",
    "root",
    "var",
    "etc",
    "opt",
    "tmp",
    "usr",
    "mnt",
    "media",
    "srv",
    "private",
    "Volumes",
    "proc",
    "sys",
    "dev",
    "nix",
    "snap",
    "cygdrive",
    "workspace",
    "workspaces",
    "Library",
    "Applications",
    "System",
    "lib64",
    "boot",
    "export",
    "scratch",
    "bin",
    "sbin",
    "run",
    "afs",
    "nfs",
    "gpfs",
    "lustre",
    "github",
    "builds",
    "codebuild",
    "host_mnt",
];
/// First directories that web routes have as well: a path needs a file ending there.
const SHARED_ROOTS: &[&str] = &[
    "data", "work", "app", "code", "projects", "project", "repo", "repos", "build", "storage", "lib", "media",
];
/// First directories of a project: `/src/main.ts` in a web page means the project's own file.
const PROJECT_ROOTS: &[&str] = &[
    "src",
    "docs",
    "doc",
    "tests",
    "test",
    "crates",
    "packages",
    "api",
    "assets",
    "static",
    "public",
    "scripts",
    "examples",
    "node_modules",
    "components",
    "pages",
];
/// File endings that web routes do not have.
const ENDINGS: &[&str] = &[
    "rs", "py", "ts", "tsx", "jsx", "go", "java", "kt", "c", "h", "cc", "cpp", "hpp", "rb", "toml", "lock",
    "log", "txt", "md", "yml", "yaml", "ini", "conf", "cfg", "env", "pem", "key", "crt", "sh", "sql", "db",
    "sqlite", "csv", "xlsx", "docx", "ipynb", "swift", "cs", "scala", "ex", "exs", "hs", "lua", "zig",
    "patch", "diff", "bak", "tar", "gz", "zip", "jsonl", "parquet", "bash", "zsh",
];
/// Whole paths that are the same on every machine.
const EVERYWHERE: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/random",
    "/dev/urandom",
    "/usr/bin/env",
    "/bin/sh",
    "/bin/bash",
    "/usr/bin/bash",
    "/usr/bin/sh",
];
/// Longest stretch behind a workspace prefix that is checked for `..`, in bytes.
const CHECKED_TAIL: usize = 512;
/// Longest path, in bytes; a longer one is cut here and the rest is read on its own.
pub(super) const LONGEST: usize = 4096;

/// Longest path under a directory that no file system is known for, in characters.
const SHORT: usize = 160;

/// What becomes of a path in text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathFound {
    /// Inside the workspace: this stretch (the prefix) gives way to the text.
    Inside { start: usize, end: usize, text: &'static str },
    /// Outside: the whole stretch gives way to a mark.
    Outside { start: usize, end: usize },
}

/// The directories of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    workspace: Option<String>,
    home: Option<String>,
}

impl Places {
    pub(super) fn new(workspace: Option<&str>, home: Option<&str>) -> Self {
        Self { workspace: workspace.and_then(directory), home: home.and_then(directory) }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.workspace.as_ref().map_or(0, String::capacity) + self.home.as_ref().map_or(0, String::capacity)
    }

    /// A path that starts with the byte at `place`: a slash, a backslash, a tilde, or the colon of a drive.
    pub(super) fn find(&self, scan: &Scan<'_>, place: usize) -> Option<PathFound> {
        let bytes = scan.bytes;
        match at(bytes, place) {
            b'/' if place >= scan.address_until => self.rooted(scan, place),
            b':' => self.drive(scan, place),
            b'\\' if starts_with(bytes, place, b"\\/") && place >= scan.address_until => {
                self.rooted(scan, place)
            }
            b'\\' => share(scan, place),
            b'~' => other_home(scan, place),
            _ => None,
        }
    }

    fn rooted(&self, scan: &Scan<'_>, place: usize) -> Option<PathFound> {
        let bytes = scan.bytes;
        if !path_starts(bytes, place) {
            return None;
        }
        let start = if starts_with_folded(bytes, place.saturating_sub(5), b"file:") && place >= 5 {
            place - 5
        } else {
            place
        };
        // Slashes may be doubled; the last one belongs to the path.
        let doubled = (0..16)
            .take_while(|step| at(bytes, place + step) == b'/' && at(bytes, place + step + 1) == b'/')
            .count();
        let slash = place + doubled;
        // `file:///C:/x`: the drive rule takes it.
        if at(bytes, slash + 1).is_ascii_alphabetic()
            && at(bytes, slash + 2) == b':'
            && matches!(at(bytes, slash + 3), b'/' | b'\\')
        {
            return None;
        }
        if let Some(found) = self.inside(scan, start, slash, false) {
            return Some(found);
        }
        let end = path_end(scan, slash, false, self.reach(scan, slash));
        let path = plain(scan.slice(slash, end));
        if EVERYWHERE.contains(&path.as_str()) {
            return None;
        }
        let at_home = self.home.as_deref().is_some_and(|home| prefixed(&path, home));
        (at_home || self.is_file_system(&path) || start < place && path.len() > 1)
            .then_some(PathFound::Outside { start, end })
    }

    /// How far a path is read: one under an unknown directory only as far as a file name may be.
    fn reach(&self, scan: &Scan<'_>, slash: usize) -> usize {
        let name = slash + if at(scan.bytes, slash) == b'\\' { 2 } else { 1 };
        let length = (0..64)
            .take_while(|step| {
                let byte = at(scan.bytes, name + step);
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.') || byte >= 0x80
            })
            .count();
        let first = scan.slice(name, name + length);
        let own =
            [self.workspace.as_deref(), self.home.as_deref()].into_iter().flatten().filter_map(first_part);
        let known = ROOTS.iter().copied().chain(own).any(|root| first.starts_with(root.as_bytes()));
        if known { LONGEST } else { SHORT }
    }

    /// A path inside the workspace, whose text starts at `from`.
    fn inside(&self, scan: &Scan<'_>, start: usize, from: usize, windows: bool) -> Option<PathFound> {
        let workspace = self.workspace.as_deref()?;
        let after = match_prefix(scan.bytes, from, workspace.as_bytes(), windows)?;
        let mut tail = after;
        while matches!(at(scan.bytes, tail), b'/' | b'\\')
            && (windows || at(scan.bytes, tail) == b'/' || at(scan.bytes, tail + 1) == b'/')
        {
            tail += 1;
        }
        if tail == after && name_goes_on(scan, after) {
            return None;
        }
        let end = if tail == after { after } else { path_end(scan, tail, windows, CHECKED_TAIL + 1) };
        let rest = scan.slice(tail, end.min(tail + CHECKED_TAIL));
        if climbs_out(rest) || end - tail > CHECKED_TAIL {
            return Some(PathFound::Outside { start, end });
        }
        let text = match (end == tail, at(scan.bytes, tail)) {
            (false, _) => "",
            (true, b'.') => "./",
            (true, _) => ".",
        };
        Some(PathFound::Inside { start, end: tail, text })
    }

    fn is_file_system(&self, path: &str) -> bool {
        let mut parts = path.split('/').filter(|part| !part.is_empty());
        let Some(first) = parts.next() else { return false };
        let mut last = None;
        for part in parts {
            last = Some(part);
        }
        let own_root = [self.workspace.as_deref(), self.home.as_deref()]
            .into_iter()
            .flatten()
            .filter_map(first_part)
            .any(|root| {
                first == root
                    || root.len() >= 4
                        && first.starts_with(root)
                        && !first.as_bytes().get(root.len()).is_some_and(u8::is_ascii_alphabetic)
            });
        let Some(last) = last else {
            // `/workspace2` beside the workspace `/workspace`; a root alone reveals nothing.
            return own_root && !ROOTS.contains(&first);
        };
        if ROOTS.contains(&first) || own_root {
            return true;
        }
        if PROJECT_ROOTS.contains(&first) {
            return false;
        }
        let ending = last.rsplit_once('.').map_or("", |(_, ending)| ending);
        ENDINGS.contains(&ending) || SHARED_ROOTS.contains(&first) && !ending.is_empty() && ending.len() <= 5
    }

    fn drive(&self, scan: &Scan<'_>, colon: usize) -> Option<PathFound> {
        let bytes = scan.bytes;
        let letter = before(bytes, colon, 1);
        let start = colon.checked_sub(1)?;
        let separator = at(bytes, colon + 1);
        if !letter.is_ascii_alphabetic() || !matches!(separator, b'\\' | b'/') || !drive_starts(bytes, start)
        {
            return None;
        }
        let mut name = colon + 1;
        while matches!(at(bytes, name), b'\\' | b'/') && name - colon < 6 {
            name += 1;
        }
        let first = at(bytes, name);
        let users = starts_with_folded(bytes, name, b"users");
        let doubled = name - colon > 2;
        if !(first.is_ascii_alphanumeric() || first >= 0x80 || matches!(first, b'_' | b'$' | b'.'))
            || separator == b'/' && doubled
        {
            return None;
        }
        let start = if starts_with_folded(bytes, start.saturating_sub(8), b"file:///") && start >= 8 {
            start - 8
        } else {
            start
        };
        let letter_at = colon - 1;
        if let Some(found) = self.inside(scan, start, letter_at, true) {
            return Some(found);
        }
        let end = path_end(scan, name, true, LONGEST);
        if separator == b'\\' && !doubled && matches!(first, b'n' | b'r' | b't') && !users {
            // `Plan B:\nFirst…` is an escaped newline, `C:\new\x` is a path.
            let rest = scan.slice(name, end);
            let whole = rest.iter().all(|byte| {
                byte.is_ascii_lowercase()
                    || byte.is_ascii_digit()
                    || matches!(byte, b'\\' | b'.' | b'-' | b'_')
            });
            if !(whole && rest.contains(&b'\\') && matches!(letter, b'C'..=b'H')) {
                return None;
            }
        }
        (users || letter.is_ascii_uppercase()).then_some(PathFound::Outside { start, end })
    }

    /// A path as a hint: relative inside the workspace, `None` outside it.
    pub(super) fn relative(&self, path: &str) -> Option<String> {
        let path = path.trim();
        let path = path.strip_prefix("file://").unwrap_or(path);
        if path.is_empty()
            || path.len() > LONGEST
            || path.chars().any(char::is_control)
            || path.starts_with('~')
        {
            return None;
        }
        let plain = path.replace('\\', "/");
        let drive = plain.as_bytes().get(1) == Some(&b':');
        let absolute = plain.starts_with('/') || drive;
        let rest = if absolute {
            let workspace = self.workspace.as_deref()?;
            let drive_slash = plain
                .strip_prefix('/')
                .filter(|rest| rest.as_bytes().get(1) == Some(&b':'))
                .unwrap_or(&plain);
            let after = match_prefix(
                drive_slash.as_bytes(),
                0,
                workspace.as_bytes(),
                drive || drive_slash.len() < plain.len(),
            )?;
            let rest = drive_slash.get(after..)?;
            if !rest.is_empty() && !rest.starts_with('/') {
                return None;
            }
            rest.to_owned()
        } else {
            plain
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in rest.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                part => parts.push(part),
            }
        }
        Some(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
    }
}

/// The plain form of a configured directory; `None` for an empty one and for the root itself.
fn directory(path: &str) -> Option<String> {
    let path = path.trim().replace('\\', "/");
    let path = path.trim_end_matches('/');
    (path.len() > 1
        && (path.starts_with('/') || path.as_bytes().get(1) == Some(&b':'))
        && !path.ends_with(':'))
    .then(|| path.to_owned())
}

fn first_part(path: &str) -> Option<&str> {
    path.split('/').find(|part| !part.is_empty())
}

fn prefixed(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| {
        !rest.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '_' | '-'))
    })
}

/// Where the directory `prefix` ends in `bytes` from `from` on. A slash matches a run of separators; Windows
/// paths match in any case.
fn match_prefix(bytes: &[u8], from: usize, prefix: &[u8], windows: bool) -> Option<usize> {
    let mut place = from;
    for expected in prefix {
        let byte = at(bytes, place);
        if *expected == b'/' {
            let separators = (0..16)
                .take_while(|step| {
                    let byte = at(bytes, place + step);
                    byte == b'/' || byte == b'\\' && (windows || at(bytes, place + step + 1) == b'/')
                })
                .count();
            if separators == 0 {
                return None;
            }
            place += separators;
        } else if byte == *expected || windows && byte.eq_ignore_ascii_case(expected) {
            place += 1;
        } else if byte == b'\\' && at(bytes, place + 1) == b' ' && *expected == b' ' {
            place += 2;
        } else {
            return None;
        }
    }
    Some(place)
}

/// A share of another machine: `\\server\share\x`, also with escaped backslashes.
fn share(scan: &Scan<'_>, place: usize) -> Option<PathFound> {
    let bytes = scan.bytes;
    let previous = before(bytes, place, 1);
    if !(previous == 0
        || previous.is_ascii_whitespace()
        || matches!(previous, b'"' | b'\'' | b'`' | b'(' | b'='))
    {
        return None;
    }
    let slashes = (0..5).take_while(|step| at(bytes, place + step) == b'\\').count();
    if slashes != 2 && slashes != 4 {
        return None;
    }
    let name = place + slashes;
    let server = (0..64)
        .take_while(|step| {
            let byte = at(bytes, name + step);
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'$')
        })
        .count();
    let separators = (0..3).take_while(|step| at(bytes, name + server + step) == b'\\').count();
    let share = at(bytes, name + server + separators);
    if server < 2 || separators != slashes / 2 || !share.is_ascii_alphanumeric() {
        return None;
    }
    Some(PathFound::Outside { start: place, end: path_end(scan, name, true, LONGEST) })
}

/// `~alice/x` names a person; `~/x` does not.
fn other_home(scan: &Scan<'_>, place: usize) -> Option<PathFound> {
    let bytes = scan.bytes;
    let previous = before(bytes, place, 1);
    if !(previous == 0
        || previous.is_ascii_whitespace()
        || matches!(previous, b'"' | b'\'' | b'`' | b'(' | b'=' | b':'))
    {
        return None;
    }
    let name = (1..32)
        .take_while(|step| {
            let byte = at(bytes, place + step);
            byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit() && *step > 1
        })
        .count();
    if name < 2 || at(bytes, place + 1 + name) != b'/' {
        return None;
    }
    Some(PathFound::Outside { start: place, end: path_end(scan, place + 1, false, LONGEST) })
}
