//! Sends one request and reads its response within bounds.

use std::error::Error as _;
use std::io;
use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{RequestBuilder, Response};
use serde_json::Value;
use tokio::time::timeout;

use super::assemble::Assembly;
use super::failure::Failure;
use super::phase::{Phase, PhaseCell};
use super::retry::Retry;
use super::retry_after;
use super::scrub;
use super::shape::{self, ErrorShape};
use super::sse::{SseDecoder, TooLong};
use crate::error::LlmErrorKind;
use crate::reply::LlmReply;

/// How long the client still listens after the finish reason, for token counts and the end mark.
const GRACE: Duration = Duration::from_secs(1);
/// How long it waits for the end of the body after the end mark, so that the connection can be used again.
const GRACE_AFTER_MARK: Duration = Duration::from_millis(50);
/// Most bytes that are read of an error.
const LONGEST_ERROR: usize = 64 * 1024;

/// Sends a chat request and reads the reply, in whatever form it comes: several servers ignore `stream`.
pub(super) async fn chat(
    request: RequestBuilder,
    most_bytes: usize,
    phase: &PhaseCell,
) -> Result<LlmReply, Box<Failure>> {
    let response = send(request, phase).await?;
    let headers = response.headers().clone();
    let mut result = read_reply(response, most_bytes, phase).await;
    if let Err(failure) = &mut result {
        failure.request_id = request_id(&headers);
    }
    result
}

/// Sends a request that is answered by one JSON document.
pub(super) async fn document(
    request: RequestBuilder,
    most_bytes: usize,
    phase: &PhaseCell,
) -> Result<Value, Box<Failure>> {
    let mut response = send(request, phase).await?;
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| broken(&error, bytes.is_empty()))? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > most_bytes {
            return Err(too_large(most_bytes));
        }
    }
    serde_json::from_slice(trimmed(&bytes)).map_err(|_| not_ours(&bytes))
}

/// Sends a request; anything but a success is classified.
async fn send(request: RequestBuilder, phase: &PhaseCell) -> Result<Response, Box<Failure>> {
    phase.set(Phase::Waiting);
    let response = request.send().await.map_err(|error| unsent(&error))?;
    phase.set(Phase::Reading);
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let headers = response.headers().clone();
    let mut failure = if status.is_redirection() {
        Failure::new(
            LlmErrorKind::Malformed,
            format!(
                "HTTP {}: the endpoint redirects elsewhere, which is not followed; check the base URL",
                status.as_u16()
            ),
        )
    } else {
        let said = read_error(response).await;
        Failure::classify(status.as_u16(), &said)
    };
    failure.status = Some(status.as_u16());
    failure.request_id = request_id(&headers);
    if failure.retry != Retry::Never || failure.kind == LlmErrorKind::Quota {
        let now = SystemTime::now();
        failure.delay = retry_after::from_headers(&headers, status.as_u16(), now).or(failure.delay);
    }
    Err(failure)
}

/// What the body of an error says. A body that breaks off, is no JSON or is a page is used as far as it goes.
async fn read_error(mut response: Response) -> ErrorShape {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = LONGEST_ERROR.saturating_sub(bytes.len());
        bytes.extend(chunk.iter().take(room));
        if room <= chunk.len() {
            break;
        }
    }
    if let Ok(value) = serde_json::from_slice::<Value>(trimmed(&bytes)) {
        return shape::read(&value);
    }
    let text = String::from_utf8_lossy(&bytes);
    // Some servers answer a streamed request with an error in the form of an event.
    let event = text.lines().find_map(|line| line.strip_prefix("data:"));
    match event.and_then(|data| serde_json::from_str::<Value>(data).ok()) {
        Some(value) => shape::read(&value),
        // Pages are full of words that would mislead the classification.
        None if scrub::looks_like_markup(&text) => {
            ErrorShape::text(&scrub::endpoint_text(&text, None).unwrap_or_default())
        }
        None => ErrorShape::text(&text),
    }
}

