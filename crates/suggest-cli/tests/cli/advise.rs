//! `advise`: the note on turns of a recorded session, offline and with a model on the wire.

use crate::model::{reply, runtime};
use crate::support::{World, root};
use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use suggest_testkit::http::{Ending, Exchange, RecordedRequest, ScriptedServer};

const CLAIM: &str = "The parser is fixed. All tests pass.";
const NOTE: &str = "The turn reports “All tests pass”, but its last run of `cargo test` failed.";

/// A turn as neutral events: what was asked, one run of the tests, what was answered, how it ended.
fn turn(number: u64, ask: &str, ok: bool, answer: &str, end: &str) -> String {
    let printed = if ok { "test result: ok" } else { "test result: FAILED" };
    lines(&[
        json!({ "type": "turn_started", "turn": number }),
        json!({ "type": "message", "author": "human", "text": ask }),
        json!({ "type": "tool", "name": "bash", "summary": format!("cargo test\n{printed}"), "ok": ok }),
        json!({ "type": "message", "author": "assistant", "text": answer }),
        json!({ "type": "turn_ended", "turn": number, "reason": end }),
        json!({ "type": "idle" }),
    ])
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

fn failing(number: u64) -> String {
    turn(number, "Fix the parser.", false, CLAIM, "completed")
}

fn clean(number: u64) -> String {
    turn(number, "Fix the parser.", true, CLAIM, "completed")
}

/// A log of DeepSeek Harness with one turn that runs the tests.
fn dsh_log(ok: bool) -> String {
    let arguments = json!({ "command": "cargo test" }).to_string();
    let call = json!({ "type": "tool-call", "id": "c1", "name": "bash", "arguments": arguments });
    let printed = if ok { "test result: ok" } else { "test result: FAILED" };
    let result = json!({ "type": "tool-result", "toolCallId": "c1", "isError": !ok,
        "content": [{ "type": "text", "text": printed }] });
    let model = json!({ "kind": "model", "provider": "p", "model": "m" });
    let message = |id: &str, role: &str, source: Value, content: Value| json!({ "id": id, "role": role, "source": source, "content": [content] });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let events = [
        ("turn/start", json!({ "turn": 1 })),
        ("user/message", message("u1", "user", json!({ "kind": "user" }), text("Fix the parser."))),
        ("step/start", json!({ "turn": 1, "step": 1 })),
        (
            "assistant/message",
            json!({ "turn": 1, "step": 1, "message": message("a1", "assistant", model.clone(), call) }),
        ),
        (
            "tool/call",
            json!({ "turn": 1, "step": 1, "callId": "c1", "name": "bash", "arguments": arguments }),
        ),
        (
            "tool/result",
            json!({ "turn": 1, "step": 1, "message": message("t1", "user", json!({ "kind": "tool", "callId": "c1" }), result) }),
        ),
        (
            "assistant/message",
            json!({ "turn": 1, "step": 2, "message": message("a2", "assistant", model, text(CLAIM)) }),
        ),
        ("step/end", json!({ "turn": 1, "step": 2 })),
        ("turn/end", json!({ "turn": 1, "reason": "completed" })),
    ];
    let mut log =
        lines(&[json!({ "type": "session", "version": 0, "id": "s", "createdAt": 1, "cwd": "/w" })]);
    for (number, (kind, data)) in events.iter().enumerate() {
        log.push_str(&lines(&[json!({ "type": kind, "seq": number, "time": number + 1, "data": data })]));
    }
    log
}

/// A world whose reviewer is this server's.
fn world(server: &ScriptedServer) -> World {
    World::new().configured(&format!(
        "[advisor]\nprovider = \"acme\"\nmodel = \"small\"\n[providers.acme]\nbaseUrl = \"{}\"\nkeyEnv = \"ACME_KEY\"\n",
        server.url("/v1")
    ))
    .with("ACME_KEY", "sk-test")
}

/// One run with a scripted reviewer: the run, and what the reviewer was sent.
fn asked(script: Vec<Exchange>, session: &str, more: &[&str]) -> (crate::support::Run, Vec<RecordedRequest>) {
    let runtime = runtime();
    let server = runtime.block_on(ScriptedServer::start(script)).unwrap();
    let world = world(&server);
    let session = world.write("s.jsonl", session);
    let arguments: Vec<&str> = ["advise", &session].iter().chain(more).copied().collect();
    let run = world.run(&arguments);
    (run, server.requests())
}

/// What the reviewer read of the session.
fn delta(request: &RecordedRequest) -> String {
    let body = request.json();
    let last = body.get("messages").and_then(|messages| messages.as_array()?.last()).unwrap();
    last.get("content").and_then(Value::as_str).unwrap().to_owned()
}

fn frame(severity: &str, note: &str) -> Exchange {
    reply(&json!({ "severity": severity, "note": note }).to_string())
}

#[test]
fn a_failing_command_that_is_reported_as_done_gets_a_note_offline() {
    let world = World::new();
    for (name, log) in [("events", failing(1)), ("dsh", dsh_log(false))] {
        let session = world.write("s.jsonl", log);
        let run = world.run(&["advise", &session]).ends_with(0);
        assert_eq!(run.stdout, format!("[advisor:concern] {NOTE}\n"), "{name}");
        assert!(run.stderr.contains("local/facts reviews offline"), "{run}");
        let report = world.run(&["advise", &session, "--json"]).ends_with(0).json();
        assert_eq!(report["note"], json!({ "severity": "concern", "text": NOTE }));
        assert_eq!((&report["status"], &report["reason"]), (&json!("noted"), &Value::Null));
        assert_eq!(report["format"], json!(name));
        assert_eq!(report["model"], json!({ "id": "local/facts", "source": "default" }));
    }
}

#[test]
fn a_clean_turn_gets_none_and_standard_error_says_so() {
    let world = World::new();
    for log in [clean(1), dsh_log(true)] {
        let session = world.write("s.jsonl", log);
        let run = world.run(&["advise", &session]).ends_with(0);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains("no note: the reviewer has nothing to note"), "{run}");
        let report = world.run(&["advise", &session, "--json"]).ends_with(0).json();
        assert_eq!((&report["note"], &report["status"]), (&Value::Null, &json!("nothing")));
        assert_eq!(report["turn"], json!(1));
    }
    let named = world.run(&["advise", "s.jsonl", "--model", "local/facts"]).ends_with(0);
    assert!(!named.stderr.contains("no reviewer is configured"), "{named}");
}

