//! Reading JSON tolerantly.

use serde_json::Value;

/// What stands for an image that a person sent, so that the message is not empty.
const IMAGE: &str = "[image]";

/// A string field.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// A string field, empty if there is none.
pub(crate) fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    text(value, key).unwrap_or_default()
}

/// Whether a field is `true`.
pub(crate) fn is_true(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// Whether a field is there and not null.
pub(crate) fn has(value: &Value, key: &str) -> bool {
    value.get(key).is_some_and(|value| !value.is_null())
}

/// A list field, empty if there is none.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The text of a message's content: a string, one block, or a list of blocks, one per line. Reasoning, tool calls and
/// tool results are no text.
pub(crate) fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(block_text).collect::<Vec<_>>().join("\n"),
        block => block_text(block).unwrap_or_default().to_owned(),
    }
}

/// The text of one block. Harnesses spell its type `text`, `Text`, `input_text` and `output_text`, or leave it out.
fn block_text(block: &Value) -> Option<&str> {
    if let Value::String(text) = block {
        return Some(text);
    }
    match text(block, "type") {
        None if has(block, "thought") && is_true(block, "thought") => None,
        None | Some("text" | "Text" | "input_text" | "output_text") => text(block, "text"),
        Some("content") => block_text(block.get("content")?),
        Some("image" | "input_image" | "LocalImage" | "Image") => Some(IMAGE),
        Some(_) => None,
    }
}

/// The first characters of a text.
pub(crate) fn clip(text: &str, limit: usize) -> String {
    text.chars().take(limit).collect()
}

/// What stands between two marks.
pub(crate) fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    Some(rest.split_once(end).map_or(rest, |(inner, _)| inner))
}
