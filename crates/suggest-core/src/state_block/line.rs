//! The state in one line.

use super::text::escape;
use super::words::Word;
use crate::answer::OfferKind;
use crate::state::{AutorunView, OfferView, State, Status};
use unicode_segmentation::UnicodeSegmentation;

/// The most grapheme clusters of a text that the line shows.
const SHOWN: usize = 100;

/// The state in one line: the status and why, the offer, the loop, the model and the number of calls.
///
/// Long texts are shortened and say so with `…`; the block of [`print_state`](crate::print_state) has them whole.
#[must_use]
pub fn status_line(state: &State) -> String {
    let mut parts = vec![match &state.reason {
        Some(reason) => format!("{}: {}", state.status.word(), shortened(&reason.message)),
        None => state.status.word().to_owned(),
    }];
    parts.extend(state.offer.as_ref().map(offer));
    // Without the feature there is no loop to speak of.
    if state.status != Status::Off || state.autorun.armed {
        parts.push(autorun(&state.autorun));
    }
    if let Some(blocker) = state.advisor.as_ref().and_then(|advisor| advisor.blocker.as_ref()) {
        parts.push(format!("advisor's blocker: {}", shortened(blocker)));
    }
    if let Some(model) = &state.model {
        parts.push(format!("{} ({})", shortened(model.id.as_str()), model.source.word()));
    }
    match (state.usage.calls, state.usage.failed_calls) {
        (0, 0) => {}
        (1, 0) => parts.push("1 call".to_owned()),
        (calls, 0) => parts.push(format!("{calls} calls")),
        (1, failed) => parts.push(format!("1 call, {failed} failed")),
        (calls, failed) => parts.push(format!("{calls} calls, {failed} failed")),
    }
    parts.join(" · ")
}

fn offer(offer: &OfferView) -> String {
    let label = match offer.kind {
        OfferKind::Prompt => String::new(),
        other @ (OfferKind::GoalEdit | OfferKind::Command | OfferKind::Destructive) => {
            format!(" ({})", other.word())
        }
    };
    let age = if offer.current { String::new() } else { format!(" (older, turn {})", offer.turn) };
    format!("{}{age}: {}{label}", offer.id, shortened(&offer.text))
}

fn autorun(autorun: &AutorunView) -> String {
    let rounds = format!("{} of {} rounds", autorun.rounds, autorun.max_rounds);
    match (autorun.armed, &autorun.hold, &autorun.disarmed_because) {
        (true, Some(hold), _) => format!("autorun holds: {}, {rounds}", shortened(&hold.message)),
        (true, None, _) => format!("autorun on, {rounds}"),
        (false, _, Some(why)) => format!("autorun off: {}", shortened(&why.message)),
        (false, _, None) => "autorun off".to_owned(),
    }
}

/// A text on one line, as it is written in the block, and shortened.
fn shortened(text: &str) -> String {
    let mut clusters = text.graphemes(true);
    let head: String = clusters.by_ref().take(SHOWN).collect();
    let more = if clusters.next().is_some() { "…" } else { "" };
    format!("{}{more}", escape(&head))
}
