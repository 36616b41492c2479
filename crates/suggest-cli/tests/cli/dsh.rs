//! The sidecar as a real process: its end, garbage, huge lines, and a plugin that stops reading.

use crate::support::{World, root};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

struct Sidecar {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Sidecar {
    fn start(world: &World) -> Self {
        let mut child = world.start(&["dsh"]);
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    fn say(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn hello(&mut self) -> Value {
        self.say(&json!({ "jsonrpc": "2.0", "id": 1, "method": "hello",
            "params": { "protocol": 1, "config": { "promptModel": "mock/one" } } }));
        self.hear()
    }

    /// The most memory that the process ever had, in KiB, where the system tells.
    fn peak(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }

    /// Closes the input and gives the exit status and what was left to read.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

#[test]
fn it_greets_and_ends_with_its_input() {
    let world = World::new();
    let mut sidecar = Sidecar::start(&world);
    let hello = sidecar.hello();
    assert_eq!(hello["result"]["product"], "suggest");
    assert_eq!(hello["result"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(sidecar.end(), (Some(0), String::new()));
    let silent = Sidecar::start(&world);
    assert_eq!(silent.end(), (Some(0), String::new()));
    let run = world.run(&["dsh"]).ends_with(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
}

#[test]
fn garbage_and_a_line_of_a_hundred_megabytes_cost_no_memory() {
    let mut sidecar = Sidecar::start(&World::new());
    sidecar.hello();
    for _ in 0..1_000 {
        sidecar.raw(b"\x00\xff garbage {\"\n");
    }
    let block = vec![b'z'; 1 << 20];
    sidecar.raw(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"command\",\"params\":{\"line\":\"");
    for _ in 0..100 {
        sidecar.raw(&block);
    }
    sidecar.raw(b"\"}}\n");
    sidecar.say(&json!({ "jsonrpc": "2.0", "id": 8, "method": "command",
        "params": { "session": "s", "line": "status" } }));
    let mut told = Vec::new();
    loop {
        let message = sidecar.hear();
        let done = message["id"] == 8;
        told.push(message);
        if done {
            break;
        }
    }
    assert!(told.iter().any(|message| message["id"] == 7 && message["error"]["code"] == -32_600), "{told:?}");
    assert!(told.len() < 10, "{told:?}");
    if let Some(peak) = sidecar.peak() {
        assert!(peak < 64 * 1024, "{peak} KiB");
    }
    // The other half of a message never comes.
    sidecar.raw(b"{\"jsonrpc\":\"2.0\",\"id\":9,");
    assert_eq!(sidecar.end().0, Some(0));
}

#[test]
fn a_plugin_that_stops_reading_does_not_grow_it_nor_keep_it_alive() {
    let mut sidecar = Sidecar::start(&World::new());
    sidecar.hello();
    sidecar.say(&json!({ "jsonrpc": "2.0", "method": "session/open",
        "params": { "session": "s", "root": true, "web": true } }));
    sidecar.say(&json!({ "jsonrpc": "2.0", "method": "session/ready", "params": { "session": "s" } }));
    let mut line = String::new();
    for turn in 1..20_000 {
        for (kind, data) in [
            ("turn/start", json!({ "turn": turn })),
            ("turn/end", json!({ "turn": turn, "reason": { "kind": "aborted" } })),
        ] {
            let message = json!({ "jsonrpc": "2.0", "method": "session/event",
                "params": { "session": "s", "event": { "type": kind, "data": data } } });
            line.push_str(&format!("{message}\n"));
        }
        line.push_str("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"command\",\"params\":{\"session\":\"s\",\"line\":\"state\"}}\n");
        if turn % 100 == 0 {
            sidecar.raw(line.as_bytes());
            line.clear();
        }
    }
    if let Some(peak) = sidecar.peak() {
        assert!(peak < 96 * 1024, "{peak} KiB");
    }
    // Nobody reads, and still it ends when its input does.
    drop(sidecar.input.take());
    let began = Instant::now();
    let status = loop {
        match sidecar.child.try_wait().unwrap() {
            Some(status) => break status,
            None => assert!(began.elapsed() < Duration::from_secs(30), "it never ends"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(0));
}

#[test]
fn the_schema_of_its_protocol_is_in_the_repository() {
    let text = std::fs::read_to_string(root().join("schemas/dsh-protocol.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(schema["protocol"], 1);
    assert!(schema["methods"]["submit"]["result"].is_object());
}
