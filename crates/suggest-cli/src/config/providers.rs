//! The section `providers`: checked by hand, because an error must name what would fit and never repeat a value.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use suggest_llm::ProviderConfig;

/// What a key of a provider holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Texts,
    CapField,
    Table,
}

const KEYS: &[(&str, Kind)] = &[
    ("preset", Kind::Text),
    ("baseUrl", Kind::Text),
    ("keyEnv", Kind::Text),
    ("keyFile", Kind::Text),
    ("headers", Kind::Texts),
    ("capField", Kind::CapField),
    ("extraBody", Kind::Table),
];

const CAP_FIELDS: [&str; 2] = ["max_tokens", "max_completion_tokens"];

/// What is wrong, at which place in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProviderProblem {
    pub(super) path: Vec<String>,
    pub(super) message: String,
}

/// Reads the section. Files of keys are found from the folder of the configuration file.
pub(super) fn read(
    section: Option<&Value>,
    folder: Option<&Path>,
) -> Result<BTreeMap<String, ProviderConfig>, ProviderProblem> {
    let Some(section) = section.and_then(Value::as_object) else { return Ok(BTreeMap::new()) };
    section.iter().map(|(name, entry)| Ok((name.clone(), provider(name, entry, folder)?))).collect()
}

fn provider(name: &str, entry: &Value, folder: Option<&Path>) -> Result<ProviderConfig, ProviderProblem> {
    let place = |key: Option<&str>| {
        ["providers", name].into_iter().chain(key).map(str::to_owned).collect::<Vec<String>>()
    };
    let problem = |key: Option<&str>, message: String| ProviderProblem { path: place(key), message };
    let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
    let Some(entry) = entry.as_object() else {
        return Err(problem(None, format!("`providers.{shown}` must be a section of keys")));
    };
    for (key, value) in entry {
        let full = format!(
            "providers.{shown}.{}",
            key.chars().filter(|c| !c.is_control()).take(60).collect::<String>()
        );
        let Some((_, kind)) = KEYS.iter().find(|(known, _)| known == key || *known == camel(key)) else {
            return Err(problem(Some(key), unknown(&shown, key, &full)));
        };
        if let Some(wanted) = misfit(*kind, value) {
            return Err(problem(Some(key), format!("`{full}` must be {wanted}")));
        }
    }
    let mut config: ProviderConfig = serde_json::from_value(Value::Object(entry.clone()))
        .map_err(|_| problem(None, format!("`providers.{shown}` sets a key twice")))?;
    config.key_file = config.key_file.map(|path| from_folder(&path, folder));
    Ok(config)
}

/// What would fit, where the value does not.
fn misfit(kind: Kind, value: &Value) -> Option<&'static str> {
    let (fits, wanted) = match kind {
        Kind::Text => (value.is_string(), "a text"),
        Kind::Texts => (
            value.as_object().is_some_and(|table| table.values().all(Value::is_string)),
            "a section of texts",
        ),
        Kind::CapField => (
            value.as_str().is_some_and(|text| CAP_FIELDS.contains(&text)),
            "`max_tokens` or `max_completion_tokens`",
        ),
        Kind::Table => (value.is_object(), "a section"),
    };
    (!fits).then_some(wanted)
}

fn unknown(provider: &str, key: &str, full: &str) -> String {
    let folded: String =
        key.chars().filter(|c| !matches!(c, '_' | '-')).take(40).flat_map(char::to_lowercase).collect();
    if matches!(folded.as_str(), "key" | "apikey" | "token" | "secret") {
        return format!(
            "`{full}`: a key is never written here; name its environment variable with `providers.{provider}.keyEnv`, or its file with `keyFile`"
        );
    }
    let nearest = KEYS
        .iter()
        .map(|(known, _)| (strsim::damerau_levenshtein(&folded, &known.to_lowercase()), known))
        .min()
        .filter(|(distance, known)| *distance <= (known.len() / 3).max(2));
    match nearest {
        Some((_, nearest)) => {
            format!("unknown key `{full}`; did you mean `providers.{provider}.{nearest}`?")
        }
        None => format!("unknown key `{full}`"),
    }
}

/// `base_url` as `baseUrl`, which is read too.
fn camel(key: &str) -> String {
    let mut upper = false;
    let mut name = String::new();
    for character in key.chars() {
        if character == '_' {
            upper = true;
        } else {
            name.push(if upper { character.to_ascii_uppercase() } else { character });
            upper = false;
        }
    }
    name
}

fn from_folder(path: &Path, folder: Option<&Path>) -> PathBuf {
    if let Ok(rest) = path.strip_prefix("~")
        && let Some(dirs) = directories::BaseDirs::new()
    {
        return dirs.home_dir().join(rest);
    }
    folder.map_or_else(|| path.to_owned(), |folder| folder.join(path))
}

/// What may be shown of a provider: no value of a header, of an extra parameter or of a query (rule P4).
pub(crate) fn shown(config: &ProviderConfig) -> Value {
    let mut shown = Map::new();
    let mut add = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            shown.insert(key.to_owned(), value);
        }
    };
    add("preset", config.preset.as_ref().map(|preset| json!(preset)));
    add("baseUrl", config.base_url.as_deref().map(|url| json!(without_secrets(url))));
    add("keyEnv", config.key_env.as_ref().map(|name| json!(name)));
    add("keyFile", config.key_file.as_ref().map(|path| json!(path.display().to_string())));
    let headers: Vec<&String> = config.headers.keys().collect();
    add("headers", (!headers.is_empty()).then(|| json!(headers)));
    add("capField", config.cap_field.and_then(|field| serde_json::to_value(field).ok()));
    let extra: Vec<&String> = config.extra_body.keys().collect();
    add("extraBody", (!extra.is_empty()).then(|| json!(extra)));
    // The same order whatever a dependency makes of the order of keys.
    shown.sort_keys();
    Value::Object(shown)
}

/// An address without its query, fragment, user and password.
fn without_secrets(url: &str) -> String {
    let address = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (authority, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
    let host = authority.rsplit('@').next().unwrap_or_default();
    match path {
        Some(path) => format!("{scheme}://{host}/{path}"),
        None => format!("{scheme}://{host}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_holds_no_secrets_p4() {
        let entry = json!({
            "base_url": "https://user:sk-canary@host.example/v1?key=sk-canary",
            "headers": { "x-team": "sk-canary" },
            "extraBody": { "token": "sk-canary" },
            "keyEnv": "ACME_KEY",
        });
        let config = provider("acme", &entry, None).unwrap();
        assert_eq!(
            shown(&config),
            json!({
                "baseUrl": "https://host.example/v1",
                "headers": ["x-team"],
                "extraBody": ["token"],
                "keyEnv": "ACME_KEY",
            })
        );
    }

    #[test]
    fn files_of_keys_are_found_from_the_configuration() {
        let folder = Some(Path::new("/etc/suggest"));
        assert_eq!(from_folder(Path::new("key"), folder), Path::new("/etc/suggest/key"));
        assert_eq!(from_folder(Path::new("/run/key"), folder), Path::new("/run/key"));
    }
}
