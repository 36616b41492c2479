//! The worker's plan.

use super::raw::clip;
use serde_json::{Map, Value};
use suggest_core::{PlanItem, PlanStatus};

/// Items of a plan beyond this number are left out.
const MAX_ITEMS: usize = 200;

/// The most characters of one item.
const MAX_CHARS: usize = 500;

/// Reads the payload of `todo/write`: the whole plan as it stands. `None` if there is no list in it.
pub(crate) fn items(data: &Map<String, Value>) -> Option<Vec<PlanItem>> {
    let list = data.get("todos").or_else(|| data.get("items"))?.as_array()?;
    Some(list.iter().filter_map(item).take(MAX_ITEMS).collect())
}

fn item(value: &Value) -> Option<PlanItem> {
    let text = ["content", "text", "title"].iter().find_map(|key| value.get(key)?.as_str())?;
    let status = match value.get("status").and_then(Value::as_str) {
        Some("completed" | "done") => PlanStatus::Completed,
        Some("in_progress" | "in-progress" | "active") => PlanStatus::InProgress,
        Some("cancelled" | "canceled" | "deleted") => return None,
        _ if value.get("completed").and_then(Value::as_bool) == Some(true) => PlanStatus::Completed,
        _ => PlanStatus::Pending,
    };
    Some(PlanItem { text: clip(text.trim(), MAX_CHARS), status })
}
