//! The worker: the model that does the work. The engine never sees it.

use crate::tool;
use async_trait::async_trait;
use serde_json::{Value, json};
use std::time::Duration;

/// One piece of the conversation, in order.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    /// What somebody asks of the worker: the person, the loop, or the advisor.
    Prompt(String),
    /// What the worker said.
    Answer(Answer),
    /// What a tool call brought.
    Result { call: String, text: String },
}

/// What the worker said: a text, a tool call, or both.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) call: Option<Call>,
    /// The output limit cut it.
    pub(crate) cut: bool,
}

/// A call of a tool, as the model wrote it.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    /// A JSON object as text, if the model did well.
    pub(crate) arguments: String,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkerError {
    #[error("the worker's endpoint cannot be reached: {0}")]
    Unreachable(String),
    #[error("the worker's endpoint answered with status {0}")]
    Status(u16),
    #[error("the worker's endpoint answered with something that is no chat completion")]
    Malformed,
}

/// Anything that goes on with a conversation. Dropping the future cancels the call.
#[async_trait]
pub(crate) trait Worker: Send + Sync {
    async fn answer(&self, instructions: &str, conversation: &[Entry]) -> Result<Answer, WorkerError>;
}

/// A model behind an OpenAI-compatible endpoint.
pub(crate) struct Endpoint {
    client: reqwest::Client,
    url: String,
    model: String,
    key: Option<String>,
}

impl Endpoint {
    /// An endpoint by its base URL, such as `http://127.0.0.1:11434/v1`.
    pub(crate) fn new(base: &str, model: &str, key: Option<String>) -> anyhow::Result<Self> {
        let mut client = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(10))
            .timeout(Duration::from_secs(600))
            // The key goes to this address and to no other.
            .redirect(reqwest::redirect::Policy::none());
        if base.starts_with("http://") {
            // Without TLS no certificates are needed, and none need to be installed.
            client = client.tls_certs_only([]);
        }
        let url = format!("{}/chat/completions", base.trim_end_matches('/'));
        Ok(Self { client: client.build()?, url, model: model.to_owned(), key })
    }
}

#[async_trait]
impl Worker for Endpoint {
    async fn answer(&self, instructions: &str, conversation: &[Entry]) -> Result<Answer, WorkerError> {
        let first = json!({ "role": "system", "content": instructions });
        let messages: Vec<Value> = std::iter::once(first).chain(conversation.iter().map(message)).collect();
        let body = json!({ "model": self.model, "messages": messages, "tools": [tool::description()] });
        let mut request = self.client.post(&self.url).json(&body);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let unreachable = |error: reqwest::Error| WorkerError::Unreachable(error.without_url().to_string());
        let response = request.send().await.map_err(unreachable)?;
        if !response.status().is_success() {
            return Err(WorkerError::Status(response.status().as_u16()));
        }
        let reply: Value = response.json().await.map_err(unreachable)?;
        read(&reply).ok_or(WorkerError::Malformed)
    }
}

fn message(entry: &Entry) -> Value {
    match entry {
        Entry::Prompt(text) => json!({ "role": "user", "content": text }),
        Entry::Result { call, text } => json!({ "role": "tool", "tool_call_id": call, "content": text }),
        Entry::Answer(Answer { text, call: None, .. }) => json!({ "role": "assistant", "content": text }),
        Entry::Answer(Answer { text, call: Some(call), .. }) => json!({
            "role": "assistant",
            "content": text,
            "tool_calls": [{
                "id": call.id,
                "type": "function",
                "function": { "name": call.name, "arguments": call.arguments },
            }],
        }),
    }
}

/// Reads a reply. Of several calls only the first is taken; the model sees that the others did not happen.
fn read(reply: &Value) -> Option<Answer> {
    let choice = reply.get("choices")?.get(0)?;
    let message = choice.get("message")?;
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let call = message.get("tool_calls").and_then(|calls| calls.get(0)).and_then(|call| {
        let function = call.get("function")?;
        Some(Call {
            id: text(call, "id"),
            name: text(function, "name"),
            arguments: text(function, "arguments"),
        })
    });
    let cut = choice.get("finish_reason").and_then(Value::as_str) == Some("length");
    Some(Answer { text: text(message, "content"), call, cut })
}

/// A worker without a model, so that the harness can be tried without a key and without a network. It looks at the folder
/// once, and for the rest tells what a worker would.
pub(crate) struct Scripted;

#[async_trait]
impl Worker for Scripted {
    async fn answer(&self, _: &str, conversation: &[Entry]) -> Result<Answer, WorkerError> {
        let prompts = conversation.iter().filter(|entry| matches!(entry, Entry::Prompt(_))).count();
        let looked = conversation.iter().any(|entry| matches!(entry, Entry::Result { .. }));
        if !looked {
            let arguments = json!({ "command": "ls" }).to_string();
            let call = Call { id: "call-1".to_owned(), name: tool::NAME.to_owned(), arguments };
            return Ok(Answer {
                text: "Looking at the folder first.".to_owned(),
                call: Some(call),
                cut: false,
            });
        }
        let text = match prompts {
            0 | 1 => {
                "This worker is scripted and changes nothing. A model would have added `report --json` now. \
                 Next, I will write a test for `report --json` on an empty ledger."
            }
            2 => "A model would have written that test. Next, I will document `report --json` in README.md.",
            3 => "A model would have written that section. Should I also add `--json` to `balance`?",
            _ => "A model would have done that. Everything is done.",
        };
        Ok(Answer { text: text.to_owned(), ..Answer::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_without_a_choice_is_none_and_of_several_calls_the_first_counts() {
        assert!(read(&json!({ "error": "no" })).is_none());
        let call = |id: &str| json!({ "id": id, "function": { "name": "run", "arguments": "{}" } });
        let message = json!({ "content": null, "tool_calls": [call("a"), call("b")] });
        let answer =
            read(&json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] })).unwrap();
        assert_eq!((answer.text.as_str(), answer.call.unwrap().id.as_str(), answer.cut), ("", "a", false));
    }
}
