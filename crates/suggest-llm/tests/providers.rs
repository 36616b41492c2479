//! Resolving `provider/model` from configuration, presets and an injected environment.
#![cfg(feature = "client")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may end by a panic")]

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde_json::json;
use suggest_llm::{
    Credentials, Environment, LlmError, LlmErrorKind, ModelId, ProviderConfig, ProviderError, ProviderTable,
    TransferNeed,
};

const KEY: &str = "sk-planted-0123456789";

fn table(
    configs: serde_json::Value,
    variables: &[(&'static str, &'static str)],
) -> Result<ProviderTable, ProviderError> {
    let configs: BTreeMap<String, ProviderConfig> = serde_json::from_value(configs).unwrap();
    ProviderTable::new(configs, Environment::from_variables(variables.iter().copied()))
}

fn id(model: &str) -> ModelId {
    ModelId::parse(model).unwrap()
}

fn error(table: &ProviderTable, model: &str) -> ProviderError {
    match table.resolve(&id(model)) {
        Ok(_) => panic!("{model} resolved"),
        Err(error) => error,
    }
}

#[test]
fn a_preset_needs_nothing_but_its_key_p4() {
    let table = table(json!({}), &[("DEEPSEEK_API_KEY", KEY)]).unwrap();
    let model = table.resolve(&id("deepseek/deepseek-chat")).unwrap();
    assert_eq!(model.needs_transfer_opt_in(), TransferNeed::Network);
    let readiness = table.readiness(&id("deepseek/deepseek-chat")).unwrap();
    assert_eq!(readiness.credentials, Credentials::Present { source: "DEEPSEEK_API_KEY".to_owned() });
}

#[test]
fn a_missing_key_is_named_by_its_variable_p1() {
    let table = table(json!({}), &[("GEMINI_API_KEY", "  ")]).unwrap();
    let missing = error(&table, "gemini/gemini-2.5-flash");
    assert_eq!(missing.to_string(), "no key for provider `gemini`; set GEMINI_API_KEY, GOOGLE_API_KEY");
    assert_eq!(LlmError::from(missing).kind, LlmErrorKind::Credentials);
    assert_eq!(
        table.readiness(&id("gemini/x")).unwrap().credentials,
        Credentials::Missing { looked_in: vec!["GEMINI_API_KEY".to_owned(), "GOOGLE_API_KEY".to_owned()] }
    );
}

#[test]
fn loopback_endpoints_need_neither_key_nor_opt_in_p1() {
    let table = table(json!({"mine": {"baseUrl": "http://127.0.0.1:9", "keyEnv": "MINE"}}), &[]).unwrap();
    for model in ["ollama/qwen3:4b", "vllm/a/b", "mine/x"] {
        let readiness = table.readiness(&id(model)).unwrap();
        assert_eq!(
            (readiness.transfer, readiness.credentials),
            (TransferNeed::Loopback, Credentials::NotNeeded)
        );
        assert_eq!(table.resolve(&id(model)).unwrap().needs_transfer_opt_in(), TransferNeed::Loopback);
    }
}

#[test]
fn local_facts_is_built_in_and_nothing_else_is_local_d1() {
    let table = table(json!({}), &[]).unwrap();
    assert_eq!(table.resolve(&ModelId::local_facts()).unwrap().needs_transfer_opt_in(), TransferNeed::None);
    assert_eq!(
        error(&table, "local/gpt").to_string(),
        "unknown local model `gpt`; the built-in one is `local/facts`"
    );
}

#[test]
fn an_unknown_provider_is_an_error_and_never_another_one() {
    let table = table(json!({}), &[("OPENAI_API_KEY", KEY)]).unwrap();
    let unknown = error(&table, "opnai/gpt");
    assert!(
        matches!(&unknown, ProviderError::UnknownProvider { provider, .. } if provider == "opnai"),
        "{unknown}"
    );
    assert!(unknown.to_string().contains("openai"));
}

