//! Nothing that is read makes the reader panic.

use crate::support::{live_records, persisted, recordings};
use proptest::prelude::*;
use serde_json::Value;
use std::io::Cursor;
use suggest_core::SessionKind;
use suggest_host_dsh::{Fold, LiveFold, LiveRecord, LogReader, ReadLimits, ReadOptions, detect, read_tail};

fn read_every_way(bytes: &[u8]) {
    let options = ReadOptions::default().with_limits(ReadLimits::lines_up_to(64 * 1024));
    let _ = detect(bytes);
    if let Ok(reader) = LogReader::new(bytes) {
        let _ = reader.read(&options, drop);
    }
    let mut small = options.clone();
    small.tail.chars = 50;
    small.tail.turns = 1;
    small.tail.hint_bytes = 500;
    let _ = read_tail(&mut Cursor::new(bytes), &small, drop);
    let _ = read_tail(&mut Cursor::new(bytes), &small.at_turn(Some(suggest_core::Turn::new(1))), drop);
}

/// Any JSON, rich in the keys that the fold looks at.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop_oneof!["user", "plugin", "replace", "text", "tool-result", "active", "create", "\\PC{0,8}"]
            .prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "type",
        "turn",
        "message",
        "source",
        "kind",
        "content",
        "text",
        "op",
        "start",
        "end",
        "goal",
        "id",
        "callId",
        "revision",
        "phase",
        "objective",
        "operation",
        "inserted",
        "todos",
        "status",
        "name",
        "arguments",
        "cleared",
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

fn event() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec![
        "turn/start",
        "turn/end",
        "user/message",
        "assistant/message",
        "system/message",
        "tool/call",
        "tool/result",
        "goal/change",
        "agent/inbox/spliced",
        "todo/write",
        "compaction/summary",
        "command/run",
        "command/done",
        "approval/asked",
        "unheard/of",
    ]);
    (kind, any::<Option<u64>>(), json(), json()).prop_map(|(kind, seq, data, surface)| {
        serde_json::json!({ "type": kind, "seq": seq, "data": data, "surfaceOp": surface })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        read_every_way(&bytes);
        let mut log = b"{\"type\":\"session\",\"id\":\"s\"}\n".to_vec();
        log.extend(&bytes);
        read_every_way(&log);
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd];
        frame.extend(&bytes);
        read_every_way(&frame);
    }

    #[test]
    fn any_events_can_be_folded(events in prop::collection::vec(event(), 0..20)) {
        let mut log = Fold::of_log(SessionKind::Interactive);
        let mut live = LiveFold::new(SessionKind::Interactive);
        for event in events {
            log.push(event.clone(), &mut drop);
            live.session_event(event.clone(), &mut drop);
            live.goal_view(&event["data"], &mut drop);
            live.goal_changed(&event["data"], &mut drop);
        }
    }

    #[test]
    fn any_change_to_a_recording_can_be_read(
        pick in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let all = recordings();
        let (set, name) = pick.get(&all);
        let mut bytes = persisted(set, name);
        for (place, byte) in edits {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        read_every_way(&bytes);
        let keep = cut.index(bytes.len());
        read_every_way(&bytes[..keep]);
    }

    #[test]
    fn live_records_in_any_order_can_be_folded(pick in any::<prop::sample::Index>(), seed in any::<u64>()) {
        let all = recordings();
        let (set, name) = pick.get(&all);
        let mut records: Vec<LiveRecord> = live_records(set, name);
        let count = u64::try_from(records.len()).unwrap();
        for step in 0..count {
            let other = seed.wrapping_mul(step.wrapping_add(7)) % count;
            records.swap(usize::try_from(step).unwrap(), usize::try_from(other).unwrap());
        }
        let mut live = LiveFold::new(SessionKind::Interactive);
        for record in records {
            live.record(record, &mut drop);
        }
    }
}
