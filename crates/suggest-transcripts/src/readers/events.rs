//! Our own host-neutral events, one JSON object a line.

use super::Reader;
use crate::json::word;
use crate::teller::Teller;
use serde_json::Value;
use suggest_core::Event;

/// Every type of event that there is.
const TYPES: &[&str] = &[
    "turn_started",
    "turn_ended",
    "idle",
    "busy",
    "human_queued",
    "asking",
    "history_rewritten",
    "closed",
    "message",
    "tool",
    "plan",
    "chapter",
    "goal",
    "goal_cleared",
];

/// Whether a record is one of our events.
pub(crate) fn is_event(record: &Value) -> bool {
    serde_json::from_value::<Event>(record.clone()).is_ok()
}

/// Reads our own events.
#[derive(Debug, Default)]
pub(crate) struct Events;

impl Reader for Events {
    fn record(&mut self, record: Value, tell: &mut Teller) {
        let kind = word(&record, "type").to_owned();
        match serde_json::from_value::<Event>(record) {
            Ok(event) => tell.raw(event),
            Err(_) if TYPES.contains(&kind.as_str()) => {
                tell.skip(&format!("{kind} with fields that do not fit"))
            }
            Err(_) => tell.skip(&kind),
        }
    }
}
