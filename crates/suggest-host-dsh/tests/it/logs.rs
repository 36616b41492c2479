//! Logs as files: formats, damage, cuts.

use crate::support::{LogWriter, Told, line, persisted, read, recordings};
use pretty_assertions::assert_eq;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::json;
use std::io::Write as _;
use suggest_core::{Author, Event, PlanStatus, SessionKind, Turn};
use suggest_host_dsh::{
    LogError, LogFile, LogReader, Position, ProblemKind, ReadLimits, ReadOptions, Summary, detect,
};

fn frames(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    lines.flat_map(|line| compress_to_vec(line, CompressionLevel::Fastest)).collect()
}

fn read_with(bytes: &[u8], options: &ReadOptions) -> Result<(Vec<Event>, Summary), LogError> {
    let mut events = Vec::new();
    let summary = LogReader::new(bytes)?.read(options, |event| events.push(event))?;
    Ok((events, summary))
}

#[test]
fn a_compressed_log_of_many_frames_reads_like_the_plain_one() {
    for (set, name) in recordings() {
        let plain = persisted(set, &name);
        let packed = frames(&plain);
        assert!(detect(&packed[..packed.len().min(4096)]), "{set}/{name}");
        assert_eq!(read(&packed), read(&plain), "{set}/{name}");
    }
}

#[test]
fn a_compressed_log_that_was_cut_keeps_its_whole_frames() {
    let plain = persisted("", "plain-turn");
    let packed = frames(&plain);
    let (_, summary) = read_with(&packed[..packed.len() - 5], &ReadOptions::default()).unwrap();
    assert!(summary.torn_last_line);
    assert_eq!(summary.problem_count, 0);
}

#[test]
fn damage_in_the_middle_of_a_compressed_log_is_an_error() {
    let plain = persisted("", "plain-turn");
    let mut packed = frames(&plain);
    let middle = packed.len() / 2;
    packed.splice(middle..middle + 64, [0; 64]);
    let error = read_with(&packed, &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, LogError::Damaged { .. }), "{error:?}");
    assert!(error.to_string().contains("damaged behind its first"), "{error}");
}

