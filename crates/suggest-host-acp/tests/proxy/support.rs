//! A proxy between a scripted editor and a scripted agent, both driven by the test.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _, pipe};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use suggest_core::{Config, ModelSource};
use suggest_engine::Engine;
use suggest_host_acp::{Proxy, ProxyEvent, Setup};
use suggest_llm::Llm;

/// Longer than anything here takes; a test that waits so long has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// One end of the conversation: what it was sent, line by line, and the way to send.
pub(crate) struct End {
    name: &'static str,
    lines: Receiver<Vec<u8>>,
    out: Option<PipeWriter>,
}

impl End {
    fn new(name: &'static str, source: PipeReader, out: PipeWriter) -> Self {
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(source);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        Self { name, lines, out: Some(out) }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.out.as_mut().expect("an open end").write_all(bytes).expect("a reader");
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Goes away.
    pub(crate) fn hang_up(&mut self) {
        self.out = None;
    }

    /// The next line, as it came.
    #[track_caller]
    pub(crate) fn line(&self) -> Vec<u8> {
        self.lines
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|error| panic!("the {} heard nothing: {error}", self.name))
    }

    #[track_caller]
    pub(crate) fn message(&self) -> Value {
        let line = self.line();
        serde_json::from_slice(&line).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&line)))
    }

    /// Reads on until a message fits, and gives it.
    #[track_caller]
    pub(crate) fn until(&self, fits: impl Fn(&Value) -> bool) -> Value {
        let mut seen = Vec::new();
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let Ok(line) = self.lines.recv_timeout(PATIENCE) else { break };
            let Ok(message) = serde_json::from_slice::<Value>(&line) else { continue };
            if fits(&message) {
                return message;
            }
            seen.push(message.to_string());
        }
        panic!("the {} did not hear it; it heard {seen:#?}", self.name)
    }

    /// Reads up to the answer of a request, and gives all words of the agent up to it, and the answer.
    #[track_caller]
    pub(crate) fn words_until_answer(&self, id: &Value) -> (String, Value) {
        let mut words = String::new();
        loop {
            let message = self.message();
            if message["id"] == *id && message.get("method").is_none() {
                return (words, message);
            }
            words.push_str(chunk_of(&message));
        }
    }

    /// Whether nothing at all has come.
    #[track_caller]
    pub(crate) fn heard_nothing(&self) {
        if let Ok(line) = self.lines.try_recv() {
            panic!("the {} heard {}", self.name, String::from_utf8_lossy(&line));
        }
    }
}

/// The words of a piece of the agent's message.
pub(crate) fn chunk_of(message: &Value) -> &str {
    let update = &message["params"]["update"];
    if update["sessionUpdate"] == "agent_message_chunk" {
        update["content"]["text"].as_str().unwrap_or_default()
    } else {
        ""
    }
}

/// The description of our `/next` in a message, if it has one.
pub(crate) fn next_description(message: &Value) -> Option<String> {
    let commands = message["params"]["update"]["availableCommands"].as_array()?;
    let next = commands.iter().find(|command| command["name"] == "next")?;
    next["description"].as_str().map(str::to_owned)
}

pub(crate) struct Scene {
    pub(crate) editor: End,
    pub(crate) agent: End,
    pub(crate) proxy: Proxy,
    pub(crate) notices: Arc<Mutex<Vec<String>>>,
    next_id: u64,
}

pub(crate) fn settings(changes: &Value) -> Config {
    let mut all = json!({ "promptModel": "scripted/one" });
    all.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    Config::from_json(&all).expect("a configuration")
}

impl Scene {
    pub(crate) fn new(model: impl Llm + 'static) -> Self {
        Self::with(model, &settings(&json!({})))
    }

