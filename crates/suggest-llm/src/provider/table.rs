use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use secrecy::SecretString;

use super::config::ProviderConfig;
use super::environment::Environment;
use super::presets::Preset;
use crate::client::{CapField, ClientError, Endpoint, KeyHeader, OpenAiClient, OpenAiClientBuilder};
use crate::error::{LlmError, LlmErrorKind};
use crate::llm::{Llm, TransferNeed};
use crate::local::LocalProvider;
use crate::model_id::ModelId;

/// Turns `provider/model` into a provider that can be asked.
///
/// Providers come from the configuration and from the presets; `local/facts` is built in. One client is made per
/// provider and kept, with its connections and what it learnt about parameters. A key is read when its provider is first
/// used, and not again.
pub struct ProviderTable {
    configs: BTreeMap<String, ProviderConfig>,
    environment: Environment,
    clients: Mutex<HashMap<String, Arc<OpenAiClient>>>,
}

/// What stands between a model and its first call (rule P1).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Readiness {
    /// Whether calls leave this machine, and so need the permission to transfer.
    pub transfer: TransferNeed,
    /// The first of the two levels.
    pub credentials: Credentials,
}

/// Whether there is a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credentials {
    /// The endpoint wants none: it is on this machine, or configured without one.
    NotNeeded,
    /// There is one; where it was found.
    Present {
        /// The variable's name or the file's path.
        source: String,
    },
    /// There is none; where it was looked for.
    Missing {
        /// Variables' names and files' paths, first choice first.
        looked_in: Vec<String>,
    },
}

impl ProviderTable {
    /// A table over the configured providers and the presets. Reads no key yet.
    ///
    /// # Errors
    ///
    /// [`ProviderError`] for the first entry that can never work: nothing is half applied.
    pub fn new(
        configs: BTreeMap<String, ProviderConfig>,
        environment: Environment,
    ) -> Result<Self, ProviderError> {
        let table = Self { configs, environment, clients: Mutex::new(HashMap::new()) };
        for name in table.configs.keys() {
            if name == "local" || name.is_empty() || name.contains('/') {
                return Err(ProviderError::BadName { provider: name.clone() });
            }
            let plan = table.plan(name)?;
            plan.builder().check().map_err(ProviderError::Client)?;
        }
        Ok(table)
    }

    /// The provider of a model.
    ///
    /// # Errors
    ///
    /// [`ProviderError`] that names the provider and the remedy. Nothing is ever replaced by another provider.
    pub fn resolve(&self, model: &ModelId) -> Result<Arc<dyn Llm>, ProviderError> {
        if model.provider() == "local" {
            return if model.is_local_facts() {
                Ok(Arc::new(LocalProvider))
            } else {
                Err(ProviderError::UnknownLocal { model: model.model().to_owned() })
            };
        }
        let client: Arc<dyn Llm> = self.client(model)?;
        Ok(client)
    }

