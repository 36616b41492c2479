//! Tool calls: what ran, on which files, and how it ended.

use super::content::text_of;
use super::raw::{clip, text_field};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use suggest_core::Tool;

/// The most calls that wait for their result.
const MAX_CALLS: usize = 256;

/// The most characters of the line that says what a call did.
const MAX_HEAD: usize = 200;

/// The most characters of output that are kept, from its end: there a test run names what failed.
const MAX_TAIL: usize = 2_000;

/// The most files of one call, and the most bytes of one file's name.
const MAX_FILES: usize = 16;
const MAX_FILE_BYTES: usize = 1024;

/// The calls that wait for their result.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    waiting: VecDeque<(String, ToolCall)>,
}

/// A tool call that has not finished: what it is about to do, and on which files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolCall {
    name: String,
    head: String,
    files: Vec<String>,
}

impl ToolCall {
    /// A call of a tool, with its arguments as JSON.
    #[must_use]
    pub fn new(name: &str, arguments: &Value) -> Self {
        Self { name: clip(name, 128), head: head(arguments), files: files(name, arguments) }
    }

    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the line that says what the call does, for tools whose arguments do not.
    #[must_use]
    pub fn with_head(mut self, text: &str) -> Self {
        self.head = one_line(text);
        self
    }

    /// Adds a file that the call touches.
    #[must_use]
    pub fn with_file(mut self, path: &str) -> Self {
        add_file(path, &mut self.files);
        self
    }

    /// The finished call: what it did, and the end of what it printed where that says how the work goes.
    #[must_use]
    pub fn finish(self, output: &str, failed: bool) -> Tool {
        let shown = if failed || !is_plain_reading(&self.name) { tail(output) } else { "" };
        let summary = [self.head.as_str(), shown].into_iter().filter(|part| !part.is_empty());
        let summary = summary.collect::<Vec<_>>().join("\n");
        let summary = (!summary.is_empty()).then_some(summary);
        Tool { name: self.name, summary, files: self.files, ok: Some(!failed) }
    }
}

impl Calls {
    /// Takes a `tool/call`. Its arguments are JSON in a string; what cannot be read gives no head and no files.
    pub(crate) fn called(&mut self, data: &Map<String, Value>) {
        let (Some(id), Some(name)) = (text_field(data, "callId"), text_field(data, "name")) else { return };
        let arguments = match data.get("arguments") {
            Some(Value::String(text)) => serde_json::from_str(text).unwrap_or(Value::Null),
            Some(value) => value.clone(),
            None => Value::Null,
        };
        let call = ToolCall::new(name, &arguments);
        if self.waiting.len() >= MAX_CALLS {
            self.waiting.pop_front();
        }
        self.waiting.push_back((id.to_owned(), call));
    }

    /// Takes a `tool/result` and gives the finished call with its id. A result whose call was not seen, because the
    /// log is read from behind it, has the name that the result itself tells, or none.
    pub(crate) fn finished(&mut self, mut data: Map<String, Value>) -> (Option<String>, Tool) {
        let mut failed = data.get("error").is_some_and(|error| !error.is_null());
        failed |= ["exitCode", "exit_code"]
            .iter()
            .filter_map(|key| data.get("meta")?.get(key)?.as_i64())
            .any(|code| code != 0);
        let mut message = match data.remove("message") {
            Some(Value::Object(message)) => message,
            _ => Map::new(),
        };
        // Format 0 wraps the result in a block of a user message, format 4 is a message of the role `tool`.
        let mut block = match message
            .get_mut("content")
            .and_then(Value::as_array_mut)
            .and_then(|list| list.first_mut())
        {
            Some(Value::Object(block)) if text_field(block, "type") == Some("tool-result") => {
                std::mem::take(block)
            }
            _ => message,
        };
        failed |= block.get("isError").and_then(Value::as_bool).unwrap_or(false);
        let id = text_field(&block, "toolCallId").or_else(|| text_field(&data, "callId")).map(str::to_owned);
        let call = id.as_deref().and_then(|id| self.take(id)).unwrap_or_else(|| ToolCall {
            name: clip(text_field(&data, "name").unwrap_or("tool"), 128),
            ..ToolCall::default()
        });
        let output = text_of(block.remove("content"));
        (id, call.finish(&output, failed))
    }

    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }

    fn take(&mut self, id: &str) -> Option<ToolCall> {
        let place = self.waiting.iter().position(|(waiting, _)| waiting == id)?;
        self.waiting.remove(place).map(|(_, call)| call)
    }
}

