//! Recorded sessions, as a plugin inside the host sees them.

use crate::recordings::printed;
use crate::support::{fold_live, live_records, recordings};
use pretty_assertions::assert_eq;
use serde_json::json;
use suggest_core::{Author, EndReason, Event, Origin, SessionKind, Turn};
use suggest_host_dsh::{LiveFold, LiveRecord, Output};

fn live_events(name: &str) -> Vec<Event> {
    fold_live(live_records("", name)).1.into_iter().map(Output::into_event).collect()
}

#[test]
fn what_a_running_session_tells_is_this() {
    for name in ["goal-race-blocked-turn", "plugin-followup-withdrawn", "queue-and-steer", "compaction"] {
        let outputs = fold_live(live_records("", name)).1;
        let mut text = String::new();
        for output in outputs {
            let mark = if matches!(output, Output::Live(_)) { "live" } else { "past" };
            text.push_str(&format!("{mark} {}", printed([output.into_event()])));
        }
        insta::assert_snapshot!(format!("live-{name}"), text);
    }
}

#[test]
fn a_prompt_of_the_human_is_seen_once_in_the_queue_and_once_as_a_message() {
    let events = live_events("queue-and-steer");
    let queued: Vec<u32> = events
        .iter()
        .filter_map(|event| match event {
            Event::HumanQueued { count } => Some(*count),
            _ => None,
        })
        .collect();
    assert_eq!(queued, [1, 0, 1, 2, 1, 0]);
    let human = |event: &&Event| matches!(event, Event::Message(message) if message.author == Author::Human);
    assert_eq!(events.iter().filter(human).count(), 3);
}

#[test]
fn every_recording_ends_idle_unless_something_waits_or_the_process_died() {
    for (set, name) in recordings() {
        let outputs = fold_live(live_records(set, &name)).1;
        let last = outputs
            .into_iter()
            .map(Output::into_event)
            .rfind(|event| matches!(event, Event::Idle | Event::Busy));
        assert_eq!(last, Some(Event::Idle), "{set}/{name}");
    }
}

#[test]
fn an_agent_that_stopped_before_a_waiting_message_is_not_idle() {
    let events = live_events("plugin-prestep-reject-strands-queue");
    let blocked = events
        .iter()
        .position(|event| matches!(event, Event::TurnEnded { reason: EndReason::Blocked, .. }))
        .unwrap();
    let next_start =
        events[blocked..].iter().position(|event| matches!(event, Event::TurnStarted { .. })).unwrap();
    assert!(!events[blocked..blocked + next_start].contains(&Event::Idle));
}

#[test]
fn between_queued_turns_there_is_no_idle() {
    let events = live_events("queue-and-steer");
    let end = events.iter().position(|event| matches!(event, Event::TurnEnded { .. })).unwrap();
    let next = Event::TurnStarted { turn: Turn::new(2), origin: Some(Origin::Human) };
    assert_eq!(events[end + 1], next);
}

#[test]
fn an_active_goal_is_armed_from_the_moment_it_is_created() {
    let goals = |name: &str| -> Vec<(u64, bool)> {
        live_events(name)
            .into_iter()
            .filter_map(|event| match event {
                Event::Goal(goal) => Some((goal.revision.get(), goal.armed)),
                _ => None,
            })
            .collect()
    };
    assert_eq!(goals("goal-full-sequence"), [(1, true), (2, true), (3, false), (4, true), (5, false)]);
    assert_eq!(goals("goal-race-blocked-turn"), [(1, true), (2, false)]);
}

