//! The board itself: the sessions that it follows, the one store of their cards, and what subscribers see.

use crate::error::ApiError;
use crate::frames::Frame;
use crate::heroes::Roster;
use crate::live::BoardSession;
use crate::wire::Parcel;
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use suggest_core::{
    CardError, CardManager, CardsCommand, Command, Config, Hero, HeroStatus, ModelSource, SessionSetup,
    Snapshot,
};
use suggest_engine::{Engine, HostProcess, NoHost, StoreError};
use suggest_store::CardStore;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The most notices for the person that are kept.
const MOST_NOTICES: usize = 5;
/// Session lists are sent this often at most.
const BREATH: Duration = Duration::from_millis(50);

/// How much one board follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoardLimits {
    /// The most sessions that are told over HTTP; the one that was silent longest makes room.
    pub told_sessions: usize,
    /// How often the store is asked for what other processes wrote; mostly that is one look at the file's facts.
    pub refresh: Duration,
}

impl Default for BoardLimits {
    fn default() -> Self {
        Self { told_sessions: 1_000, refresh: Duration::from_millis(500) }
    }
}

/// Why a session cannot be opened on the board.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Its events come from elsewhere already: from its log, say.
    #[error("a log of session {id} is followed already")]
    Followed {
        /// The session.
        id: String,
    },
    /// What was kept of it could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A board. Clones are the same one. It works as long as its server runs, or until [`Board::close`].
#[derive(Clone)]
pub struct Board {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) store: CardStore,
    config: Config,
    model_source: ModelSource,
    limits: BoardLimits,
    told: Mutex<BTreeMap<String, Arc<BoardSession>>>,
    followed: Mutex<BTreeMap<String, std::sync::Weak<BoardSession>>>,
    roster: Mutex<Roster>,
    roster_changed: watch::Sender<()>,
    notices: Mutex<VecDeque<String>>,
    /// Why the store could not be used when that was tried last.
    failing: Mutex<Option<String>>,
    frames: watch::Sender<Arc<Frame>>,
    lists: watch::Sender<Arc<Parcel>>,
    list_seq: AtomicU64,
    pub(crate) closed: CancellationToken,
}

impl Board {
    /// A board whose sessions this engine runs and whose cards this store keeps. Build the engine with a clone of the same
    /// store. Call it inside a tokio runtime.
    #[must_use]
    pub fn new(engine: Engine, store: CardStore, config: Config, model_source: ModelSource) -> Self {
        Self::with_limits(engine, store, config, model_source, BoardLimits::default())
    }

    /// As [`Board::new`], with other limits.
    #[must_use]
    pub fn with_limits(
        engine: Engine,
        store: CardStore,
        config: Config,
        model_source: ModelSource,
        limits: BoardLimits,
    ) -> Self {
        let snapshot = store.subscribe().borrow().clone();
        let (frames, _) = watch::channel(Arc::new(Frame::new(snapshot, None)));
        let (lists, _) =
            watch::channel(Arc::new(Parcel::new(&list_event(0, &Roster::default(), &VecDeque::new()))));
        let (roster_changed, _) = watch::channel(());
        let board = Self {
            shared: Arc::new(Shared {
                engine,
                store,
                config,
                model_source,
                limits,
                told: Mutex::default(),
                followed: Mutex::default(),
                roster: Mutex::default(),
                roster_changed,
                notices: Mutex::default(),
                failing: Mutex::default(),
                frames,
                lists,
                list_seq: AtomicU64::new(0),
                closed: CancellationToken::new(),
            }),
        };
        board.note_store();
        for task in [tokio::spawn(make_frames(board.clone())), tokio::spawn(make_lists(board.clone()))] {
            drop(task);
        }
        tokio::spawn(refresh(board.clone()));
        board
    }

