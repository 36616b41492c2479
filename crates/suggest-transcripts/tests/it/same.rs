//! The same conversation, as each harness writes it, gives the model the same slice.

use crate::support::{events, read_with};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use suggest_core::{
    Command, Config, Effect, Event, Input, ModelSource, PromptRole, Session, SessionSetup, Timestamp, Turn,
};
use suggest_transcripts::{Format, ReadOptions};

const HUMAN: [&str; 2] = ["Add a --json flag to `report`.", "Now document it."];
const SAID: [&str; 2] = ["I look at the code first.", "Done: src/report.rs prints JSON."];
const LAST: &str = "The README explains the flag.";
const COMMAND: &str = "cargo test -p report";
const PRINTED: &str = "test result: ok. 3 passed";

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn claude_code() -> String {
    let user = |id: &str, parent: Value, text: &str| {
        json!({ "parentUuid": parent, "type": "user", "uuid": id, "sessionId": "s", "promptSource": "typed",
            "origin": { "kind": "human" }, "turnOrigin": "human", "message": { "role": "user", "content": text } })
    };
    let assistant = |id: &str, parent: &str, block: Value, stop: &str| {
        json!({ "parentUuid": parent, "type": "assistant", "uuid": id, "message": { "role": "assistant",
            "content": [block], "stop_reason": stop } })
    };
    let text = |text: &str| json!({ "type": "text", "text": text });
    lines(&[
        user("1", Value::Null, HUMAN[0]),
        assistant("2", "1", text(SAID[0]), "tool_use"),
        assistant(
            "3",
            "2",
            json!({ "type": "tool_use", "id": "t", "name": "Bash", "input": { "command": COMMAND } }),
            "tool_use",
        ),
        json!({ "parentUuid": "3", "type": "user", "uuid": "4", "toolUseResult": {}, "message": { "role": "user",
            "content": [{ "type": "tool_result", "tool_use_id": "t", "content": PRINTED }] } }),
        assistant("5", "4", text(SAID[1]), "end_turn"),
        json!({ "parentUuid": "5", "type": "system", "subtype": "turn_duration", "uuid": "6" }),
        user("7", json!("6"), HUMAN[1]),
        assistant("8", "7", text(LAST), "end_turn"),
        json!({ "parentUuid": "8", "type": "system", "subtype": "turn_duration", "uuid": "9" }),
    ])
}

fn claude_stream() -> String {
    let user = |text: &str| {
        json!({ "type": "user", "session_id": "s", "parent_tool_use_id": null, "isReplay": true,
            "message": { "role": "user", "content": [{ "type": "text", "text": text }] } })
    };
    let assistant = |block: Value| {
        json!({ "type": "assistant", "session_id": "s", "parent_tool_use_id": null,
            "message": { "role": "assistant", "content": [block], "stop_reason": null } })
    };
    let text = |text: &str| json!({ "type": "text", "text": text });
    let result = json!({ "type": "result", "subtype": "success", "is_error": false, "num_turns": 1,
        "terminal_reason": "completed", "stop_reason": "end_turn", "session_id": "s" });
    lines(&[
        json!({ "type": "system", "subtype": "init", "session_id": "s", "cwd": "/workspace" }),
        user(HUMAN[0]),
        assistant(text(SAID[0])),
        assistant(json!({ "type": "tool_use", "id": "t", "name": "Bash", "input": { "command": COMMAND } })),
        json!({ "type": "user", "session_id": "s", "parent_tool_use_id": null, "message": { "role": "user",
            "content": [{ "type": "tool_result", "tool_use_id": "t", "content": PRINTED }] } }),
        assistant(text(SAID[1])),
        result.clone(),
        user(HUMAN[1]),
        assistant(text(LAST)),
        result,
    ])
}

