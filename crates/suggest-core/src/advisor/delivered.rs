//! What was said already: nearly equal notes are said once (rule V3).

use super::note::is_unspaced;
use crate::answer::fold_for_echo;
use crate::state::Severity;
use std::collections::{BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hasher as _};

/// Notes that are remembered; the oldest is forgotten first.
const REMEMBERED: usize = 512;

/// The notes delivered in a session, as sets of hashes of their words.
#[derive(Debug, Default)]
pub(super) struct Delivered {
    notes: VecDeque<(Severity, BTreeSet<u64>)>,
}

impl Delivered {
    pub(super) fn remember(&mut self, severity: Severity, note: &str) {
        if self.notes.len() == REMEMBERED {
            self.notes.pop_front();
        }
        self.notes.push_back((severity, features(note)));
    }

    /// Whether a nearly equal note was delivered at the same or a higher severity.
    pub(super) fn holds(&self, severity: Severity, note: &str) -> bool {
        let words = features(note);
        self.notes.iter().any(|(delivered, known)| *delivered >= severity && alike(known, &words))
    }
}

/// Jaccard similarity of at least 0.8.
fn alike(a: &BTreeSet<u64>, b: &BTreeSet<u64>) -> bool {
    let common = a.intersection(b).count();
    let all = a.len().saturating_add(b.len()).saturating_sub(common);
    all > 0 && common.saturating_mul(5) >= all.saturating_mul(4)
}

/// The words of a note, folded; of runs in scripts without spaces their pairs of characters.
fn features(note: &str) -> BTreeSet<u64> {
    let folded = fold_for_echo(note);
    let mut set = BTreeSet::new();
    let mut word = String::new();
    let mut run: Vec<char> = Vec::new();
    for c in folded.chars().chain([' ']) {
        if is_unspaced(c) {
            run.push(c);
        } else {
            add_run(&mut set, &mut run);
        }
        if is_unspaced(c) || c.is_whitespace() {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            if !bare.is_empty() {
                set.insert(hash(bare));
            }
            word.clear();
        } else {
            word.push(c);
        }
    }
    set
}

fn add_run(set: &mut BTreeSet<u64>, run: &mut Vec<char>) {
    if let [one] = run.as_slice() {
        set.insert(hash(one));
    }
    set.extend(run.windows(2).map(hash));
    run.clear();
}

fn hash(value: impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