/// How the body of a success is to be read, decided by its first byte.
enum Mode {
    Undecided,
    Stream(SseDecoder),
    Document,
}

async fn read_reply(
    mut response: Response,
    most_bytes: usize,
    phase: &PhaseCell,
) -> Result<LlmReply, Box<Failure>> {
    let labelled_stream = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.starts_with("text/event-stream"));
    let mut assembly = Assembly::default();
    let mut mode = Mode::Undecided;
    let mut bytes: Vec<u8> = Vec::new();
    let mut total = 0_usize;
    loop {
        let next = if assembly.has_finish() {
            let grace = if assembly.is_done() { GRACE_AFTER_MARK } else { GRACE };
            match timeout(grace, response.chunk()).await {
                Ok(Ok(chunk)) => chunk,
                // The reply was complete already.
                Ok(Err(_)) | Err(_) => None,
            }
        } else {
            response
                .chunk()
                .await
                .map_err(|error| broken(&error, assembly.is_untouched() && !matches!(mode, Mode::Document)))?
        };
        let Some(chunk) = next else { break };
        total = total.saturating_add(chunk.len());
        if total > most_bytes {
            return Err(too_large(most_bytes));
        }
        let mut opening = Vec::new();
        if matches!(mode, Mode::Undecided) {
            bytes.extend_from_slice(&chunk);
            mode = match trimmed(&bytes).first() {
                None => continue,
                Some(b'{' | b'[') => Mode::Document,
                Some(b'<') => return Err(not_ours(&bytes)),
                Some(_) => Mode::Stream(SseDecoder::new(most_bytes)),
            };
            if matches!(mode, Mode::Document) {
                continue;
            }
            opening.clone_from(&bytes);
        }
        match &mut mode {
            Mode::Stream(decoder) => {
                let fresh = if opening.is_empty() { chunk.as_ref() } else { opening.as_slice() };
                for event in decoder.push(fresh).map_err(|TooLong| too_large(most_bytes))? {
                    assembly.accept(&event)?;
                }
                phase.set(if assembly.is_untouched() { Phase::Reading } else { Phase::Streaming });
                if assembly.is_done() && !assembly.has_finish() {
                    break;
                }
            }
            Mode::Document => bytes.extend_from_slice(&chunk),
            Mode::Undecided => {}
        }
    }
    match mode {
        Mode::Document => {
            let body: Value = serde_json::from_slice(trimmed(&bytes)).map_err(|_| {
                Failure::new(LlmErrorKind::Malformed, "the reply begins like JSON and is none")
            })?;
            assembly.accept_body(&body)?;
        }
        Mode::Stream(decoder) => {
            if let Some(event) = decoder.finish() {
                assembly.accept(&event)?;
            }
            if assembly.is_untouched() && !labelled_stream && !bytes.starts_with(b":") {
                return Err(not_ours(&bytes));
            }
        }
        Mode::Undecided => {}
    }
    if assembly.is_untouched() {
        let mut failure =
            Failure::new(LlmErrorKind::Empty, "the endpoint answered with success and nothing in it");
        failure.empty_stream = true;
        return Err(failure);
    }
    assembly.into_reply()
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    bytes.trim_ascii_start().strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes.trim_ascii_start()).trim_ascii()
}

fn too_large(most_bytes: usize) -> Box<Failure> {
    Failure::new(LlmErrorKind::Malformed, format!("the reply is larger than {most_bytes} bytes"))
}

/// A success that is no reply: a page, or some other service's text.
fn not_ours(bytes: &[u8]) -> Box<Failure> {
    let text = String::from_utf8_lossy(bytes);
    let what =
        if scrub::looks_like_markup(&text) { "a web page" } else { "neither JSON nor an event stream" };
    let mut failure = Failure::new(
        LlmErrorKind::Malformed,
        format!(
            "the endpoint answered with {what}; check the base URL and whether a proxy or login stands before it"
        ),
    );
    failure.said = Some(ErrorShape::text(&text));
    failure
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    ["x-request-id", "mistral-correlation-id", "x-litellm-call-id", "apim-request-id", "cf-ray"]
        .iter()
        .filter_map(|name| headers.get(*name))
        .filter_map(|value| value.to_str().ok())
        .map(|value| value.chars().filter(char::is_ascii_graphic).take(80).collect::<String>())
        .find(|id| !id.is_empty())
}

