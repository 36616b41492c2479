//! What the worker did besides talking: its plan, its tools, the files that they touched. Hints only.

use crate::defuse::shorten_middle;
use crate::event::PlanItem;
use crate::facts::ToolFact;
use crate::text::keep_end;
use std::collections::VecDeque;

/// Plan items kept.
pub(super) const PLAN_ITEMS: usize = 50;
/// Files kept of one tool call.
pub(super) const FILES_PER_TOOL: usize = 20;
const ITEM_CHARS: usize = 300;
const NAME_CHARS: usize = 80;
const SUMMARY_CHARS: usize = 1_000;
const TOOLS: usize = 32;
const TOOLS_CHARS: usize = 8_000;
const TOUCHED_FILES: usize = 64;
const PATH_CHARS: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct Activity {
    plan: Vec<PlanItem>,
    tools: VecDeque<ToolFact>,
    tool_chars: usize,
    touched: VecDeque<String>,
}

pub(super) fn bounded_name(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(NAME_CHARS).collect()
}

/// The end of a tool's summary: failures stand at the end of what tools print.
pub(super) fn bounded_end(summary: &str) -> String {
    keep_end(summary, SUMMARY_CHARS).0
}

pub(super) fn bounded_item(text: &str) -> String {
    shorten_middle(text, ITEM_CHARS)
}

fn cost(fact: &ToolFact) -> usize {
    fact.summary.as_ref().map_or(0, |summary| summary.chars().count())
        + fact.files.iter().map(|file| file.chars().count()).sum::<usize>()
        + fact.name.chars().count()
}

impl Activity {
    pub(super) fn push(&mut self, mut fact: ToolFact) {
        fact.files.retain(|file| file.chars().count() <= PATH_CHARS);
        for file in &fact.files {
            self.touched.retain(|known| known != file);
            if self.touched.len() == TOUCHED_FILES {
                self.touched.pop_front();
            }
            self.touched.push_back(file.clone());
        }
        self.tool_chars += cost(&fact);
        self.tools.push_back(fact);
        while self.tools.len() > TOOLS || (self.tool_chars > TOOLS_CHARS && self.tools.len() > 1) {
            let Some(old) = self.tools.pop_front() else { break };
            self.tool_chars = self.tool_chars.saturating_sub(cost(&old));
        }
    }

    pub(super) fn set_plan(&mut self, plan: Vec<PlanItem>) {
        self.plan = plan;
    }

    pub(crate) fn plan(&self) -> &[PlanItem] {
        &self.plan
    }

    pub(crate) fn tools(&self) -> impl DoubleEndedIterator<Item = &ToolFact> {
        self.tools.iter()
    }

    pub(crate) fn touched(&self) -> impl DoubleEndedIterator<Item = &String> {
        self.touched.iter()
    }
}
