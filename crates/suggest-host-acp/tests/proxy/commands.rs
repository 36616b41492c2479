//! What a person says with `/next` and `/goal`, and what the editor shows of it.

use crate::support::{Scene, chunk_of, next_description, prompt_of};
use serde_json::{Value, json};
use suggest_llm::{LlmErrorKind, ScriptedLlm};

fn commands(update: Value) -> Value {
    json!({ "sessionUpdate": "available_commands_update", "availableCommands": update })
}

fn names(message: &Value) -> Vec<String> {
    let commands = message["params"]["update"]["availableCommands"].as_array().cloned().unwrap_or_default();
    commands.iter().filter_map(|command| command["name"].as_str().map(str::to_owned)).collect()
}

#[test]
fn next_describes_the_offer_and_sends_it_as_the_editors_own_prompt_d11() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests."));
    scene.open("s");
    scene.turn("s", "Write the parser.", "It is written.");
    let shown = scene.offered("Add the tests.");
    let description = next_description(&shown).unwrap();
    assert_eq!(description, "Send: Add the tests. (scripted/one)", "the model is named (D12)");
    // Whatever else stood in the prompt stays in it.
    let link = json!({ "type": "resource_link", "uri": "file:///a.rs", "name": "a.rs", "size": 1 });
    let blocks = json!([{ "type": "text", "text": "/next ", "annotations": { "priority": 1 } }, link]);
    let id = scene.say("session/prompt", json!({ "sessionId": "s", "prompt": blocks, "_meta": { "k": 1 } }));
    let got = scene.agent.message();
    let text = json!({ "type": "text", "text": "Add the tests.", "annotations": { "priority": 1 } });
    let params = json!({ "sessionId": "s", "prompt": [text, link], "_meta": { "k": 1 } });
    assert_eq!(got, json!({ "jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": params }));
    let shown = scene.editor.until(|message| !chunk_of(message).is_empty());
    assert_eq!(chunk_of(&shown), "> Add the tests.\n\n");
    // The agent's answer is the editor's, byte for byte, and the turn is the human's: the next offer follows it.
    scene.chunk("s", "The tests pass.");
    scene
        .agent
        .write(b"{\"jsonrpc\":\"2.0\", \"id\":3,\"result\":{\"stopReason\":\"end_turn\",\"more\":[]}}\n");
    let line = loop {
        let line = scene.editor.line();
        if line.windows(10).any(|part| part == b"stopReason") {
            break line;
        }
    };
    assert_eq!(id, 3);
    assert_eq!(
        line,
        b"{\"jsonrpc\":\"2.0\", \"id\":3,\"result\":{\"stopReason\":\"end_turn\",\"more\":[]}}\n"
    );
}

#[test]
fn next_without_an_offer_says_why_and_the_agent_hears_nothing() {
    let mut scene = Scene::new(ScriptedLlm::new().fail(LlmErrorKind::Quota).reply("NONE"));
    scene.open("s");
    assert!(scene.command("s", "/next").contains("no suggestion yet"));
    scene.turn("s", "Write the parser.", "It is written.");
    scene.offered("scripted failure; `/next retry` asks again");
    assert!(scene.command("s", "/next").contains("scripted failure"));
    assert!(scene.command("s", "/next retry").contains("nothing to recommend"));
    scene.agent.heard_nothing();
}

#[test]
fn next_while_thinking_waits_and_shows_but_sends_nothing_unseen_d11() {
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = std::sync::Mutex::new(Some(released));
    let model = ScriptedLlm::new().run(move |_| {
        let released = released.lock().unwrap().take().unwrap();
        async move {
            while released.try_recv().is_err() {
                tokio::task::yield_now().await;
            }
            Ok(suggest_llm::LlmReply::new("NEXT: Add the tests."))
        }
    });
    let mut scene = Scene::new(model);
    scene.open("s");
    scene.turn("s", "Write the parser.", "It is written.");
    scene.offered("Thinking");
    let id = scene.prompt("s", "/next");
    // Lines are carried in order: when this one is there, the command came before the offer.
    scene.editor.send(&json!({ "jsonrpc": "2.0", "method": "_ping" }));
    assert_eq!(scene.agent.message()["method"], "_ping");
    release.send(()).unwrap();
    let (words, _) = scene.editor.words_until_answer(&id);
    assert!(words.contains("> Add the tests."), "{words}");
    scene.agent.heard_nothing();
}

