//! The schemas accept what the readers accept, and refuse what they refuse.

use super::fits::fits;
use super::{read, written};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use suggest_core::{
    CallError, Command, Config, DisarmCode, Effect, Event, ModelReply, Session, SessionSetup, State, Voice,
};

/// One of each event, with every key that it may have.
fn events() -> Vec<Value> {
    vec![
        json!({ "type": "turn_started", "turn": 1, "origin": "suggest" }),
        json!({ "type": "turn_ended", "turn": 1, "reason": "completed" }),
        json!({ "type": "idle" }),
        json!({ "type": "busy" }),
        json!({ "type": "human_queued", "count": 2 }),
        json!({ "type": "asking", "open": true }),
        json!({ "type": "history_rewritten" }),
        json!({ "type": "closed" }),
        json!({ "type": "message", "author": "plugin", "text": "t", "id": "m1", "producer": "p" }),
        json!({ "type": "tool", "name": "edit", "summary": "s", "files": ["a.rs"], "ok": true }),
        json!({ "type": "plan", "items": [{ "text": "t", "status": "in_progress" }] }),
        json!({ "type": "chapter", "number": 1, "title": "t", "summary": "s" }),
        json!({ "type": "goal", "id": "g", "revision": 1, "phase": "active", "armed": true, "objective": "o" }),
        json!({ "type": "goal_cleared", "id": "g" }),
    ]
}

/// Values that most keys refuse.
const OTHERS: &[&str] = &["null", "true", "-1", "1", "0.5", "\"x\"", "[\"x\"]", "{}"];

/// The value itself, and it with one thing changed: a key left out, added or given another value. No empty list: the
/// readers take one for an object whose keys all have defaults.
fn variants(value: &Value) -> Vec<Value> {
    let mut all = vec![value.clone()];
    if let Value::Object(fields) = value {
        let with = |key: &str, field: Option<Value>| {
            let mut fields: Map<String, Value> = fields.clone();
            match field {
                Some(field) => fields.insert(key.to_owned(), field),
                None => fields.remove(key),
            };
            Value::Object(fields)
        };
        all.push(with("another key", Some(json!(1))));
        for (key, field) in fields {
            all.push(with(key, None));
            for other in OTHERS.iter().map(|text| text.parse().expect("a value")) {
                all.push(with(key, Some(other)));
            }
            all.extend(variants(field).into_iter().map(|field| with(key, Some(field))));
        }
    }
    if let Value::Array(items) = value {
        all.push(json!(null));
        all.extend(items.iter().flat_map(variants).map(|item| json!([item])));
    }
    all
}

/// Nothing that the reader takes is outside the schema.
fn nothing(_: &Value) -> bool {
    false
}

/// A reader may be kinder than its schema only where `kinder` says so; the schema never promises what is not read.
fn check_agreement(
    schema: &Value,
    samples: &[Value],
    kinder: impl Fn(&Value) -> bool,
    reads: impl Fn(&Value) -> bool,
) {
    for sample in samples {
        assert!(reads(sample), "a sample is right: {sample}");
        for value in variants(sample) {
            let agree = if kinder(&value) { reads(&value) } else { fits(schema, &value) == reads(&value) };
            assert!(agree, "the schema and the reader differ on {value}");
        }
    }
}

fn reads<T: DeserializeOwned>(value: &Value) -> bool {
    T::deserialize(value).is_ok()
}

/// The reader overlooks a key too many on an event that has none of its own.
fn bare_with_more(event: &Value) -> bool {
    let bare = ["idle", "busy", "history_rewritten", "closed"].iter().any(|name| event["type"] == *name);
    bare && event.get("another key").is_some()
}

#[test]
fn events_are_read_as_their_schema_says() {
    check_agreement(&read::<Event>().to_value(), &events(), bare_with_more, reads::<Event>);
}

#[test]
fn replies_and_errors_of_calls_are_read_as_their_schemas_say() {
    // Why a model stopped may also be a word that nobody knows yet.
    let usage = json!({ "input_tokens": 1, "output_tokens": 2, "cached_tokens": 3, "reasoning_tokens": 4 });
    let reply = json!({ "text": "NEXT: x", "finish": "stop", "had_reasoning": true, "usage": usage });
    check_agreement(
        &read::<ModelReply>().to_value(),
        &[reply, json!({})],
        |reply| reply["finish"] == "x",
        reads::<ModelReply>,
    );
    let error = json!({ "kind": "retry-later", "message": "m", "retry_after_ms": 5 });
    check_agreement(&read::<CallError>().to_value(), &[error], nothing, reads::<CallError>);
}

#[test]
fn commands_are_read_as_their_schema_says() {
    let lines = [
        "state",
        "status",
        "report",
        "pull",
        "help",
        "model",
        "model a/b",
        "model clear",
        "on",
        "off",
        "run",
        "run o3",
        "autorun on",
        "autorun off",
        "autorun reset",
        "retry",
        "summary",
        "advisor on",
        "advisor model set p m",
        "cards",
        "cards accept c1",
        "cards dismiss all",
    ];
    let samples: Vec<Value> = lines
        .iter()
        .map(|line| {
            serde_json::to_value(line.parse::<Command>().expect("a command")).expect("a command is JSON")
        })
        .collect();
    check_agreement(&read::<Command>().to_value(), &samples, nothing, reads::<Command>);
}

