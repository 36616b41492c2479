//! `suggest hook`: what a harness starts when a turn has ended. It answers at once; the work goes on behind it.

use crate::bar::one_line;
use crate::cli::Global;
use crate::exit::{Exit, Failure};
use crate::hosts::{
    Host, Job, NotifyEvent, Record, StopEvent, StopHook, Store, codex_home, run_job, start_job,
};
use crate::output::Output;
use clap::{Args, Subcommand};
use serde_json::json;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use suggest_core::OfferView;

/// The most bytes of an event. It repeats the last message, and nothing in it that is needed stands behind that.
const LONGEST_EVENT: u64 = 16 * 1024 * 1024;

/// How long a hook that shows the offer itself waits for it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Called by a harness when a turn has ended; `suggest install` sets it up
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    #[command(subcommand)]
    host: HookHost,
}

#[derive(Debug, Subcommand)]
enum HookHost {
    /// The Stop hook of Claude Code: reads its event from standard input
    ClaudeCode(HookOptions),
    /// The notify program of Codex, which passes its event as the last argument, or its Stop hook
    Codex(CodexArgs),
}

#[derive(Debug, Args)]
struct HookOptions {
    /// Wait up to 10 seconds for the offer and show it as the hook's message
    #[arg(long)]
    system_message: bool,
    /// Sessions that no person sits before count too
    #[arg(long)]
    headless: bool,
    /// The background part of this command
    #[arg(long, hide = true)]
    work: bool,
}

#[derive(Debug, Args)]
struct CodexArgs {
    #[command(flatten)]
    options: HookOptions,
    /// A word of another program that gets the same event, one option a word
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    then: Vec<String>,
    /// The event; without it the event of a Stop hook is read from standard input
    #[arg(value_name = "EVENT")]
    event: Option<String>,
}

pub(crate) fn run(arguments: &HookArgs, global: &Global, output: &Output) -> Result<Exit, Failure> {
    let (options, job) = match &arguments.host {
        HookHost::ClaudeCode(options) => (options, None),
        HookHost::Codex(arguments) => (&arguments.options, Some(arguments)),
    };
    if options.work {
        let job: Job = serde_json::from_slice(&standard_input()?).map_err(|_| not_by_hand())?;
        run_job(&job)?;
        return Ok(Exit::Success);
    }
    let job = match job {
        None => claude_code()?,
        Some(arguments) => codex(arguments)?,
    };
    let Some(mut job) = job else { return Ok(Exit::Success) };
    // Where the worker was sent on before, only the transcript knows whether this is the end.
    let shows = options.system_message && !job.continued;
    job.at_once = shows;
    job.headless = options.headless;
    job.config.clone_from(&global.config);
    let store = Store::open(job.host)?;
    let job = start_job(&store, job)
        .map_err(|error| Failure::failed(format_args!("cannot start the background work: {error}")))?;
    if shows && let Some(offer) = wait_for(&store, &job) {
        output.json(&json!({ "systemMessage": message(&offer) }))?;
    }
    Ok(Exit::Success)
}

/// The job of a Stop event of Claude Code; none for an event that starts nothing.
fn claude_code() -> Result<Option<Job>, Failure> {
    let event = StopEvent::read(&standard_input()?).ok_or_else(not_by_hand)?;
    if let Some(why) = event.ignored() {
        tracing::debug!(?why, "nothing starts");
        return Ok(None);
    }
    Ok(Some(Job {
        host: Host::ClaudeCode,
        answer: event.answer(),
        session: event.session_id,
        transcript: event.transcript_path,
        prompt: event.prompt_id,
        workspace: event.cwd,
        at_once: false,
        continued: event.stop_hook_active,
        headless: false,
        config: None,
        generation: 0,
    }))
}

fn codex(arguments: &CodexArgs) -> Result<Option<Job>, Failure> {
    let job = |session: String, transcript, turn, answer, continued| Job {
        host: Host::Codex,
        session,
        transcript,
        prompt: turn,
        answer,
        workspace: None,
        at_once: false,
        continued,
        headless: false,
        config: None,
        generation: 0,
    };
    match &arguments.event {
        Some(text) => {
            // The person's own program first: it waited for nobody before.
            pass_on(&arguments.then, text);
            let event = NotifyEvent::read(text).ok_or_else(not_by_hand)?;
            let rollout = codex_home().and_then(|home| event.rollout(&home));
            let answer = event.answer();
            Ok(rollout.map(|path| job(event.thread_id, path, event.turn_id, answer, false)))
        }
        None => {
            let event = StopHook::read(&standard_input()?).ok_or_else(not_by_hand)?;
            let (answer, continued) = (event.answer(), event.stop_hook_active);
            Ok(event.rollout().map(|path| job(event.session_id, path, event.turn_id, answer, continued)))
        }
    }
}

/// Starts the program that was set before us, with the same event as its last argument.
fn pass_on(words: &[String], event: &str) {
    let Some((program, arguments)) = words.split_first() else { return };
    let started = Command::new(program).args(arguments).arg(event).stdin(Stdio::null()).spawn();
    if let Err(error) = started {
        tracing::warn!(%error, "the program behind us does not start");
    }
}

/// Waits until the work has ended.
fn wait_for(store: &Store, job: &Job) -> Option<OfferView> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let record: Record = store.read(&job.session)?;
        if record.generation != job.generation {
            return None;
        }
        match record.work {
            None => return record.state?.offer.filter(|offer| offer.current),
            Some(work) if work.deferred || work.is_lost() => return None,
            Some(_) => {}
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}

fn message(offer: &OfferView) -> String {
    let text = one_line(&offer.text);
    match offer.kind.label() {
        Some(label) => format!("suggest: {text} ({label} · run it yourself)"),
        None => format!("suggest: {text}"),
    }
}

fn standard_input() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(LONGEST_EVENT)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::failed(format_args!("cannot read standard input: {error}")))?;
    Ok(bytes)
}

fn not_by_hand() -> Failure {
    Failure::failed("this is no event of the harness; nobody types it by hand")
        .with_help("`suggest install claude-code` or `suggest install codex` sets it up")
}
