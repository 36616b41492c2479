//! opencode's store, followed while opencode writes to it.

use crate::error::TranscriptError;
use crate::fold::Fold;
use crate::format::Format;
use crate::info::SessionInfo;
use crate::json::{has, list, word};
use crate::options::ReadOptions;
use crate::store::{Chosen, NEWEST, PARTS, chosen, open_shared, parts_of, put};
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use std::fmt;
use std::path::Path;
use suggest_core::{SessionKind, Turn};
use suggest_host_dsh::Output;

/// Where a message stands: when it was made, and its id.
type Place = (i64, String);

/// Follows one session of opencode's store. A look in which nothing happened costs one question to the database library,
/// and none to the disk.
///
/// A message is told once, when it is whole: a prompt when its text is there, an answer when opencode says that it is
/// complete, or when a later answer shows that it never will be.
pub struct StoreFollower {
    store: Connection,
    session: Chosen,
    fold: Fold,
    /// The messages that were told: the place of the last one, and how many.
    told: Option<Place>,
    count: i64,
    /// The library's number for what others have written.
    version: Option<i64>,
}

/// What a look at the store brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreLook {
    /// Nothing changed.
    Unchanged,
    /// What is new was told.
    Told,
    /// Something that was told is gone: the session has to be opened anew.
    Rewritten,
}

impl StoreFollower {
    /// Opens a session of a store: the one with this id, or the newest one of a person. It is shared with the opencode that
    /// writes to it, and only read.
    ///
    /// # Errors
    ///
    /// [`TranscriptError::NoSuchSession`], [`TranscriptError::Store`] also where the folder of the store cannot be written
    /// to, since its log cannot be shared then, and [`TranscriptError::Io`].
    pub fn open(path: &Path, session: Option<&str>) -> Result<Self, TranscriptError> {
        let store = open_shared(path)?;
        let session = chosen(&store, session)?;
        let fold = Fold::new(Format::OpencodeStore, &ReadOptions::default());
        let mut follower = Self { store, session, fold, told: None, count: 0, version: None };
        follower.skip_old()?;
        Ok(follower)
    }

    /// What the session says of itself.
    #[must_use]
    pub fn info(&self) -> SessionInfo {
        SessionInfo {
            id: Some(self.session.id.clone()),
            kind: if self.session.parent.is_some() {
                SessionKind::Subagent
            } else {
                SessionKind::Interactive
            },
            workspace: Some(self.session.folder.clone()),
        }
    }

    /// The newest turn that ended.
    #[must_use]
    pub fn last_ended_turn(&self) -> Option<Turn> {
        self.fold.last_ended_turn()
    }

    /// Looks at the store, and tells what is new.
    ///
    /// # Errors
    ///
    /// [`TranscriptError::Store`], and [`TranscriptError::NoSuchSession`] if it was deleted.
    pub fn look(&mut self, sink: &mut dyn FnMut(Output)) -> Result<StoreLook, TranscriptError> {
        let version = self.store.pragma_query_value(None, "data_version", |row| row.get(0))?;
        if self.version == Some(version) {
            return Ok(StoreLook::Unchanged);
        }
        let first = self.version.is_none();
        let store = self.store.unchecked_transaction()?;
        let session = chosen(&store, Some(&self.session.id))?;
        if !first
            && (session.revert != self.session.revert
                || self.count != count_up_to(&store, &session, &self.told)?)
        {
            return Ok(StoreLook::Rewritten);
        }
        if first {
            self.fold.record(session.record(), sink);
        }
        let mut last = self.told.clone();
        let mut count = self.count;
        for (place, record) in whole_messages(&store, &session.id, self.told.as_ref())? {
            self.fold.record(record, sink);
            last = Some(place);
            count = count.saturating_add(1);
        }
        drop(store);
        if first && session.revert.is_some() {
            self.fold.settle(sink);
        }
        (self.session, self.told, self.count) = (session, last, count);
        self.version = Some(version);
        Ok(StoreLook::Told)
    }

