//! Lines for people: one heading a step, and what happened indented below it.

use crate::player::Line;
use std::fmt::{self, Write};
use suggest_core::{
    AdvisorStatus, AdvisorView, AutorunView, CardsView, Effect, ModelCall, OfferView, State, Status,
    Submission, SubmitAuthor,
};

/// Where the details of a step begin.
const INDENT: &str = "                   ";

/// A line as `suggest replay` prints it without `--json`; it ends without a line break. Prompts that go to a model
/// are counted, not shown.
#[must_use]
pub fn for_people(line: &Line) -> String {
    let mut text = String::new();
    // Writing into a text cannot fail.
    let _ = write_line(&mut text, line);
    text
}

fn write_line(out: &mut String, line: &Line) -> fmt::Result {
    write!(out, "{:>4}  {:>8} ms  ", line.step.get(), line.at.get())?;
    if let Some(session) = &line.session {
        write!(out, "[{}] ", plain(session))?;
    }
    write!(out, "{:<24}  ", line.title)?;
    write_state(out, &line.state)?;
    for effect in &line.effects {
        write!(out, "\n{INDENT}→ ")?;
        write_effect(out, effect)?;
    }
    if let Some(code) = line.output_code {
        write!(out, "\n{INDENT}= {code}")?;
        let printed = line.output.as_deref().unwrap_or_default();
        for printed in printed.lines() {
            write!(out, "\n{INDENT}  {}", plain(printed))?;
        }
    }
    Ok(())
}

fn write_state(out: &mut String, state: &State) -> fmt::Result {
    out.write_str(match state.status {
        Status::Off => "off",
        Status::Idle => "idle",
        Status::Analyzing => "analyzing",
        Status::Ready => "ready",
        Status::Failed => "failed",
    })?;
    if let Some(reason) = &state.reason {
        write!(out, " ({})", plain(&reason.to_string()))?;
    }
    if let Some(offer) = &state.offer {
        write!(out, "\n{INDENT}")?;
        write_offer(out, offer)?;
    }
    write_autorun(out, &state.autorun)?;
    if let Some(advisor) = &state.advisor {
        write_advisor(out, advisor)?;
    }
    if let Some(cards) = &state.cards {
        write_cards(out, cards)?;
    }
    if let Some(text) = state.summary.as_ref().and_then(|summary| summary.text.as_ref()) {
        write!(out, "\n{INDENT}summary: {}", plain(text))?;
    }
    Ok(())
}

fn write_offer(out: &mut String, offer: &OfferView) -> fmt::Result {
    let OfferView { id, text, turn, current, kind, model } = offer;
    let kind = serde_json::to_value(kind).ok();
    let kind = kind.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
    let age = if *current { "" } else { ", an older one" };
    write!(out, "{id} for turn {turn} ({kind}{age}, {model}): {}", plain(text))
}

/// Only a loop that did something is worth a line.
fn write_autorun(out: &mut String, autorun: &AutorunView) -> fmt::Result {
    let AutorunView { armed, hold, rounds, max_rounds, disarmed_because } = autorun;
    if !armed && *rounds == 0 && disarmed_because.is_none() {
        return Ok(());
    }
    let armed = if *armed { "armed" } else { "disarmed" };
    write!(out, "\n{INDENT}autorun {armed}, {rounds} of {max_rounds} rounds")?;
    if let Some(hold) = hold {
        write!(out, ", holds ({})", plain(&hold.to_string()))?;
    }
    if let Some(because) = disarmed_because {
        write!(out, ", last disarmed ({})", plain(&because.to_string()))?;
    }
    Ok(())
}

fn write_advisor(out: &mut String, advisor: &AdvisorView) -> fmt::Result {
    if advisor.status == AdvisorStatus::Disabled {
        return Ok(());
    }
    let status = serde_json::to_value(advisor.status).ok();
    let status = status.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
    write!(out, "\n{INDENT}advisor {status}")?;
    if let Some(reason) = &advisor.reason {
        write!(out, " ({})", plain(&reason.to_string()))?;
    }
    write!(out, ", {} delivered", advisor.delivered)?;
    for (cause, count) in &advisor.dropped {
        write!(out, ", {count} {}", plain(cause))?;
    }
    if advisor.blocker.is_some() {
        out.write_str(", blocker open")?;
    }
    Ok(())
}

fn write_cards(out: &mut String, cards: &CardsView) -> fmt::Result {
    for card in &cards.open {
        let stale = if card.stale { ", stale" } else { "" };
        write!(out, "\n{INDENT}card {}{stale}: {}", plain(&card.id), plain(&card.title))?;
    }
    Ok(())
}

fn write_effect(out: &mut String, effect: &Effect) -> fmt::Result {
    match effect {
        Effect::CallModel(ModelCall { call, voice, attempt, model, messages, deadline_ms }) => {
            let voice = format!("{voice:?}").to_lowercase();
            let chars: usize = messages.iter().map(|message| message.text.chars().count()).sum();
            write!(out, "call {call}: {voice} asks {model}, attempt {attempt}, {chars} characters in ")?;
            write!(out, "{}, within {deadline_ms} ms", counted(messages.len(), "message"))
        }
        Effect::CancelCall { call } => write!(out, "cancel call {call}"),
        Effect::SubmitTurn(Submission { ticket, offer, text, author, .. }) => {
            let author = match author {
                SubmitAuthor::Human => "the human",
                SubmitAuthor::Suggest => "the loop",
            };
            write!(out, "submit {offer} as {author}, ticket {ticket}: {}", plain(text))
        }
        Effect::WithdrawTurn { ticket } => write!(out, "withdraw ticket {ticket}"),
        Effect::DisarmGoal { id, revision } => {
            write!(out, "disarm goal {} at revision {revision}", plain(id))
        }
        Effect::Inject { text } => write!(out, "inject: {}", plain(text)),
        Effect::Steer { text, wakes } => {
            write!(out, "steer{}: {}", if *wakes { " and wake" } else { "" }, plain(text))
        }
        Effect::FillInput { text } => write!(out, "fill the input: {}", plain(text)),
        Effect::Report(report) => {
            let rounds = counted(report.rounds, "round");
            write!(out, "report: {rounds}, ended ({})", plain(&report.reason.to_string()))
        }
        Effect::Publish { .. } => out.write_str("publish"),
        Effect::Persist { .. } => out.write_str("persist"),
        Effect::WakeAt { at } => write!(out, "wake at {at} ms"),
    }
}

fn counted(number: impl fmt::Display, what: &str) -> String {
    let number = number.to_string();
    if number == "1" { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// A text on one line, without anything that a terminal would act on.
fn plain(text: &str) -> String {
    text.chars().flat_map(escape).collect()
}

fn escape(char: char) -> Vec<char> {
    // Bidirectional controls would turn the rest of the line around.
    let turns = matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if char.is_control() || turns { char.escape_default().collect() } else { vec![char] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_as_a_command() {
        assert_eq!(plain("a\u{1b}[2Jb\nc\u{202e}d 👩‍👩‍👧 é"), "a\\u{1b}[2Jb\\nc\\u{202e}d 👩‍👩‍👧 é");
    }
}
