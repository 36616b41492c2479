//! The newest chapter summaries within a quarter of the budget (rule S2).

use crate::defuse::shorten_middle;
use std::collections::VecDeque;

/// One chapter, ready for the slice.
#[derive(Debug)]
struct Kept {
    number: u64,
    line: String,
    chars: usize,
}

#[derive(Debug)]
pub(crate) struct Chapters {
    kept: VecDeque<Kept>,
    chars: usize,
    budget: usize,
}

impl Chapters {
    pub(super) fn new(context_chars: usize) -> Self {
        Self { kept: VecDeque::new(), chars: 0, budget: context_chars / 4 }
    }

    pub(super) fn set_budget(&mut self, context_chars: usize) {
        self.budget = context_chars / 4;
        self.shrink();
    }

    pub(super) fn push(&mut self, number: u64, title: &str, summary: &str) {
        let line = match (title.trim(), summary.trim()) {
            ("", "") => return,
            ("", summary) => format!("{number}. {summary}"),
            (title, "") => format!("{number}. {title}"),
            (title, summary) => format!("{number}. {title}: {summary}"),
        };
        let line = shorten_middle(&line, self.budget);
        let same = self.kept.iter().position(|kept| kept.number == number);
        if let Some(old) = same.and_then(|at| self.kept.remove(at)) {
            self.chars = self.chars.saturating_sub(old.chars);
        }
        let chars = line.chars().count();
        self.chars = self.chars.saturating_add(chars);
        let at = self.kept.iter().position(|kept| kept.number > number).unwrap_or(self.kept.len());
        self.kept.insert(at, Kept { number, line, chars });
        self.shrink();
    }

    fn shrink(&mut self) {
        while self.chars > self.budget && self.kept.len() > 1 {
            let Some(old) = self.kept.pop_front() else { break };
            self.chars = self.chars.saturating_sub(old.chars);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The chapters' lines, oldest first.
    pub(crate) fn lines(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.kept.iter().map(|kept| kept.line.as_str())
    }
}