/// The request failed before there was a response. The error's own text would name the URL with its query.
fn unsent(error: &reqwest::Error) -> Box<Failure> {
    if let Some(cause) = tls_cause(error) {
        let why = match cause {
            rustls::Error::InvalidCertificate(_) => {
                "the endpoint's certificate is not trusted on this machine"
            }
            _ => "the endpoint does not answer in TLS; is it a plain `http://` address?",
        };
        return Failure::new(LlmErrorKind::Network, format!("no secure connection: {why}"));
    }
    if error.is_timeout() {
        return Failure::new(LlmErrorKind::Network, "no connection in time").retried(Retry::Once);
    }
    if error.is_connect() {
        let why = match io_cause(error) {
            _ if causes(error).any(|cause| cause.to_string().contains("dns")) => {
                "its name is not known".to_owned()
            }
            Some(kind @ (io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionReset)) => {
                kind.to_string()
            }
            Some(kind @ (io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable)) => {
                kind.to_string()
            }
            Some(_) | None => "the endpoint cannot be reached".to_owned(),
        };
        let message = format!("no connection: {why}; is the address right, is the server running?");
        return Failure::new(LlmErrorKind::Network, message).retried(Retry::Once);
    }
    if error.is_builder() {
        return Failure::new(
            LlmErrorKind::Malformed,
            "the request could not be formed; check headers and base URL",
        );
    }
    if speaks_otherwise(error) {
        return Failure::new(
            LlmErrorKind::Malformed,
            "the endpoint does not answer in HTTP; check the address and its port",
        );
    }
    Failure::new(LlmErrorKind::Network, "the connection closed before any reply").retried(Retry::Backoff)
}

/// Whether what came back is no HTTP: another service listens there. The wire tests show that the words still hold.
fn speaks_otherwise(error: &reqwest::Error) -> bool {
    const WORDS: &[&str] = &["invalid HTTP ", "message head is too large", "received unexpected message"];
    causes(error).any(|cause| {
        let said = cause.to_string();
        WORDS.iter().any(|words| said.starts_with(words))
    })
}

/// The response broke off. Only one of which nothing had arrived may be asked for again (rule L4).
fn broken(error: &reqwest::Error, untouched: bool) -> Box<Failure> {
    let what = match io_cause(error) {
        Some(kind) => format!("the reply broke off: {kind}"),
        None => "the reply broke off".to_owned(),
    };
    let retry = if untouched { Retry::Backoff } else { Retry::Never };
    Failure::new(LlmErrorKind::Network, what).retried(retry)
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    let mut next = error.source();
    std::iter::from_fn(move || {
        let cause = next?;
        next = cause.source();
        Some(cause)
    })
}

/// The kind of the innermost error of the operating system.
fn io_cause(error: &reqwest::Error) -> Option<io::ErrorKind> {
    causes(error)
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .map(|outer| innermost(outer).kind())
        .last()
}

fn tls_cause(error: &reqwest::Error) -> Option<&rustls::Error> {
    causes(error).find_map(|cause| {
        let wrapped = cause.downcast_ref::<io::Error>().and_then(|outer| innermost(outer).get_ref());
        cause.downcast_ref().or_else(|| wrapped.and_then(|inner| inner.downcast_ref()))
    })
}

/// An error of the operating system may wrap another one, and `source` steps over what is wrapped.
fn innermost(outer: &io::Error) -> &io::Error {
    let mut current = outer;
    while let Some(inner) = current.get_ref().and_then(|inner| inner.downcast_ref::<io::Error>()) {
        current = inner;
    }
    current
}
