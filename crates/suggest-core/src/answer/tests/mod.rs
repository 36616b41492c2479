mod cleaning;
mod folding;
mod kinds;
mod properties;
mod refusals;
mod verdicts;

use super::{AnswerContext, InvalidAnswer, OfferKind, Proposal, ReplyFinish, Verdict, judge};

const CAP: usize = 240;

fn context() -> AnswerContext<'static> {
    AnswerContext { max_chars: CAP, recent_human: &[], session_text: "Add a --json flag to `report`." }
}

fn verdict(raw: &str) -> Verdict {
    judge(raw, ReplyFinish::Stop, false, &context())
}

/// The cause, where the answer must be invalid.
#[track_caller]
fn cause(raw: &str) -> InvalidAnswer {
    match verdict(raw) {
        Verdict::Invalid(cause) => cause,
        other => panic!("{raw:?} should be invalid, is {other:?}"),
    }
}

#[track_caller]
fn assert_offer(raw: &str, text: &str, kind: OfferKind) {
    assert_eq!(verdict(raw), Verdict::Offer(Proposal { text: text.to_owned(), kind }), "for {raw:?}");
}

/// Every text is offered as it is, as an ordinary prompt.
#[track_caller]
fn assert_unchanged(texts: &[&str]) {
    for text in texts {
        assert_offer(text, text, OfferKind::Prompt);
    }
}

/// Every text is refused for this cause.
#[track_caller]
fn assert_refused(expected: &InvalidAnswer, texts: &[&str]) {
    for text in texts {
        assert_eq!(&cause(text), expected, "for {text:?}");
    }
}
