//! `suggest next`: the next prompt for a session that a harness wrote.

mod ask;
mod report;

pub(crate) use ask::show_progress;
pub use report::report_schema;

use crate::cli::Global;
use crate::config::{self, Settings, Wanted};
use crate::exit::{Exit, Failure};
use crate::input::{InputArgs, Source};
use crate::output::Output;
use crate::setup;
use ask::Asked;
use clap::Args;
use report::NextReport;
use std::sync::Arc;
use suggest_core::{EndReason, Event, Input, ModelSource, ReasonCode, Session, State, Status, Timestamp};
use suggest_engine::{Engine, NoHost};

const EXAMPLES: &str = "\
Examples:
  suggest next session.jsonl                      the next prompt, and nothing else
  suggest next session.jsonl.zstd --json          one JSON object, also when there is none
  suggest next ~/.dsh/sessions/…/s1/ --at-turn 3  what would have been next after turn 3
  suggest next events.jsonl --format events       host-neutral events, one a line
  suggest next - < session.jsonl                  standard input
  suggest next session.jsonl --show-slice         what a model would read; calls nothing
  suggest next session.jsonl --model ollama/qwen3 ask this model

Without a configured model, the built-in local/facts answers offline. Naming a model with --model
allows sending the scrubbed slice to it. A model from the file or the environment needs
`allowTransfer = true` as well, unless its endpoint is on this machine.

Exit status:
  0    answered, or there is nothing to recommend
  1    the session cannot be read, or the model failed
  2    wrong usage or configuration, or sending is not allowed
  130  interrupted";

/// Print the next prompt for a recorded session
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NextArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Ask this model, and allow sending to it
    #[arg(long, value_name = "PROVIDER/MODEL")]
    model: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print what the model would read, scrubbed, and call nothing
    #[arg(long, conflicts_with = "json")]
    show_slice: bool,
}

pub(crate) fn run(arguments: &NextArgs, global: &Global, output: &Output) -> Result<Exit, Failure> {
    let wanted = Wanted { config: global.config.as_deref(), model: arguments.model.as_deref() };
    let settings = config::load(wanted)?;
    settings.warnings.iter().for_each(|warning| output.warning(warning));
    let source = Source::open(&arguments.input)?;
    if arguments.show_slice {
        return show_slice(arguments, settings, source, output);
    }
    let table = Arc::new(setup::providers(&settings)?);
    if let Some(model) = &settings.config.prompt_model {
        // A provider that nobody knows is told before the session is read.
        table.readiness(&setup::model_id(model)?).map_err(Failure::usage)?;
    }
    next(arguments, &settings, source, table, output)
}

fn show_slice(
    arguments: &NextArgs,
    settings: Settings,
    source: Source,
    output: &Output,
) -> Result<Exit, Failure> {
    let name = source.name.clone();
    let slice_chars = settings.config.prompt_context_chars;
    let mut session = Session::new(source.setup(), settings.config);
    let log = source.read(arguments.input.at_turn(), slice_chars, |event| {
        session.handle(Timestamp::default(), Input::History(event));
    })?;
    log.warnings(&name).iter().for_each(|warning| output.warning(warning));
    let slice = session.slice();
    if slice.trim().is_empty() {
        output.note("the session holds no conversation");
    } else {
        output.answer(slice.trim_end_matches('\n'))?;
    }
    Ok(Exit::Success)
}