#[test]
fn cancelling_a_wait_answers_it_at_once() {
    let mut scene = Scene::new(ScriptedLlm::new().hang());
    scene.open("s");
    scene.turn("s", "Write the parser.", "It is written.");
    scene.offered("Thinking");
    let id = scene.prompt("s", "/next");
    scene
        .editor
        .send(&json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": "s" } }));
    let (_, answer) = scene.editor.words_until_answer(&id);
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    assert_eq!(scene.agent.message()["method"], "session/cancel", "the agent gets what the editor sends");
    let id = scene.prompt("s", "/next");
    scene
        .editor
        .send(&json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": { "requestId": id } }));
    let (_, answer) = scene.editor.words_until_answer(&id);
    assert_eq!(answer["result"]["stopReason"], "cancelled");
}

#[test]
fn the_acts_of_a_person_are_answered_here() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests.").reply("NEXT: Add the docs."));
    scene.open("s");
    scene.turn("s", "Write the parser.", "It is written.");
    scene.offered("Add the tests.");
    let state = scene.command("s", "/next state");
    assert!(state.contains("Add the tests.") && state.contains("ready"), "{state}");
    assert!(scene.command("s", "/next retry").contains("Add the docs."));
    assert!(scene.command("s", "/next off").contains("off in this session"));
    scene.offered("Off: switched off");
    assert!(scene.command("s", "/next").contains("switched off"));
    scene.command("s", "/next status");
    let help = scene.command("s", "/next what");
    assert!(help.contains("no such command") && help.contains("`/next retry`"), "{help}");
    scene.agent.heard_nothing();
}

#[test]
fn an_offer_that_is_a_command_is_never_sent_d13() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: /compact the session"));
    scene.open("s");
    scene.turn("s", "Write the parser.", "It is written.");
    let shown = scene.offered("/compact the session");
    assert!(next_description(&shown).unwrap().contains("runs a command · run it yourself"));
    let words = scene.command("s", "/next");
    assert!(words.contains("yours to send") && words.contains("/compact the session"), "{words}");
    scene.agent.heard_nothing();
}

#[test]
fn ours_stand_beside_the_agents_commands_with_every_field_of_theirs() {
    let mut scene = Scene::new(ScriptedLlm::new());
    // Some agents tell their commands before they answer that the session is there.
    let id = scene.ask("session/new", json!({ "cwd": "/workspace" }));
    let theirs = json!([{ "name": "init", "description": "d", "input": null, "zeta": { "b": 1, "a": [] } }]);
    scene.update("s", commands(theirs.clone()));
    scene.answer(&id, json!({ "sessionId": "s" }));
    let ours = scene.editor.until(|message| next_description(message).is_some());
    assert_eq!(names(&ours), ["init", "next", "autorun", "goal"]);
    assert_eq!(ours["params"]["update"]["availableCommands"][0], theirs[0]);
    // When their list changes, ours follows it.
    scene.update("s", commands(json!([{ "name": "review", "description": "d" }])));
    assert_eq!(names(&scene.editor.message()), ["review"]);
    assert_eq!(names(&scene.editor.message()), ["review", "next", "autorun", "goal"]);
}

#[test]
fn a_command_of_the_agent_keeps_its_name_and_ours_takes_another() {
    let mut scene = Scene::new(ScriptedLlm::new());
    scene.open("s");
    scene.update("s", commands(json!([{ "name": "goal", "description": "the agent's own" }])));
    let ours = scene.editor.until(|message| names(message).contains(&"suggest-goal".to_owned()));
    assert_eq!(names(&ours), ["goal", "next", "autorun", "suggest-goal"]);
    let id = scene.prompt("s", "/goal ship it");
    assert_eq!(scene.agent.message()["params"], prompt_of("s", "/goal ship it"));
    scene.answer(&id, json!({ "stopReason": "end_turn" }));
    scene.editor.until(|message| message["id"] == id);
    assert!(scene.command("s", "/suggest-goal ship it").contains("The goal is set"));
}

