//! The host's queue of messages that wait for a turn or a step.

use super::author::{Source, of_user_message};
use super::raw::text_field;
use serde_json::{Map, Value};
use suggest_core::{Author, Origin, SessionKind};

/// More waiting messages than this are not followed.
const MAX_WAITING: usize = 1024;

/// The two queues, folded from the splices that the host logs.
///
/// The splices alone are followed, not the notifications that come with them: a message would be seen twice, and
/// a notification can overtake the one before it.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    next_turn: Vec<Waiting>,
    next_step: Vec<Waiting>,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    origin: Origin,
    human: bool,
}

impl Inbox {
    /// Applies one splice. A log that is read from its middle may splice what was never seen: ends are clamped.
    pub(crate) fn splice(&mut self, data: &Map<String, Value>, session: SessionKind) {
        let queue = match text_field(data, "target") {
            Some("next-turn") => &mut self.next_turn,
            Some("next-step") => &mut self.next_step,
            _ => return,
        };
        let number = |key: &str| {
            let number = data.get(key).and_then(Value::as_u64).unwrap_or(0);
            usize::try_from(number).unwrap_or(usize::MAX)
        };
        let start = number("start").min(queue.len());
        let end = start.saturating_add(number("removedCount")).min(queue.len());
        let room = MAX_WAITING.saturating_sub(queue.len());
        let inserted = data.get("inserted").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let waiting = inserted.iter().take(room).map(|message| {
            let source: Source = of_user_message(message.get("source"), session);
            Waiting { origin: source.origin(), human: source.author == Author::Human }
        });
        queue.splice(start..end, waiting);
    }

    /// Who starts the turn that begins now: the host claims the first message that waits for a turn.
    pub(crate) fn next_origin(&self) -> Option<Origin> {
        self.next_turn.first().or_else(|| self.next_step.first()).map(|waiting| waiting.origin)
    }

    /// How many messages of the human wait.
    pub(crate) fn humans(&self) -> u32 {
        let humans = self.next_turn.iter().chain(&self.next_step).filter(|waiting| waiting.human).count();
        u32::try_from(humans).unwrap_or(u32::MAX)
    }

    /// Whether nothing waits that is to start a turn. A note of the advisor that was put in softly waits for whatever
    /// turn comes next: it starts none and keeps none away (rule V4).
    pub(crate) fn is_empty(&self) -> bool {
        self.next_turn.is_empty() && self.next_step.iter().all(|waiting| waiting.origin == Origin::Advisor)
    }

    pub(crate) fn clear(&mut self) {
        self.next_turn.clear();
        self.next_step.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn splice(inbox: &mut Inbox, data: Value) {
        inbox.splice(data.as_object().unwrap(), SessionKind::Interactive);
    }

    #[test]
    fn splices_insert_claim_and_cancel() {
        let mut inbox = Inbox::default();
        let human = json!({ "source": { "kind": "user" } });
        let round = json!({ "source": { "kind": "plugin", "plugin": "suggest" } });
        splice(&mut inbox, json!({ "target": "next-turn", "start": 0, "inserted": [round] }));
        splice(&mut inbox, json!({ "target": "next-turn", "start": 1, "inserted": [human] }));
        splice(&mut inbox, json!({ "target": "next-step", "start": 0, "inserted": [human] }));
        assert_eq!((inbox.next_origin(), inbox.humans()), (Some(Origin::Suggest), 2));
        splice(
            &mut inbox,
            json!({ "target": "next-turn", "start": 0, "removedCount": 1, "outcome": "canceled" }),
        );
        assert_eq!((inbox.next_origin(), inbox.humans()), (Some(Origin::Human), 2));
        splice(&mut inbox, json!({ "target": "next-turn", "start": 9, "removedCount": 99, "inserted": 7 }));
        splice(&mut inbox, json!({ "target": "elsewhere", "inserted": [human] }));
        assert_eq!(inbox.humans(), 2);
        inbox.clear();
        let note = json!({ "source": { "kind": "plugin", "plugin": "advisor" } });
        splice(&mut inbox, json!({ "target": "next-step", "start": 0, "inserted": [note] }));
        assert!(inbox.is_empty(), "a note that waits keeps the session at rest");
        splice(&mut inbox, json!({ "target": "next-step", "start": 1, "inserted": [human] }));
        assert!(!inbox.is_empty());
        inbox.clear();
        assert!(inbox.is_empty());
        assert_eq!(inbox.next_origin(), None);
    }
}
