//! From a model's name to the value that can be asked.

use std::sync::Arc;
use suggest_core::{CallError, Config, ModelId, Voice};
use suggest_llm::Llm;

/// Whether a provider has what it needs to prove who is asking: the first level of rule P1. It counts for providers
/// that send over the network, and for no others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Credentials {
    /// They are there, or the endpoint wants none.
    #[default]
    Present,
    /// They are not.
    Missing {
        /// What to do, in a few words and without a secret: "set DEEPSEEK_API_KEY".
        remedy: String,
    },
}

impl Credentials {
    /// Missing ones, with what to do about it.
    #[must_use]
    pub fn missing(remedy: impl Into<String>) -> Self {
        Self::Missing { remedy: remedy.into() }
    }
}

/// A model that can be asked, with what the engine must know before it asks.
#[derive(Clone)]
#[non_exhaustive]
pub struct Provider {
    /// The model.
    pub llm: Arc<dyn Llm>,
    /// The first level of rule P1.
    pub credentials: Credentials,
    /// Whether the request carries the session's facts. The engine sets them for `local/facts` by itself.
    pub wants_facts: bool,
}

impl Provider {
    /// A provider with credentials that works on prompts.
    #[must_use]
    pub fn new(llm: Arc<dyn Llm>) -> Self {
        Self { llm, credentials: Credentials::Present, wants_facts: false }
    }

    /// Says whether credentials are there.
    #[must_use]
    pub fn with_credentials(mut self, credentials: Credentials) -> Self {
        self.credentials = credentials;
        self
    }

    /// Asks for the session's facts with every request.
    #[must_use]
    pub fn with_facts(mut self) -> Self {
        self.wants_facts = true;
        self
    }
}

impl From<Arc<dyn Llm>> for Provider {
    fn from(llm: Arc<dyn Llm>) -> Self {
        Self::new(llm)
    }
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Provider")
            .field("transfer", &self.llm.needs_transfer_opt_in())
            .field("credentials", &self.credentials)
            .field("wants_facts", &self.wants_facts)
            .finish_non_exhaustive()
    }
}

/// Who asks for a model.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Route<'a> {
    /// The host's id of the session.
    pub session: &'a str,
    /// The voice that asks.
    pub voice: Voice,
    /// The model's name.
    pub model: &'a ModelId,
    /// The session's configuration.
    pub config: &'a Config,
}

/// Finds the provider of a model. It is asked once for each call, outside every lock, and must be quick: keep clients,
/// since one client holds one pool of connections.
pub trait Resolver: Send + Sync + 'static {
    /// The provider of the route's model. A provider is never replaced by another one silently (rule P1).
    ///
    /// # Errors
    ///
    /// Why there is none; the voice fails with exactly this.
    fn resolve(&self, route: &Route<'_>) -> Result<Provider, CallError>;
}

impl<F> Resolver for F
where
    F: Fn(&Route<'_>) -> Result<Provider, CallError> + Send + Sync + 'static,
{
    fn resolve(&self, route: &Route<'_>) -> Result<Provider, CallError> {
        self(route)
    }
}