    /// The network client of a model, with what only it has: lists and probes.
    ///
    /// # Errors
    ///
    /// As [`resolve`](Self::resolve); `local` has none.
    pub fn client(&self, model: &ModelId) -> Result<Arc<OpenAiClient>, ProviderError> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(model.provider()) {
            return Ok(Arc::clone(client));
        }
        let plan = self.plan(model.provider())?;
        let key = match plan.credentials(&self.environment)? {
            (Credentials::Missing { looked_in }, _) => {
                return Err(ProviderError::MissingKey { provider: plan.name, looked_in: Places(looked_in) });
            }
            (Credentials::NotNeeded | Credentials::Present { .. }, key) => key,
        };
        let client = Arc::new(plan.client(key)?);
        clients.insert(model.provider().to_owned(), Arc::clone(&client));
        Ok(client)
    }

    /// What stands between a model and its first call. Opens no connection.
    ///
    /// # Errors
    ///
    /// [`ProviderError`] when the provider is not known or its key cannot be read.
    pub fn readiness(&self, model: &ModelId) -> Result<Readiness, ProviderError> {
        if model.provider() == "local" {
            self.resolve(model)?;
            return Ok(Readiness { transfer: TransferNeed::None, credentials: Credentials::NotNeeded });
        }
        let plan = self.plan(model.provider())?;
        let transfer =
            if plan.endpoint.is_loopback() { TransferNeed::Loopback } else { TransferNeed::Network };
        Ok(Readiness { transfer, credentials: plan.credentials(&self.environment)?.0 })
    }

    /// Names that can be used before the `/`: configured ones and presets, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let presets = Preset::all().iter().map(|preset| preset.name().to_owned());
        let mut names: Vec<String> = self.configs.keys().cloned().chain(presets).collect();
        names.push("local".to_owned());
        names.sort_unstable();
        names.dedup();
        names
    }

    fn plan(&self, name: &str) -> Result<Plan<'_>, ProviderError> {
        let provider = || name.to_owned();
        let config = self.configs.get(name);
        let preset = match config.and_then(|config| config.preset.as_deref()) {
            Some(wanted) => Some(Preset::named(wanted).ok_or_else(|| ProviderError::UnknownPreset {
                provider: provider(),
                preset: wanted.to_owned(),
            })?),
            None => Preset::named(name),
        };
        if config.is_none() && preset.is_none() {
            return Err(ProviderError::UnknownProvider { provider: provider(), known: Places(self.names()) });
        }
        let configured_url = config.and_then(|config| config.base_url.as_deref());
        let Some(base_url) = configured_url.or(preset.and_then(|preset| preset.base_url)) else {
            return Err(ProviderError::MissingBaseUrl { provider: provider() });
        };
        let endpoint = Endpoint::parse(base_url).map_err(|error| ProviderError::BadBaseUrl {
            provider: provider(),
            problem: error.to_string(),
        })?;
        Ok(Plan { name: provider(), config, preset, base_url: base_url.to_owned(), endpoint })
    }
}

impl fmt::Debug for ProviderTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ProviderTable").field("configs", &self.configs).finish_non_exhaustive()
    }
}

/// One provider, put together from its entry and its preset.
struct Plan<'a> {
    name: String,
    config: Option<&'a ProviderConfig>,
    preset: Option<&'static Preset>,
    base_url: String,
    endpoint: Endpoint,
}

impl Plan<'_> {
    /// Whether there is a key, and the key.
    fn credentials(
        &self,
        environment: &Environment,
    ) -> Result<(Credentials, Option<SecretString>), ProviderError> {
        let mut looked_in = Vec::new();
        if let Some(path) = self.config.and_then(|config| config.key_file.as_deref()) {
            let source = path.display().to_string();
            let text = environment.file(path).map_err(|cause| ProviderError::UnreadableKey {
                provider: self.name.clone(),
                source_name: source.clone(),
                problem: cause.kind().to_string(),
            })?;
            if !text.trim().is_empty() {
                return Ok((
                    Credentials::Present { source: source.clone() },
                    Some(self.secret(&text, &source)?),
                ));
            }
            looked_in.push(source);
        }
        for variable in self.key_variables()? {
            if let Some(value) = environment.variable(&variable) {
                let key = self.secret(&value, &variable)?;
                return Ok((Credentials::Present { source: variable }, Some(key)));
            }
            looked_in.push(variable);
        }
        let needed = !self.endpoint.is_loopback() && !looked_in.is_empty();
        Ok((if needed { Credentials::Missing { looked_in } } else { Credentials::NotNeeded }, None))
    }

    /// Where the key may be. A preset's variables count only for the preset's own host.
    fn key_variables(&self) -> Result<Vec<String>, ProviderError> {
        if let Some(variable) = self.config.and_then(|config| config.key_env.as_deref()) {
            return Ok(vec![variable.to_owned()]);
        }
        let Some(preset) = self.preset.filter(|preset| !preset.key_variables.is_empty()) else {
            return Ok(Vec::new());
        };
        let home = preset.base_url.map(Endpoint::parse).and_then(Result::ok);
        let moved = home.is_some_and(|home| !home.is_loopback() && home.host() != self.endpoint.host());
        let has_file = self.config.is_some_and(|config| config.key_file.is_some());
        if moved && self.endpoint.is_loopback() || has_file {
            return Ok(Vec::new());
        }
        if moved {
            return Err(ProviderError::MovedPreset { provider: self.name.clone(), preset: preset.name() });
        }
        Ok(preset.key_variables.iter().map(|variable| (*variable).to_owned()).collect())
    }

    fn secret(&self, text: &str, source: &str) -> Result<SecretString, ProviderError> {
        let key = text.trim();
        if key.chars().any(|character| !character.is_ascii_graphic()) {
            return Err(ProviderError::UnreadableKey {
                provider: self.name.clone(),
                source_name: source.to_owned(),
                problem: "it holds white space or characters that no key has".to_owned(),
            });
        }
        Ok(SecretString::from(key.to_owned()))
    }

    fn client(&self, key: Option<SecretString>) -> Result<OpenAiClient, ProviderError> {
        let builder = match key {
            Some(key) => self.builder().key(key),
            None => self.builder(),
        };
        builder.build().map_err(ProviderError::Client)
    }

    /// Everything but the key.
    fn builder(&self) -> OpenAiClientBuilder {
        let preset_cap_field = self.preset.map_or(CapField::MaxTokens, |preset| preset.cap_field);
        let mut builder = OpenAiClient::builder(&self.base_url)
            .name(&self.name)
            .key_header(self.preset.map_or(KeyHeader::Bearer, |preset| preset.key_header))
            .cap_field(self.config.and_then(|config| config.cap_field).unwrap_or(preset_cap_field))
            .preset_cap(self.preset.and_then(|preset| preset.cap))
            .usage_in_stream(self.preset.is_none_or(|preset| preset.usage_in_stream));
        if let Some(config) = self.config {
            builder = builder.extra_body(config.extra_body.clone());
            for (name, value) in &config.headers {
                builder = builder.header(name, value);
            }
        }
        builder
    }
}

