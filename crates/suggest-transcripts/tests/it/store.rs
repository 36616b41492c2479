//! opencode's store, made from its own schema and rows.

use crate::support::{events, folder, recording, words_of};
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use suggest_core::{Event, Turn};
use suggest_transcripts::{
    Format, Places, ReadOptions, StoreFollower, StoreLook, TranscriptError, find_session, find_sessions,
    read_file,
};

/// A store of opencode without a session.
pub(crate) fn empty_store(path: &Path) -> Connection {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let db = Connection::open(path).unwrap();
    db.pragma_update(None, "journal_mode", "wal").unwrap();
    // The rows of other tables, such as projects, were not recorded.
    db.pragma_update(None, "foreign_keys", false).unwrap();
    db.execute_batch(&std::fs::read_to_string(folder("opencode/store/schema.sql")).unwrap()).unwrap();
    db
}

/// A session of a person, as the newest.
pub(crate) fn add_session(db: &Connection, id: &str, folder: &str) {
    let rows: Value = serde_json::from_slice(&recording("opencode/store/tool.json")).unwrap();
    let mut row = rows["session"][0].clone();
    row["id"] = json!(id);
    row["directory"] = json!(folder);
    row["time_updated"] = json!(9_000_000_000_000_i64);
    insert(db, "session", &row);
}

/// A message of an export, and its parts.
pub(crate) fn add_message(db: &Connection, session: &str, at: usize, message: &Value) {
    let id = message["info"]["id"].as_str().unwrap();
    insert(
        db,
        "message",
        &json!({ "id": id, "session_id": session, "time_created": at, "time_updated": at, "data": message["info"] }),
    );
    for part in message["parts"].as_array().unwrap() {
        add_part(db, session, id, part);
    }
}

pub(crate) fn add_part(db: &Connection, session: &str, message: &str, part: &Value) {
    let id = part["id"]
        .as_str()
        .map_or_else(|| format!("{message}-{}", part["callID"].as_str().unwrap()), str::to_owned);
    insert(
        db,
        "part",
        &json!({ "id": id, "message_id": message, "session_id": session, "time_created": 1, "time_updated": 1, "data": part }),
    );
}

/// A store with the rows of the recordings.
fn store(home: &Path) -> PathBuf {
    let path = home.join(".local/share/opencode/opencode.db");
    let db = empty_store(&path);
    for name in ["tool", "todo", "sub"] {
        let rows: Value = serde_json::from_slice(&recording(&format!("opencode/store/{name}.json"))).unwrap();
        for table in ["session", "message", "part"] {
            for row in rows[table].as_array().unwrap() {
                insert(&db, table, row);
            }
        }
    }
    path
}

fn insert(db: &Connection, table: &str, row: &Value) {
    let row = row.as_object().unwrap();
    let columns: Vec<_> = row.keys().map(|key| format!("`{key}`")).collect();
    let marks = vec!["?"; columns.len()].join(", ");
    let values = row.values().map(|value| match value {
        Value::Null => rusqlite::types::Value::Null,
        Value::Number(number) if number.is_i64() => number.as_i64().unwrap().into(),
        Value::Number(number) => number.as_f64().unwrap().into(),
        Value::String(text) => text.clone().into(),
        other => other.to_string().into(),
    });
    let statement = format!("INSERT INTO {table} ({}) VALUES ({marks})", columns.join(", "));
    db.execute(&statement, rusqlite::params_from_iter(values)).unwrap();
}

fn read(path: &Path, options: &ReadOptions) -> Result<Vec<Event>, TranscriptError> {
    let mut told = Vec::new();
    read_file(Format::OpencodeStore, path, options, |event| told.push(event)).map(|_| told)
}

#[test]
fn a_session_in_the_store_tells_what_its_export_tells() {
    let home = tempfile::tempdir().unwrap();
    let path = store(home.path());
    for name in ["tool", "todo", "sub"] {
        let export = recording(&format!("opencode/export/{name}.json"));
        let id = serde_json::from_slice::<Value>(&export).unwrap()["info"]["id"].as_str().unwrap().to_owned();
        let told = read(&path, &ReadOptions::default().with_session(Some(id))).unwrap();
        assert_eq!(words_of(&told), words_of(&events(Format::OpencodeExport, &export)), "{name}");
    }
}

#[test]
fn the_newest_session_of_a_person_is_read_while_opencode_writes() {
    let home = tempfile::tempdir().unwrap();
    let path = store(home.path());
    // Another process holds the store open, with a write that is not committed.
    let mut writer = Connection::open(&path).unwrap();
    let writing = writer.transaction().unwrap();
    writing.execute("DELETE FROM message", []).unwrap();
    let told = read(&path, &ReadOptions::default()).unwrap();
    assert!(words_of(&told).contains(&"delegate [[sub]]".to_owned()), "the parent, not its newer subagent");
    writing.rollback().unwrap();
}

