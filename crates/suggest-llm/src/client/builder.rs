use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};

use super::adapt::{CapField, Form, Memory, SystemRole};
use super::body::Additions;
use super::endpoint::Endpoint;
use super::retry::RetryPolicy;
use super::{OpenAiClient, tls};

/// In which header the key travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyHeader {
    /// `Authorization: Bearer KEY`.
    Bearer,
    /// `api-key: KEY`, as Azure wants it.
    ApiKey,
    /// `x-api-key: KEY`.
    XApiKey,
}

/// Parameters that the client sets itself; `extra_body` must not.
const RESERVED: [&str; 9] = [
    "model",
    "messages",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "n",
    "tools",
    "functions",
];

/// Settings of an [`OpenAiClient`]. Begin with [`OpenAiClient::builder`].
#[derive(Clone)]
pub struct OpenAiClientBuilder {
    name: String,
    base_url: String,
    key: Option<SecretString>,
    key_header: KeyHeader,
    headers: Vec<(String, String)>,
    cap_field: CapField,
    system_role: SystemRole,
    stream: bool,
    additions: Additions,
    retry: RetryPolicy,
    most_bytes: usize,
    connect_timeout: Duration,
}

impl OpenAiClientBuilder {
    pub(super) fn new(base_url: String) -> Self {
        Self {
            name: "endpoint".to_owned(),
            base_url,
            key: None,
            key_header: KeyHeader::Bearer,
            headers: Vec::new(),
            cap_field: CapField::MaxTokens,
            system_role: SystemRole::System,
            stream: true,
            additions: Additions { usage_in_stream: true, ..Additions::default() },
            retry: RetryPolicy::default(),
            most_bytes: 16 * 1024 * 1024,
            connect_timeout: Duration::from_secs(10),
        }
    }

    /// What errors call the endpoint; the provider's configured name.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The key. Without one, no header is sent at all.
    #[must_use]
    pub fn key(mut self, key: impl Into<SecretString>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// The header that carries the key; `Authorization: Bearer` by default.
    #[must_use]
    pub fn key_header(mut self, header: KeyHeader) -> Self {
        self.key_header = header;
        self
    }

    /// One more header of every request. Its value is treated like a key: never shown.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The name under which the output cap is sent first; the client changes it when it is refused.
    #[must_use]
    pub fn cap_field(mut self, field: CapField) -> Self {
        self.cap_field = field;
        self
    }

    /// How instructions are sent first; the client changes it when it is refused.
    #[must_use]
    pub fn system_role(mut self, role: SystemRole) -> Self {
        self.system_role = role;
        self
    }

    /// A cap for endpoints that need one, sent when the request names none (rule L5).
    #[must_use]
    pub fn preset_cap(mut self, tokens: Option<u32>) -> Self {
        self.additions.preset_cap = tokens;
        self
    }

    /// Whether replies are streamed; they are by default. Dropping a streamed call stops most servers from generating.
    #[must_use]
    pub fn stream(mut self, stream: bool) -> Self {
        self.stream = stream;
        self
    }

    /// Whether streams are asked to end with token counts; they are by default.
    #[must_use]
    pub fn usage_in_stream(mut self, wanted: bool) -> Self {
        self.additions.usage_in_stream = wanted;
        self
    }

    /// Further parameters of every request, at the top level of its body.
    #[must_use]
    pub fn extra_body(mut self, extra: Map<String, Value>) -> Self {
        self.additions.extra = extra;
        self
    }

    /// How passing failures are retried.
    #[must_use]
    pub fn retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Most bytes that are read of one response, framing and reasoning included. 16 MiB by default.
    #[must_use]
    pub fn most_reply_bytes(mut self, bytes: usize) -> Self {
        self.most_bytes = bytes;
        self
    }

    /// How long one attempt to connect may take. 10 s by default.
    #[must_use]
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// The client.
    ///
    /// # Errors
    ///
    /// [`ClientError`] that says which setting cannot be used. It never panics and installs nothing process-wide.
    pub fn build(self) -> Result<OpenAiClient, ClientError> {
        let (endpoint, headers) = self.check()?;
        let tls = tls::config(endpoint.is_https()).map_err(|cause| {
            self.error(format!(
                "no secure connections on this machine ({cause}); install its root certificates"
            ))
        })?;
        let mut http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(Policy::none())
            .connect_timeout(self.connect_timeout)
            .user_agent(concat!("suggest/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers);
        if endpoint.is_loopback() {
            // Nothing that is exempt from the opt-in may leave this machine, neither through a proxy nor by a name that
            // somebody resolves elsewhere.
            let loopback = [(Ipv4Addr::LOCALHOST, 0).into(), (Ipv6Addr::LOCALHOST, 0).into()];
            http = http.no_proxy().resolve_to_addrs("localhost", &loopback);
        }
        let http = http.build().map_err(|_| self.error("the HTTP client could not be set up".to_owned()))?;
        Ok(OpenAiClient {
            name: self.name,
            endpoint,
            http,
            key: self.key,
            additions: self.additions,
            retry: self.retry,
            most_bytes: self.most_bytes,
            memory: Memory::new(Form::new(self.stream, self.system_role, self.cap_field)),
        })
    }

    /// Everything that can be wrong with the settings, without touching the machine's certificates.
    pub(crate) fn check(&self) -> Result<(Endpoint, HeaderMap), ClientError> {
        let endpoint = Endpoint::parse(&self.base_url).map_err(|error| self.error(error.to_string()))?;
        if let Some(reserved) = RESERVED.iter().find(|name| self.additions.extra.contains_key(**name)) {
            return Err(
                self.error(format!("extra_body must not set `{reserved}`, which the client sets itself"))
            );
        }
        let headers = self.header_map().map_err(|problem| self.error(problem))?;
        Ok((endpoint, headers))
    }

    fn error(&self, problem: String) -> ClientError {
        ClientError { problem: format!("provider `{}`: {problem}", self.name) }
    }

    fn header_map(&self) -> Result<HeaderMap, String> {
        let mut map = HeaderMap::new();
        let mut insert = |name: HeaderName, value: &str, whose: &str| {
            let mut value = HeaderValue::from_str(value)
                .map_err(|_| format!("{whose} holds characters that no header can carry"))?;
            value.set_sensitive(true);
            map.insert(name, value);
            Ok::<(), String>(())
        };
        for (name, value) in &self.headers {
            let header: HeaderName =
                name.parse().map_err(|_| format!("`{}` is no name of a header", name.escape_debug()))?;
            insert(header, value, &format!("the value of header `{name}`"))?;
        }
        if let Some(key) =
            self.key.as_ref().map(|key| key.expose_secret().trim()).filter(|key| !key.is_empty())
        {
            match self.key_header {
                KeyHeader::Bearer => {
                    insert(reqwest::header::AUTHORIZATION, &format!("Bearer {key}"), "the key")?;
                }
                KeyHeader::ApiKey => insert(HeaderName::from_static("api-key"), key, "the key")?,
                KeyHeader::XApiKey => insert(HeaderName::from_static("x-api-key"), key, "the key")?,
            }
        }
        Ok(map)
    }
}

impl fmt::Debug for OpenAiClientBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("OpenAiClientBuilder")
            .field("name", &self.name)
            .field("endpoint", &Endpoint::parse(&self.base_url))
            .field("key", &self.key.as_ref().map(|_| "[redacted]"))
            .field("headers", &self.headers.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}

/// Settings that no client can be built from; names the provider and the setting, never its secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct ClientError {
    problem: String,
}
