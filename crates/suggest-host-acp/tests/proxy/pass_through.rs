//! What the editor and the agent say reaches the other as it was said, whatever the director does.

use crate::support::{PATIENCE, Scene, chunk_of, next_description, prompt_of, settings};
use async_trait::async_trait;
use serde_json::json;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use suggest_host_acp::ProxyEvent;
use suggest_llm::{Llm, LlmError, LlmReply, LlmRequest, ScriptedLlm, TransferNeed};

/// Lines that no parser of ours would write.
const ODD: &[&[u8]] = &[
    b"{ \"jsonrpc\" : \"2.0\", \"method\":\"craft/drainMidTurnQueue\", \"id\": 0, \"params\":{\"x\":[1e2]}}\n",
    b"{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":\"\\u00e4\\ud83d\\ude00\",\"unknown\":{\"a\":1,\"a\":2}}\r\n",
    b"\n",
    b"not json at all\n",
    b"\xff\xfe{\"id\":1}\n",
    b"[{\"jsonrpc\":\"2.0\",\"method\":\"a\"},{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"session/prompt\"}]\n",
    b"{\"method\":\"session/update\",\"params\":{\"sessionId\":\"nobody\",\"update\":{\"sessionUpdate\":7}}}\n",
    b"{\"id\":12345678901234567890,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\",\"prompt\":[]}}\n",
    b"{\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s\",\"_meta\":null}}\n",
    b"{\"id\":\"1\",\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\",\"prompt\":[{\"type\":\"text\",\"text\":\"/next\"}]}}\n",
];

#[test]
fn every_line_reaches_the_other_side_as_it_is() {
    let mut scene = Scene::new(ScriptedLlm::new());
    for line in ODD {
        scene.editor.write(line);
        assert_eq!(scene.agent.line(), *line);
        scene.agent.write(line);
        assert_eq!(scene.editor.line(), *line);
    }
    // A last line may have no end; both sides get it, and then the end.
    scene.editor.write(b"{\"last\":true");
    scene.editor.hang_up();
    scene.event(ProxyEvent::EditorEnded);
    assert_eq!(scene.agent.message_bytes_after_hang_up(&scene.proxy), b"{\"last\":true");
}

trait LastBytes {
    fn message_bytes_after_hang_up(&self, proxy: &suggest_host_acp::Proxy) -> Vec<u8>;
}

impl LastBytes for crate::support::End {
    fn message_bytes_after_hang_up(&self, proxy: &suggest_host_acp::Proxy) -> Vec<u8> {
        proxy.hang_up();
        self.line()
    }
}

#[test]
fn a_line_of_forty_megabytes_passes_and_nothing_comes_between_its_bytes() {
    let mut scene = Scene::new(ScriptedLlm::new());
    let long = [
        &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":\""[..],
        &vec![b'a'; 40 << 20],
        b"\"}\n",
    ]
    .concat();
    let sent = long.clone();
    let Scene { editor, agent, .. } = &mut scene;
    std::thread::scope(|scope| {
        scope.spawn(move || editor.write(&sent));
        assert!(agent.line() == long, "the line came whole");
    });
}

#[test]
fn a_whole_session_passes_and_ours_is_only_added() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests."));
    scene.open("s");
    let id = scene.prompt("s", "Write the parser.");
    assert_eq!(scene.agent.message()["params"], prompt_of("s", "Write the parser."));
    let said = [
        json!({ "jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": { "sessionId": "s",
            "options": [], "toolCall": { "toolCallId": "c" } } }),
        json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": "s", "x": 1, "update": {
            "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "Done.", "y": [] } } } }),
        json!({ "jsonrpc": "2.0", "id": id, "result": { "stopReason": "end_turn", "usage": { "z": 1 } } }),
    ];
    for message in &said {
        scene.agent.send(message);
        assert_eq!(&scene.editor.until(|got| next_description(got).is_none()), message);
    }
    scene
        .editor
        .send(&json!({ "jsonrpc": "2.0", "id": 0, "result": { "outcome": { "outcome": "cancelled" } } }));
    assert_eq!(scene.agent.message()["id"], 0);
    scene.offered("Add the tests.");
    scene.agent.heard_nothing();
}

#[test]
fn without_a_model_there_is_no_command_of_ours_d1() {
    let mut scene = Scene::with(ScriptedLlm::new(), &settings(&json!({ "promptModel": "" })));
    let id = scene.ask("session/new", json!({ "cwd": "/workspace" }));
    scene.answer(&id, json!({ "sessionId": "s" }));
    scene.editor.until(|message| message["id"] == id);
    scene.turn("s", "Hello.", "Hello to you.");
    let id = scene.prompt("s", "/next");
    assert_eq!(scene.agent.message()["params"], prompt_of("s", "/next"), "the agent may have such a command");
    scene.answer(&id, json!({ "stopReason": "end_turn" }));
    assert_eq!(scene.editor.message()["id"], id, "nothing of ours came before it");
}

/// A model that stops the director's whole thread until the test lets it go.
struct Stuck(Sender<()>, Mutex<Receiver<()>>);

#[async_trait]
impl Llm for Stuck {
    async fn complete(&self, _request: &LlmRequest) -> Result<LlmReply, LlmError> {
        self.0.send(()).unwrap();
        let _ = self.1.lock().unwrap().recv_timeout(PATIENCE);
        Ok(LlmReply::new("NEXT: Too late."))
    }

    fn needs_transfer_opt_in(&self) -> TransferNeed {
        TransferNeed::None
    }
}

#[test]
fn a_director_that_is_stuck_delays_nothing_and_says_what_it_missed() {
    const MANY: usize = 40_000;
    let (release, released) = channel();
    let (sender, asked) = channel();
    let mut scene = Scene::new(Stuck(sender, Mutex::new(released)));
    scene.open("s");
    scene.turn("s", "Hello.", "Hello to you.");
    asked.recv_timeout(PATIENCE).unwrap();
    scene.prompt("s", "Count.");
    scene.agent.until(|message| message["method"] == "session/prompt");
    let Scene { agent, editor, .. } = &mut scene;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..MANY {
                agent.send(
                    &json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": "s",
                    "update": { "sessionUpdate": "agent_message_chunk",
                        "content": { "type": "text", "text": format!("{number} ") } } } }),
                );
            }
        });
        let last = format!("{} ", MANY - 1);
        editor.until(|message| chunk_of(message) == last);
    });
    release.send(()).unwrap();
    // The next command shows that the director is there again, and what it lost it says outside the conversation.
    let id = scene.prompt("s", "/next status");
    scene.editor.until(|message| message["id"] == id);
    let notices = scene.notices.lock().unwrap().join("\n");
    assert!(notices.contains("fell behind"), "{notices}");
}
