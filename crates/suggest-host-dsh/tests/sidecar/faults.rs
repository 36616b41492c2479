//! Whatever goes wrong at the other end: the sidecar neither crashes, nor grows, nor stalls, nor starts twice.

use crate::plugin::{Plugin, except, willing};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;
use suggest_host_dsh::{SidecarError, SidecarOptions, serve};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

fn human() -> Value {
    json!({ "kind": "user" })
}

fn row() -> Value {
    json!({ "promptModel": "mock/one", "promptDeadlineMs": 5_000, "cards": { "enabled": false },
        "summary": { "enabled": false } })
}

async fn ready(answers: Box<crate::plugin::Answers>) -> Plugin {
    let mut plugin = Plugin::start(answers);
    plugin.hello(row()).await;
    plugin.open("s").await;
    plugin
}

/// A whole conversation of the plugin, as its lines.
fn conversation() -> Vec<String> {
    let line = |message: Value| format!("{message}\n");
    let tell =
        |method: &str, params: Value| line(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    let event = |kind: &str, data: Value| {
        tell("session/event", json!({ "session": "s", "event": { "type": kind, "data": data } }))
    };
    let status = |status: &str| {
        tell(
            "session/status",
            json!({ "session": "s", "status": status, "goal": null, "inbox": { "human": 0, "other": 0 }, "humanEpoch": 1 }),
        )
    };
    let command = |id: u64, text: &str| {
        line(
            json!({ "jsonrpc": "2.0", "id": id, "method": "command", "params": { "session": "s", "line": text } }),
        )
    };
    let mut lines = vec![
        line(
            json!({ "jsonrpc": "2.0", "id": 1, "method": "hello", "params": { "protocol": 1, "config": row() } }),
        ),
        tell("session/open", json!({ "session": "s", "root": true, "web": true })),
        tell(
            "session/history",
            json!({ "session": "s", "events": [{ "type": "turn/start", "data": { "turn": 1 } }] }),
        ),
        tell("session/ready", json!({ "session": "s" })),
        tell(
            "session/inbox",
            json!({ "session": "s", "kind": "inserted", "source": { "kind": "user" }, "human": 1, "humanEpoch": 1 }),
        ),
        status("running"),
        event("turn/start", json!({ "turn": 2 })),
        event(
            "user/message",
            json!({ "id": "u", "source": { "kind": "user" }, "content": [{ "type": "text", "text": "go" }] }),
        ),
        event(
            "assistant/message",
            json!({ "turn": 2, "message": { "id": "a", "content": [{ "type": "text", "text": "done" }] } }),
        ),
        event("turn/end", json!({ "turn": 2, "reason": { "kind": "completed" } })),
        status("idle"),
        command(2, "autorun on"),
        tell(
            "session/goal",
            json!({ "session": "s", "goal": { "id": "g", "revision": 1, "phase": "active", "activation": "armed", "objective": "o" } }),
        ),
    ];
    // Answers to requests of the sidecar, whichever they are.
    for id in 1..=4 {
        lines.push(line(json!({ "jsonrpc": "2.0", "id": id, "result": { "text": "NEXT: Add a test", "accepted": true, "ok": true } })));
    }
    lines.push(tell("config", json!({ "config": { "promptModel": "mock/two" } })));
    lines.push(command(3, "model clear"));
    lines.push(tell("session/closed", json!({ "session": "s" })));
    lines
}

#[tokio::test(start_paused = true)]
async fn an_input_that_ends_at_any_message_or_inside_it_ends_the_sidecar() {
    let lines = conversation();
    for count in 0..=lines.len() {
        for half in [false, true] {
            let mut text = lines[..count].concat();
            if half && let Some(next) = lines.get(count) {
                text.push_str(next.get(..next.len() / 2).unwrap());
            }
            let (mut output, near) = tokio::io::duplex(1 << 20);
            let (mut from, to) = tokio::io::duplex(1 << 20);
            output.write_all(text.as_bytes()).await.unwrap();
            drop(output);
            let served =
                tokio::time::timeout(Duration::from_secs(30), serve(near, to, SidecarOptions::default()))
                    .await
                    .expect("it ends")
                    .unwrap();
            assert_eq!(served.messages, count as u64);
            let mut written = String::new();
            from.read_to_string(&mut written).await.unwrap();
            for line in written.lines() {
                serde_json::from_str::<Value>(line).unwrap();
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn garbage_half_lines_and_lines_that_are_too_long_are_skipped() {
    let mut plugin = ready(willing()).await;
    for _ in 0..500 {
        plugin.raw("garbage\n").await;
        plugin.raw(b"\xff\xfe{\"method\":7}\n[1]\n{}\nnull\n\n\r\n").await;
    }
    plugin.raw(format!("{}\n", "[".repeat(10_000))).await;
    let id =
        plugin.begin("command", json!({ "session": "s", "line": "x".repeat(9 << 20) })).await.to_string();
    let answer = plugin.until(|seen| seen.answers.get(&id).map(|answers| answers[0].clone())).await;
    assert_eq!(answer["error"]["code"], -32_600);
    plugin.tell("session/event", json!({ "session": "s", "event": "y".repeat(9 << 20) })).await;
    plugin.tell("session/event", json!({ "session": 7 })).await;
    plugin.tell("session/status", json!({ "session": "s", "status": "dancing" })).await;
    plugin.tell("no/such", json!({})).await;
    plugin.tell("session/event", json!({ "session": "nobody", "event": {} })).await;
    plugin.turn("s", 1, human(), 1).await;
    plugin.status_is("s", "ready").await;
    assert_eq!(plugin.seen.lock().unwrap().complaints, 1, "at most one a second");
    let served = plugin.end().await.unwrap();
    assert_eq!((served.too_long, served.astray), (2, 1));
    assert!(served.garbage > 2_000);
}

#[tokio::test(start_paused = true)]
async fn the_same_id_twice_is_answered_twice_and_a_second_answer_is_ignored() {
    let mut plugin = ready(except("model/complete", |_| None)).await;
    for _ in 0..2 {
        plugin.raw("{\"jsonrpc\":\"2.0\",\"id\":\"same\",\"method\":\"command\",\"params\":{\"session\":\"s\",\"line\":\"status\"}}\n").await;
    }
    plugin.until(|seen| (seen.answers.get("\"same\"")?.len() == 2).then_some(())).await;
    plugin.turn("s", 1, human(), 1).await;
    plugin.until(|seen| (seen.count("model/complete") == 1).then_some(())).await;
    let id = plugin.id_of("model/complete");
    plugin.answer(id, json!({ "text": "NEXT: Add a first test", "finish": "stop" })).await;
    plugin.answer(id, json!({ "text": "NEXT: Add a second test", "finish": "stop" })).await;
    plugin.answer(4_711, json!({})).await;
    let told = plugin.status_is("s", "ready").await;
    assert_eq!(told["state"]["offer"]["text"], "Add a first test");
    plugin.settle().await;
    assert_eq!(plugin.end().await.unwrap().late_answers, 2);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_answers_fails_at_the_deadline_and_its_late_answer_is_ignored() {
    let mut plugin = ready(except("model/complete", |_| None)).await;
    plugin.turn("s", 1, human(), 1).await;
    let told = plugin.status_is("s", "failed").await;
    assert_eq!(told["state"]["reason"]["code"], "timeout");
    let call = plugin.seen.lock().unwrap().all("model/complete")[0]["call"].clone();
    let cancel = plugin.until(|seen| seen.all("model/cancel").first().map(|cancel| (*cancel).clone())).await;
    assert_eq!(cancel, json!({ "call": call }));
    let id = plugin.id_of("model/complete");
    plugin.answer(id, json!({ "text": "NEXT: Too late", "finish": "stop" })).await;
    plugin.settle().await;
    plugin.status_is("s", "failed").await;
    assert_eq!(plugin.end().await.unwrap().late_answers, 1);
}

#[tokio::test(start_paused = true)]
async fn a_new_turn_cancels_the_call_at_the_host_and_drops_its_late_answer_d5() {
    let mut plugin = ready(except("model/complete", |_| None)).await;
    plugin.turn("s", 1, human(), 1).await;
    plugin.until(|seen| (seen.count("model/complete") == 1).then_some(())).await;
    let id = plugin.id_of("model/complete");
    plugin.event("s", "turn/start", json!({ "turn": 2 })).await;
    plugin.until(|seen| (seen.count("model/cancel") == 1).then_some(())).await;
    plugin.answer(id, json!({ "text": "NEXT: Old", "finish": "stop" })).await;
    plugin.settle().await;
    let told = plugin.status_is("s", "idle").await;
    assert_eq!(told["state"]["offer"], Value::Null);
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_submission_that_is_answered_late_counts_once_and_nothing_else_starts_meanwhile_a3() {
    let mut plugin = ready(except("submit", |_| None)).await;
    plugin.turn("s", 1, human(), 1).await;
    plugin.status_is("s", "ready").await;
    plugin.command("s", "autorun on").await;
    plugin.until(|seen| (seen.count("submit") == 1).then_some(())).await;
    for _ in 0..5 {
        plugin.status("s", "idle", 1).await;
        tokio::time::sleep(Duration::from_secs(10)).await;
    }
    assert_eq!(plugin.count("submit"), 1);
    let told = plugin.until(|seen| seen.state("s").cloned()).await;
    assert_eq!(told["state"]["autorun"]["hold"]["code"], "no-answer");
    let id = plugin.id_of("submit");
    plugin.answer(id, json!({ "accepted": true })).await;
    plugin.answer(id, json!({ "accepted": true })).await;
    plugin.until(|seen| (seen.state("s")?["spentRounds"] == 1).then_some(())).await;
    plugin.settle().await;
    assert_eq!(plugin.count("submit"), 1);
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn closing_a_session_gives_up_what_waits_on_its_behalf() {
    let mut plugin = ready(except("submit", |_| None)).await;
    plugin.turn("s", 1, human(), 1).await;
    plugin.status_is("s", "ready").await;
    plugin.command("s", "run").await;
    plugin.until(|seen| (seen.count("submit") == 1).then_some(())).await;
    plugin.tell("session/closed", json!({ "session": "s" })).await;
    plugin.settle().await;
    plugin.answer(plugin.id_of("submit"), json!({ "accepted": true })).await;
    plugin.settle().await;
    assert_eq!(plugin.end().await.unwrap().late_answers, 1);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_opened_again_begins_anew_and_its_numbers_go_on_d11() {
    let mut plugin = ready(willing()).await;
    plugin.turn("s", 1, human(), 1).await;
    plugin.status_is("s", "ready").await;
    plugin.open("s").await;
    plugin.status_is("s", "idle").await;
    plugin.turn("s", 2, human(), 2).await;
    let told = plugin.status_is("s", "ready").await;
    assert_eq!(told["state"]["offer"]["id"], "o2");
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_plugin_that_stops_reading_is_given_up_with_a_clear_message_and_bounded_memory() {
    let (mut output, near) = tokio::io::duplex(1 << 20);
    let (from, to) = tokio::io::duplex(64);
    let serving = tokio::spawn(serve(near, to, SidecarOptions::default()));
    let hello =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "hello", "params": { "protocol": 1, "config": row() } });
    output.write_all(format!("{hello}\n").as_bytes()).await.unwrap();
    let ask = json!({ "jsonrpc": "2.0", "id": 2, "method": "command", "params": { "session": "s", "line": "help" } });
    let line = format!("{ask}\n");
    let mut sent = 0_u64;
    while !serving.is_finished() && output.write_all(line.as_bytes()).await.is_ok() {
        sent += 1;
        if sent.is_multiple_of(1_000) {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        assert!(sent < 1_000_000, "it never ends");
    }
    let error = serving.await.unwrap().unwrap_err();
    assert!(matches!(error, SidecarError::PluginStopped), "{error}");
    assert!(error.to_string().contains("stopped reading"));
    drop(from);
}

#[tokio::test(start_paused = true)]
async fn a_plugin_that_reads_slowly_gets_the_newest_state_only() {
    let (mut output, near) = tokio::io::duplex(1 << 20);
    let (from, to) = tokio::io::duplex(64);
    let serving = tokio::spawn(serve(near, to, SidecarOptions::default()));
    for line in &conversation()[..4] {
        output.write_all(line.as_bytes()).await.unwrap();
    }
    for turn in 10..5_000_u64 {
        for (kind, data) in [
            ("turn/start", json!({ "turn": turn })),
            ("turn/end", json!({ "turn": turn, "reason": { "kind": "aborted" } })),
        ] {
            let message = json!({ "jsonrpc": "2.0", "method": "session/event",
                "params": { "session": "s", "event": { "type": kind, "data": data } } });
            output.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        }
        tokio::task::yield_now().await;
    }
    let last = json!({ "jsonrpc": "2.0", "id": "last", "method": "command", "params": { "session": "s", "line": "help" } });
    output.write_all(format!("{last}\n").as_bytes()).await.unwrap();
    let mut lines = BufReader::new(from).lines();
    let mut states = Vec::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["method"] == "state" {
            states.push(message["params"]["seq"].as_u64().unwrap());
        }
        if message["id"] == "last" {
            break;
        }
    }
    assert!((1..100).contains(&states.len()), "{} states for 10,000 changes", states.len());
    assert!(*states.last().unwrap() > 1_000, "the newest: {states:?}");
    drop((output, lines));
    // The reader went away before the end, which a pipe tells as an error.
    let _ = serving.await.unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_order_loss_and_damage_of_messages_ends_well(
        picks in proptest::collection::vec((0_usize..20, 0_u8..12), 0..60),
        seed in any::<u64>(),
    ) {
        let lines = conversation();
        let mut text = lines[0].clone().into_bytes();
        for (place, damage) in picks {
            let mut line = lines[place % lines.len()].clone().into_bytes();
            let at = usize::try_from(seed).unwrap_or(7).wrapping_add(place) % line.len();
            match damage {
                0 => line.truncate(at),
                1 => line[at] = 0xff,
                2 => line.extend_from_slice(b"}\n"),
                _ => {}
            }
            text.extend_from_slice(&line);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let ended = runtime.block_on(async {
            let (mut from, to) = tokio::io::duplex(1 << 16);
            let reading = tokio::spawn(async move {
                let mut written = String::new();
                from.read_to_string(&mut written).await.unwrap();
                written
            });
            let served = tokio::time::timeout(Duration::from_secs(60), serve(&text[..], to, SidecarOptions::default())).await;
            (served, reading.await.unwrap())
        });
        prop_assert!(matches!(ended.0, Ok(Ok(_))), "{:?}", ended.0);
        for line in ended.1.lines() {
            prop_assert!(serde_json::from_str::<Value>(line).is_ok());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_the_host_never_answers_is_given_up_and_the_next_one_works_d11() {
    // Like a host that hangs: the first submission is never answered.
    let answered = std::sync::atomic::AtomicUsize::new(0);
    let answers = except("submit", move |_| {
        let first = answered.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
        (!first).then(|| json!({ "accepted": true, "messageId": "m" }))
    });
    let mut plugin = Plugin::start(answers);
    plugin.hello(row()).await;
    plugin.open("s").await;
    plugin.turn("s", 1, json!({ "kind": "user" }), 1).await;
    let offer = plugin.status_is("s", "ready").await["state"]["offer"].clone();
    // Nobody waits long for the answer to the click; what came of it shows in the state.
    assert_eq!(plugin.command("s", "run").await.1, "ok");
    let (text, code) = plugin.command("s", "retry").await;
    assert_eq!(code, "submitting", "{text}");
    let told = plugin
        .until(|seen| seen.state("s").filter(|told| told["state"]["reason"]["code"] == "refused").cloned())
        .await;
    assert_eq!((&told["state"]["status"], &told["state"]["offer"]), (&json!("ready"), &offer));
    assert!(told["line"].as_str().unwrap().contains("did not answer within 10 s; run it again"), "{told}");
    // Should it have been queued after all, it is taken back.
    let seen = plugin.until(|seen| seen.all("withdraw").first().map(|withdraw| (*withdraw).clone())).await;
    assert_eq!(seen, json!({ "session": "s", "ticket": 1 }));
    assert_eq!(plugin.command("s", "run").await.1, "ok");
    plugin.until(|seen| (seen.count("submit") == 2).then_some(())).await;
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_the_host_refuses_says_so_to_whoever_clicked_and_in_the_state_d11() {
    let gone = except("submit", |_| Some(json!({ "accepted": false, "reason": "gone" })));
    let mut plugin = Plugin::start(gone);
    plugin.hello(row()).await;
    plugin.open("s").await;
    plugin.turn("s", 1, json!({ "kind": "user" }), 1).await;
    plugin.status_is("s", "ready").await;
    let (text, code) = plugin.command("s", "run").await;
    assert_eq!(
        (text.as_str(), code.as_str()),
        ("refused: the session is not live in the host any more", "refused")
    );
    plugin
        .until(|seen| {
            let told = seen.state("s")?;
            (told["state"]["reason"]["code"] == "refused" && told["state"]["status"] == "ready").then_some(())
        })
        .await;
    // The next turn's offer has nothing to do with it.
    plugin.turn("s", 2, json!({ "kind": "user" }), 2).await;
    plugin
        .until(|seen| {
            let told = &seen.state("s")?["state"];
            (told["status"] == "ready" && told["offer"]["turn"] == 2 && told["reason"].is_null())
                .then_some(())
        })
        .await;
    plugin.end().await.unwrap();
}
