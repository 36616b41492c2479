//! Reading configuration documents key by key, so that every error names its key and what would fit.

use super::{AdvisorConfig, CardsConfig, Config};
use crate::ids::ModelId;
use serde_json::{Map, Value};

/// What is wrong with a configuration document, at which key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A name that is no key.
    #[error("unknown key `{key}`{}", nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    UnknownKey {
        /// The name, with its section.
        key: String,
        /// The valid key that looks most like it.
        nearest: Option<String>,
    },
    /// A value of another type.
    #[error("`{key}` must be {expected}, not {found}")]
    WrongType {
        /// The key, with its section.
        key: String,
        /// What fits.
        expected: &'static str,
        /// What type was given.
        found: &'static str,
    },
    /// A number outside its range.
    #[error("`{key}` must be {allowed}, not {found}")]
    OutOfRange {
        /// The key, with its section.
        key: String,
        /// The allowed range in words.
        allowed: String,
        /// The number that was given.
        found: String,
    },
    /// A model that is no route (rule D1).
    #[error("`{key}`: {source}")]
    BadModel {
        /// The key, with its section.
        key: String,
        /// What is wrong with it.
        source: crate::ids::ParseModelIdError,
    },
}

impl ConfigError {
    /// The key that is wrong, with its section.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            Self::UnknownKey { key, .. }
            | Self::WrongType { key, .. }
            | Self::OutOfRange { key, .. }
            | Self::BadModel { key, .. } => key,
        }
    }
}

const TOP: &[&str] = &[
    "promptModel",
    "promptContextChars",
    "promptMaxChars",
    "promptMaxRounds",
    "promptDeadlineMs",
    "enrichmentMaxTokens",
    "maxConcurrentCalls",
    "allowTransfer",
    "advisor",
    "cards",
    "summary",
    "providers",
];
const ADVISOR: &[&str] = &[
    "provider",
    "model",
    "systemPrompt",
    "immuneTurns",
    "maxDeltaMessages",
    "proseFallback",
    "reasoningEffort",
    "nextPrompt",
    "defaultEnabled",
];
/// Keys of the past: accepted, never read, never written back (rule V6).
pub(super) const ADVISOR_PAST: &[&str] = &["enabled", "maxTokens"];
const CARDS: &[&str] = &["enabled", "model"];

pub(super) fn apply(config: &mut Config, document: &Value) -> Result<(), ConfigError> {
    for (key, value) in object("the configuration", document)? {
        match key.as_str() {
            "promptModel" => config.prompt_model = model(key, value)?,
            "promptContextChars" => config.prompt_context_chars = number(key, value, 500, 200_000)?,
            "promptMaxChars" => config.prompt_max_chars = number(key, value, 20, 4_000)?,
            "promptMaxRounds" => config.prompt_max_rounds = number(key, value, 0, 1_000)?,
            "promptDeadlineMs" => config.prompt_deadline_ms = u64::from(number(key, value, 1_000, 600_000)?),
            "enrichmentMaxTokens" => config.enrichment_max_tokens = tokens(key, value)?,
            "maxConcurrentCalls" => config.max_concurrent_calls = number(key, value, 1, 10_000)?,
            "allowTransfer" => config.allow_transfer = flag(key, value)?,
            "advisor" => advisor(&mut config.advisor, object(key, value)?)?,
            "cards" => cards("cards", &mut config.cards, object(key, value)?)?,
            "summary" => cards("summary", &mut config.summary, object(key, value)?)?,
            "providers" => config.providers = object(key, value)?.clone(),
            _ => return Err(unknown(None, key, TOP)),
        }
    }
    Ok(())
}

fn advisor(config: &mut AdvisorConfig, section: &Map<String, Value>) -> Result<(), ConfigError> {
    for (name, value) in section {
        let key = &format!("advisor.{name}");
        match name.as_str() {
            "provider" => config.provider = text(key, value)?,
            "model" => config.model = text(key, value)?,
            "systemPrompt" => config.system_prompt = text(key, value)?,
            "immuneTurns" => config.immune_turns = number(key, value, 0, 1_000_000)?,
            "maxDeltaMessages" => config.max_delta_messages = number(key, value, 0, 1_000_000)?,
            "proseFallback" => config.prose_fallback = flag(key, value)?,
            "reasoningEffort" => config.reasoning_effort = text(key, value)?,
            "nextPrompt" => config.next_prompt = flag(key, value)?,
            "defaultEnabled" => config.default_enabled = flag(key, value)?,
            past if ADVISOR_PAST.contains(&past) => {}
            _ => return Err(unknown(Some("advisor"), name, ADVISOR)),
        }
    }
    Ok(())
}

fn cards(
    section: &'static str,
    config: &mut CardsConfig,
    values: &Map<String, Value>,
) -> Result<(), ConfigError> {
    for (name, value) in values {
        let key = &format!("{section}.{name}");
        match name.as_str() {
            "enabled" => config.enabled = flag(key, value)?,
            "model" => config.model = model(key, value)?,
            _ => return Err(unknown(Some(section), name, CARDS)),
        }
    }
    Ok(())
}

fn unknown(section: Option<&str>, name: &str, known: &[&str]) -> ConfigError {
    let full = |name: &str| section.map_or_else(|| name.to_owned(), |section| format!("{section}.{name}"));
    // No key is longer; a bound keeps a hostile name from costing time and memory.
    let folded: String =
        name.chars().filter(|c| !matches!(c, '_' | '-')).take(40).flat_map(char::to_lowercase).collect();
    let nearest = known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(&folded, &candidate.to_lowercase()), candidate))
        .min()
        .filter(|(distance, candidate)| *distance <= (candidate.len() / 3).max(2))
        .map(|(_, candidate)| full(candidate));
    let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
    ConfigError::UnknownKey { key: full(&shown), nearest }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a section",
    }
}

fn wrong(key: &str, expected: &'static str, value: &Value) -> ConfigError {
    ConfigError::WrongType { key: key.to_owned(), expected, found: type_name(value) }
}

fn object<'v>(key: &str, value: &'v Value) -> Result<&'v Map<String, Value>, ConfigError> {
    value.as_object().ok_or_else(|| wrong(key, "a section of keys", value))
}

fn text(key: &str, value: &Value) -> Result<String, ConfigError> {
    value.as_str().map(str::to_owned).ok_or_else(|| wrong(key, "a text", value))
}

fn flag(key: &str, value: &Value) -> Result<bool, ConfigError> {
    value.as_bool().ok_or_else(|| wrong(key, "true or false", value))
}

fn model(key: &str, value: &Value) -> Result<Option<ModelId>, ConfigError> {
    let text = value.as_str().ok_or_else(|| wrong(key, "a text, provider/model or empty", value))?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|source| ConfigError::BadModel { key: key.to_owned(), source })
}

fn number(key: &str, value: &Value, min: u32, max: u32) -> Result<u32, ConfigError> {
    let Value::Number(given) = value else {
        return Err(wrong(key, "a whole number", value));
    };
    given.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| (min..=max).contains(n)).ok_or_else(|| {
        ConfigError::OutOfRange {
            key: key.to_owned(),
            allowed: format!("a whole number from {min} to {max}"),
            found: given.to_string(),
        }
    })
}

fn tokens(key: &str, value: &Value) -> Result<u32, ConfigError> {
    let found = number(key, value, 0, 131_072)?;
    if found == 0 || found >= 64 {
        return Ok(found);
    }
    Err(ConfigError::OutOfRange {
        key: key.to_owned(),
        allowed: "0 (no cap) or a whole number from 64 to 131072".to_owned(),
        found: found.to_string(),
    })
}
