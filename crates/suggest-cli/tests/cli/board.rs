//! A real board: `suggest serve` as a process, asked over its API.

#![expect(clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use crate::support::World;
use serde_json::{Value, json};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const TOKEN: &str = "5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c";
/// How long something may take that takes moments on a machine that is not busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A board that runs.
pub(crate) struct Board {
    pub(crate) child: Child,
    host: String,
}

/// Where the board of a world keeps its cards.
pub(crate) fn store(world: &World) -> PathBuf {
    world.path("cards/suggestions.json")
}

/// What lies in the store now.
pub(crate) fn kept(world: &World) -> Value {
    serde_json::from_slice(&std::fs::read(store(world)).unwrap()).unwrap()
}

/// The command that serves the board of a world, without logs.
pub(crate) fn arguments(world: &World) -> Vec<String> {
    let token = world.path("token");
    if !token.exists() {
        std::fs::write(&token, TOKEN).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    }
    let store = store(world);
    std::fs::create_dir_all(store.parent().unwrap()).unwrap();
    ["serve", "--no-logs", "--port", "0", "--token-file", &token.display().to_string(), "--store"]
        .into_iter()
        .map(str::to_owned)
        .chain([store.display().to_string()])
        .collect()
}

impl Board {
    /// A board that follows the logs in this folder.
    pub(crate) fn follow(world: &World, logs: &str) -> Self {
        let arguments = arguments(world);
        let kept = arguments.iter().map(String::as_str).filter(|argument| *argument != "--no-logs");
        Self::run(world.command(&kept.chain([logs]).collect::<Vec<_>>()))
    }

    pub(crate) fn start(world: &World) -> Self {
        let arguments = arguments(world);
        Self::run(world.command(&arguments.iter().map(String::as_str).collect::<Vec<_>>()))
    }

    /// Starts this command and waits for its link. What it says to the person goes to a file `said` beside the store.
    pub(crate) fn run(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut link = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut link).unwrap();
        let host = link.strip_prefix("http://").and_then(|rest| rest.split('/').next());
        Self { host: host.unwrap_or_else(|| panic!("no link: {link}")).to_owned(), child }
    }

    pub(crate) fn client(&self) -> Client {
        Client { host: self.host.clone() }
    }

    /// Kills the process, as `kill -9` does.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// One who asks.
#[derive(Clone)]
pub(crate) struct Client {
    host: String,
}

impl Client {
    /// Asks, and gives the status and the answer. An error means that nobody knows whether it was done.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &Value) -> io::Result<(u16, Value)> {
        let broken = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(&self.host)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let length = body.len();
        let host = &self.host;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(broken)?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(broken)?;
        // An answer that is cut is none.
        let body = serde_json::from_str(body).map_err(|_| broken())?;
        Ok((status, body))
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask("GET", path, &Value::Null).unwrap();
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> io::Result<(u16, Value)> {
        self.ask("POST", path, body)
    }

    /// Tells of a turn of a session that leaves three tests failing.
    pub(crate) fn tell_of_three_failures(&self, session: &str) -> io::Result<(u16, Value)> {
        let failures: Vec<String> =
            (0..3).map(|number| format!("test {session}::case_{number} ... FAILED")).collect();
        let events = json!({ "name": session, "workspace": format!("/home/me/{session}"), "events": [
            { "type": "turn_started", "turn": 1, "origin": "human" },
            { "type": "message", "author": "human", "text": format!("Make {session} read nested lists") },
            { "type": "tool", "name": "bash", "summary": format!("cargo test\n{}", failures.join("\n")), "ok": false },
            { "type": "message", "author": "assistant", "text": "Three tests are red." },
            { "type": "turn_ended", "turn": 1, "reason": "completed" },
            { "type": "idle" },
        ]});
        self.post(&format!("/api/sessions/{session}/events"), &events)
    }

    /// The ids of the open cards of a session.
    pub(crate) fn open_of(&self, session: &str) -> io::Result<Vec<String>> {
        let (_, snapshot) = self.ask("GET", "/api/cards", &Value::Null)?;
        let cards = snapshot["cards"].as_array().cloned().unwrap_or_default();
        let own = cards.iter().filter(|card| card["session"] == session);
        Ok(own.map(|card| card["id"].as_str().unwrap().to_owned()).collect())
    }

    /// What a session does.
    pub(crate) fn status(&self, session: &str) -> Option<String> {
        let list = self.get("/api/sessions");
        let known = list["sessions"].as_array()?.iter().find(|hero| hero["session"] == session)?;
        known["status"].as_str().map(str::to_owned)
    }

    /// What the page tells the person.
    pub(crate) fn notices(&self) -> Vec<String> {
        let list = self.get("/api/sessions");
        let notices = list["notices"].as_array().cloned().unwrap_or_default();
        notices.iter().map(|notice| notice.as_str().unwrap().to_owned()).collect()
    }
}

/// Looks until it finds something.
#[track_caller]
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