/// Tools whose output is file text, search hits or an echo of the arguments: it says nothing about how work goes.
fn is_plain_reading(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "read"
            | "read_image"
            | "glob"
            | "grep"
            | "list"
            | "ls"
            | "web_search"
            | "web_fetch"
            | "skill"
            | "todo_write"
            | "get_goal"
            | "create_goal"
            | "update_goal"
            | "write"
            | "edit"
            | "multiedit"
            | "notebookedit"
            | "websearch"
            | "webfetch"
            | "toolsearch"
            | "todowrite"
            | "write_todos"
            | "read_file"
            | "read_many_files"
            | "list_directory"
            | "grep_search"
            | "write_file"
            | "replace"
    )
}

/// One line that says what a call did: the argument that tells most.
fn head(arguments: &Value) -> String {
    const TELLING: [&str; 11] = [
        "command",
        "cmd",
        "pattern",
        "query",
        "url",
        "description",
        "prompt",
        "objective",
        "question",
        "name",
        "id",
    ];
    let text = TELLING.iter().find_map(|key| arguments.get(key)?.as_str()).unwrap_or_default();
    one_line(text)
}

/// A text as one line of limited length.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() > MAX_HEAD.saturating_mul(4) {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    clip(&line, MAX_HEAD)
}

/// The end of an output, from the start of a line where that costs less than half of it.
fn tail(output: &str) -> &str {
    let output = output.trim_end();
    let Some((start, _)) = output.char_indices().rev().nth(MAX_TAIL.saturating_sub(1)) else {
        return output.trim();
    };
    let Some((before, end)) = output.split_at_checked(start) else { return output };
    if before.is_empty() || before.ends_with('\n') {
        return end;
    }
    match end.split_once('\n') {
        Some((_, rest)) if rest.len() > end.len() / 2 => rest,
        _ => end,
    }
}

/// The files that the arguments name.
fn files(name: &str, arguments: &Value) -> Vec<String> {
    let mut found = Vec::new();
    // A search names the folder that it looks through, not a file that it reads.
    if !matches!(
        name.to_ascii_lowercase().as_str(),
        "glob" | "grep" | "list" | "ls" | "find" | "grep_search" | "list_directory"
    ) {
        collect_files(arguments, 0, &mut found);
    }
    found
}

fn collect_files(value: &Value, depth: u8, found: &mut Vec<String>) {
    let Value::Object(object) = value else { return };
    // In an order of its own: whether a map keeps the order of its text depends on how serde_json was built.
    let mut fields: Vec<_> = object.iter().collect();
    fields.sort_unstable_by_key(|(key, _)| key.as_str());
    for (key, value) in fields {
        match value {
            Value::String(path) if names_a_file(key) => add_file(path, found),
            Value::Array(list) if depth < 2 => {
                for entry in list.iter().take(64) {
                    match entry {
                        Value::String(path) if names_a_file(key) => add_file(path, found),
                        other => collect_files(other, depth.saturating_add(1), found),
                    }
                }
            }
            Value::Object(_) if depth < 2 => collect_files(value, depth.saturating_add(1), found),
            _ => {}
        }
    }
}

fn add_file(path: &str, found: &mut Vec<String>) {
    let path = path.trim();
    let fits = !path.is_empty() && path.len() <= MAX_FILE_BYTES && !path.chars().any(char::is_control);
    if fits && found.len() < MAX_FILES && !found.iter().any(|known| known == path) {
        found.push(path.to_owned());
    }
}

