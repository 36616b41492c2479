//! `suggest advise`: a second opinion on turns that a session holds.

mod reader;
mod report;
mod review;
mod turns;

pub use report::advise_schema;

use crate::cli::Global;
use crate::config::{self, Settings, Wanted};
use crate::exit::{Exit, Failure};
use crate::input::{InputArgs, Source};
use crate::output::{Output, plain};
use crate::setup;
use clap::Args;
use report::{AdviseReport, AdviseStatus};
use review::{Review, Reviewed};
use std::sync::Arc;
use suggest_core::{Config, ModelId, ModelSource, ModelView, Turn};
use turns::Turns;

const EXAMPLES: &str = "\
Examples:
  suggest advise session.jsonl                      a note on the last turn, or none
  suggest advise session.jsonl --at-turn 3          on turn 3, as if nothing had happened after it
  suggest advise session.jsonl --since 3            on all turns after turn 3, at once
  suggest advise session.jsonl --json               one JSON object, also when there is no note
  suggest advise - < session.jsonl                  standard input
  suggest advise session.jsonl --model ollama/qwen3 ask this model

The reviewer is the pair `advisor.provider` and `advisor.model`, or --model, which also allows
sending to it. Without a pair the built-in local/facts reviews offline: it notes only what it can
show by quoting both sides.

Exit status:
  0    reviewed, with a note or without one, or there is nothing to review
  1    the session cannot be read, or the model failed
  2    wrong usage or configuration, or sending is not allowed
  130  interrupted";

/// The reviewer of a run that names none.
const LOCAL: &str = "local/facts";

/// Print the advisor's note on the last turn of a recorded session
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AdviseArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Review all turns after this one; 0: every turn
    #[arg(long, value_name = "TURN")]
    since: Option<u64>,
    /// Ask this model, and allow sending to it
    #[arg(long, value_name = "PROVIDER/MODEL")]
    model: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &AdviseArgs, global: &Global, output: &Output) -> Result<Exit, Failure> {
    let wanted = Wanted { config: global.config.as_deref(), model: arguments.model.as_deref() };
    let settings = config::load(wanted)?;
    settings.warnings.iter().for_each(|warning| output.warning(warning));
    let since = arguments.since.map(Turn::new);
    if let (Some(since), Some(last)) = (since, arguments.input.at_turn())
        && since >= last
    {
        return Err(Failure::usage(format_args!(
            "no turn lies after `--since {since}` up to `--at-turn {last}`"
        ))
        .with_help("name an earlier turn with `--since`"));
    }
    let model = reviewer(arguments, &settings)?;
    let config = reviewing(&settings, &model)?;
    let table = Arc::new(setup::providers(&settings)?);
    // A provider that nobody knows is told before the session is read.
    table.readiness(&setup::model_id(&model.id)?).map_err(Failure::usage)?;
    let source = Source::open(&arguments.input)?;
    if model.source == ModelSource::Default {
        output.note(
            "no reviewer is configured, so local/facts reviews offline; --model provider/model asks a model",
        );
    }
    let runtime = setup::runtime()?;
    let (name, format) = (source.name.clone(), source.format);
    let review = Review::open(&runtime, table, source.setup(), config)?;
    // The tail is enough for the last turn; older ones may be anywhere.
    let slice_chars = if since.is_some() { u32::MAX } else { settings.config.prompt_context_chars };
    let mut turns = Turns::new(since);
    let log = source.read(arguments.input.at_turn(), slice_chars, |event| {
        turns.take(event, &mut |old| review.history(old))
    })?;
    log.warnings(&name).iter().for_each(|warning| output.warning(warning));
    let chosen = turns.chosen(model.id.as_str() == LOCAL);
    if let (Some(running), Some(turn)) = (chosen.running, chosen.newest) {
        output.note(&format!("turn {running} is still running; the last one that ended is turn {turn}"));
    }
    let Some(reviewed) = runtime.block_on(review.speak(&model, &chosen, output)) else {
        output.note("interrupted; nothing is left running");
        return Ok(Exit::Interrupted);
    };
    let report = AdviseReport::new(&reviewed, &chosen, since, model, format, log);
    if arguments.json {
        output.json(&report)?;
    } else if let Some(note) = &report.note {
        output.answer(&plain(&note.marked()))?;
    }
    Ok(conclude(&report, &reviewed, output))
}

/// Who reviews: the flag, else the configured pair, else the facts. Half a pair is an error (rule V1).
fn reviewer(arguments: &AdviseArgs, settings: &Settings) -> Result<ModelView, Failure> {
    if let (Some(_), Some(id)) = (&arguments.model, &settings.config.prompt_model) {
        return Ok(ModelView { id: id.clone(), source: ModelSource::Flag });
    }
    let (provider, model) = (settings.config.advisor.provider.trim(), settings.config.advisor.model.trim());
    let half = |set: &str, missing: &str| {
        Failure::usage(format_args!("`{set}` is set and `{missing}` is not; the reviewer needs both"))
            .with_help("set both, or name one with `--model provider/model`")
    };
    let (name, source) = match (provider.is_empty(), model.is_empty()) {
        (true, true) => (LOCAL.to_owned(), ModelSource::Default),
        (false, true) => return Err(half("advisor.provider", "advisor.model")),
        (true, false) => return Err(half("advisor.model", "advisor.provider")),
        (false, false) => (format!("{provider}/{model}"), settings.origin("advisor.model").into()),
    };
    let id: ModelId = name.parse().map_err(|error| {
        Failure::usage(format_args!("`advisor.provider` and `advisor.model` name no model: {error}"))
    })?;
    Ok(ModelView { id, source })
}

/// The configuration with the reviewer alone: naming a session asks for a review, and for nothing else.
fn reviewing(settings: &Settings, model: &ModelView) -> Result<Config, Failure> {
    let mut config = settings.config.clone();
    config.prompt_model = None;
    config.cards.enabled = false;
    config.summary.enabled = false;
    config.advisor.provider = model.id.provider().to_owned();
    config.advisor.model = model.id.model().to_owned();
    config.advisor.default_enabled = true;
    config.advisor.next_prompt = false;
    // The second level of rule P1: a person named the only model that this run can ask.
    config.allow_transfer |= model.source == ModelSource::Flag;
    Ok(config)
}

/// Says on standard error what the note alone does not, and how the run ends.
fn conclude(report: &AdviseReport, reviewed: &Reviewed, output: &Output) -> Exit {
    let message = report.reason.as_ref().map(|reason| reason.message.as_str()).unwrap_or_default();
    match report.status {
        AdviseStatus::Noted => Exit::Success,
        AdviseStatus::Nothing | AdviseStatus::Dropped | AdviseStatus::NotReviewed => {
            output.note(&format!("no note: {message}"));
            Exit::Success
        }
        AdviseStatus::Failed => {
            let model = report.model.id.as_str();
            let failure = Failure::failed(format_args!("no answer from {model}: {message}"));
            let (exit, help) = if report.is_because("not-allowed") {
                let help = format!(
                    "allow it for this run with `--model {model}`, or always with allowTransfer = true; a key is needed \
                     in any case"
                );
                (Exit::Usage, Some(help))
            } else if reviewed.answered() {
                (Exit::Failed, None)
            } else {
                (Exit::Failed, Some("`suggest doctor` checks the endpoint, the key and the model".to_owned()))
            };
            output.failure(&match help {
                Some(help) => failure.with_help(help),
                None => failure,
            });
            exit
        }
    }
}
