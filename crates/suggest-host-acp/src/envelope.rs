//! The outside of a message: enough to know whom it concerns, read without its inside.

use agent_client_protocol_schema::v1::{AGENT_METHOD_NAMES, RequestId};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// The outside of any JSON-RPC message.
#[derive(Debug, Deserialize)]
pub(crate) struct Envelope<'a> {
    #[serde(default)]
    pub(crate) id: Option<RequestId>,
    #[serde(borrow, default)]
    pub(crate) method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) error: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    /// Reads a line, or `None` for one that is no single message.
    pub(crate) fn read(line: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    /// The parameters as this type, if they are.
    pub(crate) fn params_as<T: Deserialize<'a>>(&self) -> Option<T> {
        serde_json::from_str(self.params?.get()).ok()
    }

    /// The result as this type, if it is.
    pub(crate) fn result_as<T: Deserialize<'a>>(&self) -> Option<T> {
        serde_json::from_str(self.result?.get()).ok()
    }
}

/// A `session/prompt` of the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptCall {
    pub(crate) id: RequestId,
    pub(crate) session: String,
    /// The text of its first text block.
    pub(crate) text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptParams<'a> {
    #[serde(borrow)]
    session_id: Cow<'a, str>,
    #[serde(borrow, default)]
    prompt: Vec<PromptBlock<'a>>,
}

#[derive(Deserialize)]
struct PromptBlock<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
}

impl PromptCall {
    /// Reads a line that may be a prompt.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let envelope = Envelope::read(line)?;
        if envelope.method.as_deref() != Some(AGENT_METHOD_NAMES.session_prompt) {
            return None;
        }
        let params: PromptParams<'_> = envelope.params_as()?;
        let text =
            params.prompt.iter().find(|block| block.kind == "text").and_then(|block| block.text.as_deref());
        Some(Self {
            id: envelope.id?,
            session: params.session_id.into_owned(),
            text: text.unwrap_or_default().to_owned(),
        })
    }
}

/// The ids of our own requests to the agent. They begin with a text that no editor chooses, so that an answer to one of
/// them is known by its id.
#[derive(Debug)]
pub(crate) struct OwnIds {
    prefix: String,
    next: AtomicU64,
}

impl OwnIds {
    pub(crate) fn new() -> Self {
        // The standard library's per-process random keys: unlikely to be met twice, and no secret.
        let number = RandomState::new().build_hasher().finish();
        Self { prefix: format!("suggest-{number:016x}-"), next: AtomicU64::new(1) }
    }

    pub(crate) fn next(&self) -> RequestId {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        RequestId::Str(format!("{}{number}", self.prefix))
    }

    /// Whether the line is an answer to a request of ours.
    pub(crate) fn is_answer(&self, line: &[u8]) -> bool {
        if memchr::memmem::find(line, self.prefix.as_bytes()).is_none() {
            return false;
        }
        Envelope::read(line).is_some_and(|envelope| {
            envelope.method.is_none()
                && matches!(envelope.id, Some(RequestId::Str(id)) if id.starts_with(&self.prefix))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_read_with_its_first_text() {
        let line = br#"{"jsonrpc":"2.0","id":"a","method":"session/prompt","x":1,"params":{"sessionId":"s","prompt":[
            {"type":"resource_link","uri":"file:///a","name":"a"},{"type":"text","text":"/next \"now\""}]}}"#;
        let expected =
            PromptCall { id: "a".to_owned().into(), session: "s".into(), text: "/next \"now\"".into() };
        assert_eq!(PromptCall::read(line), Some(expected));
        assert_eq!(
            PromptCall::read(br#"{"id":1,"method":"session/update","params":{"a":"session/prompt"}}"#),
            None
        );
        assert_eq!(PromptCall::read(b"session/prompt"), None);
    }

    #[test]
    fn only_an_answer_with_our_id_is_ours() {
        let ids = OwnIds::new();
        let RequestId::Str(id) = ids.next() else { panic!("a text") };
        assert!(ids.is_answer(format!(r#"{{"id":"{id}","result":{{}}}}"#).as_bytes()));
        assert!(ids.is_answer(format!(r#"{{"id":"{id}","error":{{"code":1,"message":"x"}}}}"#).as_bytes()));
        assert!(!ids.is_answer(format!(r#"{{"id":"{id}","method":"fs/read"}}"#).as_bytes()));
        assert!(!ids.is_answer(format!(r#"{{"id":7,"result":"{id}"}}"#).as_bytes()));
        assert!(!ids.is_answer(br#"{"id":1,"result":{}}"#));
        assert_ne!(ids.next(), RequestId::Str(id));
    }
}
