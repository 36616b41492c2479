use super::*;
use crate::scenario::{Action, Answer, StepBody};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Value, json};
use suggest_core::{ErrorKind, ReplyFinish};

#[track_caller]
fn read(document: Value) -> Scenario {
    Scenario::from_json(&document.to_string()).unwrap()
}

#[track_caller]
fn refused(document: Value) -> ScenarioError {
    Scenario::from_json(&document.to_string()).unwrap_err()
}

fn steps(steps: Value) -> Value {
    json!({ "steps": steps })
}

#[track_caller]
fn answer(step: Value) -> Answer {
    match read(steps(json!([step]))).steps.remove(0).body {
        StepBody::Act(Action::Answer { with, .. }) => with,
        other => panic!("no answer: {other:?}"),
    }
}

#[test]
fn a_scenario_without_a_session_has_an_interactive_one_with_an_id() {
    let scenario = read(steps(json!([])));
    assert_eq!(scenario.sessions[0].setup(), SessionSetup::new("s1"));
    let scenario = read(
        json!({"session": {"kind": "subagent", "opt_in": true, "cwd": "/w", "home": "/h"}, "steps": []}),
    );
    let expected = SessionSetup::new("s1")
        .with_kind(SessionKind::Subagent, true)
        .with_folders(Some("/w".into()), Some("/h".into()));
    assert_eq!(scenario.sessions[0].setup(), expected);
}

#[test]
fn a_session_can_be_without_an_id() {
    for id in [json!(""), json!(null)] {
        assert_eq!(read(json!({"session": {"id": id}, "steps": []})).sessions[0].id, "");
    }
}

#[test]
fn a_malformed_step_names_its_number_and_field() {
    let cases = [
        (json!({"evnt": {}}), "evnt"),
        (json!({}), "at"),
        (json!({"session": "s1"}), "at"),
        (json!(7), "steps"),
        (json!({"at": "soon"}), "at"),
        (json!({"at": -1}), "at"),
        (json!({"at": 99}), "at"),
        (json!({"at": 99, "expect": {}}), "at"),
        (json!({"session": "s2", "event": {"type": "idle"}}), "session"),
        (json!({"event": {"type": "idle"}, "command": "run"}), "command"),
        (json!({"event": {"type": "idle"}, "expect": {}}), "expect"),
        (json!({"event": null}), "event"),
        (json!({"event": {"type": "turn_ended", "turn": 1, "reason": "tired"}}), "event.reason"),
        (json!({"history_event": {"type": "message", "author": "human"}}), "history_event.text"),
        (json!({"command": ["run"]}), "command"),
        (json!({"reply": {}}), "reply.text"),
        (json!({"reply": ["NEXT: a"]}), "reply"),
        (json!({"error": ["network"]}), "error"),
        (json!({"submit_result": [true]}), "submit_result"),
        (json!({"reply": {"text": "a", "voice": "choir"}}), "reply.voice"),
        (json!({"reply": {"text": "a", "call": "one"}}), "reply.call"),
        (json!({"reply": {"text": "a", "usage": {"input_tokens": "many"}}}), "reply.usage.input_tokens"),
        (json!({"reply": {"text": "a", "finnish": "stop"}}), "reply.finnish"),
        (json!({"reply": {"text": "a", "reasoning": 1}}), "reply.reasoning"),
        (json!({"error": {"kind": "bad-luck"}}), "error.kind"),
        (json!({"error": {}}), "error.kind"),
        (json!({"submit_result": {"reason": "busy"}}), "submit_result.accepted"),
        (json!({"submit_result": {"accepted": true, "ticket": -1}}), "submit_result.ticket"),
        (json!({"config": {"promptMaxChars": 0}}), "config.promptMaxChars"),
        (json!({"config": {"advisor": {"modle": "x"}}}), "config.advisor.modle"),
        (json!({"config": null}), "config"),
        (json!({"restart": false}), "restart"),
        (json!({"restart": {"hard": true}}), "restart"),
        (json!({"expect": {"state": {"status": {"$is": "ready"}}}}), "expect.state.status.$is"),
        (json!({"expect": "ready"}), "expect"),
    ];
    for (step, field) in cases {
        let error = refused(steps(json!([{"at": 100}, step])));
        assert_eq!((error.step(), error.field()), (Some(StepNumber::at(1)), Some(field)), "{error}");
        assert!(error.to_string().starts_with(&format!("step 1, field `{field}`: ")), "{error}");
    }
}

