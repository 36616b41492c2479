//! `suggest state`: where a session stands, without a call.

use crate::cli::Global;
use crate::config::{self, Wanted};
use crate::exit::{Exit, Failure};
use crate::input::{InputArgs, Source};
use crate::output::Output;
use clap::Args;
use suggest_core::{Input, Session, Timestamp, print_state};

const EXAMPLES: &str = "\
Examples:
  suggest state session.jsonl             the state block, for people and for pasting
  suggest state --json session.jsonl      the same as JSON
  suggest state --at-turn 3 session.jsonl";

/// Print where a session stands; calls no model
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StateArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &StateArgs, global: &Global, output: &Output) -> Result<Exit, Failure> {
    let settings = config::load(Wanted { config: global.config.as_deref(), model: None })?;
    settings.warnings.iter().for_each(|warning| output.warning(warning));
    let source = Source::open(&arguments.input)?;
    let name = source.name.clone();
    let setup = source.setup().with_model_source(settings.model_source());
    let slice_chars = settings.config.prompt_context_chars;
    let mut session = Session::new(setup, settings.config);
    let report = source.read(arguments.input.at_turn(), slice_chars, |event| {
        session.handle(Timestamp::default(), Input::History(event));
    })?;
    report.warnings(&name).iter().for_each(|warning| output.warning(warning));
    let state = session.state();
    if arguments.json {
        output.json(&state)?
    } else {
        output.answer(&print_state(&state))?
    }
    Ok(Exit::Success)
}
