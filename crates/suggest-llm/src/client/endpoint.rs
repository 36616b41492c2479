//! Where the requests of a configured base URL go.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

/// The addresses of one endpoint. `Debug` and `Display` leave out the query, which may hold a key.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Endpoint {
    chat: Url,
    models: Url,
}

/// A base URL that cannot be used. The value itself is not repeated: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EndpointError {
    #[error("the base URL cannot be read; write it in full, for instance `http://localhost:11434/v1`")]
    Unreadable,
    #[error("the base URL must begin with `http://` or `https://`")]
    Scheme,
    #[error("the base URL names no host")]
    Host,
    #[error("the base URL holds a user name or password; name a key variable instead")]
    Credentials,
}

const CHAT: &str = "/chat/completions";

impl Endpoint {
    /// Takes a base URL in any of the forms that people write: with or without version, with a trailing slash, or as
    /// the full address of the chat endpoint. Only a bare host gets a `/v1`; any other path is kept as it is. A query is
    /// kept too (some endpoints want `?api-version=…`).
    pub(crate) fn parse(base_url: &str) -> Result<Self, EndpointError> {
        let mut url = Url::parse(base_url.trim()).map_err(|_| EndpointError::Unreadable)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(EndpointError::Scheme);
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(EndpointError::Host);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(EndpointError::Credentials);
        }
        url.set_fragment(None);
        let segments: Vec<&str> = url.path().split('/').filter(|segment| !segment.is_empty()).collect();
        let path: String = segments.iter().map(|segment| format!("/{segment}")).collect();
        let root = match path.strip_suffix(CHAT) {
            Some(root) => root.to_owned(),
            None if path.is_empty() => "/v1".to_owned(),
            None => path,
        };
        let (mut chat, mut models) = (url.clone(), url);
        chat.set_path(&format!("{root}{CHAT}"));
        models.set_path(&format!("{root}/models"));
        Ok(Self { chat, models })
    }

    pub(crate) fn chat(&self) -> &Url {
        &self.chat
    }

    pub(crate) fn models(&self) -> &Url {
        &self.models
    }

    pub(crate) fn is_https(&self) -> bool {
        self.chat.scheme() == "https"
    }

    pub(crate) fn host(&self) -> &str {
        self.chat.host_str().unwrap_or_default()
    }

    /// Whether the endpoint is on this machine: a loopback address, or the name `localhost`, which the client resolves to
    /// loopback itself.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.host();
        let address = host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(host);
        match address.parse::<IpAddr>() {
            Ok(address) => address.to_canonical().is_loopback(),
            Err(_) => host.eq_ignore_ascii_case("localhost"),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.chat.clone();
        shown.set_query(None);
        formatter.write_str(shown.as_str())
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Endpoint({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_base_url_gives_the_right_path() {
        for (base, path) in [
            ("http://h", "/v1/chat/completions"),
            ("http://h/", "/v1/chat/completions"),
            ("http://h/v1", "/v1/chat/completions"),
            ("http://h/v1/", "/v1/chat/completions"),
            ("http://h//v1//", "/v1/chat/completions"),
            ("http://h/v1/chat/completions", "/v1/chat/completions"),
            ("http://h/v1/chat/completions/", "/v1/chat/completions"),
            ("http://h/chat/completions", "/chat/completions"),
            ("http://h/v1beta/openai/", "/v1beta/openai/chat/completions"),
            ("http://h/compatible-mode/v1", "/compatible-mode/v1/chat/completions"),
            ("http://h/api/paas/v4", "/api/paas/v4/chat/completions"),
            ("http://h/openai/v1", "/openai/v1/chat/completions"),
            ("http://h/api/v1", "/api/v1/chat/completions"),
            ("http://h/openai/deployments/d?api-version=1", "/openai/deployments/d/chat/completions"),
            ("http://h/proxy", "/proxy/chat/completions"),
        ] {
            let endpoint = Endpoint::parse(base).unwrap();
            assert_eq!(endpoint.chat().path(), path, "{base}");
            assert!(endpoint.models().path().ends_with("/models"), "{base}");
        }
        let azure = Endpoint::parse("https://h/openai/deployments/d?api-version=1").unwrap();
        assert_eq!(azure.chat().query(), Some("api-version=1"));
    }

    #[test]
    fn the_query_is_never_shown_p3() {
        let endpoint = Endpoint::parse("https://h/v1?key=sk-secret").unwrap();
        assert_eq!(format!("{endpoint} {endpoint:?}").matches("secret").count(), 0);
    }

    #[test]
    fn unusable_base_urls_are_refused() {
        for (base, error) in [
            ("", EndpointError::Unreadable),
            ("api.example.com/v1", EndpointError::Unreadable),
            ("localhost:11434", EndpointError::Scheme),
            ("file:///etc/passwd", EndpointError::Scheme),
            ("https://user:pw@h/v1", EndpointError::Credentials),
        ] {
            assert_eq!(Endpoint::parse(base), Err(error), "{base}");
        }
    }

    #[test]
    fn only_this_machine_is_loopback_p1() {
        for (base, loopback) in [
            ("http://localhost:11434", true),
            ("http://LOCALHOST", true),
            ("http://127.0.0.1:8080", true),
            ("http://127.9.9.9", true),
            ("http://127.1", true),
            ("http://[::1]:1", true),
            ("http://[::ffff:127.0.0.1]", true),
            ("http://0.0.0.0:1", false),
            ("http://localhost.example.com", false),
            ("http://127.0.0.1.example.com", false),
            ("http://192.168.0.2", false),
            ("https://api.example.com", false),
        ] {
            assert_eq!(Endpoint::parse(base).unwrap().is_loopback(), loopback, "{base}");
        }
    }
}
