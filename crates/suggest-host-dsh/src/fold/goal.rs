//! The session's goal, durable and live.

use serde_json::{Map, Value};
use suggest_core::{Event, Goal, GoalPhase, Revision};

/// The goal as it was last told.
#[derive(Debug, Default)]
pub(crate) struct GoalTracker {
    last: Option<Goal>,
}

impl GoalTracker {
    /// Folds a durable `goal/change`. `None` if it cannot be read or says nothing new.
    ///
    /// The log does not hold whether the goal's driver is armed, since that ends with the process. A goal of the past
    /// is therefore not armed. A live one is taken as armed after the operations that arm it, until the host's own
    /// view arrives a moment later: so the driver is never thought away (rule A4).
    pub(crate) fn change(&mut self, data: &Map<String, Value>, live: bool) -> Option<Event> {
        let operation = data.get("operation").and_then(Value::as_str).unwrap_or_default();
        if operation == "clear" {
            return self.cleared(data.get("cleared")?.get("id")?.as_str()?);
        }
        let mut goal = read(data.get("goal")?)?;
        goal.armed = live
            && goal.phase == GoalPhase::Active
            && match operation {
                "create" | "resume" => true,
                _ => self.last.as_ref().is_some_and(|last| last.id == goal.id && last.armed),
            };
        self.tell(goal)
    }

    /// Folds a notice of a running host that a goal changed: `{operation, ref, goal?}`.
    ///
    /// Such notices can overtake each other; one about an older revision than known is dropped.
    pub(crate) fn notice(&mut self, change: &Value) -> Option<Event> {
        if change.get("operation").and_then(Value::as_str) == Some("clear") {
            let id = change.get("ref")?.get("id")?.as_str()?;
            return if self.last.as_ref()?.id == id { self.cleared(id) } else { None };
        }
        let goal = read(change.get("goal")?)?;
        let older =
            self.last.as_ref().is_some_and(|last| last.id == goal.id && last.revision > goal.revision);
        if older { None } else { self.tell(goal) }
    }

    /// Folds the host's own view of the goal at this moment; null says that there is none.
    pub(crate) fn view(&mut self, view: &Value) -> Option<Event> {
        if view.is_null() {
            let id = self.last.take()?.id;
            return Some(Event::GoalCleared { id });
        }
        let goal = read(view)?;
        self.tell(goal)
    }

    fn cleared(&mut self, id: &str) -> Option<Event> {
        self.last = None;
        Some(Event::GoalCleared { id: id.to_owned() })
    }

    fn tell(&mut self, goal: Goal) -> Option<Event> {
        if self.last.as_ref() == Some(&goal) {
            return None;
        }
        self.last = Some(goal.clone());
        Some(Event::Goal(goal))
    }
}

/// Reads a goal; `activation` is only there in the views of a running host.
fn read(value: &Value) -> Option<Goal> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let phase = match text("phase")? {
        "active" => GoalPhase::Active,
        "paused" => GoalPhase::Paused,
        "blocked" => GoalPhase::Blocked,
        "complete" => GoalPhase::Complete,
        _ => return None,
    };
    Some(Goal {
        id: text("id")?.to_owned(),
        revision: Revision::new(value.get("revision")?.as_u64()?),
        phase,
        armed: phase == GoalPhase::Active && text("activation") == Some("armed"),
        objective: text("objective")?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn durable(
        tracker: &mut GoalTracker,
        operation: &str,
        revision: u64,
        phase: &str,
        live: bool,
    ) -> Option<Event> {
        let goal = json!({ "id": "g", "revision": revision, "objective": "ship", "phase": phase });
        let data = json!({ "operation": operation, "goal": goal });
        tracker.change(data.as_object().unwrap(), live)
    }

    fn armed(event: Option<Event>) -> bool {
        match event {
            Some(Event::Goal(goal)) => goal.armed,
            other => panic!("no goal: {other:?}"),
        }
    }

    #[test]
    fn a_goal_of_a_log_is_never_armed_and_a_live_one_is_until_the_host_says_otherwise() {
        let mut past = GoalTracker::default();
        assert!(!armed(durable(&mut past, "create", 1, "active", false)));
        let mut live = GoalTracker::default();
        assert!(armed(durable(&mut live, "create", 1, "active", true)));
        assert!(armed(durable(&mut live, "edit", 2, "active", true)));
        assert!(!armed(durable(&mut live, "pause", 3, "paused", true)));
        assert!(armed(durable(&mut live, "resume", 4, "active", true)));
        let view = json!({ "id": "g", "revision": 4, "objective": "ship", "phase": "active", "activation": "disarmed" });
        assert!(!armed(live.view(&view)));
        assert_eq!(live.view(&view), None);
        assert!(!armed(durable(&mut live, "edit", 5, "active", true)));
    }

    #[test]
    fn a_notice_about_an_older_revision_is_dropped() {
        let mut live = GoalTracker::default();
        durable(&mut live, "create", 3, "active", true);
        let late = json!({ "operation": "edit", "goal":
            { "id": "g", "revision": 2, "objective": "old", "phase": "active", "activation": "armed" } });
        assert_eq!(live.notice(&late), None);
        let clear = json!({ "operation": "clear", "ref": { "id": "other", "revision": 1 } });
        assert_eq!(live.notice(&clear), None);
        let clear = json!({ "operation": "clear", "ref": { "id": "g", "revision": 4 } });
        assert_eq!(live.notice(&clear), Some(Event::GoalCleared { id: "g".to_owned() }));
        assert_eq!(live.view(&Value::Null), None);
    }
}
