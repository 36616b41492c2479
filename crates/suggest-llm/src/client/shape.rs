//! Reads what an endpoint says about an error, in any of the shapes that endpoints use.

use std::time::Duration;

use serde_json::Value;

use super::retry_after;

/// What could be read of an error, unclassified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorShape {
    /// The endpoint's own words. May quote what was sent.
    pub(crate) message: String,
    /// Its code, as text, also when it was a number.
    pub(crate) code: Option<String>,
    /// Its type or status word.
    pub(crate) kind: Option<String>,
    /// The parameter that it names.
    pub(crate) param: Option<String>,
    /// A delay in the body.
    pub(crate) delay: Option<Duration>,
    /// Further words that help to classify: reasons, quota names, what a gateway got from behind it.
    pub(crate) hints: String,
}

impl ErrorShape {
    /// An error that is plain text.
    pub(crate) fn text(message: &str) -> Self {
        Self { message: message.to_owned(), ..Self::default() }
    }

    /// The code when it is a number that an HTTP status can have.
    pub(crate) fn claimed_status(&self) -> Option<u16> {
        let code = self.code.as_deref()?.parse::<u16>().ok()?;
        (400..600).contains(&code).then_some(code)
    }

    /// Everything that classification reads, in lower case.
    pub(crate) fn haystack(&self) -> String {
        let mut all = self.message.to_lowercase();
        for part in [&self.code, &self.kind].into_iter().flatten() {
            all.push('\n');
            all.push_str(&part.to_lowercase());
        }
        all.push('\n');
        all.push_str(&self.hints.to_lowercase());
        all
    }
}

/// Reads a body that is known to be an error.
pub(crate) fn read(body: &Value) -> ErrorShape {
    let root = first(body);
    let error = root.get("error").map(first);
    let mut shape = ErrorShape::default();
    match error {
        Some(Value::String(text)) => shape.message.clone_from(text),
        Some(error @ Value::Object(_)) => read_object(error, &mut shape),
        _ => {}
    }
    read_object(root, &mut shape);
    shape
}

/// Reads an error inside a response that claims success; `None` when there is none. `null`, an empty text and an empty
/// object beside a normal reply are no errors.
pub(crate) fn in_band(body: &Value) -> Option<ErrorShape> {
    let root = first(body);
    let has_error = match root.get("error") {
        Some(Value::Object(fields)) => !fields.is_empty(),
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Bool(flag)) => *flag,
        Some(Value::Null | Value::Number(_)) | None => false,
    };
    let is_error = root.get("object").and_then(Value::as_str) == Some("error")
        || root.get("type").and_then(Value::as_str) == Some("error");
    let bare = root.get("choices").is_none()
        && ["detail", "error_code", "error_msg", "errors"].iter().any(|key| root.get(key).is_some());
    (has_error || is_error || bare).then(|| read(body))
}

fn first(value: &Value) -> &Value {
    match value {
        Value::Array(items) => items.first().unwrap_or(value),
        _ => value,
    }
}

fn read_object(object: &Value, shape: &mut ErrorShape) {
    if shape.message.is_empty() {
        shape.message = ["message", "detail", "msg", "error_msg", "error_description", "errors"]
            .iter()
            .filter_map(|key| object.get(key))
            .find_map(|value| words(value, 0))
            .unwrap_or_default();
    }
    let text = |keys: &[&str]| keys.iter().filter_map(|key| object.get(key)).find_map(scalar);
    shape.code = shape.code.take().or_else(|| text(&["code", "error_code"]));
    shape.kind = shape.kind.take().or_else(|| text(&["type", "status"]));
    shape.param = shape.param.take().or_else(|| text(&["param"])).or_else(|| location(object, 0));
    for reason in ["reason", "innererror"].iter().filter_map(|key| object.get(key)) {
        push_hint(&mut shape.hints, reason, 0);
    }
    if let Some(details) = object.get("details") {
        push_hint(&mut shape.hints, details, 0);
        shape.delay = shape.delay.or_else(|| retry_delay(details));
    }
    if let Some(metadata) = object.get("metadata") {
        push_hint(&mut shape.hints, metadata, 0);
    }
}

