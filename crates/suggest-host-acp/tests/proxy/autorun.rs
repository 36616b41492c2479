//! `/autorun`: rounds inside one visible prompt.

use crate::support::{Scene, chunk_of, prompt_of, settings};
use serde_json::{Value, json};
use suggest_host_acp::ProxyEvent;
use suggest_llm::{LlmErrorKind, ScriptedLlm};

fn cancel(scene: &mut Scene) {
    scene
        .editor
        .send(&json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": "s" } }));
}

/// A session with one turn and an offer, in which the human starts the loop. Gives the loop's prompt.
fn looping(scene: &mut Scene, offer: &str) -> Value {
    scene.open("s");
    scene.turn("s", "Write the parser.", "It is written.");
    scene.offered(offer);
    scene.prompt("s", "/autorun")
}

#[test]
fn rounds_run_inside_the_prompt_and_each_is_shown_as_what_it_is() {
    let model = ScriptedLlm::new().reply("NEXT: Add the tests.").reply("NEXT: Add the docs.").reply("NONE");
    let mut scene = Scene::new(model);
    let prompt = looping(&mut scene, "Add the tests.");
    let first = scene.round("s", "Add the tests.");
    scene.chunk("s", "The tests pass.");
    scene.answer(&first, json!({ "stopReason": "end_turn" }));
    let second = scene.round("s", "Add the docs.");
    scene.chunk("s", "The docs stand.");
    scene.answer(&second, json!({ "stopReason": "end_turn", "usage": {} }));
    let (words, answer) = scene.editor.words_until_answer(&prompt);
    assert_eq!(answer["result"], json!({ "stopReason": "end_turn" }));
    let order = [
        "Autorun is on; 24 of 24 rounds left",
        "**Autorun, round 1** (at most 24):",
        "> Add the tests.",
        "The tests pass.",
        "**Autorun, round 2**",
        "> Add the docs.",
        "The docs stand.",
        "Autorun stopped: there is nothing to recommend. It ran 2 rounds.",
    ];
    let mut rest = words.as_str();
    for part in order {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part} is missing or late in {words}"));
        rest = &rest[at + part.len()..];
    }
    scene.agent.heard_nothing();
    assert!(scene.command("s", "/next report").contains("rounds: 2"));
}

#[test]
fn our_requests_and_their_answers_stay_between_us_and_the_agent() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests.").reply("NONE"));
    let prompt = looping(&mut scene, "Add the tests.");
    let round = scene.round("s", "Add the tests.");
    scene.answer(&round, json!({ "stopReason": "end_turn" }));
    loop {
        let message = scene.editor.message();
        assert_ne!(message["id"], round);
        if message["id"] == prompt {
            break;
        }
    }
}

#[test]
fn cancelling_in_a_round_stops_the_loop_at_once_a5() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests.").reply("NEXT: More."));
    let prompt = looping(&mut scene, "Add the tests.");
    let round = scene.round("s", "Add the tests.");
    scene.chunk("s", "I begin");
    cancel(&mut scene);
    assert_eq!(scene.agent.message()["method"], "session/cancel");
    scene.answer(&round, json!({ "stopReason": "cancelled" }));
    let (words, answer) = scene.editor.words_until_answer(&prompt);
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    assert!(words.contains("It ran 1 round."), "{words}");
    // Nothing of it goes on, and the session works as before.
    scene.turn("s", "Something else.", "Done.");
    scene.agent.heard_nothing();
}

#[test]
fn cancelling_while_it_thinks_answers_at_once_and_no_round_follows_a5() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests.").hang());
    let prompt = looping(&mut scene, "Add the tests.");
    let round = scene.round("s", "Add the tests.");
    scene.answer(&round, json!({ "stopReason": "end_turn" }));
    scene.offered("Thinking");
    cancel(&mut scene);
    let (_, answer) = scene.editor.words_until_answer(&prompt);
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    assert_eq!(scene.agent.message()["method"], "session/cancel");
    scene.agent.heard_nothing();
}

