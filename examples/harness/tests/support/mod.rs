//! A terminal around the harness, and models on loopback.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use suggest_testkit::http::{Ending, Exchange, ScriptedServer};
use tokio::runtime::Runtime;

/// Far longer than anything takes; a machine under load is no fault of the harness.
const PATIENCE: Duration = Duration::from_secs(60);

/// The harness in a folder of its own, with a person who reads and types.
pub(crate) struct Terminal {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    seen: Vec<String>,
    folder: tempfile::TempDir,
}

impl Terminal {
    pub(crate) fn start(arguments: &[String]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("notes.txt"), "a note\n").expect("a file");
        let mut child = Command::new(env!("CARGO_BIN_EXE_harness"))
            .args(arguments.iter().flat_map(|argument| argument.split(' ')))
            .arg("--folder")
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the harness starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("an output"));
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let mut terminal = Self { child, input, output: receiver, seen: Vec::new(), folder };
        terminal.wait_for("harness  ask the worker");
        terminal
    }

    /// Types a line.
    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.input.as_ref().expect("an open input"), "{line}").expect("the harness reads");
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Reads on until a line holds the text.
    pub(crate) fn wait_for(&mut self, text: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let found = line.contains(text);
                    self.seen.push(line);
                    if found {
                        return;
                    }
                }
                Err(error) => panic!("`{text}` did not come ({error}); there was:\n{}", self.everything()),
            }
        }
    }

    /// Presses Ctrl-C.
    pub(crate) fn interrupt(&self) {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, rustix::process::Signal::INT).expect("the harness runs");
    }

    /// Waits until the harness has ended.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => self.seen.push(line),
                Err(RecvTimeoutError::Disconnected) => return self.child.wait().expect("an end"),
                Err(RecvTimeoutError::Timeout) => panic!("it goes on and on:\n{}", self.everything()),
            }
        }
    }

    /// Everything that was read so far.
    pub(crate) fn everything(&self) -> String {
        self.seen.join("\n")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A scripted model on loopback.
pub(crate) struct Server {
    server: ScriptedServer,
    runtime: Runtime,
}

impl Server {
    pub(crate) fn start(script: impl IntoIterator<Item = Exchange>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let script: Vec<Exchange> = script.into_iter().collect();
        let server = runtime.block_on(ScriptedServer::start(script)).expect("a free port");
        Self { server, runtime }
    }

    pub(crate) fn as_worker(&self) -> String {
        format!("--worker={} --worker-model=small", self.server.url("/v1"))
    }

    pub(crate) fn as_suggest(&self) -> String {
        format!("--provider=director={} --suggest=director/one", self.server.url("/v1"))
    }

    pub(crate) fn as_advisor(&self) -> String {
        format!("--provider=advisor={} --advisor=advisor/one", self.server.url("/v1"))
    }

    pub(crate) fn requests(&self) -> usize {
        self.server.requests().len()
    }

    /// The body of a request, counted from 0.
    pub(crate) fn request(&self, number: usize) -> Value {
        self.server.requests().get(number).expect("the request was made").json()
    }

    pub(crate) fn last_request(&self) -> Value {
        self.request(self.requests() - 1)
    }

    pub(crate) fn wait_for_requests(&self, count: usize) {
        self.wait(self.server.wait_for_requests(count));
    }

    pub(crate) fn wait_for_client_closes(&self, count: usize) {
        self.wait(self.server.wait_for_client_closes(count));
    }

    fn wait(&self, what: impl Future<Output = ()>) {
        self.runtime.block_on(async { tokio::time::timeout(PATIENCE, what).await }).expect("it comes");
    }
}

fn completion(message: &Value, finish: &str) -> Exchange {
    Exchange::json(200, &json!({ "choices": [{ "index": 0, "message": message, "finish_reason": finish }] }))
}

/// The worker answers and has done.
pub(crate) fn answer(text: &str) -> Exchange {
    completion(&json!({ "role": "assistant", "content": text }), "stop")
}

/// The director or the advisor answers.
pub(crate) fn next(text: &str) -> Exchange {
    answer(text)
}

/// The worker wants to run a command.
pub(crate) fn tool_call(command: &str) -> Exchange {
    let arguments = json!({ "command": command }).to_string();
    let call =
        json!({ "id": "c1", "type": "function", "function": { "name": "run", "arguments": arguments } });
    completion(&json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls")
}

/// The worker takes the request and never answers.
pub(crate) fn hanging() -> Exchange {
    Exchange::new().ending(Ending::Hang)
}
