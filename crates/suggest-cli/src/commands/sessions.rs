//! `suggest sessions`: the sessions that are found in the places of the harnesses.

use crate::exit::{Exit, Failure};
use crate::input::usual_places;
use crate::output::Output;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::{Duration, SystemTime};
use suggest_transcripts::{Format, FoundSession, find_sessions};

const EXAMPLES: &str = "\
Examples:
  suggest sessions                        the newest sessions of every harness
  suggest sessions --limit 5 --json       one JSON object a line
  suggest next ~/.codex/sessions/…/rollout-….jsonl   paste the end of a line behind any command
  suggest next --session \"$(suggest sessions --limit 1 --json | jq -r .id)\"";

/// List the sessions of every harness that are found in its usual place, newest first
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SessionsArgs {
    /// List at most so many
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    limit: usize,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

/// One found session, as printed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SessionReport {
    /// Whose it is.
    harness: &'static str,
    /// The folder that it works in, where that is known.
    project: Option<String>,
    /// How many seconds ago it last changed.
    age_seconds: u64,
    /// How many turns it has; null where counting them would take long.
    turns: Option<u64>,
    /// Its id, where that is known.
    id: Option<String>,
    /// The file that holds it.
    path: String,
    /// Whether the file holds other sessions, too, so that the id chooses this one.
    in_store: bool,
}

impl SessionReport {
    fn new(found: FoundSession, now: SystemTime) -> Self {
        Self {
            harness: found.harness.name(),
            in_store: found.harness.format() == Some(Format::OpencodeStore),
            project: found.project,
            age_seconds: now.duration_since(found.modified).unwrap_or_default().as_secs(),
            turns: found.turns,
            id: found.id,
            path: found.path.display().to_string(),
        }
    }

    fn for_people(&self) -> String {
        let turns = match self.turns {
            Some(1) => "1 turn".to_owned(),
            Some(turns) => format!("{turns} turns"),
            None => "many turns".to_owned(),
        };
        format!(
            "{:>4}  {:<11}  {:>10}  {}  {}",
            age(Duration::from_secs(self.age_seconds)),
            self.harness,
            turns,
            self.project.as_deref().unwrap_or("-"),
            self.arguments()
        )
    }

    /// What names it on the command line of a shell.
    fn arguments(&self) -> String {
        match &self.id {
            Some(id) if self.in_store => format!("{} --session {}", word(&self.path), word(id)),
            _ => word(&self.path),
        }
    }
}

/// A word of a shell's command line: quoted where it has to be.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// A short age: `12s`, `5m`, `3h`, `2d`.
fn age(age: Duration) -> String {
    let seconds = age.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

pub(crate) fn run(arguments: &SessionsArgs, output: &Output) -> Result<Exit, Failure> {
    let places = usual_places().ok_or_else(|| {
        Failure::failed("the home folder is not known")
            .with_help("set HOME to the folder that holds your sessions")
    })?;
    let found = find_sessions(&places, arguments.limit);
    if found.is_empty() {
        output.note("no session was found in the usual places of the harnesses");
    }
    let now = SystemTime::now();
    for session in found {
        let report = SessionReport::new(session, now);
        if arguments.json {
            output.json(&report)?;
        } else {
            output.answer(&crate::output::plain(&report.for_people()))?;
        }
    }
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_can_be_pasted_into_a_shell() {
        assert_eq!(word("/home/user/.codex/a-1.jsonl"), "/home/user/.codex/a-1.jsonl");
        assert_eq!(word("/home/a b/it's"), "'/home/a b/it'\\''s'");
        assert_eq!(word(""), "''");
    }

    #[test]
    fn ages_are_short() {
        let of = |seconds| age(Duration::from_secs(seconds));
        assert_eq!(
            [of(0), of(59), of(60), of(3_599), of(7_200), of(200_000)],
            ["0s", "59s", "1m", "59m", "2h", "2d"]
        );
    }
}
