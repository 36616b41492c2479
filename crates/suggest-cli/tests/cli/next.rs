//! `next` and `state` on sessions: formats, damage, turns, and what is said where.

use crate::support::{FAILING, FAILING_STEP, World, events, root, sample};
use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;

#[test]
fn the_sample_session_answers_with_a_fact_offline() {
    assert_snapshot!("sample", World::new().run(&["next", &sample()]).ends_with(0));
    assert_snapshot!("sample-turn-1", World::new().run(&["next", &sample(), "--at-turn", "1"]).ends_with(0));
}

#[test]
fn the_answer_as_json_says_where_everything_came_from() {
    let mut report = World::new().run(&["next", &sample(), "--json"]).ends_with(0).json();
    // How long it took is another thing each time.
    report["usage"]["ms"] = json!(0);
    assert_json_snapshot!("sample-json", report);
}

#[test]
fn the_slice_is_shown_scrubbed_and_nothing_is_called_p2() {
    assert_snapshot!("sample-slice", World::new().run(&["next", &sample(), "--show-slice"]).ends_with(0));
    let world = World::new().configured("promptModel = \"deepseek/deepseek-chat\"");
    let token = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
    let session = world.write("s.jsonl", events(&format!("The token is {token}, so the push works.")));
    let run = world.run(&["next", &session, "--show-slice"]).ends_with(0);
    assert!(run.stdout.contains("[secret:") && !run.stdout.contains(token), "{run}");
}

#[test]
fn the_state_is_printed_without_a_call() {
    assert_snapshot!("state", World::new().run(&["state", &sample()]).ends_with(0));
    let state = World::new().run(&["state", &sample(), "--json"]).ends_with(0).json();
    assert_eq!(state["status"], json!("idle"));
    assert_eq!(state["model"], json!({ "id": "local/facts", "source": "default" }));
    assert_eq!(state["usage"]["calls"], json!(0));
}

fn recordings(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("tests/recordings/dsh").join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    files
}

#[test]
fn every_recording_of_the_host_is_answered_or_says_why_not() {
    let world = World::new();
    let mut table = String::new();
    for folder in ["persisted", "0.1.1-rc.2/persisted"] {
        for file in recordings(folder) {
            let run = world.run(&["next", &file.display().to_string(), "--json"]).ends_with(0);
            let report = run.json();
            let name = file.file_stem().unwrap().to_string_lossy();
            let text =
                report["offer"]["text"].as_str().or(report["reason"]["code"].as_str()).unwrap_or_default();
            writeln!(table, "{folder}/{name}: {} {text}", report["status"].as_str().unwrap()).unwrap();
            assert_eq!(report["log"]["problem_count"], json!(0), "{run}");
        }
    }
    assert_snapshot!("recordings", table);
}

#[test]
fn headless_and_subagent_logs_are_answered_because_a_person_names_them_d12() {
    let world = World::new();
    for name in ["headless", "subagent-child"] {
        let file = root().join(format!("tests/recordings/dsh/persisted/{name}.jsonl"));
        let report = world.run(&["next", &file.display().to_string(), "--json"]).ends_with(0).json();
        assert_ne!(report["status"], json!("off"), "{name}");
    }
}

#[test]
fn a_folder_standard_input_and_a_compressed_log_are_read_alike() {
    let world = World::new();
    let log = std::fs::read(sample()).unwrap();
    let plain = world.run(&["next", &sample()]).stdout;
    world.write("session/session.jsonl", &log);
    world.write("packed/session.jsonl.zstd", raw_zstd(&log));
    for place in ["session", "packed", "packed/session.jsonl.zstd"] {
        assert_eq!(world.run(&["next", place]).ends_with(0).stdout, plain, "{place}");
    }
    for arguments in [&["next"][..], &["next", "-"], &["next", "-", "--format", "dsh"]] {
        assert_eq!(world.run_with_input(arguments, &log).ends_with(0).stdout, plain, "{arguments:?}");
        assert_eq!(world.run_with_input(arguments, &raw_zstd(&log)).ends_with(0).stdout, plain);
    }
    let folder = world.path("empty");
    std::fs::create_dir(&folder).unwrap();
    assert_snapshot!("folder-without-a-log", world.run(&["next", "empty"]).ends_with(1));
}