fn next(
    arguments: &NextArgs,
    settings: &Settings,
    source: Source,
    table: Arc<suggest_llm::ProviderTable>,
    output: &Output,
) -> Result<Exit, Failure> {
    let runtime = setup::runtime()?;
    let engine = Engine::builder()
        .runtime(runtime.handle().clone())
        .resolve_with(move |route| setup::resolve(&table, route))
        .build()
        .map_err(Failure::failed)?;
    let (name, format) = (source.name.clone(), source.format);
    let setup = source.setup().with_model_source(settings.model_source());
    let session = engine.open_session(setup, settings.config.clone(), Arc::new(NoHost));
    let slice_chars = settings.config.prompt_context_chars;
    let mut completed = false;
    let log = source.read(arguments.input.at_turn(), slice_chars, |event| {
        completed |= matches!(event, Event::TurnEnded { reason: EndReason::Completed, .. });
        session.history(event);
    })?;
    log.warnings(&name).iter().for_each(|warning| output.warning(warning));
    let state = session.state();
    let state = if may_ask(&state) {
        tell_default_model(&state, output);
        match runtime.block_on(ask::ask(&engine, &session, output)) {
            Asked::State(state) => state,
            Asked::Interrupted => {
                // Nothing was printed to standard output, and nothing is half done.
                output.note("interrupted; nothing is left running");
                return Ok(Exit::Interrupted);
            }
        }
    } else {
        state
    };
    let report = NextReport::new(&state, format, log);
    if arguments.json {
        output.json(&report)?;
    } else if let Some(offer) = &report.offer {
        output.answer(&offer.text)?;
    }
    Ok(conclude(&state, completed, output))
}

/// Whether the newest turn completed, so that there is something to answer.
fn may_ask(state: &State) -> bool {
    match state.reason.as_ref().map(|reason| reason.code) {
        Some(ReasonCode::NoCompletedTurn | ReasonCode::TurnRunning | ReasonCode::TurnNotCompleted) => false,
        _ => state.status != Status::Off,
    }
}

fn tell_default_model(state: &State, output: &Output) {
    if state.model.as_ref().is_some_and(|model| model.source == ModelSource::Default) {
        output.note(
            "no model is configured, so local/facts answers offline; --model provider/model asks a model",
        );
    }
}

/// Says on standard error what the answer alone does not, and how the run ends.
///
/// `completed` tells whether any turn completed, so that there is an earlier one to look at.
fn conclude(state: &State, completed: bool, output: &Output) -> Exit {
    let reason = state.reason.as_ref();
    let message = reason.map(|reason| reason.message.as_str()).unwrap_or_default();
    match state.status {
        Status::Ready => {
            if let Some(label) = state.offer.as_ref().and_then(|offer| offer.kind.label()) {
                output.note(&format!("{label} · run it yourself"));
            }
            Exit::Success
        }
        Status::Off => {
            output.failure(
                &Failure::usage(format_args!("suggestions are off: {message}"))
                    .with_help("pass --model provider/model, or set promptModel"),
            );
            Exit::Usage
        }
        Status::Failed => {
            let model = state.model.as_ref().map(|model| model.id.as_str()).unwrap_or_default();
            let mut failure = Failure::failed(format_args!("no answer from {model}: {message}"));
            let mut exit = Exit::Failed;
            match reason.map(|reason| reason.code) {
                Some(ReasonCode::NotAllowed) => {
                    exit = Exit::Usage;
                    let flagged = state.model.as_ref().is_some_and(|model| model.source == ModelSource::Flag);
                    failure = if flagged {
                        failure.with_help(format_args!(
                            "`--model` allows sending; only the key is missing, and `suggest doctor --model {model}` \
                             says where it is looked for"
                        ))
                    } else {
                        failure.with_help(format_args!(
                            "allow it for this run with `--model {model}`, or always with allowTransfer = true; a key \
                             is needed in any case"
                        ))
                    };
                }
                Some(ReasonCode::InvalidAnswer | ReasonCode::Cancelled) => {}
                _ => {
                    failure = failure.with_help("`suggest doctor` checks the endpoint, the key and the model")
                }
            }
            output.failure(&failure);
            exit
        }
        Status::Idle | Status::Analyzing => {
            let hint = match reason.map(|reason| reason.code) {
                Some(ReasonCode::TurnRunning | ReasonCode::TurnNotCompleted) if completed => {
                    "; --at-turn N looks at an earlier turn"
                }
                _ => "",
            };
            output.note(&format!("no suggestion: {message}{hint}"));
            Exit::Success
        }
    }
}
