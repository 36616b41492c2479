//! Handshake, commands and what goes over the wire.

use crate::plugin::{Plugin, except, willing};
use serde_json::{Value, json};

fn human() -> Value {
    json!({ "kind": "user" })
}

fn director() -> Value {
    json!({ "promptModel": "mock/director-1", "cards": { "enabled": false }, "summary": { "enabled": false } })
}

#[tokio::test(start_paused = true)]
async fn hello_gives_the_versions_and_a_foreign_protocol_is_refused_with_both() {
    let mut plugin = Plugin::start(willing());
    let early = plugin.ask("command", json!({ "session": "s", "line": "state" })).await;
    assert_eq!(early["error"]["code"], -32_002);
    let refused = plugin.ask("hello", json!({ "protocol": 7 })).await;
    assert_eq!(refused["error"]["code"], -32_001);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("protocol 1") && message.contains("speaks 7"), "{message}");
    let hello = plugin.hello(director()).await;
    assert_eq!(
        hello,
        json!({ "protocol": 1, "product": "suggest", "version": env!("CARGO_PKG_VERSION"), "off": null })
    );
    assert_eq!(plugin.ask("dance", json!({})).await["error"]["code"], -32_601);
    assert_eq!(plugin.ask("command", json!({ "line": 7 })).await["error"]["code"], -32_602);
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_completed_turn_becomes_one_call_of_the_hosts_model_and_an_offer() {
    let mut plugin = Plugin::start(willing());
    plugin.hello(director()).await;
    plugin.open("s").await;
    plugin.status_is("s", "idle").await;
    plugin.turn("s", 1, human(), 1).await;
    let told = plugin.status_is("s", "ready").await;
    assert_eq!(told["state"]["offer"]["text"], "Add test number 1 for the parser");
    assert_eq!(told["state"]["offer"]["model"], "mock/director-1");
    assert!(told["line"].as_str().unwrap().contains("Add test number 1"));
    assert_eq!(
        suggest_core::parse_state(told["block"].as_str().unwrap()).unwrap().status,
        suggest_core::Status::Ready
    );
    assert_eq!(
        (&told["nextOffer"], &told["nextTicket"], &told["spentRounds"]),
        (&json!(2), &json!(1), &json!(0))
    );
    {
        let seen = plugin.seen.lock().unwrap();
        let calls = seen.all("model/complete");
        assert_eq!(calls.len(), 1);
        assert_eq!((&calls[0]["provider"], &calls[0]["model"]), (&json!("mock"), &json!("director-1")));
        assert_eq!(calls[0]["session"], "s");
        assert_eq!(calls[0]["messages"][0]["role"], "system");
        assert!(calls[0]["messages"][1]["text"].as_str().unwrap().contains("Do part 1 of the parser."));
        assert!(calls[0].get("maxTokens").is_none() && calls[0].get("reasoningEffort").is_none());
        let numbers: Vec<u64> =
            seen.all("state").iter().map(|state| state["seq"].as_u64().unwrap()).collect();
        assert!(numbers.is_sorted_by(|one, two| one < two), "{numbers:?}");
    }
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn commands_answer_in_every_state() {
    let mut plugin = Plugin::start(willing());
    plugin.hello(json!({ "cards": { "enabled": false }, "summary": { "enabled": false } })).await;
    assert_eq!(plugin.command("s", "status").await.1, "unlinked");
    assert!(plugin.command("s", "help").await.0.contains("/suggest autorun on | off"));
    plugin.open("s").await;
    assert!(plugin.command("s", "status").await.0.starts_with("off: no model is set"));
    assert!(plugin.command("s", "model").await.0.contains("/suggest model provider/model"));
    assert_eq!(plugin.command("s", "model nothing").await.1, "bad-argument");
    assert_eq!(plugin.command("s", "dance").await.1, "unknown-command");
    assert_eq!(plugin.command("s", "run").await.1, "off");
    let set = plugin.command("s", "model mock/a/b").await;
    assert_eq!(set, ("model set to mock/a/b".to_owned(), "ok".to_owned()));
    assert!(plugin.command("s", "model").await.0.starts_with("mock/a/b (set by command"));
    assert_eq!(plugin.command("s", "run").await.1, "no-offer");
    assert_eq!(plugin.command("s", "retry").await.1, "no-completed-turn");
    plugin.turn("s", 1, human(), 1).await;
    plugin.status_is("s", "ready").await;
    assert!(plugin.command("s", "status").await.0.contains("mock/a/b (command)"));
    assert_eq!(plugin.command("s", "run o9").await.1, "stale");
    assert_eq!(plugin.command("s", "run").await.1, "ok");
    let submit = plugin.until(|seen| seen.all("submit").first().map(|submit| (*submit).clone())).await;
    assert_eq!(submit["author"], "human");
    assert_eq!(submit["expect"], json!({ "turn": 1, "goal": null, "humanEpoch": 1 }));
    assert_eq!(plugin.command("s", "off").await.1, "ok");
    assert!(plugin.command("s", "state").await.0.contains("off"));
    assert_eq!(plugin.command("s", "report").await.1, "ok");
    assert_eq!(plugin.command("s", "advisor status").await.1, "ok");
    assert_eq!(plugin.command("s", "cards list").await.1, "ok");
    plugin.tell("session/closed", json!({ "session": "s" })).await;
    assert_eq!(plugin.command("s", "status").await.1, "unlinked");
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_wrong_row_is_off_with_its_reason_everywhere_until_it_is_mended() {
    let mut plugin = Plugin::start(willing());
    let hello = plugin.hello(json!({ "promptmodel": "mock/one" })).await;
    assert_eq!(hello["off"]["code"], "bad-config");
    let reason = hello["off"]["message"].as_str().unwrap().to_owned();
    assert!(reason.contains("promptmodel") && reason.contains("promptModel"), "{reason}");
    plugin.open("s").await;
    let told = plugin.status_is("s", "off").await;
    assert_eq!(told["state"]["reason"]["message"], *reason);
    assert!(told["line"].as_str().unwrap().contains("promptmodel"));
    assert!(told["block"].as_str().unwrap().contains("promptmodel"));
    assert!(plugin.command("s", "status").await.0.contains("promptmodel"));
    for line in ["model mock/one", "on", "retry", "run", "autorun on", "model"] {
        let (text, code) = plugin.command("s", line).await;
        assert_eq!(code, "off", "{line}");
        assert!(text.contains("promptmodel"), "{text}");
    }
    plugin.turn("s", 1, human(), 1).await;
    plugin.settle().await;
    assert_eq!(plugin.count("model/complete"), 0);
    plugin.tell("config", json!({ "config": director() })).await;
    plugin.status_is("s", "idle").await;
    plugin.turn("s", 2, human(), 2).await;
    plugin.status_is("s", "ready").await;
    plugin.tell("config", json!({ "config": { "promptModel": 7 } })).await;
    let told = plugin.status_is("s", "off").await;
    assert!(told["line"].as_str().unwrap().contains("promptModel"));
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn errors_of_the_hosts_model_become_failures_in_our_words() {
    let failing = except("model/complete", |_| {
        Some(json!({ "error": { "code": -32000, "message": "secret",
            "data": { "kind": "unknown-model", "code": "UNKNOWN_MODEL" } } }))
    });
    let mut plugin = Plugin::start(failing);
    plugin.hello(director()).await;
    plugin.open("s").await;
    plugin.turn("s", 1, human(), 1).await;
    let told = plugin.status_is("s", "failed").await;
    assert_eq!(told["state"]["reason"]["code"], "unknown-model");
    assert!(!told.to_string().contains("secret"), "{told}");
    assert!(told["line"].as_str().unwrap().contains("UNKNOWN_MODEL"));
    assert_eq!(plugin.count("model/complete"), 1);
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_busy_provider_is_asked_again_within_the_deadline_l4() {
    let busy = except("model/complete", |params| {
        Some(if params["call"] == 3 {
            json!({ "text": "NEXT: Add a test", "finish": "stop" })
        } else {
            json!({ "error": { "code": 1, "message": "", "data": { "kind": "retry-later", "status": 503 } } })
        })
    });
    let mut plugin = Plugin::start(busy);
    plugin.hello(director()).await;
    plugin.open("s").await;
    plugin.turn("s", 1, human(), 1).await;
    plugin.status_is("s", "ready").await;
    assert_eq!(plugin.count("model/complete"), 3);
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn with_an_output_budget_the_smallest_declared_effort_is_asked_for_l5() {
    let mut plugin = Plugin::start(willing());
    let mut config = director();
    config["enrichmentMaxTokens"] = json!(256);
    plugin.hello(config).await;
    plugin.open("s").await;
    for turn in 1..=2 {
        plugin.turn("s", turn, human(), turn).await;
        plugin.until(|seen| (seen.count("model/complete") as u64 == turn).then_some(())).await;
        plugin.status_is("s", "ready").await;
    }
    let seen = plugin.seen.lock().unwrap();
    assert_eq!(seen.count("model/info"), 1);
    for call in seen.all("model/complete") {
        assert_eq!((&call["maxTokens"], &call["reasoningEffort"]), (&json!(256), &json!("off")));
    }
}
