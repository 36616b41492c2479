use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Which model to ask, and through whom: `provider/model`.
///
/// The value is split at the first `/`, because a model's own id may contain more of them
/// (`openrouter/deepseek/deepseek-chat`). Neither side is ever empty (rule D1).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModelId {
    provider: String,
    model: String,
}

impl ModelId {
    /// Reads `provider/model`. White space around the whole value is ignored.
    ///
    /// # Errors
    ///
    /// [`ModelIdError`] when there is no `/`, a side is empty, or the value holds white space or control characters.
    pub fn parse(value: &str) -> Result<Self, ModelIdError> {
        let trimmed = value.trim();
        let error = |problem| ModelIdError { value: shown(trimmed), problem };
        if trimmed.chars().any(|character| character.is_control() || character.is_whitespace()) {
            return Err(error("must not contain white space"));
        }
        let Some((provider, model)) = trimmed.split_once('/') else {
            return Err(error("has no `/` between provider and model"));
        };
        if provider.is_empty() {
            return Err(error("names no provider before the `/`"));
        }
        if model.is_empty() {
            return Err(error("names no model behind the `/`"));
        }
        Ok(Self { provider: provider.to_owned(), model: model.to_owned() })
    }

    /// The id of the built-in deterministic provider, `local/facts`.
    #[must_use]
    pub fn local_facts() -> Self {
        Self { provider: "local".to_owned(), model: "facts".to_owned() }
    }

    /// Whether this is `local/facts`.
    #[must_use]
    pub fn is_local_facts(&self) -> bool {
        self.provider == "local" && self.model == "facts"
    }

    /// The side before the first `/`: whose endpoint is called.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The side behind the first `/`: the model's name as the endpoint knows it.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }
}

/// At most 80 characters of a configuration value, fit for one line.
fn shown(value: &str) -> String {
    value.chars().filter(|character| !character.is_control()).take(80).collect()
}

impl fmt::Display for ModelId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.provider, self.model)
    }
}

impl FromStr for ModelId {
    type Err = ModelIdError;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        Self::parse(value)
    }
}

impl TryFrom<String> for ModelId {
    type Error = ModelIdError;

    fn try_from(value: String) -> Result<Self, Self::Error> {
        Self::parse(&value)
    }
}

impl From<ModelId> for String {
    fn from(id: ModelId) -> Self {
        id.to_string()
    }
}

/// A value that is not `provider/model`; names the value and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("model `{value}` {problem}; write `provider/model`, for instance `openai/gpt-5-nano`")]
pub struct ModelIdError {
    value: String,
    problem: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_the_first_slash_only_d1() {
        let id = ModelId::parse(" openrouter/deepseek/deepseek-chat ").unwrap();
        assert_eq!((id.provider(), id.model()), ("openrouter", "deepseek/deepseek-chat"));
        assert_eq!(id.to_string(), "openrouter/deepseek/deepseek-chat");
        assert!(ModelId::parse("local/facts").unwrap().is_local_facts());
    }

    #[test]
    fn a_value_without_two_sides_is_an_error_that_names_it_d1() {
        for bad in ["", "gpt-5", "/gpt-5", "openai/", "/", "open ai/x", "a/b\nc"] {
            assert!(ModelId::parse(bad).is_err(), "{bad:?}");
        }
        assert_eq!(
            ModelId::parse("gpt-5").unwrap_err().to_string(),
            "model `gpt-5` has no `/` between provider and model; write `provider/model`, for instance `openai/gpt-5-nano`"
        );
    }

    #[test]
    fn serialises_as_its_text() {
        let id: ModelId = serde_json::from_str("\"a/b/c\"").unwrap();
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"a/b/c\"");
        assert!(serde_json::from_str::<ModelId>("\"abc\"").is_err());
    }
}
