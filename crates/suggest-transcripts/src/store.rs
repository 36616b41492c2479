//! opencode's SQLite store, read without disturbing the opencode that writes to it.

use crate::error::TranscriptError;
use crate::options::ReadOptions;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Statement, params};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

/// So many messages are read of a long session, counted from its end.
pub(crate) const NEWEST: u32 = 4_000;

/// The parts of a message.
pub(crate) const PARTS: &str = "SELECT id, data FROM part WHERE message_id = ?1 ORDER BY id";

/// How long a reader waits while opencode checkpoints its log.
const PATIENCE: Duration = Duration::from_millis(2_000);

impl From<rusqlite::Error> for TranscriptError {
    fn from(error: rusqlite::Error) -> Self {
        // The library's words name tables and columns, never their content.
        Self::Store { cause: error.to_string() }
    }
}

/// A session in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredSession {
    pub(crate) id: String,
    pub(crate) folder: String,
    /// When it last changed, in milliseconds since 1970.
    pub(crate) updated: i64,
    /// How many prompts it has.
    pub(crate) prompts: u64,
}

/// Opens a store for reading only. One whose folder cannot be written to, so that the library cannot share its log, is
/// read as it stands on disk.
fn open(path: &Path) -> Result<Connection, TranscriptError> {
    match open_shared(path) {
        Err(TranscriptError::Store { .. }) => {
            let escaped: String = path.to_string_lossy().chars().map(escape).collect();
            let store = Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags())?;
            store.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
            Ok(store)
        }
        opened => opened,
    }
}

/// Opens a store for reading only, together with the opencode that writes to it.
pub(crate) fn open_shared(path: &Path) -> Result<Connection, TranscriptError> {
    // The library would report a missing file only later, and in its own words.
    std::fs::metadata(path)?;
    let store = Connection::open_with_flags(path, flags())?;
    store.busy_timeout(PATIENCE)?;
    store.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
    Ok(store)
}

fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI
}

/// The characters that end the path part of a URI.
fn escape(character: char) -> String {
    match character {
        '%' => "%25".to_owned(),
        '?' => "%3f".to_owned(),
        '#' => "%23".to_owned(),
        other => other.to_string(),
    }
}

/// Gives the records of one session, in order: the session, then its messages with their parts. True if only the newest
/// messages of a long session were read.
pub(crate) fn messages(
    path: &Path,
    options: &ReadOptions,
    sink: &mut dyn FnMut(Value) -> ControlFlow<()>,
) -> Result<bool, TranscriptError> {
    let store = open(path)?;
    // One snapshot for all questions, whatever is written meanwhile.
    let store = store.unchecked_transaction()?;
    let found = chosen(&store, options.session.as_deref())?;
    let id = found.id.clone();
    if sink(found.record()).is_break() {
        return Ok(false);
    }
    let count: u32 =
        store.query_row("SELECT count(*) FROM message WHERE session_id = ?1", [&id], |row| row.get(0))?;
    // A turn that was asked for is counted from the beginning.
    let skip = if options.at_turn.is_some() { 0 } else { count.saturating_sub(NEWEST) };
    let mut messages = store.prepare(
        "SELECT id, data FROM message WHERE session_id = ?1 ORDER BY time_created, id LIMIT -1 OFFSET ?2",
    )?;
    let mut parts = store.prepare(PARTS)?;
    let mut rows = messages.query(params![id, skip])?;
    let mut in_turn = skip == 0;
    while let Some(row) = rows.next()? {
        let (message, data): (String, String) = (row.get(0)?, row.get(1)?);
        let mut info: Value = serde_json::from_str(&data).unwrap_or_default();
        if !info.is_object() {
            continue;
        }
        // The tail of a long session begins with a prompt.
        in_turn |= info.get("role").and_then(Value::as_str) == Some("user");
        if !in_turn {
            continue;
        }
        put(&mut info, "id", &message);
        let found = parts_of(&mut parts, &message)?;
        if sink(json!({ "info": info, "parts": found })).is_break() {
            break;
        }
    }
    Ok(skip > 0)
}

/// The session that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) folder: String,
    /// What the person took back, as it stands in the store.
    pub(crate) revert: Option<String>,
}

impl Chosen {
    /// The record that comes before the messages.
    pub(crate) fn record(&self) -> Value {
        let revert = self.revert.as_deref().and_then(|revert| serde_json::from_str(revert).ok());
        json!({ "session": { "id": self.id, "parent_id": self.parent, "revert": revert.unwrap_or(Value::Null) } })
    }
}

/// The session with this id, or the newest one of a person.
pub(crate) fn chosen(store: &Connection, id: Option<&str>) -> Result<Chosen, TranscriptError> {
    let found = store
        .query_row(
            "SELECT id, parent_id, directory, revert FROM session
             WHERE CASE WHEN ?1 IS NULL THEN parent_id IS NULL ELSE id = ?1 END
             ORDER BY time_updated DESC, id DESC LIMIT 1",
            params![id],
            |row| {
                Ok(Chosen { id: row.get(0)?, parent: row.get(1)?, folder: row.get(2)?, revert: row.get(3)? })
            },
        )
        .optional()?;
    found.ok_or(TranscriptError::NoSuchSession)
}

/// The parts of a message, in order.
pub(crate) fn parts_of(parts: &mut Statement<'_>, message: &str) -> Result<Vec<Value>, TranscriptError> {
    let mut found = Vec::new();
    let mut rows = parts.query([message])?;
    while let Some(row) = rows.next()? {
        let (part, data): (String, String) = (row.get(0)?, row.get(1)?);
        let mut value: Value = serde_json::from_str(&data).unwrap_or_default();
        put(&mut value, "id", &part);
        found.push(value);
    }
    Ok(found)
}

pub(crate) fn put(value: &mut Value, key: &str, text: &str) {
    if let Some(object) = value.as_object_mut() {
        object.insert(key.to_owned(), json!(text));
    }
}

/// The newest sessions of people, newest first.
pub(crate) fn sessions(path: &Path, limit: usize) -> Result<Vec<StoredSession>, TranscriptError> {
    let store = open(path)?;
    let mut query = store.prepare(
        "SELECT id, directory, time_updated,
                (SELECT count(*) FROM message WHERE session_id = session.id
                 AND json_extract(data, '$.role') = 'user')
         FROM session WHERE parent_id IS NULL AND time_archived IS NULL
         ORDER BY time_updated DESC, id DESC LIMIT ?1",
    )?;
    let rows = query.query_map([i64::try_from(limit).unwrap_or(i64::MAX)], |row| {
        Ok(StoredSession { id: row.get(0)?, folder: row.get(1)?, updated: row.get(2)?, prompts: row.get(3)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
