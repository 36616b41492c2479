//! `suggest serve`: the board, where a person picks the next piece of work for several sessions.

mod folders;
mod follow;

use crate::cli::Global;
use crate::config::{self, Wanted};
use crate::exit::{Exit, Failure};
use crate::hosts::{make_private, state_folder};
use crate::output::Output;
use crate::setup;
use clap::Args;
use folders::Folders;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use suggest_board::{Board, BoardServer, ServeLimits, ServeOptions, Token};
use suggest_core::{AdvisorConfig, Config};
use suggest_engine::Engine;
use suggest_store::CardStore;
use tokio::runtime::Runtime;

const NOTES: &str = "\
The link that is printed opens the page. It is good once; when it was used, the next one is printed.

Without folders the sessions are looked for where the harnesses keep them. Programs may tell of other sessions over the
API, which /api/openapi.json describes. What cards and summaries may ask of models, the sections `cards` and `summary` of
the configuration say; without a model they are made here, from the facts of the sessions.

Examples:
  suggest serve                           the sessions of this person, for this computer alone
  suggest serve --port 0 ~/.dsh/sessions  these logs, on any free port
  suggest serve --bind 192.168.1.5 --port 7420 --token-file ~/.suggest-token

Exit status:
  0    ended by Ctrl-C or a signal
  1    the port, the store or the token cannot be used
  2    wrong usage or configuration";

/// Serve the board: what idle sessions could do next, in a browser
#[derive(Debug, Args)]
#[command(after_help = NOTES)]
pub(crate) struct ServeArgs {
    /// Watch the session logs in these folders instead of the usual places
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Listen on this port; 0 takes any free one
    #[arg(long, value_name = "N", default_value_t = 7420)]
    port: u16,
    /// Listen on this address; any but a loopback one needs --token-file
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// Read the token from this file, which only its owner may read
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Answer under this host name, too; may be given several times
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Keep cards and summaries in this file
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Watch no logs; sessions come over the API alone
    #[arg(long, conflicts_with = "folders")]
    no_logs: bool,
}

pub(crate) fn run(arguments: &ServeArgs, global: &Global, output: &Output) -> Result<Exit, Failure> {
    if !arguments.bind.is_loopback() && arguments.token_file.is_none() {
        return Err(Failure::usage(format_args!(
            "{} can be reached by others, so it needs a token of yours",
            arguments.bind
        ))
        .with_help("write a token to a file that only you can read, and name it with --token-file"));
    }
    let settings = config::load(Wanted { config: global.config.as_deref(), model: None })?;
    settings.warnings.iter().for_each(|warning| output.warning(warning));
    let table = Arc::new(setup::providers(&settings)?);
    let config = board_config(&settings.config);
    for model in [&config.cards.model, &config.summary.model].into_iter().flatten() {
        table.readiness(&setup::model_id(model)?).map_err(Failure::usage)?;
    }
    let folders = if arguments.no_logs {
        Folders::None
    } else if arguments.folders.is_empty() {
        Folders::usual()
    } else {
        Folders::named(&arguments.folders)?
    };
    let (store, token) = kept(arguments)?;
    let warnings: Vec<String> = store.take_warnings().iter().map(ToString::to_string).collect();
    warnings.iter().chain(&store.failing()).for_each(|warning| output.warning(warning));
    let runtime = runtime()?;
    let options = ServeOptions::new(SocketAddr::new(arguments.bind, arguments.port), token)
        .with_names(arguments.allow_host.clone())
        .with_limits(limits())
        .on_link(move |link| {
            // Whoever closed standard output has the link already.
            let _ = Output::new().stream(&link);
        });
    let ended = runtime.block_on(async {
        let engine = Engine::builder()
            .resolve_with(move |route| setup::resolve(&table, route))
            .store(Arc::new(store.clone()))
            .build()
            .map_err(Failure::failed)?;
        let board = Board::new(engine, store, config, settings.model_source());
        warnings.iter().for_each(|warning| board.notice(warning));
        let ending = ending()?;
        let server = BoardServer::bind(board.clone(), options).await.map_err(|error| {
            Failure::failed(error).with_help("choose another --port, or 0 for any free one")
        })?;
        output.note(&format!("the board is served on {}; Ctrl-C ends it", server.address()));
        let logs = follow::start(board, folders);
        server.run(ending).await;
        logs.end();
        Ok(Exit::Success)
    });
    runtime.shutdown_background();
    ended
}

/// Ready when somebody asks the process to end.
#[cfg(unix)]
fn ending() -> Result<impl Future<Output = ()>, Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| {
        signal(kind).map_err(|error| Failure::failed(format_args!("cannot listen for signals: {error}")))
    };
    let (mut interrupt, mut terminate) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    let mut hang_up = listen(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}

/// Ready when somebody asks the process to end.
#[cfg(not(unix))]
fn ending() -> Result<impl Future<Output = ()>, Failure> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

/// The board's voices alone: the director and the advisor belong to whoever drives a session.
fn board_config(config: &Config) -> Config {
    let mut config = config.clone();
    config.prompt_model = None;
    config.advisor = AdvisorConfig::default();
    config
}

fn limits() -> ServeLimits {
    let mut limits = ServeLimits::default();
    limits.home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().display().to_string());
    limits
}

/// The store and the token, in the folder for what must be remembered unless the person names other files.
fn kept(arguments: &ServeArgs) -> Result<(CardStore, Token), Failure> {
    let folder = if arguments.store.is_none() || arguments.token_file.is_none() {
        let folder = state_folder()?;
        make_private(&folder).map_err(|error| {
            Failure::failed(format_args!("cannot make the folder {}: {error}", folder.display()))
        })?;
        folder
    } else {
        PathBuf::new()
    };
    let place = |named: &Option<PathBuf>, usual: &str| named.clone().unwrap_or_else(|| folder.join(usual));
    let store = CardStore::open(place(&arguments.store, "suggestions.json")).map_err(Failure::failed)?;
    let token = match &arguments.token_file {
        Some(path) => read_token(path)?,
        None => Token::read_or_make(&folder.join("board-token")).map_err(Failure::failed)?,
    };
    Ok((store, token))
}

fn read_token(path: &Path) -> Result<Token, Failure> {
    Token::read(path).map_err(|error| {
        Failure::usage(error).with_help("for a new one: (umask 077; openssl rand -hex 32 > FILE)")
    })
}

/// Two threads: a board that many watch still takes events.
fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format_args!("cannot start: {error}")))
}
