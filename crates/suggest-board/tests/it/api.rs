//! The description of the API against the API.

use crate::support::{World, turn};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use suggest_board::{OPENAPI, ROUTES};

fn described() -> Value {
    serde_json::from_str(OPENAPI).unwrap()
}

#[test]
fn the_description_names_every_route_and_no_other() {
    let document = described();
    let mut named = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            named.insert((method.clone(), path.clone()));
        }
    }
    let routes: BTreeSet<_> =
        ROUTES.iter().map(|(method, path)| ((*method).to_owned(), (*path).to_owned())).collect();
    assert_eq!(named, routes);
}

#[test]
fn every_reference_of_the_description_leads_somewhere() {
    fn check(value: &Value, document: &Value) {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
        }
        match value {
            Value::Object(fields) => fields.values().for_each(|value| check(value, document)),
            Value::Array(items) => items.iter().for_each(|value| check(value, document)),
            _ => {}
        }
    }
    let document = described();
    check(&document, &document);
}

/// Checks a value against a schema, as far as this description uses them.
fn fits(value: &Value, schema: &Value, document: &Value) -> Result<(), String> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return fits(value, document.pointer(reference.trim_start_matches('#')).unwrap(), document);
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        return allowed.contains(value).then_some(()).ok_or(format!("{value} is none of {allowed:?}"));
    }
    if let Some(fixed) = schema.get("const") {
        return (fixed == value).then_some(()).ok_or(format!("{value} is not {fixed}"));
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            let fields = value.as_object().ok_or(format!("{value} is no object"))?;
            for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
                let name = name.as_str().unwrap();
                fields.get(name).ok_or(format!("`{name}` is missing"))?;
            }
            for (name, field) in fields {
                match schema.get("properties").and_then(|known| known.get(name)) {
                    Some(schema) => {
                        fits(field, schema, document).map_err(|error| format!("{name}: {error}"))?
                    }
                    None if schema.get("additionalProperties") == Some(&json!(false)) => {
                        return Err(format!("`{name}` is not described"));
                    }
                    None => {}
                }
            }
            Ok(())
        }
        Some("array") => {
            let items = value.as_array().ok_or(format!("{value} is no list"))?;
            items.iter().try_for_each(|item| fits(item, &schema["items"], document))
        }
        Some("string") => value.is_string().then_some(()).ok_or(format!("{value} is no text")),
        Some("integer") => value.is_u64().then_some(()).ok_or(format!("{value} is no number")),
        Some("boolean") => value.is_boolean().then_some(()).ok_or(format!("{value} is no truth")),
        _ => Ok(()),
    }
}

#[tokio::test]
async fn answers_and_messages_fit_the_description() {
    let world = World::new().await;
    let document = described();
    let schema = |method: &str, path: &str, status: u16| {
        let answer = &document["paths"][path][method]["responses"][status.to_string()];
        let answer = match answer.get("$ref").and_then(Value::as_str) {
            Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
            None => answer,
        };
        assert!(answer.is_object(), "{method} {path} does not name {status}");
        answer["content"]["application/json"]["schema"].clone()
    };
    let mut page = world.subscribe().await;
    let events = turn(
        1,
        "Make the parser read nested lists",
        "I changed src/parser.rs; `reads_nested_lists` still fails.",
    );
    let told = json!({ "events": events, "name": "p", "workspace": "/w" });
    let one = world.offer("s9", &["Fix src/lexer.rs", "Fix src/printer.rs", "Fix src/reader.rs"]).await;
    let card = |verb: &str, at: usize| format!("/api/cards/{}/{verb}", one[at]);
    let calls: Vec<(&str, &str, String, Option<Value>)> = vec![
        ("post", "/api/sessions/{id}/events", "/api/sessions/s1/events".into(), Some(told)),
        ("post", "/api/sessions/{id}/events", "/api/sessions/s1/events".into(), Some(json!({}))),
        ("get", "/api/sessions", "/api/sessions".into(), None),
        ("get", "/api/cards", "/api/cards".into(), None),
        ("get", "/api/summaries", "/api/summaries".into(), None),
        ("get", "/api/cards/{id}", format!("/api/cards/{}", one[0]), None),
        ("get", "/api/cards/{id}", "/api/cards/none".into(), None),
        ("post", "/api/cards/{id}/accept", card("accept", 0), None),
        ("post", "/api/cards/{id}/accept", card("accept", 0), None),
        ("post", "/api/cards/{id}/assign", card("assign", 1), Some(json!({ "session": "s1" }))),
        ("post", "/api/cards/{id}/assign", card("assign", 1), Some(json!({ "session": "s9" }))),
        ("post", "/api/cards/{id}/dismiss", card("dismiss", 2), None),
        ("post", "/api/cards/{id}/dismiss", card("dismiss", 2), None),
        ("post", "/api/cards/dismiss-all", "/api/cards/dismiss-all".into(), Some(json!({}))),
        (
            "post",
            "/api/sessions/{id}/reply",
            "/api/sessions/s1/reply".into(),
            Some(json!({ "text": "Go on" })),
        ),
        ("post", "/api/sessions/{id}/suggest", "/api/sessions/s1/suggest".into(), None),
        ("post", "/api/login", "/api/login".into(), Some(json!({ "code": "x" }))),
        ("post", "/api/login", "/api/login".into(), Some(json!({ "code": world.code }))),
    ];
    for (method, path, asked, body) in calls {
        let (status, answer) = world.ask(method, &asked, body).await;
        fits(&answer, &schema(method, path, status), &document)
            .unwrap_or_else(|error| panic!("{method} {asked} {status}: {error}"));
    }
    world.offer("s8", &["Fix src/last.rs"]).await;
    let mut seen = BTreeSet::new();
    while seen.len() < 3 {
        let event = page.next().await.unwrap();
        let (kind, schema) = match event["type"].as_str().unwrap() {
            "suggestion_update" => (0, "SuggestionUpdate"),
            "session_update" => (1, "SessionUpdate"),
            "idle_suggestion" => (2, "IdleSuggestionString"),
            other => panic!("{other} is not described"),
        };
        seen.insert(kind);
        fits(&event, &document["components"]["schemas"][schema], &document).unwrap();
    }
}

