//! The plugin's row of the host's configuration.

use super::protocol::Off;
#[cfg(feature = "client")]
use serde_json::Map;
use serde_json::Value;
use suggest_core::Config;

/// Keys that only the plugin reads.
const OF_THE_PLUGIN: [&str; 2] = ["binary", "logLevel"];

/// A row that can be used.
#[derive(Debug, Default)]
pub(crate) struct Row {
    pub(crate) config: Config,
    /// Providers that are asked by our own client and not by the host.
    #[cfg(feature = "client")]
    pub(crate) own: Option<super::routes::OwnProviders>,
}

impl Row {
    /// Reads a row, whole or not at all. None, or an empty one, is the defaults.
    pub(crate) fn read(raw: &Value) -> Result<Self, Off> {
        let mut raw = raw.clone();
        match &mut raw {
            Value::Null => return Ok(Self::default()),
            Value::Object(keys) => {
                for key in OF_THE_PLUGIN {
                    keys.remove(key);
                }
            }
            _ => return Err(wrong("it must be a table of keys")),
        }
        let config = Config::from_json(&raw).map_err(|error| wrong(&error.to_string()))?;
        Self::with_providers(config)
    }

    #[cfg(feature = "client")]
    fn with_providers(config: Config) -> Result<Self, Off> {
        let own = providers(&config.providers)?;
        Ok(Self { config, own })
    }

    #[cfg(not(feature = "client"))]
    fn with_providers(config: Config) -> Result<Self, Off> {
        if config.providers.is_empty() {
            Ok(Self { config })
        } else {
            Err(wrong("`providers` needs a build with the network client"))
        }
    }
}

#[cfg(feature = "client")]
fn providers(entries: &Map<String, Value>) -> Result<Option<super::routes::OwnProviders>, Off> {
    use std::collections::{BTreeMap, BTreeSet};
    use suggest_llm::{Environment, ProviderConfig, ProviderTable};

    if entries.is_empty() {
        return Ok(None);
    }
    let mut configs = BTreeMap::new();
    for (name, entry) in entries {
        let config: ProviderConfig = serde_json::from_value(entry.clone()).map_err(|error| {
            // A message that quotes names of keys is fine; one that quotes a value may quote a secret.
            let told = error.to_string();
            let told = if told.starts_with("unknown field") {
                told
            } else {
                "a value is of the wrong type".to_owned()
            };
            wrong(&format!("`providers.{name}`: {told}"))
        })?;
        configs.insert(name.clone(), config);
    }
    let names: BTreeSet<String> = configs.keys().cloned().collect();
    let table =
        ProviderTable::new(configs, Environment::process()).map_err(|error| wrong(&error.to_string()))?;
    Ok(Some(super::routes::OwnProviders::new(names, table)))
}

/// What is wrong with the row, in one line.
fn wrong(what: &str) -> Off {
    let what: String =
        what.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(400).collect();
    Off { code: "bad-config", message: format!("the plugin's configuration is wrong: {what}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_is_read_whole_or_not_at_all() {
        let raw = json!({ "promptModel": "mock/one", "promptMaxRounds": 3, "binary": 7, "logLevel": "x" });
        assert_eq!(Row::read(&raw).unwrap().config.prompt_max_rounds, 3);
        assert!(Row::read(&Value::Null).unwrap().config.prompt_model.is_none());
        for (raw, part) in [
            (json!({ "promptmodel": "a/b" }), "promptModel"),
            (json!({ "promptModel": "nothing" }), "nothing"),
            (json!({ "promptMaxRounds": -1 }), "promptMaxRounds"),
            (json!({ "promptMaxChars": "many" }), "promptMaxChars"),
            (json!({ "providers": { "mine": 7 } }), "providers"),
            (json!([]), "table"),
            (json!("x"), "table"),
        ] {
            let off = Row::read(&raw).unwrap_err();
            assert_eq!(off.code, "bad-config");
            assert!(off.message.contains(part), "{}", off.message);
        }
    }

    #[cfg(feature = "client")]
    #[test]
    fn providers_of_our_own_are_read_and_no_value_is_quoted() {
        let good = json!({ "providers": { "mine": { "baseUrl": "http://127.0.0.1:9/v1" } } });
        assert!(Row::read(&good).unwrap().own.is_some());
        let told = |entry: Value| Row::read(&json!({ "providers": { "mine": entry } })).unwrap_err().message;
        assert!(told(json!({ "key": "sk-secret" })).contains("unknown field `key`"));
        assert!(!told(json!("sk-secret")).contains("sk-secret"));
    }
}
