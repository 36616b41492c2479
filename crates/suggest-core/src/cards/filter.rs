//! Which candidates become cards, and why the others do not (rule C3).

use super::generic::is_generic;
use super::manager::{CardManager, DropReason, NewCard};
use super::names::SessionNames;
use super::parse::{Candidate, Parsed};
use super::similar::Gist;
use crate::event::{Author, PlanStatus};
use crate::facts::SessionFacts;
use crate::ids::Turn;
use crate::state::CardOrigin;
use std::collections::BTreeMap;

/// The most cards of one generation.
pub(crate) const MOST_CARDS: usize = 3;
/// A task longer than this says so much that nearly every step is a part of its words.
const LONG_TASK_CHARS: usize = 400;

/// What came of judging candidates.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    pub(crate) cards: Vec<NewCard>,
    pub(crate) dropped: BTreeMap<DropReason, u32>,
}

impl Judged {
    fn drop_for(&mut self, reason: DropReason, count: u32) {
        if count > 0 {
            let counted = self.dropped.entry(reason).or_default();
            *counted = counted.saturating_add(count);
        }
    }

    /// Whether the answer was malformed, empty or only generic, so that the fallback speaks (rule C5).
    pub(crate) fn says_nothing(&self) -> bool {
        let usable = |reason: &DropReason| !matches!(reason, DropReason::Generic | DropReason::Malformed);
        self.cards.is_empty() && !self.dropped.keys().any(usable)
    }
}

/// The work that a suggestion must not repeat.
#[derive(Debug)]
pub(crate) struct DoneWork {
    works: Vec<(Gist, bool)>,
    /// The files that were touched by it.
    files: Vec<String>,
}

impl DoneWork {
    pub(crate) fn of(facts: &SessionFacts) -> Self {
        let prompts = facts.recent_human.iter().map(String::as_str);
        let messages = facts
            .messages
            .iter()
            .filter(|message| matches!(message.author, Author::Human | Author::Suggest))
            .map(|message| message.text.as_str());
        let plan = facts
            .plan
            .iter()
            .filter(|item| item.status == PlanStatus::Completed)
            .map(|item| item.text.as_str());
        let works = prompts
            .chain(messages)
            .chain(plan)
            .filter(|text| !text.trim().is_empty())
            .map(|text| (Gist::of(text), text.chars().count() <= LONG_TASK_CHARS))
            .collect();
        Self { works, files: facts.touched_files.to_vec() }
    }

    pub(crate) fn repeats(&self, title: &str, prompt: &str) -> bool {
        // Naming a file in which the work was done makes no other work of it.
        let bare = self.files.iter().fold(prompt.to_owned(), |text, file| text.replace(file.as_str(), ""));
        let (title, prompt, bare) = (Gist::of(title), Gist::of(prompt), Gist::of(&bare));
        self.works.iter().any(|(work, short)| {
            [&title, &prompt, &bare].into_iter().any(|gist| gist.same_as(work))
                || *short && prompt.is_part_of(work)
        })
    }
}

/// Judges what a model answered.
pub(crate) fn judge(
    parsed: Parsed,
    facts: &SessionFacts,
    manager: &CardManager,
    session: &str,
    turn: Turn,
) -> Judged {
    let names = SessionNames::of(facts);
    let done = DoneWork::of(facts);
    let mut judged = Judged::default();
    judged.drop_for(DropReason::Malformed, parsed.malformed);
    let mut candidates = parsed.candidates;
    // The sort is stable: of equal ones, the first stays first.
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.priority));
    let mut taken: Vec<Gist> = Vec::new();
    for candidate in candidates {
        let gist = Gist::of(&candidate.prompt);
        let Candidate { title, text, prompt, category, priority } = candidate;
        let files = facts.touched_files.iter().filter(|file| mentions(&prompt, file)).cloned().collect();
        let card = NewCard::new(title, text, prompt)
            .with_rank(category, priority)
            .written_by(CardOrigin::Model, turn)
            .about_files(files);
        let reason = if is_generic(&card.title, &card.prompt, &names) {
            Some(DropReason::Generic)
        } else if done.repeats(&card.title, &card.prompt) {
            Some(DropReason::Done)
        } else if taken.iter().any(|other| other.same_as(&gist)) {
            Some(DropReason::Duplicate)
        } else {
            manager.why_not(session, &card)
        };
        match reason {
            Some(reason) => judged.drop_for(reason, 1),
            None if judged.cards.len() < MOST_CARDS => {
                taken.push(gist);
                judged.cards.push(card);
            }
            // One good card too many is no fault of its own.
            None => taken.push(gist),
        }
    }
    judged
}

/// Whether a text names a file, by its path or its last part.
pub(crate) fn mentions(text: &str, file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    text.contains(file) || name.contains('.') && text.contains(name)
}