    /// Opens a session whose events the caller brings, from a log that it follows, say. The session stays on the board for
    /// as long as the handle lives.
    ///
    /// # Errors
    /// When the session is followed already, or what was kept of it cannot be read.
    pub async fn open(
        &self,
        setup: SessionSetup,
        name: Option<String>,
    ) -> Result<Arc<BoardSession>, OpenError> {
        let id = setup.id.clone();
        let taken = || lock(&self.shared.followed).get(&id).is_some_and(|known| known.strong_count() > 0);
        if taken() {
            return Err(OpenError::Followed { id });
        }
        // A log that appears says more than what was told.
        lock(&self.shared.told).remove(&id);
        let session = self.make(setup, name).await?;
        lock(&self.shared.followed).insert(id, Arc::downgrade(&session));
        Ok(session)
    }

    /// The session that is told over HTTP, opened with the first events.
    pub(crate) async fn told(
        &self,
        setup: SessionSetup,
        name: Option<String>,
    ) -> Result<Arc<BoardSession>, OpenError> {
        let id = setup.id.clone();
        if lock(&self.shared.followed).get(&id).is_some_and(|known| known.strong_count() > 0) {
            return Err(OpenError::Followed { id });
        }
        if let Some(session) = lock(&self.shared.told).get(&id) {
            return Ok(Arc::clone(session));
        }
        let session = self.make(setup, name).await?;
        let mut told = lock(&self.shared.told);
        let session = Arc::clone(told.entry(id).or_insert(session));
        let gone = if told.len() > self.shared.limits.told_sessions {
            let oldest = told.iter().filter(|(_, other)| !Arc::ptr_eq(other, &session));
            let oldest = oldest.min_by_key(|(_, other)| other.heard()).map(|(id, _)| id.clone());
            oldest.and_then(|id| told.remove(&id))
        } else {
            None
        };
        drop(told);
        drop(gone);
        Ok(session)
    }

    /// The session told over HTTP is over.
    pub(crate) fn forget_told(&self, id: &str) {
        let gone = lock(&self.shared.told).remove(id);
        drop(gone);
    }

    async fn make(&self, setup: SessionSetup, name: Option<String>) -> Result<Arc<BoardSession>, OpenError> {
        let setup = setup.with_model_source(self.shared.model_source);
        let setup = self.shared.engine.resume(setup, HostProcess::New).await?;
        let (id, workspace) = (setup.id.clone(), setup.workspace.clone());
        let handle = self.shared.engine.open_session(setup, self.shared.config.clone(), Arc::new(NoHost));
        let hero = Hero {
            name: name.filter(|name| !name.is_empty()).unwrap_or_else(|| named(&id, workspace.as_deref())),
            session: id,
            status: HeroStatus::Idle,
            workspace,
        };
        Ok(Arc::new(BoardSession::new(self.clone(), handle, hero)))
    }

    /// Ends the board's own tasks, its subscribers and its engine. Everything that was decided is on the disk already.
    pub async fn close(&self) {
        self.shared.closed.cancel();
        let told = std::mem::take(&mut *lock(&self.shared.told));
        drop(told);
        self.shared.engine.shutdown().await;
    }

    /// Tells the person something, on the page; the newest few stay.
    pub fn notice(&self, text: impl Into<String>) {
        let text = text.into();
        let mut notices = lock(&self.shared.notices);
        if notices.contains(&text) {
            return;
        }
        notices.push_back(text);
        while notices.len() > MOST_NOTICES {
            notices.pop_front();
        }
        drop(notices);
        self.shared.roster_changed.send_replace(());
    }

    /// Notes what a session does now, for the list and for assignments.
    pub(crate) fn note(&self, hero: &Hero) {
        let changed = lock(&self.shared.roster).note(hero.clone(), wall_clock());
        if changed {
            self.shared.store.note(|cards| cards.note_hero(hero.clone()));
            self.shared.roster_changed.send_replace(());
        }
    }

    pub(crate) fn status(&self, session: &str) -> Option<HeroStatus> {
        lock(&self.shared.roster).get(session).map(|hero| hero.status)
    }

