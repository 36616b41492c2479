//! The WebSocket: snapshots of the cards and the list of the sessions, to one subscriber (rule C7).
//!
//! Between the board and a subscriber is no queue but the newest snapshot. What is being written to one who does not read
//! blocks only that one, and after a while the connection is dropped; it catches up by the first snapshot of the next.

use crate::access::PROTOCOL;
use crate::api::App;
use crate::error::ApiError;
use crate::frames::Frame;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::{Sink, SinkExt as _, StreamExt as _};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

/// How often a subscriber is asked whether it is there.
const PING: Duration = Duration::from_secs(20);
/// How long it may say nothing at all.
const SILENCE: Duration = Duration::from_secs(60);
/// The longest message that a subscriber may send. Nothing that it sends has a meaning.
const LONGEST: usize = 4 * 1024;

pub(crate) async fn subscribe(
    State(app): State<App>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let upgrade = upgrade.map_err(|_| {
        ApiError::new(
            StatusCode::UPGRADE_REQUIRED,
            "no-websocket",
            "connect with the WebSocket protocol here",
        )
    })?;
    let Some(place) = app.subscribers.take() else {
        return Err(ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "too-many-subscribers",
            "too many pages are open; close some and try again",
        ));
    };
    let upgrade = upgrade
        .protocols([PROTOCOL])
        .max_message_size(LONGEST)
        .max_frame_size(LONGEST)
        .write_buffer_size(0)
        .max_write_buffer_size(app.limits.frame_bytes);
    Ok(upgrade.on_upgrade(async move |socket| {
        follow(socket, app).await;
        drop(place);
    }))
}

async fn follow(socket: WebSocket, app: App) {
    let (mut frames, mut lists) = (app.board.frames(), app.board.lists());
    frames.mark_changed();
    lists.mark_changed();
    let (mut sink, mut stream) = socket.split();
    let mut sent: Option<Arc<Frame>> = None;
    let mut heard = Instant::now();
    let mut pings = interval(PING);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pings.reset();
    let closed = app.board.shared.closed.clone();
    loop {
        let messages: Vec<Utf8Bytes> = tokio::select! {
            biased;
            () = closed.cancelled() => {
                let reason = CloseFrame { code: close_code::AWAY, reason: "the server ends".into() };
                let _ = timeout(Duration::from_millis(200), sink.send(Message::Close(Some(reason)))).await;
                return;
            }
            message = stream.next() => match message {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {
                    heard = Instant::now();
                    continue;
                }
            },
            Ok(()) = frames.changed() => {
                let frame = frames.borrow_and_update().clone();
                let mut messages = vec![frame.text.clone()];
                messages.extend(frame.strings_since(sent.as_deref()));
                sent = Some(frame);
                messages
            }
            Ok(()) = lists.changed() => vec![lists.borrow_and_update().clone()],
            _ = pings.tick() => {
                if heard.elapsed() > SILENCE || !send(&mut sink, Message::Ping(Vec::new().into()), &app).await {
                    return;
                }
                continue;
            }
        };
        for message in messages {
            if !send(&mut sink, Message::Text(message), &app).await {
                tracing::debug!("a subscriber that did not read was dropped");
                return;
            }
        }
    }
}

/// Whether the message could be written in time.
async fn send(sink: &mut (impl Sink<Message> + Unpin), message: Message, app: &App) -> bool {
    matches!(timeout(app.limits.patience, sink.send(message)).await, Ok(Ok(())))
}
