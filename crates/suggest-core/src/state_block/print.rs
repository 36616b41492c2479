//! Printing.

use super::text::{NONE, escape, is_plain};
use super::words::{Word, armed, working, yes_no};
use crate::code::Coded;
use crate::state::{
    AdvisorView, AutorunView, CardView, CardsView, GoalStateView, ModelView, OfferView, State, SummaryView,
    Usage,
};
use std::collections::BTreeMap;
use std::fmt::Display;

/// Where values start. The longest key with its indentation ends two columns before it.
const COLUMN: usize = 14;

/// The state as a block of lines, without a line end behind the last.
///
/// [`parse_state`](crate::parse_state) reads it back to the same state, whatever texts the state holds.
#[must_use]
pub fn print_state(state: &State) -> String {
    let mut block = Block::default();
    block.word(0, "status", state.status);
    block.coded(0, "reason", state.reason.as_ref());
    model(&mut block, state.model.as_ref());
    offer(&mut block, state.offer.as_ref());
    autorun(&mut block, &state.autorun);
    goal(&mut block, state.goal.as_ref());
    usage(&mut block, 0, &state.usage);
    if let Some(view) = &state.advisor {
        advisor(&mut block, view);
    }
    if let Some(view) = &state.cards {
        cards(&mut block, view);
    }
    if let Some(view) = &state.summary {
        summary(&mut block, view);
    }
    block.lines.join("\n")
}

fn model(block: &mut Block, model: Option<&ModelView>) {
    let Some(model) = model else { return block.value(0, "model", NONE) };
    block.name(0, "model", model.id.as_str());
    block.word(1, "from", model.source);
}

fn offer(block: &mut Block, offer: Option<&OfferView>) {
    let Some(offer) = offer else { return block.value(0, "offer", NONE) };
    block.value(0, "offer", offer.id);
    let age = if offer.current { "" } else { " (older)" };
    block.value(1, "answers", format_args!("turn {}{age}", offer.turn));
    block.word(1, "kind", offer.kind);
    block.name(1, "writer", offer.model.as_str());
    block.text(1, "text", &offer.text);
}

fn autorun(block: &mut Block, autorun: &AutorunView) {
    block.value(0, "autorun", armed(autorun.armed));
    block.coded(1, "hold", autorun.hold.as_ref());
    block.value(1, "rounds", format_args!("{} of {}", autorun.rounds, autorun.max_rounds));
    block.coded(1, "disarmed", autorun.disarmed_because.as_ref());
}

fn goal(block: &mut Block, goal: Option<&GoalStateView>) {
    let Some(goal) = goal else { return block.value(0, "goal", NONE) };
    block.name(0, "goal", &goal.id);
    block.value(1, "revision", goal.revision);
    block.word(1, "phase", goal.phase);
    block.value(1, "driver", armed(goal.armed));
    if goal.paused_by_autorun {
        block.value(1, "paused by", "autorun");
    }
    block.text(1, "objective", &goal.objective);
}

fn usage(block: &mut Block, depth: usize, usage: &Usage) {
    let calls = if usage.calls == 1 { "call" } else { "calls" };
    block.value(depth, "meter", format_args!("{} {calls}, {} failed", usage.calls, usage.failed_calls));
    block.value(
        depth + 1,
        "tokens",
        format_args!(
            "{} in ({} cached), {} out",
            usage.input_tokens, usage.cached_tokens, usage.output_tokens
        ),
    );
    block.value(depth + 1, "time", format_args!("{}.{:03} s", usage.ms / 1_000, usage.ms % 1_000));
}

