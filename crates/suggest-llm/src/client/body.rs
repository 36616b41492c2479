//! The body of a request.

use serde_json::{Map, Value, json};

use super::adapt::{Form, Sent, SystemRole};
use crate::request::{LlmRequest, Message, Role};

/// What the endpoint's settings add to a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Additions {
    /// Asks for token counts at the end of a stream.
    pub(crate) usage_in_stream: bool,
    /// The cap that the endpoint's preset sends when the request names none.
    pub(crate) preset_cap: Option<u32>,
    /// Further top-level parameters.
    pub(crate) extra: Map<String, Value>,
}

/// The cap for an endpoint that refuses calls without one and whose preset names none. Generous: reasoning counts too.
const GENEROUS_CAP: u32 = 8192;

/// A request in the endpoint's terms.
pub(crate) struct Body {
    pub(crate) json: Value,
    pub(crate) sent: Sent,
    pub(crate) cap: Option<u32>,
}

impl Body {
    /// Sends as little as possible: every parameter is one that some endpoint refuses.
    pub(crate) fn new(request: &LlmRequest, form: &Form, additions: &Additions) -> Self {
        let mut json = Map::new();
        let mut parameters = Vec::new();
        let mut add = |name: &str, value: Value| {
            if form.sends(name) {
                json.insert(name.to_owned(), value);
                parameters.push(name.to_owned());
            }
        };
        for (name, value) in &additions.extra {
            add(name, value.clone());
        }
        let wanted = request.max_output_tokens.or(additions.preset_cap);
        let wanted = wanted.or(form.cap_required.then_some(GENEROUS_CAP));
        let cap = wanted.filter(|_| form.sends(form.cap_field.name()));
        if let Some(cap) = cap {
            add(form.cap_field.name(), cap.into());
        }
        if let Some(temperature) = request.temperature.filter(|temperature| temperature.is_finite()) {
            // Through text, so that 0.2 does not become 0.20000000298.
            let value = temperature.to_string().parse::<f64>().unwrap_or_else(|_| f64::from(temperature));
            add("temperature", json!(value));
        }
        if let Some(effort) = request.reasoning_effort.as_deref().filter(|effort| !effort.is_empty()) {
            add("reasoning_effort", effort.into());
        }
        if form.stream && additions.usage_in_stream {
            add("stream_options", json!({"include_usage": true}));
        }
        json.insert("model".to_owned(), request.model.model().into());
        json.insert("messages".to_owned(), messages(&request.messages, form.system_role));
        if form.stream {
            json.insert("stream".to_owned(), true.into());
        }
        let system = request.messages.iter().any(|message| message.role == Role::System);
        let sent = Sent { parameters, cap: cap.is_some(), stream: form.stream, system };
        Self { json: Value::Object(json), sent, cap }
    }
}

fn messages(messages: &[Message], system_role: SystemRole) -> Value {
    let plain = |role: &str, content: &str| json!({"role": role, "content": content});
    if system_role != SystemRole::User {
        let name = |role: Role| match role {
            Role::System if system_role == SystemRole::Developer => "developer",
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        return messages.iter().map(|message| plain(name(message.role), &message.content)).collect();
    }
    let mut instructions = String::new();
    let mut merged: Vec<(Role, String)> = Vec::new();
    for message in messages {
        match message.role {
            Role::System => {
                instructions.push_str(&message.content);
                instructions.push_str("\n\n");
            }
            // Models without a system role also want the other two in turn.
            Role::User | Role::Assistant => match merged.last_mut() {
                Some((role, content)) if *role == message.role => {
                    content.push_str("\n\n");
                    content.push_str(&message.content);
                }
                _ => merged.push((message.role, message.content.clone())),
            },
        }
    }
    match merged.iter_mut().find(|(role, _)| *role == Role::User) {
        Some((_, content)) => content.insert_str(0, &instructions),
        None if !instructions.is_empty() => merged.insert(0, (Role::User, instructions)),
        None => {}
    }
    merged
        .iter()
        .map(|(role, content)| plain(if *role == Role::Assistant { "assistant" } else { "user" }, content))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::adapt::CapField;
    use super::*;
    use crate::model_id::ModelId;
    use crate::request::Voice;

    fn request() -> LlmRequest {
        LlmRequest::new(
            Voice::Director,
            ModelId::parse("p/a/b").unwrap(),
            vec![
                Message::system("rules"),
                Message::user("talk"),
                Message::assistant("bad"),
                Message::user("again"),
            ],
            Duration::from_secs(1),
        )
    }

    fn form() -> Form {
        Form::new(false, SystemRole::System, CapField::MaxTokens)
    }

    #[test]
    fn a_plain_request_carries_model_and_messages_only() {
        let body = Body::new(&request(), &form(), &Additions::default());
        assert_eq!(
            body.json,
            json!({"model": "a/b", "messages": [
                {"role": "system", "content": "rules"}, {"role": "user", "content": "talk"},
                {"role": "assistant", "content": "bad"}, {"role": "user", "content": "again"}]})
        );
    }

    #[test]
    fn numbers_and_caps_are_sent_as_configured() {
        let asked = request().with_temperature(0.2).with_max_output_tokens(64).with_reasoning_effort("low");
        let body = Body::new(&asked, &form(), &Additions { preset_cap: Some(9), ..Additions::default() });
        assert_eq!(body.json.get("temperature"), Some(&json!(0.2)));
        assert_eq!(body.json.get("max_tokens"), Some(&json!(64)));
        assert_eq!(body.json.get("reasoning_effort"), Some(&json!("low")));
        assert_eq!(body.cap, Some(64));
    }

    #[test]
    fn instructions_move_in_front_of_the_first_user_message() {
        let json = messages(&request().messages, SystemRole::User);
        assert_eq!(json.pointer("/0/content"), Some(&json!("rules\n\ntalk")));
        assert_eq!(json.as_array().map(Vec::len), Some(3));
        assert_eq!(
            messages(&[Message::system("rules")], SystemRole::User).pointer("/0/role"),
            Some(&json!("user"))
        );
    }
}