#[test]
fn cancelling_by_the_requests_id_reaches_the_round() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests."));
    let prompt = looping(&mut scene, "Add the tests.");
    let round = scene.round("s", "Add the tests.");
    let params = json!({ "requestId": prompt });
    scene.editor.send(&json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": params }));
    let cancelled = scene.agent.until(|message| message["method"] == "session/cancel");
    assert_eq!(cancelled["params"], json!({ "sessionId": "s" }));
    scene.answer(&round, json!({ "stopReason": "cancelled" }));
    let (_, answer) = scene.editor.words_until_answer(&prompt);
    assert_eq!(answer["result"]["stopReason"], "cancelled");
}

#[test]
fn the_budget_ends_it_and_only_a_reset_refreshes_it_a6() {
    let model =
        ScriptedLlm::new().reply("NEXT: Add the tests.").reply("NEXT: Add the docs.").reply("NEXT: Merge.");
    let mut scene = Scene::with(model, &settings(&json!({ "promptMaxRounds": 1 })));
    let prompt = looping(&mut scene, "Add the tests.");
    let round = scene.round("s", "Add the tests.");
    scene.chunk("s", "Done.");
    scene.answer(&round, json!({ "stopReason": "end_turn" }));
    let (words, _) = scene.editor.words_until_answer(&prompt);
    assert!(words.contains("1 of 1 rounds spent. It ran 1 round."), "{words}");
    let refused = scene.command("s", "/autorun");
    assert!(refused.contains("rounds spent"), "{refused}");
    // Loading the session again is no refresh (and arms nothing, A1).
    let id = scene.ask("session/load", json!({ "sessionId": "s", "cwd": "/workspace" }));
    scene.answer(&id, json!({}));
    scene.editor.until(|message| message["id"] == id);
    scene.offered("o suggestion");
    let refused = scene.command("s", "/autorun");
    assert!(refused.contains("1 of 1 rounds spent"), "{refused}");
    assert!(scene.command("s", "/autorun reset").contains("0 of 1"));
    scene.agent.heard_nothing();
}

#[test]
fn a_step_for_the_humans_hand_ends_it_a4_d13() {
    let model = ScriptedLlm::new().reply("NEXT: Add the tests.").reply("NEXT: Force-push to main.");
    let mut scene = Scene::new(model);
    let prompt = looping(&mut scene, "Add the tests.");
    let round = scene.round("s", "Add the tests.");
    scene.chunk("s", "Done.");
    scene.answer(&round, json!({ "stopReason": "end_turn" }));
    let (words, answer) = scene.editor.words_until_answer(&prompt);
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    assert!(words.contains("yours to run") && words.contains("Force-push to main."), "{words}");
    scene.agent.heard_nothing();
}

#[test]
fn a_round_that_fails_ends_it_a5() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests.").reply("NEXT: More."));
    let prompt = looping(&mut scene, "Add the tests.");
    let round = scene.round("s", "Add the tests.");
    scene.agent.send(&json!({ "jsonrpc": "2.0", "id": round, "error": { "code": -32603, "message": "x" } }));
    let (words, _) = scene.editor.words_until_answer(&prompt);
    assert!(words.contains("failed"), "{words}");
    scene.agent.heard_nothing();
}

#[test]
fn a_failing_model_ends_it_and_says_why() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests.").fail(LlmErrorKind::Quota));
    let prompt = looping(&mut scene, "Add the tests.");
    let round = scene.round("s", "Add the tests.");
    scene.chunk("s", "Done.");
    scene.answer(&round, json!({ "stopReason": "end_turn" }));
    let (words, _) = scene.editor.words_until_answer(&prompt);
    assert!(words.contains("suggestion") && words.contains("failed"), "{words}");
}

#[test]
fn a_prompt_of_the_human_in_a_round_ends_it_and_reaches_the_agent_a5() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests.").reply("NEXT: More."));
    let prompt = looping(&mut scene, "Add the tests.");
    let round = scene.round("s", "Add the tests.");
    let mine = scene.prompt("s", "Stop that and rename it.");
    assert_eq!(scene.agent.message()["params"], prompt_of("s", "Stop that and rename it."));
    scene.answer(&round, json!({ "stopReason": "end_turn" }));
    let (words, _) = scene.editor.words_until_answer(&prompt);
    assert!(words.contains("you sent a prompt yourself"), "{words}");
    scene.chunk("s", "Renamed.");
    scene.answer(&mine, json!({ "stopReason": "end_turn" }));
    scene.offered("More.");
    scene.agent.heard_nothing();
}

