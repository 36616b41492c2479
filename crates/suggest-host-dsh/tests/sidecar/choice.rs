//! One command sets the model: for all sessions, and for the next start of dsh.

use crate::plugin::{Plugin, willing};
use serde_json::{Value, json};
use std::path::Path;
use suggest_host_dsh::SidecarOptions;

fn start(home: &Path) -> Plugin {
    let options = SidecarOptions::default().with_host_home(Some(home.to_owned()));
    Plugin::start_with(willing(), options)
}

fn row(model: &str) -> Value {
    json!({ "promptModel": model, "cards": { "enabled": false }, "summary": { "enabled": false } })
}

fn human() -> Value {
    json!({ "kind": "user" })
}

#[tokio::test]
async fn a_model_set_in_one_session_goes_for_all_without_a_call_there_and_outlives_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let mut plugin = start(home.path());
    plugin.hello(row("")).await;
    plugin.open("a").await;
    plugin.open("b").await;
    plugin.turn("b", 1, human(), 1).await;
    plugin.turn("a", 1, human(), 1).await;
    assert_eq!(plugin.command("a", "model mock/one").await.1, "ok");
    plugin.status_is("a", "ready").await;
    let other = plugin.status_is("b", "idle").await;
    assert_eq!(other["state"]["model"], json!({ "id": "mock/one", "source": "command" }));
    assert_eq!(plugin.count("model/complete"), 1, "the other session asks after its next turn");
    plugin.turn("b", 2, human(), 2).await;
    plugin.status_is("b", "ready").await;
    // A later command in another session wins, also where one was given before.
    assert_eq!(plugin.command("b", "model mock/two").await.1, "ok");
    plugin.open("c").await;
    for session in ["a", "b", "c"] {
        assert!(
            plugin.command(session, "model").await.0.starts_with("mock/two (set by command"),
            "{session}"
        );
    }
    plugin.end().await.unwrap();

    let mut plugin = start(home.path());
    plugin.hello(row("row/model")).await;
    plugin.open("a").await;
    let told = plugin.status_is("a", "idle").await;
    assert_eq!(told["state"]["model"], json!({ "id": "mock/two", "source": "command" }));
    // The row is below the choice, whatever becomes of it.
    plugin.tell("config", json!({ "config": row("row/other") })).await;
    assert!(plugin.command("a", "model").await.0.starts_with("mock/two"));
    assert_eq!(plugin.command("a", "model clear").await.1, "ok");
    plugin.open("b").await;
    for session in ["a", "b"] {
        assert!(plugin.command(session, "status").await.0.starts_with("off: no model"), "{session}");
    }
    plugin.end().await.unwrap();

    let mut plugin = start(home.path());
    plugin.hello(row("row/model")).await;
    plugin.open("a").await;
    assert_eq!(plugin.command("a", "model").await.0, "row/model (from the plugin's configuration)");
    plugin.end().await.unwrap();
}

#[tokio::test]
async fn neither_off_nor_an_armed_loop_is_kept_d2_a1() {
    let home = tempfile::tempdir().unwrap();
    let mut plugin = start(home.path());
    plugin.hello(row("mock/one")).await;
    plugin.open("a").await;
    plugin.open("b").await;
    assert_eq!(plugin.command("a", "autorun on").await.1, "ok");
    assert_eq!(plugin.command("b", "off").await.1, "ok");
    plugin.end().await.unwrap();
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
    let mut plugin = start(home.path());
    plugin.hello(row("mock/one")).await;
    plugin.open("a").await;
    plugin.open("b").await;
    assert_eq!(plugin.status_is("a", "idle").await["state"]["autorun"]["armed"], false);
    plugin.status_is("b", "idle").await;
    plugin.end().await.unwrap();
}

#[tokio::test]
async fn a_choice_that_cannot_be_read_or_kept_is_said_and_stops_nothing() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("suggest")).unwrap();
    std::fs::create_dir(home.path().join("suggest/choice.json")).unwrap();
    let mut plugin = start(home.path());
    plugin.hello(row("")).await;
    plugin
        .until(|seen| {
            seen.all("log").iter().any(|log| log["message"].to_string().contains("choice.json")).then_some(())
        })
        .await;
    plugin.open("a").await;
    let (text, code) = plugin.command("a", "model mock/one").await;
    assert_eq!(code, "ok");
    assert_eq!(text, "model set to mock/one; it could not be kept for the next start of dsh");
    plugin.end().await.unwrap();
}

#[tokio::test]
async fn the_home_that_the_plugin_names_comes_first() {
    let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut plugin = start(other.path());
    let hello = json!({ "protocol": 1, "config": row(""), "home": home.path() });
    plugin.ask("hello", hello).await;
    plugin.open("a").await;
    plugin.command("a", "model mock/one").await;
    plugin.end().await.unwrap();
    assert!(home.path().join("suggest/choice.json").is_file());
    assert!(!other.path().join("suggest").exists());
}
