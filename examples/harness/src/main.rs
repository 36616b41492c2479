//! A small coding harness in the terminal, with suggestions, autorun, goals and an advisor from `suggest`.
//!
//! ```text
//! cargo run -p suggest-example-harness
//! cargo run -p suggest-example-harness -- --worker http://127.0.0.1:11434/v1 --worker-model qwen3:8b
//! ```
//!
//! `host.rs` is what the engine asks of the harness, `harness.rs` the chat loop, `typed.rs` what the person types,
//! `bar.rs` the line with the suggestion. `worker.rs`, `tool.rs` and `screen.rs` are what every harness has anyway.

mod bar;
mod harness;
mod host;
mod screen;
mod tool;
mod typed;
mod worker;

use crate::harness::{Harness, Inputs};
use crate::host::Requests;
use crate::screen::Screen;
use crate::worker::{Endpoint, Scripted, Worker};
use anyhow::Context as _;
use clap::Parser;
use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::PathBuf;
use std::sync::Arc;
use suggest_core::{Config, ModelId, ModelSource, SessionSetup};
use suggest_engine::{Engine, SessionHandle, TransferPolicy};
use suggest_llm::{Environment, ProviderConfig, ProviderTable};
use tokio::sync::mpsc;

/// A small coding harness with suggestions. Without flags it needs no key and no network.
#[derive(Debug, Parser)]
struct Arguments {
    /// The worker: `scripted`, or the base URL of an OpenAI-compatible endpoint.
    #[arg(long, default_value = "scripted", value_name = "URL")]
    worker: String,
    /// The worker's model.
    #[arg(long, default_value = "", value_name = "MODEL")]
    worker_model: String,
    /// The environment variable that holds the worker's key.
    #[arg(long, value_name = "VARIABLE")]
    worker_key: Option<String>,
    /// The model that suggests the next step. `local/facts` works offline.
    #[arg(long, default_value = "local/facts", value_name = "PROVIDER/MODEL")]
    suggest: String,
    /// The model that reviews each turn; without one, nothing does. `local/facts` works offline.
    #[arg(long, value_name = "PROVIDER/MODEL")]
    advisor: Option<ModelId>,
    /// A provider for the two above, with the variable that holds its key.
    #[arg(long = "provider", value_name = "NAME=URL[,VARIABLE]", value_parser = provider)]
    providers: Vec<(String, ProviderConfig)>,
    /// How many rounds autorun may start.
    #[arg(long, default_value_t = 24, value_name = "NUMBER")]
    rounds: u32,
    /// The folder to work in.
    #[arg(long, default_value = ".", value_name = "FOLDER")]
    folder: PathBuf,
}

fn provider(text: &str) -> Result<(String, ProviderConfig), String> {
    let (name, place) = text.split_once('=').ok_or("write NAME=URL or NAME=URL,VARIABLE")?;
    let (url, key_env) =
        place.split_once(',').map_or((place, None), |(url, key)| (url, Some(key.to_owned())));
    Ok((
        name.to_owned(),
        ProviderConfig { base_url: Some(url.to_owned()), key_env, ..ProviderConfig::default() },
    ))
}

// docs: engine
/// The engine: one for the process, however many sessions it has.
fn engine(providers: Vec<(String, ProviderConfig)>) -> anyhow::Result<Engine> {
    let table =
        ProviderTable::new(providers.into_iter().collect::<BTreeMap<_, _>>(), Environment::process())?;
    // Both levels of rule P1: a key, where one is needed, and a word of the person. Every model here is named on the
    // command line, by the person, for this one session; a harness that reads models from a file leaves the word to
    // `allowTransfer` and `SUGGEST_ALLOW_TRANSFER`: `TransferPolicy::from_environment()`.
    let engine = Engine::builder().providers(Arc::new(table)).transfer_policy(TransferPolicy::Allowed);
    Ok(engine.build()?)
}
// docs: end

// docs: session
/// A session of the engine for the session of the harness.
fn open(engine: &Engine, arguments: &Arguments, host: Arc<Requests>) -> anyhow::Result<SessionHandle> {
    let advisor = arguments.advisor.as_ref().map(|model| (model.provider(), model.model()));
    let (advisor_provider, advisor_model) = advisor.unwrap_or_default();
    let config = serde_json::json!({
        "promptModel": arguments.suggest,
        "promptMaxRounds": arguments.rounds,
        // With half of the pair, or none of it, there is no advisor (rule V1).
        "advisor": { "provider": advisor_provider, "model": advisor_model },
        // A terminal has no place for cards.
        "cards": { "enabled": false },
        "summary": { "enabled": false },
    });
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    // An id that is used twice would use the numbers of offers twice (rule D11).
    let setup = SessionSetup::new(format!("harness-{}", std::process::id()))
        .with_folders(Some(text(arguments.folder.clone())), std::env::home_dir().map(text))
        .with_model_source(ModelSource::Flag);
    Ok(engine.open_session(setup, Config::from_json(&config)?, host))
}
// docs: end

fn worker(arguments: &Arguments) -> anyhow::Result<Arc<dyn Worker>> {
    if arguments.worker == "scripted" {
        return Ok(Arc::new(Scripted));
    }
    let key = arguments.worker_key.as_ref().map(std::env::var).transpose();
    let key = key.context("the variable of --worker-key is not set")?;
    Ok(Arc::new(Endpoint::new(&arguments.worker, &arguments.worker_model, key)?))
}

/// Reads lines on a thread of its own: a blocking read of the terminal must not hold up the end of the process.
fn lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

fn interrupts() -> mpsc::UnboundedReceiver<()> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move { while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).is_ok() {} });
    receiver
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    // The worker's client wants a process-wide cryptography; the suggestions' client brings its own.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut arguments = Arguments::parse();
    let folder = std::fs::canonicalize(&arguments.folder).context("the folder cannot be worked in")?;
    arguments.folder = folder.clone();
    let worker = worker(&arguments)?;
    let engine = engine(std::mem::take(&mut arguments.providers))?;
    let (sender, requests) = mpsc::unbounded_channel();
    let session = open(&engine, &arguments, Arc::new(Requests(sender)))?;

    let inputs = Inputs { lines: lines(), interrupts: interrupts(), requests };
    let mut screen = Screen::new(std::io::stdout());
    screen.say("harness", "ask the worker for something; /help says what else there is");
    Harness::new(session, worker, folder, inputs, screen).run().await;
    // docs: shutdown
    engine.shutdown().await;
    // docs: end
    Ok(())
}