#[test]
fn a_store_is_never_changed() {
    let home = tempfile::tempdir().unwrap();
    let path = store(home.path());
    let before = std::fs::read(&path).unwrap();
    read(&path, &ReadOptions::default()).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn what_is_not_there_is_a_clear_error() {
    let home = tempfile::tempdir().unwrap();
    let path = store(home.path());
    let missing = read(&path, &ReadOptions::default().with_session(Some("ses_none".to_owned())));
    assert!(matches!(missing, Err(TranscriptError::NoSuchSession)));
    assert!(matches!(
        read(&home.path().join("none.db"), &ReadOptions::default()),
        Err(TranscriptError::Io(_))
    ));
    let strange = home.path().join("strange.db");
    std::fs::write(&strange, b"SQLite format 3\0 but no more").unwrap();
    assert!(matches!(read(&strange, &ReadOptions::default()), Err(TranscriptError::Store { .. })));
    let error = read(&path, &ReadOptions::default().at_turn(Some(Turn::new(9)))).unwrap_err();
    assert!(error.to_string().starts_with("the session has no turn 9"));
}

#[test]
fn a_long_session_is_read_from_its_end() {
    let home = tempfile::tempdir().unwrap();
    let path = store(home.path());
    let mut db = Connection::open(&path).unwrap();
    db.pragma_update(None, "foreign_keys", false).unwrap();
    let id: String = db
        .query_row(
            "SELECT id FROM session WHERE parent_id IS NULL ORDER BY time_updated DESC LIMIT 1",
            [],
            |row| row.get(0),
        )
        .unwrap();
    let many = db.transaction().unwrap();
    for number in 0..6_000_i64 {
        let (role, finish) =
            if number % 2 == 0 { ("user", "") } else { ("assistant", ",\"finish\":\"stop\"") };
        let message = format!("msg_z{number:06}");
        many.execute(
            "INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)",
            params![message, id, 9_000_000_000_000 + number, format!("{{\"role\":\"{role}\"{finish}}}")],
        )
        .unwrap();
        many.execute(
            "INSERT INTO part VALUES (?1, ?2, ?3, 0, 0, ?4)",
            params![
                format!("prt_{number}"),
                message,
                id,
                format!("{{\"type\":\"text\",\"text\":\"{role} {number}\"}}")
            ],
        )
        .unwrap();
    }
    many.commit().unwrap();
    let mut told = Vec::new();
    let summary =
        read_file(Format::OpencodeStore, &path, &ReadOptions::default(), |event| told.push(event)).unwrap();
    assert!(summary.tail_only);
    let words = words_of(&told);
    assert_eq!(words.len(), 4_000);
    assert_eq!(words.last().map(String::as_str), Some("assistant 5999"));
}

#[test]
fn sessions_of_the_store_are_found_with_their_folder_and_their_turns() {
    let home = tempfile::tempdir().unwrap();
    store(home.path());
    let found = find_sessions(&Places::of_home(home.path()), 10);
    assert_eq!(found.len(), 3, "subagents are left out");
    assert!(
        found
            .iter()
            .all(|session| session.project.as_deref() == Some("/workspace") && session.turns == Some(1))
    );
    assert!(found.windows(2).all(|pair| pair[0].modified >= pair[1].modified));
}

/// What a look tells, in short: the authors of messages, and the ends of turns.
fn looked(follower: &mut StoreFollower) -> (StoreLook, String) {
    let mut told = Vec::new();
    let look = follower
        .look(&mut |output| match output.into_event() {
            Event::TurnStarted { turn, .. } => told.push(format!("+{turn}")),
            Event::Message(message) => told.push(message.text),
            Event::TurnEnded { turn, reason } => told.push(format!("-{turn} {reason:?}")),
            _ => {}
        })
        .unwrap();
    (look, told.join("|"))
}

fn user(id: &str, text: &str) -> Value {
    json!({ "info": { "id": id, "role": "user" }, "parts": [{ "type": "text", "text": text, "id": format!("{id}p") }] })
}

fn answer(id: &str, text: &str, more: Value) -> Value {
    let mut info = json!({ "id": id, "role": "assistant", "time": { "created": 1 } });
    info.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({ "info": info, "parts": [{ "type": "text", "text": text, "id": format!("{id}p") }] })
}

#[test]
fn a_store_is_followed_and_every_message_is_told_once_when_it_is_whole() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("opencode.db");
    let db = empty_store(&path);
    assert!(matches!(StoreFollower::open(&path, None), Err(TranscriptError::NoSuchSession)));
    add_session(&db, "ses_1", "/workspace");
    add_message(&db, "ses_1", 1, &user("m1", "add a flag"));
    let mut follower = StoreFollower::open(&path, Some("ses_1")).unwrap();
    assert_eq!(looked(&mut follower), (StoreLook::Told, "+1|add a flag".to_owned()));
    assert_eq!(looked(&mut follower), (StoreLook::Unchanged, String::new()));
    // The answer is written piece by piece.
    add_message(&db, "ses_1", 2, &answer("m2", "The flag", json!({})));
    assert_eq!(looked(&mut follower), (StoreLook::Told, String::new()));
    let data =
        answer("m2", "", json!({ "finish": "stop", "time": { "created": 1, "completed": 2 } }))["info"]
            .to_string();
    db.execute(
        "UPDATE part SET data = '{\"type\":\"text\",\"text\":\"The flag is in.\"}' WHERE id = 'm2p'",
        [],
    )
    .unwrap();
    assert_eq!(looked(&mut follower).1, "");
    db.execute("UPDATE message SET data = ?1 WHERE id = 'm2'", [&data]).unwrap();
    assert_eq!(looked(&mut follower).1, "The flag is in.|-1 Completed");
    // A prompt is told when its text is there.
    let mut prompt = user("m3", "next");
    let part = prompt["parts"].as_array_mut().unwrap().remove(0);
    add_message(&db, "ses_1", 3, &prompt);
    assert_eq!(looked(&mut follower).1, "");
    add_part(&db, "ses_1", "m3", &part);
    assert_eq!(looked(&mut follower).1, "+2|next");
    // opencode was killed: what follows shows that this answer never ends.
    add_message(&db, "ses_1", 4, &answer("m4", "Half an", json!({})));
    assert_eq!(looked(&mut follower).1, "");
    add_message(&db, "ses_1", 5, &user("m5", "once more"));
    assert_eq!(looked(&mut follower).1, "");
    let whole = json!({ "finish": "stop", "time": { "created": 1, "completed": 2 } });
    add_message(&db, "ses_1", 6, &answer("m6", "Done.", whole));
    assert_eq!(looked(&mut follower).1, "Half an|-2 Interrupted|+3|once more|Done.|-3 Completed");
    assert_eq!(follower.last_ended_turn(), Some(Turn::new(3)));
    // What happens in other sessions tells nothing.
    add_session(&db, "ses_2", "/workspace");
    add_message(&db, "ses_2", 7, &user("m7", "elsewhere"));
    assert_eq!(looked(&mut follower), (StoreLook::Told, String::new()));
}

