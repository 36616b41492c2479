//! Autorun, budgets, goals and the order of human input, over the wire.

use crate::plugin::{Plugin, except, willing};
use serde_json::{Value, json};

fn human() -> Value {
    json!({ "kind": "user" })
}

fn ours() -> Value {
    json!({ "kind": "plugin", "plugin": "suggest", "form": "notice" })
}

fn row(rounds: u64) -> Value {
    json!({ "promptModel": "mock/one", "promptMaxRounds": rounds, "cards": { "enabled": false },
        "summary": { "enabled": false } })
}

fn goal(revision: u64, phase: &str, activation: &str) -> Value {
    json!({ "id": "g1", "revision": revision, "objective": "ship the parser", "phase": phase,
        "activation": activation })
}

#[tokio::test(start_paused = true)]
async fn an_armed_loop_runs_its_budget_and_a_restarted_sidecar_refills_nothing_a6() {
    let mut plugin = Plugin::start(willing());
    plugin.hello(row(2)).await;
    plugin.open("s").await;
    plugin.turn("s", 1, human(), 1).await;
    plugin.status_is("s", "ready").await;
    assert_eq!(plugin.command("s", "autorun on").await.1, "ok");
    for turn in 2..=3_u64 {
        plugin.until(|seen| (seen.count("submit") as u64 == turn - 1).then_some(())).await;
        plugin.turn("s", turn, ours(), 1).await;
    }
    let told = plugin
        .until(|seen| {
            let state = seen.state("s")?;
            (state["state"]["status"] == "ready" && state["spentRounds"] == 2).then(|| state.clone())
        })
        .await;
    assert_eq!(told["state"]["autorun"]["armed"], false);
    assert_eq!(told["state"]["autorun"]["disarmed_because"]["code"], "budget-spent");
    {
        let seen = plugin.seen.lock().unwrap();
        let submits = seen.all("submit");
        assert_eq!(submits.len(), 2);
        assert!(submits.iter().all(|submit| submit["author"] == "suggest"));
        assert_eq!(seen.count("report"), 1);
        // What a submission uses up is told before it leaves.
        let place = seen.messages.iter().position(|(method, _)| method == "submit").unwrap();
        let before = seen.messages[..place].iter().rfind(|(method, _)| method == "state").unwrap();
        assert_eq!((&before.1["nextTicket"], &before.1["nextOffer"]), (&json!(2), &json!(2)));
    }
    let (offer, ticket) = (told["nextOffer"].clone(), told["nextTicket"].clone());
    plugin.end().await.unwrap();

    let mut plugin = Plugin::start(willing());
    plugin.hello(row(2)).await;
    let given = json!({ "spentRounds": 2, "nextOffer": offer, "nextTicket": ticket, "humanEpoch": 1 });
    plugin.open_with("s", given, Vec::new()).await;
    let (text, code) = plugin.command("s", "autorun on").await;
    assert_eq!(code, "budget-spent");
    assert!(text.contains("2 of 2"), "{text}");
    plugin.turn("s", 4, human(), 2).await;
    let told = plugin.status_is("s", "ready").await;
    assert_eq!(told["state"]["offer"]["id"], format!("o{offer}"));
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn arming_beside_a_goal_pauses_it_and_waits_until_the_host_shows_it_a2() {
    let mut plugin = Plugin::start(willing());
    plugin.hello(row(5)).await;
    plugin.open_with("s", json!({ "goal": goal(1, "active", "armed") }), Vec::new()).await;
    let told = plugin.status_is("s", "idle").await;
    assert_eq!(told["state"]["goal"]["armed"], true);
    plugin.turn("s", 1, human(), 1).await;
    plugin.status_is("s", "ready").await;
    assert_eq!(plugin.command("s", "autorun on").await.1, "ok");
    let pause = plugin.until(|seen| seen.all("goal/pause").first().map(|pause| (*pause).clone())).await;
    assert_eq!(pause, json!({ "session": "s", "id": "g1", "revision": 1 }));
    plugin.settle().await;
    assert_eq!(plugin.count("submit"), 0);
    plugin.tell("session/goal", json!({ "session": "s", "goal": goal(2, "paused", "disarmed") })).await;
    let submit = plugin.until(|seen| seen.all("submit").first().map(|submit| (*submit).clone())).await;
    assert_eq!(submit["expect"]["goal"], json!({ "id": "g1", "revision": 2 }));
    // Resuming it by hand gives the boundary back.
    plugin.turn("s", 2, ours(), 1).await;
    plugin.tell("session/goal", json!({ "session": "s", "goal": goal(3, "active", "armed") })).await;
    plugin.settle().await;
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_prompt_of_the_human_disarms_before_its_count_is_taken_over_a3() {
    let mut plugin = Plugin::start(willing());
    plugin.hello(row(5)).await;
    plugin.open("s").await;
    assert_eq!(plugin.command("s", "autorun on").await.1, "ok");
    plugin.turn_up_to_end("s", 1, ours(), 0).await;
    plugin.status_is("s", "ready").await;
    // The plugin's notice overtakes the log's own splice, and idle comes behind it.
    plugin
        .tell(
            "session/inbox",
            json!({ "session": "s", "kind": "inserted", "id": "m", "source": human(), "target": "next-turn",
                "humanEpoch": 1, "human": 1 }),
        )
        .await;
    plugin.status("s", "idle", 1).await;
    plugin.settle().await;
    let told = plugin.status_is("s", "ready").await;
    assert_eq!(told["state"]["autorun"]["disarmed_because"]["code"], "human-prompt");
    assert_eq!(plugin.count("submit"), 0);
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_sidecar_that_dies_behind_its_submission_has_spent_the_round_already_a6() {
    let mut plugin = Plugin::start(except("submit", |_| None));
    plugin.hello(row(5)).await;
    plugin.open("s").await;
    plugin.turn("s", 1, human(), 1).await;
    plugin.status_is("s", "ready").await;
    plugin.command("s", "autorun on").await;
    let before = plugin
        .until(|seen| {
            let place = seen.messages.iter().position(|(method, _)| method == "submit")?;
            let before = seen.messages.get(..place)?.iter().rfind(|(method, _)| method == "state")?;
            Some(before.1.clone())
        })
        .await;
    assert_eq!(before["spentRounds"], 1);
    // The host refuses it, and it is spent no more.
    plugin.answer(plugin.id_of("submit"), json!({ "accepted": false, "reason": "busy" })).await;
    plugin.until(|seen| (seen.state("s")?["spentRounds"] == 0).then_some(())).await;
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_step_that_is_a_command_reaches_the_input_before_the_run_is_answered_d13() {
    let slash = except("model/complete", |_| Some(json!({ "text": "NEXT: /compact", "finish": "stop" })));
    let mut plugin = Plugin::start(slash);
    plugin.hello(row(5)).await;
    plugin.open("s").await;
    plugin.turn("s", 1, human(), 1).await;
    plugin.status_is("s", "ready").await;
    assert_eq!(plugin.command("s", "run").await.1, "ok");
    let seen = plugin.seen.lock().unwrap();
    assert_eq!(seen.all("input/fill"), [&json!({ "session": "s", "text": "/compact" })]);
    assert_eq!(seen.count("submit"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_holds_with_the_hosts_reason_in_words() {
    let refusing = except("submit", |_| Some(json!({ "accepted": false, "reason": "stale-turn" })));
    let mut plugin = Plugin::start(refusing);
    plugin.hello(row(5)).await;
    plugin.open("s").await;
    plugin.turn("s", 1, human(), 1).await;
    plugin.status_is("s", "ready").await;
    plugin.command("s", "autorun on").await;
    let told = plugin
        .until(|seen| {
            seen.state("s").filter(|state| state["state"]["autorun"]["hold"]["code"] == "refused").cloned()
        })
        .await;
    assert!(told["line"].as_str().unwrap().contains("another turn had ended"), "{told}");
    assert_eq!(told["spentRounds"], 0);
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_past_triggers_nothing_and_shows_in_the_first_state_d15() {
    let mut plugin = Plugin::start(willing());
    plugin.hello(row(5)).await;
    let message = |id: &str, source: Value, text: &str| json!({ "id": id, "role": "user", "source": source, "content": [{ "type": "text", "text": text }] });
    let mut history = Vec::new();
    for turn in 1..=60_u64 {
        let answer = json!({ "turn": turn, "step": 1, "message": { "id": format!("a{turn}"), "role": "assistant",
            "content": [{ "type": "text", "text": "done" }], "source": { "kind": "model" } } });
        for (kind, data) in [
            ("turn/start", json!({ "turn": turn })),
            ("user/message", message(&format!("u{turn}"), human(), &format!("prompt {turn}"))),
            ("assistant/message", answer),
            ("turn/end", json!({ "turn": turn, "reason": { "kind": "completed" } })),
        ] {
            history.push(json!({ "type": kind, "seq": history.len(), "data": data }));
        }
    }
    plugin.open_with("s", json!({ "resumed": true, "humanEpoch": 60 }), history).await;
    plugin.status_is("s", "idle").await;
    plugin.settle().await;
    assert_eq!(plugin.count("model/complete"), 0);
    // A human's act may ask about it.
    assert_eq!(plugin.command("s", "retry").await.1, "ok");
    let told = plugin.status_is("s", "ready").await;
    assert_eq!(told["state"]["offer"]["turn"], 60);
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn while_a_dialog_of_the_host_is_open_the_loop_holds_a4() {
    let mut plugin = Plugin::start(willing());
    plugin.hello(row(5)).await;
    plugin.open("s").await;
    plugin.turn("s", 1, human(), 1).await;
    plugin.status_is("s", "ready").await;
    plugin.tell("session/asking", json!({ "session": "s", "open": true })).await;
    assert_eq!(plugin.command("s", "autorun on").await.1, "ok");
    plugin.settle().await;
    let hold = plugin.until(|seen| seen.state("s").cloned()).await["state"]["autorun"]["hold"].clone();
    assert_eq!(hold["code"], "asking");
    assert_eq!(plugin.count("submit"), 0);
    plugin.tell("session/asking", json!({ "session": "s", "open": false })).await;
    plugin.until(|seen| (seen.count("submit") == 1).then_some(())).await;
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn fifty_sessions_that_end_a_turn_at_once_all_get_their_own_offer_l2() {
    let answers = except("model/complete", |params| {
        Some(
            json!({ "text": format!("NEXT: Add a test for {}", params["session"].as_str()?), "finish": "stop" }),
        )
    });
    let mut plugin = Plugin::start(answers);
    plugin.hello(row(5)).await;
    for number in 0..50 {
        plugin.open(&format!("s{number}")).await;
    }
    for number in 0..50 {
        plugin.turn(&format!("s{number}"), 1, human(), 1).await;
    }
    for number in 0..50 {
        let session = format!("s{number}");
        let told = plugin.status_is(&session, "ready").await;
        assert_eq!(told["state"]["offer"]["text"], format!("Add a test for {session}"));
    }
    assert_eq!(plugin.count("model/complete"), 50);
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn subagents_and_headless_sessions_get_no_call_d12() {
    let mut plugin = Plugin::start(willing());
    plugin.hello(row(5)).await;
    for (session, changes, reason) in [
        ("child", json!({ "root": false }), "subagent"),
        ("fork", json!({ "header": { "origin": "subagent" } }), "subagent"),
        ("deep", json!({ "header": { "delegationDepth": 1 } }), "subagent"),
        ("alone", json!({ "web": false }), "headless"),
    ] {
        plugin.open_with(session, changes, Vec::new()).await;
        plugin.turn(session, 1, human(), 1).await;
        assert_eq!(plugin.status_is(session, "off").await["state"]["reason"]["code"], reason);
        assert_eq!(plugin.command(session, "autorun on").await.1, reason);
    }
    plugin.settle().await;
    assert_eq!(plugin.count("model/complete"), 0);
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn chapters_of_another_plugin_stand_in_the_slice_also_after_a_rewrite_s1() {
    let mut plugin = Plugin::start(willing());
    plugin.hello(row(5)).await;
    plugin.open("s").await;
    let chapter = |number: u64, title: &str| json!({ "session": "s", "number": number, "title": title, "summary": "what was done" });
    plugin.tell("session/chapter", chapter(1, "The lexer")).await;
    plugin.tell("session/chapter", chapter(2, "The grammer")).await;
    plugin.tell("session/chapter", chapter(2, "The grammar")).await;
    plugin.turn("s", 1, human(), 1).await;
    plugin.status_is("s", "ready").await;
    let asked = |plugin: &Plugin| {
        let seen = plugin.seen.lock().unwrap();
        seen.all("model/complete").last().unwrap()["messages"].to_string()
    };
    let slice = asked(&plugin);
    assert!(slice.contains("1. The lexer: what was done") && slice.contains("2. The grammar"), "{slice}");
    assert!(!slice.contains("grammer"), "{slice}");
    // A compaction puts its summary in the place of the conversation; the chapters stay.
    let told = |event: Value| json!({ "session": "s", "event": event });
    let summary = json!({ "type": "compaction/summary", "seq": 90, "data": { "summary": [{ "type": "text", "text": "summed up" }] } });
    plugin.tell("session/event", told(summary)).await;
    let replaced = json!({ "type": "user/message", "seq": 91, "surfaceOp": { "op": "replace", "startSeq": 0, "endSeq": 80 },
        "data": { "source": { "kind": "compact" }, "content": "x" } });
    plugin.tell("session/event", told(replaced)).await;
    plugin.turn("s", 2, human(), 2).await;
    plugin.until(|seen| (seen.count("model/complete") == 2).then_some(())).await;
    let slice = asked(&plugin);
    assert!(slice.contains("2. The grammar") && slice.contains("summed up"), "{slice}");
    assert!(!slice.contains("part 1 of the parser"), "{slice}");
    plugin.end().await.unwrap();
}