#[test]
fn without_a_completed_turn_it_says_so_and_ends() {
    let mut scene = Scene::new(ScriptedLlm::new());
    scene.open("s");
    let words = scene.command("s", "/autorun");
    assert!(words.contains("waiting for a completed turn"), "{words}");
}

#[test]
fn an_agent_that_dies_in_a_round_leaves_no_prompt_unanswered() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests."));
    let prompt = looping(&mut scene, "Add the tests.");
    scene.round("s", "Add the tests.");
    scene.agent.hang_up();
    scene.event(ProxyEvent::AgentEnded);
    let Scene { proxy, editor, .. } = scene;
    proxy.finish(crate::support::PATIENCE);
    let answer = editor.until(|message| message["id"] == prompt);
    assert_eq!(answer["error"]["message"], "the connection to the agent ended");
}

#[test]
fn it_goes_on_from_a_loaded_session() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests.").reply("NONE"));
    let id = scene.ask("session/load", json!({ "sessionId": "s", "cwd": "/workspace", "mcpServers": [] }));
    let user =
        json!({ "sessionUpdate": "user_message_chunk", "content": { "type": "text", "text": "Write it." } });
    scene.update("s", user);
    scene.chunk("s", "It is written.");
    scene.answer(&id, json!({}));
    scene.offered("o suggestion");
    let prompt = scene.prompt("s", "/autorun");
    let round = scene.round("s", "Add the tests.");
    scene.chunk("s", "Done.");
    scene.answer(&round, json!({ "stopReason": "end_turn" }));
    let (words, _) = scene.editor.words_until_answer(&prompt);
    assert!(words.contains("It ran 1 round."), "{words}");
}

#[test]
fn version_two_ends_turns_by_the_state_and_prompts_by_acceptance() {
    let model = ScriptedLlm::new().reply("NEXT: Add the tests.").reply("NONE");
    let mut scene = Scene::new(model);
    let id = scene.ask("initialize", json!({ "protocolVersion": 2, "capabilities": {} }));
    scene.answer(&id, json!({ "protocolVersion": 2, "capabilities": {} }));
    scene.open("s");
    let state = |scene: &mut Scene, state: Value| {
        let mut update = json!({ "sessionUpdate": "state_update" });
        update.as_object_mut().unwrap().extend(state.as_object().unwrap().clone());
        scene.update("s", update);
    };
    let turn = |scene: &mut Scene, id: &Value, message: &str, words: &str| {
        scene.answer(id, json!({ "messageId": message }));
        state(scene, json!({ "state": "running" }));
        let blocks = json!([{ "type": "text", "text": words }]);
        scene.update(
            "s",
            json!({ "sessionUpdate": "agent_message", "messageId": message, "content": blocks }),
        );
        state(scene, json!({ "state": "idle", "stopReason": "end_turn" }));
    };
    let id = scene.prompt("s", "Write the parser.");
    scene.agent.message();
    turn(&mut scene, &id, "m1", "It is written.");
    scene.offered("Add the tests.");
    let prompt = scene.prompt("s", "/autorun");
    let accepted = scene.editor.until(|message| message["id"] == prompt);
    assert!(accepted["result"]["messageId"].is_string(), "{accepted}");
    let round = scene.round("s", "Add the tests.");
    let shown = scene.editor.until(|message| chunk_of(message).contains("round 1"));
    assert!(shown["params"]["update"]["messageId"].is_string());
    turn(&mut scene, &round, "m2", "They pass.");
    scene.editor.until(|message| chunk_of(message).contains("It ran 1 round."));
    let idle = scene.editor.until(|message| message["params"]["update"]["state"] == "idle");
    assert_eq!(idle["params"]["update"]["stopReason"], "end_turn");
}
