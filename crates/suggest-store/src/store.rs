//! The store: one manager in memory, one file on the disk, and what keeps them the same.

use crate::disk::{Disk, Found, MOST_BYTES, Seen};
use crate::document::{Document, Unusable};
use crate::error::{ActError, StoreFileError, Warning};
use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use suggest_core::{CardLimits, CardManager, Snapshot};
use tokio::sync::watch;

/// Cards and summaries of any number of sessions, kept in one file. Clones share it.
///
/// Every method blocks for the time of reading or writing a file; call them from a blocking thread.
#[derive(Clone)]
pub struct CardStore {
    shared: Arc<Shared>,
}

struct Shared {
    disk: Disk,
    limits: CardLimits,
    clock: fn() -> u64,
    inner: Mutex<Inner>,
    updates: watch::Sender<Arc<Snapshot>>,
}

struct Inner {
    manager: CardManager,
    /// What of the file is not the manager's. Its book is only filled while the file is written.
    rest: Document,
    /// The file as it was when memory and disk were last the same.
    seen: Option<Seen>,
    warnings: Vec<Warning>,
    /// Why the last change could not be kept.
    failing: Option<String>,
}

/// Milliseconds since 1970.
fn wall_clock() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl CardStore {
    /// Opens the file, or begins one there with the first change. A file that cannot be used is set aside; ask
    /// [`CardStore::take_warnings`].
    ///
    /// # Errors
    /// When the file is there and cannot be read, or another process holds the lock. A folder that cannot be written is
    /// no error: the store can be read, [`CardStore::failing`] says why it cannot be written, and each change returns the error.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreFileError> {
        Self::open_with(path, CardLimits::default(), wall_clock)
    }

    /// As [`CardStore::open`], with other limits and another clock in milliseconds.
    ///
    /// # Errors
    /// As for [`CardStore::open`].
    pub fn open_with(
        path: impl AsRef<Path>,
        limits: CardLimits,
        clock: fn() -> u64,
    ) -> Result<Self, StoreFileError> {
        let path = path.as_ref();
        let disk = Disk::new(path).map_err(|error| StoreFileError::new(path, error))?;
        let mut inner = Inner {
            manager: CardManager::new(limits),
            rest: Document::default(),
            seen: None,
            warnings: Vec::new(),
            failing: None,
        };
        match disk.lock() {
            Ok(_locked) => {
                disk.sweep();
                inner.catch_up(&disk)?;
                inner.failing = disk.takes_files().err().map(|error| disk.error(error).to_string());
            }
            Err(
                error @ (StoreFileError::ReadOnly { .. }
                | StoreFileError::Full { .. }
                | StoreFileError::Io { .. }),
            ) => {
                inner.look(&disk)?;
                inner.failing = Some(error.to_string());
            }
            Err(busy @ StoreFileError::Busy { .. }) => return Err(busy),
        }
        let (updates, _) = watch::channel(Arc::new(inner.manager.snapshot(None)));
        Ok(Self { shared: Arc::new(Shared { disk, limits, clock, inner: Mutex::new(inner), updates }) })
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.shared.disk.path()
    }

    /// What a person should know since the last time this was asked.
    #[must_use]
    pub fn take_warnings(&self) -> Vec<Warning> {
        std::mem::take(&mut self.lock().warnings)
    }

    /// Why changes cannot be kept now: the error of the last one that failed, until one succeeds. Whoever shows the store to
    /// a person shows this, too, since some changes are nobody's request.
    #[must_use]
    pub fn failing(&self) -> Option<String> {
        self.lock().failing.clone()
    }

    /// The snapshots of every change, this process's and, when it notices them, those of others. A receiver has the
    /// current one at once; one that is slow sees only the newest (rule C7).
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.shared.updates.subscribe()
    }

    /// Looks at the manager as it is in memory.
    pub fn read<T>(&self, look: impl FnOnce(&CardManager) -> T) -> T {
        look(&self.lock().manager)
    }

    /// Changes the manager and the file, both or neither. The change gets the manager as the newest file has it, and
    /// the time in milliseconds.
    ///
    /// # Errors
    /// What the change refuses, or why the file could not be used. Nothing changed then.
    pub fn act<T, E>(
        &self,
        change: impl FnOnce(&mut CardManager, u64) -> Result<T, E>,
    ) -> Result<T, ActError<E>> {
        self.transact(|manager, _, now| change(manager, now))
    }

    /// As [`CardStore::act`], for a change that refuses nothing.
    ///
    /// # Errors
    /// Why the file could not be used. Nothing changed then.
    pub fn change<T>(&self, change: impl FnOnce(&mut CardManager, u64) -> T) -> Result<T, StoreFileError> {
        let done = self.act(|manager, now| Ok::<T, Infallible>(change(manager, now)));
        done.map_err(|error| match error {
            ActError::File(error) => error,
            ActError::Refused(never) => match never {},
        })
    }

    /// Changes what is in memory alone: which sessions are idle, and what they are called.
    pub fn note<T>(&self, change: impl FnOnce(&mut CardManager) -> T) -> T {
        change(&mut self.lock().manager)
    }

    /// Takes up what other processes wrote since, closes cards whose time is over, and tries again what could not be kept
    /// before. Gives whether anything changed; subscribers were told then. Where nothing is to be done it costs one look at
    /// the file's facts: call it often.
    ///
    /// # Errors
    /// Why the file could not be used.
    pub fn refresh(&self) -> Result<bool, StoreFileError> {
        let before = {
            let inner = self.lock();
            let now = (self.shared.clock)();
            let expires = inner.manager.next_expiry().is_some_and(|at| at <= now);
            if !expires && inner.failing.is_none() && !self.shared.disk.has_news(inner.seen.as_ref()) {
                return Ok(false);
            }
            inner.manager.seq()
        };
        self.change(|manager, now| {
            manager.expire(now);
        })?;
        Ok(self.lock().manager.seq() != before)
    }

    pub(crate) fn transact<T, E>(
        &self,
        change: impl FnOnce(&mut CardManager, &mut Document, u64) -> Result<T, E>,
    ) -> Result<T, ActError<E>> {
        let mut inner = self.lock();
        let done = self.transact_in(&mut inner, change);
        match &done {
            Err(ActError::File(error)) => inner.failing = Some(error.to_string()),
            Ok(_) => inner.failing = None,
            Err(ActError::Refused(_)) => {}
        }
        done
    }

    fn transact_in<T, E>(
        &self,
        inner: &mut Inner,
        change: impl FnOnce(&mut CardManager, &mut Document, u64) -> Result<T, E>,
    ) -> Result<T, ActError<E>> {
        let disk = &self.shared.disk;
        let _locked = disk.lock()?;
        let before = inner.manager.seq();
        inner.catch_up(disk)?;
        let (seq, mut manager, mut rest) = (inner.manager.seq(), inner.manager.clone(), inner.rest.clone());
        let kept = rest.changes();
        let done = change(&mut manager, &mut rest, (self.shared.clock)());
        let done = match done {
            Ok(done) => done,
            Err(refused) => {
                self.tell(inner, before);
                return Err(ActError::Refused(refused));
            }
        };
        // What failed before is tried again by the file as it is: there may be room now. Nor may memory alone hold what
        // the file held before it was set aside.
        let is_lost = inner.seen.is_none() && seq > 0;
        let is_new = manager.seq() != seq || rest.changes() != kept || inner.failing.is_some() || is_lost;
        if is_new {
            let bytes = rest.write(manager.book()).map_err(|error| disk.error(io::Error::other(error)))?;
            inner.seen = Some(disk.replace(&bytes).map_err(|error| disk.error(error))?);
        }
        inner.manager = manager;
        inner.rest = rest;
        // The file has its name: a crash of this process loses nothing of what subscribers see from here on. Whoever asked
        // for the change hears of it only behind the last flush.
        self.tell(inner, before);
        if is_new {
            disk.flush_folder();
        }
        Ok(done)
    }

    pub(crate) fn kept<T>(&self, look: impl FnOnce(&CardManager, &Document) -> T) -> T {
        let inner = self.lock();
        look(&inner.manager, &inner.rest)
    }

    fn tell(&self, inner: &Inner, before: u64) {
        if inner.manager.seq() != before {
            self.shared.updates.send_replace(Arc::new(inner.manager.snapshot(None)));
        }
    }

    /// A change that panicked left the manager as it was: it worked on a copy.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.shared.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Makes memory what the file says, if somebody else wrote it. Only under the lock. A file that cannot be used is
    /// set aside, and what is in memory stays: it was on the disk once.
    fn catch_up(&mut self, disk: &Disk) -> Result<(), StoreFileError> {
        if !disk.has_news(self.seen.as_ref()) {
            return Ok(());
        }
        if let Err(Unusable(reason)) = self.look_at(disk)? {
            let warning = disk.set_aside(reason);
            let stuck = warning.set_aside.is_none();
            self.warnings.push(warning);
            if stuck {
                // It must not be overwritten, so nothing can be kept here.
                let error = io::Error::new(io::ErrorKind::PermissionDenied, "a file stands in the way");
                return Err(disk.error(error));
            }
            self.seen = None;
        }
        Ok(())
    }

    /// Reads what is there without a lock and without touching it.
    fn look(&mut self, disk: &Disk) -> Result<(), StoreFileError> {
        if let Err(Unusable(reason)) = self.look_at(disk)? {
            self.warnings.push(Warning { path: disk.path().to_owned(), set_aside: None, reason });
        }
        Ok(())
    }

    fn look_at(&mut self, disk: &Disk) -> Result<Result<(), Unusable>, StoreFileError> {
        let (bytes, seen) = match disk.read().map_err(|error| disk.error(error))? {
            Found::Nothing => return Ok(Ok(())),
            Found::TooLarge(length) => {
                let mib = length / (1024 * 1024);
                let most = MOST_BYTES / (1024 * 1024);
                return Ok(Err(Unusable(format!("is too large ({mib} MiB, at most {most} MiB are read)"))));
            }
            Found::Bytes(bytes, seen) => (bytes, seen),
        };
        Ok(match Document::read(&bytes) {
            Ok(mut document) => {
                let mut book = std::mem::take(&mut document.book);
                // Whoever watches must see that something changed.
                book.seq = book.seq.max(self.manager.seq().saturating_add(1));
                self.manager.replace_book(book);
                self.rest = document;
                self.seen = Some(seen);
                Ok(())
            }
            Err(unusable) => Err(unusable),
        })
    }
}

impl std::fmt::Debug for CardStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("CardStore")
            .field("path", &self.shared.disk.path())
            .field("limits", &self.shared.limits)
            .finish_non_exhaustive()
    }
}
