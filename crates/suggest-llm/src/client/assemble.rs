//! Puts a reply together from the events of a stream or from one JSON body, without IO.

use serde_json::Value;

use super::failure::Failure;
use super::retry::Retry;
use super::shape::{self, ErrorShape};
use super::sse::SseEvent;
use crate::error::LlmErrorKind;
use crate::reply::{Finish, LlmReply, Usage};

/// Data that is no JSON is forgiven this often: gateways send keep-alives as data.
const FORGIVEN_JUNK: u32 = 2;

/// A reply under construction. An error inside it wins over any text that had arrived.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    text: String,
    finish: Option<Finish>,
    reasoning: bool,
    refused: bool,
    tool_calls: bool,
    usage: Usage,
    model: Option<String>,
    done: bool,
    events: u32,
    junk: u32,
}

impl Assembly {
    /// Whether the endpoint said how the reply ended.
    pub(crate) fn has_finish(&self) -> bool {
        self.finish.is_some()
    }

    /// Whether the stream said that nothing more comes.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// Whether nothing that means anything has arrived.
    pub(crate) fn is_untouched(&self) -> bool {
        self.events == 0
    }

    /// Takes one event of a stream.
    pub(crate) fn accept(&mut self, event: &SseEvent) -> Result<(), Box<Failure>> {
        let data = event.data.trim();
        if data.is_empty() || data.starts_with(':') {
            return Ok(());
        }
        if data == "[DONE]" {
            self.done = true;
            self.events += 1;
            return Ok(());
        }
        let Ok(value) = serde_json::from_str::<Value>(data) else {
            if event.name.eq_ignore_ascii_case("error") {
                self.events += 1;
                return Err(self.in_band(&ErrorShape::text(data)));
            }
            if event.terminated {
                self.junk += 1;
            }
            if self.junk > FORGIVEN_JUNK {
                return Err(malformed("the event stream holds data that is no JSON"));
            }
            return Ok(());
        };
        self.events += 1;
        if event.name.eq_ignore_ascii_case("error") {
            return Err(self.in_band(&shape::read(&value)));
        }
        self.merge(&value, Part::Chunk)
    }

    /// Takes a whole JSON body.
    pub(crate) fn accept_body(&mut self, body: &Value) -> Result<(), Box<Failure>> {
        self.events += 1;
        self.merge(body, Part::Whole)?;
        match self.finish {
            Some(_) => Ok(()),
            None if choices(body).is_empty() => {
                let mut failure = malformed("the reply holds no choices");
                failure.retry = Retry::Once;
                Err(failure)
            }
            None => {
                Err(malformed("the reply gives no finish reason, so nobody can tell whether it is complete"))
            }
        }
    }

