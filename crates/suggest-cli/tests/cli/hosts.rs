//! The hooks and status lines: real processes, with events and session files as the products write them.

use crate::support::{Run, World, root};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);
const STEP: &str = "> Next step: Fix the failing test `report::empty_ledger`\n";

/// A recorded session, in which the scripted answers name something that is left to do, and whose newest prompt is "p".
fn recorded(name: &str) -> String {
    let text = std::fs::read_to_string(root().join("tests/recordings").join(name)).unwrap();
    let text =
        text.replace("Mock answer to: ", "The flag is in. `report::empty_ledger` still fails. About: ");
    match values(&text, "promptId").pop() {
        Some(newest) => text.replace(&newest, "p"),
        None => text,
    }
}

/// The values of a key of the lines, in order.
fn values(text: &str, key: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter_map(|line| line.get(key)?.as_str().map(str::to_owned)).collect()
}

/// The last words of the worker in a session file of Claude Code.
fn last_answer(transcript: &str) -> Option<String> {
    let text = std::fs::read_to_string(transcript).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let answers = lines.filter(|line| line["type"] == "assistant" && line["isApiErrorMessage"] != true);
    let mut texts = answers.filter_map(|line| {
        let blocks = line.pointer("/message/content")?.as_array()?.clone();
        blocks.iter().rev().find_map(|block| Some(block.get("text")?.as_str()?.to_owned()))
    });
    texts.next_back()
}

/// What the product tells its Stop hook: the last message with it.
fn stop(session: &str, transcript: &str, prompt: &str) -> Value {
    json!({
        "session_id": session, "transcript_path": transcript, "cwd": "/workspace", "prompt_id": prompt,
        "permission_mode": "default", "hook_event_name": "Stop", "stop_hook_active": false,
        "last_assistant_message": last_answer(transcript), "background_tasks": [], "session_crons": [],
    })
}

fn hook(world: &World, event: &Value) -> Run {
    world.run_with_input(&["hook", "claude-code"], event.to_string().as_bytes())
}

pub(crate) fn status_line(world: &World, session: &str, prompt: &str) -> String {
    let input = json!({ "session_id": session, "prompt_id": prompt, "version": "2.1.332" }).to_string();
    world.run_with_input(&["statusline", "claude-code"], input.as_bytes()).ends_with(0).stdout
}