#[test]
fn the_turn_or_the_turns_to_review_can_be_chosen() {
    let world = World::new();
    let session = world.write("s.jsonl", [clean(1), failing(2), clean(3)].concat());
    let note = |arguments: &[&str]| {
        let arguments: Vec<&str> = ["advise", &session, "--json"].iter().chain(arguments).copied().collect();
        let report = world.run(&arguments).ends_with(0).json();
        (report["note"]["text"].as_str().map(str::to_owned), report["turn"].as_u64())
    };
    let found = Some(NOTE.to_owned());
    assert_eq!(note(&[]), (None, Some(3)));
    assert_eq!(note(&["--at-turn", "2"]), (found.clone(), Some(2)));
    assert_eq!(note(&["--at-turn", "1"]), (None, Some(1)));
    assert_eq!(note(&["--since", "1"]), (found.clone(), Some(3)));
    assert_eq!(note(&["--since", "0", "--at-turn", "2"]), (found, Some(2)));
    assert_eq!(note(&["--since", "2"]), (None, Some(3)));
    assert_eq!(note(&["--since", "3"]), (None, None));
    assert!(world.run(&["advise", &session, "--since", "3"]).stderr.contains("no turn ended after turn 3"));
    world.run(&["advise", &session, "--at-turn", "7"]).ends_with(2);
    world.run(&["advise", &session, "--since", "2", "--at-turn", "2"]).ends_with(2);
    let piped = world.run_with_input(&["advise", "-", "--at-turn", "2"], session_bytes(&session).as_slice());
    assert!(piped.ends_with(0).stdout.contains(NOTE));
}

fn session_bytes(path: &str) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

#[test]
fn what_comes_after_the_last_turn_is_no_part_of_its_review() {
    let world = World::new();
    // An order that the next prompt gives was not broken by the turn before it.
    let next = lines(&[
        json!({ "type": "turn_started", "turn": 2 }),
        json!({ "type": "message", "author": "human", "text": "Do not run `cargo test`." }),
    ]);
    let session = world.write("s.jsonl", clean(1) + &next);
    let run = world.run(&["advise", &session]).ends_with(0);
    assert_eq!(run.stdout, "", "{run}");
    assert!(run.stderr.contains("turn 2 is still running; the last one that ended is turn 1"), "{run}");
}

