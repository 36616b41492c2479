//! Removes secrets and private paths from text before it may leave for a provider (rule P2).
//!
//! One pass from left to right finds secrets by published prefixes, by structure, and by the name that they are
//! assigned to, and paths by their first directory. The rules are tables in their own files: `keys` (prefixes),
//! `names` (what a name says), `paths` (roots and endings), `shape` (stand-ins that are no secrets).
//!
//! Left alone: commit hashes, UUIDs, integrity hashes, short base64, names and expressions of code, stand-ins
//! (`<your-key>`, `${TOKEN}`, `xxxx`), web routes, slash commands, `~/x`, `../x`, a root directory alone
//! (`/tmp`), and a few paths that are the same on every machine (`/dev/null`, `/usr/bin/env`, `/bin/sh`).
//!
//! Time is linear in the text: runs are measured once, and every look around a place has a fixed bound.

mod assignments;
mod commands;
mod families;
mod foreign;
mod judge;
mod keys;
mod names;
mod path_text;
mod paths;
mod private_keys;
mod scan;
mod shape;
mod structured;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use families::FAMILIES;
pub use families::SecretFamily;
use paths::{PathFound, Places};
use scan::{Found, INDEX, PREFIX, STRUCTURE, Scan};
use shape::{at, starts_with};

/// Most secrets and paths, together, that one scrubber tells apart.
const MOST_REMEMBERED: usize = 4096;
/// Most passes over one text. A second pass happens only after the first one found something, and sees what a
/// mark brought to the start of a word.
const MOST_PASSES: usize = 4;
/// Slot of paths in the table, behind all families.
const PATHS: u8 = u8::MAX;

/// Every kind of secret that [`Scrubber`] replaces, for documentation.
#[must_use]
pub fn families() -> &'static [SecretFamily] {
    FAMILIES
}

/// Replaces the secrets and private paths of one session by typed marks (rule P2).
///
/// Marks read `[secret:github-token#1]` and `[path#1]`; the same secret keeps its mark for the life of the value.
/// Only hashes of secrets and paths are kept, at most 4,096 in all. Past that bound a new one is still replaced,
/// by a mark with the number 0, which different secrets then share.
#[derive(Clone)]
pub struct Scrubber {
    places: Places,
    numbers: BTreeMap<(u8, u64), u32>,
    /// Numbers given so far, by slot.
    given: BTreeMap<u8, u32>,
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Scrubber").field("remembered", &self.numbers.len()).finish_non_exhaustive()
    }
}

impl Scrubber {
    /// A scrubber for a session in `workspace`, of a person whose home directory is `home`; both absolute.
    ///
    /// Without a workspace (or with the root directory as one), every absolute path counts as outside.
    #[must_use]
    pub fn new(workspace: Option<&str>, home: Option<&str>) -> Self {
        Self { places: Places::new(workspace, home), numbers: BTreeMap::new(), given: BTreeMap::new() }
    }

    /// The text with every secret and every private path replaced.
    ///
    /// Paths inside the workspace become relative (the workspace itself `.`). Marks that are there already stay,
    /// so scrubbing twice changes nothing. A mark has at most 40 characters and replaces at least three.
    pub fn scrub(&mut self, text: &str) -> String {
        let Some(mut scrubbed) = self.pass(text) else { return text.to_owned() };
        for _ in 1..MOST_PASSES {
            match self.pass(&scrubbed) {
                Some(again) => scrubbed = again,
                None => break,
            }
        }
        scrubbed
    }

    /// A file hint that may leave: relative to the workspace, with `/` between the parts and no `..`; `None` when
    /// it lies outside, or holds control characters.
    pub fn scrub_path(&mut self, path: &str) -> Option<String> {
        let relative = self.places.relative(path)?;
        Some(self.scrub(&relative))
    }

