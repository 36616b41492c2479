//! `suggest cards`: what could be done next in a session that waits.

use super::idle::{self, IdleArgs, Spoken, Voice};
use crate::cli::Global;
use crate::exit::{Exit, Failure};
use crate::output::{Output, plain};
use clap::Args;
use serde_json::json;
use suggest_core::{CardOrigin, CardView, CardsCommand, CardsView, Command, Priority};

const EXAMPLES: &str = "\
Examples:
  suggest cards session.jsonl             up to three things to do next
  suggest cards session.jsonl --json      one JSON object, also when there are none
  suggest cards - < session.jsonl         standard input
  suggest cards session.jsonl --at-turn 3 what would have been next after turn 3

Without `cards.model` or --model the cards are made here, from the facts of the session, and nothing is sent. A model
that fails is stood in for by the same facts.

Exit status:
  0    printed, or there is nothing specific to do
  1    the session cannot be read
  2    wrong usage or configuration
  130  interrupted";

/// Print up to three specific things to do next in a recorded session
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CardsArgs {
    #[command(flatten)]
    idle: IdleArgs,
}

pub(crate) fn run(arguments: &CardsArgs, global: &Global, output: &Output) -> Result<Exit, Failure> {
    let voice = Voice {
        section: "cards",
        act: Command::Cards(CardsCommand::Refresh),
        in_flight: |state| state.cards.as_ref().is_some_and(|cards| cards.in_flight),
    };
    let spoken = idle::speak(&arguments.idle, global, &voice, output)?;
    let view = match &spoken {
        Spoken::State(state) => state.cards.clone().unwrap_or_default(),
        Spoken::Nothing => CardsView::default(),
        Spoken::Interrupted => return Ok(Exit::Interrupted),
    };
    idle::tell_why_local(view.reason.as_ref(), output);
    if arguments.idle.json {
        output.json(&json!({ "cards": view.open, "dropped": view.dropped, "reason": view.reason, "usage": view.usage }))?;
    } else if view.open.is_empty() {
        output.note("the session shows nothing specific to do next");
    } else {
        let cards: Vec<String> = view.open.iter().map(for_people).collect();
        output.answer(&plain(&cards.join("\n\n")))?;
    }
    Ok(idle::ended(&spoken))
}

fn for_people(card: &CardView) -> String {
    let priority = match card.priority {
        Priority::High => "high",
        Priority::Medium => "medium",
        Priority::Low => "low",
    };
    let origin = match card.origin {
        CardOrigin::Model => "model",
        CardOrigin::Local => "local",
    };
    format!(
        "{} ({}, {priority}, {origin})\n  {}\n  > {}",
        card.title,
        card.category,
        card.text,
        card.prompt.replace('\n', "\n  > ")
    )
}