fn codex(new: bool) -> String {
    let event = |payload: Value| json!({ "timestamp": "t", "type": "event_msg", "payload": payload });
    let item = |payload: Value| json!({ "timestamp": "t", "type": "response_item", "payload": payload });
    let say = |role: &str, text: &str| {
        let kind = if role == "user" { "input_text" } else { "output_text" };
        let double =
            item(json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] }));
        let name = if role == "user" { "UserMessage" } else { "AgentMessage" };
        let old = if role == "user" { "user_message" } else { "agent_message" };
        let message = if new {
            event(json!({ "type": "item_completed", "item": { "type": name, "id": text,
                "content": [{ "type": "text", "text": text }] } }))
        } else {
            event(json!({ "type": old, "message": text }))
        };
        [double, message]
    };
    let started = |id: &str| event(json!({ "type": "task_started", "turn_id": id }));
    let done = |id: &str| event(json!({ "type": "task_complete", "turn_id": id, "last_agent_message": "x" }));
    let mode = if new { json!("paginated") } else { Value::Null };
    let mut all = vec![
        json!({ "timestamp": "t", "type": "session_meta", "payload": { "id": "s", "cwd": "/workspace",
            "source": "cli", "history_mode": mode } }),
        started("1"),
        item(
            json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "<environment_context>x</environment_context>" }] }),
        ),
    ];
    all.extend(say("user", HUMAN[0]));
    all.extend(say("assistant", SAID[0]));
    all.push(item(json!({ "type": "function_call", "name": "exec_command", "call_id": "c",
        "arguments": json!({ "cmd": COMMAND }).to_string() })));
    all.push(item(json!({ "type": "function_call_output", "call_id": "c",
        "output": format!("Process exited with code 0\nOutput:\n{PRINTED}") })));
    all.extend(say("assistant", SAID[1]));
    all.extend([done("1"), started("2")]);
    all.extend(say("user", HUMAN[1]));
    all.extend(say("assistant", LAST));
    all.push(done("2"));
    lines(&all)
}

fn opencode() -> String {
    let user = |id: &str, text: &str| json!({ "info": { "id": id, "role": "user" }, "parts": [{ "type": "text", "text": text, "id": format!("p{id}") }] });
    let text = |id: &str, text: &str| json!({ "type": "text", "text": text, "id": id });
    json!({ "info": { "id": "ses_1", "directory": "/workspace" }, "messages": [
        user("1", HUMAN[0]),
        { "info": { "id": "2", "role": "assistant", "finish": "tool-calls" }, "parts": [text("a", SAID[0]),
            { "type": "tool", "tool": "bash", "callID": "c", "state": { "status": "completed",
                "input": { "command": COMMAND }, "output": PRINTED } }] },
        { "info": { "id": "3", "role": "assistant", "finish": "stop" }, "parts": [text("b", SAID[1])] },
        user("4", HUMAN[1]),
        { "info": { "id": "5", "role": "assistant", "finish": "stop" }, "parts": [text("c", LAST)] },
    ] })
    .to_string()
}

fn acp() -> String {
    let update = |update: Value| json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": "s", "update": update } });
    let chunk = |id: &str, text: &str| {
        update(
            json!({ "sessionUpdate": "agent_message_chunk", "messageId": id, "content": { "type": "text", "text": text } }),
        )
    };
    let prompt = |id: u64, text: &str| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": { "sessionId": "s",
            "prompt": [{ "type": "text", "text": text }] } })
    };
    let end = |id: u64| json!({ "jsonrpc": "2.0", "id": id, "result": { "stopReason": "end_turn" } });
    let (first, rest) = SAID[1].split_at(9);
    lines(&[
        prompt(1, HUMAN[0]),
        chunk("a", SAID[0]),
        update(json!({ "sessionUpdate": "tool_call", "toolCallId": "t", "title": "bash", "kind": "execute",
            "status": "in_progress", "rawInput": { "command": COMMAND } })),
        update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed",
            "content": [{ "type": "content", "content": { "type": "text", "text": PRINTED } }] })),
        chunk("b", first),
        chunk("b", rest),
        end(1),
        prompt(2, HUMAN[1]),
        chunk("c", LAST),
        end(2),
    ])
}

