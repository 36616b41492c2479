//! Our own host-neutral events, one JSON object a line.

use super::Reader;
use crate::json::{text, word};
use crate::teller::Teller;
use serde_json::Value;
use suggest_core::Event;
use suggest_host_dsh::ProblemKind;

/// Whether a record is one of our events.
pub(crate) fn is_event(record: &Value) -> bool {
    Event::TYPES.contains(&word(record, "type")) && serde_json::from_value::<Event>(record.clone()).is_ok()
}

/// Whether a line of which only the first part is at hand begins like one of our events.
pub(crate) fn is_cut_event(line: &str) -> bool {
    let kind = line.strip_prefix("{\"type\":\"").and_then(|rest| rest.split('"').next());
    kind.is_some_and(|kind| Event::TYPES.contains(&kind) && kind != "message")
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
        if !Event::TYPES.contains(&kind.as_str()) {
            return tell.skip(&kind);
        }
        match serde_json::from_value::<Event>(record) {
            Ok(event) => tell.raw(event),
            Err(_) => tell.problem(ProblemKind::Misfit),
        }
    }
}
