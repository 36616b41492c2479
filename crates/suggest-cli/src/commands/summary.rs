//! `suggest summary`: what a session did, in a few sentences.

use super::idle::{self, IdleArgs, Spoken, Voice};
use crate::cli::Global;
use crate::exit::{Exit, Failure};
use crate::output::{Output, plain};
use clap::Args;
use serde_json::json;
use suggest_core::{Command, SummaryView};

const EXAMPLES: &str = "\
Examples:
  suggest summary session.jsonl           what was asked, done and touched
  suggest summary session.jsonl --json    one JSON object, also when there is none
  suggest summary - < session.jsonl       standard input

Without `summary.model` or --model the summary is made here, from the facts of the session, and nothing is sent. A model
that fails is stood in for by the same facts.

Exit status:
  0    printed, or there is nothing to sum up
  1    the session cannot be read
  2    wrong usage or configuration
  130  interrupted";

/// Print what a recorded session did
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SummaryArgs {
    #[command(flatten)]
    idle: IdleArgs,
}

pub(crate) fn run(arguments: &SummaryArgs, global: &Global, output: &Output) -> Result<Exit, Failure> {
    let voice = Voice {
        section: "summary",
        act: Command::RefreshSummary,
        in_flight: |state| state.summary.as_ref().is_some_and(|summary| summary.in_flight),
    };
    let spoken = idle::speak(&arguments.idle, global, &voice, output)?;
    let view = match &spoken {
        Spoken::State(state) => state.summary.clone().unwrap_or_default(),
        Spoken::Nothing => SummaryView::default(),
        Spoken::Interrupted => return Ok(Exit::Interrupted),
    };
    idle::tell_why_local(view.reason.as_ref(), output);
    if arguments.idle.json {
        output.json(
            &json!({ "text": view.text, "origin": view.origin, "reason": view.reason, "usage": view.usage }),
        )?;
    } else if let Some(text) = &view.text {
        output.answer(&plain(text))?;
    }
    Ok(idle::ended(&spoken))
}