fn gemini() -> String {
    let user = |id: &str, text: &str| json!({ "id": id, "timestamp": "t", "type": "user", "content": [{ "text": text }] });
    let said =
        |id: &str, text: &str| json!({ "id": id, "timestamp": "t", "type": "gemini", "content": text });
    let response = json!({ "functionResponse": { "id": "c", "name": "run_shell_command", "response": { "output": PRINTED } } });
    let mut with_call = said("2", SAID[0]);
    with_call["toolCalls"] = json!([{ "id": "c", "name": "run_shell_command", "args": { "command": COMMAND },
        "status": "success", "result": [response] }]);
    lines(&[
        json!({ "sessionId": "s", "projectHash": "h", "kind": "main" }),
        user("1", HUMAN[0]),
        said("2", SAID[0]),
        with_call,
        json!({ "id": "3", "timestamp": "t", "type": "user", "content": [response] }),
        said("4", SAID[1]),
        user("5", HUMAN[1]),
        said("6", LAST),
    ])
}

/// The older form: one document, a message once, with its calls.
fn gemini_document() -> String {
    let user = |id: &str, text: &str| json!({ "id": id, "timestamp": "t", "type": "user", "content": text });
    let said = |id: &str, text: &str| json!({ "id": id, "timestamp": "t", "type": "gemini", "content": text, "thoughts": [] });
    let mut with_call = said("2", SAID[0]);
    let response = json!({ "functionResponse": { "id": "c", "name": "run_shell_command", "response": { "output": PRINTED } } });
    with_call["toolCalls"] = json!([{ "id": "c", "name": "run_shell_command", "args": { "command": COMMAND },
        "status": "success", "result": [response] }]);
    let messages =
        json!([user("1", HUMAN[0]), with_call, said("3", SAID[1]), user("4", HUMAN[1]), said("5", LAST)]);
    let document = json!({ "sessionId": "s", "projectHash": "h", "startTime": "t", "lastUpdated": "t", "messages": messages });
    serde_json::to_string_pretty(&document).unwrap()
}

fn gemini_stream() -> String {
    let message = |role: &str, text: &str| json!({ "type": "message", "timestamp": "t", "role": role, "content": text });
    let piece = |text: &str| json!({ "type": "message", "timestamp": "t", "role": "assistant", "content": text, "delta": true });
    let result = json!({ "type": "result", "timestamp": "t", "status": "success" });
    let (first, rest) = SAID[1].split_at(9);
    lines(&[
        json!({ "type": "init", "timestamp": "t", "session_id": "s", "model": "m" }),
        message("user", HUMAN[0]),
        piece(SAID[0]),
        json!({ "type": "tool_use", "timestamp": "t", "tool_name": "run_shell_command", "tool_id": "c", "parameters": { "command": COMMAND } }),
        json!({ "type": "tool_result", "timestamp": "t", "tool_id": "c", "status": "success", "output": PRINTED }),
        piece(first),
        piece(rest),
        result.clone(),
        message("user", HUMAN[1]),
        piece(LAST),
        result,
    ])
}

fn qwen() -> String {
    let record = |id: &str, parent: Value, kind: &str, provenance: &str, parts: Value, usage: Value| {
        json!({ "uuid": id, "parentUuid": parent, "sessionId": "s", "type": kind, "provenance": provenance,
            "message": { "role": "user", "parts": parts }, "usageMetadata": usage })
    };
    let usage = json!({ "totalTokenCount": 1 });
    lines(&[
        record("1", Value::Null, "user", "real_user", json!([{ "text": HUMAN[0] }]), Value::Null),
        record(
            "2",
            json!("1"),
            "assistant",
            "assistant_output",
            json!([{ "text": SAID[0] },
            { "functionCall": { "id": "c", "name": "run_shell_command", "args": { "command": COMMAND } } }]),
            usage.clone(),
        ),
        record(
            "3",
            json!("2"),
            "tool_result",
            "tool_result",
            json!([{ "functionResponse": { "id": "c", "name": "run_shell_command", "response": { "output": PRINTED } } }]),
            Value::Null,
        ),
        record("4", json!("3"), "assistant", "assistant_output", json!([{ "text": SAID[1] }]), usage.clone()),
        record("5", json!("4"), "user", "real_user", json!([{ "text": HUMAN[1] }]), Value::Null),
        record("6", json!("5"), "assistant", "assistant_output", json!([{ "text": LAST }]), usage),
    ])
}

