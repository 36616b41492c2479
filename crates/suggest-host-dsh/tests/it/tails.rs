//! Reading the tail gives what reading the whole gives, where it matters.

use crate::support::{LogWriter, Told, persisted, read, recordings};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;
use std::io::{Cursor, Read, Seek, SeekFrom};
use suggest_core::{Event, Turn};
use suggest_host_dsh::{LogError, LogFile, Position, ReadOptions, Summary, TailBudget, read_tail};

fn budget(chars: usize, turns: u32) -> TailBudget {
    let mut budget = TailBudget::default();
    budget.chars = chars;
    budget.turns = turns;
    budget
}

fn tail(bytes: &[u8], options: &ReadOptions) -> (Vec<Event>, Summary) {
    let mut events = Vec::new();
    let summary = read_tail(&mut Cursor::new(bytes), options, |event| events.push(event)).unwrap();
    (events, summary)
}

/// Counts what is read.
struct Counting<'a> {
    inner: Cursor<&'a [u8]>,
    read: usize,
}

impl Read for Counting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read += read;
        Ok(read)
    }
}

impl Seek for Counting<'_> {
    fn seek(&mut self, position: SeekFrom) -> std::io::Result<u64> {
        self.inner.seek(position)
    }
}

/// The tail's conversation is the end of the whole's, and what stands beside it is equal.
fn assert_is_end_of_whole(bytes: &[u8], budget: TailBudget) {
    let (events, summary) = tail(bytes, &ReadOptions::default().with_tail(budget));
    let (tail, whole) = (Told::of(events), Told::of(read(bytes).1));
    assert!(whole.conversation().ends_with(&tail.conversation()), "{tail:#?}\n{whole:#?}");
    let chars: usize = tail.conversation().iter().map(|(_, text)| text.chars().count()).sum();
    let complete = tail.conversation().len() == whole.conversation().len();
    assert!(complete || chars >= budget.chars, "{chars} of {} chars", budget.chars);
    assert_eq!(tail.goal, whole.goal);
    assert_eq!(tail.turns.last_key_value(), whole.turns.last_key_value());
    assert_eq!(summary.last_turn.map(Turn::get), whole.turns.keys().max().copied());
    assert!(!summary.tail_only || tail.turns.values().flatten().count() >= 1);
}

#[test]
fn the_tail_of_every_recording_is_the_end_of_the_whole() {
    for (set, name) in recordings() {
        let bytes = persisted(set, &name);
        for (chars, turns) in [(0, 0), (1, 1), (60, 1), (200, 2), (1_000_000, 3)] {
            assert_is_end_of_whole(&bytes, budget(chars, turns));
        }
        // All of them are short, but what a compaction hides is left out.
        let (events, summary) = tail(&bytes, &ReadOptions::default());
        assert_eq!(summary.tail_only, name == "compaction", "{set}/{name}");
        let whole = read(&bytes).1;
        assert!(if summary.tail_only { whole.ends_with(&events) } else { whole == events }, "{set}/{name}");
    }
}

#[test]
fn a_large_log_is_answered_from_its_tail() {
    let mut log = LogWriter::new();
    log.noise(5_000_000);
    log.event("todo/write", &json!({ "todos": [{ "content": "ship", "status": "pending" }] }));
    log.goal("create", 1, "ship the parser");
    for turn in 1..200 {
        log.turn(turn);
        log.noise(2_000);
    }
    let bytes = log.text.as_bytes();
    let mut input = Counting { inner: Cursor::new(bytes), read: 0 };
    let mut events = Vec::new();
    let mut budget = budget(400, 3);
    budget.hint_bytes = 500_000;
    let options = ReadOptions::default().with_tail(budget);
    let summary = read_tail(&mut input, &options, |event| events.push(event)).unwrap();
    assert!(summary.tail_only);
    let told = Told::of(events);
    assert_eq!(told.goal.unwrap().3, "ship the parser");
    assert_eq!(told.plan.len(), 1);
    assert_eq!(told.messages.last().unwrap().1, "answer 199");
    assert!(told.messages.len() < 60, "{}", told.messages.len());
    assert!(input.read < 3_000_000, "{} bytes were read", input.read);
}

#[test]
fn a_goal_far_before_the_tail_is_found() {
    let mut log = LogWriter::new();
    log.turn(1);
    log.goal("create", 1, "old");
    log.goal("edit", 2, "say \"goal/change\" twice: \"type\":\"goal/change\"");
    log.noise(3_000_000);
    log.human("the words \"goal/change\" in a message");
    for turn in 2..9 {
        log.turn(turn);
    }
    assert_is_end_of_whole(log.text.as_bytes(), budget(10, 1));
    let (events, _) = tail(log.text.as_bytes(), &ReadOptions::default().with_tail(budget(10, 1)));
    assert_eq!(Told::of(events).goal.unwrap().1, 2);
}

