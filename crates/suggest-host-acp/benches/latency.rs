//! What the proxy adds to a message, beside a bare relay of pipes, and what 100,000 messages leave in memory.
//!
//! `cargo bench -p suggest-host-acp --bench latency`

#![expect(clippy::expect_used, reason = "a measurement that cannot be taken has nothing to say")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read as _, Write as _, pipe};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use suggest_core::{Config, ModelSource};
use suggest_engine::Engine;
use suggest_host_acp::{Proxy, Setup};
use suggest_llm::{LlmReply, ScriptedLlm};

const MESSAGES: usize = 20_000;
const MANY: usize = 100_000;

fn chunk(text: &str) -> Vec<u8> {
    let params = json!({ "sessionId": "s", "update": { "sessionUpdate": "agent_message_chunk", "messageId": "msg_22bd82e",
        "content": { "type": "text", "text": text } } });
    format!("{}\n", json!({ "jsonrpc": "2.0", "method": "session/update", "params": params })).into_bytes()
}

/// Both ends of what the agent's words go through.
struct Way {
    agent: PipeWriter,
    editor: BufReader<PipeReader>,
    /// The editor's own voice, where there is somebody to hear it.
    voice: Option<(PipeWriter, BufReader<PipeReader>)>,
    _proxy: Option<Proxy>,
}

impl Way {
    /// A thread that copies bytes as they come.
    fn bare() -> Self {
        let (mut from, agent) = pipe().expect("a pipe");
        let (editor, mut to) = pipe().expect("a pipe");
        thread::spawn(move || {
            let mut bytes = vec![0; 64 * 1024];
            while let Ok(read @ 1..) = from.read(&mut bytes) {
                if bytes.get(..read).is_none_or(|bytes| to.write_all(bytes).is_err()) {
                    return;
                }
            }
        });
        Self { agent, editor: BufReader::new(editor), voice: None, _proxy: None }
    }

    fn proxied() -> Self {
        let (from_editor, voice) = pipe().expect("a pipe");
        let (editor, to_editor) = pipe().expect("a pipe");
        let (from_agent, agent) = pipe().expect("a pipe");
        let (heard, to_agent) = pipe().expect("a pipe");
        let model = ScriptedLlm::new().otherwise(Ok(LlmReply::new("NEXT: Run the tests.")));
        let setup = Setup {
            engine: Engine::builder().model(Arc::new(model)),
            config: Config::from_json(&json!({ "promptModel": "scripted/one" })).expect("a configuration"),
            model_source: ModelSource::Config,
            home: None,
            notice: Arc::new(|text| println!("notice: {text}")),
        };
        let proxy = Proxy::start(from_editor, to_editor, from_agent, to_agent, setup);
        let voice = Some((voice, BufReader::new(heard)));
        let mut way = Self { agent, editor: BufReader::new(editor), voice, _proxy: Some(proxy) };
        way.ask(
            &json!({ "jsonrpc": "2.0", "id": "new", "method": "session/new", "params": { "cwd": "/w" } }),
        );
        way.answer(&json!({ "jsonrpc": "2.0", "id": "new", "result": { "sessionId": "s" } }));
        way
    }

    fn ask(&mut self, message: &Value) {
        let Some((voice, heard)) = &mut self.voice else { return };
        writeln!(voice, "{message}").expect("a proxy");
        heard.read_line(&mut String::new()).expect("a line");
    }

    /// The agent answers, and the editor hears it.
    fn answer(&mut self, message: &Value) {
        writeln!(self.agent, "{message}").expect("a relay");
        let mut line = String::new();
        while !line.contains(&format!("\"id\":{}", message.get("id").unwrap_or(&Value::Null))) {
            line.clear();
            self.editor.read_line(&mut line).expect("a line");
        }
    }

    /// Sends one line and waits until it is there; lines of the proxy's own are passed over.
    fn pass(&mut self, sent: &[u8], line: &mut Vec<u8>) -> Duration {
        let begun = Instant::now();
        self.agent.write_all(sent).expect("a relay");
        loop {
            line.clear();
            self.editor.read_until(b'\n', line).expect("a line");
            if line == sent {
                return begun.elapsed();
            }
        }
    }

    /// A turn of so many pieces, and how long each took.
    fn turn(&mut self, number: usize, pieces: usize, sent: &[u8], times: &mut Vec<Duration>) {
        let prompt = [json!({ "type": "text", "text": "go on" })];
        let params = json!({ "sessionId": "s", "prompt": prompt });
        self.ask(&json!({ "jsonrpc": "2.0", "id": number, "method": "session/prompt", "params": params }));
        let mut line = Vec::new();
        for _ in 0..pieces {
            times.push(self.pass(sent, &mut line));
        }
        self.answer(&json!({ "jsonrpc": "2.0", "id": number, "result": { "stopReason": "end_turn" } }));
    }
}

fn report(name: &str, mut times: Vec<Duration>) -> (f64, f64) {
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 1_000).map_or(0.0, |time| time.as_secs_f64() * 1e6);
    println!("{name:28} median {:7.1} µs   99th {:7.1} µs   99.9th {:7.1} µs", at(500), at(990), at(999));
    (at(500), at(990))
}

/// The process's memory in kilobytes, where the system tells.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse().unwrap_or_default()
}

fn main() {
    for (name, size) in [("30 characters", 30), ("4 kB", 4_000), ("100 kB", 100_000)] {
        let sent = chunk(&"x".repeat(size));
        let count = if size > 50_000 { MESSAGES / 10 } else { MESSAGES };
        let (mut bare, mut proxied) = (Way::bare(), Way::proxied());
        let (mut bare_times, mut proxied_times) = (Vec::new(), Vec::new());
        // In turns, so that whatever else the machine does meets both.
        for number in 0..20 {
            let mut line = Vec::new();
            for _ in 0..count / 20 {
                bare_times.push(bare.pass(&sent, &mut line));
            }
            proxied.turn(number, count / 20, &sent, &mut proxied_times);
        }
        let (bare_median, bare_99) = report(&format!("bare relay, {name}"), bare_times);
        let (median, ninety_ninth) = report(&format!("proxy, {name}"), proxied_times);
        println!(
            "{:28} median {:+7.1} µs   99th {:+7.1} µs",
            "  added",
            median - bare_median,
            ninety_ninth - bare_99
        );
    }
    let mut way = Way::proxied();
    let sent = chunk(&"word ".repeat(20));
    let mut times = Vec::new();
    println!("memory at the start: {} kB", memory());
    for number in 1..=MANY / 500 {
        way.turn(number, 500, &sent, &mut times);
        times.clear();
        if [10_000, 25_000, 50_000, 75_000, MANY].contains(&(number * 500)) {
            println!("memory after {:6} messages: {} kB", number * 500, memory());
        }
    }
}