    fn merge(&mut self, value: &Value, part: Part) -> Result<(), Box<Failure>> {
        self.merge_usage(value);
        if let Some(model) = value.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) {
            self.model = Some(model.chars().filter(|character| !character.is_control()).take(120).collect());
        }
        if let Some(error) = shape::in_band(value) {
            return Err(self.in_band(&error));
        }
        let choices = choices(value);
        let index_of = |choice: &Value| choice.get("index").and_then(Value::as_u64);
        let first = choices.iter().find(|choice| index_of(choice).unwrap_or(0) == 0);
        let Some(choice) = first else { return Ok(()) };
        if let Some(error) = shape::in_band(choice) {
            return Err(self.in_band(&error));
        }
        let finish = choice.get("finish_reason").and_then(Value::as_str).filter(|reason| !reason.is_empty());
        let message = match part {
            Part::Whole => choice.get("message").or_else(|| choice.get("delta")),
            // Some endpoints repeat the whole text beside each delta; it counts only where no delta ever came.
            Part::Chunk => choice
                .get("delta")
                .or_else(|| choice.get("message").filter(|_| finish.is_some() && self.text.is_empty())),
        };
        if let Some(message) = message {
            self.merge_message(message);
        }
        match finish.map(Ending::of) {
            None => Ok(()),
            Some(Ending::Finished(finish)) => {
                self.finish = self.finish.or(Some(finish));
                Ok(())
            }
            Some(Ending::Broken) => Err(self.in_band(&ErrorShape::default())),
        }
    }

    fn merge_message(&mut self, message: &Value) {
        match message.get("content") {
            Some(Value::String(text)) => self.text.push_str(text),
            Some(Value::Array(parts)) => {
                for part in parts {
                    if let Some(text) = part.get("text").and_then(Value::as_str) {
                        self.text.push_str(text);
                    } else if part.get("type").and_then(Value::as_str) == Some("thinking") {
                        self.reasoning = true;
                    }
                }
            }
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {}
        }
        let reasoning = ["reasoning_content", "reasoning", "reasoning_details", "thinking"];
        self.reasoning |= reasoning.iter().filter_map(|key| message.get(key)).any(says_something);
        self.refused |= message.get("refusal").is_some_and(says_something);
        self.tool_calls |=
            ["tool_calls", "function_call"].iter().filter_map(|key| message.get(key)).any(says_something);
    }

    fn merge_usage(&mut self, value: &Value) {
        let usage = value.get("usage").filter(|usage| usage.is_object());
        let Some(usage) = usage.or_else(|| value.pointer("/x_groq/usage")) else { return };
        let number =
            |paths: &[&str]| paths.iter().find_map(|path| usage.pointer(path)).and_then(Value::as_u64);
        let later = |new: Option<u64>, old: Option<u64>| new.or(old);
        self.usage = Usage {
            input_tokens: later(number(&["/prompt_tokens", "/input_tokens"]), self.usage.input_tokens),
            output_tokens: later(number(&["/completion_tokens", "/output_tokens"]), self.usage.output_tokens),
            cached_tokens: later(
                number(&[
                    "/prompt_tokens_details/cached_tokens",
                    "/prompt_cache_hit_tokens",
                    "/cache_read_input_tokens",
                    "/cached_tokens",
                ]),
                self.usage.cached_tokens,
            ),
            reasoning_tokens: later(
                number(&["/completion_tokens_details/reasoning_tokens", "/reasoning_tokens"]),
                self.usage.reasoning_tokens,
            ),
        };
    }

    fn in_band(&self, error: &ErrorShape) -> Box<Failure> {
        let mut failure = Failure::classify(error.claimed_status().unwrap_or(500), error);
        failure.usage = self.usage;
        failure
    }

    /// The reply, if the endpoint finished it.
    pub(crate) fn into_reply(self) -> Result<LlmReply, Box<Failure>> {
        let Some(finish) = self.finish else {
            let mut failure = Failure::new(
                LlmErrorKind::Network,
                "the reply broke off: the stream ended without a finish reason",
            );
            failure.usage = self.usage;
            return Err(failure);
        };
        if finish == Finish::ContentFilter || (self.refused && self.text.trim().is_empty()) {
            let what = if self.refused { "the model refused" } else { "a content filter stopped the answer" };
            let mut failure = Failure::new(LlmErrorKind::Filtered, what);
            failure.usage = self.usage;
            return Err(failure);
        }
        let finish = if self.tool_calls && finish == Finish::Stop { Finish::ToolCalls } else { finish };
        let thinks = self.text.trim_start().starts_with("<think") || self.text.contains("</think");
        Ok(LlmReply {
            finish,
            reasoning: self.reasoning || thinks,
            usage: self.usage,
            model: self.model,
            ..LlmReply::new(self.text)
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Chunk,
}

/// What a finish reason means. Endpoints invent their own words, so unknown ones count as an end.
enum Ending {
    Finished(Finish),
    Broken,
}

impl Ending {
    fn of(reason: &str) -> Self {
        Self::Finished(match reason.to_ascii_lowercase().as_str() {
            "stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence" | "end" | "complete"
            | "completed" => Finish::Stop,
            "length"
            | "max_tokens"
            | "model_length"
            | "max_output_tokens"
            | "model_context_window_exceeded" => Finish::Length,
            "content_filter" | "content_filtered" | "safety" | "sensitive" | "refusal" | "recitation"
            | "prohibited_content" | "blocklist" => Finish::ContentFilter,
            "tool_calls" | "tool_call" | "tool_use" | "function_call" => Finish::ToolCalls,
            "error"
            | "network_error"
            | "abort"
            | "aborted"
            | "cancelled"
            | "insufficient_system_resource" => {
                return Self::Broken;
            }
            _ => Finish::Other,
        })
    }
}

fn choices(value: &Value) -> &[Value] {
    value.get("choices").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn malformed(message: &str) -> Box<Failure> {
    Failure::new(LlmErrorKind::Malformed, message)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn event(data: &str) -> SseEvent {
        SseEvent { name: String::new(), data: data.to_owned(), terminated: true }
    }

    #[test]
    fn usage_is_read_in_every_spelling_and_never_made_up_l6() {
        let of = |usage: Value| {
            let mut assembly = Assembly::default();
            assembly.merge_usage(&json!({ "usage": usage }));
            assembly.usage
        };
        assert_eq!(of(json!(null)), Usage::default());
        assert_eq!(of(json!({"total_tokens": 5})), Usage::default());
        for cached in [
            json!({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}),
            json!({"prompt_tokens": 9, "prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 5}),
            json!({"prompt_tokens": 9, "cache_read_input_tokens": 4}),
        ] {
            let expected = Usage { input_tokens: Some(9), cached_tokens: Some(4), ..Usage::default() };
            assert_eq!(of(cached), expected);
        }
        let mut assembly = Assembly::default();
        assembly.merge_usage(&json!({"usage": {"prompt_tokens": 1}}));
        assembly.merge_usage(
            &json!({"usage": null, "x_groq": {"usage": {"prompt_tokens": 2, "completion_tokens": -1}}}),
        );
        assert_eq!(assembly.usage, Usage { input_tokens: Some(2), ..Usage::default() });
    }

    #[test]
    fn a_reply_without_an_end_is_no_reply_l2() {
        let mut assembly = Assembly::default();
        assembly.accept(&event(r#"{"choices":[{"delta":{"content":"Add a te"}}]}"#)).unwrap();
        assembly.accept(&event("[DONE]")).unwrap();
        assert_eq!(assembly.into_reply().unwrap_err().kind, LlmErrorKind::Network);
    }

    proptest! {
        #[test]
        fn no_json_makes_the_assembly_panic(text in ".{0,60}", name in "(error|ping|)") {
            let mut assembly = Assembly::default();
            let _ = assembly.accept(&SseEvent { name, data: text, terminated: true });
            let _ = assembly.into_reply();
        }

        #[test]
        fn no_shape_of_reply_makes_the_assembly_panic(body in shape::tests::any_json()) {
            let mut assembly = Assembly::default();
            let _ = assembly.accept(&event(&body.to_string()));
            let _ = assembly.accept_body(&body);
            let _ = assembly.into_reply();
        }
    }
}
