//! opencode's store, made from its own schema and rows.

use crate::support::{events, folder, recording, words_of};
use rusqlite::{Connection, params};
use serde_json::Value;
use std::path::{Path, PathBuf};
use suggest_core::{Event, Turn};
use suggest_transcripts::{Format, Places, ReadOptions, TranscriptError, find_sessions, read_file};

/// A store with the rows of the recordings.
fn store(home: &Path) -> PathBuf {
    let path = home.join(".local/share/opencode/opencode.db");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "journal_mode", "wal").unwrap();
    // The rows of other tables, such as projects, were not recorded.
    db.pragma_update(None, "foreign_keys", false).unwrap();
    db.execute_batch(&std::fs::read_to_string(folder("opencode/store/schema.sql")).unwrap()).unwrap();
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
