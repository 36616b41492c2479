//! Recorded sessions, read as logs.

use crate::support::{Told, fold_live, live_records, persisted, read, recordings};
use pretty_assertions::assert_eq;
use std::fmt::Write as _;
use suggest_core::{Author, EndReason, Event, GoalPhase, Origin, SessionKind};
use suggest_host_dsh::{LiveRecord, Output, detect};

#[test]
fn every_recording_is_detected_and_read_without_a_problem() {
    for (set, name) in recordings() {
        let bytes = persisted(set, &name);
        assert!(detect(&bytes[..400.min(bytes.len())]), "{set}/{name}");
        let (header, events, summary) = read(&bytes);
        assert_eq!(header.cwd.as_deref(), Some("/workspace"), "{set}/{name}");
        assert!(!events.is_empty(), "{set}/{name}");
        assert_eq!(summary.problem_count, 0, "{set}/{name}");
        assert_eq!(summary.skipped.len(), 0, "{set}/{name}: {:?}", summary.skipped);
        assert!(!summary.torn_last_line && !summary.tail_only, "{set}/{name}");
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(summary.lines, u64::try_from(lines).unwrap(), "{set}/{name}");
    }
}

fn seq_of(record: &LiveRecord) -> Option<u64> {
    match record {
        LiveRecord::SessionEvent { event } => event["seq"].as_u64(),
        _ => None,
    }
}

fn seq_of_line(line: &str) -> u64 {
    let event: serde_json::Value = serde_json::from_str(line).unwrap();
    event["seq"].as_u64().unwrap_or(0)
}

#[test]
fn the_log_and_the_live_view_of_a_session_tell_the_same() {
    for (set, name) in recordings() {
        let records = live_records(set, &name);
        // Where a later process went on with the session, the live view ends earlier than the log.
        let last = records.iter().filter_map(seq_of).max().unwrap();
        let bytes = String::from_utf8(persisted(set, &name)).unwrap();
        let seen: String = bytes.split_inclusive('\n').filter(|line| seq_of_line(line) <= last).collect();
        let (header, events, _) = read(seen.as_bytes());
        let from_log = Told::of(events);
        let (fold, outputs) = fold_live(records);
        let mut from_live = Told::of(outputs.into_iter().map(Output::into_event));
        if name == "interrupted-then-resumed" {
            // The host repairs a log after a crash without telling anybody.
            assert_eq!(from_live.turns.insert(1, Some(EndReason::Interrupted)), Some(None));
            assert_eq!(fold.missed(), 3);
        } else {
            assert_eq!(fold.missed(), 0, "{set}/{name}");
        }
        assert_eq!(from_live, from_log, "{set}/{name}");
        assert_eq!(fold.session_kind(), header.session_kind(), "{set}/{name}");
    }
}

#[test]
fn the_kinds_of_sessions_are_told_by_their_headers() {
    for (set, name) in recordings() {
        let expected = match name.as_str() {
            "headless" => SessionKind::Headless,
            "subagent-child" => SessionKind::Subagent,
            _ => SessionKind::Interactive,
        };
        assert_eq!(read(&persisted(set, &name)).0.session_kind(), expected, "{set}/{name}");
    }
}

#[test]
fn a_child_session_has_no_human() {
    let (_, events, _) = read(&persisted("", "subagent-child"));
    let told = Told::of(events);
    assert!(told.messages.iter().all(|(author, ..)| *author != Author::Human));
    assert_eq!(told.messages[0].0, Author::Notice);
}

#[test]
fn both_host_versions_tell_the_same_story() {
    for (set, name) in
        recordings().into_iter().filter(|(set, name)| !set.is_empty() && name != "tool-call-failed-turn")
    {
        let story = |set: &str| {
            let told = Told::of(read(&persisted(set, &name)).1);
            let goal = told.goal.clone().map(|(_, revision, phase, objective)| (revision, phase, objective));
            // The scripted model answered the closing step of a goal differently.
            let mut conversation = told.conversation();
            conversation.retain(|(author, _)| *author != Author::Assistant);
            (conversation, told.turns, goal)
        };
        assert_eq!(story(set), story(""), "{name}");
    }
}

