//! The work behind a hook: a process of its own that outlives the hook, waits for the end of the turn where it must,
//! asks once, and leaves what came of it in the session's record.

use super::Host;
use super::end::End;
use super::store::{Phase, Record, Store, Work};
use super::transcript::Transcript;
use crate::config::{self, Settings, Wanted};
use crate::exit::Failure;
use crate::follow::first_bytes;
use crate::setup;
use serde::{Deserialize, Serialize};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use suggest_core::{Coded, EndReason, Event, ReasonCode, Session, SessionSetup, State, Status};
use suggest_engine::{Engine, NoHost};
use suggest_transcripts::{Format, SessionInfo};

/// How often the transcript and the record are looked at.
pub(super) const LOOK: Duration = Duration::from_millis(100);

/// What is to be done. It goes from one process to the other through a pipe, and is written nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) host: Host,
    pub(crate) session: String,
    pub(crate) transcript: PathBuf,
    /// The harness's id of the turn.
    pub(crate) prompt: Option<String>,
    /// The last message of the turn, where the harness tells it: the session file may lag behind.
    pub(crate) answer: Option<String>,
    pub(crate) workspace: Option<String>,
    /// Somebody waits for the answer: the turn is over, whatever the transcript says yet.
    pub(crate) at_once: bool,
    /// The worker was sent on before in this turn.
    pub(crate) continued: bool,
    /// Sessions without a person count too (rule D12).
    pub(crate) headless: bool,
    pub(crate) config: Option<PathBuf>,
    pub(crate) generation: u64,
}