    pub(crate) fn with(model: impl Llm + 'static, config: &Config) -> Self {
        let (proxy_hears_editor, editor_out) = pipe().unwrap();
        let (editor_in, proxy_tells_editor) = pipe().unwrap();
        let (proxy_hears_agent, agent_out) = pipe().unwrap();
        let (agent_in, proxy_tells_agent) = pipe().unwrap();
        let notices = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&notices);
        let setup = Setup {
            engine: Engine::builder().model(Arc::new(model)),
            config: config.clone(),
            model_source: ModelSource::Config,
            home: None,
            notice: Arc::new(move |text| told.lock().unwrap().push(text.to_owned())),
        };
        let proxy =
            Proxy::start(proxy_hears_editor, proxy_tells_editor, proxy_hears_agent, proxy_tells_agent, setup);
        Self {
            editor: End::new("editor", editor_in, editor_out),
            agent: End::new("agent", agent_in, agent_out),
            proxy,
            notices,
            next_id: 1,
        }
    }

    /// The editor asks, and the request reaches the agent as it is. Gives its id.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.say(method, params.clone());
        let got = self.agent.message();
        assert_eq!(got, json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The editor asks; where that goes is the test's.
    pub(crate) fn say(&mut self, method: &str, params: Value) -> Value {
        let id = json!(self.next_id);
        self.next_id += 1;
        self.editor.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The agent answers a request.
    pub(crate) fn answer(&mut self, id: &Value, result: Value) {
        self.agent.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    /// A session is there, and the editor knows our commands.
    #[track_caller]
    pub(crate) fn open(&mut self, session: &str) {
        let id = self.ask("session/new", json!({ "cwd": "/workspace", "mcpServers": [] }));
        self.answer(&id, json!({ "sessionId": session }));
        let id_too = id.clone();
        self.editor.until(|message| message["id"] == id_too);
        self.editor.until(|message| next_description(message).is_some());
    }

    /// A prompt of the human. Gives its id.
    pub(crate) fn prompt(&mut self, session: &str, text: &str) -> Value {
        self.say("session/prompt", prompt_of(session, text))
    }

    pub(crate) fn chunk(&mut self, session: &str, text: &str) {
        let update =
            json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } });
        self.update(session, update);
    }

    pub(crate) fn update(&mut self, session: &str, update: Value) {
        let params = json!({ "sessionId": session, "update": update });
        self.agent.send(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
    }

    /// A whole turn that the human began and that ended well.
    #[track_caller]
    pub(crate) fn turn(&mut self, session: &str, prompt: &str, answer: &str) {
        let id = self.prompt(session, prompt);
        let got = self.agent.message();
        assert_eq!((&got["id"], &got["params"]), (&id, &prompt_of(session, prompt)));
        self.chunk(session, answer);
        self.answer(&id, json!({ "stopReason": "end_turn" }));
        self.editor.until(|message| message["id"] == id);
    }

    /// Waits until `/next` is described like this.
    #[track_caller]
    pub(crate) fn offered(&self, part: &str) -> Value {
        self.editor.until(|message| next_description(message).is_some_and(|text| text.contains(part)))
    }

    /// Everything that the agent hears next is this prompt of ours; gives its id.
    #[track_caller]
    pub(crate) fn round(&self, session: &str, text: &str) -> Value {
        let got = self.agent.message();
        assert_eq!((&got["method"], &got["params"]), (&json!("session/prompt"), &prompt_of(session, text)));
        assert!(got["id"].as_str().is_some_and(|id| id.starts_with("suggest-")), "{got}");
        got["id"].clone()
    }

    /// The human's command that we answer; gives the words of the answer.
    #[track_caller]
    pub(crate) fn command(&mut self, session: &str, line: &str) -> String {
        let id = self.prompt(session, line);
        let (words, answer) = self.editor.words_until_answer(&id);
        assert_eq!(answer["result"], json!({ "stopReason": "end_turn" }), "{answer}");
        words
    }

    #[track_caller]
    pub(crate) fn event(&self, wanted: ProxyEvent) {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if self.proxy.wait(Duration::from_millis(100)) == Some(wanted) {
                return;
            }
        }
        panic!("{wanted:?} did not come");
    }
}

pub(crate) fn prompt_of(session: &str, text: &str) -> Value {
    json!({ "sessionId": session, "prompt": [{ "type": "text", "text": text }] })
}