/// The first words in a message that may be a text, a list or an object.
fn words(value: &Value, depth: u8) -> Option<String> {
    if depth > 4 {
        return None;
    }
    match value {
        Value::String(text) => (!text.trim().is_empty()).then(|| text.clone()),
        Value::Array(items) => items.iter().find_map(|item| words(item, depth + 1)),
        Value::Object(_) => ["message", "msg", "detail", "error", "type"]
            .iter()
            .filter_map(|key| value.get(key))
            .find_map(|inner| words(inner, depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => (!text.is_empty()).then(|| text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The last name in the `loc` of a validation error, wherever the list of details stands.
fn location(object: &Value, depth: u8) -> Option<String> {
    if depth > 4 {
        return None;
    }
    match object {
        Value::Array(items) => items.iter().find_map(|item| location(item, depth + 1)),
        Value::Object(_) => {
            let named = object
                .get("loc")
                .and_then(Value::as_array)
                .and_then(|path| path.iter().rev().find_map(Value::as_str))
                .map(str::to_owned);
            named.or_else(|| {
                ["detail", "message"]
                    .iter()
                    .filter_map(|key| object.get(key))
                    .find_map(|inner| location(inner, depth + 1))
            })
        }
        _ => None,
    }
}

/// Collects words of nested facts, bounded; keys of quota facts are words too.
fn push_hint(hints: &mut String, value: &Value, depth: u8) {
    if depth > 5 || hints.len() > 4096 {
        return;
    }
    match value {
        Value::String(text) => {
            hints.extend(text.chars().take(1024));
            hints.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| push_hint(hints, item, depth + 1)),
        Value::Object(fields) => {
            for (key, inner) in fields {
                hints.push_str(key);
                hints.push(' ');
                push_hint(hints, inner, depth + 1);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn retry_delay(details: &Value) -> Option<Duration> {
    details
        .as_array()?
        .iter()
        .filter_map(|detail| detail.get("retryDelay"))
        .filter_map(Value::as_str)
        .find_map(retry_after::duration)
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_known_shape_gives_message_and_code() {
        for (body, message, code) in [
            (json!({"error": {"message": "m", "type": "t", "param": null, "code": "c"}}), "m", Some("c")),
            (json!({"error": {"message": "m", "code": 429}}), "m", Some("429")),
            (json!({"error": {"message": "m", "code": "429"}}), "m", Some("429")),
            (json!({"error": "m"}), "m", None),
            (json!({"object": "error", "message": "m", "code": "1500"}), "m", Some("1500")),
            (json!({"detail": "m"}), "m", None),
            (json!({"detail": [{"loc": ["body", "x"], "msg": "m"}]}), "m", None),
            (json!({"code": 400, "message": "m", "type": "Bad Request"}), "m", Some("400")),
            (
                json!([{"error": {"code": 400, "message": "m", "status": "INVALID_ARGUMENT"}}]),
                "m",
                Some("400"),
            ),
            (json!({"error_code": "E1", "message": "m"}), "m", Some("E1")),
            (
                json!({"object": "error", "message": {"detail": [{"type": "x", "loc": ["body", "p"], "msg": "m"}]}}),
                "m",
                None,
            ),
        ] {
            let shape = read(&body);
            assert_eq!((shape.message.as_str(), shape.code.as_deref()), (message, code), "{body}");
            assert!(in_band(&body).is_some() || body.get("code").is_some(), "{body}");
        }
    }

    #[test]
    fn the_named_parameter_is_found_in_param_and_in_locations() {
        let of = |body: Value| read(&body).param;
        assert_eq!(
            of(json!({"error": {"message": "m", "param": "max_tokens"}})).as_deref(),
            Some("max_tokens")
        );
        assert_eq!(
            of(json!({"detail": [{"loc": ["body", "stream_options"], "msg": "m"}]})).as_deref(),
            Some("stream_options")
        );
        assert_eq!(
            of(json!({"message": {"detail": [{"loc": ["body", "max_completion_tokens"]}]}})).as_deref(),
            Some("max_completion_tokens")
        );
    }

    #[test]
    fn no_error_beside_a_normal_reply_is_none() {
        for error in [json!(null), json!(""), json!({}), json!([]), json!(false)] {
            assert_eq!(in_band(&json!({"choices": [], "error": error})), None);
        }
    }

    #[test]
    fn a_delay_among_the_details_is_read() {
        let body = json!([{"error": {"code": 429, "message": "m", "details": [{"retryDelay": "26s"}]}}]);
        assert_eq!(read(&body).delay, Some(Duration::from_secs(26)));
    }

    pub(crate) fn any_json() -> impl Strategy<Value = Value> {
        let key = prop_oneof![
            Just("error"),
            Just("message"),
            Just("code"),
            Just("detail"),
            Just("loc"),
            Just("msg"),
            Just("choices"),
            Just("delta"),
            Just("content"),
            Just("finish_reason"),
            Just("usage"),
            Just("param"),
            Just("details"),
            Just("index"),
            Just("model"),
            Just("prompt_tokens"),
            Just("type"),
            Just("metadata"),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,12}".prop_map(Value::from),
            prop_oneof![Just("stop"), Just("length"), Just("error"), Just("max_tokens")]
                .prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 60, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
                prop::collection::vec((key.clone(), inner), 0..6).prop_map(|pairs| pairs
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_body_makes_the_reader_panic(body in any_json()) {
            let shape = read(&body);
            let _ = (shape.claimed_status(), shape.haystack(), in_band(&body));
        }
    }
}
