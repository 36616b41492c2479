//! The advisor inside the sidecar: pins, sessions without a page, and a row that changes.

use crate::plugin::{Plugin, except, willing};
use serde_json::{Value, json};

fn human() -> Value {
    json!({ "kind": "user" })
}

fn pair() -> Value {
    json!({ "advisor": { "provider": "mock", "model": "reviewer", "nextPrompt": false },
        "cards": { "enabled": false }, "summary": { "enabled": false } })
}

#[tokio::test(start_paused = true)]
async fn the_answer_to_a_pin_says_what_came_of_its_trial_v7() {
    let answers = except("model/complete", |params| {
        Some(if params["model"] == "gone" {
            json!({ "error": { "code": -32010, "message": "x", "data": { "kind": "unknown-model" } } })
        } else {
            json!({ "text": "yes", "finish": "stop" })
        })
    });
    let mut plugin = Plugin::start(answers);
    plugin.hello(pair()).await;
    plugin.open("s").await;
    let (text, code) = plugin.command("s", "advisor model set mock better").await;
    assert_eq!(code, "ok", "{text}");
    assert!(text.contains("mock/better reviews this session now"), "{text}");
    let advisor =
        |plugin: &Plugin| plugin.seen.lock().unwrap().state("s").unwrap()["state"]["advisor"].clone();
    assert_eq!(plugin.command("s", "advisor model").await.0, "mock/better (session override)");
    let (text, code) = plugin.command("s", "advisor model set mock gone").await;
    assert_eq!(code, "bad-argument");
    assert!(
        text.contains("mock/gone was not pinned") && text.contains("the earlier choice stands"),
        "{text}"
    );
    plugin.settle().await;
    let told = advisor(&plugin);
    assert_eq!(told["model"], json!({ "id": "mock/better", "source": "command" }));
    assert!(told["pin_refused"].as_str().unwrap().contains("mock/gone"));
    let (text, code) = plugin.command("s", "advisor model reset").await;
    assert_eq!(code, "ok");
    assert!(text.contains("mock/reviewer (global default)"), "{text}");
    plugin.settle().await;
    assert_eq!(advisor(&plugin)["model"], json!({ "id": "mock/reviewer", "source": "config" }));
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_trial_that_is_given_up_is_answered_too_v7() {
    let mut plugin = Plugin::start(except("model/complete", |_| None));
    plugin.hello(pair()).await;
    plugin.open("s").await;
    let asked = plugin
        .begin("command", json!({ "session": "s", "line": "advisor model set mock slow" }))
        .await
        .to_string();
    plugin.until(|seen| seen.all("model/complete").first().map(|_| ())).await;
    plugin.command("s", "advisor model reset").await;
    let answer =
        plugin.until(|seen| seen.answers.get(&asked).and_then(|answers| answers.first()).cloned()).await;
    assert!(answer["text"].as_str().unwrap().contains("given up"), "{answer}");
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_session_without_a_page_has_an_advisor_where_its_host_says_so_and_nothing_else_d12() {
    let mut plugin = Plugin::start(except("model/complete", |_| {
        Some(
            json!({ "text": r#"{"severity": "concern", "note": "the tests were not run after the change"}"#, "finish": "stop" }),
        )
    }));
    let mut row = pair();
    row["promptModel"] = json!("mock/director");
    row["cards"] = json!({ "enabled": true, "model": "mock/cards" });
    row["advisor"]["nextPrompt"] = json!(true);
    plugin.hello(row).await;
    plugin.open_with("told", json!({ "web": false, "advisorOnly": true }), Vec::new()).await;
    plugin.open_with("not-told", json!({ "web": false }), Vec::new()).await;
    plugin.open_with("child", json!({ "root": false, "web": false, "advisorOnly": true }), Vec::new()).await;
    for session in ["told", "not-told", "child"] {
        plugin.turn(session, 1, human(), 1).await;
    }
    let steer = plugin.until(|seen| seen.all("steer").first().map(|steer| (*steer).clone())).await;
    assert_eq!(steer["session"], "told");
    assert_eq!(steer["text"], "[advisor:concern] the tests were not run after the change");
    plugin.settle().await;
    {
        let seen = plugin.seen.lock().unwrap();
        let models: Vec<&Value> = seen.all("model/complete").into_iter().map(|call| &call["model"]).collect();
        assert_eq!(models, [&json!("reviewer")], "no director, no cards, no guess, and nobody else's review");
    }
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_changed_row_is_checked_without_harm_and_holds_in_running_sessions_at_once_v6() {
    let mut plugin = Plugin::start(willing());
    plugin.hello(json!({ "cards": { "enabled": false }, "summary": { "enabled": false } })).await;
    plugin.open("s").await;
    let check = |config: Value| json!({ "config": config });
    assert_eq!(plugin.ask("config/check", check(pair())).await, json!({ "off": null }));
    let wrong = plugin.ask("config/check", check(json!({ "advisor": { "modle": "x" } }))).await;
    assert!(wrong["off"]["message"].as_str().unwrap().contains("advisor.model"), "{wrong}");
    assert!(plugin.command("s", "advisor status").await.0.contains("Runtime: disabled"));
    plugin.tell("config", check(pair())).await;
    assert!(plugin.command("s", "advisor status").await.0.contains("Model: mock/reviewer (global default)"));
    // A wrong row blocks every session, also one with a pin; the pin is there when the row is mended (rule V1).
    assert_eq!(plugin.command("s", "advisor model set mock better").await.1, "ok");
    plugin.tell("config", check(json!({ "advisor": { "modle": "x" } }))).await;
    let blocked = plugin.command("s", "advisor status").await.0;
    assert!(blocked.contains("Runtime: disabled") && blocked.contains("malformed"), "{blocked}");
    let calls = plugin.count("model/complete");
    plugin.turn("s", 1, human(), 1).await;
    plugin.settle().await;
    assert_eq!(plugin.count("model/complete"), calls);
    plugin.tell("config", check(pair())).await;
    assert!(plugin.command("s", "advisor model").await.0.contains("mock/better (session override)"));
    plugin.turn("s", 2, human(), 2).await;
    plugin.until(|seen| seen.all("model/complete").get(calls).map(|call| (*call).clone())).await;
    plugin.end().await.unwrap();
}