#[test]
fn what_cannot_be_reviewed_is_named_v2() {
    let world = World::new();
    let idle = lines(&[
        json!({ "type": "turn_started", "turn": 1 }),
        json!({ "type": "message", "author": "human", "text": "Hello." }),
        json!({ "type": "turn_ended", "turn": 1, "reason": "completed" }),
    ]);
    let stopped = |how: &str| turn(1, "Fix it.", false, CLAIM, how);
    for (log, code) in [
        (stopped("aborted"), "turn-not-completed"),
        (stopped("interrupted"), "turn-not-completed"),
        (idle, "no-work"),
        (lines(&[json!({ "type": "turn_started", "turn": 1 })]), "no-ended-turn"),
    ] {
        let session = world.write("s.jsonl", log);
        let run = world.run(&["advise", &session, "--json"]).ends_with(0);
        let report = run.json();
        assert_eq!(report["status"], json!("not-reviewed"), "{run}");
        assert_eq!(report["reason"]["code"], json!(code), "{run}");
        assert!(run.stderr.contains("no note: "), "{run}");
    }
    for how in ["limited", "failed", "blocked"] {
        let cut = world.write("s.jsonl", turn(1, "Fix it.", false, CLAIM, how));
        assert!(world.run(&["advise", &cut]).ends_with(0).stdout.contains(NOTE), "{how}");
    }
}

#[test]
fn what_cannot_be_read_ends_with_1() {
    let world = World::new();
    for arguments in [&["advise", "missing.jsonl"][..], &["advise", "prose.txt"], &["advise", "empty.jsonl"]]
    {
        world.write("prose.txt", "hello\n");
        world.write("empty.jsonl", "");
        let run = world.run(arguments).ends_with(1);
        assert_eq!(run.stdout, "", "{run}");
    }
    assert_snapshot!("missing-file", world.run(&["advise", "missing.jsonl"]));
}

#[test]
fn a_model_reads_the_last_turn_alone_and_its_note_is_printed_d15_v4() {
    for (severity, note) in [
        ("nit", "The helper could be private to its module."),
        ("concern", "The retry repeats POST requests."),
        ("blocker", "The schema was to be left alone."),
    ] {
        let session = turn(1, "First task.", true, "Done with one.", "completed")
            + &turn(2, "Second task.", true, "Done with two.", "completed");
        let (run, requests) = asked(vec![frame(severity, note)], &session, &[]);
        assert_eq!(run.ends_with(0).stdout, format!("[advisor:{severity}] {note}\n"));
        let read = delta(&requests[0]);
        assert!(
            read.contains("up to turn 2") && read.contains("Second task.") && read.contains("Done with two."),
            "{read}"
        );
        assert!(!read.contains("First task."), "{read}");
        let body = requests[0].json();
        for absent in ["reasoning_effort", "max_tokens", "max_completion_tokens"] {
            assert_eq!(body.get(absent), None, "{absent}");
        }
    }
}

#[test]
fn since_asks_once_for_all_turns_v2() {
    let session = [
        clean(1),
        turn(2, "Second task.", true, "Two.", "completed"),
        turn(3, "Third task.", true, "Three.", "aborted"),
        turn(4, "Fourth task.", true, "Four.", "completed"),
    ]
    .concat();
    let (run, requests) = asked(
        vec![frame("concern", "The retry repeats POST requests.")],
        &session,
        &["--since", "1", "--json"],
    );
    let report = run.ends_with(0).json();
    assert_eq!(report["turn"], json!(4));
    assert_eq!((&report["usage"]["calls"], &report["usage"]["input_tokens"]), (&json!(1), &json!(900)));
    assert_eq!(report["model"], json!({ "id": "acme/small", "source": "file" }));
    assert_eq!(requests.len(), 1);
    let read = delta(&requests[0]);
    for part in ["Second task.", "Third task.", "Fourth task."] {
        assert!(read.contains(part), "{read}");
    }
    assert!(!read.contains("Fix the parser."), "{read}");
}