fn names_a_file(key: &str) -> bool {
    let key: String = key.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect();
    matches!(
        key.as_str(),
        "path"
            | "file"
            | "filename"
            | "filepath"
            | "paths"
            | "files"
            | "filepaths"
            | "notebookpath"
            | "absolutepath"
            | "targetfile"
            | "newpath"
            | "oldpath"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(calls: &mut Calls, name: &str, arguments: &Value) {
        let data = json!({ "callId": "c1", "name": name, "arguments": arguments.to_string() });
        calls.called(data.as_object().unwrap());
    }

    fn finish(calls: &mut Calls, data: Value) -> Tool {
        match data {
            Value::Object(data) => calls.finished(data).1,
            _ => panic!("no object"),
        }
    }

    #[test]
    fn a_result_of_either_format_finds_its_call() {
        let old = json!({ "message": { "role": "user", "content": [
            { "type": "tool-result", "toolCallId": "c1", "isError": false, "content": [{ "type": "text", "text": "ok\n" }] }] } });
        let new = json!({ "message": { "role": "tool", "toolCallId": "c1", "isError": false,
            "content": [{ "type": "text", "text": "ok\n" }] } });
        for data in [old, new] {
            let mut calls = Calls::default();
            call(&mut calls, "bash", &json!({ "command": "cargo  test\n-q", "description": "test" }));
            let tool = finish(&mut calls, data);
            let expected = Tool {
                name: "bash".to_owned(),
                summary: Some("cargo test -q\nok".to_owned()),
                files: vec![],
                ok: Some(true),
            };
            assert_eq!(tool, expected);
        }
    }

    #[test]
    fn a_failure_is_told_by_the_error_the_flag_or_the_exit_code() {
        for data in [
            json!({ "error": { "name": "HarnessError" } }),
            json!({ "message": { "content": [{ "type": "tool-result", "toolCallId": "x", "isError": true }] } }),
            json!({ "message": { "isError": true } }),
            json!({ "meta": { "exitCode": 101 } }),
        ] {
            assert_eq!(finish(&mut Calls::default(), data).ok, Some(false));
        }
        assert_eq!(finish(&mut Calls::default(), json!({ "meta": { "exitCode": 0 } })).ok, Some(true));
    }

    #[test]
    fn a_long_output_keeps_its_end_from_a_line_start() {
        let mut calls = Calls::default();
        call(&mut calls, "bash", &json!({ "command": "cargo test" }));
        let output = format!("{}\nfailures:\n    tests::parses_é\n", "running\n".repeat(5_000));
        let tool = finish(
            &mut calls,
            json!({ "message": { "toolCallId": "c1", "content": [{ "type": "text", "text": output }] } }),
        );
        let summary = tool.summary.unwrap();
        assert!(summary.starts_with("cargo test\nrunning\n"), "{summary}");
        assert!(summary.ends_with("failures:\n    tests::parses_é"), "{summary}");
        assert!(summary.chars().count() <= MAX_TAIL + MAX_HEAD + 1);
        assert!(tail(&"é".repeat(5_000)).chars().count() == MAX_TAIL);
    }

    #[test]
    fn the_text_of_a_file_that_was_read_is_left_out_and_its_name_kept() {
        let mut calls = Calls::default();
        call(&mut calls, "read", &json!({ "file_path": "src/lib.rs" }));
        let tool = finish(
            &mut calls,
            json!({ "message": { "toolCallId": "c1", "content": [{ "type": "text", "text": "secret file" }] } }),
        );
        assert_eq!((tool.summary, tool.files), (None, vec!["src/lib.rs".to_owned()]));
    }

    #[test]
    fn files_are_found_under_their_usual_keys() {
        let arguments = json!({ "filePath": "a", "edits": [{ "path": "b" }, { "path": "a" }], "files": ["c", "d\0"],
            "content": "path: x", "deep": { "er": { "file": "e", "est": { "path": "no" } } } });
        assert_eq!(files("edit", &arguments), ["e", "b", "a", "c"]);
        assert!(files("grep", &json!({ "path": "src" })).is_empty());
    }

    #[test]
    fn calls_without_results_do_not_pile_up() {
        let mut calls = Calls::default();
        for _ in 0..1_000 {
            call(&mut calls, "bash", &json!({}));
        }
        assert_eq!(calls.waiting.len(), MAX_CALLS);
    }
}
