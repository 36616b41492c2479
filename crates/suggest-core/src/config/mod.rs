//! The configuration keys of the core, their ranges and their errors.
//!
//! A document is read whole or not at all: an unknown name, a wrong type or a value out of range is an error that
//! says what is allowed, and nothing of the document is applied.

mod read;

#[cfg(test)]
mod tests;

pub use read::ConfigError;

use crate::ids::ModelId;
use serde::Serialize;
use serde_json::{Map, Value};

/// An empty text or a model route, as [`Config::from_json`] reads it.
#[cfg(feature = "schema")]
const ROUTE: &str = r"^\s*([^/\s]+/\S+\s*)?$";

/// The configuration of a session. Build one from a document with [`Config::from_json`]; the defaults run nothing,
/// since no model is set (rule D1).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(default, deny_unknown_fields))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Config {
    /// The director's model; absent: the feature does not exist (rule D1).
    #[serde(serialize_with = "model_or_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String", regex(pattern = ROUTE)))]
    pub prompt_model: Option<ModelId>,
    /// The most characters that the slice holds, 500 to 200,000 (rule S2).
    #[cfg_attr(feature = "schema", schemars(range(min = 500, max = 200_000)))]
    pub prompt_context_chars: u32,
    /// The most characters of an answer, 20 to 4,000 (rule D7).
    #[cfg_attr(feature = "schema", schemars(range(min = 20, max = 4_000)))]
    pub prompt_max_chars: u32,
    /// The most rounds that autorun may start in a session, 0 to 1,000; 0: it cannot be armed (rule A6).
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1_000)))]
    pub prompt_max_rounds: u32,
    /// The deadline of a generation in milliseconds, both attempts, 1,000 to 600,000 (rule D8).
    #[cfg_attr(feature = "schema", schemars(range(min = 1_000, max = 600_000)))]
    pub prompt_deadline_ms: u64,
    /// The output budget of a call in tokens, 64 to 131,072; 0: none (rule L5).
    #[cfg_attr(
        feature = "schema",
        schemars(range(min = 0, max = 131_072), extend("not" = { "exclusiveMinimum": 0, "exclusiveMaximum": 64 }))
    )]
    pub enrichment_max_tokens: u32,
    /// The most calls in flight in one process, 1 to 10,000 (rule L2).
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 10_000)))]
    pub max_concurrent_calls: u32,
    /// Whether prompts may leave the process through our own network client (rule P1).
    pub allow_transfer: bool,
    /// The advisor (rule V6).
    pub advisor: AdvisorConfig,
    /// The idle cards (rule C1).
    pub cards: CardsConfig,
    /// The session summary (rule C9).
    pub summary: CardsConfig,
    /// Providers by name, as the model client reads them; the core passes them on unread.
    pub providers: Map<String, Value>,
}

/// The advisor's keys (rule V6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(default, deny_unknown_fields, transform = with_keys_of_the_past)
)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AdvisorConfig {
    /// The provider; without it the advisor does not run (rule V1).
    pub provider: String,
    /// The model; without it the advisor does not run (rule V1).
    pub model: String,
    /// Replaces the built-in reviewer prompt when it is not empty.
    pub system_prompt: String,
    /// After a delivered steer, how many reviews do not steer a concern (rule V4).
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1_000_000)))]
    pub immune_turns: u32,
    /// The newest messages that one review reads; 0: all (rule V2).
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1_000_000)))]
    pub max_delta_messages: u32,
    /// Whether a reply without a frame is delivered as a nit (rule V3).
    pub prose_fallback: bool,
    /// The reasoning effort; empty: the smallest that the model declares.
    pub reasoning_effort: String,
    /// Whether the human's next prompt is predicted after each completed turn (rule V8).
    pub next_prompt: bool,
    /// Whether new sessions start with the advisor on.
    pub default_enabled: bool,
}

/// Names in the schema what the reader accepts and ignores (rule V6).
#[cfg(feature = "schema")]
fn with_keys_of_the_past(schema: &mut schemars::Schema) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for key in read::ADVISOR_PAST {
            let ignored = serde_json::json!({ "description": "Accepted and ignored.", "deprecated": true });
            properties.insert((*key).to_owned(), ignored);
        }
    }
}

impl Default for AdvisorConfig {
    fn default() -> Self {
        Self {
            provider: String::new(),
            model: String::new(),
            system_prompt: String::new(),
            immune_turns: 3,
            max_delta_messages: 60,
            prose_fallback: false,
            reasoning_effort: String::new(),
            next_prompt: true,
            default_enabled: true,
        }
    }
}

/// The keys of the idle cards, and of the summary likewise (rules C1, C9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(default, deny_unknown_fields))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CardsConfig {
    /// Whether it runs at all.
    pub enabled: bool,
    /// The model; absent: local only.
    #[serde(serialize_with = "model_or_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String", regex(pattern = ROUTE)))]
    pub model: Option<ModelId>,
}

impl Default for CardsConfig {
    fn default() -> Self {
        Self { enabled: true, model: None }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            prompt_model: None,
            prompt_context_chars: 4_000,
            prompt_max_chars: 240,
            prompt_max_rounds: 24,
            prompt_deadline_ms: 60_000,
            enrichment_max_tokens: 0,
            max_concurrent_calls: 4,
            allow_transfer: false,
            advisor: AdvisorConfig::default(),
            cards: CardsConfig::default(),
            summary: CardsConfig::default(),
            providers: Map::new(),
        }
    }
}

fn model_or_empty<S: serde::Serializer>(model: &Option<ModelId>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(model.as_ref().map_or("", ModelId::as_str))
}

impl Config {
    /// Reads a document over the defaults.
    ///
    /// # Errors
    /// The first key that is unknown, of the wrong type or out of range, with what is allowed.
    pub fn from_json(document: &Value) -> Result<Self, ConfigError> {
        Self::default().with_changes(document)
    }

    /// This configuration with the keys of a document changed. Nothing is changed when one of them is wrong.
    ///
    /// # Errors
    /// The first key that is unknown, of the wrong type or out of range, with what is allowed.
    pub fn with_changes(&self, changes: &Value) -> Result<Self, ConfigError> {
        let mut next = self.clone();
        read::apply(&mut next, changes)?;
        Ok(next)
    }
}
