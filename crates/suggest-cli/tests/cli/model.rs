//! `next` with a model on the wire, and both levels of rule P1.

use crate::support::{FAILING, World, events, sample};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use suggest_testkit::http::{Ending, Exchange, ScriptedServer};
use tokio::runtime::Runtime;

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// A streamed reply with one line of text.
pub(crate) fn reply(text: &str) -> Exchange {
    let chunk = |delta: Value, finish: Value| {
        json!({ "id": "c", "object": "chat.completion.chunk", "model": "m",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
        .to_string()
    };
    Exchange::events([
        chunk(json!({ "role": "assistant", "content": text }), Value::Null),
        chunk(json!({}), json!("stop")),
        json!({ "choices": [], "usage": { "prompt_tokens": 900, "completion_tokens": 12 } }).to_string(),
        "[DONE]".to_owned(),
    ])
}

/// A world whose model is this server's.
pub(crate) fn world(server: &ScriptedServer) -> World {
    World::new().configured(&format!(
        "promptModel = \"acme/small\"\n[providers.acme]\nbaseUrl = \"{}\"\nkeyEnv = \"ACME_KEY\"\n",
        server.url("/v1")
    ))
}

#[test]
fn a_model_on_this_machine_needs_no_permission_p1() {
    let runtime = runtime();
    let server =
        runtime.block_on(ScriptedServer::start([reply("NEXT: Return \"0.00\" from `Report::of`.")])).unwrap();
    let world = world(&server).with("ACME_KEY", "sk-test");
    let run = world.run(&["next", &sample(), "--json"]).ends_with(0);
    let report = run.json();
    assert_eq!(report["offer"]["text"], json!("Return \"0.00\" from `Report::of`."));
    assert_eq!(report["model"], json!({ "id": "acme/small", "source": "file" }));
    assert_eq!(report["usage"]["input_tokens"], json!(900));
    assert_eq!(run.stderr, "", "standard error is quiet when nobody looks on");
    let request = &server.requests()[0];
    assert_eq!(request.target, "/v1/chat/completions");
    assert_eq!(request.header("authorization"), Some("Bearer sk-test"));
    assert_eq!(request.json()["model"], json!("small"));
}

#[test]
fn an_answer_is_asked_for_once_more_and_then_it_failed_d8() {
    let runtime = runtime();
    let replies = [reply("I'll fix the test."), reply("Let me look at it.")];
    let server = runtime.block_on(ScriptedServer::start(replies)).unwrap();
    let run = world(&server).run(&["next", &sample()]).ends_with(1);
    assert_eq!(run.stdout, "");
    assert_eq!(server.requests().len(), 2);
    assert_snapshot!("invalid-answer", run);
}

#[test]
fn a_failing_endpoint_ends_with_1_and_is_not_replaced_p1() {
    let runtime = runtime();
    let refusal = Exchange::json(401, &json!({ "error": { "message": "bad key", "type": "auth" } }));
    let server = runtime.block_on(ScriptedServer::start([refusal])).unwrap();
    let world = world(&server).with("ACME_KEY", "sk-test");
    let run = world.run(&["next", &sample()]).ends_with(1);
    assert_eq!(run.stdout, "");
    assert!(
        run.stderr.contains("no answer from acme/small") && run.stderr.contains("suggest doctor"),
        "{run}"
    );
    assert!(!run.stderr.contains("local/facts"), "{run}");
    let report = world.run(&["next", &sample(), "--json"]).ends_with(1).json();
    assert_eq!((&report["offer"], &report["status"]), (&Value::Null, &json!("failed")));
}

/// An address that answers nobody. Nothing may be sent there, and a refusal comes at once.
const FAR: &str = "[providers.far]\nbaseUrl = \"https://192.0.2.1/v1\"\nkeyEnv = \"FAR_KEY\"\n";

#[test]
fn a_model_elsewhere_needs_both_levels_and_the_missing_ones_are_named_p1() {
    let file = format!("promptModel = \"far/m\"\n{FAR}");
    let keyed = |file: &str| World::new().configured(file).with("FAR_KEY", "sk-test");
    let key = "missing credentials";
    let permission = "permission to transfer";
    for (name, world, named, unnamed) in [
        ("neither", World::new().configured(&file), &["FAR_KEY", permission][..], &[][..]),
        ("key only", keyed(&file), &[permission], &[key]),
        ("environment model", keyed(FAR).with("SUGGEST_PROMPT_MODEL", "far/m"), &[permission], &[key]),
        ("not exactly true", keyed(&file).with("SUGGEST_ALLOW_TRANSFER", "1"), &[permission], &[key]),
        (
            "permission only",
            World::new().configured(&format!("allowTransfer = true\n{file}")),
            &["FAR_KEY"],
            &[permission],
        ),
    ] {
        let session = world.write("s.jsonl", events(FAILING));
        let began = Instant::now();
        let run = world.run(&["next", &session]).ends_with(2);
        assert!(began.elapsed() < Duration::from_secs(5), "{name} was sent");
        assert_eq!(run.stdout, "", "{name}: {run}");
        assert!(run.stderr.contains("nothing was sent to far"), "{name}: {run}");
        named.iter().for_each(|word| assert!(run.stderr.contains(word), "{name}: {run}"));
        unnamed.iter().for_each(|word| assert!(!run.stderr.contains(word), "{name}: {run}"));
    }
    let world = keyed(&file);
    let session = world.write("s.jsonl", events(FAILING));
    assert_snapshot!("not-allowed", world.run(&["next", &session]).ends_with(2));
}

#[test]
fn with_both_levels_the_call_is_made_p1() {
    let file = format!("promptDeadlineMs = 1000\nenrichmentMaxTokens = 64\n{FAR}");
    let by_file = format!("allowTransfer = true\npromptModel = \"far/m\"\n{file}");
    let by_variable = format!("promptModel = \"far/m\"\n{file}");
    for (name, world, more) in [
        ("allowTransfer in the file", World::new().configured(&by_file), &[][..]),
        ("the variable", World::new().configured(&by_variable).with("SUGGEST_ALLOW_TRANSFER", "true"), &[]),
        ("--model is a human's word", World::new().configured(&file), &["--model", "far/m"]),
    ] {
        let world = world.with("FAR_KEY", "sk-test");
        let session = world.write("s.jsonl", events(FAILING));
        let arguments: Vec<&str> = ["next", &session, "--json"].iter().chain(more).copied().collect();
        let report = world.run(&arguments).ends_with(1).json();
        let code = report["reason"]["code"].as_str().unwrap();
        assert!(["timeout", "network"].contains(&code), "{name}: {code}");
        assert_eq!(report["usage"]["calls"], json!(1), "{name}");
    }
}

#[test]
fn an_unknown_provider_is_a_wrong_configuration() {
    let world = World::new();
    let session = world.write("s.jsonl", events(FAILING));
    let run = world.run(&["next", &session, "--model", "nobody/m"]).ends_with(2);
    assert!(run.stderr.contains("unknown provider `nobody`"), "{run}");
    let run = world.run(&["next", &session, "--model", "local/other"]).ends_with(2);
    assert!(run.stderr.contains("local/facts"), "{run}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_run_cleanly_while_the_model_hangs() {
    let runtime = runtime();
    let server = runtime.block_on(ScriptedServer::start([Exchange::new().ending(Ending::Hang)])).unwrap();
    let world = world(&server);
    let arguments = ["next", &sample()];
    world.interrupted(&arguments, || runtime.block_on(server.wait_for_requests(1)));
    runtime.block_on(server.wait_for_client_closes(1));
}

#[test]
fn a_flag_without_a_key_is_told_that_only_the_key_is_missing_p1() {
    let world = World::new().configured(FAR);
    let session = world.write("s.jsonl", events("Done."));
    let run = world.run(&["next", &session, "--model", "far/m"]).ends_with(2);
    assert!(run.stderr.contains("only the key is missing") && run.stderr.contains("FAR_KEY"), "{run}");
    assert!(!run.stderr.contains("allow it for this run"), "{run}");
}
