//! JSON-RPC 2.0: what a line is, and how lines are written.

use super::protocol::code;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// What a line was.
#[derive(Debug, PartialEq)]
pub(crate) enum Incoming {
    /// It wants an answer that carries the same id.
    Request { id: Value, method: String, params: Value },
    /// It wants none.
    Notification { method: String, params: Value },
    /// It answers a request of ours.
    Response { id: u64, outcome: Result<Value, Failure> },
    /// It is nothing of these. With an id it can be answered.
    Invalid { id: Option<Value>, code: i64 },
}

/// The error of a response.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure {
    /// The `data` of the error. Its message is not kept: it may hold anything.
    pub(crate) data: Value,
}

/// Reads one line.
pub(crate) fn read(line: &[u8]) -> Incoming {
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        return Incoming::Invalid { id: None, code: code::PARSE };
    };
    let Value::Object(mut fields) = value else {
        return Incoming::Invalid { id: None, code: code::INVALID };
    };
    let id = fields.remove("id").filter(|id| id.is_number() || id.is_string());
    match (fields.remove("method"), id) {
        (Some(Value::String(method)), id) => {
            let params = fields.remove("params").unwrap_or_else(|| Value::Object(Map::new()));
            match id {
                Some(id) => Incoming::Request { id, method, params },
                None => Incoming::Notification { method, params },
            }
        }
        (None, Some(id)) => {
            let Some(number) = id.as_u64() else {
                return Incoming::Invalid { id: None, code: code::INVALID };
            };
            match (fields.remove("result"), fields.remove("error")) {
                (_, Some(Value::Object(mut error))) => Incoming::Response {
                    id: number,
                    outcome: Err(Failure { data: error.remove("data").unwrap_or(Value::Null) }),
                },
                (Some(result), _) => Incoming::Response { id: number, outcome: Ok(result) },
                (None, _) => Incoming::Invalid { id: None, code: code::INVALID },
            }
        }
        (_, id) => Incoming::Invalid { id, code: code::INVALID },
    }
}

/// What a line that was too long seems to have been, by its beginning.
pub(crate) fn read_head(head: &[u8]) -> Incoming {
    let head = String::from_utf8_lossy(head);
    // What stands behind the parameters belongs to them.
    let head = ["\"params\"", "\"result\"", "\"error\""]
        .iter()
        .filter_map(|name| head.split_once(name).map(|(before, _)| before))
        .min_by_key(|before| before.len())
        .unwrap_or(&head);
    let id = head.split_once("\"id\"").and_then(|(_, rest)| {
        let rest = rest.trim_start().strip_prefix(':')?;
        let first = serde_json::Deserializer::from_str(rest).into_iter::<Value>().next()?.ok()?;
        (first.is_number() || first.is_string()).then_some(first)
    });
    match (id, head.contains("\"method\"")) {
        (Some(id), false) => match id.as_u64() {
            Some(id) => Incoming::Response { id, outcome: Err(Failure { data: Value::Null }) },
            None => Incoming::Invalid { id: None, code: code::INVALID },
        },
        (id, _) => Incoming::Invalid { id, code: code::INVALID },
    }
}

/// A request as a line.
pub(crate) fn request(id: u64, method: &str, params: &impl Serialize) -> String {
    line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": to_value(params) }))
}

/// A notification as a line.
pub(crate) fn notification(method: &str, params: &impl Serialize) -> String {
    line(&json!({ "jsonrpc": "2.0", "method": method, "params": to_value(params) }))
}

/// A result as a line.
pub(crate) fn result(id: &Value, result: &impl Serialize) -> String {
    line(&json!({ "jsonrpc": "2.0", "id": id, "result": to_value(result) }))
}

/// An error as a line.
pub(crate) fn error(id: &Value, code: i64, message: &str) -> String {
    line(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }))
}

fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

fn line(message: &Value) -> String {
    let mut line = message.to_string();
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_told_apart() {
        let invalid = |id, code| Incoming::Invalid { id, code };
        for (line, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"command","params":{"a":1}}"#,
                Incoming::Request { id: json!(7), method: "command".to_owned(), params: json!({ "a": 1 }) },
            ),
            (
                r#"{"method":"session/ready"}"#,
                Incoming::Notification { method: "session/ready".to_owned(), params: json!({}) },
            ),
            (r#"{"id":3,"result":null}"#, Incoming::Response { id: 3, outcome: Ok(Value::Null) }),
            (
                r#"{"id":3,"error":{"code":1,"message":"secret","data":{"kind":"quota"}}}"#,
                Incoming::Response { id: 3, outcome: Err(Failure { data: json!({ "kind": "quota" }) }) },
            ),
            ("{", invalid(None, code::PARSE)),
            ("[]", invalid(None, code::INVALID)),
            (r#"{"id":"x"}"#, invalid(None, code::INVALID)),
            (r#"{"id":5}"#, invalid(None, code::INVALID)),
            (r#"{"id":5,"method":7}"#, invalid(Some(json!(5)), code::INVALID)),
            (
                r#"{"id":null,"method":"m"}"#,
                Incoming::Notification { method: "m".to_owned(), params: json!({}) },
            ),
        ] {
            assert_eq!(read(line.as_bytes()), expected, "{line}");
        }
        assert_eq!(read(b"{\"method\":\"\xff\"}"), invalid(None, code::PARSE));
    }

    #[test]
    fn the_beginning_of_a_line_that_is_too_long_tells_whom_to_answer() {
        let request = br#"{"jsonrpc":"2.0","id":9,"method":"command","params":{"line":"{\"id\":1"#;
        assert_eq!(read_head(request), Incoming::Invalid { id: Some(json!(9)), code: code::INVALID });
        let notification = br#"{"jsonrpc":"2.0","method":"session/event","params":{"id":4,"#;
        assert_eq!(read_head(notification), Incoming::Invalid { id: None, code: code::INVALID });
        let response = br#"{"jsonrpc":"2.0","id":4,"result":{"text":""#;
        assert!(matches!(read_head(response), Incoming::Response { id: 4, outcome: Err(_) }));
        assert_eq!(read_head(b"\xff\xfe"), Incoming::Invalid { id: None, code: code::INVALID });
    }

    proptest! {
        #[test]
        fn any_line_is_read_without_a_panic(line in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&line);
            let _ = read_head(&line);
        }

        #[test]
        fn what_is_written_is_one_line_and_reads_back(id in any::<u64>(), text in ".*", method in "[a-z/]{1,12}") {
            let params = json!({ "text": text });
            let line = request(id, &method, &params);
            prop_assert_eq!(line.matches('\n').count(), 1);
            prop_assert_eq!(read(line.trim_end().as_bytes()), Incoming::Request { id: json!(id), method, params });
        }
    }
}