pub(crate) fn record(world: &World, host: &str, session: &str) -> Option<Value> {
    let path = world.path(&format!(".local/state/suggest/hosts/{host}/{session}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

/// Waits for a fact, not for a time.
#[track_caller]
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "{what} did not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[track_caller]
pub(crate) fn finished(world: &World, host: &str, session: &str) -> Value {
    until("the end of the work", || record(world, host, session).filter(|record| record["work"].is_null()))
}

#[test]
fn the_hook_answers_at_once_and_the_status_line_shows_what_came_of_it() {
    let world = World::new();
    let transcript = world.write("s.jsonl", recorded("claude-code/session/interactive-main.2.jsonl"));
    assert_eq!(status_line(&world, "s-1", "p"), "- No suggestion yet\n");
    let run = hook(&world, &stop("s-1", &transcript, "p")).ends_with(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    let record = finished(&world, "claude-code", "s-1");
    assert_eq!(record["state"]["status"], json!("ready"));
    assert_eq!(status_line(&world, "s-1", "p"), STEP);
    // The person went on: what was offered answers an older situation (rule D5).
    assert_eq!(status_line(&world, "s-1", "q"), "- No suggestion yet\n");
    assert_eq!(status_line(&world, "other", "p"), "- No suggestion yet\n");
}

#[test]
fn the_same_end_told_twice_asks_once_d4() {
    let world = World::new();
    let transcript = world.write("s.jsonl", recorded("claude-code/session/interactive-main.2.jsonl"));
    for _ in 0..3 {
        hook(&world, &stop("s-1", &transcript, "p")).ends_with(0);
        finished(&world, "claude-code", "s-1");
    }
    let record = finished(&world, "claude-code", "s-1");
    assert_eq!(record["generation"], json!(3));
    assert_eq!(
        (&record["state"]["usage"]["calls"], &record["state"]["offer"]["id"]),
        (&json!(1), &json!("o1"))
    );
}

#[test]
fn rounds_of_a_goal_that_is_not_met_start_nothing_and_its_end_asks_once() {
    let world = World::new();
    let whole = recorded("claude-code/session/interactive-goal.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    let rounds: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].contains("stop_hook_summary")).collect();
    assert!(rounds.len() > 5);
    let transcript = world.write("s.jsonl", lines[..=rounds[0]].join("\n") + "\n");
    let mut event = stop("s-1", &transcript, "p");
    for round in &rounds[1..] {
        hook(&world, &event).ends_with(0);
        assert_eq!(status_line(&world, "s-1", "p"), "- No suggestion yet\n");
        world.write("s.jsonl", lines[..=*round].join("\n") + "\n");
        event["stop_hook_active"] = json!(true);
    }
    // The last round: the product stops asking, and writes the real end.
    hook(&world, &event).ends_with(0);
    assert_eq!(record(&world, "claude-code", "s-1").unwrap()["state"], Value::Null);
    world.write("s.jsonl", &whole);
    let record = finished(&world, "claude-code", "s-1");
    assert_eq!(record["state"]["usage"]["calls"], json!(1), "{record}");
}

#[test]
fn subagents_forks_without_a_transcript_and_other_events_start_nothing() {
    let world = World::new();
    let transcript = world.write("s.jsonl", recorded("claude-code/session/interactive-main.2.jsonl"));
    let with = |key: &str, value: Value| {
        let mut event = stop("s-1", &transcript, "p");
        event[key] = value;
        event
    };
    for event in [
        with("hook_event_name", json!("SubagentStop")),
        with("hook_event_name", json!("StopFailure")),
        with("agent_id", json!("acd70172555c26697")),
        with("transcript_path", json!("/home/user/.claude/projects/-workspace/none.jsonl")),
        with("session_id", json!("../../../../tmp/x")),
        with("background_tasks", json!([{ "id": "a", "type": "subagent", "status": "running" }])),
    ] {
        let run = hook(&world, &event).ends_with(0);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""), "{event}");
    }
    assert_eq!(world.files().len(), 1, "nothing was written");
}

#[test]
fn turns_that_failed_or_were_interrupted_are_not_answered_d4() {
    for (name, kind) in [("interactive-main", "idle"), ("headless-error", "off")] {
        let world = World::new();
        let text = recorded(&format!("claude-code/session/{name}.jsonl"));
        let text = match name {
            // Up to the first interruption.
            "interactive-main" => {
                let lines: Vec<&str> = text.lines().collect();
                let cut =
                    lines.iter().position(|line| line.contains("[Request interrupted by user")).unwrap();
                lines[..=cut].join("\n") + "\n"
            }
            _ => text,
        };
        let transcript = world.write("s.jsonl", text);
        hook(&world, &stop("s-1", &transcript, "p")).ends_with(0);
        let record = finished(&world, "claude-code", "s-1");
        assert_eq!(record["state"]["status"], json!(kind), "{name}: {record}");
        assert_eq!(record["state"]["usage"]["calls"], json!(0), "{name}");
    }
}

#[test]
fn sessions_without_a_person_get_nothing_unless_asked_for_d12() {
    let world = World::new();
    let transcript = world.write("s.jsonl", recorded("claude-code/session/headless-plain.jsonl"));
    let event = stop("s-1", &transcript, "p").to_string();
    hook(&world, &stop("s-1", &transcript, "p")).ends_with(0);
    assert_eq!(finished(&world, "claude-code", "s-1")["state"]["status"], json!("off"));
    assert_eq!(status_line(&world, "s-1", "p"), "x Suggestions off · headless sessions get no suggestions\n");
    let event = event.replace("\"s-1\"", "\"s-2\"");
    world.run_with_input(&["hook", "claude-code", "--headless"], event.as_bytes()).ends_with(0);
    assert_eq!(finished(&world, "claude-code", "s-2")["state"]["status"], json!("ready"));
}

#[test]
fn the_offer_can_be_shown_as_the_hooks_message_before_the_end_is_written() {
    let world = World::new();
    let whole = recorded("claude-code/session/interactive-main.2.jsonl");
    // At this moment the product has written the answer, and nothing behind it.
    let lines: Vec<&str> = whole.lines().collect();
    let end = lines.iter().position(|line| line.contains("stop_hook_summary")).unwrap();
    let transcript = world.write("s.jsonl", lines[..end].join("\n") + "\n");
    let event = stop("s-1", &transcript, "p").to_string();
    let run =
        world.run_with_input(&["hook", "claude-code", "--system-message"], event.as_bytes()).ends_with(0);
    assert_eq!(
        run.json(),
        json!({ "systemMessage": "suggest: Fix the failing test `report::empty_ledger`" })
    );
}

#[test]
fn a_hook_that_shows_the_offer_never_holds_a_goals_rounds_up_and_asks_at_none_of_them() {
    let world = World::new();
    let whole = recorded("claude-code/session/interactive-goal.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    let feedback = lines.iter().position(|line| line.contains("Stop hook feedback")).unwrap();
    let transcript = world.write("s.jsonl", lines[..feedback].join("\n") + "\n");
    let mut event = stop("s-1", &transcript, "p");
    for active in [false, true] {
        event["stop_hook_active"] = json!(active);
        let began = Instant::now();
        let run =
            world.run_with_input(&["hook", "claude-code", "--system-message"], event.to_string().as_bytes());
        assert_eq!(run.ends_with(0).stdout, "");
        assert!(began.elapsed() < Duration::from_secs(5), "it did not wait for what cannot come");
        assert_eq!(record(&world, "claude-code", "s-1").unwrap()["state"], Value::Null);
    }
    world.write("s.jsonl", &whole);
    let record = finished(&world, "claude-code", "s-1");
    assert_eq!(record["state"]["usage"]["calls"], json!(1), "{record}");
}

#[test]
fn newer_work_fences_older_work_and_a_dead_process_is_a_failure_d3() {
    let world = World::new();
    let whole = recorded("claude-code/session/interactive-main.2.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    let end = lines.iter().position(|line| line.contains("stop_hook_summary")).unwrap();
    let transcript = world.write("s.jsonl", lines[..end].join("\n") + "\n");
    let process = || until("a process", || record(&world, "claude-code", "s-1")?["work"]["process"].as_u64());
    hook(&world, &stop("s-1", &transcript, "p")).ends_with(0);
    let first = process();
    hook(&world, &stop("s-1", &transcript, "p")).ends_with(0);
    let second = until("the second process", || Some(process()).filter(|process| *process != first));
    until("the end of the first process", || (!is_alive(first)).then_some(()));
    assert_eq!(status_line(&world, "s-1", "p"), "- No suggestion yet\n");
    let killed = std::process::Command::new("kill").args(["-9", &second.to_string()]).status().unwrap();
    assert!(killed.success());
    until("the end of the second process", || (!is_alive(second)).then_some(()));
    assert_eq!(status_line(&world, "s-1", "p"), "! Suggestion failed · the background process ended early\n");
    world.write("s.jsonl", &whole);
    hook(&world, &stop("s-1", &transcript, "p")).ends_with(0);
    finished(&world, "claude-code", "s-1");
    assert_eq!(status_line(&world, "s-1", "p"), STEP);
}

/// A process that ended and whose parent did not ask how is dead, too.
fn is_alive(process: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with('Z') && !rest.is_empty())
}

#[test]
fn a_hook_never_ends_with_the_status_that_sends_the_worker_on() {
    let world = World::new();
    for input in ["", "{", "null", "[1]", "hello"] {
        let run = world.run_with_input(&["hook", "claude-code"], input.as_bytes());
        assert!(run.status == Some(0) || run.status == Some(1), "{run}");
        assert_eq!(run.stdout, "");
    }
    for arguments in [
        &["hook"][..],
        &["hook", "claude-code", "--unknown"],
        &["hook", "nobody"],
        &["--log", "off", "hook", "nobody"],
        &["hook", "codex", "{"],
    ] {
        world.run(arguments).ends_with(1);
    }
    let broken = World::new().configured("promptModel = 7\n");
    let transcript = broken.write("s.jsonl", recorded("claude-code/session/interactive-main.2.jsonl"));
    hook(&broken, &stop("s-1", &transcript, "p")).ends_with(0);
    finished(&broken, "claude-code", "s-1");
    let line = status_line(&broken, "s-1", "p");
    assert!(line.starts_with("! Suggestion failed · ") && line.contains("promptModel"), "{line}");
}

#[test]
fn what_is_kept_is_the_offer_and_no_other_text_of_the_session_p3() {
    let world = World::new();
    let transcript = world.write("s.jsonl", recorded("claude-code/session/interactive-main.2.jsonl"));
    hook(&world, &stop("s-1", &transcript, "p")).ends_with(0);
    let record = finished(&world, "claude-code", "s-1").to_string();
    assert!(record.contains("Fix the failing test"), "{record}");
    for text in ["after the clear", "still fails", "Done."] {
        assert!(!record.contains(text), "{record}");
    }
}

#[test]
fn the_status_line_is_one_line_in_the_columns_that_there_are_f100() {
    let world = World::new().with("COLUMNS", "20");
    let transcript = world.write("s.jsonl", recorded("claude-code/session/interactive-main.2.jsonl"));
    hook(&world, &stop("s-1", &transcript, "p")).ends_with(0);
    finished(&world, "claude-code", "s-1");
    assert_eq!(status_line(&world, "s-1", "p"), "> Next step: Fix th…\n");
}

/// A rollout in the place where Codex keeps it.
fn rollout(world: &World, thread: &str, text: &str) -> PathBuf {
    let name = format!(".codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-{thread}.jsonl");
    PathBuf::from(world.write(&name, text))
}

fn notify(world: &World, thread: &str) -> Run {
    let event = json!({
        "type": "agent-turn-complete", "thread-id": thread, "cwd": "/workspace",
        "input-messages": ["Add a --json flag"],
    });
    world.run(&["hook", "codex", &event.to_string()])
}

#[test]
fn codex_tells_by_its_notify_program_and_the_status_line_shows_it() {
    let world = World::new();
    rollout(&world, "t-aaaa", &recorded("codex/rollout/interactive-main.2.jsonl"));
    let run = notify(&world, "t-aaaa").ends_with(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    let record = finished(&world, "codex", "t-aaaa");
    assert_eq!(record["state"]["status"], json!("ready"), "{record}");
    assert_eq!(world.run(&["statusline", "codex"]).ends_with(0).stdout, STEP);
}

#[test]
fn hidden_threads_and_subagents_of_codex_start_nothing() {
    let world = World::new();
    rollout(&world, "t-child", &recorded("codex/rollout/exec-subagent-v2.child.jsonl"));
    let files = world.files().len();
    for thread in ["t-child", "t-title-without-a-rollout", ""] {
        notify(&world, thread).ends_with(0);
    }
    assert_eq!(world.files().len(), files, "nothing was written");
    assert_eq!(world.run(&["statusline", "codex"]).stdout, "- No suggestion yet\n");
}

#[test]
fn a_failed_turn_of_codex_is_not_answered_d4() {
    let world = World::new();
    rollout(&world, "t-error", &recorded("codex/rollout/exec-error.jsonl"));
    let event = json!({ "type": "agent-turn-complete", "thread-id": "t-error" }).to_string();
    world.run(&["hook", "codex", "--headless", &event]).ends_with(0);
    let record = finished(&world, "codex", "t-error");
    assert_eq!(
        (&record["state"]["usage"]["calls"], &record["state"]["offer"]),
        (&json!(0), &Value::Null),
        "{record}"
    );
}

#[test]
fn the_program_that_was_set_before_gets_every_event_of_codex() {
    let world = World::new();
    let script = world.write(
        "bell.sh",
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/heard.part\"\nmv \"$HOME/heard.part\" \"$HOME/heard\"\n",
    );
    world
        .run(&[
            "hook",
            "codex",
            "--then=/bin/sh",
            &format!("--then={script}"),
            "--then=--loud",
            "{\"type\":\"x\"}",
        ])
        .ends_with(0);
    let heard = until("the event", || std::fs::read_to_string(world.path("heard")).ok());
    assert_eq!(heard, "--loud\n{\"type\":\"x\"}\n");
}

#[test]
fn a_stop_hook_of_codex_shows_the_offer() {
    let world = World::new();
    let whole = recorded("codex/rollout/interactive-main.2.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    let end = lines.iter().rposition(|line| line.contains("task_complete")).unwrap();
    let path = rollout(&world, "t-aaaa", &(lines[..end].join("\n") + "\n"));
    let (turn, answer) = (
        "01a22bd6-5a08-71a3-b148-19014c54be5a",
        "The flag is in. `report::empty_ledger` still fails. About: to be rewound [[plain]]",
    );
    let event = json!({
        "session_id": "t-aaaa", "turn_id": turn, "transcript_path": path, "cwd": "/workspace",
        "hook_event_name": "Stop", "model": "gpt-5.5", "stop_hook_active": false,
        "last_assistant_message": answer,
    });
    let run = world
        .run_with_input(&["hook", "codex", "--system-message"], event.to_string().as_bytes())
        .ends_with(0);
    assert_eq!(
        run.json(),
        json!({ "systemMessage": "suggest: Fix the failing test `report::empty_ledger`" })
    );
}
