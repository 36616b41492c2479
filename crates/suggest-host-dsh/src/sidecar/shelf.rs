//! Where the cards of all sessions are kept: the one file that the board shows, too (rule C6).
//!
//! Nobody waits for the disk but who asks for what is on it. What sessions keep is written a moment later, all of it in
//! one go, and before anything of it is shown. The numbers of offers and rounds live in the plugin and are not kept here.

use async_trait::async_trait;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use suggest_core::{CardBook, Hero, HeroStatus, Turn};
use suggest_engine::{Store, StoreError};
use suggest_store::{CardStore, StoreFileError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How long what is to be written waits for more, away from the moment in which a turn ends.
const GATHERING: Duration = Duration::from_millis(150);

/// How long an answer to a person waits for the file.
const PATIENCE: Duration = Duration::from_secs(4);

/// How long a session that opens waits for its earlier cards.
const OPENING: Duration = Duration::from_millis(500);

/// The most completed turns whose files wait.
const MOST_TURNS: usize = 1_000;

/// The shelf. Without a place, each session's core has its cards for itself, in memory.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    place: Option<PathBuf>,
    waiting: Mutex<Waiting>,
    /// Opened by the first who needs it. Held on threads that may block, only.
    store: Mutex<Option<CardStore>>,
    wake: Notify,
}

/// What is to be written.
#[derive(Debug, Default)]
struct Waiting {
    books: BTreeMap<String, CardBook>,
    heroes: BTreeMap<String, Hero>,
    turns: Vec<(String, Turn, Vec<String>)>,
    /// Why the file could not be used when that was tried last.
    problem: Option<String>,
    /// What a person should know, once.
    warnings: Vec<String>,
}

impl Shelf {
    pub(crate) fn new(place: Option<PathBuf>) -> Self {
        Self { place, ..Self::default() }
    }

    /// Whether cards are kept at all.
    pub(crate) fn is_kept(&self) -> bool {
        self.place.is_some()
    }

    /// Sessions in one folder touch each other's files.
    pub(crate) fn knows(&self, session: &str, workspace: Option<&str>) {
        if !self.is_kept() {
            return;
        }
        let hero = Hero {
            session: session.to_owned(),
            name: String::new(),
            status: HeroStatus::Idle,
            workspace: workspace.map(str::to_owned),
        };
        self.lock().heroes.insert(session.to_owned(), hero);
    }

    /// A live turn of a session completed and touched these files.
    pub(crate) fn turn_completed(&self, session: &str, turn: Turn, files: Vec<String>) {
        if !self.is_kept() {
            return;
        }
        {
            let mut waiting = self.lock();
            if waiting.turns.len() >= MOST_TURNS {
                waiting.turns.remove(0);
            }
            waiting.turns.push((session.to_owned(), turn, files));
        }
        self.wake.notify_one();
    }

    /// What a session kept earlier.
    pub(crate) async fn book_of(self: &Arc<Self>, session: &str) -> Option<CardBook> {
        let place = self.place.clone()?;
        let (shelf, id) = (Arc::clone(self), session.to_owned());
        let reading = tokio::task::spawn_blocking(move || {
            // Nothing is made where nothing was kept yet.
            if !place.exists() {
                return None;
            }
            shelf.perform(|store| store.read(|cards| cards.book_of(&id))).ok()
        });
        tokio::time::timeout(OPENING, reading).await.ok()?.ok()?
    }

