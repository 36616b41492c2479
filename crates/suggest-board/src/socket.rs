//! The WebSocket: snapshots of the cards and the list of the sessions, to one subscriber (rule C7).
//!
//! Between the board and a subscriber is no queue but the newest snapshot. What is being written to one who does not read
//! blocks only that one, and after a while the connection is dropped; it catches up by the first snapshot of the next.

use crate::access::PROTOCOL;
use crate::api::App;
use crate::error::ApiError;
use crate::frames::Frame;
use crate::wire::{self, Heard, Incoming, Parcel};
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, Response, StatusCode, header};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// How often a subscriber is asked whether it is there.
const PING: Duration = Duration::from_secs(20);
/// How long it may say nothing at all.
const SILENCE: Duration = Duration::from_secs(60);
/// How long a last word may take.
const LAST_WORD: Duration = Duration::from_millis(200);

pub(crate) async fn subscribe(
    State(app): State<App>,
    mut request: Request,
) -> Result<Response<Body>, ApiError> {
    let upgrade = request.extensions_mut().remove::<OnUpgrade>();
    let (Some(key), Some(upgrade)) = (asked(request.headers()), upgrade) else {
        return Err(ApiError::new(
            StatusCode::UPGRADE_REQUIRED,
            "no-websocket",
            "connect with the WebSocket protocol here",
        ));
    };
    let Some(place) = app.subscribers.take() else {
        return Err(ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "too-many-subscribers",
            "too many pages are open; close some and try again",
        ));
    };
    let names = |name: &HeaderName| {
        let values = request.headers().get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.collect::<Vec<_>>().join(",")
    };
    let packs = wire::offers_packing(&names(&header::SEC_WEBSOCKET_EXTENSIONS));
    let mut answer = Response::builder()
        .status(StatusCode::SWITCHING_PROTOCOLS)
        .header(header::CONNECTION, "upgrade")
        .header(header::UPGRADE, "websocket")
        .header(header::SEC_WEBSOCKET_ACCEPT, key);
    if names(&header::SEC_WEBSOCKET_PROTOCOL).split(',').any(|name| name.trim() == PROTOCOL) {
        answer = answer.header(header::SEC_WEBSOCKET_PROTOCOL, PROTOCOL);
    }
    if packs {
        answer = answer.header(header::SEC_WEBSOCKET_EXTENSIONS, wire::PACKS);
    }
    tokio::spawn(async move {
        if let Ok(upgraded) = upgrade.await {
            follow(upgraded, packs, app).await;
        }
        drop(place);
    });
    answer.body(Body::empty()).map_err(|_| ApiError::stopped())
}

/// The answer to the key of a request that asks for this version of the protocol.
fn asked(headers: &HeaderMap) -> Option<String> {
    let has = |name: HeaderName, wanted: &str| {
        let mut values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.any(|value| value.split(',').any(|word| word.trim().eq_ignore_ascii_case(wanted)))
    };
    let fits = has(header::CONNECTION, "upgrade")
        && has(header::UPGRADE, "websocket")
        && has(header::SEC_WEBSOCKET_VERSION, "13");
    let key = headers.get(header::SEC_WEBSOCKET_KEY)?;
    fits.then(|| derive_accept_key(key.as_bytes()))
}

async fn follow(upgraded: Upgraded, packs: bool, app: App) {
    // Connections come from our own listener alone.
    let Ok(parts) = upgraded.downcast::<TokioIo<TcpStream>>() else { return };
    let (read, write) = parts.io.into_inner().into_split();
    let mut incoming = Incoming::new(read, &parts.read_buf, packs);
    let mut outgoing = Outgoing { stream: write, patience: app.limits.patience, packs };
    let (mut frames, mut lists) = (app.board.frames(), app.board.lists());
    frames.mark_changed();
    lists.mark_changed();
    let mut sent: Option<Arc<Frame>> = None;
    let mut heard = Instant::now();
    let mut pings = interval(PING);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pings.reset();
    let closed = app.board.shared.closed.clone();
    loop {
        let is_sent = tokio::select! {
            biased;
            () = closed.cancelled() => {
                let last = wire::close(CloseCode::Away, "the server ends");
                let _ = timeout(LAST_WORD, outgoing.write(last)).await;
                return;
            }
            said = incoming.next() => {
                heard = Instant::now();
                match said {
                    Ok(Heard::Other) => true,
                    Ok(Heard::Ping(payload)) => outgoing.write(wire::pong(&payload)).await,
                    Ok(Heard::Close) => {
                        let _ = timeout(LAST_WORD, outgoing.write(wire::close(CloseCode::Normal, ""))).await;
                        return;
                    }
                    Err(broken) => {
                        let last = wire::close(broken.code(), "this was not understood");
                        let _ = timeout(LAST_WORD, outgoing.write(last)).await;
                        return;
                    }
                }
            },
            Ok(()) = frames.changed() => {
                let frame = frames.borrow_and_update().clone();
                let strings = frame.strings_since(sent.as_deref());
                let is_sent = outgoing.send(&frame.parcel).await && outgoing.send_all(&strings).await;
                sent = Some(frame);
                is_sent
            }
            Ok(()) = lists.changed() => {
                let list = lists.borrow_and_update().clone();
                outgoing.send(&list).await
            }
            _ = pings.tick() => heard.elapsed() <= SILENCE && outgoing.write(wire::ping()).await,
        };
        if !is_sent {
            tracing::debug!("a subscriber that did not read was dropped");
            return;
        }
    }
}

/// The way to one subscriber.
struct Outgoing {
    stream: OwnedWriteHalf,
    patience: Duration,
    packs: bool,
}

impl Outgoing {
    /// Whether the bytes could be written in time.
    async fn write(&mut self, bytes: Bytes) -> bool {
        matches!(timeout(self.patience, self.stream.write_all(&bytes)).await, Ok(Ok(())))
    }

    async fn send(&mut self, parcel: &Parcel) -> bool {
        self.write(parcel.frame(self.packs)).await
    }

    async fn send_all(&mut self, parcels: &[Arc<Parcel>]) -> bool {
        for parcel in parcels {
            if !self.send(parcel).await {
                return false;
            }
        }
        true
    }
}