    /// The newest snapshot: whoever asks after an act sees what it did.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.shared.store.subscribe().borrow().clone()
    }

    pub(crate) fn frames(&self) -> watch::Receiver<Arc<Frame>> {
        self.shared.frames.subscribe()
    }

    /// The list of the sessions as it is now.
    pub(crate) fn list(&self) -> String {
        let mut notices = lock(&self.shared.notices).clone();
        notices.extend(lock(&self.shared.failing).clone());
        // Numbered and built under one lock, so that a higher number is never an older list.
        let roster = lock(&self.shared.roster);
        let seq = self.shared.list_seq.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        list_event(seq, &roster, &notices)
    }

    pub(crate) fn lists(&self) -> watch::Receiver<Arc<Parcel>> {
        self.shared.lists.subscribe()
    }

    /// Changes the store on a thread where waiting is allowed.
    pub(crate) async fn act<T: Send + 'static>(
        &self,
        change: impl FnOnce(&mut CardManager, u64) -> Result<T, CardError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let store = self.shared.store.clone();
        let done = tokio::task::spawn_blocking(move || store.act(change)).await;
        let done = done.map_err(|_| ApiError::stopped())?;
        self.note_store();
        Ok(done?)
    }

    /// Has the core of a card's session know what a person decided, so that it offers nothing like it again.
    pub(crate) async fn tell_core(&self, session: &str, command: CardsCommand) {
        if let Some(session) = self.session(session) {
            session.command(Command::Cards(command)).await;
        }
    }

    /// A session that runs here.
    pub(crate) fn session(&self, session: &str) -> Option<Arc<BoardSession>> {
        let told = lock(&self.shared.told).get(session).cloned();
        told.or_else(|| lock(&self.shared.followed).get(session)?.upgrade())
    }

    /// Has the person know whether the store can be used.
    pub(crate) fn note_store(&self) {
        self.collect_warnings();
        let failing = self.shared.store.failing();
        let mut known = lock(&self.shared.failing);
        if *known != failing {
            *known = failing;
            drop(known);
            self.shared.roster_changed.send_replace(());
        }
    }

    fn collect_warnings(&self) {
        for warning in self.shared.store.take_warnings() {
            self.notice(warning.to_string());
        }
    }
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Board").field("store", &self.shared.store).finish_non_exhaustive()
    }
}

/// Nothing panics while these locks are held, so a poisoned one is still consistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Milliseconds since 1970.
pub(crate) fn wall_clock() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// What people call a session that has no name: the folder that it works in.
fn named(id: &str, workspace: Option<&str>) -> String {
    let last = workspace.and_then(|path| path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next());
    last.filter(|name| !name.is_empty()).unwrap_or(id).to_owned()
}

async fn make_frames(board: Board) {
    let mut snapshots = board.shared.store.subscribe();
    let closed = board.shared.closed.clone();
    while let Some(Ok(())) = closed.run_until_cancelled(snapshots.changed()).await {
        let snapshot = snapshots.borrow_and_update().clone();
        let before = board.shared.frames.borrow().clone();
        board.shared.frames.send_replace(Arc::new(Frame::new(snapshot, Some(&before))));
    }
}

async fn make_lists(board: Board) {
    let mut changes = board.shared.roster_changed.subscribe();
    changes.mark_changed();
    let closed = board.shared.closed.clone();
    while let Some(Ok(())) = closed.run_until_cancelled(changes.changed()).await {
        changes.mark_unchanged();
        board.shared.lists.send_replace(Arc::new(Parcel::new(&board.list())));
        tokio::time::sleep(BREATH).await;
    }
}

fn list_event(seq: u64, roster: &Roster, notices: &VecDeque<String>) -> String {
    json!({ "type": "session_update", "seq": seq, "sessions": roster.list(), "notices": notices }).to_string()
}

async fn refresh(board: Board) {
    let closed = board.shared.closed.clone();
    let every = board.shared.limits.refresh;
    while closed.run_until_cancelled(tokio::time::sleep(every)).await.is_some() {
        let store = board.shared.store.clone();
        // What went wrong, the store remembers.
        let _ = tokio::task::spawn_blocking(move || store.refresh()).await;
        board.note_store();
    }
}
