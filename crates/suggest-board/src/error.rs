//! What goes wrong with the server, and how the API says no.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use serde_json::json;
use std::net::SocketAddr;
use suggest_core::CardError;
use suggest_store::{ActError, StoreFileError};

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The system has no random numbers for the link.
    #[error("the system gives no random numbers for the link to the page")]
    Random,
}

/// A refusal or failure of the API: a status, a code for programs, and a line for people.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", message)
    }

    pub(crate) fn too_large() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "the body is too large; send less at once")
    }

    pub(crate) fn stopped() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the server stopped in the middle of it")
    }
}

impl From<CardError> for ApiError {
    fn from(error: CardError) -> Self {
        let status = match error {
            CardError::Unknown { .. } | CardError::UnknownSession { .. } => StatusCode::NOT_FOUND,
            _ => StatusCode::CONFLICT,
        };
        Self::new(status, error.code(), error.to_string())
    }
}

impl From<StoreFileError> for ApiError {
    fn from(error: StoreFileError) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "not-saved", error.to_string())
    }
}

impl From<ActError<CardError>> for ApiError {
    fn from(error: ActError<CardError>) -> Self {
        match error {
            ActError::Refused(refused) => refused.into(),
            ActError::File(file) => file.into(),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response<Body> {
        let body = json!({ "error": { "code": self.code, "message": self.message } }).to_string();
        let mut response = (self.status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