    /// Bytes of memory that this value holds, about; bounded whatever the session's length.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        // A B-tree's nodes are at least half full.
        let entry = size_of::<((u8, u64), u32)>() * 2;
        size_of::<Self>() + self.places.memory_bytes() + (self.numbers.len() + self.given.len()) * entry
    }

    /// One pass; `None` when nothing was found.
    fn pass(&mut self, text: &str) -> Option<String> {
        let mut scan = Scan::new(text);
        let index = &*INDEX;
        let mut out: Option<String> = None;
        let mut flushed = 0;
        let mut place = 0;
        while let Some(byte) = scan.bytes.get(place) {
            let trigger = index.triggers.get(usize::from(*byte)).copied().unwrap_or(0);
            if trigger == 0 || trigger == PREFIX && !index.pair(*byte, at(scan.bytes, place + 1)) {
                place += 1;
                continue;
            }
            if let Some(length) = mark_length(scan.bytes, place) {
                place += length;
                continue;
            }
            let Some(change) = self.detect(&mut scan, place, trigger, flushed) else {
                place += 1;
                continue;
            };
            let (start, end) = change.range();
            // What starts before the last finding ends was scanned already.
            let start = start.max(flushed);
            let (Some(kept), true) = (text.get(flushed..start), end > place && text.is_char_boundary(end))
            else {
                place += 1;
                continue;
            };
            let out = out.get_or_insert_with(|| String::with_capacity(text.len()));
            out.push_str(kept);
            self.write(out, &scan, &change, start);
            flushed = end;
            place = end;
        }
        let mut out = out?;
        out.push_str(text.get(flushed..).unwrap_or_default());
        Some(out)
    }

    fn detect(&self, scan: &mut Scan<'_>, place: usize, trigger: u8, flushed: usize) -> Option<Change> {
        if trigger & PREFIX != 0
            && let Some(found) = scan
                .key_at(place)
                .or_else(|| structured::json_web_token(scan, place))
                .or_else(|| structured::bearer(scan, place))
                .or_else(|| assignments::told(scan, place))
                .or_else(|| assignments::beside(scan, place))
        {
            return Some(Change::Secret(found));
        }
        if at(scan.bytes, place) == foreign::SIGN_LEAD {
            return assignments::assigned(scan, place).map(Change::Secret);
        }
        if trigger & STRUCTURE == 0 {
            return None;
        }
        let secret = match at(scan.bytes, place) {
            b'=' => assignments::assigned(scan, place),
            b':' => {
                if let Some(address) = structured::address(scan, place) {
                    scan.address_until = scan.address_until.max(address.until);
                    if let Some(found) = address.password {
                        return Some(Change::Secret(found));
                    }
                }
                structured::telegram_token(scan, place).or_else(|| assignments::assigned(scan, place))
            }
            b'-' => {
                tables::opened(scan, place);
                private_keys::find(scan, place, flushed)
                    .or_else(|| assignments::flagged(scan, place))
                    .or_else(|| commands::flagged(scan, place))
            }
            b'|' | b'\n' => tables::cell(scan, place),
            b'.' => structured::discord_token(scan, place),
            b'>' => assignments::enclosed(scan, place),
            _ => None,
        };
        secret.map(Change::Secret).or_else(|| self.places.find(scan, place).map(Change::Path))
    }

    fn write(&mut self, out: &mut String, scan: &Scan<'_>, change: &Change, start: usize) {
        match change {
            Change::Secret(found) => {
                let number = self.number(found.family as u8, scan.slice(start, found.end));
                out.push_str(&format!("[secret:{}#{number}]", found.family.name()));
            }
            Change::Path(PathFound::Inside { text, .. }) => out.push_str(text),
            Change::Path(PathFound::Outside { end, .. }) => {
                let number = self.number(PATHS, scan.slice(start, *end));
                out.push_str(&format!("[path#{number}]"));
            }
        }
    }

    /// The number of a secret or path in its slot; 0 when the table is full.
    fn number(&mut self, slot: u8, value: &[u8]) -> u32 {
        let mut hasher = DefaultHasher::new();
        for byte in value.iter().filter(|byte| !byte.is_ascii_whitespace()) {
            byte.hash(&mut hasher);
        }
        let key = (slot, hasher.finish());
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        if self.numbers.len() >= MOST_REMEMBERED {
            return 0;
        }
        let number = self.given.entry(slot).or_insert(0);
        *number = number.saturating_add(1);
        let number = *number;
        self.numbers.insert(key, number);
        number
    }
}

/// One change to the text.
enum Change {
    Secret(Found),
    Path(PathFound),
}

impl Change {
    fn range(&self) -> (usize, usize) {
        match self {
            Self::Secret(found) => (found.start, found.end),
            Self::Path(PathFound::Inside { start, end, .. } | PathFound::Outside { start, end }) => {
                (*start, *end)
            }
        }
    }
}

/// Length of the mark that starts at `place`, if one does.
fn mark_length(bytes: &[u8], place: usize) -> Option<usize> {
    let name = if starts_with(bytes, place, b"[secret:") {
        let from = place + b"[secret:".len();
        let family = FAMILIES.iter().find(|family| {
            starts_with(bytes, from, family.name.as_bytes()) && at(bytes, from + family.name.len()) == b'#'
        })?;
        from + family.name.len()
    } else if starts_with(bytes, place, b"[path#") {
        place + b"[path".len()
    } else {
        return None;
    };
    let digits = (1..=11).take_while(|step| at(bytes, name + step).is_ascii_digit()).count();
    let end = name + 1 + digits;
    ((1..=10).contains(&digits) && at(bytes, end) == b']').then_some(end + 1 - place)
}
