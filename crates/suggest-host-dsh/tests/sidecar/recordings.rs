//! Recorded sessions, told as the plugin tells them.

use crate::plugin::{Answers, Plugin, except, willing};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The folders of recordings, one per host version: 0.1.0-rc.8 and 0.1.1-rc.2.
const SETS: [&str; 2] = ["", "0.1.1-rc.2"];

fn folder(set: &str, view: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/recordings/dsh")).join(set).join(view)
}

/// Every recording of every version: `plain-turn`, `0.1.1-rc.2/plain-turn`.
fn names() -> Vec<String> {
    let mut names = Vec::new();
    for set in SETS {
        for entry in fs::read_dir(folder(set, "live")).unwrap() {
            let name = entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
            names.push(Path::new(set).join(name).to_str().unwrap().to_owned());
        }
    }
    names.sort();
    assert_eq!(names.len(), 34);
    names
}

/// The recording's own name, whatever the version.
fn title(name: &str) -> &str {
    name.rsplit('/').next().unwrap()
}

fn lines(view: &str, name: &str) -> Vec<Value> {
    let set = name.rsplit_once('/').map_or("", |(set, _)| set);
    let text = fs::read_to_string(folder(set, view).join(format!("{}.jsonl", title(name)))).unwrap();
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
        let silent = is_silent(&name);
        let expected = if silent { 0 } else { asking_turns(&name) };
        // A changed goal asks again when the call of the last completed turn had not answered (rule G4).
        assert!(
            calls >= expected && calls <= expected + usize::from(title(&name).starts_with("goal-")),
            "{name}: {calls} calls for {expected} turns"
        );
        let served = plugin.end().await.unwrap();
        assert_eq!((served.garbage, served.too_long, served.lost), (0, 0, 0), "{name}");
    }
}

/// Sessions in which nothing is ever asked (rule D12).
fn is_silent(name: &str) -> bool {
    ["headless", "subagent-child"].contains(&title(name))
}

/// What a person sees in the whole, taken from the states that the plugin was told.
fn check_states(name: &str, id: &str, told: &[Value]) {
    let mut offers: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    let (mut seq, mut next_offer) = (0, 0);
    for state in told {
        assert_eq!(state["session"], *id, "{name}");
        let number = state["seq"].as_u64().unwrap();
        assert!(number > seq, "{name}: states are numbered upwards");
        seq = number;
        let next = state["nextOffer"].as_u64().unwrap();
        assert!(next >= next_offer, "{name}: numbers never fall");
        next_offer = next;
        assert_eq!(state["spentRounds"], 0, "{name}: nobody armed anything");
        let inner = &state["state"];
        let (status, offer) = (inner["status"].as_str().unwrap(), &inner["offer"]);
        let line = state["line"].as_str().unwrap();
        assert!(line.starts_with(status) && !line.contains(char::is_control), "{name}: {line}");
        assert!(state["block"].as_str().unwrap().starts_with(&format!("status        {status}\n")), "{name}");
        assert_eq!(inner["autorun"]["armed"], false, "{name}");
        match status {
            "ready" => assert_eq!(offer["current"], true, "{name}"),
            "failed" | "off" => assert!(!inner["reason"].is_null(), "{name}: never blank"),
            _ => assert!(offer.is_null(), "{name}: {status} shows nothing"),
        }
        if let Some(id) = offer["id"].as_str() {
            offers.entry(offer["turn"].as_u64().unwrap()).or_default().insert(id.to_owned());
            assert!(next > id.trim_start_matches('o').parse().unwrap(), "{name}");
        }
    }
    assert!(offers.values().all(|ids| ids.len() == 1), "{name}: one offer a turn, {offers:?}");
    let completed: BTreeSet<u64> = lines("live", name)
        .iter()
        .filter(|record| record["event"]["data"]["reason"]["kind"] == "completed")
        .map(|record| record["event"]["data"]["turn"].as_u64().unwrap())
        .collect();
    assert!(offers.keys().all(|turn| completed.contains(turn)), "{name}: only completed turns, {offers:?}");
    assert!(!is_silent(name) || offers.is_empty(), "{name}");
}

