//! Every key that has a value of its own, with its environment variable.

use serde_json::{Value, json};

/// What a key holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Number,
    Flag,
}

/// One key of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    /// Its name, with its section.
    pub(crate) name: &'static str,
    kind: Kind,
}

const fn key(name: &'static str, kind: Kind) -> Key {
    Key { name, kind }
}

/// All keys but those of `providers`, which are a table of their own.
pub(crate) const KEYS: &[Key] = &[
    key("promptModel", Kind::Text),
    key("promptContextChars", Kind::Number),
    key("promptMaxChars", Kind::Number),
    key("promptMaxRounds", Kind::Number),
    key("promptDeadlineMs", Kind::Number),
    key("enrichmentMaxTokens", Kind::Number),
    key("maxConcurrentCalls", Kind::Number),
    key("allowTransfer", Kind::Flag),
    key("advisor.provider", Kind::Text),
    key("advisor.model", Kind::Text),
    key("advisor.systemPrompt", Kind::Text),
    key("advisor.immuneTurns", Kind::Number),
    key("advisor.maxDeltaMessages", Kind::Number),
    key("advisor.proseFallback", Kind::Flag),
    key("advisor.reasoningEffort", Kind::Text),
    key("advisor.nextPrompt", Kind::Flag),
    key("advisor.defaultEnabled", Kind::Flag),
    key("cards.enabled", Kind::Flag),
    key("cards.model", Kind::Text),
    key("summary.enabled", Kind::Flag),
    key("summary.model", Kind::Text),
];

impl Key {
    /// Its environment variable: `advisor.immuneTurns` is `SUGGEST_ADVISOR_IMMUNE_TURNS`.
    pub(crate) fn variable(&self) -> String {
        let mut name = "SUGGEST_".to_owned();
        for character in self.name.chars() {
            if character == '.' {
                name.push('_');
            } else {
                if character.is_ascii_uppercase() {
                    name.push('_');
                }
                name.push(character.to_ascii_uppercase());
            }
        }
        name
    }

    /// The value that a text stands for.
    ///
    /// # Errors
    /// What would fit. The text is not repeated: somebody may have put a key into the wrong variable.
    pub(crate) fn read(&self, text: &str) -> Result<Value, &'static str> {
        match self.kind {
            Kind::Text => Ok(json!(text)),
            Kind::Number => {
                text.trim().parse::<u64>().map(|number| json!(number)).map_err(|_| "a whole number")
            }
            Kind::Flag => text.trim().parse::<bool>().map(|flag| json!(flag)).map_err(|_| "true or false"),
        }
    }

    /// A document in which only this key is set.
    pub(crate) fn document(&self, value: Value) -> Value {
        match self.name.split_once('.') {
            Some((section, name)) => json!({ section: { name: value } }),
            None => json!({ self.name: value }),
        }
    }

    /// Its value in a document.
    pub(crate) fn value_in<'v>(&self, document: &'v Value) -> Option<&'v Value> {
        self.name.split('.').try_fold(document, |section, name| section.get(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use suggest_core::Config;

    #[test]
    fn variables_are_the_keys_in_capitals() {
        let of = |name| KEYS.iter().find(|key| key.name == name).unwrap().variable();
        assert_eq!(of("promptModel"), "SUGGEST_PROMPT_MODEL");
        assert_eq!(of("promptDeadlineMs"), "SUGGEST_PROMPT_DEADLINE_MS");
        assert_eq!(of("allowTransfer"), "SUGGEST_ALLOW_TRANSFER");
        assert_eq!(of("advisor.immuneTurns"), "SUGGEST_ADVISOR_IMMUNE_TURNS");
    }

    #[test]
    fn the_list_holds_every_key_of_the_core_but_providers() {
        let document = serde_json::to_value(Config::default()).unwrap();
        let mut known = Vec::new();
        for (name, value) in document.as_object().unwrap() {
            match value.as_object() {
                _ if name == "providers" => {}
                Some(section) => known.extend(section.keys().map(|key| format!("{name}.{key}"))),
                None => known.push(name.clone()),
            }
        }
        let mut listed: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        known.sort();
        listed.sort_unstable();
        assert_eq!(listed, known);
        assert!(KEYS.iter().all(|key| key.value_in(&document).is_some()));
    }
}
