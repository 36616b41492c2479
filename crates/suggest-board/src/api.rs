//! The routes of the API. `assets/openapi.json` describes them; a test compares both.

use crate::access::Access;
use crate::board::Board;
use crate::error::ApiError;
use crate::page;
use crate::server::{Counted, ServeLimits};
use crate::socket;
use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Response, StatusCode, header};
use axum::routing::{MethodRouter, get, post};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use suggest_core::{CardsCommand, Event, HeroStatus, PromptIntent, SessionKind, SessionSetup};

/// The most events of one request.
const MOST_EVENTS: usize = 1_000;
/// The longest id of a session, in characters.
const LONGEST_ID: usize = 200;
/// The longest reply, in characters.
const LONGEST_REPLY: usize = 100_000;

/// What every route has at hand.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) board: Board,
    pub(crate) access: Arc<Access>,
    pub(crate) limits: ServeLimits,
    pub(crate) subscribers: Counted,
    pub(crate) on_link: Arc<dyn Fn(&str) + Send + Sync>,
}

type Answer = Result<axum::response::Response, ApiError>;

/// Every route of the API, as method and path: what the description must name, and nothing else.
pub const ROUTES: [(&str, &str); 14] = [
    ("post", "/api/login"),
    ("get", "/api/openapi.json"),
    ("get", "/api/sessions"),
    ("get", "/api/cards"),
    ("get", "/api/cards/{id}"),
    ("get", "/api/summaries"),
    ("post", "/api/cards/{id}/accept"),
    ("post", "/api/cards/{id}/assign"),
    ("post", "/api/cards/{id}/dismiss"),
    ("post", "/api/cards/dismiss-all"),
    ("post", "/api/sessions/{id}/events"),
    ("post", "/api/sessions/{id}/reply"),
    ("post", "/api/sessions/{id}/suggest"),
    ("get", "/api/ws"),
];

pub(crate) fn router(app: App) -> Router {
    let mut router = Router::new();
    for (_, path) in ROUTES {
        router = router.route(path, handler(path));
    }
    page::routes(router)
        .fallback(async || ApiError::new(StatusCode::NOT_FOUND, "not-found", "there is nothing here"))
        .method_not_allowed_fallback(async || {
            ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method", "this is not done with this method")
        })
        .with_state(app)
}

fn handler(path: &str) -> MethodRouter<App> {
    match path {
        "/api/login" => post(login),
        "/api/openapi.json" => get(page::openapi),
        "/api/sessions" => get(sessions),
        "/api/cards" => get(cards),
        "/api/cards/{id}" => get(card),
        "/api/summaries" => get(summaries),
        "/api/cards/{id}/accept" => post(accept),
        "/api/cards/{id}/assign" => post(assign),
        "/api/cards/{id}/dismiss" => post(dismiss),
        "/api/cards/dismiss-all" => post(dismiss_all),
        "/api/sessions/{id}/events" => post(events),
        "/api/sessions/{id}/reply" => post(reply),
        "/api/sessions/{id}/suggest" => post(suggest),
        "/api/ws" => get(socket::subscribe),
        _ => MethodRouter::new(),
    }
}

fn answer(value: &impl Serialize) -> Answer {
    let body = serde_json::to_string(value).map_err(|_| ApiError::stopped())?;
    Ok(text(body))
}

fn text(body: impl Into<axum::body::Body>) -> axum::response::Response {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    response
}

/// The body as JSON. An error names the place, never the text.
fn read<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<T, ApiError> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "no-json",
            "send a body of type application/json",
        ));
    }
    let body = body.map_err(|refused| {
        if refused.status() == StatusCode::PAYLOAD_TOO_LARGE {
            ApiError::too_large()
        } else {
            ApiError::bad_request("the body did not arrive whole")
        }
    })?;
    serde_json::from_slice(&body).map_err(|error| {
        ApiError::bad_request(format!(
            "the body does not fit the description in /api/openapi.json, from line {} column {} on",
            error.line(),
            error.column()
        ))
    })
}

