//! A plugin that answers as it is told and keeps what it is told.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use suggest_host_dsh::{Served, SidecarError, SidecarOptions, serve};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How a plugin answers a request of the sidecar: `Some` is a result or, with the key `error`, an error; `None` leaves
/// it open.
pub(crate) type Answers = dyn Fn(&str, &Value) -> Option<Value> + Send;

/// What came from the sidecar.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Requests and notifications, as `(method, params)`.
    pub(crate) messages: Vec<(String, Value)>,
    /// The request ids of the messages, where they are requests.
    pub(crate) ids: Vec<Option<u64>>,
    /// Answers to our requests.
    pub(crate) answers: HashMap<String, Vec<Value>>,
    /// Errors without an id.
    pub(crate) complaints: usize,
}

impl Seen {
    pub(crate) fn all(&self, method: &str) -> Vec<&Value> {
        self.messages.iter().filter(|(name, _)| name == method).map(|(_, params)| params).collect()
    }

    pub(crate) fn count(&self, method: &str) -> usize {
        self.all(method).len()
    }

    /// The newest state of a session.
    pub(crate) fn state(&self, session: &str) -> Option<&Value> {
        self.all("state").into_iter().rfind(|params| params["session"] == *session)
    }
}

/// The plugin's end of the connection.
pub(crate) struct Plugin {
    output: DuplexStream,
    pub(crate) seen: Arc<Mutex<Seen>>,
    changed: watch::Receiver<()>,
    next: u64,
    serving: JoinHandle<Result<Served, SidecarError>>,
    reading: JoinHandle<()>,
    answering: Arc<Mutex<DuplexStream>>,
}

/// A director's answer that is another step each time, and a host that does whatever it is asked.
pub(crate) fn willing() -> Box<Answers> {
    let number = std::sync::atomic::AtomicU64::new(1);
    Box::new(move |method, _| {
        Some(match method {
            "model/complete" => {
                let number = number.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                json!({ "text": format!("NEXT: Add test number {number} for the parser"), "finish": "stop",
                    "usage": { "inputTokens": 100, "outputTokens": 9 } })
            }
            "model/info" => json!({ "efforts": ["high", "low", "off"] }),
            "submit" => json!({ "accepted": true, "messageId": "m" }),
            "withdraw" => json!({ "withdrawn": true }),
            _ => json!({ "ok": true }),
        })
    })
}

/// Like [`willing`], but for one method.
pub(crate) fn except(
    method: &'static str,
    answer: impl Fn(&Value) -> Option<Value> + Send + 'static,
) -> Box<Answers> {
    let rest = willing();
    Box::new(move |asked, params| if asked == method { answer(params) } else { rest(asked, params) })
}

impl Plugin {
    pub(crate) fn start(answers: Box<Answers>) -> Self {
        Self::start_with(answers, SidecarOptions::default())
    }

