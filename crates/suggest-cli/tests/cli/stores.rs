//! Sessions that are no plain file of their own: those in opencode's store, and compressed logs.

use crate::support::{FAILING, FAILING_STEP, World, root};
use crate::watch::Watch;
use rusqlite::{Connection, params};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};

/// A store of opencode in its usual place, with the schema of the product.
fn store(world: &World) -> Connection {
    let path = world.write(".local/share/opencode/opencode.db", "");
    let db = Connection::open(path).unwrap();
    db.pragma_update(None, "journal_mode", "wal").unwrap();
    db.pragma_update(None, "foreign_keys", false).unwrap();
    let schema = root().join("tests/recordings/opencode/store/schema.sql");
    db.execute_batch(&std::fs::read_to_string(schema).unwrap()).unwrap();
    db
}

/// Adds a row of which only these columns matter.
fn insert(db: &Connection, table: &str, row: &Value) {
    let mut columns =
        db.prepare(&format!("SELECT name, `notnull`, type FROM pragma_table_info('{table}')")).unwrap();
    let columns: Vec<(String, bool, String)> = columns
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let values = columns.iter().map(|(name, needed, kind)| match &row[name] {
        Value::String(text) => rusqlite::types::Value::Text(text.clone()),
        Value::Null if !needed => rusqlite::types::Value::Null,
        Value::Null if kind == "text" => rusqlite::types::Value::Text("x".to_owned()),
        value => rusqlite::types::Value::Integer(value.as_i64().unwrap_or(0)),
    });
    let marks = vec!["?"; columns.len()].join(", ");
    db.execute(&format!("INSERT INTO {table} VALUES ({marks})"), rusqlite::params_from_iter(values)).unwrap();
}

fn session(db: &Connection, id: &str, folder: &str, updated: i64) {
    insert(db, "session", &json!({ "id": id, "directory": folder, "time_updated": updated }));
}

fn message(db: &Connection, session: &str, at: i64, info: Value, text: &str) {
    let id = format!("msg_{session}_{at}");
    let row = json!({ "id": id, "session_id": session, "time_created": at, "data": info.to_string() });
    let part = json!({ "id": format!("prt_{id}"), "message_id": id, "session_id": session, "data": json!({ "type": "text", "text": text }).to_string() });
    insert(db, "part", &part);
    insert(db, "message", &row);
}

fn turn(db: &Connection, session: &str, at: i64, answer: &str) {
    message(db, session, at, json!({ "role": "user" }), "add a flag");
    let done = json!({ "role": "assistant", "finish": "stop", "time": { "completed": 1 } });
    message(db, session, at + 1, done, answer);
}

const OTHER: &str = "The parser is written. `parse::nested_braces` still fails.";
const OTHER_STEP: &str = "Fix the failing test `parse::nested_braces`\n";

/// Two sessions of one folder in one store.
fn two(world: &World) -> Connection {
    let db = store(world);
    let folder = world.path("").canonicalize().unwrap().display().to_string();
    session(&db, "ses_old", &folder, 1_000);
    session(&db, "ses_new", &folder, 2_000);
    turn(&db, "ses_old", 1, OTHER);
    turn(&db, "ses_new", 1, FAILING);
    db
}

#[test]
fn every_command_reads_the_session_of_a_store_that_is_named() {
    let world = World::new();
    let _db = two(&world);
    let path = world.path(".local/share/opencode/opencode.db").display().to_string();
    assert_eq!(world.run(&["next", &path]).ends_with(0).stdout, FAILING_STEP);
    assert_eq!(world.run(&["next"]).ends_with(0).stdout, FAILING_STEP);
    assert_eq!(world.run(&["next", &path, "--session", "ses_old"]).ends_with(0).stdout, OTHER_STEP);
    // Without the file it is found where the harnesses keep theirs.
    assert_eq!(world.run(&["next", "--session", "ses_old"]).ends_with(0).stdout, OTHER_STEP);
    for command in ["state", "cards", "summary"] {
        let run = world.run(&[command, "--session", "ses_old"]).ends_with(0);
        assert!(!run.stdout.is_empty() && !run.stdout.contains("empty_ledger"), "{run}");
    }
    for arguments in [
        &["next", &path, "--session", "ses_none"][..],
        &["next", "--session", "ses_none"],
        &["watch", &path, "--session", "ses_none", "--json"],
        &["watch", "--session", "ses_none"],
    ] {
        let run = world.run(arguments).ends_with(2);
        assert!(run.stderr.contains("suggest sessions"), "{run}");
    }
}

