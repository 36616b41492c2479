//! The protocol as one document, for the plugin and its tests.

use super::*;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The protocol as a document: each method with its direction and the schemas of its parameters and its answer.
///
/// `methods` names every method; a `request` has a `result`. Types are in `read` (what the sidecar reads: fields that
/// may be absent are not required) and `written` (what it writes: fields that are always there are required).
#[must_use]
pub fn protocol_schema() -> Value {
    let settings = |path: &str| {
        let mut settings = SchemaSettings::draft2020_12();
        settings.definitions_path = format!("/{path}").into();
        settings.meta_schema = None;
        settings
    };
    let mut reads = settings("read").for_deserialize().into_generator();
    let mut writes = settings("written").for_serialize().into_generator();
    let (r, w) = (&mut reads, &mut writes);
    let mut methods = Map::new();
    let mut add = |name: &str, from: &str, params: Value, result: Option<Value>| {
        let mut method = json!({ "from": from, "kind": "notification", "params": params });
        if let (Some(result), Some(fields)) = (result, method.as_object_mut()) {
            fields.insert("kind".to_owned(), json!("request"));
            fields.insert("result".to_owned(), result);
        }
        methods.insert(name.to_owned(), method);
    };
    let plugin = "plugin";
    add("hello", plugin, of::<HelloParams>(r), Some(of::<HelloResult>(w)));
    add("session/open", plugin, of::<OpenParams>(r), None);
    add("session/history", plugin, of::<HistoryParams>(r), None);
    add("session/ready", plugin, of::<SessionParams>(r), None);
    add("session/event", plugin, of::<EventParams>(r), None);
    add("session/status", plugin, of::<StatusParams>(r), None);
    add("session/inbox", plugin, of::<InboxParams>(r), None);
    add("session/goal", plugin, of::<GoalParams>(r), None);
    add("session/asking", plugin, of::<AskingParams>(r), None);
    add("session/chapter", plugin, of::<ChapterParams>(r), None);
    add("session/closed", plugin, of::<SessionParams>(r), None);
    add("command", plugin, of::<CommandParams>(r), Some(of::<CommandResult>(w)));
    add("config", plugin, of::<ConfigParams>(r), None);
    add("config/check", plugin, of::<ConfigParams>(r), Some(of::<CheckResult>(w)));
    let sidecar = "sidecar";
    add("state", sidecar, of::<StateParams<'_>>(w), None);
    add("submit", sidecar, of::<SubmitParams<'_>>(w), Some(of::<SubmitResult>(r)));
    add("withdraw", sidecar, of::<WithdrawParams<'_>>(w), Some(of::<WithdrawResult>(r)));
    add("goal/pause", sidecar, of::<PauseParams<'_>>(w), Some(of::<DoneResult>(r)));
    add("inject", sidecar, of::<NoteParams<'_>>(w), Some(of::<DoneResult>(r)));
    add("steer", sidecar, of::<NoteParams<'_>>(w), Some(of::<DoneResult>(r)));
    add("input/fill", sidecar, of::<FillParams<'_>>(w), Some(of::<DoneResult>(r)));
    add("report", sidecar, of::<ReportParams<'_>>(w), None);
    add("model/complete", sidecar, of::<CompleteParams<'_>>(w), Some(of::<CompleteResult>(r)));
    add("model/cancel", sidecar, of::<CancelParams>(w), None);
    add("model/info", sidecar, of::<InfoParams<'_>>(w), Some(of::<InfoResult>(r)));
    add("log", sidecar, of::<LogParams<'_>>(w), None);
    let error_data = of::<CallFailure>(r);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The protocol between the dsh plugin and its sidecar",
        "protocol": PROTOCOL,
        "maxLineBytes": MAX_LINE,
        "methods": methods,
        "errorData": { "model/complete": error_data, "model/info": error_data },
        "read": reads.take_definitions(true),
        "written": writes.take_definitions(true),
    })
}

/// The schema of a type; the type itself goes to the generator's definitions.
fn of<T: schemars::JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}
