//! Who may ask: the rules that every request passes before anything else looks at it.

use crate::error::ApiError;
use crate::token::{Token, same};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

/// The protocol that WebSocket clients name.
pub(crate) const PROTOCOL: &str = "suggest.board.v1";
/// How a browser, which cannot set headers for a WebSocket, names the token: as a second protocol.
const BEARER_PROTOCOL: &str = "bearer.";
/// What may be asked without the token besides the page's own files: no session data is behind it.
const OPEN: [&str; 2] = ["/api/login", "/api/openapi.json"];

/// What is let in.
pub(crate) struct Access {
    token: Token,
    /// Values of `Host`, lower case.
    hosts: BTreeSet<String>,
    /// The code of the link that was printed last. It is good once.
    code: Mutex<String>,
}

impl Access {
    /// `names` are further host names, with or without a port.
    pub(crate) fn new(token: Token, address: SocketAddr, names: &[String], code: String) -> Self {
        let port = address.port();
        let mut hosts: BTreeSet<String> = BTreeSet::new();
        if !address.ip().is_unspecified() {
            hosts.insert(address.to_string());
        }
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            hosts.extend([format!("127.0.0.1:{port}"), format!("[::1]:{port}"), format!("localhost:{port}")]);
        }
        for name in names {
            hosts.insert(name.to_ascii_lowercase());
            hosts.insert(format!("{}:{port}", name.to_ascii_lowercase()));
        }
        Self { token, hosts, code: Mutex::new(code) }
    }

    /// Gives the token for the code of a link, and puts another code in its place.
    pub(crate) fn redeem(&self, code: &str, next: String) -> Option<&Token> {
        let mut good = crate::board::lock(&self.code);
        if good.is_empty() || !same(&good, code) {
            return None;
        }
        *good = next;
        Some(&self.token)
    }

    pub(crate) fn code(&self) -> String {
        crate::board::lock(&self.code).clone()
    }

    fn check(&self, path: &str, headers: &HeaderMap) -> Result<(), ApiError> {
        let forbidden = |code, message: &str| Err(ApiError::new(StatusCode::FORBIDDEN, code, message));
        let host = only(headers, &header::HOST).map(str::to_ascii_lowercase);
        if !host.is_some_and(|host| self.hosts.contains(&host)) {
            return Err(ApiError::new(
                StatusCode::MISDIRECTED_REQUEST,
                "foreign-host",
                "this host name is not served here; allow it with --allow-host when starting",
            ));
        }
        if headers.contains_key(header::ORIGIN) {
            let origin = only(headers, &header::ORIGIN).map(str::to_ascii_lowercase).unwrap_or_default();
            let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            if !host.is_some_and(|host| self.hosts.contains(host)) {
                return forbidden("foreign-origin", "requests of other pages are not answered");
            }
        }
        let site = HeaderName::from_static("sec-fetch-site");
        if headers.contains_key(&site) && !matches!(only(headers, &site), Some("same-origin" | "none")) {
            return forbidden("cross-site", "requests of other sites are not answered");
        }
        if !crate::page::is_file(path) && !OPEN.contains(&path) && !self.has_token(headers) {
            return Err(ApiError::new(
                StatusCode::UNAUTHORIZED,
                "no-token",
                "the token is missing or wrong; open the link that was printed at the start",
            ));
        }
        Ok(())
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let bearer = only(headers, &header::AUTHORIZATION).and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        let protocols = only(headers, &header::SEC_WEBSOCKET_PROTOCOL).unwrap_or_default();
        let mut named = protocols.split(',').filter_map(|name| name.trim().strip_prefix(BEARER_PROTOCOL));
        bearer.or_else(|| named.next()).is_some_and(|token| self.token.is(token))
    }
}

/// The value of a header that is there once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| value.to_str().ok()).flatten()
}

/// The middleware before every route.
pub(crate) async fn guard(
    State(access): State<Arc<Access>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    access.check(request.uri().path(), request.headers())?;
    Ok(next.run(request).await)
}
