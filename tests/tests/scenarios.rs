//! Plays every scenario of `tests/scenarios` against the real core. Each file is one behaviour, and its name says it.

use std::panic::catch_unwind;
use std::path::Path;
use suggest_core::{Effect, State};
use suggest_testkit::{play_file, play_folder, scenario_files};

/// Why the scenario in a file does not show what its name says, or nothing if it does.
fn failure(file: &Path) -> Option<String> {
    // One file must not hide the others, whatever it makes the core do.
    let Ok(report) = catch_unwind(|| play_file(file)) else {
        return Some("the core panics".to_owned());
    };
    match &report.result {
        Err(error) => Some(error.to_string()),
        Ok(outcome) if outcome.mismatches.is_empty() && outcome.matched.is_empty() => {
            Some("it expects nothing, and so shows nothing".to_owned())
        }
        Ok(outcome) if outcome.mismatches.is_empty() => None,
        Ok(outcome) => {
            let differences: Vec<_> = outcome.mismatches.iter().map(ToString::to_string).collect();
            Some(differences.join("\n"))
        }
    }
}

#[test]
fn every_scenario_shows_what_its_name_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let files = scenario_files(&folder).unwrap();
    assert!(!files.is_empty(), "no scenarios in {}", folder.display());
    let failures: Vec<_> = files
        .iter()
        .filter_map(|file| {
            let name = file.strip_prefix(&folder).unwrap_or(file).display().to_string();
            failure(file).map(|failure| format!("{name}\n  {}\n", failure.replace('\n', "\n  ")))
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} scenarios fail:\n\n{}",
        failures.len(),
        files.len(),
        failures.join("\n"),
    );
}

/// Rule S3 for the whole machine: no clock, no chance, no order of a map reaches a line.
#[test]
fn s3_playing_a_scenario_again_gives_the_same_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let play = || play_folder(&folder).unwrap().into_iter().filter_map(|report| report.result.ok());
    for (first, second) in play().zip(play()) {
        assert_eq!(first, second);
    }
}

#[test]
fn every_printed_line_reads_back_as_the_same_state_and_effects() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    for report in play_folder(&folder).unwrap() {
        for line in report.result.map(|outcome| outcome.lines).unwrap_or_default() {
            let printed: serde_json::Value = serde_json::from_str(&line.to_json().unwrap()).unwrap();
            let state: State = serde_json::from_value(printed["state"].clone()).unwrap();
            let effects: Vec<Effect> = serde_json::from_value(printed["effects"].clone()).unwrap();
            assert_eq!((state, effects), (line.state, line.effects), "{}", report.path.display());
        }
    }
}
