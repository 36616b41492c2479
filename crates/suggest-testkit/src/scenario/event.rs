//! Reads events so that an error names the field inside the event.
//!
//! The core's own reader must buffer an event to find its `type`, and loses the path on the way. Here the type is
//! taken out first, and the rest is read as what the type says.

use super::error::{Misfit, join, read};
use serde::Deserialize;
use serde_json::{Map, Value};
use suggest_core::{Chapter, EndReason, Event, Goal, Message, Origin, PlanItem, Tool, Turn};

/// The core's event with its type outside.
#[derive(Deserialize)]
#[serde(remote = "Event", rename_all = "snake_case", deny_unknown_fields)]
enum TypedEvent {
    TurnStarted {
        turn: Turn,
        #[serde(default)]
        origin: Option<Origin>,
    },
    TurnEnded {
        turn: Turn,
        reason: EndReason,
    },
    Idle {},
    Busy {},
    HumanQueued {
        count: u32,
    },
    Asking {
        open: bool,
    },
    HistoryRewritten {},
    Closed {},
    Message(Message),
    Tool(Tool),
    Plan {
        items: Vec<PlanItem>,
    },
    Chapter(Chapter),
    Goal(Goal),
    GoalCleared {
        id: String,
    },
}

#[derive(Deserialize)]
#[serde(transparent)]
struct AnyEvent(#[serde(with = "TypedEvent")] Event);

pub(super) fn read_event(value: Value, place: &str) -> Result<Event, Misfit> {
    let Value::Object(mut fields) = value else {
        return Err(Misfit::new(place, "an event is an object with a `type`"));
    };
    let type_place = join(place, "type");
    let kind = match fields.remove("type") {
        Some(Value::String(kind)) => kind,
        Some(_) => return Err(Misfit::new(type_place, "the type of an event is a text")),
        None => return Err(Misfit::new(type_place, "missing field `type`")),
    };
    if !Event::TYPES.contains(&kind.as_str()) {
        return Err(Misfit::new(type_place, format!("no such event; there are {}", Event::TYPES.join(", "))));
    }
    let typed = Value::Object(Map::from_iter([(kind.clone(), Value::Object(fields))]));
    read::<AnyEvent>(typed, "").map(|event| event.0).map_err(|misfit| misfit.moved(&kind, place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_event_of_the_core_is_read_as_the_core_reads_it() {
        let samples = [
            json!({"type": "turn_started", "turn": 1, "origin": "suggest"}),
            json!({"type": "turn_started", "turn": 1}),
            json!({"type": "turn_ended", "turn": 1, "reason": "limited"}),
            json!({"type": "idle"}),
            json!({"type": "busy"}),
            json!({"type": "human_queued", "count": 2}),
            json!({"type": "asking", "open": true}),
            json!({"type": "history_rewritten"}),
            json!({"type": "closed"}),
            json!({"type": "message", "author": "plugin", "text": "t", "id": "m1", "producer": "p"}),
            json!({"type": "tool", "name": "edit", "files": ["a.rs"], "ok": false}),
            json!({"type": "plan", "items": [{"text": "a", "status": "in_progress"}]}),
            json!({"type": "chapter", "number": 1, "title": "a", "summary": "b"}),
            json!({"type": "goal", "id": "g", "revision": 2, "phase": "active", "armed": true, "objective": "o"}),
            json!({"type": "goal_cleared", "id": "g"}),
        ];
        for sample in samples {
            let ours = read_event(sample.clone(), "event").map_err(|misfit| misfit.in_document()).unwrap();
            assert_eq!(ours, serde_json::from_value::<Event>(sample).unwrap());
        }
    }

    #[test]
    fn an_error_names_the_field_inside_the_event() {
        let cases = [
            (json!({"type": "turn_started", "turn": "one"}), "event.turn"),
            (json!({"type": "turn_started"}), "event.turn"),
            (json!({"type": "turn_ended", "turn": 1, "reason": "bored"}), "event.reason"),
            (json!({"type": "plan", "items": [{"text": "a", "status": "x"}]}), "event.items[0].status"),
            (json!({"type": "message", "author": "nobody", "text": "a"}), "event.author"),
            (json!({"type": "message", "author": "human", "text": "a", "txt": 1}), "event.txt"),
            (json!({"type": "idle", "turn": 1}), "event.turn"),
            (json!({"type": "idel"}), "event.type"),
            (json!({}), "event.type"),
            (json!("idle"), "event"),
        ];
        for (sample, field) in cases {
            let error = read_event(sample, "event").unwrap_err().in_document();
            assert_eq!(error.field(), Some(field), "{error}");
        }
    }
}