/// What the second model would be shown now, and the goal and turn as the state tells them.
async fn now(plugin: &mut Plugin, id: &str) -> (Value, Value, Value) {
    let before = plugin.count("model/complete");
    plugin.command(id, "retry").await;
    plugin.settle().await;
    let (slice, state) = {
        let seen = plugin.seen.lock().unwrap();
        let slice = seen.all("model/complete").get(before).map(|call| call["messages"].clone());
        (slice.unwrap_or(Value::Null), seen.state(id).unwrap()["state"].clone())
    };
    let mut goal = state["goal"].clone();
    if let Some(goal) = goal.as_object_mut() {
        // Whether its driver is armed is a fact of a process, not of the log.
        goal.remove("armed");
    }
    (slice, goal, state["offer"]["turn"].clone())
}

#[tokio::test(start_paused = true)]
async fn the_log_and_the_live_stream_of_every_recording_give_the_same_slice_goal_and_turn_s1_s7() {
    for name in names() {
        let (mut plugin, id) = play(&name, willing(), false).await;
        let log = lines("persisted", &name);
        let told: Vec<Value> = {
            let seen = plugin.seen.lock().unwrap();
            seen.all("state").into_iter().filter(|state| state["session"] == *id).cloned().collect()
        };
        check_states(&name, &id, &told);
        let live = now(&mut plugin, &id).await;
        plugin.end().await.unwrap();

        let mut plugin = Plugin::start(willing());
        plugin.hello(row()).await;
        let root = !title(&name).starts_with("subagent-child");
        // A host that loads the log has the same goal, and no driver armed for it.
        let records = lines("live", &name);
        let mut views = records.iter().filter_map(|record| match record["kind"].as_str()? {
            "agent/status" => Some(&record["goal"]),
            "goal/changed" => Some(&record["change"]["goal"]),
            _ => None,
        });
        let mut goal = views.next_back().cloned().unwrap_or(Value::Null);
        if let Some(goal) = goal.as_object_mut() {
            goal.insert("activation".to_owned(), json!("disarmed"));
        }
        let web = title(&name) != "headless";
        let open = json!({ "header": log[0], "root": root, "web": web, "goal": goal, "resumed": true });
        // One log goes on in a later process that was not recorded live.
        let last = records.iter().filter_map(|record| record["event"]["seq"].as_u64()).max().unwrap();
        let past = log[1..].iter().filter(|event| event["seq"].as_u64().is_none_or(|seq| seq <= last));
        plugin.open_with(&id, open, past.cloned().collect()).await;
        plugin.settle().await;
        assert_eq!(plugin.count("model/complete"), 0, "{name}: a past asks nothing (rule D15)");
        let kept = now(&mut plugin, &id).await;
        assert_eq!(kept, live, "{name}");
        assert_eq!(live.0.is_null(), is_silent(&name) || asking_turns(&name) == 0, "{name}");
        plugin.end().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn behind_a_compaction_at_rest_a_persons_wish_gets_its_suggestion_and_its_round_d15() {
    for name in names().into_iter().filter(|name| title(name) == "compaction") {
        let (mut plugin, id) = play(&name, willing(), false).await;
        plugin.settle().await;
        let before = plugin.count("model/complete");
        assert_eq!(plugin.command(&id, "autorun on").await.1, "ok");
        let submit = plugin.until(|seen| seen.all("submit").first().map(|submit| (*submit).clone())).await;
        assert_eq!((&submit["author"], &submit["expect"]["turn"]), (&json!("suggest"), &json!(3)), "{name}");
        assert_eq!(plugin.count("model/complete"), before + 1);
        plugin.end().await.unwrap();
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
    for name in names().into_iter().filter(|name| title(name).starts_with("goal-")) {
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
