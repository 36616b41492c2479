//! What `cards` and `summary` share: reading a session, asking once where a model is configured, and telling how it ended.

use crate::cli::Global;
use crate::config::{self, Wanted};
use crate::exit::{Exit, Failure};
use crate::input::{InputArgs, Source};
use crate::output::Output;
use crate::setup;
use clap::Args;
use serde_json::json;
use std::sync::Arc;
use suggest_core::{Coded, Command, OutputCode, ReasonCode, State};
use suggest_engine::{Engine, NoHost, SessionHandle};

/// The arguments of both commands.
#[derive(Debug, Args)]
pub(crate) struct IdleArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Ask this model, and allow sending to it
    #[arg(long, value_name = "PROVIDER/MODEL")]
    model: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// One of the voices of an idle session.
pub(crate) struct Voice {
    /// Its section in the configuration.
    pub(crate) section: &'static str,
    /// The act of a person that makes it speak.
    pub(crate) act: Command,
    /// Whether a model is being asked.
    pub(crate) in_flight: fn(&State) -> bool,
}

/// What came of it.
pub(crate) enum Spoken {
    /// The session's state afterwards.
    State(Arc<State>),
    /// There was nothing to speak about, or the voice is switched off.
    Nothing,
    /// The person pressed Ctrl-C.
    Interrupted,
}

/// Reads the session and makes the voice speak once.
pub(crate) fn speak(
    arguments: &IdleArgs,
    global: &Global,
    voice: &Voice,
    output: &Output,
) -> Result<Spoken, Failure> {
    let wanted = Wanted { config: global.config.as_deref(), model: arguments.model.as_deref() };
    let settings = config::load(wanted)?;
    settings.warnings.iter().for_each(|warning| output.warning(warning));
    let mut config = settings.config.clone();
    if let Some(model) = &arguments.model {
        config =
            config.with_changes(&json!({ voice.section: { "model": model } })).map_err(Failure::usage)?;
    }
    let source = Source::open(&arguments.input)?;
    let table = Arc::new(setup::providers(&settings)?);
    let runtime = setup::runtime()?;
    let engine = Engine::builder()
        .runtime(runtime.handle().clone())
        .resolve_with(move |route| setup::resolve(&table, route))
        .build()
        .map_err(Failure::failed)?;
    let name = source.name.clone();
    let slice_chars = config.prompt_context_chars;
    let setup = source.setup().with_model_source(settings.model_source());
    let session = engine.open_session(setup, config, Arc::new(NoHost));
    let log = source.read(arguments.input.at_turn(), slice_chars, |event| session.history(event))?;
    log.warnings(&name).iter().for_each(|warning| output.warning(warning));
    runtime.block_on(ask(&engine, &session, voice, output))
}

async fn ask(
    engine: &Engine,
    session: &SessionHandle,
    voice: &Voice,
    output: &Output,
) -> Result<Spoken, Failure> {
    let mut watch = session.watch();
    let begun = session.command(voice.act.clone()).await;
    let spoken = if begun.code == OutputCode::Ok {
        tokio::select! {
            state = watch.wait_for(|state| !(voice.in_flight)(state)) => {
                Spoken::State(state.unwrap_or_else(|| session.state()))
            }
            Ok(()) = tokio::signal::ctrl_c() => {
                output.note("interrupted; nothing is left running");
                Spoken::Interrupted
            }
        }
    } else {
        output.note(&begun.text);
        Spoken::Nothing
    };
    engine.shutdown().await;
    Ok(spoken)
}

/// How a run ends that printed what there was.
pub(crate) fn ended(spoken: &Spoken) -> Exit {
    match spoken {
        Spoken::State(_) | Spoken::Nothing => Exit::Success,
        Spoken::Interrupted => Exit::Interrupted,
    }
}

/// Says why a configured model did not answer, so that the local words stand in.
pub(crate) fn tell_why_local(reason: Option<&Coded<ReasonCode>>, output: &Output) {
    if let Some(reason) = reason {
        output.note(&format!("the session's own facts stand in for the model: {}", reason.message));
    }
}