#[test]
fn a_disarmed_driver_shows_in_the_next_status() {
    let mut fold = LiveFold::new(SessionKind::Interactive);
    let mut events = Vec::new();
    let mut record = |value: serde_json::Value| {
        let record: LiveRecord = serde_json::from_value(value).unwrap();
        fold.record(record, &mut |output| events.push(output.into_event()));
    };
    let goal = |activation: &str| json!({ "id": "g", "revision": 1, "objective": "ship", "phase": "active", "activation": activation });
    record(json!({ "kind": "session/event", "event": { "type": "goal/change", "seq": 0,
        "data": { "operation": "create", "goal": goal("armed") } } }));
    record(json!({ "kind": "agent/status", "status": "idle", "goal": goal("disarmed") }));
    record(json!({ "kind": "agent/status", "status": "idle" }));
    record(json!({ "kind": "agent/status", "status": "idle", "goal": null }));
    record(json!({ "kind": "agent/inbox/inserted", "id": "x", "source": { "kind": "user" } }));
    record(json!({ "kind": "agent/disposed" }));
    record(json!({ "kind": "agent/disposed" }));
    let armed: Vec<_> = events
        .iter()
        .map(|event| match event {
            Event::Goal(goal) => format!("armed {}", goal.armed),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        armed,
        ["armed true", "armed false", "Idle", "Idle", r#"GoalCleared { id: "g" }"#, "Idle", "Closed"]
    );
}

#[test]
fn a_seeded_session_tells_its_past_as_history_and_repeats_nothing() {
    let records = live_records("", "plugin-autorun");
    let mut events: Vec<serde_json::Value> = Vec::new();
    for record in &records {
        if let LiveRecord::SessionEvent { event } = record {
            events.push(event.clone());
        }
    }
    let mut fold = LiveFold::new(SessionKind::Interactive);
    let mut outputs = Vec::new();
    for event in events.iter().take(60) {
        fold.seed(event.clone(), &mut |output| outputs.push(output));
    }
    assert!(outputs.iter().all(|output| matches!(output, Output::History(_))));
    let past = outputs.len();
    for event in &events {
        fold.session_event(event.clone(), &mut |output| outputs.push(output));
    }
    assert!(outputs[past..].iter().all(|output| matches!(output, Output::Live(_))));
    let messages = |outputs: &[Output]| {
        outputs
            .iter()
            .filter_map(|output| match output.clone().into_event() {
                Event::Message(message) => Some(message),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    let (_, whole) = fold_live(records);
    assert_eq!(messages(&outputs), messages(&whole));
}

#[test]
fn questions_and_approvals_open_and_close() {
    let mut fold = LiveFold::new(SessionKind::Interactive);
    let mut events = Vec::new();
    let script = [
        json!({ "type": "turn/start", "data": { "turn": 1 } }),
        json!({ "type": "approval/asked", "data": { "id": "a1", "toolName": "bash" } }),
        json!({ "type": "approval/asked", "data": { "id": "a2", "toolName": "bash" } }),
        json!({ "type": "approval/decided", "data": { "id": "a1", "outcome": "allowed-once" } }),
        json!({ "type": "approval/decided", "data": { "id": "a2", "outcome": "rejected" } }),
        json!({ "type": "tool/call", "data": { "turn": 1, "callId": "c", "name": "ask_user_question", "arguments": "{}" } }),
        json!({ "type": "turn/end", "data": { "turn": 1, "reason": { "kind": "aborted" } } }),
    ];
    for event in script {
        fold.session_event(event, &mut |output| events.push(output.into_event()));
    }
    let asking: Vec<bool> = events
        .iter()
        .filter_map(|event| match event {
            Event::Asking { open } => Some(*open),
            _ => None,
        })
        .collect();
    assert_eq!(asking, [true, false, true, false]);
}

#[test]
fn a_turn_whose_end_the_host_forgot_ends_when_the_agent_rests() {
    let mut fold = LiveFold::new(SessionKind::Interactive);
    let mut events = Vec::new();
    let mut sink = |output| {
        if let Output::Live(event) = output {
            events.push(event);
        }
    };
    let start = json!({ "type": "turn/start", "seq": 0, "time": 1, "data": { "turn": 3 } });
    let late = json!({
        "type": "turn/end", "seq": 1, "time": 1, "data": { "turn": 3, "reason": { "kind": "completed" } }
    });
    fold.status(true, None, &mut sink);
    fold.session_event(start, &mut sink);
    fold.status(false, None, &mut sink);
    fold.status(false, None, &mut sink);
    let aborted = Event::TurnEnded { turn: Turn::new(3), reason: EndReason::Aborted };
    assert_eq!(events.iter().filter(|event| **event == aborted).count(), 1, "{events:?}");
    assert_eq!(events.last(), Some(&Event::Idle));

    let mut events = Vec::new();
    fold.session_event(late, &mut |output| {
        if let Output::Live(event) = output {
            events.push(event);
        }
    });
    // The core ignores a second end (rule A10); the adapter does not hide it.
    assert!(events.len() <= 1);
}

#[test]
fn behind_a_rewrite_a_session_that_rests_says_so_anew_and_a_busy_one_does_not_d15() {
    for (set, name) in recordings() {
        let outputs = fold_live(live_records(set, &name)).1;
        let mut idle = false;
        for (place, output) in outputs.iter().enumerate() {
            match output {
                Output::Live(Event::Idle) => idle = true,
                Output::Live(Event::Busy | Event::TurnStarted { .. }) => idle = false,
                Output::History(_) if idle => {
                    let rest = outputs[place..].iter().find(|output| matches!(output, Output::Live(_)));
                    assert_eq!(rest, Some(&Output::Live(Event::Idle)), "{set}/{name}");
                }
                _ => {}
            }
        }
    }
    // In the middle of a turn nothing rests.
    let mut fold = LiveFold::new(SessionKind::Interactive);
    let mut outputs = Vec::new();
    let message = |seq: u64, text: &str, op: serde_json::Value| {
        json!({ "type": "user/message", "seq": seq, "surfaceOp": op, "data": { "id": format!("m{seq}"),
            "role": "user", "source": { "kind": "user" }, "content": [{ "type": "text", "text": text }] } })
    };
    fold.status(true, None, &mut |_| {});
    for event in [
        json!({ "type": "turn/start", "seq": 0, "data": { "turn": 1 } }),
        message(1, "first", json!("append")),
        message(2, "second", json!("append")),
        message(3, "both", json!({ "op": "replace", "start": 1, "end": 2 })),
    ] {
        fold.session_event(event, &mut |output| outputs.push(output));
    }
    assert!(outputs.contains(&Output::Live(Event::HistoryRewritten)));
    assert!(!outputs.contains(&Output::Live(Event::Idle)));
}