    /// Of a long session only the newest messages are read, from a prompt on.
    fn skip_old(&mut self) -> Result<(), TranscriptError> {
        let id = &self.session.id;
        let all: i64 =
            self.store
                .query_row("SELECT count(*) FROM message WHERE session_id = ?1", [id], |row| row.get(0))?;
        let skipped = all.saturating_sub(i64::from(NEWEST));
        if skipped <= 0 {
            return Ok(());
        }
        let mut query = self.store.prepare(
            "SELECT time_created, id, data FROM message WHERE session_id = ?1 ORDER BY time_created, id LIMIT -1 OFFSET ?2",
        )?;
        // The last message that is left out.
        let mut rows = query.query(params![id, skipped.saturating_sub(1)])?;
        let (mut told, mut count) = (None, skipped.saturating_sub(1));
        while let Some(row) = rows.next()? {
            let data: Value = serde_json::from_str(&row.get::<_, String>(2)?).unwrap_or_default();
            if told.is_some() && word(&data, "role") == "user" {
                break;
            }
            told = Some((row.get(0)?, row.get(1)?));
            count = count.saturating_add(1);
        }
        (self.told, self.count) = (told, count);
        Ok(())
    }
}

impl fmt::Debug for StoreFollower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreFollower").field("told", &self.count).finish_non_exhaustive()
    }
}

fn count_up_to(store: &Connection, session: &Chosen, place: &Option<Place>) -> Result<i64, TranscriptError> {
    let Some((time, id)) = place else { return Ok(0) };
    let count = store.query_row(
        "SELECT count(*) FROM message WHERE session_id = ?1 AND (time_created, id) <= (?2, ?3)",
        params![session.id, time, id],
        |row| row.get(0),
    )?;
    Ok(count)
}

/// The messages behind a place that are whole, up to the first that is not.
fn whole_messages(
    store: &Connection,
    session: &str,
    after: Option<&Place>,
) -> Result<Vec<(Place, Value)>, TranscriptError> {
    let (time, id) = after.cloned().unwrap_or((i64::MIN, String::new()));
    let mut messages = store.prepare(
        "SELECT time_created, id, data FROM message
         WHERE session_id = ?1 AND (time_created, id) > (?2, ?3) ORDER BY time_created, id",
    )?;
    let mut parts = store.prepare(PARTS)?;
    let mut rows = messages.query(params![session, time, id])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let place: Place = (row.get(0)?, row.get(1)?);
        let mut info: Value = serde_json::from_str(&row.get::<_, String>(2)?).unwrap_or_default();
        put(&mut info, "id", &place.1);
        let parts = parts_of(&mut parts, &place.1)?;
        found.push((place, json!({ "info": info, "parts": parts })));
    }
    let is_answer = |record: &Value| record.get("info").is_some_and(|info| word(info, "role") == "assistant");
    // An answer that was cut off stays unfinished for ever; the next answer shows it.
    let last_answer = found.iter().rposition(|(_, record)| is_answer(record));
    let open = found.iter().enumerate().position(|(at, (_, record))| {
        if is_answer(record) {
            last_answer == Some(at) && !is_complete(record)
        } else {
            !has_words(record) && last_answer.is_none_or(|last| last < at)
        }
    });
    found.truncate(open.unwrap_or(found.len()));
    Ok(found)
}

/// Whether opencode writes nothing more into an answer.
fn is_complete(record: &Value) -> bool {
    let info = record.get("info").unwrap_or(&Value::Null);
    info.get("time").is_some_and(|time| has(time, "completed"))
        || info.get("error").is_some_and(|error| !error.is_null())
}

/// Whether the parts of a prompt are there: they are written after the message itself.
fn has_words(record: &Value) -> bool {
    list(record, "parts").iter().any(|part| matches!(word(part, "type"), "text" | "compaction" | "file"))
}