#[test]
fn configurations_are_read_as_their_schema_says() {
    let config = json!({
        "promptModel": "openrouter/a/b",
        "promptContextChars": 500,
        "promptMaxChars": 20,
        "promptMaxRounds": 1_000,
        "promptDeadlineMs": 1_000,
        "enrichmentMaxTokens": 64,
        "maxConcurrentCalls": 10_000,
        "allowTransfer": true,
        "advisor": {
            "provider": "p", "model": "m", "systemPrompt": "s", "immuneTurns": 0, "maxDeltaMessages": 0,
            "proseFallback": true, "reasoningEffort": "low", "nextPrompt": false, "defaultEnabled": false,
            "enabled": true, "maxTokens": 7,
        },
        "cards": { "enabled": false, "model": "a/b" },
        "summary": { "enabled": false, "model": "" },
        "providers": { "own": { "baseUrl": "http://localhost:1" } },
    });
    let schema = read::<Config>().to_value();
    check_agreement(&schema, &[config, json!({})], nothing, |value| Config::from_json(value).is_ok());
    for tokens in [0, 1, 63, 64, 131_072, 131_073] {
        let document = json!({ "enrichmentMaxTokens": tokens });
        assert_eq!(fits(&schema, &document), Config::from_json(&document).is_ok(), "{document}");
    }
    let written = serde_json::to_value(Config::default()).expect("a configuration is JSON");
    assert!(fits(&schema, &written));
}

#[test]
fn states_are_written_as_their_schema_says() {
    let schema = written::<State>().to_value();
    let coded = |code: &str| json!({ "code": code, "message": "m" });
    let usage = json!({
        "calls": 1, "failed_calls": 0, "input_tokens": 1, "output_tokens": 1, "cached_tokens": 1, "ms": 1
    });
    let card = json!({
        "id": "c1", "title": "t", "text": "t", "prompt": "p", "category": "c", "priority": "high", "origin": "local",
        "stale": false,
    });
    let full = json!({
        "status": "failed",
        "reason": coded("timeout"),
        "offer": { "id": "o1", "text": "t", "turn": 1, "current": false, "kind": "goal_edit", "model": "a/b" },
        "autorun": {
            "armed": true, "hold": coded("busy"), "rounds": 1, "max_rounds": 24, "disarmed_because": coded("human")
        },
        "goal": {
            "id": "g", "revision": 1, "phase": "paused", "armed": false, "objective": "o", "paused_by_autorun": true
        },
        "model": { "id": "a/b", "source": "config" },
        "usage": usage,
        "advisor": {
            "status": "paused", "reason": coded("quota_exhausted"), "in_flight": false, "backlog": 1, "blocker": "b",
            "steers_since_human": 1, "delivered": 1, "dropped": { "empty": 1 }, "prediction": "p", "usage": usage,
        },
        "cards": { "open": [card], "dropped": { "generic": 1 }, "in_flight": false, "usage": usage },
        "summary": { "text": "t", "origin": "model", "in_flight": false, "usage": usage },
    });
    let state: State = serde_json::from_value(full.clone()).expect("a state");
    assert_eq!(serde_json::to_value(&state).expect("a state is JSON"), full, "the sample has every key");
    assert!(fits(&schema, &full));
    // A schema of what is written may ask for more keys than the reader does, and never for fewer.
    for value in variants(&full) {
        assert!(
            !fits(&schema, &value) || reads::<State>(&value),
            "the schema accepts what is no state: {value}"
        );
    }
}

#[test]
fn effects_are_written_as_their_schema_says() {
    let schema = written::<Effect>().to_value();
    let usage = json!({
        "calls": 1, "failed_calls": 0, "input_tokens": 1, "output_tokens": 1, "cached_tokens": 1, "ms": 1
    });
    for effect in [
        json!({
            "type": "call_model", "call": 1, "voice": Voice::Director, "attempt": 2, "model": "a/b",
            "messages": [{ "role": "system", "text": "t" }], "deadline_ms": 60_000,
        }),
        json!({ "type": "cancel_call", "call": 1 }),
        json!({
            "type": "submit_turn", "ticket": 1, "offer": "o1", "text": "t", "author": "suggest",
            "expect": { "turn": 1, "goal": { "id": "g", "revision": 2 }, "human_epoch": 3 },
        }),
        json!({
            "type": "submit_turn", "ticket": 1, "offer": "o1", "text": "t", "author": "human",
            "expect": { "turn": null, "goal": null, "human_epoch": 0 },
        }),
        json!({ "type": "withdraw_turn", "ticket": 1 }),
        json!({ "type": "disarm_goal", "id": "g", "revision": 1 }),
        json!({ "type": "inject", "text": "t" }),
        json!({ "type": "steer", "text": "t", "wakes": true }),
        json!({ "type": "fill_input", "text": "t" }),
        json!({
            "type": "report", "reason": DisarmCode::Human.coded(), "rounds": 1,
            "offers": [{ "id": "o1", "turn": 1, "text": "t" }], "usage": usage, "goal_paused": false,
        }),
        json!({ "type": "publish", "event": { "any": ["thing"] } }),
        json!({ "type": "persist", "what": null }),
        json!({ "type": "wake_at", "at": 5 }),
    ] {
        let read: Effect = serde_json::from_value(effect.clone()).expect("an effect");
        assert_eq!(
            serde_json::to_value(&read).expect("an effect is JSON"),
            effect,
            "the sample has every key"
        );
        assert!(fits(&schema, &effect), "{effect}");
        for value in variants(&effect) {
            assert!(
                !fits(&schema, &value) || reads::<Effect>(&value),
                "the schema accepts no effect: {value}"
            );
        }
    }
}

#[test]
fn the_state_of_a_new_session_fits_its_schema() {
    let session = Session::new(SessionSetup::new("s1"), Config::default());
    let state = serde_json::to_value(session.state()).expect("a state is JSON");
    assert!(fits(&written::<State>().to_value(), &state), "{state}");
}