#[test]
fn a_malformed_document_names_its_field() {
    let cases = [
        (json!({}), "steps"),
        (json!([]), "steps"),
        (json!("steps"), "steps"),
        (json!({"steps": {}}), "steps"),
        (json!({"steps": [], "session": ["s1"]}), "session"),
        (json!({"steps": [], "sessions": [["a"]]}), "sessions"),
        (json!({"steps": [], "title": "x"}), "title"),
        (json!({"steps": [], "config": {"promptModel": "no-slash"}}), "config.promptModel"),
        (json!({"steps": [], "config": []}), "config"),
        (json!({"steps": [], "session": {"kind": "daemon"}}), "session.kind"),
        (json!({"steps": [], "session": {"name": "x"}}), "session.name"),
        (json!({"steps": [], "sessions": []}), "sessions"),
        (json!({"steps": [], "session": {}, "sessions": [{"id": "a"}]}), "sessions"),
        (json!({"steps": [], "sessions": [{"id": "a"}, {}]}), "sessions[1].id"),
        (json!({"steps": [], "sessions": [{"id": "a"}, {"id": "a"}]}), "sessions[1].id"),
        (json!({"steps": [], "history": [{"type": "idle"}, {"type": "goal_cleared"}]}), "history[1].id"),
    ];
    for (document, field) in cases {
        let error = refused(document);
        assert_eq!((error.step(), error.field()), (None, Some(field)), "{error}");
    }
    assert_eq!(
        refused(json!({"steps": [], "config": {"promptModel": "no-slash"}})).to_string(),
        "`config.promptModel`: `promptModel`: `no-slash` is no model: write provider/model, for example \
         deepseek/deepseek-chat",
    );
}

#[test]
fn a_text_that_is_no_json_says_where() {
    let error = Scenario::from_json("{\n  \"steps\": [,]\n}").unwrap_err();
    assert!(error.to_string().starts_with("the scenario is no JSON: "), "{error}");
    assert!(error.to_string().contains("line 2"), "{error}");
}

#[test]
fn an_error_never_quotes_a_text_of_the_session() {
    let error = refused(steps(json!([{"event": {"type": "turn_started", "turn": "a secret prompt"}}])));
    assert_eq!(error.to_string(), "step 0, field `event.turn`: invalid type: string, expected u64");
}

#[test]
fn an_expectation_needs_an_earlier_step() {
    assert_eq!(refused(steps(json!([{"expect": {}}]))).field(), Some("expect"));
    let sessions = json!([{"id": "a"}, {"id": "b"}]);
    let of_b = json!([{"session": "a", "at": 0}, {"session": "b", "expect": {}}]);
    assert_eq!(refused(json!({"sessions": sessions, "steps": of_b})).step(), Some(StepNumber::at(1)));
}

#[test]
fn a_step_of_several_sessions_names_its_session_unless_it_only_compares() {
    let sessions = json!([{"id": "a"}, {"id": "b"}]);
    let scenario = read(json!({"sessions": sessions, "steps": [{"session": "b", "at": 0}, {"expect": {}}]}));
    assert_eq!(scenario.steps[1].session, SessionIndex(1));
    for step in [json!({"event": {"type": "idle"}}), json!({"at": 3})] {
        let error = refused(json!({"sessions": sessions, "steps": [step]}));
        assert_eq!((error.step(), error.field()), (Some(StepNumber::at(0)), Some("session")));
    }
}

#[test]
fn a_reply_is_plain_unless_it_says_more() {
    let Answer::Reply(reply) = answer(json!({"reply": {"text": "NEXT: a"}})) else { panic!("no reply") };
    assert_eq!(reply, ModelReply::text("NEXT: a"));
    let full = json!({"reply": {"text": "b", "finish": "length", "reasoning": "hm", "usage": {"input_tokens": 9, "cached_tokens": 4}}});
    let Answer::Reply(reply) = answer(full) else { panic!("no reply") };
    assert_eq!((reply.finish, reply.had_reasoning), (ReplyFinish::Length, true));
    assert_eq!(
        (reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.output_tokens),
        (Some(9), Some(4), None)
    );
}

