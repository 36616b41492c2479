//! From the configuration to providers, and the runtime that calls need.

use crate::config::Settings;
use crate::exit::Failure;
use async_trait::async_trait;
use std::sync::Arc;
use suggest_core::{CallError, ErrorKind};
use suggest_engine::{Credentials, Provider, Route};
use suggest_llm::{
    Environment, Llm, LlmError, LlmErrorKind, LlmReply, LlmRequest, ModelId, ProviderError, ProviderTable,
    TransferNeed,
};
use tokio::runtime::Runtime;

/// The table of providers; a provider that can never work is an error of the configuration.
pub(crate) fn providers(settings: &Settings) -> Result<ProviderTable, Failure> {
    ProviderTable::new(settings.providers.clone(), Environment::process()).map_err(|error| {
        let place = settings.file.as_ref().map(|(found, _)| format!("{}: ", found.path.display()));
        Failure::usage(format_args!("{}{error}", place.unwrap_or_default()))
    })
}

/// The client's name of a model that the core knows.
pub(crate) fn model_id(model: &suggest_core::ModelId) -> Result<ModelId, Failure> {
    ModelId::parse(model.as_str()).map_err(Failure::usage)
}

/// The runtime of one command; nothing else runs on it.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format_args!("cannot start: {error}")))
}

/// Finds the provider of a model for the engine. A missing key is told to the engine, which names every level that is
/// missing in one refusal (rule P1).
pub(crate) fn resolve(table: &ProviderTable, route: &Route<'_>) -> Result<Provider, CallError> {
    let model = ModelId::parse(route.model.as_str())
        .map_err(|error| call_error(ErrorKind::UnknownModel, error.to_string()))?;
    let readiness = table.readiness(&model).map_err(no_provider)?;
    match readiness.credentials {
        suggest_llm::Credentials::Missing { looked_in } => {
            Ok(Provider::new(Arc::new(Keyless(readiness.transfer)))
                .with_credentials(Credentials::missing(format!("set {}", looked_in.join(" or ")))))
        }
        suggest_llm::Credentials::NotNeeded | suggest_llm::Credentials::Present { .. } => {
            Ok(Provider::new(table.resolve(&model).map_err(no_provider)?))
        }
    }
}

fn no_provider(error: ProviderError) -> CallError {
    let message = error.to_string();
    let kind = match LlmError::from(error).kind {
        LlmErrorKind::Credentials => ErrorKind::Credentials,
        _ => ErrorKind::UnknownModel,
    };
    call_error(kind, message)
}

fn call_error(kind: ErrorKind, message: String) -> CallError {
    let mut error = CallError::new(kind);
    error.message = Some(message);
    error
}

/// A provider whose key is missing: it only says where text would go.
struct Keyless(TransferNeed);

#[async_trait]
impl Llm for Keyless {
    async fn complete(&self, _request: &LlmRequest) -> Result<LlmReply, LlmError> {
        Err(LlmError::new(LlmErrorKind::NotAllowed, "the provider's key is missing"))
    }

    fn needs_transfer_opt_in(&self) -> TransferNeed {
        self.0
    }
}
