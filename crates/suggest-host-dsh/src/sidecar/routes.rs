//! From a model's name to whom is asked: the host's model service, unless the row configures a provider of that name.

use super::efforts::Efforts;
use super::model::HostModel;
use super::peer::Peer;
use std::sync::Arc;
use suggest_core::CallError;
use suggest_engine::{Provider, Resolver, Route};
use suggest_llm::LocalProvider;

#[cfg(feature = "client")]
pub(crate) use own::OwnProviders;

/// Finds who is asked.
pub(crate) struct Routes {
    peer: Arc<Peer>,
    pub(crate) efforts: Arc<Efforts>,
    #[cfg(feature = "client")]
    pub(crate) own: own::Own,
}

impl Routes {
    pub(crate) fn new(peer: Arc<Peer>) -> Self {
        Self {
            peer,
            efforts: Arc::default(),
            #[cfg(feature = "client")]
            own: own::Own::default(),
        }
    }
}

impl Resolver for Routes {
    fn resolve(&self, route: &Route<'_>) -> Result<Provider, CallError> {
        // The reserved name of the built-in provider, which is asked only by name (rule D1).
        if route.model.as_str() == "local/facts" {
            return Ok(Provider::new(Arc::new(LocalProvider)).with_facts());
        }
        #[cfg(feature = "client")]
        if let Some(own) = self.own.resolve(route) {
            return own;
        }
        let model = HostModel::new(Arc::clone(&self.peer), Arc::clone(&self.efforts), route.session);
        Ok(Provider::new(Arc::new(model)))
    }
}

#[cfg(feature = "client")]
mod own {
    use std::collections::BTreeSet;
    use std::sync::{Arc, PoisonError, RwLock};
    use suggest_core::{CallError, ErrorKind};
    use suggest_engine::{Provider, Route, TransferPolicy, resolve_in_table};
    use suggest_llm::{ProviderTable, TransferNeed};

    /// Providers that the row configures for our own client.
    #[derive(Debug)]
    pub(crate) struct OwnProviders {
        names: BTreeSet<String>,
        table: ProviderTable,
    }

    impl OwnProviders {
        pub(crate) fn new(names: BTreeSet<String>, table: ProviderTable) -> Self {
            Self { names, table }
        }
    }

    /// The providers of the row in force, and where a person set the model by command.
    #[derive(Debug, Default)]
    pub(crate) struct Own {
        providers: RwLock<Option<Arc<OwnProviders>>>,
        /// Sessions in which a person set the model in the life of this process: the second level of rule P1 holds
        /// there. A model that only comes from the file of choices is none, though its state says "command".
        commanded: RwLock<BTreeSet<String>>,
    }

    impl Own {
        pub(crate) fn set(&self, providers: Option<OwnProviders>) {
            *self.providers.write().unwrap_or_else(PoisonError::into_inner) = providers.map(Arc::new);
        }

        pub(crate) fn commanded(&self, session: &str) {
            self.commanded.write().unwrap_or_else(PoisonError::into_inner).insert(session.to_owned());
        }

        pub(crate) fn forget(&self, session: &str) {
            self.commanded.write().unwrap_or_else(PoisonError::into_inner).remove(session);
        }

        /// The provider, when the row configures one of this name.
        pub(super) fn resolve(&self, route: &Route<'_>) -> Option<Result<Provider, CallError>> {
            let own = self.providers.read().unwrap_or_else(PoisonError::into_inner).clone()?;
            if !own.names.contains(route.model.provider()) {
                return None;
            }
            Some(
                resolve_in_table(&own.table, route.model)
                    .and_then(|provider| self.permitted(route, provider)),
            )
        }

        fn permitted(&self, route: &Route<'_>, provider: Provider) -> Result<Provider, CallError> {
            let allowed = provider.llm.needs_transfer_opt_in() != TransferNeed::Network
                || route.config.allow_transfer
                || TransferPolicy::from_environment() == TransferPolicy::Allowed
                || self.commanded.read().unwrap_or_else(PoisonError::into_inner).contains(route.session);
            if allowed {
                return Ok(provider);
            }
            let message = format!(
                "nothing was sent to {}: set allowTransfer in the plugin's configuration, or the model by command in this session",
                route.model.provider()
            );
            Err(CallError { message: Some(message), ..CallError::new(ErrorKind::NotAllowed) })
        }
    }
}