#[test]
fn compressed_events_are_read_and_a_log_that_is_cut_before_its_first_line_says_so() {
    let world = World::new();
    let packed = raw_zstd(events(FAILING).as_bytes());
    let file = world.write("events.jsonl.zst", &packed);
    for arguments in [&["next", &file][..], &["next", &file, "--format", "events"]] {
        assert_eq!(world.run(arguments).ends_with(0).stdout, FAILING_STEP, "{arguments:?}");
    }
    assert_eq!(world.run_with_input(&["next", "-"], &packed).ends_with(0).stdout, FAILING_STEP);
    let log = raw_zstd(&std::fs::read(sample()).unwrap());
    let cut = world.write("session.jsonl.zstd", log.get(..8).unwrap());
    for run in [world.run(&["next", &cut]), world.run_with_input(&["next", "-"], log.get(..8).unwrap())] {
        let run = run.ends_with(1);
        assert!(run.stderr.contains("compressed with zstd, and cut off or damaged"), "{run}");
    }
    let other = world.write("notes.zst", raw_zstd(b"no session\n"));
    assert!(world.run(&["next", &other]).ends_with(1).stderr.contains("not a session"));
}

#[test]
fn an_earlier_turn_is_hinted_at_only_where_there_is_one() {
    let world = World::new();
    let running = "{\"type\":\"turn_started\",\"turn\":9}\n{\"type\":\"message\",\"author\":\"human\",\"text\":\"Go on.\"}\n";
    let only = world.write("only.jsonl", running);
    assert!(!world.run(&["next", &only]).ends_with(0).stderr.contains("--at-turn"));
    let later = world.write("later.jsonl", events(FAILING) + running);
    assert!(
        world.run(&["next", &later]).ends_with(0).stderr.contains("--at-turn N looks at an earlier turn")
    );
}

/// A compressed log whose blocks are stored as they are.
fn raw_zstd(bytes: &[u8]) -> Vec<u8> {
    // Magic; a frame header with a window of 1 MiB and no checksum.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50];
    let mut blocks = bytes.chunks(64 * 1024).peekable();
    while let Some(block) = blocks.next() {
        let last = u32::from(blocks.peek().is_none());
        let header = last | (u32::try_from(block.len()).unwrap() << 3);
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.extend_from_slice(block);
    }
    frame
}

#[test]
fn neutral_events_are_read_and_damage_is_told_by_line() {
    let world = World::new();
    let text = events(FAILING);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(0, "{\"type\":\"weather\",\"rain\":true}");
    lines.insert(2, "{\"type\":\"idle\"");
    lines.push("{\"type\":\"turn_sta");
    let lines = lines.join("\n");
    let session = world.write("s.jsonl", &lines);
    let run = world.run(&["next", &session, "--format", "events"]).ends_with(0);
    assert_eq!(run.stdout, FAILING_STEP);
    assert_snapshot!("damaged-events", run);
    let report = world.run(&["next", &session, "--format", "events", "--json"]).ends_with(0).json();
    assert_eq!(
        report["log"],
        json!({
            "events": 4,
            "skipped": 1,
            "skipped_types": { "weather": 1 },
            "torn": true,
            "problems": [{ "line": 3, "message": "not JSON, skipped" }],
            "problem_count": 1,
            "tail_only": false,
            "last_turn": 1,
        })
    );
}

#[test]
fn a_dsh_log_that_tears_or_breaks_is_read_all_the_same() {
    let world = World::new();
    let log = std::fs::read_to_string(sample()).unwrap();
    let mut lines: Vec<&str> = log.lines().collect();
    lines.insert(4, "{broken");
    let broken = world.write("broken.jsonl", lines.join("\n") + "\n{\"type\":\"turn/st");
    let run = world.run(&["next", &broken]).ends_with(0);
    assert_eq!(run.stdout, world.run(&["next", &sample()]).stdout);
    assert!(run.stderr.contains("line 5: not JSON, skipped"), "{run}");
    assert!(run.stderr.contains("the last line is unfinished"), "{run}");
}

#[test]
fn a_large_log_is_read_from_its_tail() {
    let world = World::new();
    let turn = |turn: usize, answer: &str| {
        let message = |role: &str, kind: &str, text: &str| json!({ "role": role, "content": [{ "type": "text", "text": text }], "source": { "kind": kind } });
        let events = [
            ("turn/start", json!({ "turn": turn })),
            ("user/message", message("user", "user", &format!("Step {turn}."))),
            ("assistant/message", json!({ "turn": turn, "message": message("assistant", "model", answer) })),
            ("turn/end", json!({ "turn": turn, "reason": { "kind": "completed" } })),
        ];
        let line = |(kind, data): &(&str, serde_json::Value)| {
            // The host writes the type first.
            format!("{{\"type\":\"{kind}\",\"time\":1,\"data\":{data},\"surfaceOp\":\"append\"}}\n")
        };
        events.iter().map(line).collect::<String>()
    };
    let mut log = String::from("{\"type\":\"session\",\"version\":4,\"id\":\"s\",\"createdAt\":1}\n");
    let filler = "Nothing broke. ".repeat(200);
    (1..1000).for_each(|number| log.push_str(&turn(number, &filler)));
    log.push_str(&turn(1000, FAILING));
    let large = world.write("large.jsonl", log);
    let report = world.run(&["next", &large, "--json"]).ends_with(0).json();
    assert_eq!(report["log"]["tail_only"], json!(true));
    assert_eq!(report["offer"]["text"], json!(FAILING_STEP.trim_end()));
    assert_eq!(report["offer"]["turn"], json!(1000));
}

