//! The messages that we author, written with the protocol's own types.

use crate::names::{Names, Ours};
use crate::words::Descriptions;
use agent_client_protocol_schema::rpc::{JsonRpcMessage, Notification};
use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES, AvailableCommand, AvailableCommandInput, CLIENT_METHOD_NAMES, CancelNotification,
    ContentBlock, ContentChunk, Error, PromptRequest, PromptResponse, PromptSuggestion,
    PromptSuggestionsUpdate, Request, RequestId, Response, SessionNotification, SessionUpdate, StopReason,
    UnstructuredCommandInput,
};
use agent_client_protocol_schema::v2;
use serde::Serialize;
use serde_json::{Value, json};

/// The version of the protocol that editor and agent agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Version {
    #[default]
    One,
    /// A preview: a prompt's answer is its acceptance, and `state_update` says when work ends.
    Two,
}

/// How a prompt that we answer ourselves ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Done,
    Cancelled,
}

fn line(message: impl Serialize) -> Vec<u8> {
    // The protocol's types always serialise; an empty line would be ignored by every reader.
    let mut bytes = serde_json::to_vec(&JsonRpcMessage::wrap(message)).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

fn notification(method: &str, params: impl Serialize) -> Vec<u8> {
    line(Notification { method: method.into(), params: Some(params) })
}

fn update(params: impl Serialize) -> Vec<u8> {
    notification(CLIENT_METHOD_NAMES.session_update, params)
}

/// An error in answer to a request.
pub(crate) fn error(id: RequestId, message: &str) -> Vec<u8> {
    let error = Error::new(-32_603, message);
    line(Response::<Value>::new(id, Err(error)))
}

/// Words of ours in the conversation, as a message of its own.
pub(crate) fn words(version: Version, session: &str, message: &str, text: &str) -> Vec<u8> {
    match version {
        Version::One => {
            let chunk = ContentChunk::new(ContentBlock::from(text)).message_id(message);
            update(SessionNotification::new(session.to_owned(), SessionUpdate::AgentMessageChunk(chunk)))
        }
        Version::Two => {
            let chunk = v2::ContentChunk::new(v2::ContentBlock::from(text), message.to_owned());
            update(v2::UpdateSessionNotification::new(
                session.to_owned(),
                v2::SessionUpdate::AgentMessageChunk(chunk),
            ))
        }
    }
}

/// What begins the answer to a prompt of the editor that the agent never sees. Version 1 has nothing there.
pub(crate) fn accept(
    version: Version,
    session: &str,
    id: &RequestId,
    prompt: &str,
    message: &str,
) -> Vec<u8> {
    if version == Version::One {
        return Vec::new();
    }
    let mut bytes = line(Response::<_>::new(id.clone(), Ok(v2::PromptResponse::new(message.to_owned()))));
    let said = v2::UserMessage::new(message.to_owned()).content(vec![v2::ContentBlock::from(prompt)]);
    for change in [
        v2::SessionUpdate::UserMessage(said),
        v2::SessionUpdate::StateUpdate(v2::StateUpdate::Running(v2::RunningStateUpdate::new())),
    ] {
        bytes.extend(update(v2::UpdateSessionNotification::new(session.to_owned(), change)));
    }
    bytes
}

/// What ends the answer to such a prompt.
pub(crate) fn finish(version: Version, session: &str, id: RequestId, ended: Ended) -> Vec<u8> {
    match version {
        Version::One => {
            let reason = match ended {
                Ended::Done => StopReason::EndTurn,
                Ended::Cancelled => StopReason::Cancelled,
            };
            line(Response::<_>::new(id, Ok(PromptResponse::new(reason))))
        }
        Version::Two => {
            let reason = match ended {
                Ended::Done => v2::StopReason::EndTurn,
                Ended::Cancelled => v2::StopReason::Cancelled,
            };
            let idle = v2::IdleStateUpdate::new().stop_reason(reason);
            let change = v2::SessionUpdate::StateUpdate(v2::StateUpdate::Idle(idle));
            update(v2::UpdateSessionNotification::new(session.to_owned(), change))
        }
    }
}

/// A prompt of ours to the agent.
pub(crate) fn prompt(version: Version, id: RequestId, session: &str, text: &str) -> Vec<u8> {
    let method = AGENT_METHOD_NAMES.session_prompt;
    match version {
        Version::One => {
            let params = PromptRequest::new(session.to_owned(), vec![ContentBlock::from(text)]);
            line(Request { id, method: method.into(), params: Some(params) })
        }
        Version::Two => {
            let params = v2::PromptRequest::new(session.to_owned(), vec![v2::ContentBlock::from(text)]);
            line(Request { id, method: method.into(), params: Some(params) })
        }
    }
}

/// The editor's own prompt with another text in its first text block; everything else of it stays.
pub(crate) fn prompt_with_text(original: &[u8], text: &str) -> Option<Vec<u8>> {
    let mut message: Value = serde_json::from_slice(original).ok()?;
    let blocks = message.get_mut("params")?.get_mut("prompt")?.as_array_mut()?;
    let block = blocks.iter_mut().find(|block| block.get("type").and_then(Value::as_str) == Some("text"))?;
    *block.get_mut("text")? = Value::String(text.to_owned());
    let mut bytes = serde_json::to_vec(&message).ok()?;
    bytes.push(b'\n');
    Some(bytes)
}

/// A cancellation of ours.
pub(crate) fn cancel(session: &str) -> Vec<u8> {
    notification(AGENT_METHOD_NAMES.session_cancel, CancelNotification::new(session.to_owned()))
}

/// The agent's own commands, as it sent them, and ours behind them.
pub(crate) fn commands(
    version: Version,
    session: &str,
    theirs: &[Value],
    names: &Names,
    says: &Descriptions,
) -> Vec<u8> {
    let mut all = theirs.to_vec();
    for ours in Ours::ALL {
        let (description, hint) = match ours {
            Ours::Next => (&says.next, "nothing to send it, or state, on, off, retry"),
            Ours::Autorun => (&says.autorun, "nothing to start, or reset"),
            Ours::Goal => (&says.goal, "an objective, or done, clear"),
        };
        let name = names.get(ours).to_owned();
        let command = match version {
            Version::One => {
                let input = AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint));
                serde_json::to_value(AvailableCommand::new(name, description.clone()).input(input))
            }
            Version::Two => {
                let input = v2::AvailableCommandInput::Text(v2::TextCommandInput::new(hint));
                let command = v2::Command::new(name, description.clone()).input(input);
                serde_json::to_value(v2::AvailableCommand::Command(command))
            }
        };
        all.extend(command.ok());
    }
    // The agent's commands keep fields that our types do not know.
    update(json!({
        "sessionId": session,
        "update": { "sessionUpdate": "available_commands_update", "availableCommands": all },
    }))
}

/// The current offer, for an editor that says it can show suggestions where the next prompt is written; none takes it
/// away.
pub(crate) fn suggestions(version: Version, session: &str, offer: Option<&str>) -> Vec<u8> {
    match version {
        Version::One => {
            let list =
                offer.map(|text| PromptSuggestion::new(vec![ContentBlock::from(text)])).into_iter().collect();
            let change = SessionUpdate::PromptSuggestionsUpdate(PromptSuggestionsUpdate::new(list));
            update(SessionNotification::new(session.to_owned(), change))
        }
        Version::Two => {
            let list = offer
                .map(|text| v2::PromptSuggestion::new(vec![v2::ContentBlock::from(text)]))
                .into_iter()
                .collect();
            let change = v2::SessionUpdate::PromptSuggestionsUpdate(v2::PromptSuggestionsUpdate::new(list));
            update(v2::UpdateSessionNotification::new(session.to_owned(), change))
        }
    }
}
