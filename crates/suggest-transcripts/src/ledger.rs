//! The prompts that we started ourselves.

use std::collections::HashSet;

/// The prompts that autorun submitted, as hashes: where a harness's log cannot carry who wrote a prompt, this ledger
/// tells a round of ours from a prompt of the person (rule A7). It holds no text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnPrompts(HashSet<u64>);

impl OwnPrompts {
    /// Adds a prompt.
    pub fn insert(&mut self, prompt: &str) {
        self.0.insert(prompt_hash(prompt));
    }

    /// Whether a prompt is one of ours.
    #[must_use]
    pub fn contains(&self, prompt: &str) -> bool {
        !self.0.is_empty() && self.0.contains(&prompt_hash(prompt))
    }
}

impl FromIterator<u64> for OwnPrompts {
    /// A ledger from hashes that [`prompt_hash`] made.
    fn from_iter<I: IntoIterator<Item = u64>>(hashes: I) -> Self {
        Self(hashes.into_iter().collect())
    }
}

/// The hash under which a prompt stands in the ledger: the same in every process and version, and blind to the white
/// space that harnesses put around a prompt or fold inside it.
#[must_use]
pub fn prompt_hash(prompt: &str) -> u64 {
    let mut words = prompt.split_whitespace();
    let mut hash = fnv(FNV_START, words.next().unwrap_or_default());
    for word in words {
        hash = fnv(fnv(hash, " "), word);
    }
    hash
}

/// A hash of an id or a text that is stable over processes.
pub(crate) fn stable_hash(text: &str) -> u64 {
    fnv(FNV_START, text)
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

fn fnv(start: u64, text: &str) -> u64 {
    text.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_known_again_whatever_white_space_the_harness_put_around_it() {
        let mut own = OwnPrompts::default();
        assert!(!own.contains("Run the tests."));
        own.insert("Run the tests.\nThen commit.");
        assert!(own.contains("  Run the tests. Then commit.\n"));
        assert!(!own.contains("Run the test. Then commit."));
        let again: OwnPrompts = [prompt_hash("Run the tests.\nThen commit.")].into_iter().collect();
        assert_eq!(again, own);
    }

    #[test]
    fn the_hash_never_changes_because_ledgers_are_kept_on_disk() {
        assert_eq!(prompt_hash("Run the tests."), 0xd304_9fa6_d8f8_a5b2);
    }
}
