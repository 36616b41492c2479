//! Plays every scenario of `tests/scenarios` against the real core. Each file is one behaviour, and its name says it.

use std::panic::catch_unwind;
use std::path::Path;
use suggest_testkit::{play_file, scenario_files};

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
