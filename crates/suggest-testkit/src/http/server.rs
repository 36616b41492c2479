use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::exchange::{Ending, Exchange};

/// Most bytes that are read of a request.
const LONGEST_REQUEST: usize = 16 * 1024 * 1024;

/// A server on a free loopback port that plays a script, one [`Exchange`] a request, in the order in which requests arrive.
///
/// Requests beyond the script get status 418, so that a client that calls too often is noticed. Dropping the server ends
/// everything.
#[derive(Debug)]
pub struct ScriptedServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    progress: watch::Receiver<Progress>,
    accepting: tokio::task::JoinHandle<()>,
}

/// One request as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRequest {
    /// `POST`, `GET`, …
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Headers in their order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl RecordedRequest {
    /// The first header with this name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; `null` when it is none.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

#[derive(Debug)]
struct Shared {
    script: Mutex<VecDeque<Exchange>>,
    requests: Mutex<Vec<RecordedRequest>>,
    progress: watch::Sender<Progress>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Progress {
    requests: usize,
    closed_by_client: usize,
}

impl ScriptedServer {
    /// Listens on a free port of 127.0.0.1. Needs a tokio runtime with IO and time.
    ///
    /// # Errors
    ///
    /// When no port can be bound.
    pub async fn start(script: impl IntoIterator<Item = Exchange>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let (sender, progress) = watch::channel(Progress::default());
        let shared = Arc::new(Shared {
            script: Mutex::new(script.into_iter().collect()),
            requests: Mutex::new(Vec::new()),
            progress: sender,
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, progress, accepting })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:PORT` with this path behind it.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Every request so far.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        locked(&self.shared.requests).clone()
    }

    /// Exchanges that no request has taken yet.
    #[must_use]
    pub fn remaining(&self) -> usize {
        locked(&self.shared.script).len()
    }

    /// Waits until this many requests have arrived in full.
    pub async fn wait_for_requests(&self, count: usize) {
        self.wait(|progress| progress.requests >= count).await;
    }

    /// Waits until the client has closed this many hanging connections.
    pub async fn wait_for_client_closes(&self, count: usize) {
        self.wait(|progress| progress.closed_by_client >= count).await;
    }

    async fn wait(&self, reached: impl Fn(&Progress) -> bool) {
        let mut progress = self.progress.clone();
        // The sender lives as long as this server, so the wait cannot fail.
        let _ = progress.wait_for(|progress| reached(progress)).await;
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Accepts until it is aborted; the connections end with it.
async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            // What fails here is the client's doing, and the test looks at the client.
            let _ = serve(stream, &shared).await;
        });
    }
}

async fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let Some(request) = read_request(&mut stream).await? else { return Ok(()) };
    let exchange = {
        let mut requests = locked(&shared.requests);
        requests.push(request);
        locked(&shared.script).pop_front()
    };
    shared.progress.send_modify(|progress| progress.requests += 1);
    let exchange = exchange.unwrap_or_else(|| Exchange::response(418, &[], "the script has ended"));
    for (delay, bytes) in &exchange.writes {
        if !delay.is_zero() {
            tokio::time::sleep(*delay).await;
        }
        stream.write_all(bytes).await?;
        stream.flush().await?;
    }
    match exchange.ending {
        Ending::Close => stream.shutdown().await,
        Ending::Reset => {
            stream.set_zero_linger()?;
            Ok(())
        }
        Ending::Hang => {
            let mut rest = [0; 64];
            while !matches!(stream.read(&mut rest).await, Ok(0) | Err(_)) {}
            shared.progress.send_modify(|progress| progress.closed_by_client += 1);
            Ok(())
        }
    }
}

/// Reads one request with a length; `None` when the client closed without a whole one.
async fn read_request(stream: &mut TcpStream) -> io::Result<Option<RecordedRequest>> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(position) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break position;
        }
        if bytes.len() > LONGEST_REQUEST || stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let mut body = bytes.split_off(head_end).split_off(4);
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let method = first.next().unwrap_or_default().to_owned();
    let target = first.next().unwrap_or_default().to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse::<usize>().ok()).unwrap_or(0).min(LONGEST_REQUEST);
    while body.len() < length {
        if stream.read_buf(&mut body).await? == 0 {
            return Ok(None);
        }
    }
    body.truncate(length);
    Ok(Some(RecordedRequest { method, target, headers, body }))
}
