//! Tool calls that wait for their result, and the plans that some tools write.

use crate::json::{clip, has, is_true, list, text, word};
use serde_json::Value;
use std::collections::VecDeque;
use suggest_core::{PlanItem, PlanStatus, Tool};
use suggest_host_dsh::ToolCall;

/// The most calls that wait for their result.
const MAX_CALLS: usize = 256;

/// Items of a plan beyond this number are left out.
const MAX_ITEMS: usize = 200;

/// The most characters of one item.
const MAX_CHARS: usize = 500;

/// The calls that wait for their result, and the task list that single calls build up.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    waiting: VecDeque<Waiting>,
    tasks: Vec<(String, PlanItem)>,
}

#[derive(Debug)]
struct Waiting {
    id: String,
    call: ToolCall,
    /// The arguments, only of tools that write a plan.
    plan: Option<Value>,
    asks: bool,
}

/// What a finished call means.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) tool: Tool,
    /// The plan, where the tool wrote it.
    pub(crate) plan: Option<Vec<PlanItem>>,
}

impl Calls {
    /// A call began, or is told again with more arguments.
    pub(crate) fn called(&mut self, id: &str, call: ToolCall, arguments: &Value) {
        let name = call.name().to_owned();
        let plan = writes_plan(&name).then(|| arguments.clone());
        let asks = asks(&name);
        if let Some(known) = self.waiting.iter_mut().find(|waiting| waiting.id == id) {
            known.call = call;
            known.plan = plan;
            return;
        }
        if self.waiting.len() >= MAX_CALLS {
            self.waiting.pop_front();
        }
        self.waiting.push_back(Waiting { id: id.to_owned(), call, plan, asks });
    }

    /// A call ended. One whose beginning was not seen, because the session is read from behind it, has no name.
    pub(crate) fn finished(&mut self, id: &str, output: &str, failed: bool) -> Finished {
        let place = self.waiting.iter().position(|waiting| waiting.id == id);
        let waiting = place.and_then(|place| self.waiting.remove(place));
        let (call, plan) = waiting.map_or_else(
            || (ToolCall::new("tool", &Value::Null), None),
            |waiting| (waiting.call, waiting.plan),
        );
        let plan = plan.filter(|_| !failed).and_then(|arguments| self.plan(call.name(), &arguments, output));
        Finished { tool: call.finish(output, failed), plan }
    }

    /// Whether a call waits.
    pub(crate) fn knows(&self, id: &str) -> bool {
        self.waiting.iter().any(|waiting| waiting.id == id)
    }

    /// Whether any call waits for its result.
    pub(crate) fn any_open(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether a question of the worker waits for the human.
    pub(crate) fn any_asks(&self) -> bool {
        self.waiting.iter().any(|waiting| waiting.asks)
    }

    /// The turn is over; nothing more will be told about what is open.
    pub(crate) fn forget_open(&mut self) {
        self.waiting.clear();
    }

    /// The conversation starts anew.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
        self.tasks.clear();
    }

    fn plan(&mut self, name: &str, arguments: &Value, output: &str) -> Option<Vec<PlanItem>> {
        match name {
            "TaskCreate" => {
                let id: String = output
                    .chars()
                    .skip_while(|c| *c != '#')
                    .skip(1)
                    .take_while(char::is_ascii_digit)
                    .collect();
                let item = PlanItem {
                    text: clip(text(arguments, "subject")?.trim(), MAX_CHARS),
                    status: PlanStatus::Pending,
                };
                if id.is_empty() || self.tasks.len() >= MAX_ITEMS {
                    return None;
                }
                self.tasks.push((id, item));
            }
            "TaskUpdate" => {
                let id = text(arguments, "taskId")?;
                let place = self.tasks.iter().position(|(known, _)| known == id)?;
                if word(arguments, "status") == "deleted" {
                    self.tasks.remove(place);
                } else if let Some((_, item)) = self.tasks.get_mut(place) {
                    if has(arguments, "status") {
                        item.status = status(arguments);
                    }
                    if let Some(subject) = text(arguments, "subject") {
                        item.text = clip(subject.trim(), MAX_CHARS);
                    }
                }
            }
            _ => return plan_items(arguments),
        }
        Some(self.tasks.iter().map(|(_, item)| item.clone()).collect())
    }
}

/// Tools that write the worker's plan.
pub(crate) fn writes_plan(name: &str) -> bool {
    matches!(
        name,
        "TodoWrite"
            | "todowrite"
            | "todo_write"
            | "write_todos"
            | "update_plan"
            | "TaskCreate"
            | "TaskUpdate"
    )
}

/// Tools that ask the human and wait.
fn asks(name: &str) -> bool {
    matches!(
        name,
        "AskUserQuestion" | "ExitPlanMode" | "ask_user_question" | "request_user_input" | "question"
    )
}

/// The tool that a call means: Qwen Code calls some through another one, which is given their name.
pub(crate) fn behind_bridge<'a>(name: &'a str, arguments: &'a Value) -> (&'a str, &'a Value) {
    match (name, text(arguments, "name"), arguments.get("arguments")) {
        ("tool_call", Some(inner), Some(of_inner)) => (inner, of_inner),
        _ => (name, arguments),
    }
}

/// A whole plan: the list under one of the names that harnesses use.
pub(crate) fn plan_items(value: &Value) -> Option<Vec<PlanItem>> {
    let items = ["todos", "plan", "items", "entries"].iter().find_map(|key| value.get(key)?.as_array())?;
    Some(items.iter().filter_map(plan_item).take(MAX_ITEMS).collect())
}

fn plan_item(value: &Value) -> Option<PlanItem> {
    let text = ["content", "step", "text", "description", "title"].iter().find_map(|key| text(value, key))?;
    if matches!(word(value, "status"), "cancelled" | "canceled" | "deleted") {
        return None;
    }
    Some(PlanItem { text: clip(text.trim(), MAX_CHARS), status: status(value) })
}

fn status(value: &Value) -> PlanStatus {
    match word(value, "status") {
        "completed" | "done" => PlanStatus::Completed,
        "in_progress" | "in-progress" | "inProgress" | "active" => PlanStatus::InProgress,
        _ if is_true(value, "completed") => PlanStatus::Completed,
        _ => PlanStatus::Pending,
    }
}

/// The files that a patch in the `*** Begin Patch` notation touches.
pub(crate) fn files_of_patch(patch: &str) -> impl Iterator<Item = &str> {
    patch.lines().filter_map(|line| {
        ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "]
            .iter()
            .find_map(|mark| line.strip_prefix(mark))
            .map(str::trim)
    })
}

/// What a list of result blocks or a plain result says.
pub(crate) fn output_text(output: &Value) -> String {
    match output {
        Value::String(text) => text.clone(),
        Value::Array(_) => crate::json::content_text(output),
        Value::Object(_) => ["output", "text", "error", "aggregated_output", "stdout"]
            .iter()
            .find_map(|key| text(output, key))
            .map(str::to_owned)
            .unwrap_or_else(|| {
                list(output, "content").iter().map(crate::json::content_text).collect::<Vec<_>>().join("\n")
            }),
        _ => String::new(),
    }
}
