//! `suggest sessions`: the sessions that are found in the places of the harnesses.

use crate::exit::{Exit, Failure};
use crate::input::usual_places;
use crate::output::Output;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::{Duration, SystemTime};
use suggest_transcripts::{FoundSession, find_sessions};

const EXAMPLES: &str = "\
Examples:
  suggest sessions                        the newest sessions of every harness
  suggest sessions --limit 5 --json       one JSON object a line
  suggest next \"$(suggest sessions --limit 1 --json | jq -r .path)\"";

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
}

impl SessionReport {
    fn new(found: FoundSession, now: SystemTime) -> Self {
        Self {
            harness: found.harness.name(),
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
            self.path
        )
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
    fn ages_are_short() {
        let of = |seconds| age(Duration::from_secs(seconds));
        assert_eq!(
            [of(0), of(59), of(60), of(3_599), of(7_200), of(200_000)],
            ["0s", "59s", "1m", "59m", "2h", "2d"]
        );
    }
}
