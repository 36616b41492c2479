//! Message ids that came lately, so that a message that a host tells twice is folded once.

use std::collections::VecDeque;

const KEPT: usize = 256;

/// Hashes of the newest ids. Two ids that share a 64-bit hash within the window would be taken for one.
#[derive(Debug, Default)]
pub(super) struct SeenIds {
    hashes: VecDeque<u64>,
}

impl SeenIds {
    pub(super) fn contains(&self, id: &str) -> bool {
        self.hashes.contains(&fnv1a(id.as_bytes()))
    }

    /// Whether the id is new; remembers it.
    pub(super) fn insert(&mut self, id: &str) -> bool {
        let hash = fnv1a(id.as_bytes());
        if self.hashes.contains(&hash) {
            return false;
        }
        if self.hashes.len() == KEPT {
            self.hashes.pop_front();
        }
        self.hashes.push_back(hash);
        true
    }
}

/// A hash that is the same in every process (rule S3); nothing here defends against chosen collisions.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