#[tokio::test]
async fn every_event_of_the_core_is_described() {
    let world = World::new().await;
    let document = described();
    let forms = document["components"]["schemas"]["Event"]["oneOf"].as_array().unwrap();
    let samples = json!([
        { "type": "busy" }, { "type": "human_queued", "count": 2 }, { "type": "asking", "open": true },
        { "type": "asking", "open": false }, { "type": "turn_started", "turn": 1, "origin": "goal" },
        { "type": "message", "author": "host", "text": "x", "id": "m", "producer": "p" },
        { "type": "tool", "name": "t", "summary": "s", "files": ["a"], "ok": true },
        { "type": "plan", "items": [{ "text": "a", "status": "in_progress" }] },
        { "type": "chapter", "number": 1, "title": "t", "summary": "s" },
        { "type": "goal", "id": "g", "revision": 1, "phase": "paused", "armed": false, "objective": "o" },
        { "type": "goal_cleared", "id": "g" }, { "type": "turn_ended", "turn": 1, "reason": "limited" },
        { "type": "history_rewritten" }, { "type": "idle" }, { "type": "closed" },
    ]);
    for sample in samples.as_array().unwrap() {
        let matching = forms.iter().filter(|form| fits(sample, form, &document).is_ok()).count();
        assert_eq!(matching, 1, "{sample}");
    }
    let taken = world.post("/api/sessions/s1/events", json!({ "events": samples })).await;
    assert_eq!(taken, (200, json!({ "session": "s1", "taken": 15 })));
}

/// Sends this body and gives the status and the answer.
async fn sent(
    world: &World,
    method: &str,
    path: &str,
    token: bool,
    body: Option<(&str, String)>,
) -> (u16, Value) {
    let path = path.replace("{id}", "none");
    let mut request = world.http.request(method.to_uppercase().parse().unwrap(), world.url(&path));
    if token {
        request = request.bearer_auth(world.token.reveal());
    }
    if let Some((kind, body)) = body {
        request = request.header("content-type", kind).body(body);
    }
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}

#[tokio::test]
async fn every_refusal_is_described_and_what_is_described_is_so() {
    let world = World::new().await;
    let document = described();
    let json = "application/json";
    for (method, path) in ROUTES {
        let route = &document["paths"][path][method];
        let is_open = route["security"] == json!([]);
        let takes_body = route["requestBody"].is_object();
        let must_have_id = path.contains("{id}") && !path.ends_with("/events");
        let mut asked = vec![(false, None, if is_open { None } else { Some(401) })];
        if takes_body {
            let object = "{}".to_owned();
            asked.push((true, Some(("text/plain", object.clone())), Some(415)));
            asked.push((true, Some((json, "{".to_owned())), Some(400)));
            asked.push((true, Some((json, r#"{"made_up":1}"#.to_owned())), Some(400)));
            asked.push((true, Some((json, " ".repeat(2 * 1024 * 1024))), Some(413)));
        } else if must_have_id {
            asked.push((true, None, Some(404)));
        }
        for (token, body, wanted) in asked {
            let (status, answer) = sent(&world, method, path, token, body).await;
            if let Some(wanted) = wanted {
                assert_eq!(status, wanted, "{method} {path}");
            }
            let response = &route["responses"][status.to_string()];
            assert!(response.is_object(), "{method} {path} does not name {status}");
            if status >= 400 {
                let response = match response.get("$ref").and_then(Value::as_str) {
                    Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
                    None => response,
                };
                let schema = &response["content"]["application/json"]["schema"];
                fits(&answer, schema, &document)
                    .unwrap_or_else(|error| panic!("{method} {path} {status}: {error}"));
            }
        }
    }
}
