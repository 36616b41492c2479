//! Setting an engine up.

use crate::alarms::Alarms;
use crate::engine::{Engine, Registry, Shared};
use crate::gate::Gate;
use crate::observer::Observer;
use crate::provider::{Provider, Resolver, Route};
use crate::store::Store;
use crate::transfer::TransferPolicy;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use suggest_core::{CallError, ErrorKind};
use suggest_llm::Llm;
use tokio::runtime::Handle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Why an engine could not be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// `build` was called outside a tokio runtime and none was given.
    #[error("no tokio runtime here; build the engine inside one, or give one with `runtime`")]
    NoRuntime,
}

/// Sets an engine up; see [`Engine::builder`]. Only a model or a resolver is needed for suggestions.
#[must_use]
pub struct EngineBuilder {
    resolver: Arc<dyn Resolver>,
    store: Option<Arc<dyn Store>>,
    observer: Option<Arc<dyn Observer>>,
    transfer_policy: TransferPolicy,
    limit: Option<usize>,
    callback_timeout: Duration,
    shutdown_grace: Duration,
    runtime: Option<Handle>,
}

impl EngineBuilder {
    pub(crate) fn new() -> Self {
        Self {
            resolver: Arc::new(no_provider),
            store: None,
            observer: None,
            transfer_policy: TransferPolicy::default(),
            limit: None,
            callback_timeout: Duration::from_secs(10),
            shutdown_grace: Duration::from_secs(5),
            runtime: None,
        }
    }

    /// Finds the provider of each model this way.
    pub fn resolver(mut self, resolver: Arc<dyn Resolver>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Finds the provider of each model by a closure.
    pub fn resolve_with<F>(self, resolve: F) -> Self
    where
        F: Fn(&Route<'_>) -> Result<Provider, CallError> + Send + Sync + 'static,
    {
        self.resolver(Arc::new(resolve))
    }

    /// Finds the provider of each model in a table of network providers (rule P1 applies to them).
    #[cfg(feature = "client")]
    pub fn providers(self, table: Arc<suggest_llm::ProviderTable>) -> Self {
        self.resolve_with(move |route| crate::table::resolve(&table, route.model))
    }

    /// Asks this one for every model: for a host's own model service, and for tests.
    pub fn model(self, llm: Arc<dyn Llm>) -> Self {
        self.resolve_with(move |_| Ok(Provider::new(Arc::clone(&llm))))
    }

    /// Keeps what must outlive the process here. Without a store it is forgotten.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Lets somebody look on.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// What the embedder says about transfers (rule P1). The engine reads no environment variable by itself: pass
    /// [`TransferPolicy::from_environment`] where the variable shall count.
    pub fn transfer_policy(mut self, policy: TransferPolicy) -> Self {
        self.transfer_policy = policy;
        self
    }

    /// Fixes how many model calls may be in flight, 1 or more. Otherwise the engine follows `maxConcurrentCalls` of the
    /// configuration that it was given last, 4 by default.
    pub fn max_concurrent_calls(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// How long one call of the host or the store may take, 10 s by default. Submissions may take as long as they like.
    pub fn callback_timeout(mut self, timeout: Duration) -> Self {
        self.callback_timeout = timeout;
        self
    }

    /// How long a shutdown waits for the host and the store, 5 s by default.
    pub fn shutdown_grace(mut self, grace: Duration) -> Self {
        self.shutdown_grace = grace;
        self
    }

    /// Runs the engine's tasks on this runtime, whose timer must be enabled.
    pub fn runtime(mut self, runtime: Handle) -> Self {
        self.runtime = Some(runtime);
        self
    }

    /// Starts the engine.
    ///
    /// # Errors
    ///
    /// [`BuildError::NoRuntime`] outside a tokio runtime, when none was given.
    pub fn build(self) -> Result<Engine, BuildError> {
        let runtime = match self.runtime {
            Some(runtime) => runtime,
            None => Handle::try_current().map_err(|_| BuildError::NoRuntime)?,
        };
        Ok(Engine::start(Arc::new(Shared {
            runtime,
            began: Instant::now(),
            gate: Arc::new(Gate::new(self.limit.unwrap_or(4))),
            alarms: Arc::new(Alarms::default()),
            resolver: self.resolver,
            store: self.store,
            observer: self.observer,
            transfer_policy: self.transfer_policy,
            limit_is_fixed: self.limit.is_some(),
            callback_timeout: self.callback_timeout,
            shutdown_grace: self.shutdown_grace,
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
            cut: CancellationToken::new(),
            registry: Mutex::new(Registry::default()),
        })))
    }
}

impl std::fmt::Debug for EngineBuilder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("EngineBuilder")
            .field("transfer_policy", &self.transfer_policy)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

fn no_provider(route: &Route<'_>) -> Result<Provider, CallError> {
    Err(CallError {
        kind: ErrorKind::UnknownModel,
        message: Some(format!("this engine was given no provider for {}", route.model.provider())),
        retry_after_ms: None,
        usage: suggest_core::CallUsage::default(),
    })
}