#[test]
fn a_goal_that_was_cleared_before_the_tail_is_no_goal() {
    let mut log = LogWriter::new();
    log.goal("create", 1, "old");
    log.event("goal/change", &json!({ "operation": "clear", "cleared": { "id": "goal-1", "revision": 2 } }));
    for turn in 1..9 {
        log.turn(turn);
    }
    assert_is_end_of_whole(log.text.as_bytes(), budget(10, 1));
}

#[test]
fn a_compaction_hides_what_is_behind_it() {
    let mut log = LogWriter::new();
    for turn in 1..40 {
        log.turn(turn);
    }
    let end = log.seq - 3;
    log.event("compaction/summary", &json!({ "summary": [{ "type": "text", "text": "all of it" }] }));
    let more = format!(",\"surfaceOp\":{{\"op\":\"replace\",\"start\":1,\"end\":{end}}}");
    let source = json!({ "kind": "plugin", "plugin": "compact" });
    log.event_with("user/message", &json!({ "source": source, "content": "x" }), &more);
    // Right behind the compaction: one turn's end has to be in the tail.
    assert_is_end_of_whole(log.text.as_bytes(), budget(100_000, 3));
    log.turn(40);
    let (events, summary) = tail(log.text.as_bytes(), &ReadOptions::default().with_tail(budget(100_000, 3)));
    let told = Told::of(events);
    assert!(summary.tail_only);
    assert_eq!(told, {
        let mut whole = Told::of(read(log.text.as_bytes()).1);
        whole.turns.retain(|turn, _| told.turns.contains_key(turn));
        whole
    });
    // Far behind it, the summary is still told.
    for turn in 41..80 {
        log.turn(turn);
    }
    let (events, _) = tail(log.text.as_bytes(), &ReadOptions::default().with_tail(budget(50, 1)));
    let (told, whole) = (Told::of(events), Told::of(read(log.text.as_bytes()).1));
    assert_eq!(told.chapters, whole.chapters);
}

#[test]
fn a_tail_in_the_middle_of_a_giant_turn_knows_the_turn() {
    let mut log = LogWriter::new();
    log.turn(1);
    log.start(2);
    log.human("go");
    log.noise(1_000);
    for number in 0..40 {
        log.assistant(2, &format!("step {number}"));
    }
    log.noise(5_000_000);
    log.assistant(2, "nearly");
    log.end(2);
    log.start(3);
    log.human("and now");
    log.noise(4_500_000);
    log.assistant(3, "done");
    log.end(3);
    let (events, summary) = tail(log.text.as_bytes(), &ReadOptions::default().with_tail(budget(4, 1)));
    assert!(summary.tail_only);
    let told = Told::of(events);
    assert_eq!(told.turns.keys().copied().collect::<Vec<_>>(), [3]);
    assert_eq!(told.messages.len(), 1, "{told:?}");
}

#[test]
fn the_tail_at_a_turn_is_the_tail_of_the_log_as_it_was_then() {
    let mut log = LogWriter::new();
    let mut ends = Vec::new();
    for turn in 1..30 {
        if turn == 20 {
            log.goal("create", 1, "later");
        }
        log.turn(turn);
        ends.push(log.text.len());
    }
    for turn in [1_u64, 5, 19, 20, 29] {
        let options = ReadOptions::default().with_tail(budget(30, 1)).at_turn(Some(Turn::new(turn)));
        let (events, summary) = tail(log.text.as_bytes(), &options);
        let cut = &log.text.as_bytes()[..ends[usize::try_from(turn - 1).unwrap()]];
        let (expected, _) = tail(cut, &ReadOptions::default().with_tail(budget(30, 1)));
        assert_eq!(events, expected, "turn {turn}");
        assert!(summary.cut_at_turn);
    }
    let options = ReadOptions::default().at_turn(Some(Turn::new(30)));
    let error = read_tail(&mut Cursor::new(log.text.as_bytes()), &options, drop).unwrap_err();
    assert!(matches!(error, LogError::NoSuchTurn { .. }), "{error:?}");
}

