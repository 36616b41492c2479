//! No key is ever printed, logged or written, and no log holds text of a session (rules P3, P4).

use crate::model::{reply, runtime, world};
use crate::support::{World, events, sample};
use serde_json::json;
use suggest_testkit::http::{Exchange, ScriptedServer};

const CANARY: &str = "sk-canary-5d41402abc4b2a76b9719d911017c592";
const MARKER: &str = "quokka-marmalade";

fn guarded(world: World) -> World {
    ["DEEPSEEK_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ACME_KEY"]
        .iter()
        .fold(world, |world, name| world.with(name, CANARY))
        .with("SUGGEST_LOG", "trace")
}

#[track_caller]
fn holds_no_canary(world: &World, arguments: &[&str]) {
    let run = world.run(arguments);
    assert!(!run.to_string().contains(CANARY), "{run}");
    for (path, bytes) in world.files() {
        assert!(!String::from_utf8_lossy(&bytes).contains(CANARY), "{}", path.display());
    }
}

#[test]
fn no_command_prints_logs_or_writes_a_key_p4() {
    let world = guarded(World::new());
    let session = world.write("s.jsonl", events("Done."));
    let scenario = world.write("s.json", r#"{"steps":[]}"#);
    for arguments in [
        &["next", &session][..],
        &["next", &session, "--json"],
        &["next", &session, "--show-slice"],
        // Refused for want of permission, with the key at hand.
        &["next", &session, "--config", "/nowhere"],
        &["state", &session],
        &["replay", &scenario],
        &["doctor"],
        &["doctor", "--json"],
        &["config", "show"],
        &["config", "show", "--json"],
        &["config", "schema"],
        &["config", "check"],
        &["config", "path"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["--version"],
    ] {
        holds_no_canary(&world, arguments);
    }
    let configured = guarded(World::new().configured("promptModel = \"deepseek/deepseek-chat\"\n"));
    let session = configured.write("s.jsonl", events("Done."));
    holds_no_canary(&configured, &["next", &session]);
    holds_no_canary(&configured, &["doctor"]);
}

#[test]
fn an_endpoint_that_echoes_the_key_cannot_make_us_print_it_p4() {
    let runtime = runtime();
    let echo = json!({ "error": { "message": format!("Incorrect API key provided: {CANARY}") } });
    let script: Vec<Exchange> = (0..8).map(|_| Exchange::json(401, &echo)).collect();
    let server = runtime.block_on(ScriptedServer::start(script)).unwrap();
    let world = guarded(world(&server));
    for arguments in
        [&["next", &sample()][..], &["next", &sample(), "--json"], &["doctor"], &["doctor", "--json"]]
    {
        holds_no_canary(&world, arguments);
    }
    let sent = server.requests();
    assert!(
        sent.iter().any(|request| request.header("authorization").is_some_and(|key| key.contains(CANARY)))
    );
}

#[test]
fn the_log_holds_no_text_of_the_session_and_only_our_own_lines_p3() {
    let runtime = runtime();
    let server = runtime.block_on(ScriptedServer::start([reply("NEXT: Test `report --json`.")])).unwrap();
    let world = world(&server).with("ACME_KEY", CANARY);
    let session = world.write("s.jsonl", events(&format!("Done with the {MARKER}.")));
    let run = world.run(&["next", &session, "--log", "trace"]).ends_with(0);
    assert!(run.stderr.contains("suggest_engine"), "{run}");
    assert!(!run.stderr.contains(MARKER) && !run.stderr.contains("--json flag"), "{run}");
    assert!(!run.stderr.contains("hyper") && !run.stderr.contains("rustls"), "{run}");
    assert!(String::from_utf8_lossy(&server.requests()[0].body).contains(MARKER));
}

#[test]
fn secrets_of_the_session_do_not_reach_the_model_p2() {
    let runtime = runtime();
    let server = runtime.block_on(ScriptedServer::start([reply("NEXT: Test `report --json`.")])).unwrap();
    let world = world(&server);
    let token = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
    let session = world.write("s.jsonl", events(&format!("The token is {token}.")));
    world.run(&["next", &session]).ends_with(0);
    let body = String::from_utf8_lossy(&server.requests()[0].body).into_owned();
    assert!(body.contains("[secret:") && !body.contains(token), "{body}");
}