#[test]
fn a_goal_drops_the_offer_and_leads_the_next_one_g1_g3() {
    let model = std::sync::Arc::new(
        ScriptedLlm::new().reply("NEXT: Add the tests.").reply("NEXT: Add the docs.").reply("NEXT: Rest."),
    );
    let mut scene = Scene::new(std::sync::Arc::clone(&model));
    scene.open("s");
    scene.turn("s", "Write the parser.", "It is written.");
    scene.offered("Add the tests.");
    assert!(scene.command("s", "/goal").contains("no goal"));
    assert!(scene.command("s", "/goal ship the parser").contains("The goal is set"));
    assert!(scene.command("s", "/next").contains("the goal changed"));
    assert!(scene.command("s", "/next retry").contains("Add the docs."));
    let asked = model.requests();
    let slice = asked.last().unwrap().messages.last().unwrap().content.clone();
    assert!(slice.contains("ship the parser"), "{slice}");
    assert!(scene.command("s", "/goal").contains("ship the parser"));
    assert!(scene.command("s", "/goal done").contains("reached"));
    assert!(scene.command("s", "/goal done").contains("no goal to end"));
    assert!(scene.command("s", "/goal clear").contains("gone"));
    assert!(scene.command("s", "/goal clear").contains("no goal to end"));
    scene.agent.heard_nothing();
}

#[test]
fn an_agent_that_suggests_gets_no_second_suggestion_beside_it() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests.").reply("NEXT: Add the docs."));
    scene.open("s");
    scene.turn("s", "Write the parser.", "It is written.");
    scene.offered("Add the tests.");
    let suggestion = json!({ "v": 1, "sessionId": "s", "suggestion": "run the tests", "promptId": "p" });
    let sent =
        json!({ "jsonrpc": "2.0", "method": "qwen/notify/session/prompt-suggestion", "params": suggestion });
    scene.agent.send(&sent);
    assert_eq!(scene.editor.message(), sent, "it passes");
    let shown = scene.offered("run the tests");
    assert_eq!(next_description(&shown).unwrap(), "Send: run the tests (the agent's own suggestion)");
    let id = scene.prompt("s", "/next");
    assert_eq!(scene.agent.message()["params"], prompt_of("s", "run the tests"));
    scene.chunk("s", "They pass.");
    scene.answer(&id, json!({ "stopReason": "end_turn" }));
    scene.editor.until(|message| message["id"] == id);
    let status = scene.command("s", "/next status");
    assert!(status.contains("switched off"), "ours stays quiet after the next turn: {status}");
    // The human may want ours all the same.
    let words = scene.command("s", "/next on");
    assert!(words.contains("Add the docs."), "{words}");
    scene.agent.send(&sent);
    assert_eq!(scene.editor.until(|message| message["method"] == sent["method"]), sent);
    assert!(scene.command("s", "/next status").contains("Add the docs."));
}

#[test]
fn an_editor_that_shows_suggestions_gets_the_offer_where_the_prompt_is_written() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests.").hang());
    let able = json!({ "session": { "promptSuggestions": {} } });
    let id = scene.ask("initialize", json!({ "protocolVersion": 1, "clientCapabilities": able }));
    scene.answer(&id, json!({ "protocolVersion": 1 }));
    scene.editor.until(|message| message["id"] == id);
    scene.open("s");
    scene.turn("s", "Write the parser.", "It is written.");
    let kind = |message: &Value| message["params"]["update"]["sessionUpdate"] == "prompt_suggestions_update";
    let shown = scene.editor.until(kind);
    let expected = json!([{ "prompt": [{ "type": "text", "text": "Add the tests." }] }]);
    assert_eq!(shown["params"]["update"]["suggestions"], expected);
    scene.prompt("s", "Something else.");
    let gone = scene.editor.until(kind);
    assert_eq!(gone["params"]["update"]["suggestions"], json!([]));
}

#[test]
fn sessions_are_apart() {
    let model = ScriptedLlm::new().reply("NEXT: Add the tests.");
    let mut scene = Scene::new(model);
    scene.open("a");
    scene.open("b");
    scene.turn("a", "Write the parser.", "It is written.");
    let shown = scene.offered("Add the tests.");
    assert_eq!(shown["params"]["sessionId"], "a");
    assert!(scene.command("b", "/next").contains("no suggestion yet"));
    scene.command("b", "/goal something else");
    assert!(scene.command("a", "/goal").contains("no goal"));
}

