//! The text of a message's content blocks.

use serde_json::Value;

/// What stands for an image that a person sent, so that the message is not empty.
const IMAGE: &str = "[image]";

/// The text blocks of a message, one per line. Reasoning, tool calls and tool results are no text.
///
/// The value is consumed, so that the one long block of a long message is moved and not copied.
pub(crate) fn text_of(content: Option<Value>) -> String {
    let blocks = match content {
        Some(Value::String(text)) => return text,
        Some(Value::Array(blocks)) => blocks,
        _ => return String::new(),
    };
    let mut text = String::new();
    let mut first = true;
    for block in blocks {
        let Some(part) = block_text(block) else { continue };
        if first {
            text = part;
            first = false;
        } else {
            text.push('\n');
            text.push_str(&part);
        }
    }
    text
}

fn block_text(block: Value) -> Option<String> {
    match block {
        Value::String(text) => Some(text),
        Value::Object(mut block) => match block.get("type").and_then(Value::as_str) {
            Some("text") => match block.remove("text") {
                Some(Value::String(text)) => Some(text),
                _ => None,
            },
            Some("image") => Some(IMAGE.to_owned()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_text_blocks_are_text() {
        let content = json!([
            { "type": "reasoning", "text": "hidden" },
            { "type": "text", "text": "one" },
            { "type": "tool-call", "id": "c", "name": "bash", "arguments": "{}" },
            { "type": "text", "text": "two" },
        ]);
        assert_eq!(text_of(Some(content)), "one\ntwo");
        assert_eq!(text_of(Some(json!("plain"))), "plain");
        assert_eq!(text_of(Some(json!([{ "type": "image", "id": "a" }]))), "[image]");
        assert_eq!(text_of(Some(json!({ "odd": true }))), "");
        assert_eq!(text_of(None), "");
    }
}
