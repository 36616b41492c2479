//! The table of what endpoints do: `quirks.json`, explained in the README beside it.

use std::time::Duration;

use suggest_testkit::http::{Ending, Exchange, RecordedRequest, ScriptedServer};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use suggest_llm::{
    Finish, Llm as _, LlmError, LlmReply, LlmRequest, Message, ModelId, OpenAiClient, RetryPolicy, Usage,
    Voice,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    #[serde(default)]
    config: Config,
    #[serde(default)]
    request: RequestFields,
    exchanges: Vec<Script>,
    calls: Option<usize>,
    expect: Expect,
    #[serde(default)]
    sent: Vec<Sent>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Config {
    path: Option<String>,
    key: Option<String>,
    preset: Option<String>,
    headers: Map<String, Value>,
    cap_field: Option<suggest_llm::CapField>,
    extra_body: Map<String, Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RequestFields {
    prompt_length: Option<usize>,
    max_output_tokens: Option<u32>,
    temperature: Option<f32>,
    reasoning_effort: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    status: Option<u16>,
    #[serde(default)]
    headers: Map<String, Value>,
    #[serde(rename = "type")]
    content_type: Option<String>,
    json: Option<Value>,
    events: Option<Vec<Value>>,
    raw_events: Option<String>,
    text: Option<String>,
    raw: Option<String>,
    framing: Option<String>,
    pieces: Option<usize>,
    #[serde(default)]
    bytewise: bool,
    /// Waits a moment before the ending, so that what was written arrives first.
    #[serde(default)]
    settle: bool,
    end: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    text: Option<String>,
    finish: Option<Finish>,
    usage: Option<Usage>,
    reasoning: Option<bool>,
    starved: Option<bool>,
    prompt_cut: Option<bool>,
    model: Option<String>,
    error: Option<String>,
    message: Option<String>,
    retry_after_ms: Option<u64>,
    status: Option<u16>,
    said: Option<String>,
    request_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    #[serde(default)]
    has: Map<String, Value>,
    #[serde(default)]
    lacks: Vec<String>,
    path: Option<String>,
    #[serde(default)]
    header: Map<String, Value>,
    #[serde(default)]
    no_header: Vec<String>,
    roles: Option<Vec<String>>,
}

impl Script {
    fn exchange(&self) -> Exchange {
        let mut exchange = self.written();
        if self.bytewise {
            exchange = exchange.bytewise();
        }
        if self.settle {
            exchange = exchange.write_after(Duration::from_millis(50), "");
        }
        exchange.ending(match self.end.as_deref() {
            Some("reset") => Ending::Reset,
            _ => Ending::Close,
        })
    }

    fn written(&self) -> Exchange {
        if let Some(raw) = &self.raw {
            return Exchange::new().write(raw);
        }
        let status = self.status.unwrap_or(200);
        let mut headers: Vec<(&str, &str)> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())).collect();
        if let Some(json) = &self.json {
            headers.push(("content-type", "application/json"));
            return Exchange::response(status, &headers, json.to_string());
        }
        if let Some(text) = &self.text {
            headers.push(("content-type", self.content_type.as_deref().unwrap_or("text/plain")));
            if let Some(pieces) = self.pieces {
                let mut head = head(status, &headers);
                head.push_str("\r\n");
                let size = text.len().div_ceil(pieces);
                return text.as_bytes().chunks(size).fold(Exchange::new().write(head), |exchange, piece| {
                    exchange.write_after(Duration::from_millis(5), piece)
                });
            }
            return Exchange::response(status, &headers, text);
        }
        headers.push(("content-type", self.content_type.as_deref().unwrap_or("text/event-stream")));
        let chunked = self.framing.as_deref() == Some("chunked");
        if chunked {
            headers.push(("transfer-encoding", "chunked"));
        }
        let mut head = head(status, &headers);
        head.push_str("\r\n");
        let mut exchange = Exchange::new().write(head);
        let events = self.events.iter().flatten().map(|event| match event {
            Value::String(data) => format!("data: {data}\n\n"),
            other => format!("data: {other}\n\n"),
        });
        for event in events.chain(self.raw_events.clone()) {
            exchange = if chunked {
                exchange.write(format!("{:x}\r\n{event}\r\n", event.len()))
            } else {
                exchange.write(event)
            };
        }
        if chunked && self.end.as_deref() != Some("cut") {
            exchange = exchange.write("0\r\n\r\n");
        }
        exchange
    }
}

fn head(status: u16, headers: &[(&str, &str)]) -> String {
    let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\n{lines}")
}

impl Row {
    fn client(&self, server: &ScriptedServer) -> OpenAiClient {
        let path = self.config.path.as_deref().unwrap_or("/v1");
        let mut builder =
            OpenAiClient::builder(server.url(path)).name("scripted").retry_policy(RetryPolicy {
                max_attempts: 4,
                first_delay: Duration::from_millis(1),
                longest_delay: Duration::from_millis(4),
                ..RetryPolicy::default()
            });
        if let Some(preset) = &self.config.preset {
            let preset = suggest_llm::Preset::named(preset).unwrap();
            builder = builder
                .key_header(preset.key_header)
                .cap_field(preset.cap_field)
                .preset_cap(preset.cap)
                .usage_in_stream(preset.usage_in_stream);
        }
        if let Some(key) = &self.config.key {
            builder = builder.key(key.clone());
        }
        if let Some(field) = self.config.cap_field {
            builder = builder.cap_field(field);
        }
        for (name, value) in &self.config.headers {
            builder = builder.header(name, value.as_str().unwrap());
        }
        builder.extra_body(self.config.extra_body.clone()).build().unwrap()
    }