    pub(crate) fn start_with(answers: Box<Answers>, options: SidecarOptions) -> Self {
        // Two ways in, as two writers of one pipe: what we say, and what is answered by itself.
        let (output, mut first) = tokio::io::duplex(1 << 20);
        let (answer, mut second) = tokio::io::duplex(1 << 20);
        let (near, mut joined) = tokio::io::duplex(1 << 20);
        let (from, to) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            let mut one = BufReader::new(&mut first);
            let mut two = BufReader::new(&mut second);
            let (mut line_one, mut line_two) = (Vec::new(), Vec::new());
            loop {
                let line = tokio::select! {
                    biased;
                    read = two.read_until(b'\n', &mut line_two) => match read {
                        Ok(1..) => std::mem::take(&mut line_two),
                        _ => break,
                    },
                    read = one.read_until(b'\n', &mut line_one) => match read {
                        Ok(1..) => std::mem::take(&mut line_one),
                        _ => break,
                    },
                };
                if joined.write_all(&line).await.is_err() {
                    break;
                }
            }
        });
        let serving = tokio::spawn(serve(near, to, options));
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (sender, changed) = watch::channel(());
        let answering = Arc::new(Mutex::new(answer));
        let (all, own) = (Arc::clone(&seen), Arc::clone(&answering));
        let reading = tokio::spawn(async move {
            let mut lines = BufReader::new(from).lines();
            while let Some(line) = lines.next_line().await.unwrap() {
                let message: Value = serde_json::from_str(&line).unwrap();
                assert_eq!(message["jsonrpc"], "2.0");
                let reply = take(&mut all.lock().unwrap(), &message, &*answers);
                if let Some(reply) = reply {
                    say(&own, &reply);
                }
                let _ = sender.send(());
            }
        });
        Self { output, seen, changed, next: 1, serving, reading, answering }
    }

    /// Says hello with a configuration, and gives the answer.
    pub(crate) async fn hello(&mut self, config: Value) -> Value {
        let hello = json!({ "protocol": 1, "plugin": { "name": "dsh-suggest", "version": "0.1.0" },
            "host": { "name": "dsh", "version": "0.1.0-rc.8" }, "config": config, "transfer": "host" });
        self.ask("hello", hello).await
    }

    pub(crate) async fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        // A sidecar that is gone reads nothing; the tests find that out by its end.
        let _ = self.output.write_all(bytes.as_ref()).await;
    }

    pub(crate) async fn tell(&mut self, method: &str, params: Value) {
        self.raw(format!("{}\n", json!({ "jsonrpc": "2.0", "method": method, "params": params }))).await;
    }

    /// Sends a request without waiting and gives its id.
    pub(crate) async fn begin(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.raw(format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })))
            .await;
        id
    }

    /// Sends a request and gives its answer: the result, or the error under the key `error`.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await.to_string();
        self.until(|seen| seen.answers.get(&id).and_then(|answers| answers.first()).cloned()).await
    }

    /// Runs a command and gives its text and code.
    pub(crate) async fn command(&mut self, session: &str, line: &str) -> (String, String) {
        let answer = self.ask("command", json!({ "session": session, "line": line })).await;
        (answer["text"].as_str().unwrap().to_owned(), answer["code"].as_str().unwrap().to_owned())
    }

    /// Opens an interactive session without a past.
    pub(crate) async fn open(&mut self, session: &str) {
        self.open_with(session, json!({}), Vec::new()).await;
    }

    pub(crate) async fn open_with(&mut self, session: &str, changes: Value, history: Vec<Value>) {
        let mut open = json!({ "session": session, "header": { "type": "session", "version": 0, "id": session,
            "cwd": "/workspace" }, "root": true, "web": true, "status": "idle", "goal": null,
            "inbox": { "human": 0, "other": 0 }, "humanEpoch": 0, "spentRounds": 0, "nextOffer": 1,
            "nextTicket": 1, "resumed": false });
        for (key, value) in changes.as_object().unwrap() {
            open[key] = value.clone();
        }
        self.tell("session/open", open).await;
        for chunk in history.chunks(16) {
            self.tell("session/history", json!({ "session": session, "events": chunk })).await;
        }
        self.tell("session/ready", json!({ "session": session })).await;
    }

    pub(crate) async fn event(&mut self, session: &str, kind: &str, data: Value) {
        self.tell("session/event", json!({ "session": session, "event": { "type": kind, "data": data } }))
            .await;
    }

    pub(crate) async fn status(&mut self, session: &str, status: &str, epoch: u64) {
        self.tell(
            "session/status",
            json!({ "session": session, "status": status, "inbox": { "human": 0, "other": 0 },
                "humanEpoch": epoch }),
        )
        .await;
    }

    /// A whole completed turn that a source started, up to idle. The human's turns raise the epoch to their number.
    pub(crate) async fn turn(&mut self, session: &str, turn: u64, source: Value, epoch: u64) {
        self.turn_up_to_end(session, turn, source, epoch).await;
        self.status(session, "idle", epoch).await;
    }

    pub(crate) async fn turn_up_to_end(&mut self, session: &str, turn: u64, source: Value, epoch: u64) {
        let message = json!({ "id": format!("{session}-{turn}"), "role": "user", "source": source,
            "content": [{ "type": "text", "text": format!("Do part {turn} of the parser.") }] });
        self.event(
            session,
            "agent/inbox/spliced",
            json!({ "target": "next-turn", "start": 0, "inserted": [message.clone()] }),
        )
        .await;
        if source["kind"] == "user" {
            self.tell(
                "session/inbox",
                json!({ "session": session, "kind": "inserted", "id": "m", "source": source,
                    "target": "next-turn", "humanEpoch": epoch, "human": 1 }),
            )
            .await;
        }
        self.tell(
            "session/status",
            json!({ "session": session, "status": "running", "inbox": { "human": 0, "other": 1 },
                "humanEpoch": epoch }),
        )
        .await;
        self.event(session, "turn/start", json!({ "turn": turn })).await;
        self.event(
            session,
            "agent/inbox/spliced",
            json!({ "target": "next-turn", "start": 0, "removedCount": 1, "inserted": [] }),
        )
        .await;
        self.event(session, "user/message", message).await;
        let answer = json!({ "turn": turn, "step": 1, "message": { "id": format!("{session}-a{turn}"),
            "role": "assistant", "source": { "kind": "model" },
            "content": [{ "type": "text", "text": format!("Part {turn} is done; src/parser.rs has it.") }] } });
        self.event(session, "assistant/message", answer).await;
        self.event(session, "turn/end", json!({ "turn": turn, "reason": { "kind": "completed" } })).await;
    }

    /// Answers a request that was left open.
    pub(crate) async fn answer(&mut self, id: u64, result: Value) {
        self.raw(format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "result": result }))).await;
    }

    /// Waits until something is seen.
    pub(crate) async fn until<T>(&mut self, mut look: impl FnMut(&Seen) -> Option<T>) -> T {
        let seen = Arc::clone(&self.seen);
        let waiting = async {
            loop {
                if let Some(found) = look(&seen.lock().unwrap()) {
                    return found;
                }
                assert!(
                    self.changed.changed().await.is_ok(),
                    "the sidecar ended: {:?}",
                    seen.lock().unwrap()
                );
            }
        };
        match tokio::time::timeout(Duration::from_secs(300), waiting).await {
            Ok(found) => found,
            Err(_) => panic!("never seen: {:#?}", self.seen.lock().unwrap()),
        }
    }

    /// Waits for a state of a session with this status, and gives it.
    pub(crate) async fn status_is(&mut self, session: &str, status: &str) -> Value {
        self.until(|seen| {
            let state = seen.state(session)?;
            (state["state"]["status"] == status).then(|| state.clone())
        })
        .await
    }

    /// Waits until everything that was said is done, answers of the host included, as far as nothing waits for time.
    pub(crate) async fn settle(&mut self) {
        for _ in 0..3 {
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            self.ask("nothing", json!({})).await;
        }
    }

    pub(crate) fn count(&self, method: &str) -> usize {
        self.seen.lock().unwrap().count(method)
    }

    /// The id of the newest request of this method.
    pub(crate) fn id_of(&self, method: &str) -> u64 {
        let seen = self.seen.lock().unwrap();
        let place = seen.messages.iter().rposition(|(name, _)| name == method).unwrap();
        seen.ids[place].unwrap()
    }

    /// Ends the input and gives what the sidecar says at its end.
    pub(crate) async fn end(self) -> Result<Served, SidecarError> {
        drop(self.output);
        let ended = tokio::time::timeout(Duration::from_secs(60), self.serving).await;
        drop(self.answering);
        self.reading.await.unwrap();
        ended.expect("the sidecar ends when its input ends").unwrap()
    }
}