/// Writes that the work begins, and starts its process. It goes on when we end.
pub(crate) fn start(store: &Store, mut job: Job) -> io::Result<Job> {
    store.update(&job.session, |record| {
        record.generation = record.generation.saturating_add(1);
        record.work = Some(Work::new(Phase::Waiting));
        job.generation = record.generation;
        true
    })?;
    let started = Command::new(std::env::current_exe()?)
        .args(["hook", job.host.name(), "--work"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .and_then(|mut child| match child.stdin.take() {
            Some(mut input) => {
                serde_json::to_writer(&mut input, &job).map_err(io::Error::from).and_then(|()| input.flush())
            }
            None => Err(io::Error::from(io::ErrorKind::BrokenPipe)),
        });
    if let Err(error) = started {
        let state = failed_state(ReasonCode::Cancelled, "the background work cannot start");
        store.update(&job.session, |record| finish(record, &job, state))?;
        return Err(error);
    }
    Ok(job)
}

/// Does the work. What goes wrong is in the record: nobody reads what this process prints.
pub(crate) fn run(job: &Job) -> Result<(), Failure> {
    #[cfg(unix)]
    // Neither the end of the terminal nor that of the harness's process group shall end it.
    let _ = rustix::process::setsid();
    let store = Store::open(job.host)?;
    let mine = store.update(&job.session, |record| {
        let current = record.generation == job.generation;
        if let (true, Some(work)) = (current, &mut record.work) {
            work.process = Some(std::process::id());
        }
        current
    });
    if !mine.map_err(|error| unwritable(&error))? {
        return Ok(());
    }
    let ended = attempt(&store, job);
    let state = match ended {
        Ok(Outcome::Superseded) => return Ok(()),
        Ok(Outcome::Known) => None,
        Ok(Outcome::State { state, answered }) => Some((*state, answered)),
        Err(failure) => Some((failed_state(ReasonCode::Cancelled, &failure.message), None)),
    };
    store
        .update(&job.session, |record| {
            if record.generation != job.generation {
                return false;
            }
            match state {
                Some((state, answered)) => {
                    record.answered = answered;
                    finish(record, job, state)
                }
                None => {
                    record.work = None;
                    true
                }
            }
        })
        .map_err(|error| unwritable(&error))?;
    store.forget_old();
    Ok(())
}

/// How the work ended.
enum Outcome {
    /// Newer work has begun.
    Superseded,
    /// The turn was answered before.
    Known,
    State {
        state: Box<State>,
        answered: Option<u64>,
    },
}

fn attempt(store: &Store, job: &Job) -> Result<Outcome, Failure> {
    let settings = config::load(Wanted { config: job.config.as_deref(), model: None })?;
    let format = match job.host {
        Host::ClaudeCode => Format::ClaudeCode,
        Host::Codex => Format::Codex,
    };
    let unreadable =
        |error: io::Error| Failure::failed(format_args!("cannot read {}: {error}", job.transcript.display()));
    let mut transcript =
        Transcript::read(format, &job.transcript, job.prompt.as_deref()).map_err(unreadable)?;
    let end = match super::end::wait_for(store, job, &mut transcript) {
        Ok(End::Superseded) => return Ok(Outcome::Superseded),
        Ok(End::Missing) => {
            let state =
                failed_state(ReasonCode::Cancelled, "the session file does not hold the turn that ended");
            return Ok(Outcome::State { state: Box::new(state), answered: None });
        }
        Ok(end) => end,
        Err(error) => return Err(unreadable(error)),
    };
    let fingerprint = transcript.fingerprint();
    let known = store.read(&job.session).and_then(|record| record.answered) == Some(fingerprint);
    if known {
        return Ok(Outcome::Known);
    }
    let told = transcript.open_turn().filter(|_| end == End::Told);
    let (history, mut news) = transcript.split_at_end();
    // The harness itself said that the turn has ended, before it wrote so.
    news.extend(told.map(|turn| Event::TurnEnded { turn, reason: EndReason::Completed }));
    let ended = !news.is_empty();
    let state = ask(store, job, &settings, &mut transcript, history, news)?;
    Ok(match state {
        Some(state) => Outcome::State { state: Box::new(state), answered: ended.then_some(fingerprint) },
        None => Outcome::Superseded,
    })
}

/// Asks once for the turn that has ended. `None` when newer work took over.
fn ask(
    store: &Store,
    job: &Job,
    settings: &Settings,
    transcript: &mut Transcript,
    history: Vec<Event>,
    news: Vec<Event>,
) -> Result<Option<State>, Failure> {
    let table = Arc::new(setup::providers(settings)?);
    let runtime = setup::runtime()?;
    let engine = Engine::builder()
        .runtime(runtime.handle().clone())
        .resolve_with(move |route| setup::resolve(&table, route))
        .build()
        .map_err(Failure::failed)?;
    let next_offer = store.read(&job.session).map_or(1, |record| record.next_offer.max(1));
    let setup = session_setup(job, settings, next_offer);
    let session = engine.open_session(setup, settings.config.clone(), Arc::new(NoHost));
    history.into_iter().for_each(|event| session.history(event));
    let asking = store.update(&job.session, |record| {
        let current = record.generation == job.generation;
        if let (true, Some(work)) = (current, &mut record.work) {
            work.phase = Phase::Asking;
        }
        current
    });
    if !asking.map_err(|error| unwritable(&error))? {
        return Ok(None);
    }
    runtime.block_on(async {
        let mut watch = session.watch();
        news.into_iter().for_each(|event| session.event(event));
        let state = loop {
            let wait = watch.wait_for(|state| state.status != Status::Analyzing);
            if let Ok(state) = tokio::time::timeout(LOOK, wait).await {
                break state;
            }
            if !is_current(store, job) {
                break None;
            }
            // The person went on: the core drops what it asked for (rule D5).
            if transcript.read_on().is_ok() {
                transcript.fresh().into_iter().for_each(|event| session.event(event));
            }
        };
        engine.shutdown().await;
        Ok(state.map(|state| State::clone(&state)))
    })
}

fn session_setup(job: &Job, settings: &Settings, next_offer: u64) -> SessionSetup {
    let format = match job.host {
        Host::ClaudeCode => Format::ClaudeCode,
        Host::Codex => Format::Codex,
    };
    let first = first_bytes(&job.transcript).unwrap_or_default();
    let info = SessionInfo::of(format, &first);
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().display().to_string());
    let setup = SessionSetup::new(job.session.clone())
        .with_kind(info.kind, job.headless)
        .with_folders(job.workspace.clone().or(info.workspace), home)
        .with_model_source(settings.model_source());
    let ticket = setup.first_ticket;
    setup.resuming(next_offer, ticket, 0)
}

pub(super) fn is_current(store: &Store, job: &Job) -> bool {
    store.read(&job.session).is_some_and(|record| record.generation == job.generation)
}

/// Puts the end of the work into the record.
fn finish(record: &mut Record, job: &Job, state: State) -> bool {
    if record.generation != job.generation {
        return false;
    }
    if let Some(offer) = &state.offer {
        record.next_offer = record.next_offer.max(offer.id.number().saturating_add(1));
    }
    record.work = None;
    record.prompt.clone_from(&job.prompt);
    record.state = Some(state);
    true
}

/// A state that says only why there is nothing.
pub(super) fn failed_state(code: ReasonCode, message: &str) -> State {
    let mut state = Session::new(SessionSetup::new("-"), suggest_core::Config::default()).state();
    state.status = Status::Failed;
    state.reason = Some(Coded { code, message: message.to_owned() });
    state
}

fn unwritable(error: &io::Error) -> Failure {
    Failure::failed(format_args!("cannot keep the state of the session: {error}"))
        .with_help("check XDG_STATE_HOME and who may write there")
}