#[test]
fn a_file_of_one_session_is_read_only_if_it_is_the_one_that_is_named() {
    let world = World::new();
    let session = root().join("examples/sessions/ledger-report.jsonl").display().to_string();
    let id = "session-3f0c9a54-58b1-4f5e-8a55-0d7c2f6be901";
    world.run(&["next", &session, "--session", id]).ends_with(0);
    let run = world.run(&["next", &session, "--session", "another"]).ends_with(2);
    assert!(run.stderr.contains("does not hold the session another"), "{run}");
}

#[test]
fn the_list_of_sessions_can_be_pasted_behind_a_command() {
    let world = World::new();
    let _db = two(&world);
    let list = world.command(&["sessions"]).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let last = list.lines().last().unwrap();
    let pasted = last.split("  ").last().unwrap();
    let script = format!("\"$0\" next {pasted}");
    assert!(script.ends_with("opencode.db --session ses_old"), "{script}");
    let run = std::process::Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_suggest")])
        .env("HOME", world.path(""))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(run.stdout).unwrap(), OTHER_STEP, "{script}");
    let report = world.run(&["sessions", "--json", "--limit", "1"]).json();
    assert_eq!((&report["id"], &report["in_store"]), (&json!("ses_new"), &json!(true)));
}

#[test]
fn a_store_is_watched_while_opencode_writes_to_it() {
    let world = World::new();
    let db = two(&world);
    let path = world.path(".local/share/opencode/opencode.db").display().to_string();
    let watch = Watch::start(&world, &["watch", &path, "--session", "ses_old", "--json"]);
    assert_eq!(watch.state()["reason"]["code"], json!("no-offer-yet"));
    turn(&db, "ses_new", 3, "Another session.");
    message(&db, "ses_old", 3, json!({ "role": "user" }), "and now?");
    assert_eq!(watch.state()["reason"]["code"], json!("turn-running"));
    let done = json!({ "role": "assistant", "finish": "stop", "time": { "completed": 1 } });
    message(&db, "ses_old", 4, done, FAILING);
    let ready = watch.state();
    assert_eq!((&ready["turn"], &ready["offer"]), (&json!(2), &json!(FAILING_STEP.trim())), "{ready}");
    // The person takes the turn back: nothing is asked for what was there before.
    db.execute(
        "UPDATE session SET revert = ?1 WHERE id = 'ses_old'",
        params!["{\"messageID\":\"msg_ses_old_3\"}"],
    )
    .unwrap();
    let back = watch.state();
    assert_eq!((&back["state"], &back["offer"]), (&json!("idle"), &Value::Null), "{back}");
    assert_eq!(watch.signal("TERM"), Some(143));
}

#[test]
fn the_newest_session_is_followed_from_one_to_the_next_in_the_same_store() {
    let world = World::new();
    let db = two(&world);
    let watch = Watch::start(&world, &["watch", "--latest", "--json"]);
    assert_eq!(watch.state()["reason"]["code"], json!("no-offer-yet"));
    let folder = world.path("").canonicalize().unwrap().display().to_string();
    session(&db, "ses_newer", &folder, 3_000);
    turn(&db, "ses_newer", 1, OTHER);
    let mut state = watch.state();
    while state["state"] != json!("ready") {
        state = watch.state();
    }
    assert_eq!(state["offer"], json!(OTHER_STEP.trim()));
    assert_eq!(watch.signal("INT"), Some(130));
}

#[test]
fn a_compressed_log_is_watched_frame_by_frame() {
    let world = World::new();
    let log = std::fs::read_to_string(root().join("examples/sessions/ledger-report.jsonl")).unwrap();
    // The session by its turns, each with the line that ends it.
    let mut turns = vec![String::new()];
    for line in log.split_inclusive('\n') {
        turns.last_mut().unwrap().push_str(line);
        if line.contains("\"turn/end\"") {
            turns.push(String::new());
        }
    }
    let frame = |text: &str| compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    let path = world.write("session.jsonl.zstd", frame(&turns[0]));
    let watch = Watch::start(&world, &["watch", &path, "--json"]);
    assert_eq!(watch.state()["reason"]["code"], json!("no-offer-yet"));
    // A frame that comes in two pieces.
    let next = frame(&turns[1]);
    let (first, rest) = next.split_at(next.len() / 2);
    let append = |bytes: &[u8]| {
        use std::io::Write as _;
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(bytes).unwrap();
    };
    append(first);
    append(rest);
    let mut state = watch.state();
    while state["state"] != json!("ready") {
        state = watch.state();
    }
    assert_eq!(state["turn"], json!(2), "{state}");
    // What is damaged is said, and nothing is made of it.
    append(b"this is no frame");
    let mut child = watch;
    assert_eq!(child.wait(), Some(1));
}
