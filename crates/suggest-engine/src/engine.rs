//! The engine: what all sessions share, and its end.

use crate::alarms::Alarms;
use crate::builder::EngineBuilder;
use crate::gate::Gate;
use crate::host::Host;
use crate::observer::Observer;
use crate::provider::Resolver;
use crate::session::{Cell, SessionHandle};
use crate::store::{HostProcess, Store, StoreError, load_cards, load_counters};
use crate::transfer::TransferPolicy;
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use suggest_core::{Config, SessionSetup, Timestamp};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Runs many sessions on one tokio runtime, with one gate for their model calls. Clones are the same engine; when the
/// last one is dropped without [`Engine::shutdown`], everything is cancelled at once and nothing more is saved.
#[derive(Debug, Clone)]
pub struct Engine {
    owner: Arc<Owner>,
}

#[derive(Debug)]
struct Owner {
    shared: Arc<Shared>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.shared.stop_sessions();
        self.shared.cut.cancel();
    }
}

/// What an engine does at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct EngineStats {
    /// Sessions that exist.
    pub sessions: usize,
    /// Model calls in flight.
    pub calls_in_flight: usize,
    /// Model calls that wait at the gate.
    pub calls_waiting: usize,
    /// The most model calls that were ever in flight.
    pub most_calls_in_flight: usize,
    /// Tasks of the engine that are alive.
    pub tasks: usize,
}

impl Engine {
    /// Sets an engine up.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::new()
    }

    pub(crate) fn start(shared: Arc<Shared>) -> Self {
        let (alarms, gate) = (Arc::clone(&shared.alarms), Arc::clone(&shared.gate));
        let stopping = shared.stopping.clone();
        shared.spawn(async move {
            stopping.run_until_cancelled(alarms.run(&gate)).await;
        });
        Self { owner: Arc::new(Owner { shared }) }
    }

    /// Opens a session. It makes no call by itself. Opening the same id again makes a second, separate session: keep the
    /// handle. After a shutdown the session takes nothing.
    #[must_use]
    pub fn open_session(&self, setup: SessionSetup, config: Config, host: Arc<dyn Host>) -> SessionHandle {
        let shared = &self.owner.shared;
        shared.follow_limit(&config);
        let cell = {
            let mut registry = shared.registry();
            let number = registry.next;
            registry.next = number.wrapping_add(1);
            let cell = Arc::new(Cell::new(number, Arc::clone(shared), setup, config, host));
            registry.cells.insert(number, Arc::downgrade(&cell));
            cell
        };
        if shared.stopping.is_cancelled() {
            cell.stop();
        }
        SessionHandle::new(cell)
    }

    /// The setup, going on with the offer and ticket numbers that the store kept for its session, and with the spent
    /// rounds if the host's process is still the same (rules D11, A6), and with its cards (rule C6). Without a store, or for a new session, the setup
    /// as it is.
    ///
    /// # Errors
    ///
    /// When the store fails or what it kept cannot be read. Opening the session all the same would use numbers twice.
    pub async fn resume(
        &self,
        setup: SessionSetup,
        process: HostProcess,
    ) -> Result<SessionSetup, StoreError> {
        let Some(store) = &self.owner.shared.store else { return Ok(setup) };
        let counters = load_counters(&**store, &setup.id).await?;
        let setup = match load_cards(&**store, &setup.id).await? {
            Some(book) => setup.with_cards(book),
            None => setup,
        };
        Ok(match counters {
            Some(counters) => counters.resume(setup, process),
            None => setup,
        })
    }

    /// Changes how many model calls may be in flight, 1 or more. Calls in flight stay.
    pub fn set_max_concurrent_calls(&self, limit: usize) {
        self.owner.shared.gate.set_limit(limit);
    }

    /// What the engine does at the moment.
    #[must_use]
    pub fn stats(&self) -> EngineStats {
        let shared = &self.owner.shared;
        let (calls_in_flight, calls_waiting, most_calls_in_flight) = shared.gate.counts();
        EngineStats {
            sessions: shared.registry().cells.len(),
            calls_in_flight,
            calls_waiting,
            most_calls_in_flight,
            tasks: shared.tasks.len(),
        }
    }

    /// Ends everything: sessions close and take nothing more, calls are cancelled, what must be saved or reported is,
    /// within the grace of [`EngineBuilder::shutdown_grace`]. When it returns, no task, timer or connection of the engine
    /// is left; only code of the embedder that blocks its thread can delay it. Calling it again, or dropping and calling
    /// it again, is fine.
    pub async fn shutdown(&self) {
        let shared = &self.owner.shared;
        shared.stop_sessions();
        shared.tasks.close();
        if tokio::time::timeout(shared.shutdown_grace, shared.tasks.wait()).await.is_err() {
            tracing::warn!("the embedder's code outlasted the shutdown's grace and is dropped");
            shared.cut.cancel();
            shared.tasks.wait().await;
        }
    }
}

/// What the sessions of one engine share.
pub(crate) struct Shared {
    pub(crate) runtime: Handle,
    pub(crate) began: Instant,
    pub(crate) gate: Arc<Gate>,
    pub(crate) alarms: Arc<Alarms>,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) store: Option<Arc<dyn Store>>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) transfer_policy: TransferPolicy,
    pub(crate) limit_is_fixed: bool,
    pub(crate) callback_timeout: Duration,
    pub(crate) shutdown_grace: Duration,
    pub(crate) tasks: TaskTracker,
    /// No new work.
    pub(crate) stopping: CancellationToken,
    /// No work at all.
    pub(crate) cut: CancellationToken,
    pub(crate) registry: Mutex<Registry>,
}

/// The sessions that exist. A session is kept alive by its handles and its work, not by this.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    cells: HashMap<u64, Weak<Cell>>,
    next: u64,
}

impl Shared {
    /// Milliseconds since the engine began.
    pub(crate) fn now(&self) -> Timestamp {
        let passed = Instant::now().saturating_duration_since(self.began).as_millis();
        Timestamp::new(u64::try_from(passed).unwrap_or(u64::MAX))
    }

    /// The moment of a core's timestamp; one beyond all clocks is a year away.
    pub(crate) fn instant(&self, at: Timestamp) -> Instant {
        const YEAR: Duration = Duration::from_secs(365 * 24 * 3_600);
        let after = Duration::from_millis(at.get());
        self.began.checked_add(after).unwrap_or_else(|| Instant::now() + YEAR)
    }

    /// Runs a task of the engine; none of them outlives a shutdown.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        let cut = self.cut.clone();
        let work = async move {
            cut.run_until_cancelled(work).await;
        };
        self.tasks.spawn_on(work, &self.runtime).abort_handle()
    }

    /// Follows the newest configuration, unless the embedder fixed the limit.
    pub(crate) fn follow_limit(&self, config: &Config) {
        if !self.limit_is_fixed {
            self.gate.set_limit(usize::try_from(config.max_concurrent_calls).unwrap_or(usize::MAX));
        }
    }

    pub(crate) fn forget(&self, number: u64) {
        self.registry().cells.remove(&number);
    }

    fn stop_sessions(&self) {
        self.stopping.cancel();
        // Upgraded first and stopped without the lock: the last handle may go meanwhile, and then forgets itself.
        let cells: Vec<Arc<Cell>> = self.registry().cells.values().filter_map(Weak::upgrade).collect();
        for cell in cells {
            cell.stop();
        }
    }

    /// Nothing panics while the lock is held, so a poisoned lock is still consistent.
    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Shared").field("gate", &self.gate).finish_non_exhaustive()
    }
}