fn advisor(block: &mut Block, advisor: &AdvisorView) {
    block.word(0, "advisor", advisor.status);
    block.coded(1, "reason", advisor.reason.as_ref());
    if let Some(model) = &advisor.model {
        block.name(1, "model", model.id.as_str());
        block.word(2, "from", model.source);
    }
    if let Some(model) = &advisor.trying {
        block.name(1, "trying", model.as_str());
    }
    block.optional_text(1, "no pin", advisor.pin_refused.as_deref());
    block.value(1, "call", working(advisor.in_flight));
    block.value(1, "backlog", advisor.backlog);
    block.optional_text(1, "blocker", advisor.blocker.as_deref());
    block.value(1, "steers", advisor.steers_since_human);
    block.value(1, "delivered", advisor.delivered);
    dropped(block, &advisor.dropped);
    block.optional_text(1, "prediction", advisor.prediction.as_deref());
    usage(block, 1, &advisor.usage);
}

fn cards(block: &mut Block, cards: &CardsView) {
    block.value(0, "cards", working(cards.in_flight));
    block.coded(1, "reason", cards.reason.as_ref());
    for view in &cards.open {
        card(block, view);
    }
    dropped(block, &cards.dropped);
    usage(block, 1, &cards.usage);
}

fn card(block: &mut Block, card: &CardView) {
    block.name(1, "card", &card.id);
    block.text(2, "title", &card.title);
    block.text(2, "why", &card.text);
    block.text(2, "prompt", &card.prompt);
    block.name(2, "category", &card.category);
    block.word(2, "priority", card.priority);
    block.word(2, "writer", card.origin);
    block.value(2, "stale", yes_no(card.stale));
}

fn summary(block: &mut Block, summary: &SummaryView) {
    block.value(0, "summary", working(summary.in_flight));
    block.coded(1, "reason", summary.reason.as_ref());
    if let Some(origin) = summary.origin {
        block.word(1, "writer", origin);
    }
    block.optional_text(1, "text", summary.text.as_deref());
    usage(block, 1, &summary.usage);
}

fn dropped(block: &mut Block, counters: &BTreeMap<String, u32>) {
    for (cause, count) in counters {
        if is_plain(cause) {
            block.value(1, "dropped", format_args!("{count} {cause}"));
        } else {
            block.entry(1, "dropped", Some(&count.to_string()), Some(cause));
        }
    }
}

#[derive(Default)]
struct Block {
    lines: Vec<String>,
}

impl Block {
    /// A key with a value, a text, or a value and then a text.
    fn entry(&mut self, depth: usize, key: &str, value: Option<&str>, text: Option<&str>) {
        let text = text.into_iter().flat_map(|text| text.split('\n')).map(|line| match escape(line) {
            empty if empty.is_empty() => "|".to_owned(),
            escaped => format!("| {escaped}"),
        });
        let indent = depth * 2;
        let mut head = format!("{:indent$}{key}", "");
        for part in value.map(str::to_owned).into_iter().chain(text) {
            self.lines.push(format!("{head:<COLUMN$}{part}"));
            head.clear();
        }
    }

    fn value(&mut self, depth: usize, key: &str, value: impl Display) {
        self.entry(depth, key, Some(&value.to_string()), None);
    }

    fn word(&mut self, depth: usize, key: &str, value: impl Word) {
        self.entry(depth, key, Some(value.word()), None);
    }

    fn text(&mut self, depth: usize, key: &str, text: &str) {
        self.entry(depth, key, None, Some(text));
    }

    fn optional_text(&mut self, depth: usize, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(depth, key, text);
        }
    }

    fn name(&mut self, depth: usize, key: &str, name: &str) {
        if is_plain(name) { self.value(depth, key, name) } else { self.text(depth, key, name) }
    }

    /// `code: message`; an odd code is a text of its own with its message in a line `says`.
    fn coded<C: Display>(&mut self, depth: usize, key: &str, coded: Option<&Coded<C>>) {
        let Some(Coded { code, message }) = coded else { return };
        let code = code.to_string();
        if !is_plain(&code) || code.contains(':') {
            self.text(depth, key, &code);
            self.text(depth, "says", message);
        } else if message.is_empty() || message.contains('\n') {
            self.entry(depth, key, Some(&code), Some(message));
        } else {
            self.value(depth, key, format_args!("{code}: {}", escape(message)));
        }
    }
}