#[test]
fn an_effort_that_the_endpoint_refuses_is_left_out() {
    let runtime = runtime();
    let refusal = Exchange::json(
        400,
        &json!({ "error": { "param": "reasoning_effort", "code": "unsupported_value",
        "message": "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model." } }),
    );
    let script = [refusal, frame("nit", "The helper could be private to its module.")];
    let server = runtime.block_on(ScriptedServer::start(script)).unwrap();
    let world = world(&server).with("SUGGEST_ADVISOR_REASONING_EFFORT", "minimal");
    let session = world.write("s.jsonl", clean(1));
    let run = world.run(&["advise", &session]).ends_with(0);
    assert_eq!(run.stdout, "[advisor:nit] The helper could be private to its module.\n");
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].json()["reasoning_effort"], json!("minimal"));
    assert_eq!(requests[1].json().get("reasoning_effort"), None);
}

#[test]
fn hostile_replies_bring_one_note_at_most_and_never_a_panic_v3() {
    let long = "a word ".repeat(200);
    let odd =
        json!({ "severity": "urgent!!", "note": "The migration drops a column that is read." }).to_string();
    let steering = json!({ "severity": "nit", "note": "Look at \u{1b}[31mthe red\u{7} \u{202e}words here." })
        .to_string();
    let two = format!(
        "{}\n{}",
        json!({ "severity": "nit", "note": "The first of two notes." }),
        json!({ "severity": "high", "note": "The second of two notes." })
    );
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    for (name, text, exit, status, code) in [
        ("none", "NONE", 0, "nothing", Some("nothing-to-note")),
        ("null", "{\"note\": null}", 0, "nothing", Some("nothing-to-note")),
        ("prose", "I would look at the tests again.", 1, "failed", Some("unparsed")),
        ("blank", "  \n", 1, "failed", Some("empty")),
        ("deep", &deep, 1, "failed", Some("unparsed")),
        ("approval", "{\"severity\": \"nit\", \"note\": \"LGTM\"}", 0, "dropped", Some("empty-note")),
        ("long", &json!({ "severity": "nit", "note": long }).to_string(), 0, "dropped", Some("oversized")),
        (
            "itself",
            "{\"severity\": \"nit\", \"note\": \"My earlier note still stands.\"}",
            0,
            "dropped",
            Some("self"),
        ),
        ("odd severity", &odd, 0, "noted", None),
        ("steering", &steering, 0, "noted", None),
        ("two", &two, 0, "noted", None),
    ] {
        let (run, _) = asked(vec![reply(text), reply(text), reply(text)], &clean(1), &["--json"]);
        let run = run.ends_with(exit);
        let report = run.json();
        assert_eq!(report["status"], json!(status), "{name}: {run}");
        assert_eq!(report["reason"]["code"].as_str(), code, "{name}: {run}");
        assert_eq!(run.stdout.lines().count(), 1, "{name}: {run}");
    }
    let (run, _) = asked(vec![reply(&odd)], &clean(1), &["--json"]);
    assert_eq!(run.json()["dropped"], json!({ "severity": 1 }));
    let (run, _) = asked(vec![reply(&steering)], &clean(1), &[]);
    let printed = run.ends_with(0).stdout;
    assert!(!printed.contains(['\u{1b}', '\u{7}']), "{printed:?}");
    let (run, _) = asked(vec![reply(&two)], &clean(1), &[]);
    assert_eq!(run.ends_with(0).stdout, "[advisor:blocker] The second of two notes.\n");
}

#[test]
fn a_model_that_fails_is_not_replaced_p1_v5() {
    let failing_session = failing(1);
    let refusal = |status, kind: &str| {
        Exchange::json(status, &json!({ "error": { "message": "no", "type": kind, "code": kind } }))
    };
    for (name, script, code) in [
        ("credentials", vec![refusal(401, "invalid_api_key")], "credentials"),
        ("quota", vec![refusal(429, "insufficient_quota")], "quota_exhausted"),
        ("too long", vec![refusal(400, "context_length_exceeded")], "context-too-long"),
    ] {
        let (run, _) = asked(script, &failing_session, &["--json"]);
        let run = run.ends_with(1);
        let report = run.json();
        assert_eq!((&report["note"], &report["status"]), (&Value::Null, &json!("failed")), "{name}: {run}");
        assert_eq!(report["reason"]["code"], json!(code), "{name}: {run}");
        assert!(
            run.stderr.contains("no answer from acme/small") && run.stderr.contains("suggest doctor"),
            "{run}"
        );
        assert!(!run.stderr.contains("local/facts"), "{run}");
    }
}