#[test]
fn turns_know_who_started_them() {
    let origins = |name: &str| {
        let (_, events, _) = read(&persisted("", name));
        let origin = |event| match event {
            Event::TurnStarted { origin, .. } => Some(origin.unwrap()),
            _ => None,
        };
        events.into_iter().filter_map(origin).collect::<Vec<_>>()
    };
    use Origin::{Goal, Human, Other, Suggest};
    assert_eq!(origins("plugin-autorun"), [Human, Suggest, Suggest]);
    assert_eq!(origins("goal-race-blocked-turn"), [Goal, Goal, Suggest, Goal]);
    assert_eq!(origins("goal-race-idle-preempt"), [Goal, Suggest, Goal]);
    assert_eq!(origins("goal-human-interjection"), [Goal, Human, Goal]);
    assert_eq!(origins("subagent-background-wakes-parent"), [Human, Other]);
    assert_eq!(origins("human-run-from-bar"), [Human, Human]);
    assert_eq!(origins("queue-and-steer"), [Human, Human]);
    assert_eq!(origins("plugin-followup-withdrawn"), [Human, Human]);
}

#[test]
fn ends_of_turns_are_told_apart() {
    let ends = |name: &str| {
        let told = Told::of(read(&persisted("", name)).1);
        told.turns.into_values().map(Option::unwrap).collect::<Vec<_>>()
    };
    use EndReason::{Aborted, Blocked, Completed, Failed, Interrupted, Limited};
    assert_eq!(ends("plain-turn"), [Completed]);
    assert_eq!(ends("error-turn"), [Failed]);
    assert_eq!(ends("max-tokens-turn"), [Limited]);
    assert_eq!(ends("aborted-turn"), [Aborted, Completed]);
    assert_eq!(ends("interrupted-then-resumed"), [Interrupted, Completed]);
    assert_eq!(ends("goal-race-blocked-turn"), [Completed, Blocked, Completed, Completed]);
}

#[test]
fn goals_are_followed_to_their_end() {
    let goal = |name: &str| {
        Told::of(read(&persisted("", name)).1).goal.map(|(_, revision, phase, _)| (revision, phase))
    };
    assert_eq!(goal("goal-full-sequence"), None);
    assert_eq!(goal("goal-race-blocked-turn"), Some((2, GoalPhase::Complete)));
    assert_eq!(goal("goal-round-aborted"), Some((2, GoalPhase::Paused)));
    assert_eq!(goal("goal-blocked-round-limit"), Some((2, GoalPhase::Blocked)));
}

#[test]
fn a_goal_of_a_log_is_never_armed() {
    for (set, name) in recordings() {
        for event in read(&persisted(set, &name)).1 {
            assert!(!matches!(event, Event::Goal(goal) if goal.armed), "{set}/{name}");
        }
    }
}

/// One event per line, short enough to read.
pub(crate) fn printed(events: impl IntoIterator<Item = Event>) -> String {
    let mut text = String::new();
    for event in events {
        let mut json = serde_json::to_value(event).unwrap();
        if let Some(object) = json.as_object_mut() {
            object.remove("id");
            for key in ["text", "summary"] {
                if let Some(serde_json::Value::String(long)) = object.get_mut(key) {
                    *long = long.chars().take(100).collect();
                }
            }
        }
        writeln!(text, "{}", sorted(json)).unwrap();
    }
    text
}

/// With its keys in order, whether or not serde_json was built to keep them as they come.
fn sorted(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(fields) => {
            let mut fields: Vec<_> = fields.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            serde_json::Value::Object(fields.into_iter().collect())
        }
        serde_json::Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

#[test]
fn the_events_of_recordings_are_these() {
    for name in [
        "tool-call-turn",
        "goal-full-sequence",
        "compaction",
        "source-kinds-and-goal-authority",
        "subagent-background-wakes-parent",
        "queue-and-steer",
    ] {
        let (_, events, _) = read(&persisted("", name));
        insta::assert_snapshot!(format!("log-{name}"), printed(events));
    }
    let (_, events, _) = read(&persisted("0.1.1-rc.2", "tool-call-failed-turn"));
    insta::assert_snapshot!("log-tool-call-failed-turn", printed(events));
}
