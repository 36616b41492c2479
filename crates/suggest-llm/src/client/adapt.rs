//! Which parameters an endpoint and model take, learnt from what they refuse (rule L4).

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::failure::Failure;
use crate::error::LlmErrorKind;

/// The name under which an endpoint takes the cap on output tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapField {
    /// `max_tokens`: nearly everybody.
    MaxTokens,
    /// `max_completion_tokens`: newer models of OpenAI.
    MaxCompletionTokens,
}

impl CapField {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::MaxTokens => Self::MaxCompletionTokens,
            Self::MaxCompletionTokens => Self::MaxTokens,
        }
    }
}

/// How the system message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemRole {
    /// As a message with the role `system`.
    System,
    /// As a message with the role `developer`.
    Developer,
    /// In front of the first user message, for models that take no instructions of their own.
    User,
}

/// How requests to one model are formed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) stream: bool,
    pub(crate) system_role: SystemRole,
    pub(crate) cap_field: CapField,
    /// The other name of the cap was tried already.
    cap_field_switched: bool,
    /// Parameters that are not sent any more.
    pub(crate) dropped: BTreeSet<String>,
    /// The endpoint refuses calls without a cap.
    pub(crate) cap_required: bool,
}

impl Form {
    pub(crate) fn new(stream: bool, system_role: SystemRole, cap_field: CapField) -> Self {
        Self {
            stream,
            system_role,
            cap_field,
            cap_field_switched: false,
            dropped: BTreeSet::new(),
            cap_required: false,
        }
    }

    pub(crate) fn sends(&self, parameter: &str) -> bool {
        !self.dropped.contains(parameter)
    }

    /// What differs from `original`, for people.
    pub(crate) fn describe(&self, original: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.cap_field != original.cap_field {
            lines.push(format!("{} instead of {}", self.cap_field.name(), original.cap_field.name()));
        }
        if self.cap_required && !original.cap_required {
            lines.push("an output cap is sent, because calls without one are refused".to_owned());
        }
        if self.stream != original.stream {
            lines.push("not streamed".to_owned());
        }
        if self.system_role != original.system_role {
            lines.push(
                match self.system_role {
                    SystemRole::System => "instructions sent as role system",
                    SystemRole::Developer => "instructions sent as role developer",
                    SystemRole::User => "instructions sent in front of the first user message",
                }
                .to_owned(),
            );
        }
        lines.extend(
            self.dropped.difference(&original.dropped).map(|parameter| format!("{parameter} not sent")),
        );
        lines
    }

    /// The change that a refusal asks for, given the parameters that the refused request carried. `None` when nothing
    /// that can be changed was refused.
    pub(crate) fn change_for(&self, failure: &Failure, sent: &Sent) -> Option<Change> {
        let status = failure.status?;
        let said = failure.said.as_ref()?;
        let seen = said.haystack();
        let named = said.param.as_deref().map(str::to_ascii_lowercase).unwrap_or_default();
        let about_roles = matches!(status, 400 | 422 | 500) && sent.system;
        if about_roles && self.system_role != SystemRole::User && refuses_system_role(&seen, &named) {
            return Some(Change::SystemRole(match self.system_role {
                SystemRole::Developer => SystemRole::System,
                SystemRole::System | SystemRole::User => SystemRole::User,
            }));
        }
        let refusable = [LlmErrorKind::UnsupportedParameter, LlmErrorKind::UnknownModel];
        if !matches!(status, 400 | 404 | 422 | 500 | 501) || !refusable.contains(&failure.kind) {
            return None;
        }
        let candidates = sent.parameters.iter().map(String::as_str).chain(sent.stream.then_some("stream"));
        let refused = candidates
            .filter(|parameter| named == **parameter || mentions(&seen, parameter))
            // The longest name first: `stream_options` before `stream`, and the one in `param` before all.
            .max_by_key(|parameter| (named == **parameter, parameter.len()));
        let caps = [CapField::MaxTokens.name(), CapField::MaxCompletionTokens.name()];
        if refused.is_none() && !sent.cap && !self.cap_required {
            let wanted = caps.iter().any(|cap| named == **cap || mentions(&seen, cap));
            return (wanted && ["required", "missing", "must"].iter().any(|word| seen.contains(word)))
                .then_some(Change::RequireCap);
        }
        let refused = refused?;
        if !refuses(&seen) {
            return None;
        }
        if caps.contains(&refused) {
            if ["too large", "at most", "less than", "too high", "maximum value"]
                .iter()
                .any(|word| seen.contains(word))
            {
                // The value is refused, not the parameter: only the person who configured it can put that right.
                return None;
            }
            return Some(if self.cap_field_switched {
                Change::Drop(refused.to_owned())
            } else {
                Change::CapField(self.cap_field.other())
            });
        }
        Some(if refused == "stream" { Change::NoStream } else { Change::Drop(refused.to_owned()) })
    }

    fn apply(&mut self, change: &Change) {
        match change {
            Change::CapField(field) => {
                self.cap_field = *field;
                self.cap_field_switched = true;
            }
            Change::Drop(parameter) => {
                self.dropped.insert(parameter.clone());
            }
            Change::NoStream => self.stream = false,
            Change::RequireCap => self.cap_required = true,
            Change::SystemRole(role) => self.system_role = *role,
        }
    }
}

