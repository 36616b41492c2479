//! Where the records of a tree-shaped session stand.

use crate::ledger::stable_hash;
use crate::remembered::Remembered;

/// The most records whose place is remembered: some megabytes, whatever the length of the session.
const MAX_RECORDS: usize = 65_536;

/// The places of the newest records by their id.
#[derive(Debug)]
pub(crate) struct Tree {
    places: Remembered,
    last_prompt: Option<u64>,
}

impl Default for Tree {
    fn default() -> Self {
        Self { places: Remembered::new(MAX_RECORDS), last_prompt: None }
    }
}

/// Where a prompt hangs on what was read before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Branch {
    /// At the end: nothing was rewound.
    Tip,
    /// Behind the record at this place: everything after it is dead.
    Behind(u64),
    /// Before everything that is known: all of it is dead.
    Root,
    /// Behind a record that was not seen or is forgotten: what was read is dead, and what holds is not known.
    Unseen,
}

impl Tree {
    /// Notes a record. False if it was noted before: a fork or a resumption repeats old lines.
    pub(crate) fn note(&mut self, id: &str, at: u64) -> bool {
        self.places.note(stable_hash(id), at)
    }

    /// The place of a record.
    pub(crate) fn place(&self, id: &str) -> Option<u64> {
        self.places.place(stable_hash(id))
    }

    /// Notes a prompt and says where it hangs. Records of one turn branch for other reasons, such as tools that ran
    /// side by side; only a prompt that hangs above an earlier prompt is a rewind.
    pub(crate) fn prompt(&mut self, parent: Option<&str>, at: u64) -> Branch {
        let branch = match (self.last_prompt, parent) {
            (None, _) => Branch::Tip,
            (Some(_), None) => Branch::Root,
            (Some(last), Some(parent)) => match self.place(parent) {
                Some(place) if place >= last => Branch::Tip,
                Some(place) => Branch::Behind(place),
                None => Branch::Unseen,
            },
        };
        self.last_prompt = Some(at);
        branch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_prompt_above_an_earlier_prompt_is_a_rewind() {
        let mut tree = Tree::default();
        assert!(tree.note("a", 1));
        assert_eq!(tree.prompt(None, 1), Branch::Tip);
        assert!(tree.note("answer", 2) && tree.note("b", 3));
        assert_eq!(tree.prompt(Some("answer"), 3), Branch::Tip);
        assert!(tree.note("other", 4) && tree.note("c", 5));
        assert_eq!(tree.prompt(Some("answer"), 5), Branch::Behind(2));
        assert_eq!(tree.prompt(None, 6), Branch::Root);
        assert_eq!(tree.prompt(Some("before the tail"), 7), Branch::Unseen);
        assert!(!tree.note("a", 8));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut tree = Tree::default();
        for number in 0..70_000_u64 {
            tree.note(&number.to_string(), number);
        }
        assert_eq!(tree.places.keys().count(), MAX_RECORDS);
        assert_eq!((tree.place("0"), tree.place("69999")), (None, Some(69_999)));
    }
}
