//! What the worker's model still sees of the conversation, newest part only: needed when history is rewritten.

use super::author::is_conversation;
use super::raw::Replaces;
use std::collections::VecDeque;
use suggest_core::Event;

/// The most bytes of text that are kept to be told again after a rewrite. A slice has at most 200,000 characters.
const MAX_BYTES: usize = 1024 * 1024;

/// The most nodes that are kept.
const MAX_NODES: usize = 4096;

/// The newest nodes of the surface, in the order in which the worker's model sees them.
#[derive(Debug, Default)]
pub(crate) struct Surface {
    nodes: VecDeque<Node>,
    bytes: usize,
}

/// One node.
#[derive(Debug)]
struct Node {
    seq: u64,
    /// What to tell again; `None` for nodes that mean nothing to the core.
    event: Option<Event>,
}

/// What a replacement took away.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Replaced {
    /// Whether messages of the conversation were among it.
    pub(crate) conversation: bool,
    /// The number of the first chapter among it.
    pub(crate) chapter: Option<u64>,
}

impl Surface {
    /// Adds a node at the end.
    pub(crate) fn append(&mut self, seq: u64, event: Option<Event>) {
        self.insert(self.nodes.len(), seq, event);
    }

    /// What a replacement would take away.
    pub(crate) fn peek(&self, range: Replaces) -> Replaced {
        let cover = self.resolve(range);
        let mut replaced = Replaced::default();
        for node in self
            .nodes
            .iter()
            .enumerate()
            .filter_map(|(index, node)| cover.covers(index, node).then_some(node))
        {
            match &node.event {
                Some(Event::Message(message)) => replaced.conversation |= is_conversation(message.author),
                Some(Event::Chapter(chapter)) => {
                    replaced.conversation = true;
                    replaced.chapter = replaced.chapter.or(Some(chapter.number));
                }
                _ => {}
            }
        }
        replaced
    }

    /// Puts a node in the place of a range.
    pub(crate) fn replace(&mut self, range: Replaces, seq: u64, event: Option<Event>) {
        let cover = self.resolve(range);
        let mut place = None;
        let mut index = 0;
        self.nodes.retain(|node| {
            let covered = cover.covers(index, node);
            if covered && place.is_none() {
                place = Some(index);
            }
            index = index.saturating_add(1);
            !covered
        });
        self.bytes = self.nodes.iter().map(Node::bytes).sum();
        self.insert(place.unwrap_or(0), seq, event);
    }

    /// Everything that is left, in order. Ids are left out: what is told again is no repetition to be ignored.
    pub(crate) fn told_again(&self) -> impl Iterator<Item = Event> + '_ {
        self.nodes.iter().filter_map(|node| node.event.clone()).map(|mut event| {
            if let Event::Message(message) = &mut event {
                message.id = None;
            }
            event
        })
    }

    /// A range is meant by position where both ends are known. Else its start is older than what is kept, and so is
    /// everything before its end.
    fn resolve(&self, range: Replaces) -> Cover {
        let position = |seq: u64| self.nodes.iter().position(|node| node.seq == seq);
        match (position(range.start), position(range.end)) {
            (start, Some(end)) => Cover::Positions(start.unwrap_or(0), end),
            (Some(_), None) => Cover::Numbers(range.start, range.end),
            (None, None) => Cover::Numbers(0, range.end),
        }
    }

    fn insert(&mut self, place: usize, seq: u64, event: Option<Event>) {
        let node = Node { seq, event };
        self.bytes = self.bytes.saturating_add(node.bytes());
        self.nodes.insert(place.min(self.nodes.len()), node);
        while self.nodes.len() > 1 && (self.bytes > MAX_BYTES || self.nodes.len() > MAX_NODES) {
            if let Some(oldest) = self.nodes.pop_front() {
                self.bytes = self.bytes.saturating_sub(oldest.bytes());
            }
        }
    }
}

/// Which nodes a replacement covers; both ends are included.
#[derive(Debug, Clone, Copy)]
enum Cover {
    Positions(usize, usize),
    Numbers(u64, u64),
}

impl Cover {
    fn covers(self, index: usize, node: &Node) -> bool {
        match self {
            Self::Positions(start, end) => (start..=end).contains(&index),
            Self::Numbers(start, end) => (start..=end).contains(&node.seq),
        }
    }
}

impl Node {
    fn bytes(&self) -> usize {
        match &self.event {
            Some(Event::Message(message)) => message.text.len(),
            Some(Event::Chapter(chapter)) => chapter.summary.len(),
            Some(Event::Tool(tool)) => tool.summary.as_ref().map_or(0, String::len),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use suggest_core::{Author, Message};

    fn message(text: &str) -> Option<Event> {
        Some(Event::Message(Message { id: Some(text.to_owned()), ..Message::new(Author::Human, text) }))
    }

    fn texts(surface: &Surface) -> Vec<String> {
        let text = |event| match event {
            Event::Message(message) => message.text,
            other => format!("{other:?}"),
        };
        surface.told_again().map(text).collect()
    }

    #[test]
    fn a_replacement_takes_the_place_of_its_range_by_position() {
        let mut surface = Surface::default();
        for (seq, text) in [(7, "a"), (8, "b"), (9, "c"), (10, "d")] {
            surface.append(seq, message(text));
        }
        surface.replace(Replaces { start: 8, end: 9 }, 20, message("bc"));
        assert_eq!(texts(&surface), ["a", "bc", "d"]);
        // 20 stands between 7 and 10, whatever its number.
        surface.replace(Replaces { start: 7, end: 20 }, 21, message("abc"));
        assert_eq!(texts(&surface), ["abc", "d"]);
    }

    #[test]
    fn a_range_that_began_before_what_is_kept_reaches_to_its_end() {
        let mut surface = Surface::default();
        surface.append(50, message("a"));
        surface.append(60, message("b"));
        surface.append(70, None);
        assert!(surface.peek(Replaces { start: 3, end: 60 }).conversation);
        assert!(!surface.peek(Replaces { start: 70, end: 70 }).conversation);
        surface.replace(Replaces { start: 3, end: 60 }, 80, message("sum"));
        assert_eq!(texts(&surface), ["sum"]);
    }

    #[test]
    fn what_is_kept_is_bounded_and_never_empty() {
        let mut surface = Surface::default();
        for seq in 0..10 {
            surface.append(seq, message(&"x".repeat(MAX_BYTES / 4)));
        }
        assert_eq!(surface.nodes.len(), 4);
        surface.append(11, message(&"x".repeat(MAX_BYTES * 2)));
        assert_eq!(surface.nodes.len(), 1);
        for seq in 12..10_000 {
            surface.append(seq, None);
        }
        assert!(surface.nodes.len() <= MAX_NODES);
    }
}