fn checked(id: &str) -> Result<(), ApiError> {
    let fits = !id.trim().is_empty() && id.chars().count() <= LONGEST_ID && !id.chars().any(char::is_control);
    if fits {
        Ok(())
    } else {
        Err(ApiError::bad_request(format!(
            "a session's id has 1 to {LONGEST_ID} characters, and none of them controls anything"
        )))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Login {
    code: String,
}

async fn login(State(app): State<App>, headers: HeaderMap, body: Result<Bytes, BytesRejection>) -> Answer {
    let login: Login = read(&headers, body)?;
    let next = crate::server::code().map_err(|_| ApiError::stopped())?;
    let Some(token) = app.access.redeem(&login.code, next.clone()) else {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "used-link",
            "this link is not good, or no more: take the newest one that the server printed",
        ));
    };
    (app.on_link)(&next);
    answer(&json!({ "token": token.reveal() }))
}

async fn sessions(State(app): State<App>) -> Answer {
    Ok(text(Bytes::from(app.board.list())))
}

async fn cards(State(app): State<App>) -> Answer {
    answer(&*app.board.snapshot())
}

async fn card(State(app): State<App>, Path(id): Path<String>) -> Answer {
    match app.board.snapshot().cards.iter().find(|card| card.id == id) {
        Some(card) => answer(card),
        None => Err(ApiError::new(StatusCode::NOT_FOUND, "unknown-card", "no open card has this id")),
    }
}

async fn summaries(State(app): State<App>) -> Answer {
    let snapshot = app.board.snapshot();
    answer(&json!({ "seq": snapshot.seq, "summaries": snapshot.summaries }))
}

/// What an act gives back: the prompt and where to send it. Nothing was launched (rule C8).
fn intent(intent: &PromptIntent) -> Answer {
    answer(&json!({ "intent": intent }))
}

