//! The server: connections, their bounds, and the end.

use crate::access::{Access, guard};
use crate::api::{App, router};
use crate::board::Board;
use crate::error::{ApiError, ServeError};
use crate::page::fenced;
use crate::token::Token;
use axum::Router;
use axum::http::{StatusCode, header};
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::{IntoResponse as _, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;

/// How long open requests may take at the end.
const GRACE: Duration = Duration::from_secs(2);
/// What hyper may hold of one connection.
const BUFFER: usize = 64 * 1024;

/// Bounds of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServeLimits {
    /// The largest body of a request, in bytes.
    pub body_bytes: usize,
    /// The most connections that ask; more are closed at once.
    pub connections: usize,
    /// The most subscribers of the WebSocket; more are refused.
    pub subscribers: usize,
    /// How long a request may take from its first byte to its answer, and its head to arrive.
    pub request: Duration,
    /// How long a subscriber may not read before it is dropped.
    pub patience: Duration,
    /// The person's home folder, which is scrubbed out of what models read (rule P2).
    pub home: Option<String>,
}

impl Default for ServeLimits {
    fn default() -> Self {
        Self {
            body_bytes: 1024 * 1024,
            connections: 256,
            subscribers: 128,
            request: Duration::from_secs(15),
            patience: Duration::from_secs(10),
            home: None,
        }
    }
}

/// Where and for whom the board is served.
#[non_exhaustive]
pub struct ServeOptions {
    /// The address to listen on; port 0 takes any free one.
    pub address: SocketAddr,
    /// The token that opens it.
    pub token: Token,
    /// Further host names under which the page may be asked for, lower case.
    pub names: Vec<String>,
    /// The bounds.
    pub limits: ServeLimits,
    on_link: Box<dyn Fn(String) + Send + Sync>,
}

impl ServeOptions {
    /// Serves on this address for whoever has this token.
    #[must_use]
    pub fn new(address: SocketAddr, token: Token) -> Self {
        Self { address, token, names: Vec::new(), limits: ServeLimits::default(), on_link: Box::new(|_| {}) }
    }

    /// Answers under these host names, too.
    #[must_use]
    pub fn with_names(mut self, names: Vec<String>) -> Self {
        self.names = names;
        self
    }

    /// Sets the bounds.
    #[must_use]
    pub fn with_limits(mut self, limits: ServeLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Tells whoever shows links to the person: the first one when the server is bound, another one whenever one was used.
    /// Each is good once.
    #[must_use]
    pub fn on_link(mut self, tell: impl Fn(String) + Send + Sync + 'static) -> Self {
        self.on_link = Box::new(tell);
        self
    }
}

/// A bound server.
pub struct BoardServer {
    listener: TcpListener,
    address: SocketAddr,
    app: App,
}

impl BoardServer {
    /// Binds the address. Nothing is answered before [`BoardServer::run`].
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn bind(board: Board, options: ServeOptions) -> Result<Self, ServeError> {
        let wanted = options.address;
        let failed = |source| ServeError::Bind { address: wanted, source };
        let listener = TcpListener::bind(wanted).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let code = code()?;
        let shown = match options.names.first() {
            Some(name) if address.ip().is_unspecified() => format!("{name}:{}", address.port()),
            _ if address.ip().is_unspecified() => format!("127.0.0.1:{}", address.port()),
            _ => address.to_string(),
        };
        let tell = options.on_link;
        let on_link = move |code: &str| tell(format!("http://{shown}/#{code}"));
        on_link(&code);
        let access = Access::new(options.token, address, &options.names, code);
        let app = App {
            board,
            access: Arc::new(access),
            subscribers: Counted::new(options.limits.subscribers),
            limits: options.limits,
            on_link: Arc::new(on_link),
        };
        Ok(Self { listener, address, app })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The code of the link that is good now.
    #[must_use]
    pub fn code(&self) -> String {
        self.app.access.code()
    }

    /// Serves until `stop` is ready, then ends every connection within a short grace and closes the board.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let limits = self.app.limits.clone();
        let (board, access) = (self.app.board.clone(), Arc::clone(&self.app.access));
        let router = router(self.app)
            .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, limits.request))
            .layer(RequestBodyLimitLayer::new(limits.body_bytes))
            .layer(map_response(in_our_words))
            .layer(from_fn_with_state(access, guard));
        let router = fenced(router);
        let places = Counted::new(limits.connections);
        let (tasks, ending) = (TaskTracker::new(), CancellationToken::new());
        let mut stop = pin!(stop);
        loop {
            let stream = tokio::select! {
                () = &mut stop => break,
                accepted = self.listener.accept() => accepted,
            };
            match stream {
                Ok((stream, _)) => {
                    // Who comes when all places are taken is not kept waiting in the dark.
                    let Some(place) = places.take() else { continue };
                    let talk = converse(stream, router.clone(), limits.request, ending.clone());
                    tasks.spawn(async move {
                        talk.await;
                        drop(place);
                    });
                }
                // Too many open files, say: others may close some.
                Err(error) => {
                    tracing::warn!(kind = ?error.kind(), "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
        drop(self.listener);
        ending.cancel();
        tasks.close();
        board.shared.closed.cancel();
        let _ = tokio::time::timeout(GRACE, tasks.wait()).await;
        board.close().await;
    }
}

impl std::fmt::Debug for BoardServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BoardServer").field("address", &self.address).finish_non_exhaustive()
    }
}

/// The bounds answer without a word of the API: these are theirs.
async fn in_our_words(response: Response) -> Response {
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    match response.status() {
        StatusCode::PAYLOAD_TOO_LARGE if !is_json => ApiError::too_large().into_response(),
        StatusCode::REQUEST_TIMEOUT if !is_json => {
            ApiError::new(StatusCode::REQUEST_TIMEOUT, "timeout", "the request took too long; try again")
                .into_response()
        }
        _ => response,
    }
}

/// One connection, until it ends or the server does.
async fn converse(stream: TcpStream, router: Router, head: Duration, ending: CancellationToken) {
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    let mut connection = pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = ending.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Places that can be taken, a fixed number of them.
#[derive(Debug, Clone)]
pub(crate) struct Counted(Arc<Semaphore>);

impl Counted {
    pub(crate) fn new(places: usize) -> Self {
        Self(Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))))
    }

    /// A place, until it is dropped.
    pub(crate) fn take(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0).try_acquire_owned().ok()
    }
}

/// A code that opens the page once.
pub(crate) fn code() -> Result<String, ServeError> {
    Token::random().map(|token| token.reveal().to_owned()).map_err(|_| ServeError::Random)
}
