//! Recorded sessions, told as the plugin tells them.

use crate::plugin::{Answers, Plugin, except, willing};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

fn folder(view: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/recordings/dsh")).join(view)
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder("live"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn lines(view: &str, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder(view).join(format!("{name}.jsonl"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What the host knows beside its log, as the plugin follows it.
#[derive(Default)]
struct Host {
    epoch: u64,
    waiting_humans: BTreeSet<String>,
    root: bool,
}

/// Tells a recording. `arm` arms the loop as soon as the session is there. Gives the session's id.
async fn tell(plugin: &mut Plugin, name: &str, arm: bool) -> String {
    let (header, log) = {
        let mut log = lines("persisted", name);
        let header = log.remove(0);
        (header, log)
    };
    let id = header["id"].as_str().unwrap().to_owned();
    let mut host = Host::default();
    let mut live_from = u64::MAX;
    for record in lines("live", name) {
        let kind = record["kind"].as_str().unwrap().to_owned();
        match kind.as_str() {
            "session-kind" => {
                host.root = record["root"] == true;
                live_from = record["events"].as_u64().unwrap();
                let mut header = header.clone();
                header["origin"] = record["origin"].clone();
                let history =
                    log.iter().filter(|event| event["seq"].as_u64().is_some_and(|seq| seq < live_from));
                let open = json!({ "header": header, "root": record["root"], "web": record["web"],
                    "humanEpoch": host.epoch });
                plugin.open_with(&id, open, history.cloned().collect()).await;
                if arm {
                    plugin.command(&id, "autorun on").await;
                }
            }
            "session/event" if record["event"]["seq"].as_u64().is_none_or(|seq| seq >= live_from) => {
                plugin.tell("session/event", json!({ "session": id, "event": record["event"] })).await;
            }
            "agent/status" => {
                let pending = |queue: &str| record["pending"][queue].as_u64().unwrap_or(0);
                let human = host.waiting_humans.len() as u64;
                let other = (pending("turn") + pending("step")).saturating_sub(human);
                plugin
                    .tell(
                        "session/status",
                        json!({ "session": id, "status": record["status"], "goal": record["goal"],
                            "inbox": { "human": human, "other": other }, "humanEpoch": host.epoch }),
                    )
                    .await;
            }
            "agent/inbox/inserted" | "agent/inbox/claimed" | "agent/inbox/discarded" => {
                let message = record["id"].as_str().unwrap().to_owned();
                let what = kind.rsplit('/').next().unwrap();
                if what == "inserted" && record["source"]["kind"] == "user" && host.root {
                    host.epoch += 1;
                    host.waiting_humans.insert(message);
                } else if what != "inserted" {
                    host.waiting_humans.remove(&message);
                }
                plugin
                    .tell(
                        "session/inbox",
                        json!({ "session": id, "kind": what, "id": record["id"], "source": record["source"],
                            "target": "next-turn", "humanEpoch": host.epoch,
                            "human": host.waiting_humans.len() }),
                    )
                    .await;
            }
            "goal/changed" => {
                plugin.tell("session/goal", json!({ "session": id, "goal": record["change"]["goal"] })).await;
            }
            "agent/disposed" => plugin.tell("session/closed", json!({ "session": id })).await,
            _ => {}
        }
        plugin.settle().await;
    }
    id
}

fn row() -> Value {
    json!({ "promptModel": "mock/one", "cards": { "enabled": false }, "summary": { "enabled": false } })
}

/// Plays a recording and gives the plugin, still connected, and the session's id.
async fn play(name: &str, answers: Box<Answers>, arm: bool) -> (Plugin, String) {
    let mut plugin = Plugin::start(answers);
    plugin.hello(row()).await;
    let id = tell(&mut plugin, name, arm).await;
    (plugin, id)
}

/// How many turns of a recording completed live with words in them: those that ask the model.
fn asking_turns(name: &str) -> usize {
    let mut asking = 0;
    let mut spoken = false;
    for record in lines("live", name) {
        let event = &record["event"];
        match event["type"].as_str().unwrap_or_default() {
            "turn/start" => spoken = false,
            "user/message" | "assistant/message" => spoken = true,
            "turn/end" if event["data"]["reason"]["kind"] == "completed" && spoken => asking += 1,
            _ => {}
        }
    }
    asking
}

#[tokio::test(start_paused = true)]
async fn every_recording_asks_once_for_each_completed_turn_and_breaks_nothing_d4() {
    for name in names() {
        let (plugin, _) = play(&name, willing(), false).await;
        let calls = plugin.count("model/complete");
        let silent = ["headless", "subagent-child"].contains(&name.as_str());
        let expected = if silent { 0 } else { asking_turns(&name) };
        // A changed goal asks again when the call of the last completed turn had not answered (rule G4).
        assert!(
            calls >= expected && calls <= expected + usize::from(name.starts_with("goal-")),
            "{name}: {calls} calls for {expected} turns"
        );
        let served = plugin.end().await.unwrap();
        assert_eq!((served.garbage, served.too_long, served.lost), (0, 0, 0), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_plain_turn_is_one_call_and_an_offer() {
    let (mut plugin, id) = play("plain-turn", willing(), false).await;
    let told = plugin.status_is(&id, "ready").await;
    assert_eq!(told["state"]["offer"]["turn"], 1);
    assert_eq!(plugin.count("model/complete"), 1);
    let call = plugin.seen.lock().unwrap().all("model/complete")[0].to_string();
    assert!(call.contains("hello there, plain turn"));
    assert!(!call.contains("Current date") && !call.contains("runtime"), "no injected context: {call}");
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn headless_and_subagent_recordings_make_no_call_d12() {
    for name in ["headless", "subagent-child"] {
        let (mut plugin, id) = play(name, willing(), true).await;
        plugin.settle().await;
        assert_eq!((plugin.count("model/complete"), plugin.count("submit")), (0, 0), "{name}");
        plugin.status_is(&id, "off").await;
        plugin.end().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn queued_and_steered_prompts_are_one_call_a_turn_and_the_last_offer_stays() {
    let (mut plugin, id) = play("queue-and-steer", willing(), true).await;
    let told = plugin.status_is(&id, "ready").await;
    assert_eq!(told["state"]["offer"]["turn"], 2);
    assert_eq!(told["state"]["autorun"]["disarmed_because"]["code"], "human-prompt");
    assert_eq!(plugin.count("submit"), 0);
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_session_that_died_in_a_turn_asks_again_only_after_the_next_completed_one_d15() {
    let (mut plugin, id) = play("interrupted-then-resumed", willing(), false).await;
    let told = plugin.status_is(&id, "ready").await;
    assert_eq!(told["state"]["offer"]["turn"], 2);
    assert_eq!(plugin.count("model/complete"), 1);
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn while_the_goals_driver_has_the_boundary_the_loop_submits_nothing_a4() {
    for name in names().into_iter().filter(|name| name.starts_with("goal-")) {
        // The host does not pause the goal: its driver keeps the boundary for as long as the goal is active and armed.
        let goal = Arc::new(Mutex::new(None::<Value>));
        let owned = Arc::new(Mutex::new(0));
        let rest = except("goal/pause", |_| Some(json!({ "ok": false, "reason": "not here" })));
        let (known, count) = (Arc::clone(&goal), Arc::clone(&owned));
        let answers: Box<Answers> = Box::new(move |method, params| {
            if method == "submit" {
                let owns = known
                    .lock()
                    .unwrap()
                    .as_ref()
                    .is_some_and(|goal| goal["phase"] == "active" && goal["activation"] == "armed");
                *count.lock().unwrap() += usize::from(owns);
                return Some(json!({ "accepted": false, "reason": "busy" }));
            }
            rest(method, params)
        });
        let views: Vec<Value> = lines("live", &name)
            .iter()
            .filter(|record| record["kind"] == "agent/status" || record["kind"] == "goal/changed")
            .map(|record| {
                if record["kind"] == "agent/status" {
                    record["goal"].clone()
                } else {
                    record["change"]["goal"].clone()
                }
            })
            .collect();
        // The views in the order in which they are told.
        let mut views = views.into_iter();
        let mut plugin = Plugin::start(answers);
        plugin.hello(row()).await;
        let (header, log) = {
            let mut log = lines("persisted", &name);
            (log.remove(0), log)
        };
        let id = header["id"].as_str().unwrap().to_owned();
        let mut live_from = u64::MAX;
        for record in lines("live", &name) {
            match record["kind"].as_str().unwrap() {
                "session-kind" => {
                    live_from = record["events"].as_u64().unwrap();
                    let history =
                        log.iter().filter(|event| event["seq"].as_u64().is_some_and(|seq| seq < live_from));
                    plugin.open_with(&id, json!({}), history.cloned().collect()).await;
                }
                "session/event" if record["event"]["seq"].as_u64().is_none_or(|seq| seq >= live_from) => {
                    if record["event"]["type"] == "goal/change" {
                        let data = &record["event"]["data"];
                        let mut view = data["goal"].clone();
                        if data["operation"] == "create" || data["operation"] == "resume" {
                            view["activation"] = json!("armed");
                        }
                        *goal.lock().unwrap() = Some(view);
                    }
                    plugin.tell("session/event", json!({ "session": id, "event": record["event"] })).await;
                    if record["event"]["type"] == "turn/end" {
                        // A person arms whenever a turn has ended.
                        plugin.command(&id, "autorun on").await;
                    }
                }
                "agent/status" => {
                    let view = views.next().unwrap();
                    *goal.lock().unwrap() = Some(view.clone());
                    plugin
                        .tell(
                            "session/status",
                            json!({ "session": id, "status": record["status"], "goal": view,
                        "inbox": { "human": 0, "other": record["pending"]["turn"] }, "humanEpoch": 0 }),
                        )
                        .await;
                }
                "goal/changed" => {
                    let view = views.next().unwrap();
                    *goal.lock().unwrap() = Some(view.clone());
                    plugin.tell("session/goal", json!({ "session": id, "goal": view })).await;
                }
                _ => {}
            }
            plugin.settle().await;
        }
        assert_eq!(*owned.lock().unwrap(), 0, "{name}");
        plugin.end().await.unwrap();
    }
}