#[test]
fn the_key_of_a_preset_never_goes_to_another_host_unasked_p4() {
    let moved = json!({"openai": {"baseUrl": "https://collector.example.com/v1"}});
    let moved = table(moved, &[("OPENAI_API_KEY", KEY)]).unwrap();
    assert!(matches!(error(&moved, "openai/gpt"), ProviderError::MovedPreset { .. }));

    let named = json!({"openai": {"baseUrl": "https://eu.example.com/v1", "keyEnv": "EU_KEY"}});
    let named = table(named, &[("OPENAI_API_KEY", KEY), ("EU_KEY", KEY)]).unwrap();
    assert!(named.resolve(&id("openai/gpt")).is_ok());
}

#[test]
fn a_key_file_comes_first_and_must_hold_a_key_only_p4() {
    let configs: BTreeMap<String, ProviderConfig> = serde_json::from_value(json!({
        "good": {"baseUrl": "https://a.example.com/v1", "keyFile": "/keys/good", "keyEnv": "IGNORED"},
        "bad": {"baseUrl": "https://a.example.com/v1", "key_file": "/keys/bad"},
        "gone": {"baseUrl": "https://a.example.com/v1", "keyFile": "/keys/gone"},
    }))
    .unwrap();
    let environment = Environment::new(|_| None).with_files(|path: &Path| match path.to_str() {
        Some("/keys/good") => Ok(format!("{KEY}\n")),
        Some("/keys/bad") => Ok(format!("KEY={KEY}\nOTHER=1\n")),
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    });
    let table = ProviderTable::new(configs, environment).unwrap();
    assert!(table.resolve(&id("good/m")).is_ok());
    let bad = error(&table, "bad/m");
    assert_eq!(
        bad.to_string(),
        "the key of provider `bad` in /keys/bad cannot be used: it holds white space or characters that no key has"
    );
    assert!(!format!("{bad:?}").contains(KEY));
    assert!(error(&table, "gone/m").to_string().contains("not found"));
}

#[test]
fn entries_that_can_never_work_are_refused_at_once() {
    for (config, word) in [
        (json!({"x": {"preset": "nobody", "baseUrl": "https://h"}}), "preset"),
        (json!({"azure": {}}), "baseUrl"),
        (json!({"x": {}}), "no base URL"),
        (json!({"x": {"baseUrl": "h:1"}}), "base URL"),
        (json!({"local": {"baseUrl": "https://h"}}), "cannot name"),
        (json!({"x": {"baseUrl": "https://h", "extraBody": {"messages": []}}}), "messages"),
        (json!({"x": {"baseUrl": "https://h", "headers": {"a b": "c"}}}), "header"),
        (json!({"x": {"baseUrl": "https://h", "headers": {"a": "c\nd"}}}), "header"),
    ] {
        let error = table(config.clone(), &[]).expect_err(&config.to_string()).to_string();
        assert!(error.contains(word), "{config}: {error}");
    }
    let unknown = serde_json::from_value::<ProviderConfig>(json!({"apiKey": KEY}));
    let message = unknown.unwrap_err().to_string();
    assert!(message.contains("unknown field `apiKey`") && !message.contains(KEY), "{message}");
}

#[test]
fn debug_shows_no_key_header_value_or_query_p4() {
    let config = json!({"x": {
        "baseUrl": "https://h.example.com/v1?key=sk-query-secret", "keyEnv": "X_KEY",
        "headers": {"x-extra": "header-secret"}, "extraBody": {"secret_field": "body-secret"},
    }});
    let table = table(config, &[("X_KEY", KEY)]).unwrap();
    let client = table.client(&id("x/m")).unwrap();
    let shown = format!("{table:?} {client:?} {:?}", table.readiness(&id("x/m")));
    for secret in [KEY, "query-secret", "header-secret", "body-secret"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}
