//! Where the newest of many things stand, in bounded memory.

use std::collections::{HashMap, VecDeque};

/// The places of the newest keys. Looking one up costs the same however many there are.
#[derive(Debug)]
pub(crate) struct Remembered {
    places: HashMap<u64, u64>,
    order: VecDeque<u64>,
    most: usize,
}

impl Remembered {
    /// Remembers so many; the oldest is forgotten first.
    pub(crate) fn new(most: usize) -> Self {
        Self { places: HashMap::new(), order: VecDeque::new(), most }
    }

    /// Notes a key. False if it was noted before: then its first place stays.
    pub(crate) fn note(&mut self, key: u64, at: u64) -> bool {
        if self.places.contains_key(&key) {
            return false;
        }
        if self.order.len() >= self.most
            && let Some(oldest) = self.order.pop_front()
        {
            self.places.remove(&oldest);
        }
        self.places.insert(key, at);
        self.order.push_back(key);
        true
    }

    /// The place of a key.
    pub(crate) fn place(&self, key: u64) -> Option<u64> {
        self.places.get(&key).copied()
    }

    /// Every key that is remembered, oldest first.
    pub(crate) fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        self.order.iter().copied()
    }

    /// Forgets what stands at or behind a place.
    pub(crate) fn forget_from(&mut self, place: u64) {
        self.places.retain(|_, at| *at < place);
        self.order.retain(|key| self.places.contains_key(key));
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.order.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_remembered_and_a_rewind_forgets_what_it_took_away() {
        let mut places = Remembered::new(3);
        assert!([(10, 1), (20, 2), (30, 3), (40, 4)].into_iter().all(|(key, at)| places.note(key, at)));
        assert!(!places.note(40, 9));
        assert_eq!((places.place(10), places.place(20), places.place(40)), (None, Some(2), Some(4)));
        places.forget_from(3);
        assert_eq!(places.keys().collect::<Vec<_>>(), [20]);
        assert!(places.note(40, 5));
        places.clear();
        assert_eq!(places.place(20), None);
    }
}