async fn accept(State(app): State<App>, Path(id): Path<String>) -> Answer {
    let taken = id.clone();
    let (done, session) = app
        .board
        .act(move |cards, now| {
            let session = cards.card(&taken).map(|card| card.session.clone()).unwrap_or_default();
            cards.accept(&taken, now).map(|intent| (intent, session))
        })
        .await?;
    app.board.tell_core(&session, CardsCommand::Accept(id)).await;
    intent(&done)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Assign {
    session: String,
}

async fn assign(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Answer {
    let Assign { session: to } = read(&headers, body)?;
    let taken = id.clone();
    let (done, session) = app
        .board
        .act(move |cards, now| {
            let session = cards.card(&taken).map(|card| card.session.clone()).unwrap_or_default();
            cards.assign(&taken, &to, now).map(|intent| (intent, session))
        })
        .await?;
    app.board.tell_core(&session, CardsCommand::Accept(id)).await;
    intent(&done)
}

async fn dismiss(State(app): State<App>, Path(id): Path<String>) -> Answer {
    let gone = id.clone();
    let session = app
        .board
        .act(move |cards, now| {
            let session = cards.card(&gone).map(|card| card.session.clone()).unwrap_or_default();
            cards.dismiss(&gone, now).map(|()| session)
        })
        .await?;
    app.board.tell_core(&session, CardsCommand::Dismiss(id.clone())).await;
    answer(&json!({ "dismissed": [id] }))
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct DismissAll {
    #[serde(default)]
    session: Option<String>,
}

async fn dismiss_all(
    State(app): State<App>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Answer {
    let empty = body.as_ref().is_ok_and(Bytes::is_empty);
    let DismissAll { session } = if empty { DismissAll::default() } else { read(&headers, body)? };
    let gone = app
        .board
        .act(move |cards, now| {
            let ids = cards.dismiss_all(session.as_deref(), now);
            let of = |id: String| {
                let session = cards.card(&id).map(|card| card.session.clone()).unwrap_or_default();
                (session, id)
            };
            Ok(ids.into_iter().map(of).collect::<Vec<_>>())
        })
        .await?;
    for (session, id) in &gone {
        app.board.tell_core(session, CardsCommand::Dismiss(id.clone())).await;
    }
    answer(&json!({ "dismissed": gone.into_iter().map(|(_, id)| id).collect::<Vec<_>>() }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Events {
    events: Vec<Value>,
    #[serde(default)]
    history: bool,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    workspace: Option<String>,
    #[serde(default)]
    kind: SessionKind,
    #[serde(default)]
    opt_in: bool,
}

async fn events(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Answer {
    checked(&id)?;
    let told: Events = read(&headers, body)?;
    if told.events.len() > MOST_EVENTS {
        return Err(ApiError::bad_request(format!("at most {MOST_EVENTS} events are taken at once")));
    }
    // All or nothing: an event that cannot be read refuses the request before anything is taken.
    let mut events = Vec::with_capacity(told.events.len());
    for (at, event) in told.events.into_iter().enumerate() {
        let event: Event = serde_json::from_value(event).map_err(|_| {
            ApiError::bad_request(format!(
                "event {} of the list does not fit the description in /api/openapi.json",
                at + 1
            ))
        })?;
        events.push(event);
    }
    let name = told.name.map(|name| name.chars().filter(|one| !one.is_control()).take(LONGEST_ID).collect());
    let setup = SessionSetup::new(id.clone())
        .with_kind(told.kind, told.opt_in)
        .with_folders(told.workspace, app.limits.home.clone());
    let session = app
        .board
        .told(setup, name.clone())
        .await
        .map_err(|error| ApiError::new(StatusCode::CONFLICT, "followed", error.to_string()))?;
    let taken = events.len();
    let closed = events.iter().any(|event| matches!(event, Event::Closed)) && !told.history;
    let fed = tokio::task::spawn_blocking(move || {
        if let Some(name) = name.filter(|name: &String| !name.is_empty()) {
            session.rename(&name);
        }
        for event in events {
            if told.history {
                session.history(event);
            } else {
                session.event(event);
            }
        }
    });
    fed.await.map_err(|_| ApiError::stopped())?;
    if closed {
        app.board.forget_told(&id);
    }
    answer(&json!({ "session": id, "taken": taken }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reply {
    text: String,
}

/// A person's own words for a session, as a prompt to send. Nothing is launched (rule C8).
async fn reply(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Answer {
    checked(&id)?;
    let Reply { text } = read(&headers, body)?;
    if text.trim().is_empty() || text.chars().count() > LONGEST_REPLY {
        return Err(ApiError::bad_request(format!("a reply has 1 to {LONGEST_REPLY} characters")));
    }
    match app.board.status(&id) {
        None => Err(ApiError::new(
            StatusCode::NOT_FOUND,
            "unknown-session",
            "no such session is known; name one of /api/sessions",
        )),
        Some(HeroStatus::Closed) => {
            Err(ApiError::new(StatusCode::CONFLICT, "not-idle", "this session is over; choose another one"))
        }
        Some(HeroStatus::Idle | HeroStatus::Busy) => {
            answer(&json!({ "intent": { "session": id, "prompt": text } }))
        }
    }
}

/// A person wants cards of this session now.
async fn suggest(State(app): State<App>, Path(id): Path<String>) -> Answer {
    let Some(session) = app.board.session(&id) else {
        return Err(ApiError::new(
            StatusCode::NOT_FOUND,
            "unknown-session",
            "this session is not followed now; name one of /api/sessions that is idle",
        ));
    };
    match session.suggest_now().await {
        Ok(asked) => answer(&json!({ "session": id, "cards": asked.cards, "asking": asked.asking })),
        Err(refused) => Err(ApiError::new(StatusCode::CONFLICT, "refused", refused)),
    }
}