/// Names in one line: the first choices, and how many more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places(Vec<String>);

impl fmt::Display for Places {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join(", "))
    }
}

/// Why a model has no provider. Names variables and files, never what is in them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// Neither configured nor a preset.
    #[error("unknown provider `{provider}`; known are {known}; or set providers.{provider}.baseUrl")]
    UnknownProvider {
        /// The name before the `/`.
        provider: String,
        /// Names that would do.
        known: Places,
    },
    /// `local` has one model only.
    #[error("unknown local model `{model}`; the built-in one is `local/facts`")]
    UnknownLocal {
        /// The name behind the `/`.
        model: String,
    },
    /// A name that no model can be written with.
    #[error("`{provider}` cannot name a provider: it is empty, reserved or holds a `/`")]
    BadName {
        /// The entry's name.
        provider: String,
    },
    /// An entry builds on a preset that does not exist.
    #[error("provider `{provider}`: there is no preset `{preset}`")]
    UnknownPreset {
        /// The entry's name.
        provider: String,
        /// The preset that it names.
        preset: String,
    },
    /// The address is each customer's own, and was not given.
    #[error("provider `{provider}` has no base URL; set providers.{provider}.baseUrl")]
    MissingBaseUrl {
        /// The entry's name.
        provider: String,
    },
    /// The address cannot be used.
    #[error("provider `{provider}`: {problem}")]
    BadBaseUrl {
        /// The entry's name.
        provider: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The endpoint wants a key and there is none (rule P1, first level).
    #[error("no key for provider `{provider}`; set {looked_in}")]
    MissingKey {
        /// The provider's name.
        provider: String,
        /// Where it was looked for.
        looked_in: Places,
    },
    /// A key was found and cannot be used.
    #[error("the key of provider `{provider}` in {source_name} cannot be used: {problem}")]
    UnreadableKey {
        /// The provider's name.
        provider: String,
        /// The variable or file.
        source_name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// An entry moves a preset to another host and does not name a key.
    #[error(
        "provider `{provider}` moves preset `{preset}` to another host; name its key with providers.{provider}.keyEnv, so that the key of {preset} is not sent elsewhere"
    )]
    MovedPreset {
        /// The entry's name.
        provider: String,
        /// The preset's name.
        preset: &'static str,
    },
    /// A setting that no client can be built from.
    #[error(transparent)]
    Client(ClientError),
}

impl From<ProviderError> for LlmError {
    fn from(error: ProviderError) -> Self {
        let kind = match error {
            ProviderError::MissingKey { .. }
            | ProviderError::UnreadableKey { .. }
            | ProviderError::MovedPreset { .. } => LlmErrorKind::Credentials,
            ProviderError::UnknownProvider { .. }
            | ProviderError::UnknownLocal { .. }
            | ProviderError::BadName { .. }
            | ProviderError::UnknownPreset { .. }
            | ProviderError::MissingBaseUrl { .. }
            | ProviderError::BadBaseUrl { .. }
            | ProviderError::Client(_) => LlmErrorKind::UnknownModel,
        };
        Self::new(kind, error.to_string())
    }
}
