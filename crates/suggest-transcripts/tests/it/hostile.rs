//! Nothing that is read makes a reader panic.

use crate::support::{FOLDERS, recordings};
use proptest::prelude::*;
use serde_json::Value;
use std::io::Cursor;
use suggest_core::Turn;
use suggest_transcripts::{Fold, Format, ReadLimits, ReadOptions, SessionInfo, detect, read, read_tail};

fn read_every_way(format: Format, bytes: &[u8]) {
    let _ = detect(bytes, Some("rollout-1.jsonl"));
    let _ = SessionInfo::of(format, bytes);
    let mut options = ReadOptions::default().with_limits(ReadLimits::lines_up_to(64 * 1024));
    options.tail.chars = 50;
    options.tail.turns = 1;
    options.tail.hint_bytes = 500;
    let _ = read(format, bytes, &options, drop);
    let _ = read_tail(format, &mut Cursor::new(bytes), &options, drop);
    let _ = read(format, bytes, &options.at_turn(Some(Turn::new(1))), drop);
}

/// Any JSON, rich in the keys that the readers look at.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop_oneof![
            "text",
            "user",
            "assistant",
            "tool_use",
            "tool_result",
            "gemini",
            "completed",
            "session/prompt",
            "task_started",
            "item_completed",
            "UserMessage",
            "end_turn",
            "\\PC{0,8}"
        ]
        .prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "type",
        "message",
        "content",
        "text",
        "role",
        "uuid",
        "parentUuid",
        "id",
        "name",
        "input",
        "params",
        "payload",
        "item",
        "msg",
        "dir",
        "method",
        "result",
        "sessionId",
        "update",
        "sessionUpdate",
        "parts",
        "functionCall",
        "functionResponse",
        "response",
        "output",
        "info",
        "finish",
        "status",
        "subtype",
        "$set",
        "$rewindTo",
        "messages",
        "toolCalls",
        "attachment",
        "condition",
        "todos",
        "promptSource",
        "provenance",
        "compactMetadata",
        "call_id",
        "arguments",
        "history_base",
        "ordinal",
        "jsonrpc",
        "toolCallId",
        "rawInput",
    ]);
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..6).prop_map(|map| {
                Value::Object(map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for format in Format::ALL {
            read_every_way(format, &bytes);
        }
    }

    #[test]
    fn any_records_can_be_folded(records in prop::collection::vec(json(), 0..16)) {
        for format in Format::ALL {
            let mut fold = Fold::new(format, &ReadOptions::default());
            for record in &records {
                let _ = fold.line(record.to_string().as_bytes(), &mut drop);
            }
            fold.settle(&mut drop);
        }
    }

    #[test]
    fn any_change_to_a_recording_can_be_read(
        folder in 0..FOLDERS.len(),
        pick in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let (name, format) = FOLDERS[folder];
        let files = recordings(name);
        let mut bytes = std::fs::read(pick.get(&files)).unwrap();
        for (place, byte) in edits {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        read_every_way(format, &bytes);
        let keep = cut.index(bytes.len());
        read_every_way(format, &bytes[..keep]);
    }

    #[test]
    fn the_lines_of_a_recording_in_any_order_can_be_folded(
        folder in 0..FOLDERS.len(),
        pick in any::<prop::sample::Index>(),
        seed in any::<u64>(),
    ) {
        let (name, format) = FOLDERS[folder];
        let files = recordings(name);
        let bytes = std::fs::read(pick.get(&files)).unwrap();
        let mut lines: Vec<_> = bytes.split(|byte| *byte == b'\n').collect();
        let count = u64::try_from(lines.len()).unwrap();
        for step in 0..count {
            let other = seed.wrapping_mul(step.wrapping_add(7)) % count;
            lines.swap(usize::try_from(step).unwrap(), usize::try_from(other).unwrap());
        }
        let mut fold = Fold::new(format, &ReadOptions::default());
        for line in lines {
            let _ = fold.line(line, &mut drop);
        }
        fold.settle(&mut drop);
    }
}