fn take(seen: &mut Seen, message: &Value, answers: &Answers) -> Option<Value> {
    let Some(method) = message["method"].as_str() else {
        if message["id"].is_null() {
            seen.complaints += 1;
        } else {
            let answer = match message.get("error") {
                Some(error) => json!({ "error": error }),
                None => message["result"].clone(),
            };
            seen.answers.entry(message["id"].to_string()).or_default().push(answer);
        }
        return None;
    };
    let params = message["params"].clone();
    let id = message["id"].as_u64();
    let answer = id.and_then(|id| {
        let answer = answers(method, &params)?;
        Some(match answer.get("error") {
            Some(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
            None => json!({ "jsonrpc": "2.0", "id": id, "result": answer }),
        })
    });
    seen.messages.push((method.to_owned(), params));
    seen.ids.push(id);
    answer
}

/// The buffer is large: what is said by itself always fits.
fn say(stream: &Mutex<DuplexStream>, message: &Value) {
    let line = format!("{message}\n");
    let mut stream = stream.lock().unwrap();
    let writing = stream.write_all(line.as_bytes());
    let done = futures_now(writing);
    assert!(done, "an answer did not fit");
}

fn futures_now<T>(future: impl Future<Output = std::io::Result<T>>) -> bool {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    // A sidecar that ended takes no answers, which is fine.
    future.as_mut().poll(&mut context).is_ready()
}