#[test]
fn an_empty_file_and_a_strange_file_are_different_errors() {
    assert!(matches!(LogReader::new(&b""[..]), Err(LogError::Empty)));
    for strange in
        ["\n\n", "hello\n", "{\"type\":\"user\"}\n", "{\"type\":\"session\"", "[1]\n", "\u{0}\u{0}\n"]
    {
        assert!(matches!(LogReader::new(strange.as_bytes()), Err(LogError::NotALog { .. })), "{strange:?}");
    }
    let long = format!("{{\"type\":\"session\",\"id\":\"{}\"}}\n", "x".repeat(2_000_000));
    assert!(matches!(LogReader::new(long.as_bytes()), Err(LogError::NotALog { .. })));
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_change_nothing() {
    let plain = persisted("", "tool-call-turn");
    let mut windows = b"\xef\xbb\xbf".to_vec();
    windows.extend(String::from_utf8(plain.clone()).unwrap().replace('\n', "\r\n").into_bytes());
    assert_eq!(read(&windows).1, read(&plain).1);
    assert!(detect(&windows));
}

#[test]
fn a_torn_last_line_is_left_out_and_told() {
    let plain = persisted("", "plain-turn");
    let (_, whole, _) = read(&plain);
    let (_, events, summary) = read(&plain[..plain.len() - 20]);
    assert!(summary.torn_last_line);
    assert_eq!(summary.problem_count, 0);
    assert_eq!(events[..], whole[..events.len()]);
    // A last line that lacks only its line feed is whole.
    let (_, events, summary) = read(&plain[..plain.len() - 1]);
    assert!(!summary.torn_last_line);
    assert_eq!(events, whole);
}

#[test]
fn broken_lines_are_told_with_their_number_and_the_rest_is_read() {
    let mut log = LogWriter::new();
    log.start(1);
    log.text.push_str("{\"type\":\"user/mess\n");
    log.text.push_str("\n[1,2]\n");
    log.human("still here");
    log.text.push_str(&format!("{{\"type\":\"user/message\",\"pad\":\"{}\"}}\n", "x".repeat(5_000)));
    log.end(1);
    let mut bytes = log.text.into_bytes();
    bytes.extend(
        b"{\"type\":\"user/message\",\"data\":{\"source\":{\"kind\":\"user\"},\"content\":\"caf\xe9\"}}\n",
    );
    let options = ReadOptions::default().with_limits(ReadLimits::lines_up_to(4_096));
    let (events, summary) = read_with(&bytes, &options).unwrap();
    let problems: Vec<_> = summary.problems.iter().map(|problem| (problem.position, problem.kind)).collect();
    let expected = [
        (Position::Line(3), ProblemKind::NotJson),
        (Position::Line(5), ProblemKind::NotAnEvent),
        (Position::Line(7), ProblemKind::TooLong { bytes: 5_033 }),
        (Position::Line(9), ProblemKind::NotUtf8),
    ];
    assert_eq!(problems, expected);
    assert_eq!(summary.problems[0].to_string(), "line 3: not JSON, skipped");
    let texts: Vec<_> = Told::of(events).messages.into_iter().map(|(_, text, _)| text).collect();
    assert_eq!(texts, ["still here", "caf\u{fffd}"]);
}

#[test]
fn problems_are_counted_beyond_those_that_are_kept() {
    let mut log = LogWriter::new();
    for _ in 0..100 {
        log.text.push_str("no json\n");
    }
    let (_, _, summary) = read(log.text.as_bytes());
    assert_eq!((summary.problems.len(), summary.problem_count), (20, 100));
}

#[test]
fn unknown_events_are_skipped_and_counted() {
    let mut log = LogWriter::new();
    log.event("graph/campaign", &json!({ "turn": 1 }));
    log.event("graph/campaign", &json!({}));
    log.turn(1);
    let (_, events, summary) = read(log.text.as_bytes());
    assert_eq!(summary.skipped.into_iter().collect::<Vec<_>>(), [("graph/campaign".to_owned(), 2)]);
    assert_eq!(events.len(), 4);
}

#[test]
fn reading_stops_at_the_end_of_the_turn_that_was_asked_for() {
    let bytes = persisted("", "queue-and-steer");
    let (events, summary) = read_with(&bytes, &ReadOptions::default().at_turn(Some(Turn::new(1)))).unwrap();
    assert!(matches!(events.last(), Some(Event::TurnEnded { turn, .. }) if turn.get() == 1));
    assert!(summary.cut_at_turn);
    let error = read_with(&bytes, &ReadOptions::default().at_turn(Some(Turn::new(9)))).unwrap_err();
    assert_eq!(error.to_string(), "the log has no turn 9; the turn before it is 2");
    let error = read_with(&bytes, &ReadOptions::default().at_turn(Some(Turn::new(0)))).unwrap_err();
    assert_eq!(error.to_string(), "the log has no turn 0; no turn began before it");
}

#[test]
fn a_turn_that_never_ended_is_cut_before_the_next_one() {
    let mut log = LogWriter::new();
    log.start(1);
    log.human("crash");
    log.turn(2);
    let options = ReadOptions::default().at_turn(Some(Turn::new(1)));
    let (events, _) = read_with(log.text.as_bytes(), &options).unwrap();
    assert_eq!(Told::of(events).messages.len(), 1);
}

#[test]
fn a_plan_is_read_whole() {
    let mut log = LogWriter::new();
    log.event(
        "todo/write",
        &json!({ "todos": [
        { "content": " parse ", "status": "completed" },
        { "content": "test", "status": "in_progress" },
        { "content": "ship", "status": "pending" },
        { "content": "gone", "status": "cancelled" }, 7] }),
    );
    let (_, events, _) = read(log.text.as_bytes());
    let plan: Vec<_> = Told::of(events).plan.into_iter().map(|item| (item.text, item.status)).collect();
    let expected = [
        ("parse".to_owned(), PlanStatus::Completed),
        ("test".to_owned(), PlanStatus::InProgress),
        ("ship".to_owned(), PlanStatus::Pending),
    ];
    assert_eq!(plan, expected);
}

#[test]
fn format_4_is_read_too() {
    let header = json!({ "type": "session", "version": 4, "id": "s", "createdAt": 1, "cwd": "/workspace" });
    let mut log = LogWriter { text: line(&header), seq: 0 };
    log.start(1);
    let system = json!({ "turn": 1, "message": { "role": "system", "source": { "kind": "system-prompt" },
        "content": [{ "type": "text", "text": "you are" }] } });
    log.event_with("system/message", &system, ",\"surfaceOp\":\"append\"");
    let first = log.human("fix it");
    log.user(&json!({ "kind": "runtime-context" }), "policy");
    log.user(&json!({ "kind": "suggest", "form": "notice" }), "go on");
    log.user(&json!({ "kind": "plugin:suggest" }), "and on");
    log.event(
        "tool/call",
        &json!({ "turn": 1, "callId": "c", "name": "bash", "arguments": "{\"command\":\"ls\"}" }),
    );
    let result = json!({ "turn": 1, "message": { "role": "tool", "toolCallId": "c", "isError": true,
        "content": [{ "type": "text", "text": "denied" }] } });
    log.event_with("tool/result", &result, ",\"surfaceOp\":\"append\"");
    log.assistant(1, "done");
    log.end(1);
    let (header, events, _) = read(log.text.as_bytes());
    assert_eq!((header.session_kind(), header.is_newer_than_known()), (SessionKind::Interactive, false));
    let told = Told::of(events);
    let authors: Vec<_> = told.messages.iter().map(|(author, ..)| *author).collect();
    assert_eq!(authors, [Author::Human, Author::Host, Author::Suggest, Author::Suggest, Author::Assistant]);
    assert_eq!((told.tools[0].summary.as_deref(), told.tools[0].ok), (Some("ls\ndenied"), Some(false)));

    // Another system prompt rewrites nothing; a compaction does.
    log.event_with(
        "system/message",
        &system,
        ",\"surfaceOp\":{\"op\":\"replace\",\"startSeq\":1,\"endSeq\":1}",
    );
    let last = log.seq;
    log.event("compaction/summary", &json!({ "summary": [{ "type": "text", "text": "it was fixed" }] }));
    let more = format!(",\"surfaceOp\":{{\"op\":\"replace\",\"startSeq\":{first},\"endSeq\":{}}}", last - 4);
    log.event_with("user/message", &json!({ "source": { "kind": "compact" }, "content": "x" }), &more);
    let told = Told::of(read(log.text.as_bytes()).1);
    assert_eq!(told.rewrites, 1);
    let chapters: Vec<_> =
        told.chapters.values().map(|chapter| (chapter.number, chapter.summary.as_str())).collect();
    assert_eq!(chapters, [(last, "it was fixed")]);
    assert_eq!(told.conversation(), [(Author::Assistant, "done".to_owned())]);
}

#[test]
fn a_second_summary_takes_the_place_of_the_first() {
    let mut log = LogWriter::new();
    let compact = |log: &mut LogWriter, start: u64, end: u64, text: &str| {
        log.event("compaction/summary", &json!({ "summary": [{ "type": "text", "text": text }] }));
        let more = format!(",\"surfaceOp\":{{\"op\":\"replace\",\"start\":{start},\"end\":{end}}}");
        let source = json!({ "kind": "plugin", "plugin": "compact" });
        log.event_with("user/message", &json!({ "source": source, "content": "x" }), &more)
    };
    log.turn(1);
    log.turn(2);
    let first = compact(&mut log, 1, 2, "chapter one");
    log.turn(3);
    let told = Told::of(read(log.text.as_bytes()).1);
    let texts: Vec<_> = told.conversation().into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["prompt 2", "answer 2", "prompt 3", "answer 3"]);
    compact(&mut log, first, 6, "chapters one and two");
    let told = Told::of(read(log.text.as_bytes()).1);
    let summaries: Vec<_> = told.chapters.values().map(|chapter| chapter.summary.as_str()).collect();
    assert_eq!(summaries, ["chapters one and two"]);
    assert_eq!(told.conversation().len(), 2);
    assert_eq!(told.rewrites, 2);
}

#[test]
fn a_file_is_opened_by_what_is_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let plain = persisted("", "goal-full-sequence");
    for (name, bytes) in [("session.jsonl", plain.clone()), ("session.jsonl.zstd", frames(&plain))] {
        let path = folder.path().join(name);
        std::fs::File::create(&path).unwrap().write_all(&bytes).unwrap();
        let log = LogFile::open(&path).unwrap();
        assert_eq!(log.header().session_kind(), SessionKind::Interactive);
        let mut events = Vec::new();
        log.read(&ReadOptions::default(), |event| events.push(event)).unwrap();
        assert_eq!(events, read(&plain).1);
    }
    assert!(matches!(LogFile::open(&folder.path().join("absent")), Err(LogError::Io(_))));
    assert!(matches!(LogFile::open(folder.path()), Err(LogError::Io(_))));
}
