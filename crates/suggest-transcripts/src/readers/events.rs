//! Our own host-neutral events, one JSON object a line.

use super::Reader;
use crate::json::{text, word};
use crate::teller::Teller;
use serde_json::Value;
use suggest_core::Event;
use suggest_host_dsh::ProblemKind;

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
    TYPES.contains(&word(record, "type")) && serde_json::from_value::<Event>(record.clone()).is_ok()
}

/// Whether a line of which only the first part is at hand begins like one of our events.
pub(crate) fn is_cut_event(line: &str) -> bool {
    let kind = line.strip_prefix("{\"type\":\"").and_then(|rest| rest.split('"').next());
    kind.is_some_and(|kind| TYPES.contains(&kind) && kind != "message")
        || line.starts_with("{\"type\":\"message\",\"author\":\"")
}

/// Reads our own events.
#[derive(Debug, Default)]
pub(crate) struct Events;

impl Reader for Events {
    fn record(&mut self, record: Value, tell: &mut Teller) {
        let Some(kind) = text(&record, "type").map(str::to_owned) else {
            return tell.problem(ProblemKind::NotAnEvent);
        };
        if !TYPES.contains(&kind.as_str()) {
            return tell.skip(&kind);
        }
        match serde_json::from_value::<Event>(record) {
            Ok(event) => tell.raw(event),
            Err(_) => tell.problem(ProblemKind::Misfit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_types_is_the_cores() {
        // What the core takes, it says when it is given something else.
        let error =
            serde_json::from_value::<Event>(serde_json::json!({ "type": "?" })).unwrap_err().to_string();
        let mut known: Vec<&str> = error.split('`').skip(3).step_by(2).collect();
        let mut listed = TYPES.to_vec();
        known.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, known, "{error}");
    }
}