/// What a request carried beyond model and messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) parameters: Vec<String>,
    pub(crate) cap: bool,
    pub(crate) stream: bool,
    pub(crate) system: bool,
}

/// One lesson. Applying it twice is the same as once, so calls in flight together may learn the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    CapField(CapField),
    Drop(String),
    NoStream,
    RequireCap,
    SystemRole(SystemRole),
}

fn refuses(seen: &str) -> bool {
    [
        "unsupported",
        "not support",
        "n't support",
        "unknown",
        "unrecognized",
        "unrecognised",
        "unexpected",
        "extra_forbidden",
        "extra inputs",
        "extra fields",
        "cannot find field",
        "not permitted",
        "not allowed",
        "only allowed",
        "is allowed",
        "invalid",
        "must be",
        "not available",
        "not supported",
        "validation error",
        "use 'max_completion_tokens'",
        "deprecated",
        "不支持",
    ]
    .iter()
    .any(|word| seen.contains(word))
}

fn refuses_system_role(seen: &str, named: &str) -> bool {
    let about_roles = named.ends_with(".role") || seen.contains("role");
    let alternate = seen.contains("must alternate") || seen.contains("system role not supported");
    let refused = ["system", "developer"].iter().any(|role| mentions(seen, role)) && refuses(seen);
    alternate || (about_roles && refused)
}

/// Whether a text names a parameter as a whole word, so that `stream_options` does not count as `stream`.
fn mentions(seen: &str, parameter: &str) -> bool {
    let inside = |character: Option<char>| {
        character.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    seen.match_indices(parameter).any(|(start, _)| {
        let before = seen.get(..start).and_then(|text| text.chars().next_back());
        let after = seen.get(start + parameter.len()..).and_then(|text| text.chars().next());
        !inside(before) && !inside(after)
    })
}

/// What was learnt, per model. One memory belongs to one endpoint.
#[derive(Debug)]
pub(crate) struct Memory {
    original: Form,
    learnt: Mutex<HashMap<String, Form>>,
}

impl Memory {
    /// Models that are remembered at once; more than anybody configures.
    const MOST_MODELS: usize = 256;

    pub(crate) fn new(original: Form) -> Self {
        Self { original, learnt: Mutex::new(HashMap::new()) }
    }

    pub(crate) fn form(&self, model: &str) -> Form {
        self.lock().get(model).unwrap_or(&self.original).clone()
    }

    pub(crate) fn learn(&self, model: &str, change: &Change) {
        let mut learnt = self.lock();
        if learnt.len() >= Self::MOST_MODELS && !learnt.contains_key(model) {
            learnt.clear();
        }
        learnt.entry(model.to_owned()).or_insert_with(|| self.original.clone()).apply(change);
    }

    pub(crate) fn describe(&self, model: &str) -> Vec<String> {
        self.form(model).describe(&self.original)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Form>> {
        self.learnt.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::shape;
    use super::*;

    fn form() -> Form {
        Form::new(true, SystemRole::System, CapField::MaxTokens)
    }

    fn change(form: &Form, parameters: &[&str], status: u16, body: serde_json::Value) -> Option<Change> {
        let sent = Sent {
            parameters: parameters.iter().map(|name| (*name).to_owned()).collect(),
            cap: parameters.iter().any(|name| name.starts_with("max_")),
            stream: form.stream,
            system: true,
        };
        form.change_for(&Failure::classify(status, &shape::read(&body)), &sent)
    }

    #[test]
    fn names_are_matched_as_whole_words() {
        assert!(mentions("'stream' is refused", "stream"));
        assert!(!mentions("stream_options is refused", "stream"));
        assert!(!mentions("upstream failed, streaming", "stream"));
    }

    #[test]
    fn a_value_that_is_too_large_is_no_reason_to_change_the_parameter_l4() {
        let body = json!({"error": {"message": "Invalid: max_tokens is too large: 9. At most 4", "param": "max_tokens"}});
        assert_eq!(change(&form(), &["max_tokens"], 400, body), None);
    }

    #[test]
    fn the_cap_is_renamed_first_and_dropped_when_both_names_are_refused_l4() {
        let body = json!({"error": {"message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}});
        let first = change(&form(), &["max_tokens"], 400, body).unwrap();
        assert_eq!(first, Change::CapField(CapField::MaxCompletionTokens));
        let mut switched = form();
        switched.apply(&first);
        let body = json!({"error": {"message": "Unsupported parameter: 'max_completion_tokens'"}});
        assert_eq!(
            change(&switched, &["max_completion_tokens"], 400, body),
            Some(Change::Drop("max_completion_tokens".to_owned()))
        );
    }

    #[test]
    fn an_endpoint_that_wants_a_cap_gets_one_l5() {
        let body = json!({"error": {"message": "max_tokens: Field required"}});
        assert_eq!(change(&form(), &[], 400, body), Some(Change::RequireCap));
    }

    #[test]
    fn nothing_is_changed_for_other_failures() {
        let body = json!({"error": {"message": "Unsupported temperature", "param": "temperature"}});
        assert_eq!(change(&form(), &["temperature"], 429, body.clone()), None);
        assert_eq!(change(&form(), &["top_p"], 400, body), None);
    }
}
