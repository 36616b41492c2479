//! What the scripted model says, and what it means by it.

use suggest_core::{ErrorKind, ModelReply, OfferKind, ReplyFinish};

/// What an answer has to become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// An offer with this text and kind.
    Offer(String, OfferKind),
    /// As an offer; but it repeats the human if this very text was run by hand lately.
    OfferOrEcho(String),
    Nothing,
    Invalid,
}

/// One reply with its meaning.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) reply: ModelReply,
    pub(crate) meaning: Meaning,
}

fn answer(text: String, meaning: Meaning) -> Answer {
    Answer { reply: ModelReply::text(text), meaning }
}

/// A step that was never said before.
pub(crate) fn new_step(number: u64) -> Answer {
    let text = format!("Add parser case {number} to src/parse.rs");
    answer(format!("NEXT: {text}"), Meaning::Offer(text, OfferKind::Prompt))
}

/// The kinds of answer, by number; `fresh` makes texts new.
pub(crate) const KINDS: u32 = 12;

pub(crate) fn of_kind(kind: u32, fresh: u64) -> Answer {
    match kind % KINDS {
        0 | 1 => new_step(fresh),
        2 => {
            let text = "Go on with the totals in src/report.rs".to_owned();
            answer(format!("NEXT: {text}"), Meaning::OfferOrEcho(text))
        }
        3 => answer("NONE".to_owned(), Meaning::Nothing),
        4 => answer(String::new(), Meaning::Invalid),
        5 => answer("word ".repeat(90), Meaning::Invalid),
        6 => answer("NEXT: one thing\nNEXT: another thing".to_owned(), Meaning::Invalid),
        7 => {
            let text = format!("Narrow it to parser part {fresh}");
            answer(format!("GOAL: {text}"), Meaning::Offer(text, OfferKind::GoalEdit))
        }
        8 => {
            let text = format!("/compact {fresh}");
            answer(format!("NEXT: {text}"), Meaning::Offer(text, OfferKind::Command))
        }
        9 => {
            let text = format!("Run git push --force origin part{fresh}");
            answer(format!("NEXT: {text}"), Meaning::Offer(text, OfferKind::Destructive))
        }
        10 => {
            let mut cut = new_step(fresh);
            cut.reply.finish = ReplyFinish::Length;
            cut.meaning = Meaning::Invalid;
            cut
        }
        _ => {
            // The same step in other words.
            let text = "Please go on with the totals in src/report.rs again".to_owned();
            answer(format!("NEXT: {text}"), Meaning::OfferOrEcho(text))
        }
    }
}

pub(crate) fn error(kind: u32) -> ErrorKind {
    match kind % 5 {
        0 => ErrorKind::Network,
        1 => ErrorKind::Quota,
        2 => ErrorKind::Filtered,
        3 => ErrorKind::RetryLater,
        _ => ErrorKind::Cancelled,
    }
}
