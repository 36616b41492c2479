//! The JSON Schema of the configuration.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use suggest_core::Config;

/// The schema of the configuration file, as JSON: for editors, and for people who look a key up.
pub(crate) fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut schema: Schema = settings.into_generator().into_root_schema_for::<Config>();
    schema.insert("title".to_owned(), json!("Configuration of suggest"));
    schema.insert("description".to_owned(), json!("The file config.toml. Every key is optional."));
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("providers".to_owned(), providers());
    }
    let mut schema = schema.to_value();
    // The same text whatever a dependency makes of the order of keys.
    schema.sort_all_objects();
    schema
}

fn providers() -> Value {
    json!({
        "description": "Providers by name: the part of a model before its first `/`. Services with a preset need none.",
        "type": "object",
        "default": {},
        "additionalProperties": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "preset": {
                    "type": "string",
                    "description": "The preset to build on; by default the one with the entry's own name.",
                },
                "baseUrl": {
                    "type": "string",
                    "description": "Where the endpoint is, for instance `http://localhost:11434/v1`.",
                },
                "keyEnv": { "type": "string", "description": "The environment variable that holds the key." },
                "keyFile": {
                    "type": "string",
                    "description": "A file that holds the key and nothing else; relative to this file, or `~/…`.",
                },
                "headers": {
                    "type": "object",
                    "additionalProperties": { "type": "string" },
                    "description": "Further headers of every request.",
                },
                "capField": {
                    "enum": ["max_tokens", "max_completion_tokens"],
                    "description": "The name of the output cap.",
                },
                "extraBody": { "type": "object", "description": "Further parameters of every request's body." },
            },
        },
    })
}
