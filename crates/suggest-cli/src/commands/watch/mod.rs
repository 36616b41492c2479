//! `suggest watch`: follows a session while it grows and shows the next prompt after each completed turn.

mod keys;
mod live;
mod report;
mod screen;
mod session;
mod signals;

use crate::cli::Global;
use crate::config::{self, Wanted};
use crate::exit::{Exit, Failure};
use crate::follow::Place;
use crate::input::{is_standard_input, session_with_id};
use crate::output::Output;
use crate::setup;
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  suggest watch                      follow the newest session of this folder
  suggest watch session.jsonl        follow this one; it may appear later
  suggest watch --session ID         follow the session with this id, of those that `suggest sessions` finds
  suggest watch --json | my-program  one JSON object for each change of the state

Keys:
  e  expand or collapse     r  retry: ask again
  c  copy the offer         o  off, and on again
  d  dismiss the offer      q  quit (also Ctrl-C)
Nothing else does anything; Enter never runs or sends an offer.

What the file holds at the beginning is history and asks nothing; `r` asks for it all the same. Where standard output
is no terminal, each change is a plain line.

Exit status:
  0    you quit
  1    the session cannot be read
  2    wrong usage or configuration
  129, 130, 143  ended by a signal";

/// Follow a session as it grows, with the next prompt after each completed turn
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WatchArgs {
    /// The session to follow; without it the newest one of the current folder
    #[arg(value_name = "FILE", conflicts_with = "latest")]
    file: Option<PathBuf>,
    /// Follow the session with this id: one of those in FILE where it holds several, else one that `suggest sessions` finds
    #[arg(long, value_name = "ID", conflicts_with = "latest")]
    session: Option<String>,
    /// Follow the newest session of the current folder, and the one after it
    #[arg(long)]
    latest: bool,
    /// Ask this model, and allow sending to it
    #[arg(long, value_name = "PROVIDER/MODEL")]
    model: Option<String>,
    /// Print one JSON object for each change of the state
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &WatchArgs, global: &Global, output: &Output) -> Result<Exit, Failure> {
    let wanted = Wanted { config: global.config.as_deref(), model: arguments.model.as_deref() };
    let settings = config::load(wanted)?;
    settings.warnings.iter().for_each(|warning| output.warning(warning));
    let table = Arc::new(setup::providers(&settings)?);
    if let Some(model) = &settings.config.prompt_model {
        table.readiness(&setup::model_id(model)?).map_err(Failure::usage)?;
    }
    let target = match (&arguments.file, &arguments.session) {
        (Some(path), _) if is_standard_input(path) => {
            return Err(Failure::usage("standard input cannot be followed")
                .with_help("name the file, or leave it out for the newest session of this folder"));
        }
        (Some(path), _) if path.metadata().is_ok_and(|facts| !facts.is_file()) => {
            return Err(Failure::usage(format_args!("{} is no file that can be followed", path.display()))
                .with_help(
                    "name the file of the session; `suggest next` also reads folders and pipes, once",
                ));
        }
        (Some(path), session) => {
            session::Target::Session(Place { path: path.clone(), session: session.clone() })
        }
        (None, Some(id)) => session::Target::Session(Place::of_found(session_with_id(id)?)),
        (None, None) => session::Target::Latest(
            std::env::current_dir()
                .map_err(|error| Failure::failed(format_args!("cannot tell the current folder: {error}")))?,
        ),
    };
    let runtime = setup::runtime()?;
    let ended = runtime.block_on(async {
        let watched = session::Watched::new(&settings, table, target)?;
        if arguments.json {
            report::run(watched, report::Shape::Json, output).await
        } else if screen::is_possible() {
            live::run(watched).await
        } else {
            report::run(watched, report::Shape::Plain, output).await
        }
    });
    // A thread that waits for a key holds nothing that matters.
    runtime.shutdown_background();
    ended
}