#[test]
fn a_followed_session_that_is_taken_back_is_opened_anew() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("opencode.db");
    let db = empty_store(&path);
    add_session(&db, "ses_1", "/workspace");
    for (at, id) in ["m1", "m3"].into_iter().enumerate() {
        add_message(&db, "ses_1", at * 2, &user(id, id));
        let whole = json!({ "finish": "stop", "time": { "created": 1, "completed": 2 } });
        add_message(&db, "ses_1", at * 2 + 1, &answer(&format!("{id}a"), "Done.", whole));
    }
    let mut follower = StoreFollower::open(&path, None).unwrap();
    assert_eq!(looked(&mut follower).1, "+1|m1|Done.|-1 Completed|+2|m3|Done.|-2 Completed");
    db.execute("UPDATE session SET revert = '{\"messageID\":\"m3\"}'", []).unwrap();
    assert_eq!(looked(&mut follower), (StoreLook::Rewritten, String::new()));
    let mut follower = StoreFollower::open(&path, None).unwrap();
    assert_eq!(looked(&mut follower).1, "+1|m1|Done.|-1 Completed");
    db.execute("DELETE FROM message WHERE id IN ('m3', 'm3a')", []).unwrap();
    db.execute("UPDATE session SET revert = NULL", []).unwrap();
    assert_eq!(looked(&mut follower).0, StoreLook::Rewritten);
}

#[test]
fn a_session_is_found_by_its_id() {
    let home = tempfile::tempdir().unwrap();
    let db = Connection::open(store(home.path())).unwrap();
    db.pragma_update(None, "foreign_keys", false).unwrap();
    add_session(&db, "ses_mine", "/mine");
    let places = Places::of_home(home.path());
    let found = find_session(&places, "ses_mine").unwrap();
    assert_eq!((found.project.as_deref(), found.id.as_deref()), (Some("/mine"), Some("ses_mine")));
    assert_eq!(find_session(&places, "ses_"), None);
    assert_eq!(find_session(&places, ""), None);
}