    /// Writes what waits, then does something with the store, on a thread that may block. The error is a line for people.
    pub(crate) async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&CardStore) -> T + Send + 'static,
    ) -> Result<T, String> {
        let shelf = Arc::clone(self);
        let asked = tokio::task::spawn_blocking(move || shelf.perform(work));
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => Err("the cards' file could not be used".to_owned()),
            Err(_) => Err("the cards' file is in use by another program".to_owned()),
        }
    }

    /// What a person should know since this was asked last: a file that was set aside, or one that cannot be used.
    pub(crate) fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().warnings)
    }

    /// Writes what comes, until it is told to stop; then it writes the rest.
    pub(crate) async fn work(self: Arc<Self>, stop: CancellationToken) {
        if !self.is_kept() {
            return;
        }
        loop {
            let more = stop.run_until_cancelled(self.wake.notified()).await.is_some();
            if more {
                stop.run_until_cancelled(tokio::time::sleep(GATHERING)).await;
            }
            let shelf = Arc::clone(&self);
            let _ = tokio::task::spawn_blocking(move || shelf.write()).await;
            if !more {
                return;
            }
        }
    }

    fn write(&self) {
        let unused = lock(&self.store).is_none() && !self.place.as_deref().is_some_and(Path::exists);
        {
            let mut waiting = self.lock();
            if waiting.books.is_empty() && (unused || waiting.turns.is_empty()) {
                // No card is anywhere that could turn stale.
                waiting.turns.clear();
                return;
            }
        }
        let _ = self.perform(|_| ());
    }

    fn perform<T>(&self, work: impl FnOnce(&CardStore) -> T) -> Result<T, String> {
        let Some(place) = &self.place else { return Err("cards are not kept".to_owned()) };
        let mut opened = lock(&self.store);
        if opened.is_none() {
            *opened = Some(open(place).map_err(|error| self.failed(&error))?);
        }
        let Some(store) = opened.as_ref() else { return Err("the cards' file was not opened".to_owned()) };
        let written = self.write_to(store);
        self.note(store);
        written.map_err(|error| self.failed(&error))?;
        self.lock().problem = None;
        let done = work(store);
        self.note(store);
        Ok(done)
    }

    fn write_to(&self, store: &CardStore) -> Result<(), StoreFileError> {
        let (books, heroes, turns) = {
            let mut waiting = self.lock();
            (waiting.books.clone(), std::mem::take(&mut waiting.heroes), std::mem::take(&mut waiting.turns))
        };
        if !heroes.is_empty() {
            store.note(|cards| heroes.into_values().for_each(|hero| cards.note_hero(hero)));
        }
        if books.is_empty() && turns.is_empty() {
            return Ok(());
        }
        let written = store.change(|cards, now| {
            for (session, book) in &books {
                cards.absorb(session, book, now);
            }
            for (session, turn, files) in &turns {
                cards.turn_completed(session, *turn, files, now);
            }
        });
        let mut waiting = self.lock();
        match &written {
            // What came meanwhile is newer and stays.
            Ok(()) => waiting.books.retain(|session, book| books.get(session) != Some(book)),
            // What could not be written stays, too; of the turns, the newest.
            Err(_) => {
                let newer = std::mem::replace(&mut waiting.turns, turns);
                waiting.turns.extend(newer);
                let over = waiting.turns.len().saturating_sub(MOST_TURNS);
                waiting.turns.drain(..over);
            }
        }
        written
    }

    fn note(&self, store: &CardStore) {
        let new = store.take_warnings();
        if !new.is_empty() {
            self.lock().warnings.extend(new.iter().map(ToString::to_string));
        }
    }

    /// Keeps a problem for whoever asks, once until it is another one or over.
    fn failed(&self, error: &StoreFileError) -> String {
        let line = error.to_string();
        let mut waiting = self.lock();
        if waiting.problem.as_ref() != Some(&line) {
            tracing::warn!(%error, "cards are kept in memory only");
            waiting.problem = Some(line.clone());
        }
        line
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        lock(&self.waiting)
    }
}

/// Nothing panics while these locks are held, so a poisoned one is still consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the file, in a folder that only its owner can look into.
fn open(place: &Path) -> Result<CardStore, StoreFileError> {
    if let Some(folder) = place.parent() {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        // Where this fails, the store says so.
        let _ = builder.create(folder);
    }
    CardStore::open(place)
}

/// The shelf as the engine's store.
#[derive(Debug)]
pub(crate) struct Keeper(pub(crate) Arc<Shelf>);

#[async_trait]
impl Store for Keeper {
    async fn save(&self, session: &str, what: &Value) -> Result<(), StoreError> {
        if what.get("kind").and_then(Value::as_str) != Some(CardBook::KIND) || !self.0.is_kept() {
            return Ok(());
        }
        let mut what = what.clone();
        if let Some(fields) = what.as_object_mut() {
            fields.remove("kind");
        }
        let book: CardBook = serde_json::from_value(what)
            .map_err(|_| StoreError::new("the cards of a session have an unknown shape"))?;
        self.0.lock().books.insert(session.to_owned(), book);
        self.0.wake.notify_one();
        Ok(())
    }

    /// Sessions get what was kept of them when they are opened.
    async fn load(&self, _session: &str, _kind: &str) -> Result<Option<Value>, StoreError> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use suggest_core::NewCard;

    #[test]
    fn turns_that_could_not_be_written_make_cards_stale_later_c6() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let place = state.join("suggestions.json");
        let board = open(&place).unwrap();
        let card = NewCard::new("Test the parser", "It has no test.", "Add a test of src/parser.rs");
        board
            .change(|cards, now| {
                cards.offer("one", vec![card.about_files(vec!["src/parser.rs".into()])], now)
            })
            .unwrap();

        let shelf = Shelf::new(Some(place.clone()));
        shelf.knows("one", Some("/workspace"));
        shelf.knows("two", Some("/workspace"));
        shelf.perform(|_| ()).unwrap();
        let elsewhere = folder.path().join("elsewhere");
        fs::rename(&state, &elsewhere).unwrap();
        fs::write(&state, "in the way").unwrap();
        shelf.turn_completed("two", Turn::new(1), vec!["src/parser.rs".to_owned()]);
        shelf.perform(|_| ()).unwrap_err();

        fs::remove_file(&state).unwrap();
        fs::rename(&elsewhere, &state).unwrap();
        let stale =
            shelf.perform(|store| store.read(|cards| cards.open_of("one").iter().all(|card| card.stale)));
        assert_eq!(stale, Ok(true));
        assert!(shelf.lock().turns.is_empty());
    }
}
