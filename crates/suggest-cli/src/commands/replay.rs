//! `suggest replay`: a scripted session against the real core.

use crate::exit::{Exit, Failure};
use crate::input::{is_standard_input, read_text};
use crate::output::{Output, plain};
use clap::Args;
use std::path::PathBuf;
use suggest_testkit::{Played, Player, Scenario, Verdict, for_people};

const EXAMPLES: &str = "\
Examples:
  suggest replay scenario.json            what each step did, for people
  suggest replay --json scenario.json     one JSON object a step
  suggest replay - < scenario.json

Exit status:
  0  every expectation holds
  1  an expectation does not hold; the difference is on standard error
  2  the document cannot be read, or is no scenario; the step and the field are named";

/// Play a scripted session against the state machine, without model, key or clock
///
/// A scenario is one JSON document with a configuration and steps: events of a host, acts of a human, replies of models,
/// and what must follow from them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReplayArgs {
    /// The scenario; `-` is standard input
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
    /// Print one JSON object a step
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &ReplayArgs, output: &Output) -> Result<Exit, Failure> {
    let path = &arguments.scenario;
    let name = if is_standard_input(path) { "standard input".to_owned() } else { path.display().to_string() };
    // A scenario that cannot be read is as malformed as one that is none.
    let malformed = |problem: String| Failure::usage(format_args!("{name}: {problem}"));
    let text = read_text(path).map_err(|error| malformed(format!("cannot be read: {error}")))?;
    let scenario = Scenario::from_json(&text).map_err(|error| malformed(error.to_string()))?;
    let mut verdict = Verdict::Passed;
    for played in Player::new(&scenario) {
        match played {
            Played::Line(line) if arguments.json => {
                output.answer(&line.to_json().map_err(Failure::failed)?)?;
            }
            Played::Line(line) => output.answer(&plain(&for_people(&line)))?,
            Played::Matched(_) => {}
            Played::Mismatched(mismatch) => {
                verdict = Verdict::Mismatch;
                output.failure(&Failure::failed(&mismatch));
            }
        }
    }
    Ok(match verdict {
        Verdict::Passed => Exit::Success,
        Verdict::Mismatch => Exit::Failed,
        Verdict::Malformed => Exit::Usage,
    })
}