#[test]
fn events_are_recognised_by_themselves() {
    let world = World::new();
    let run = world.run_with_input(&["next", "-"], events(FAILING).as_bytes()).ends_with(0);
    assert_eq!(run.stdout, FAILING_STEP);
}

#[test]
fn a_turn_that_did_not_complete_gets_no_suggestion() {
    for (end, code) in [
        (Some("aborted"), "turn-not-completed"),
        (Some("failed"), "turn-not-completed"),
        (None, "turn-running"),
    ] {
        let world = World::new();
        let mut lines = events(FAILING);
        lines.push_str("{\"type\":\"turn_started\",\"turn\":2}\n");
        lines.push_str("{\"type\":\"message\",\"author\":\"human\",\"text\":\"Go on.\"}\n");
        if let Some(end) = end {
            writeln!(lines, "{{\"type\":\"turn_ended\",\"turn\":2,\"reason\":\"{end}\"}}").unwrap();
        }
        let session = world.write("s.jsonl", lines);
        let run = world.run(&["next", &session]).ends_with(0);
        assert_eq!(run.stdout, "", "{run}");
        assert!(run.stderr.starts_with("note: no suggestion: "), "{run}");
        let report = world.run(&["next", &session, "--json"]).ends_with(0).json();
        assert_eq!((&report["offer"], &report["reason"]["code"]), (&json!(null), &json!(code)));
        assert_eq!(report["usage"]["calls"], json!(0));
        let earlier = world.run(&["next", &session, "--at-turn", "1"]).ends_with(0);
        assert_eq!(earlier.stdout, FAILING_STEP);
    }
}

#[test]
fn nothing_to_recommend_is_an_answer_d9() {
    let world = World::new();
    let session = world.write("s.jsonl", events("Done."));
    assert_snapshot!("nothing-to-recommend", world.run(&["next", &session]).ends_with(0));
    let report = world.run(&["next", &session, "--json"]).ends_with(0).json();
    assert_eq!(report["reason"]["code"], json!("nothing-to-recommend"));
}

#[test]
fn sessions_that_cannot_be_read_name_the_file_and_the_remedy() {
    let world = World::new();
    let prose = world.write("prose.txt", "Dear diary\n");
    let empty = world.write("empty.jsonl", "");
    let session = world.write("s.jsonl", events(FAILING));
    for (name, arguments, status) in [
        ("missing-file", &["next", "missing.jsonl"][..], 1),
        ("prose", &["next", &prose], 1),
        ("prose-as-dsh", &["next", &prose, "--format", "dsh"], 1),
        ("empty-file", &["next", &empty], 1),
        ("no-such-turn", &["next", &session, "--at-turn", "7"], 2),
        ("no-such-turn-dsh", &["next", &sample(), "--at-turn", "7"], 2),
    ] {
        let run = world.run(arguments).ends_with(status);
        assert_eq!(run.stdout, "", "{run}");
        assert_snapshot!(name, run);
    }
    assert!(world.run(&["state", "missing.jsonl"]).status == Some(1));
}

#[test]
fn an_offer_for_a_person_to_run_carries_its_label_d13() {
    let world = World::new();
    let mut lines = String::from(
        "{\"type\":\"goal\",\"id\":\"g\",\"revision\":1,\"phase\":\"active\",\"objective\":\"Ship the flag\"}\n",
    );
    lines.push_str(&events("All of it is done, and every test passes."));
    let plan = "{\"type\":\"plan\",\"items\":[{\"text\":\"Write the flag\",\"status\":\"completed\"}]}\n";
    // Before the end of the turn.
    let end = lines.trim_end().rfind('\n').unwrap() + 1;
    lines.insert_str(end, plan);
    let session = world.write("s.jsonl", lines);
    let run = world.run(&["next", &session]).ends_with(0);
    assert!(run.stdout.starts_with("Close out the goal"), "{run}");
    assert!(run.stderr.contains("note: edits the goal · run it yourself"), "{run}");
    let report = world.run(&["next", &session, "--json"]).ends_with(0).json();
    assert_eq!(report["offer"]["kind"], json!("goal_edit"));
}

#[test]
fn a_failed_call_of_the_workers_own_books_is_no_step_for_the_person() {
    // The product refused its own plan tool twice; the person has nothing to put right there.
    let session = root().join("tests/recordings/qwen/session/todo.jsonl").display().to_string();
    let run = World::new().run(&["next", &session]).ends_with(0);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("nothing to recommend"), "{run}");
}
