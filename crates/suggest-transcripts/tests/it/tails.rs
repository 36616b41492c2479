//! The tail of a large session tells the end of what the whole tells.

use crate::support::{FOLDERS, conversation, events, read_with, recording, recordings};
use proptest::prelude::*;
use std::io::{Cursor, Write as _};
use suggest_core::{Author, Event, Turn};
use suggest_transcripts::{Format, ReadOptions, read_file, read_tail};

fn tail(format: Format, bytes: &[u8], chars: usize, turns: u32) -> (Vec<Event>, bool) {
    let mut options = ReadOptions::default();
    options.tail.chars = chars;
    options.tail.turns = turns;
    let mut told = Vec::new();
    let summary = read_tail(format, &mut Cursor::new(bytes), &options, |event| told.push(event)).unwrap();
    (told, summary.tail_only)
}

fn last_plan(events: &[Event]) -> Option<&Event> {
    events.iter().rfind(|event| matches!(event, Event::Plan { items } if !items.is_empty()))
}

/// The words alone: a tail may begin where a turn was cut in half.
fn words(events: &[Event]) -> Vec<(Author, String)> {
    conversation(events)
}

#[test]
fn every_recordings_tail_is_the_end_of_the_whole() {
    let mut cut = 0;
    for (name, format) in FOLDERS {
        for path in recordings(name) {
            let bytes = std::fs::read(&path).unwrap();
            let whole = events(format, &bytes);
            for (chars, turns) in [(0, 1), (60, 1), (200, 2), (100_000, 3)] {
                let (told, tail_only) = tail(format, &bytes, chars, turns);
                let (tail, all) = (words(&told), words(&whole));
                assert!(all.ends_with(&tail), "{} {chars}: {tail:#?}\n{all:#?}", path.display());
                cut += usize::from(tail_only && tail.len() < all.len());
            }
        }
    }
    assert!(cut > 30, "only {cut} tails were shorter than the whole");
}

#[test]
fn a_tail_knows_the_goal_and_the_plan_of_before() {
    let mut log = recording("claude-code/session/headless-plan-todowrite.jsonl");
    log.extend(b"{\"type\":\"attachment\",\"uuid\":\"g\",\"attachment\":{\"type\":\"goal_status\",\"met\":false,\"sentinel\":true,\"condition\":\"ship it\"}}\n");
    log.extend(recording("claude-code/session/headless-plain.jsonl"));
    let (told, tail_only) = tail(Format::ClaudeCode, &log, 1, 1);
    assert!(tail_only);
    assert_eq!(last_plan(&told), last_plan(&events(Format::ClaudeCode, &log)));
    assert!(told.iter().any(|event| matches!(event, Event::Goal(goal) if goal.objective == "ship it")));
    assert_eq!(words(&told).len(), 2);
}

#[test]
fn a_rewind_that_goes_behind_the_tail_is_read_whole() {
    let bytes = recording("claude-code/session/interactive-rewind.jsonl");
    let (told, _) = tail(Format::ClaudeCode, &bytes, 200, 2);
    assert_eq!(words(&told), words(&events(Format::ClaudeCode, &bytes)));
}

#[test]
fn a_turn_that_was_asked_for_is_counted_from_the_beginning() {
    let bytes = recording("claude-code/session/interactive-main.jsonl");
    let options = ReadOptions::default().at_turn(Some(Turn::new(2)));
    let (told, summary) = read_with(Format::ClaudeCode, &bytes, &options).unwrap();
    assert!(matches!(told.last(), Some(Event::TurnEnded { turn, .. }) if turn.get() == 2));
    assert!(summary.cut_at_turn);
    assert_eq!(summary.last_turn, Some(Turn::new(2)));
    let error = read_with(Format::ClaudeCode, &bytes, &ReadOptions::default().at_turn(Some(Turn::new(99))))
        .unwrap_err();
    assert_eq!(error.to_string(), "the session has no turn 99; the turn before it is 8");
    // Where no record ends a turn, the next prompt does, and reading still stops before it.
    let qwen = recording("qwen/session/resume.jsonl");
    let (told, _) =
        read_with(Format::Qwen, &qwen, &ReadOptions::default().at_turn(Some(Turn::new(1)))).unwrap();
    assert_eq!(words(&told).len(), 2);
}

#[test]
fn a_file_of_200_mb_is_read_from_its_tail() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let session = recording("claude-code/session/interactive-main.jsonl");
    let noise = format!(
        "{{\"type\":\"api-request-blob\",\"message\":{{\"role\":\"user\",\"content\":\"{}\"}}}}\n",
        "x".repeat(1_000_000)
    );
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    for _ in 0..200 {
        file.write_all(noise.as_bytes()).unwrap();
    }
    file.write_all(&session).unwrap();
    drop(file);
    let mut options = ReadOptions::default();
    options.tail.chars = 100;
    options.tail.turns = 1;
    let mut told = Vec::new();
    let summary = read_file(Format::ClaudeCode, &path, &options, |event| told.push(event)).unwrap();
    assert!(summary.tail_only && summary.lines < 100);
    assert!(words(&events(Format::ClaudeCode, &session)).ends_with(&words(&told)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_budget_gives_the_end_of_the_whole(
        folder in 0..FOLDERS.len(),
        pick in any::<prop::sample::Index>(),
        chars in 0_usize..600,
        turns in 0_u32..4,
    ) {
        let (name, format) = FOLDERS[folder];
        let files = recordings(name);
        let bytes = std::fs::read(pick.get(&files)).unwrap();
        let (told, _) = tail(format, &bytes, chars, turns);
        let (tail, all) = (words(&told), words(&events(format, &bytes)));
        prop_assert!(all.ends_with(&tail), "{:#?}\n{:#?}", tail, all);
    }
}
