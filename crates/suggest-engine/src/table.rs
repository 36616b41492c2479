//! The model client's table of providers as a resolver.

use crate::convert::call_error;
use crate::provider::{Credentials, Provider};
use async_trait::async_trait;
use std::sync::Arc;
use suggest_core::{CallError, ErrorKind, ModelId};
use suggest_llm::{
    Llm, LlmError, LlmErrorKind, LlmReply, LlmRequest, ProviderError, ProviderTable, TransferNeed,
};

/// Finds a model's provider in a table of network providers, for a [`Resolver`](crate::Resolver) that has more than the
/// table. One whose key is missing is found all the same, so that a refusal can name both levels of rule P1 at once.
///
/// # Errors
///
/// Why the table has no such provider, or cannot make it.
pub fn resolve(table: &ProviderTable, model: &ModelId) -> Result<Provider, CallError> {
    let id = suggest_llm::ModelId::parse(model.as_str()).map_err(|error| CallError {
        kind: ErrorKind::UnknownModel,
        message: Some(error.to_string()),
        retry_after_ms: None,
        usage: suggest_core::CallUsage::default(),
    })?;
    match table.resolve(&id) {
        Ok(llm) => Ok(Provider::new(llm)),
        Err(ProviderError::MissingKey { looked_in, .. }) => {
            let credentials = Credentials::missing(format!("set {looked_in}"));
            Ok(Provider::new(Arc::new(Keyless)).with_credentials(credentials))
        }
        Err(error) => Err(call_error(error.into())),
    }
}

/// Stands for a network provider without its key. The check before sending stops every call; should one come through,
/// it sends nothing.
struct Keyless;

#[async_trait]
impl Llm for Keyless {
    async fn complete(&self, _request: &LlmRequest) -> Result<LlmReply, LlmError> {
        Err(LlmError::new(LlmErrorKind::Credentials, "the provider's key is missing"))
    }

    fn needs_transfer_opt_in(&self) -> TransferNeed {
        TransferNeed::Network
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use suggest_llm::{Environment, ProviderConfig};

    fn table(variables: &[(&str, &str)]) -> ProviderTable {
        let local = ProviderConfig {
            base_url: Some("http://127.0.0.1:11434/v1".to_owned()),
            ..ProviderConfig::default()
        };
        let configs = BTreeMap::from([("mine".to_owned(), local)]);
        let variables = variables.iter().map(|(name, value)| (*name, *value));
        ProviderTable::new(configs, Environment::from_variables(variables)).unwrap()
    }

    #[test]
    fn a_missing_key_is_a_missing_level_and_names_its_variable_p1() {
        let model: ModelId = "deepseek/deepseek-chat".parse().unwrap();
        let without = resolve(&table(&[]), &model).unwrap();
        assert_eq!(without.llm.needs_transfer_opt_in(), TransferNeed::Network);
        assert_eq!(without.credentials, Credentials::missing("set DEEPSEEK_API_KEY"));
        let with = resolve(&table(&[("DEEPSEEK_API_KEY", "sk-test")]), &model).unwrap();
        assert_eq!(with.credentials, Credentials::Present);
        assert_eq!(with.llm.needs_transfer_opt_in(), TransferNeed::Network);
    }

    #[test]
    fn loopback_and_the_local_provider_need_nothing_p1() {
        let need = |model: &str| {
            resolve(&table(&[]), &model.parse().unwrap()).map(|provider| provider.llm.needs_transfer_opt_in())
        };
        assert_eq!(need("mine/qwen"), Ok(TransferNeed::Loopback));
        assert_eq!(need("local/facts"), Ok(TransferNeed::None));
        assert_eq!(need("nowhere/x").map_err(|error| error.kind), Err(ErrorKind::UnknownModel));
    }
}