#[test]
fn every_finish_reason_is_read() {
    for (word, finish) in [
        ("stop", ReplyFinish::Stop),
        ("tool_calls", ReplyFinish::ToolCalls),
        ("insufficient", ReplyFinish::Other),
    ] {
        let Answer::Reply(reply) = answer(json!({"reply": {"text": "", "finish": word}})) else {
            panic!("no reply")
        };
        assert_eq!(reply.finish, finish);
    }
}

#[test]
fn d8_a_reply_that_the_content_filter_withheld_is_an_error() {
    let Answer::Error(error) = answer(json!({"reply": {"text": "", "finish": "content_filter"}})) else {
        panic!("no error")
    };
    assert_eq!(error, CallError::new(ErrorKind::Filtered));
}

#[test]
fn every_spelling_of_a_restart_is_read() {
    for restart in [json!(true), json!({}), json!(null)] {
        let scenario = read(steps(json!([{"restart": restart}])));
        assert!(matches!(scenario.steps[0].body, StepBody::Act(Action::Restart)));
    }
}

#[test]
fn configuration_steps_add_up() {
    let scenario = read(json!({
        "config": {"promptMaxChars": 100, "promptMaxRounds": 2},
        "steps": [{"config": {"promptMaxRounds": 5}}, {"config": {"advisor": {"immuneTurns": 1}}}],
    }));
    let StepBody::Act(Action::Config(config)) = &scenario.steps[1].body else { panic!("no configuration") };
    assert_eq!((config.prompt_max_chars, config.prompt_max_rounds, config.advisor.immune_turns), (100, 5, 1));
}

/// A document with something of everything.
fn full_document() -> Value {
    json!({
        "config": {"promptModel": "a/b", "advisor": {"immuneTurns": 2}},
        "sessions": [{"id": "a", "kind": "headless", "opt_in": true, "cwd": "/w"}, {"id": "b"}],
        "history": [{"type": "chapter", "number": 1}],
        "steps": [
            {"session": "a", "event": {"type": "message", "author": "human", "text": "t"}},
            {"session": "b", "at": 5, "reply": {"text": "t", "finish": "stop", "usage": {"input_tokens": 1}}},
            {"session": "a", "error": {"kind": "quota", "voice": "advisor", "call": 1}},
            {"session": "a", "submit_result": {"accepted": false, "reason": "r", "ticket": 1}},
            {"session": "a", "config": {"promptMaxRounds": 1}},
            {"session": "a", "restart": true},
            {"expect": {"state": {"offer": {"text": {"$contains": ["x"]}}}, "effects": {"$none": {"type": "report"}}}},
        ],
    })
}

/// Puts a value in the place of one of the values of a document, in the order of a walk.
fn put(document: &mut Value, place: &mut usize, new: &Value) {
    if *place == 0 {
        *document = new.clone();
    }
    *place = place.wrapping_sub(1);
    match document {
        Value::Array(items) => items.iter_mut().for_each(|item| put(item, place, new)),
        Value::Object(fields) => fields.values_mut().for_each(|field| put(field, place, new)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

proptest! {
    #[test]
    fn a_document_with_one_wrong_value_is_read_or_refused_with_its_place(
        place in 0_usize..70,
        new in prop_oneof![
            Just(json!(null)), Just(json!(-1)), Just(json!(1.5)), Just(json!("private words")), Just(json!([])),
            Just(json!({})), Just(json!({"private words": 1})), Just(json!({"$private": 1})), Just(json!(u64::MAX)),
        ],
    ) {
        let mut document = full_document();
        put(&mut document, &mut { place }, &new);
        match Scenario::from_json(&document.to_string()) {
            Ok(scenario) => prop_assert!(scenario.len() <= 7),
            Err(error) => prop_assert!(error.field().is_some(), "{error}"),
        }
    }
}