#[test]
fn a_loaded_session_is_history_and_a_retry_reads_it_d15() {
    let model = std::sync::Arc::new(ScriptedLlm::new().reply("NEXT: Add the tests."));
    let mut scene = Scene::new(std::sync::Arc::clone(&model));
    let id = scene.ask("session/load", json!({ "sessionId": "s", "cwd": "/workspace", "mcpServers": [] }));
    let user = |text: &str| {
        json!({ "sessionUpdate": "user_message_chunk",
        "content": { "type": "text", "text": text } })
    };
    scene.update("s", user("Write the parser."));
    scene.chunk("s", "It is written.");
    scene.answer(&id, json!({}));
    scene.editor.until(|message| message["id"] == id);
    scene.editor.until(|message| next_description(message).is_some());
    assert!(scene.command("s", "/next").contains("no suggestion yet"));
    assert_eq!(model.requests().len(), 0, "history asks nothing");
    assert!(scene.command("s", "/next retry").contains("Add the tests."));
    let slice = model.requests()[0].messages.last().unwrap().content.clone();
    assert!(slice.contains("Write the parser.") && slice.contains("It is written."), "{slice}");
    // The agent's answer to a load that failed ends it.
    let id = scene.ask("session/load", json!({ "sessionId": "t", "cwd": "/workspace", "mcpServers": [] }));
    scene.agent.send(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": 1, "message": "no" } }));
    scene.editor.until(|message| message["id"] == id);
    let id = scene.prompt("t", "/next");
    assert_eq!(scene.agent.message()["id"], id, "a session that is not there is the agent's to refuse");
}

#[test]
fn turns_that_did_not_complete_ask_nothing_d4() {
    for (end, why) in [
        (json!({ "result": { "stopReason": "cancelled" } }), "did not complete"),
        (json!({ "result": { "stopReason": "max_tokens" } }), "did not complete"),
        (json!({ "result": { "stopReason": "max_turn_requests" } }), "did not complete"),
        (json!({ "result": { "stopReason": "refusal" } }), "did not complete"),
        (json!({ "result": { "stopReason": "brand_new" } }), "did not complete"),
        (json!({ "error": { "code": -32603, "message": "x" } }), "did not complete"),
    ] {
        let model = std::sync::Arc::new(ScriptedLlm::new());
        let mut scene = Scene::new(std::sync::Arc::clone(&model));
        scene.open("s");
        let id = scene.prompt("s", "Write the parser.");
        scene.agent.message();
        scene.chunk("s", "It is");
        let mut answer = json!({ "jsonrpc": "2.0", "id": id });
        answer.as_object_mut().unwrap().extend(end.as_object().unwrap().clone());
        scene.agent.send(&answer);
        scene.editor.until(|message| message["id"] == id);
        let words = scene.command("s", "/next");
        assert!(words.contains(why), "{end}: {words}");
        assert_eq!(model.requests().len(), 0, "{end}");
    }
}

#[test]
fn work_between_prompts_is_a_turn_of_nobody() {
    let model =
        std::sync::Arc::new(ScriptedLlm::new().reply("NEXT: Add the tests.").reply("NEXT: Merge it."));
    let mut scene = Scene::new(std::sync::Arc::clone(&model));
    scene.open("s");
    scene.turn("s", "Write the parser.", "It is written.");
    scene.offered("Add the tests.");
    let background = |method: &str, more: Value| {
        let mut params = json!({ "sessionId": "s", "turnId": "t" });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "jsonrpc": "2.0", "method": method, "params": params })
    };
    let mut start = background("_qwencode/start_turn", json!({ "source": "background_notification" }));
    start["id"] = json!(2);
    scene.agent.send(&start);
    scene.chunk("s", "The task in the background is done.");
    scene.agent.send(&background("_qwencode/end_turn", json!({ "reason": "end_turn" })));
    scene.offered("Merge it.");
    assert!(model.requests()[1].messages.last().unwrap().content.contains("in the background"));
}

#[test]
fn a_question_of_the_agent_puts_the_loop_on_hold_and_its_answer_ends_it() {
    let mut scene = Scene::new(ScriptedLlm::new().reply("NEXT: Add the tests."));
    scene.open("s");
    let id = scene.prompt("s", "Write the parser.");
    scene.agent.message();
    let question = json!({ "jsonrpc": "2.0", "id": 9, "method": "session/request_permission", "params": {
        "sessionId": "s", "options": [], "toolCall": { "toolCallId": "c" } } });
    scene.agent.send(&question);
    assert_eq!(scene.editor.until(|message| message["id"] == 9), question);
    scene
        .editor
        .send(&json!({ "jsonrpc": "2.0", "id": 9, "result": { "outcome": { "outcome": "cancelled" } } }));
    scene.agent.until(|message| message["id"] == 9);
    scene.chunk("s", "Done.");
    scene.answer(&id, json!({ "stopReason": "end_turn" }));
    scene.offered("Add the tests.");
}