fn dsh() -> String {
    let user = |id: &str, text: &str| {
        json!({ "type": "user/message", "surfaceOp": "append", "data": { "id": id, "role": "user",
            "source": { "kind": "user" }, "content": [{ "type": "text", "text": text }] } })
    };
    let said = |id: &str, turn: u64, content: Value| {
        json!({ "type": "assistant/message", "surfaceOp": "append", "data": { "turn": turn, "step": 1,
            "message": { "id": id, "role": "assistant", "content": content } } })
    };
    let text = |text: &str| json!({ "type": "text", "text": text });
    let start = |turn: u64| json!({ "type": "turn/start", "data": { "turn": turn } });
    let end = |turn: u64| json!({ "type": "turn/end", "data": { "turn": turn, "reason": { "kind": "completed" } } });
    let arguments = json!({ "command": COMMAND }).to_string();
    let call = json!({ "type": "tool-call", "id": "c", "name": "bash", "arguments": arguments });
    let result =
        json!({ "type": "tool-result", "toolCallId": "c", "isError": false, "content": [text(PRINTED)] });
    lines(&[
        json!({ "type": "session", "version": 0, "id": "s", "createdAt": 1, "cwd": "/workspace",
            "delegationDepth": 0, "agentPreset": "standard" }),
        start(1),
        user("1", HUMAN[0]),
        said("2", 1, json!([text(SAID[0]), call])),
        json!({ "type": "tool/call", "data": { "turn": 1, "step": 1, "callId": "c", "name": "bash", "arguments": arguments } }),
        json!({ "type": "tool/result", "surfaceOp": "append", "data": { "turn": 1, "step": 1, "message": {
            "id": "3", "role": "user", "source": { "kind": "tool", "callId": "c" }, "content": [result] } } }),
        said("4", 1, json!([text(SAID[1])])),
        end(1),
        start(2),
        user("5", HUMAN[1]),
        said("6", 2, json!([text(LAST)])),
        end(2),
    ])
}

/// What the log of dsh tells: another crate reads it.
fn events_of_dsh(log: &str) -> Vec<Event> {
    let mut told = Vec::new();
    let log = suggest_host_dsh::LogReader::new(log.as_bytes()).unwrap();
    log.read(&suggest_host_dsh::ReadOptions::default(), |event| told.push(event)).unwrap();
    told
}

/// The store from which the export is made.
#[cfg(feature = "sqlite")]
fn events_of_store(export: &str) -> Vec<Event> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode.db");
    let export: Value = serde_json::from_str(export).unwrap();
    let db = crate::store::empty_store(&path);
    crate::store::add_session(&db, "ses_1", "/workspace");
    for (at, message) in export["messages"].as_array().unwrap().iter().enumerate() {
        crate::store::add_message(&db, "ses_1", at, message);
    }
    let mut told = Vec::new();
    let options = ReadOptions::default();
    suggest_transcripts::read_file(Format::OpencodeStore, &path, &options, |event| told.push(event)).unwrap();
    told
}

/// Streams that do not repeat the prompt: the first turn alone, whose prompt the caller gives.
fn streams_of_one_turn() -> [(Format, String); 3] {
    let item = |item: Value| json!({ "type": "item.completed", "item": item });
    let codex = [
        json!({ "type": "thread.started", "thread_id": "s" }),
        json!({ "type": "turn.started" }),
        item(json!({ "id": "0", "type": "agent_message", "text": SAID[0] })),
        item(
            json!({ "id": "1", "type": "command_execution", "command": COMMAND, "aggregated_output": PRINTED,
            "exit_code": 0, "status": "completed" }),
        ),
        item(json!({ "id": "2", "type": "agent_message", "text": SAID[1] })),
        json!({ "type": "turn.completed", "usage": {} }),
    ];
    let part =
        |kind: &str, part: Value| json!({ "type": kind, "timestamp": 1, "sessionID": "ses_1", "part": part });
    let text = |id: &str, text: &str| part("text", json!({ "id": id, "type": "text", "text": text }));
    let opencode = [
        part("step_start", json!({ "id": "a", "type": "step-start" })),
        text("b", SAID[0]),
        part(
            "tool_use",
            json!({ "id": "c", "type": "tool", "tool": "bash", "callID": "c", "state": { "status": "completed",
                "input": { "command": COMMAND }, "output": PRINTED } }),
        ),
        part("step_finish", json!({ "id": "d", "type": "step-finish", "reason": "tool-calls" })),
        part("step_start", json!({ "id": "e", "type": "step-start" })),
        text("f", SAID[1]),
        part("step_finish", json!({ "id": "g", "type": "step-finish", "reason": "stop" })),
    ];
    let prompted = claude_stream();
    let claude: String = prompted
        .lines()
        .filter(|line| !line.contains("\"isReplay\""))
        .scan(false, |ended, line| {
            let go_on = !*ended;
            *ended |= line.contains("\"type\":\"result\"");
            go_on.then(|| format!("{line}\n"))
        })
        .collect();
    [
        (Format::CodexExec, lines(&codex)),
        (Format::OpencodeRun, lines(&opencode)),
        (Format::ClaudeStream, claude),
    ]
}

