//! `suggest statusline`: the bar in one line, from what the hook's work left. It calls nothing and waits for nothing.

use crate::bar::{Words, fit, mark, one_line, reason_line};
use crate::exit::{Exit, Failure};
use crate::hosts::{Host, Phase, Record, StatusInput, Store};
use crate::output::Output;
use clap::{Args, Subcommand};
use std::io::{IsTerminal as _, Read as _};
use suggest_core::{State, Status};

/// The most bytes of the input.
const LONGEST_INPUT: u64 = 4 * 1024 * 1024;

const NOTES: &str = "\
Examples:
  suggest statusline claude-code           Claude Code calls it; `suggest install claude-code` sets it up
  suggest statusline codex                 the newest session of Codex, for the status bar of a terminal multiplexer
  tmux set -g status-right '#(suggest statusline codex)'";

/// Print the bar in one line, for a status line
#[derive(Debug, Args)]
#[command(after_help = NOTES)]
pub(crate) struct StatuslineArgs {
    #[command(subcommand)]
    host: StatuslineHost,
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum StatuslineHost {
    /// The session that Claude Code names on standard input
    ClaudeCode,
    /// The session of Codex whose turn ended last
    Codex,
}

pub(crate) fn run(arguments: &StatuslineArgs, output: &Output) -> Result<Exit, Failure> {
    let words = Words::of_environment();
    let line = match arguments.host {
        StatuslineHost::ClaudeCode => {
            let input = StatusInput::read(&standard_input()).unwrap_or_default();
            let record = Store::open(Host::ClaudeCode)?.read(&input.session_id);
            status_line(record.as_ref(), input.prompt_id.as_deref(), words)
        }
        StatuslineHost::Codex => status_line(Store::open(Host::Codex)?.newest().as_ref(), None, words),
    };
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse::<usize>().ok());
    output.answer(&match columns {
        Some(columns) if columns > 0 => fit(&line, columns),
        _ => line,
    })?;
    Ok(Exit::Success)
}

fn standard_input() -> Vec<u8> {
    let mut bytes = Vec::new();
    if !std::io::stdin().is_terminal() {
        // Without input the line is that of a session which nothing is known of.
        let _ = std::io::stdin().lock().take(LONGEST_INPUT).read_to_end(&mut bytes);
    }
    bytes
}

/// The line of a session; `prompt` is the prompt that the harness works on or worked on last.
fn status_line(record: Option<&Record>, prompt: Option<&str>, words: &Words) -> String {
    let idle = || format!("{} {}", mark(Status::Idle), words.idle);
    let Some(record) = record else { return idle() };
    if let Some(work) = &record.work {
        return match work.phase {
            _ if work.is_lost() => {
                format!("{} {} · {}", mark(Status::Failed), words.failed, words.work_lost)
            }
            Phase::Waiting => idle(),
            Phase::Asking => format!("{} {}", mark(Status::Analyzing), words.analyzing),
        };
    }
    // The person went on: what was offered answers an older situation (rule D5).
    let is_older = prompt.is_some() && record.prompt.is_some() && record.prompt.as_deref() != prompt;
    match &record.state {
        Some(state) if !is_older => line_of(state, words),
        _ => idle(),
    }
}

fn line_of(state: &State, words: &Words) -> String {
    let mut parts = vec![format!("{} {}", mark(state.status), words.status(state.status))];
    if let Some(offer) = state.offer.as_ref().filter(|offer| offer.current) {
        parts = vec![format!("{} {}: {}", mark(state.status), words.ready, one_line(&offer.text))];
        parts.extend(words.kind(offer.kind).map(str::to_owned));
    }
    parts.extend(state.reason.as_ref().map(|reason| one_line(&reason_line(reason, words))));
    parts.join(" · ")
}
