//! The dismissals: thousands of them, of which nearly all stay as they are from one change to the next.

use super::record::{Dismissal, Fingerprint};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

/// So many dismissals stand together.
const TOGETHER: usize = 128;

/// Dismissals, oldest first. A clone shares all but the newest few, and what is written of the shared ones is made once:
/// a change of one card costs the same whether ten or ten thousand were dismissed before it.
#[derive(Debug, Clone, Default)]
pub struct Dismissals {
    full: VecDeque<Arc<Chunk>>,
    /// How many at the beginning of the first chunk are gone.
    gone: usize,
    /// The newest, fewer than a chunk.
    newest: Vec<Dismissal>,
}

/// As many dismissals as stand together, never changed again.
#[derive(Debug)]
struct Chunk {
    items: Vec<Dismissal>,
    /// Sorted.
    fingerprints: Vec<Fingerprint>,
    /// The items as JSON, with commas between them.
    written: OnceLock<Vec<u8>>,
}

impl Chunk {
    fn new(items: Vec<Dismissal>) -> Self {
        let mut fingerprints: Vec<Fingerprint> = items.iter().map(|item| item.fingerprint).collect();
        fingerprints.sort_unstable();
        Self { items, fingerprints, written: OnceLock::new() }
    }
}

impl Dismissals {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        (self.full.len() * TOGETHER).saturating_sub(self.gone) + self.newest.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of them, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Dismissal> {
        self.full.iter().flat_map(|chunk| &chunk.items).skip(self.gone).chain(&self.newest)
    }

    /// Whether this content was dismissed.
    #[must_use]
    pub fn contains(&self, fingerprint: Fingerprint) -> bool {
        let mut chunks = self.full.iter();
        let first = chunks.next().is_some_and(|chunk| {
            chunk.items.iter().skip(self.gone).any(|item| item.fingerprint == fingerprint)
        });
        first
            || self.newest.iter().any(|item| item.fingerprint == fingerprint)
            || chunks.any(|chunk| chunk.fingerprints.binary_search(&fingerprint).is_ok())
    }

    /// Adds one, the newest now.
    pub fn push(&mut self, dismissal: Dismissal) {
        self.newest.push(dismissal);
        if self.newest.len() == TOGETHER {
            self.full.push_back(Arc::new(Chunk::new(std::mem::take(&mut self.newest))));
        }
    }

    /// Forgets the oldest until at most so many are left.
    pub(super) fn keep_newest(&mut self, most: usize) {
        let over = self.len().saturating_sub(most);
        self.gone += over;
        while self.gone >= TOGETHER && self.full.pop_front().is_some() {
            self.gone -= TOGETHER;
        }
        if self.full.is_empty() {
            self.newest.drain(..self.gone.min(self.newest.len()));
            self.gone = 0;
        }
    }

    /// Writes them as a JSON list.
    ///
    /// # Errors
    /// When a field that another version wrote cannot be written.
    pub fn write_json(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        out.push(b'[');
        for (number, chunk) in self.full.iter().enumerate() {
            let gone = if number == 0 { self.gone } else { 0 };
            comma(out);
            if gone > 0 {
                write_items(chunk.items.iter().skip(gone), out)?;
            } else if let Some(written) = chunk.written.get() {
                out.extend_from_slice(written);
            } else {
                let mut written = Vec::new();
                write_items(chunk.items.iter(), &mut written)?;
                out.extend_from_slice(&written);
                // Whoever was quicker wrote the same.
                let _ = chunk.written.set(written);
            }
        }
        if !self.newest.is_empty() {
            comma(out);
            write_items(self.newest.iter(), out)?;
        }
        out.push(b']');
        Ok(())
    }
}

/// A comma behind anything but the beginning of the list.
fn comma(out: &mut Vec<u8>) {
    if out.last() != Some(&b'[') {
        out.push(b',');
    }
}

fn write_items<'d>(items: impl Iterator<Item = &'d Dismissal>, out: &mut Vec<u8>) -> serde_json::Result<()> {
    for (number, item) in items.enumerate() {
        if number > 0 {
            out.push(b',');
        }
        serde_json::to_writer(&mut *out, item)?;
    }
    Ok(())
}

impl FromIterator<Dismissal> for Dismissals {
    fn from_iter<I: IntoIterator<Item = Dismissal>>(items: I) -> Self {
        let mut dismissals = Self::default();
        items.into_iter().for_each(|item| dismissals.push(item));
        dismissals
    }
}

impl PartialEq for Dismissals {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Dismissals {}

impl Serialize for Dismissals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Dismissals {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<Dismissal>::deserialize(deserializer).map(|items| items.into_iter().collect())
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Dismissals {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Dismissals".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Vec::<Dismissal>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dismissal(number: usize) -> Dismissal {
        let id = format!("s-{number}");
        Dismissal { fingerprint: Fingerprint::of(&id), id, at: 7, unknown: Default::default() }
    }

    proptest! {
        /// They are a list, whatever stands together inside.
        #[test]
        fn they_behave_as_a_plain_list_that_forgets_its_oldest_c6(
            steps in prop::collection::vec((0_usize..300, 1_usize..500), 1..12)
        ) {
            let (mut plain, mut ours) = (Vec::new(), Dismissals::default());
            let mut number = 0;
            for (more, most) in steps {
                for _ in 0..more {
                    plain.push(dismissal(number));
                    ours.push(dismissal(number));
                    number += 1;
                }
                plain.drain(..plain.len().saturating_sub(most));
                ours.keep_newest(most);
                prop_assert_eq!(ours.len(), plain.len());
                prop_assert!(ours.iter().eq(plain.iter()));
                let shared = ours.clone();
                let mut written = Vec::new();
                shared.write_json(&mut written).unwrap();
                prop_assert_eq!(&written, &serde_json::to_vec(&plain).unwrap());
                prop_assert_eq!(&written, &serde_json::to_vec(&ours).unwrap());
                let again: Dismissals = serde_json::from_slice(&written).unwrap();
                prop_assert_eq!(&again, &ours);
                for item in &plain {
                    prop_assert!(ours.contains(item.fingerprint));
                }
                let oldest_gone = number.checked_sub(plain.len() + 1).map(dismissal);
                prop_assert!(oldest_gone.is_none_or(|gone| !ours.contains(gone.fingerprint)));
            }
        }
    }
}