    fn llm_request(&self) -> LlmRequest {
        let prompt = "What next? ".repeat(self.request.prompt_length.unwrap_or(10).div_ceil(11));
        let mut request = LlmRequest::new(
            Voice::Director,
            ModelId::parse("scripted/a/b").unwrap(),
            vec![Message::system("Answer with one line."), Message::user(prompt)],
            Duration::from_secs(20),
        );
        request.max_output_tokens = self.request.max_output_tokens;
        request.temperature = self.request.temperature;
        request.reasoning_effort.clone_from(&self.request.reasoning_effort);
        request
    }
}

/// What came out that a row does not expect, one line each.
fn differences(expect: &Expect, result: &Result<LlmReply, LlmError>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut check = |what: &str, expected: Option<Value>, actual: Value| {
        if let Some(expected) = expected.filter(|expected| *expected != actual) {
            lines.push(format!("{what}: expected {expected}, got {actual}"));
        }
    };
    match result {
        Ok(reply) => {
            check("error", expect.error.as_ref().map(|kind| json!(kind)), json!(format!("{reply:?}")));
            check("text", Some(json!(expect.text)), json!(reply.text));
            check("finish", Some(json!(expect.finish)), json!(reply.finish));
            check("usage", expect.usage.map(|usage| json!(usage)), json!(reply.usage));
            check("reasoning", Some(json!(expect.reasoning.unwrap_or(false))), json!(reply.reasoning));
            check("starved", Some(json!(expect.starved.unwrap_or(false))), json!(reply.starved));
            check("prompt_cut", Some(json!(expect.prompt_cut.unwrap_or(false))), json!(reply.prompt_cut));
            check("model", expect.model.as_ref().map(|model| json!(model)), json!(reply.model));
        }
        Err(error) => {
            check("kind", Some(json!(expect.error)), json!(error.kind));
            check("status", expect.status.map(|status| json!(status)), json!(error.http_status));
            let delay = error.retry_after.map(|delay| delay.as_millis());
            check("retry_after", expect.retry_after_ms.map(|delay| json!(delay)), json!(delay));
            check("said", expect.said.as_ref().map(|said| json!(said)), json!(error.endpoint_text()));
            check("request_id", expect.request_id.as_ref().map(|id| json!(id)), json!(error.request_id));
            if let Some(part) = expect.message.as_ref().filter(|part| !error.message.contains(*part)) {
                lines.push(format!("message: expected {part:?} in {:?}", error.message));
            }
            if expect.error.is_none() {
                lines.push(format!("unexpected error: {error}"));
            }
        }
    }
    lines
}

fn differences_in_request(expected: &Sent, request: &RecordedRequest) -> Vec<String> {
    let body = request.json();
    let mut lines = Vec::new();
    for (name, value) in &expected.has {
        if body.get(name) != Some(value) {
            lines.push(format!("body.{name}: expected {value}, got {:?}", body.get(name)));
        }
    }
    lines.extend(
        expected
            .lacks
            .iter()
            .filter(|name| body.get(name).is_some())
            .map(|name| format!("body.{name} is there")),
    );
    if let Some(path) = expected.path.as_ref().filter(|path| **path != request.target) {
        lines.push(format!("path: expected {path}, got {}", request.target));
    }
    for (name, value) in &expected.header {
        if request.header(name) != value.as_str() {
            lines.push(format!("header {name}: got {:?}", request.header(name)));
        }
    }
    lines.extend(
        expected
            .no_header
            .iter()
            .filter(|name| request.header(name).is_some())
            .map(|name| format!("header {name} is there")),
    );
    if let Some(roles) = &expected.roles {
        let actual: Vec<&str> = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|message| message["role"].as_str().unwrap())
            .collect();
        if actual != *roles {
            lines.push(format!("roles: expected {roles:?}, got {actual:?}"));
        }
    }
    let plain =
        body["messages"].as_array().into_iter().flatten().all(|message| message["content"].is_string());
    if !plain {
        lines.push("a message's content is not one plain text".to_owned());
    }
    lines
}

#[tokio::test]
async fn every_known_quirk_of_endpoints_is_survived_l2_l3_l4() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("quirks.json")).unwrap();
    let mut failed = Vec::new();
    for row in &rows {
        let server = ScriptedServer::start(row.exchanges.iter().map(Script::exchange)).await.unwrap();
        let client = row.client(&server);
        let mut lines = Vec::new();
        for _ in 0..row.calls.unwrap_or(1) {
            lines.extend(differences(&row.expect, &client.complete(&row.llm_request()).await));
        }
        let requests = server.requests();
        if requests.len() != row.exchanges.len() {
            lines.push(format!("{} requests instead of {}", requests.len(), row.exchanges.len()));
        }
        for (index, (expected, request)) in row.sent.iter().zip(&requests).enumerate() {
            let differences = differences_in_request(expected, request);
            lines.extend(differences.iter().map(|line| format!("request {index}: {line}")));
        }
        if !lines.is_empty() {
            failed.push(format!("{}\n    {}", row.name, lines.join("\n    ")));
        }
    }
    assert!(failed.is_empty(), "{} of {} rows:\n{}", failed.len(), rows.len(), failed.join("\n"));
}

#[test]
fn every_row_has_a_name_of_its_own() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("quirks.json")).unwrap();
    let names: std::collections::BTreeSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names.len(), rows.len());
}
