//! The session file lags behind what the harness tells its hook: the offer is always of the turn that ended.

use crate::hosts::{finished, record, status_line, until};
use crate::support::{Run, World};
use serde_json::{Value, json};

const FIRST: &str = "The parser is written. `parse::nested_braces` still fails.";
const SECOND: &str = "The flag is in. `report::empty_ledger` still fails.";
const STEP: &str = "> Next step: Fix the failing test `report::empty_ledger`\n";
const MESSAGE: &str = "suggest: Fix the failing test `report::empty_ledger`";

/// A line of a session file of Claude Code, as version 2.1 writes it.
fn line(id: &str, parent: Option<&str>, rest: Value) -> String {
    let mut line = json!({ "uuid": id, "parentUuid": parent, "sessionId": "s-1", "isSidechain": false, "cwd": "/workspace" });
    line.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    format!("{line}\n")
}

fn prompt(id: &str, parent: Option<&str>, prompt: &str, words: &str) -> String {
    let message = json!({ "role": "user", "content": words });
    let source = json!({ "type": "user", "promptId": prompt, "promptSource": "typed", "turnOrigin": "human", "message": message });
    line(id, parent, source)
}

fn answer(id: &str, parent: &str, words: &str) -> String {
    let message = json!({ "role": "assistant", "model": "m", "stop_reason": "end_turn", "content": [{ "type": "text", "text": words }] });
    line(id, Some(parent), json!({ "type": "assistant", "message": message }))
}

fn end(id: &str, parent: &str) -> String {
    let hooks = line(id, Some(parent), json!({ "type": "system", "subtype": "stop_hook_summary" }));
    hooks + &line(&format!("{id}-2"), Some(id), json!({ "type": "system", "subtype": "turn_duration" }))
}

fn first_turn() -> String {
    prompt("1", None, "p-1", "write the parser") + &answer("2", "1", FIRST) + &end("3", "2")
}

fn second_prompt() -> String {
    prompt("4", Some("3-2"), "p-2", "add a flag")
}

fn second_answer() -> String {
    answer("5", "4", SECOND)
}

fn second_end() -> String {
    end("6", "5")
}

fn stop(transcript: &str, prompt: &str, last: Option<&str>) -> String {
    json!({
        "session_id": "s-1", "transcript_path": transcript, "cwd": "/workspace", "prompt_id": prompt,
        "hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": last,
    })
    .to_string()
}

/// The hook that waits, begun before `meanwhile` and finished after it.
fn waiting_hook(world: &World, event: &str, meanwhile: impl FnOnce()) -> Run {
    std::thread::scope(|scope| {
        let hook = scope
            .spawn(|| world.run_with_input(&["hook", "claude-code", "--system-message"], event.as_bytes()));
        until("the background process", || {
            record(world, "claude-code", "s-1")?.get("work")?.get("process")?.as_u64()
        });
        meanwhile();
        hook.join().unwrap().ends_with(0)
    })
}

/// A session whose first turn was answered.
fn answered_once(world: &World) -> String {
    let transcript = world.write("s.jsonl", first_turn());
    let event = stop(&transcript, "p-1", Some(FIRST));
    world.run_with_input(&["hook", "claude-code"], event.as_bytes()).ends_with(0);
    finished(world, "claude-code", "s-1");
    assert!(status_line(world, "s-1", "p-1").contains("parse::nested_braces"));
    transcript
}

#[test]
fn a_hook_that_waits_offers_the_step_of_the_turn_that_is_written_only_then() {
    let world = World::new();
    let transcript = answered_once(&world);
    let run = waiting_hook(&world, &stop(&transcript, "p-2", Some(SECOND)), || {
        world.write("s.jsonl", first_turn() + &second_prompt());
        world.write("s.jsonl", first_turn() + &second_prompt() + &second_answer());
    });
    assert_eq!(run.json(), json!({ "systemMessage": MESSAGE }));
    assert_eq!(status_line(&world, "s-1", "p-2"), STEP);
}

#[test]
fn an_answer_that_is_never_written_is_taken_from_the_event() {
    let world = World::new();
    let transcript = answered_once(&world);
    world.write("s.jsonl", first_turn() + &second_prompt());
    let run = waiting_hook(&world, &stop(&transcript, "p-2", Some(SECOND)), || {});
    assert_eq!(run.json(), json!({ "systemMessage": MESSAGE }));
}

#[test]
fn a_hook_whose_turn_does_not_come_shows_nothing_and_the_status_line_shows_it_later() {
    let world = World::new();
    let transcript = answered_once(&world);
    let run = waiting_hook(&world, &stop(&transcript, "p-2", Some(SECOND)), || {});
    assert_eq!(run.stdout, "");
    assert_eq!(status_line(&world, "s-1", "p-2"), "- No suggestion yet\n");
    world.write("s.jsonl", first_turn() + &second_prompt() + &second_answer() + &second_end());
    finished(&world, "claude-code", "s-1");
    assert_eq!(status_line(&world, "s-1", "p-2"), STEP);
}

#[test]
fn a_hook_that_does_not_wait_never_takes_the_turn_before_for_the_one_that_ended() {
    let world = World::new();
    let transcript = answered_once(&world);
    let event = stop(&transcript, "p-2", Some(SECOND));
    world.run_with_input(&["hook", "claude-code"], event.as_bytes()).ends_with(0);
    until("the background process", || record(&world, "claude-code", "s-1")?["work"]["process"].as_u64());
    world.write("s.jsonl", first_turn() + &second_prompt());
    world.write("s.jsonl", first_turn() + &second_prompt() + &second_answer() + &second_end());
    finished(&world, "claude-code", "s-1");
    assert_eq!(status_line(&world, "s-1", "p-2"), STEP);
}

#[test]
fn the_same_answer_twice_is_two_turns_and_the_second_is_waited_for() {
    let world = World::new();
    let same = |turns: usize| {
        let first = prompt("1", None, "p-1", "add a flag") + &answer("2", "1", SECOND) + &end("3", "2");
        let second = prompt("4", Some("3-2"), "p-2", "and another one") + &answer("5", "4", SECOND);
        if turns == 1 { first } else { first + &second }
    };
    let transcript = world.write("s.jsonl", same(1));
    let event = stop(&transcript, "p-1", Some(SECOND));
    let run = world.run_with_input(&["hook", "claude-code", "--system-message"], event.as_bytes());
    assert_eq!(run.ends_with(0).json(), json!({ "systemMessage": MESSAGE }));
    let run = waiting_hook(&world, &stop(&transcript, "p-2", Some(SECOND)), || {
        world.write("s.jsonl", same(2));
    });
    assert_eq!(run.json(), json!({ "systemMessage": MESSAGE }));
    assert_eq!(record(&world, "claude-code", "s-1").unwrap()["state"]["offer"]["turn"], json!(2));
}

#[test]
fn events_without_the_id_of_the_turn_are_told_apart_by_the_answer() {
    let world = World::new();
    let transcript = answered_once(&world);
    let event = stop(&transcript, "p-2", Some(SECOND)).replace("\"prompt_id\"", "\"another\"");
    let run = waiting_hook(&world, &event, || {
        world.write("s.jsonl", first_turn() + &second_prompt() + &second_answer());
    });
    assert_eq!(run.json(), json!({ "systemMessage": MESSAGE }));
}