#[test]
fn a_reviewer_elsewhere_needs_both_levels_p1() {
    let file = "[advisor]\nprovider = \"far\"\nmodel = \"m\"\n[providers.far]\nbaseUrl = \"https://192.0.2.1/v1\"\nkeyEnv = \"FAR_KEY\"\n";
    let keyed = World::new().configured(file).with("FAR_KEY", "k");
    let session = keyed.write("s.jsonl", clean(1));
    let run = keyed.run(&["advise", &session]).ends_with(2);
    assert!(run.stderr.contains("permission to transfer") && !run.stderr.contains("FAR_KEY"), "{run}");
    let report = keyed.run(&["advise", &session, "--json"]).ends_with(2).json();
    assert_eq!(report["reason"]["code"], json!("not-allowed"));
    // A person's word is the second level; the first one is still missing.
    let unkeyed = World::new().configured(file);
    let session = unkeyed.write("s.jsonl", clean(1));
    let run = unkeyed.run(&["advise", &session, "--model", "far/m"]).ends_with(2);
    assert!(run.stderr.contains("FAR_KEY") && !run.stderr.contains("permission to transfer"), "{run}");
}

#[test]
fn half_a_pair_and_an_unknown_provider_are_wrong_configurations_v1() {
    let half = World::new().configured("[advisor]\nprovider = \"acme\"\n");
    let session = half.write("s.jsonl", clean(1));
    let run = half.run(&["advise", &session]).ends_with(2);
    assert!(run.stderr.contains("`advisor.provider` is set and `advisor.model` is not"), "{run}");
    let run = half.run(&["advise", &session, "--model", "nobody/m"]).ends_with(2);
    assert!(run.stderr.contains("unknown provider `nobody`"), "{run}");
    half.run(&["advise", &session, "--model", "gpt"]).ends_with(2);
}

#[test]
fn the_director_cards_and_summary_are_silent_while_a_session_is_reviewed_d15() {
    let runtime = runtime();
    let server =
        runtime.block_on(ScriptedServer::start([frame("nit", "The helper could be private.")])).unwrap();
    let world = World::new()
        .configured(&format!(
            "promptModel = \"acme/small\"\n[advisor]\nprovider = \"acme\"\nmodel = \"small\"\ndefaultEnabled = false\n\
             [cards]\nmodel = \"acme/small\"\n[summary]\nmodel = \"acme/small\"\n[providers.acme]\nbaseUrl = \"{}\"\nkeyEnv = \"ACME_KEY\"\n",
            server.url("/v1")
        ))
        .with("ACME_KEY", "sk-test");
    let session = world.write("s.jsonl", clean(1));
    let run = world.run(&["advise", &session]).ends_with(0);
    assert_eq!(run.stdout, "[advisor:nit] The helper could be private.\n");
    assert_eq!(server.requests().len(), 1);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_review_cleanly_while_the_model_hangs() {
    let runtime = runtime();
    let server = runtime.block_on(ScriptedServer::start([Exchange::new().ending(Ending::Hang)])).unwrap();
    let world = world(&server);
    let session = world.write("s.jsonl", clean(1));
    let arguments = ["advise", &session];
    world.interrupted(&arguments, || runtime.block_on(server.wait_for_requests(1)));
    runtime.block_on(server.wait_for_client_closes(1));
}

/// Every recorded session of the repository.
fn recordings(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            recordings(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "jsonl" || extension == "json") {
            found.push(path);
        }
    }
}

#[test]
fn no_recording_gets_a_note_offline_that_it_does_not_deserve() {
    let world = World::new();
    let mut files = Vec::new();
    recordings(&root().join("tests/recordings"), &mut files);
    let (mut reviewed, mut formats) = (0, BTreeSet::new());
    for file in files {
        let run = world.run(&["advise", &file.display().to_string(), "--since", "0", "--json"]);
        if run.status == Some(1) {
            // A recording of another kind than a session.
            assert_eq!(run.stdout, "", "{run}");
            continue;
        }
        let run = run.ends_with(0);
        let report = run.json();
        assert_eq!(report["note"], Value::Null, "{run}");
        let status = report["status"].as_str().unwrap();
        assert!(["nothing", "not-reviewed"].contains(&status), "{run}");
        if status == "nothing" {
            reviewed += 1;
            formats.insert(report["format"].as_str().unwrap().to_owned());
        }
    }
    assert!(reviewed > 100 && formats.len() >= 8, "{reviewed} sessions in {formats:?}");
}
