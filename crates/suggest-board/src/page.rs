//! The page: plain files inside the binary, and the headers that fence them.

use crate::api::App;
use axum::Router;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tower_http::set_header::SetResponseHeaderLayer;

/// The description of the API (OpenAPI 3.1).
pub const OPENAPI: &str = include_str!("../assets/openapi.json");

/// Nothing but the server's own files; no inline script or style; nobody may frame it, and no string becomes markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     manifest-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'";

/// Set on every answer, errors included.
const HEADERS: [(HeaderName, &str); 9] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

/// The files of the page, by path.
const FILES: [(&str, &str, &str); 7] = [
    ("/", "text/html; charset=utf-8", include_str!("../assets/index.html")),
    ("/board.css", "text/css; charset=utf-8", include_str!("../assets/board.css")),
    ("/board.js", "text/javascript; charset=utf-8", include_str!("../assets/board.js")),
    ("/connection.js", "text/javascript; charset=utf-8", include_str!("../assets/connection.js")),
    ("/cards.js", "text/javascript; charset=utf-8", include_str!("../assets/cards.js")),
    ("/words.js", "text/javascript; charset=utf-8", include_str!("../assets/words.js")),
    ("/icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
];

/// Whether a path is one of the page's files.
pub(crate) fn is_file(path: &str) -> bool {
    FILES.iter().any(|(known, _, _)| *known == path)
}

pub(crate) fn routes(mut router: Router<App>) -> Router<App> {
    for (path, kind, body) in FILES {
        router = router.route(path, get(async move || file(kind, body)));
    }
    router
}

/// Fences every answer of the router.
pub(crate) fn fenced(mut router: Router) -> Router {
    for (name, value) in HEADERS {
        router = router.layer(SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value)));
    }
    router
}

pub(crate) async fn openapi() -> Response {
    file("application/json", OPENAPI)
}

fn file(kind: &'static str, body: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}
