//! `replay`: scenarios, differences and malformed documents.

use crate::support::{World, root};
use insta::assert_snapshot;
use serde_json::Value;

const SCENARIO: &str = r#"{
    "config": { "promptModel": "example/small" },
    "steps": [
        { "event": { "type": "turn_started", "turn": 1 } },
        { "event": { "type": "message", "author": "human", "text": "Add a --json flag." } },
        { "event": { "type": "turn_ended", "turn": 1, "reason": "completed" } },
        { "reply": { "text": "NEXT: Test `report --json` on an empty ledger." } },
        { "expect": { "state": { "status": "STATUS" } } }
    ]
}"#;

#[test]
fn a_scenario_that_holds_ends_with_0() {
    let world = World::new();
    let file = world.write("s.json", SCENARIO.replace("STATUS", "ready"));
    assert_snapshot!("replay", world.run(&["replay", &file]).ends_with(0));
    let run = world.run(&["replay", "--json", &file]).ends_with(0);
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let steps: Vec<u64> = lines.iter().map(|line| line["step"].as_u64().unwrap()).collect();
    assert_eq!(steps, [0, 1, 2, 3], "expectations print no line");
}

#[test]
fn a_difference_ends_with_1_and_keeps_the_lines_clean() {
    let world = World::new();
    let input = SCENARIO.replace("STATUS", "failed");
    let run = world.run_with_input(&["replay", "--json", "-"], input.as_bytes()).ends_with(1);
    assert!(run.stdout.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{run}");
    assert_snapshot!("replay-difference", run.stderr);
}

#[test]
fn a_document_that_is_no_scenario_ends_with_2() {
    let world = World::new();
    for (name, text) in [
        ("replay-no-json", "{"),
        ("replay-unknown-field", r#"{"steps":[{"evnt":{"type":"idle"}}]}"#),
        ("replay-unknown-key", r#"{"config":{"promtModel":"a/b"},"steps":[]}"#),
        ("replay-key-twice", r#"{"steps":[{"at":1,"at":2}]}"#),
        ("replay-byte-order-mark", "\u{feff}{\"steps\":[]}"),
    ] {
        let file = world.write("s.json", text);
        let run = world.run(&["replay", &file]).ends_with(2);
        assert_eq!(run.stdout, "", "{run}");
        assert_snapshot!(name, run);
    }
    assert_snapshot!("replay-missing", world.run(&["replay", "missing.json"]).ends_with(2));
}

#[test]
fn a_scenario_of_the_repository_plays() {
    let folder = root().join("tests/scenarios");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let world = World::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "json")).step_by(25) {
        world.run(&["replay", "--json", &file.display().to_string()]).ends_with(0);
    }
}
