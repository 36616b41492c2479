use futures_util::StreamExt as _;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use suggest_board::{Board, BoardLimits, BoardServer, ServeLimits, ServeOptions, Token};
use suggest_core::{Config, ModelSource, NewCard, Priority};
use suggest_engine::Engine;
use suggest_store::CardStore;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

pub(crate) const SOON: Duration = Duration::from_secs(20);

/// A board with its server, and what is needed to ask it.
pub(crate) struct World {
    pub(crate) folder: Arc<TempDir>,
    pub(crate) store: CardStore,
    pub(crate) board: Board,
    pub(crate) address: SocketAddr,
    pub(crate) token: Token,
    pub(crate) code: String,
    pub(crate) http: reqwest::Client,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<()>,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(ServeLimits::default(), Arc::new(TempDir::new().unwrap()), 0).await
    }

    pub(crate) async fn limited(change: impl FnOnce(&mut ServeLimits)) -> Self {
        let mut limits = ServeLimits::default();
        change(&mut limits);
        Self::with(limits, Arc::new(TempDir::new().unwrap()), 0).await
    }

    pub(crate) async fn with(limits: ServeLimits, folder: Arc<TempDir>, port: u16) -> Self {
        let store = CardStore::open(folder.path().join("suggestions.json")).unwrap();
        let engine = Engine::builder().store(Arc::new(store.clone())).build().unwrap();
        let mut board_limits = BoardLimits::default();
        board_limits.refresh = Duration::from_millis(50);
        let board =
            Board::with_limits(engine, store.clone(), Config::default(), ModelSource::Config, board_limits);
        let token = Token::read_or_make(&folder.path().join("token")).unwrap();
        let options = ServeOptions::new(SocketAddr::from(([127, 0, 0, 1], port)), token.clone())
            .with_names(vec!["board.example".to_owned()])
            .with_limits(limits);
        let server = BoardServer::bind(board.clone(), options).await.unwrap();
        let (address, code) = (server.address(), server.code());
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        let _ = rustls_for_tests();
        let http = reqwest::Client::builder().timeout(SOON).build().unwrap();
        Self { folder, store, board, address, token, code, http, stop: Some(stop), served }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Asks with the token.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let method = method.to_uppercase().parse().unwrap();
        let mut request = self.http.request(method, self.url(path)).bearer_auth(self.token.reveal());
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.ask("post", path, Some(body)).await
    }

    /// Offers cards for a session, as its core would.
    pub(crate) async fn offer(&self, session: &str, prompts: &[&str]) -> Vec<String> {
        let (store, session) = (self.store.clone(), session.to_owned());
        let cards: Vec<NewCard> = prompts
            .iter()
            .map(|prompt| NewCard::new("A title", "A reason", *prompt).with_rank("follow-up", Priority::High))
            .collect();
        let offered = tokio::task::spawn_blocking(move || {
            store.change(|manager, now| manager.offer(&session, cards, now))
        });
        offered.await.unwrap().unwrap().added
    }

    /// Tells that a session is there and waits.
    pub(crate) async fn idle(&self, session: &str) {
        let path = format!("/api/sessions/{session}/events");
        assert_eq!(self.post(&path, json!({ "events": [{ "type": "idle" }] })).await.0, 200);
    }

    pub(crate) async fn subscribe(&self) -> Subscriber {
        let mut request = format!("ws://{}/api/ws", self.address).into_client_request().unwrap();
        let bearer = format!("suggest.board.v1, bearer.{}", self.token.reveal());
        request.headers_mut().insert("sec-websocket-protocol", bearer.parse().unwrap());
        let (socket, answer) = tokio_tungstenite::connect_async(request).await.unwrap();
        assert_eq!(answer.headers()["sec-websocket-protocol"], "suggest.board.v1");
        Subscriber(socket)
    }

    pub(crate) async fn end(mut self) -> Arc<TempDir> {
        let _ = self.stop.take().unwrap().send(());
        tokio::time::timeout(SOON, &mut self.served).await.unwrap().unwrap();
        Arc::clone(&self.folder)
    }
}

/// The client's TLS library wants a provider, though nothing here is encrypted.
fn rustls_for_tests() -> Result<(), ()> {
    rustls::crypto::ring::default_provider().install_default().map_err(drop)
}

pub(crate) struct Subscriber(pub(crate) WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Subscriber {
    /// The next event; none when the server closed the connection.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            let message = tokio::time::timeout(SOON, self.0.next()).await.expect("an event in time");
            match message {
                Some(Ok(Message::Text(text))) => return Some(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// The next event of this type that fits.
    pub(crate) async fn until(&mut self, kind: &str, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = self.next().await.expect("the connection stays");
            if event["type"] == kind && fits(&event) {
                return event;
            }
        }
    }
}

/// How a WebSocket was refused.
pub(crate) fn refused(error: Error) -> u16 {
    match error {
        Error::Http(answer) => answer.status().as_u16(),
        other => panic!("another failure: {other}"),
    }
}

/// The events of one whole turn.
pub(crate) fn turn(number: u64, human: &str, answer: &str) -> Vec<Value> {
    vec![
        json!({ "type": "turn_started", "turn": number, "origin": "human" }),
        json!({ "type": "message", "author": "human", "text": human }),
        json!({ "type": "tool", "name": "edit", "files": ["src/parser.rs"], "ok": true }),
        json!({ "type": "tool", "name": "bash", "summary": "cargo test parser::reads_nested_lists: 1 failed", "ok": false }),
        json!({ "type": "message", "author": "assistant", "text": answer }),
        json!({ "type": "turn_ended", "turn": number, "reason": "completed" }),
        json!({ "type": "idle" }),
    ]
}
