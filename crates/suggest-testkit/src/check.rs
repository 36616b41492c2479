//! A helper for tests.

use crate::player::{Outcome, Player};
use crate::scenario::Scenario;

/// Plays a scenario against the real core and gives what happened; for tests.
///
/// # Panics
/// When the document is malformed or an expectation does not hold, with everything that differs.
#[track_caller]
#[expect(clippy::panic, reason = "a test fails by a panic, and this is only for tests")]
pub fn check(scenario: &str) -> Outcome {
    let scenario = match Scenario::from_json(scenario) {
        Ok(scenario) => scenario,
        Err(error) => panic!("malformed scenario: {error}"),
    };
    let outcome = Player::new(&scenario).play();
    if !outcome.mismatches.is_empty() {
        let differences: Vec<_> = outcome.mismatches.iter().map(ToString::to_string).collect();
        panic!("{}", differences.join("\n"));
    }
    outcome
}
