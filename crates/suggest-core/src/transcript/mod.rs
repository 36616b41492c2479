//! The bounded view of a session that all voices share. Events fold into it as they come; memory is bounded by
//! configuration, never by the length of the session (rule S5).
//!
//! Every text is defused, then scrubbed, then cut, once, when it is folded; only the result is kept (rule S4).

mod activity;
mod chapters;
mod seen;
mod tail;

pub(crate) use tail::{Entry, Speaker};

use crate::answer::fold_for_echo;
use crate::defuse::defuse;
use crate::event::{Author, Chapter, Message, PlanItem, Tool};
use crate::facts::ToolFact;
use crate::ids::Turn;
use crate::scrub::Scrubber;
use activity::Activity;
use chapters::Chapters;
use seen::SeenIds;
use std::collections::VecDeque;
use tail::Tail;

/// Human prompts that an answer must not repeat (rule D7).
const ECHO_PROMPTS: usize = 3;
/// An echo of a longer prompt cannot fit into an answer, whatever its cap.
const ECHO_CHARS: usize = 4_200;

/// What came of folding a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folded {
    /// A message with an id that was seen lately: nothing happened.
    Duplicate,
    /// It was folded.
    Yes,
}

#[derive(Debug)]
pub(crate) struct Transcript {
    scrubber: Scrubber,
    tail: Tail,
    chapters: Chapters,
    activity: Activity,
    echo: VecDeque<String>,
    seen: SeenIds,
}

impl Transcript {
    pub(crate) fn new(workspace: Option<&str>, home: Option<&str>, context_chars: usize) -> Self {
        Self {
            scrubber: Scrubber::new(workspace, home),
            tail: Tail::new(context_chars),
            chapters: Chapters::new(context_chars),
            activity: Activity::default(),
            echo: VecDeque::new(),
            seen: SeenIds::default(),
        }
    }

    /// Changes the budget; a smaller one takes effect at once, a larger one as messages come.
    pub(crate) fn set_context_chars(&mut self, context_chars: usize) {
        self.tail.set_budget(context_chars);
        self.chapters.set_budget(context_chars);
    }

    /// Defuses and scrubs a text for a model or a person (rules S4, P2).
    pub(crate) fn clean(&mut self, text: &str) -> String {
        self.scrubber.scrub(&defuse(text))
    }

    /// Takes secrets and private paths out of a text, and leaves the rest as it is (rule P2).
    pub(crate) fn scrub(&mut self, text: &str) -> String {
        self.scrubber.scrub(text)
    }

    pub(crate) fn fold_message(&mut self, turn: Turn, message: &Message) -> Folded {
        if message.id.as_deref().is_some_and(|id| !self.seen.insert(id)) {
            return Folded::Duplicate;
        }
        let speaker = match message.author {
            Author::Human => Speaker::Human,
            Author::Assistant => Speaker::Assistant,
            Author::Suggest => Speaker::Autorun,
            Author::Goal => Speaker::GoalRound,

            // Nothing that hosts, plugins, commands or the advisor wrote reaches the director (rule S1).
            Author::Advisor | Author::Plugin | Author::Host | Author::Command | Author::Notice => {
                return Folded::Yes;
            }
        };
        let text = self.clean(&message.text);
        // A goal round whose text was all wrapper still shows that there was one; the goal has its own section.
        if text.trim().is_empty() && speaker != Speaker::GoalRound {
            return Folded::Yes;
        }
        if speaker == Speaker::Human {
            if self.echo.len() == ECHO_PROMPTS {
                self.echo.pop_front();
            }
            let short = text.chars().count() <= ECHO_CHARS;
            self.echo.push_back(if short { text.clone() } else { String::new() });
        }
        self.tail.push(Entry::new(turn, speaker, text));
        Folded::Yes
    }

    /// Whether a message with this one's id came lately.
    pub(crate) fn has_seen(&self, message: &Message) -> bool {
        message.id.as_deref().is_some_and(|id| self.seen.contains(id))
    }

    /// Notes that a turn ended without a message of the worker, so that nobody invents one (case: tools only).
    pub(crate) fn fold_silent_turn(&mut self, turn: Turn) {
        self.tail.push(Entry::new(turn, Speaker::Silence, String::new()));
    }

    pub(crate) fn fold_tool(&mut self, turn: Turn, tool: &Tool) {
        let fact = ToolFact {
            turn,
            name: activity::bounded_name(&tool.name),
            summary: tool.summary.as_deref().map(|summary| activity::bounded_end(&self.clean(summary))),
            files: tool
                .files
                .iter()
                .take(activity::FILES_PER_TOOL)
                .filter_map(|f| self.scrubber.scrub_path(f))
                .collect(),
            ok: tool.ok,
        };
        self.activity.push(fact);
    }

    pub(crate) fn fold_plan(&mut self, items: &[PlanItem]) {
        let plan = items
            .iter()
            .take(activity::PLAN_ITEMS)
            .map(|item| PlanItem {
                text: activity::bounded_item(&self.clean(&item.text)),
                status: item.status,
            })
            .collect();
        self.activity.set_plan(plan);
    }

    pub(crate) fn fold_chapter(&mut self, chapter: &Chapter) {
        let title = self.clean(&chapter.title);
        let summary = self.clean(&chapter.summary);
        self.chapters.push(chapter.number, &title, &summary);
    }

    /// Empties what a rewrite makes untrue: tail, echo list and hints (rule S7).
    pub(crate) fn rewrite(&mut self) {
        self.tail.clear();
        self.activity = Activity::default();
        self.echo.clear();
        self.seen = SeenIds::default();
    }

    /// Whether there is anything for a model to read.
    pub(crate) fn is_empty(&self) -> bool {
        self.tail.is_empty() && self.chapters.is_empty()
    }

    pub(crate) fn tail(&self) -> &Tail {
        &self.tail
    }

    pub(crate) fn chapters(&self) -> &Chapters {
        &self.chapters
    }

    pub(crate) fn activity(&self) -> &Activity {
        &self.activity
    }

    /// The last human prompts, oldest first (rule D7).
    pub(crate) fn echo(&self) -> Vec<String> {
        self.echo.iter().map(|prompt| fold_for_echo(prompt)).collect()
    }

    /// The newest words of the session, for telling its languages.
    pub(crate) fn language_sample(&self) -> String {
        const SAMPLE_CHARS: usize = 4_000;
        let mut sample = String::new();
        let mut left = SAMPLE_CHARS;
        for entry in self.tail.entries().rev() {
            if left == 0 {
                break;
            }
            sample.extend(entry.text.chars().take(left));
            sample.push('\n');
            left = left.saturating_sub(entry.chars);
        }
        sample
    }

    /// The last human prompts as they were folded, oldest first.
    pub(crate) fn recent_human(&self) -> impl Iterator<Item = &String> {
        self.echo.iter()
    }
}
