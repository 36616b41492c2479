use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::client::{CapField, Endpoint};

/// One entry of the section `providers`. Every field is optional when the entry has the name of a preset.
///
/// The key itself is never configured, only where it is (rule P4). `Debug` shows no values of headers and no query.
#[derive(Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct ProviderConfig {
    /// The preset to build on. By default the one with the entry's own name, if there is one.
    pub preset: Option<String>,
    /// Where the endpoint is: with or without version, or its full chat address; a query is kept.
    #[serde(alias = "base_url")]
    pub base_url: Option<String>,
    /// The environment variable that holds the key, instead of the preset's.
    ///
    /// An entry that moves a preset to another host must name it: the key of a service never goes to an address that
    /// is not that service's, just because a file says so.
    #[serde(alias = "key_env")]
    pub key_env: Option<String>,
    /// A file that holds the key and nothing else. It comes before variables.
    #[serde(alias = "key_file")]
    pub key_file: Option<PathBuf>,
    /// Further headers of every request.
    pub headers: BTreeMap<String, String>,
    /// The name of the output cap: `max_tokens` or `max_completion_tokens`.
    #[serde(alias = "cap_field")]
    pub cap_field: Option<CapField>,
    /// Further parameters at the top level of every request's body, for instance
    /// `{"thinking": {"type": "disabled"}}`.
    #[serde(alias = "extra_body")]
    pub extra_body: Map<String, Value>,
}

impl fmt::Debug for ProviderConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ProviderConfig")
            .field("preset", &self.preset)
            .field("base_url", &self.base_url.as_deref().map(Endpoint::parse))
            .field("key_env", &self.key_env)
            .field("key_file", &self.key_file)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("cap_field", &self.cap_field)
            .field("extra_body", &self.extra_body.keys().collect::<Vec<_>>())
            .finish()
    }
}