#[test]
fn problems_in_a_tail_are_told_by_their_place() {
    let mut log = LogWriter::new();
    for turn in 1..9 {
        log.turn(turn);
    }
    let place = u64::try_from(log.text.len()).unwrap();
    log.text.push_str("no json\n");
    log.turn(9);
    log.text.push_str("{\"type\":\"turn/sta");
    let (_, summary) = tail(log.text.as_bytes(), &ReadOptions::default().with_tail(budget(30, 2)));
    assert!(summary.tail_only && summary.torn_last_line);
    assert_eq!(summary.problems[0].position, Position::Byte(place));
    assert_eq!(summary.problems[0].to_string(), format!("the line at byte {place}: not JSON, skipped"));
}

#[test]
fn a_large_file_is_read_from_its_tail_and_a_compressed_one_whole() {
    let mut log = LogWriter::new();
    log.turn(1);
    log.noise(2_000_000);
    for turn in 2..2_000 {
        log.turn(turn);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    std::fs::write(&path, &log.text).unwrap();
    let read = |options: &ReadOptions| {
        let mut last = None;
        let summary = LogFile::open(&path).unwrap().read(options, |event| last = Some(event)).unwrap();
        (last, summary.tail_only)
    };
    let options = ReadOptions::default().with_tail(TailBudget::for_slice(500));
    let (last, tail_only) = read(&options.with_tail(budget(1_000, 3)));
    assert!(tail_only);
    let packed =
        ruzstd::encoding::compress_to_vec(log.text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    std::fs::write(&path, packed).unwrap();
    assert_eq!(read(&ReadOptions::default()), (last, false));
}

/// What a generated log is made of.
#[derive(Debug, Clone)]
enum Part {
    Turn(usize),
    Goal,
    Plan,
    Noise,
    Broken,
    Compaction(usize),
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let part = prop_oneof![
        6 => (1_usize..80).prop_map(Part::Turn),
        1 => Just(Part::Goal),
        1 => Just(Part::Plan),
        1 => Just(Part::Noise),
        1 => Just(Part::Broken),
        1 => (0_usize..6).prop_map(Part::Compaction),
    ];
    prop::collection::vec(part, 1..24)
}

fn written(parts: &[Part]) -> String {
    let mut log = LogWriter::new();
    let (mut turn, mut revision) = (0, 0);
    // The surface as the host has it, so that a compaction replaces what is there.
    let mut surface: Vec<u64> = Vec::new();
    for part in parts {
        match part {
            Part::Turn(size) => {
                turn += 1;
                log.start(turn);
                surface.push(log.human(&format!("é{turn} {}", "x".repeat(*size))));
                surface.push(log.assistant(turn, &"y".repeat(*size)));
                log.end(turn);
            }
            Part::Goal => {
                revision += 1;
                log.goal(if revision == 1 { "create" } else { "edit" }, revision, "ship");
            }
            Part::Plan => drop(log.event("todo/write", &json!({ "todos": [{ "content": "a" }] }))),
            Part::Noise => log.noise(600),
            Part::Broken => log.text.push_str("{broken\n"),
            Part::Compaction(kept) => {
                let Some(last) = surface.len().checked_sub(kept + 1) else { continue };
                let summary = format!("the summary {}", log.seq);
                log.event("compaction/summary", &json!({ "summary": [{ "type": "text", "text": summary }] }));
                let (start, end) = (surface[0], surface[last]);
                let more = format!(",\"surfaceOp\":{{\"op\":\"replace\",\"start\":{start},\"end\":{end}}}");
                let source = json!({ "kind": "plugin", "plugin": "compact" });
                let data = json!({ "source": source, "content": "x" });
                let seq = log.event_with("user/message", &data, &more);
                surface.splice(..=last, [seq]);
            }
        }
    }
    log.text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_tail_is_the_end_of_the_whole(parts in parts(), chars in 0_usize..400, turns in 0_u32..4) {
        let text = written(&parts);
        let bytes = text.as_bytes();
        let (events, _) = tail(bytes, &ReadOptions::default().with_tail(budget(chars, turns)));
        let (tail, whole) = (Told::of(events), Told::of(read(bytes).1));
        prop_assert!(whole.conversation().ends_with(&tail.conversation()), "{:#?}\n{:#?}", tail, whole);
        let told: usize = tail.conversation().iter().map(|(_, text)| text.chars().count()).sum();
        prop_assert!(told >= chars || tail.conversation().len() == whole.conversation().len());
        prop_assert_eq!(&tail.goal, &whole.goal);
        prop_assert_eq!(&tail.plan, &whole.plan);
        prop_assert_eq!(tail.turns.last_key_value(), whole.turns.last_key_value());
        // The number of a chapter is that of the first summary that it covers, which a tail may not have seen.
        let chapter = |told: &Told| told.chapters.values().last().map(|chapter| chapter.summary.clone());
        prop_assert_eq!(chapter(&tail), chapter(&whole));
    }
}