/// Our own events for the same conversation.
fn ours() -> String {
    events(Format::ClaudeCode, claude_code().as_bytes())
        .iter()
        .map(|event| serde_json::to_string(event).unwrap() + "\n")
        .collect()
}

/// What the second model would read.
fn slice(events: Vec<Event>) -> Vec<String> {
    let mut config = Config::default();
    config.prompt_model = Some("test/model".parse().unwrap());
    let mut setup = SessionSetup::new("s").with_folders(Some("/workspace".to_owned()), None);
    setup.model_source = ModelSource::Config;
    let mut session = Session::new(setup, config);
    let now = Timestamp::new(1);
    for event in events {
        session.handle(now, Input::History(event));
    }
    session.handle(now, Input::Command(Command::Retry));
    while let Some(effect) = session.poll_effect() {
        if let Effect::CallModel(call) = effect {
            return call
                .messages
                .iter()
                .filter(|message| message.role == PromptRole::User)
                .map(|message| message.text.clone())
                .collect();
        }
    }
    panic!("a completed turn can be retried");
}

#[test]
fn the_same_conversation_gives_the_same_slice_in_every_format() {
    let expected = slice(events(Format::ClaudeCode, claude_code().as_bytes()));
    let text = expected.concat();
    for words in [HUMAN[0], HUMAN[1], SAID[0], SAID[1], LAST] {
        assert!(text.contains(words), "{words} in {text}");
    }
    assert!(!text.contains(PRINTED), "no output of tools (rule S1)");
    let mut formats = vec![Format::ClaudeCode];
    for (format, written) in [
        (Format::ClaudeStream, claude_stream()),
        (Format::QwenStream, claude_stream()),
        (Format::Codex, codex(true)),
        (Format::Codex, codex(false)),
        (Format::OpencodeExport, opencode()),
        (Format::Acp, acp()),
        (Format::Gemini, gemini()),
        (Format::GeminiDocument, gemini_document()),
        (Format::GeminiStream, gemini_stream()),
        (Format::Qwen, qwen()),
        (Format::Events, ours()),
    ] {
        assert_eq!(slice(events(format, written.as_bytes())), expected, "{format}");
        formats.push(format);
    }
    assert_eq!(slice(events_of_dsh(&dsh())), expected, "dsh");
    #[cfg(feature = "sqlite")]
    assert_eq!(slice(events_of_store(&opencode())), expected, "{}", Format::OpencodeStore);
    // The others do not repeat the prompt: one turn of them is compared below.
    let others = [Format::OpencodeStore, Format::CodexExec, Format::OpencodeRun];
    assert!(Format::ALL.iter().all(|format| formats.contains(format) || others.contains(format)));
}

#[test]
fn streams_without_the_prompt_give_the_same_slice_with_it() {
    let one_turn = ReadOptions::default().at_turn(Some(Turn::new(1)));
    let (whole, _) = read_with(Format::ClaudeCode, claude_code().as_bytes(), &one_turn).unwrap();
    let expected = slice(whole);
    assert!(expected.concat().contains(SAID[1]) && !expected.concat().contains(LAST));
    let options = ReadOptions::default().with_prompt(Some(HUMAN[0].to_owned()));
    for (format, written) in streams_of_one_turn() {
        let (told, _) = read_with(format, written.as_bytes(), &options).unwrap();
        assert_eq!(slice(told), expected, "{format}");
    }
}
