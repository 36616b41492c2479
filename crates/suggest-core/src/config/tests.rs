//! A document is read whole or not at all, and every error says what is allowed (rules D1, A6, V6).

use super::{AdvisorConfig, CardsConfig, Config, ConfigError};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn check_error(document: Value, expected: &str) {
    let error = Config::from_json(&document).expect_err("the document is wrong");
    assert_eq!(error.to_string(), expected, "of {document}");
}

/// Every number of the configuration with its allowed range, from the table of keys.
const NUMBERS: &[(&str, u32, u32)] = &[
    ("promptContextChars", 500, 200_000),
    ("promptMaxChars", 20, 4_000),
    ("promptMaxRounds", 0, 1_000),
    ("promptDeadlineMs", 1_000, 600_000),
    ("enrichmentMaxTokens", 0, 131_072),
    ("maxConcurrentCalls", 1, 10_000),
    ("advisor.immuneTurns", 0, 1_000_000),
    ("advisor.maxDeltaMessages", 0, 1_000_000),
];

/// A document with one value at a key that may be in a section.
fn document(key: &str, value: Value) -> Value {
    match key.split_once('.') {
        Some((section, name)) => json!({ section: { name: value } }),
        None => json!({ key: value }),
    }
}

#[test]
fn an_empty_document_gives_the_defaults_which_run_nothing() {
    let config = Config::from_json(&json!({})).unwrap();
    assert_eq!(config, Config::default());
    assert_eq!(config.prompt_model, None);
    assert_eq!((config.prompt_context_chars, config.prompt_max_chars), (4_000, 240));
    assert_eq!((config.prompt_max_rounds, config.prompt_deadline_ms), (24, 60_000));
    assert_eq!((config.enrichment_max_tokens, config.max_concurrent_calls), (0, 4));
    assert!(!config.allow_transfer);
    assert_eq!((config.advisor.immune_turns, config.advisor.max_delta_messages), (3, 60));
    assert_eq!(config.cards, CardsConfig { enabled: true, model: None });
}

#[test]
fn every_key_is_read() {
    let config = Config::from_json(&full()).unwrap();
    assert_eq!(
        config,
        Config {
            prompt_model: Some("openrouter/deepseek/deepseek-chat".parse().unwrap()),
            prompt_context_chars: 500,
            prompt_max_chars: 4_000,
            prompt_max_rounds: 0,
            prompt_deadline_ms: 1_000,
            enrichment_max_tokens: 64,
            max_concurrent_calls: 10_000,
            allow_transfer: true,
            advisor: AdvisorConfig {
                provider: "deepseek".to_owned(),
                model: "deepseek-chat".to_owned(),
                system_prompt: "Be brief.".to_owned(),
                immune_turns: 0,
                max_delta_messages: 0,
                prose_fallback: true,
                reasoning_effort: "low".to_owned(),
                next_prompt: false,
                default_enabled: false,
            },
            cards: CardsConfig { enabled: false, model: Some("a/b".parse().unwrap()) },
            summary: CardsConfig { enabled: true, model: Some("c/d".parse().unwrap()) },
            providers: json!({ "own": { "baseUrl": "http://localhost:1", "any": [1, null] } })
                .as_object()
                .unwrap()
                .clone(),
        }
    );
}

fn full() -> Value {
    json!({
        "promptModel": "openrouter/deepseek/deepseek-chat",
        "promptContextChars": 500,
        "promptMaxChars": 4_000,
        "promptMaxRounds": 0,
        "promptDeadlineMs": 1_000,
        "enrichmentMaxTokens": 64,
        "maxConcurrentCalls": 10_000,
        "allowTransfer": true,
        "advisor": {
            "provider": "deepseek",
            "model": "deepseek-chat",
            "systemPrompt": "Be brief.",
            "immuneTurns": 0,
            "maxDeltaMessages": 0,
            "proseFallback": true,
            "reasoningEffort": "low",
            "nextPrompt": false,
            "defaultEnabled": false,
        },
        "cards": { "enabled": false, "model": "a/b" },
        "summary": { "model": "c/d" },
        "providers": { "own": { "baseUrl": "http://localhost:1", "any": [1, null] } },
    })
}

#[test]
fn numbers_outside_their_range_are_refused_with_the_range() {
    for (found, shown) in [
        (json!(0), "0"),
        (json!(19), "19"),
        (json!(4_001), "4001"),
        (json!(-1), "-1"),
        (json!(1e9), "1000000000.0"),
        (json!(240.5), "240.5"),
        (json!(-0.0), "-0.0"),
        // As 32 bits this would wrap around to 240.
        (json!(4_294_967_536_u64), "4294967536"),
        (json!(u64::MAX), "18446744073709551615"),
        (json!(i64::MIN), "-9223372036854775808"),
        (json!(1e300), "1e+300"),
    ] {
        check_error(
            json!({ "promptMaxChars": found }),
            &format!("`promptMaxChars` must be a whole number from 20 to 4000, not {shown}"),
        );
    }
}

#[test]
fn the_ends_of_every_range_are_allowed_and_the_next_numbers_are_not() {
    for (key, min, max) in NUMBERS.iter().copied() {
        for inside in [min, max] {
            Config::from_json(&document(key, json!(inside))).unwrap();
        }
        for outside in [json!(i64::from(min) - 1), json!(u64::from(max) + 1), json!(1e9), json!(u64::MAX)] {
            let error = Config::from_json(&document(key, outside)).unwrap_err();
            assert!(matches!(error, ConfigError::OutOfRange { .. }), "{error}");
            assert_eq!(error.key(), key);
        }
    }
}

#[test]
fn a_token_budget_is_none_or_large_enough_to_be_of_use() {
    for few in [1, 63] {
        check_error(
            json!({ "enrichmentMaxTokens": few }),
            &format!(
                "`enrichmentMaxTokens` must be 0 (no cap) or a whole number from 64 to 131072, not {few}"
            ),
        );
    }
}

#[test]
fn a_value_of_another_type_is_refused_with_what_fits() {
    check_error(json!({ "promptMaxChars": "240" }), "`promptMaxChars` must be a whole number, not a text");
    check_error(json!({ "promptMaxChars": null }), "`promptMaxChars` must be a whole number, not null");
    check_error(json!({ "promptMaxChars": [240] }), "`promptMaxChars` must be a whole number, not a list");
    check_error(json!({ "allowTransfer": "true" }), "`allowTransfer` must be true or false, not a text");
    check_error(json!({ "allowTransfer": 1 }), "`allowTransfer` must be true or false, not a number");
    check_error(
        json!({ "promptModel": false }),
        "`promptModel` must be a text, provider/model or empty, not true or false",
    );
    check_error(json!({ "advisor": true }), "`advisor` must be a section of keys, not true or false");
    check_error(json!({ "advisor": { "model": {} } }), "`advisor.model` must be a text, not a section");
    check_error(json!({ "cards": { "enabled": 0 } }), "`cards.enabled` must be true or false, not a number");
    check_error(json!({ "providers": [] }), "`providers` must be a section of keys, not a list");
    check_error(json!([]), "`the configuration` must be a section of keys, not a list");
}

#[test]
fn a_model_is_a_route_or_empty() {
    for none in ["", " ", "\t\n"] {
        assert_eq!(Config::from_json(&json!({ "promptModel": none })).unwrap().prompt_model, None);
    }
    for wrong in ["deepseek-chat", "/deepseek-chat", "deepseek/", "/", "deep seek/chat", "deepseek/ chat"] {
        check_error(
            json!({ "promptModel": wrong }),
            &format!(
                "`promptModel`: `{wrong}` is no model: write provider/model, for example deepseek/deepseek-chat"
            ),
        );
    }
    let error = Config::from_json(&json!({ "summary": { "model": "x" } })).unwrap_err();
    assert_eq!(error.key(), "summary.model");
}

#[test]
fn an_unknown_key_is_named_with_the_nearest_valid_one() {
    check_error(json!({ "promptMdoel": "a/b" }), "unknown key `promptMdoel`; did you mean `promptModel`?");
    check_error(
        json!({ "prompt_max_chars": 240 }),
        "unknown key `prompt_max_chars`; did you mean `promptMaxChars`?",
    );
    check_error(json!({ "PROMPTMODEL": "a/b" }), "unknown key `PROMPTMODEL`; did you mean `promptModel`?");
    check_error(
        json!({ "advisor": { "immuneTurn": 3 } }),
        "unknown key `advisor.immuneTurn`; did you mean `advisor.immuneTurns`?",
    );
    check_error(
        json!({ "summary": { "modle": "" } }),
        "unknown key `summary.modle`; did you mean `summary.model`?",
    );
    check_error(json!({ "theme": "dark" }), "unknown key `theme`");
    check_error(json!({ "": 1 }), "unknown key ``");
}

#[test]
fn there_is_no_switch_beside_the_model() {
    // The one knob is `promptModel` (rule D1).
    check_error(json!({ "enabled": true }), "unknown key `enabled`");
}

#[test]
fn an_enormous_unknown_key_is_shown_short() {
    let error = Config::from_json(&json!({ "x\n".repeat(1_000_000): 1 })).unwrap_err();
    assert_eq!(error, ConfigError::UnknownKey { key: "x".repeat(60), nearest: None });
}

#[test]
fn the_advisors_keys_of_the_past_are_accepted_and_never_written_back() {
    for value in [json!(true), json!(-1), json!("x"), json!(null), json!({})] {
        let config =
            Config::from_json(&json!({ "advisor": { "enabled": value, "maxTokens": value } })).unwrap();
        assert_eq!(config, Config::default());
        let written = serde_json::to_value(&config).unwrap();
        assert_eq!(written["advisor"].get("enabled"), None);
        assert_eq!(written["advisor"].get("maxTokens"), None);
    }
}

#[test]
fn nothing_of_a_wrong_document_is_applied() {
    let before = Config::from_json(&full()).unwrap();
    for (wrong_key, wrong_value) in [
        ("promptMaxRounds", json!(-1)),
        ("zzz", json!(1)),
        ("summary", json!({ "enabled": false, "model": "no route" })),
        ("advisor", json!({ "immuneTurns": 9, "unknown": 1 })),
    ] {
        let mut changes = Map::new();
        changes.insert("allowTransfer".to_owned(), json!(false));
        changes.insert("promptModel".to_owned(), json!(""));
        changes.insert(wrong_key.to_owned(), wrong_value);
        before.with_changes(&Value::Object(changes)).unwrap_err();
        assert_eq!(before, Config::from_json(&full()).unwrap());
    }
}

#[test]
fn a_change_leaves_every_other_key_as_it_is() {
    let before = Config::from_json(&full()).unwrap();
    let after = before.with_changes(&json!({ "advisor": { "immuneTurns": 5 }, "cards": {} })).unwrap();
    let mut expected = before.clone();
    expected.advisor.immune_turns = 5;
    assert_eq!(after, expected);
    assert_eq!(before.with_changes(&json!({ "promptModel": "" })).unwrap().prompt_model, None);
}

#[test]
fn a_configuration_reads_back_from_its_own_json() {
    for config in [Config::default(), Config::from_json(&full()).unwrap()] {
        let written = serde_json::to_value(&config).unwrap();
        assert_eq!(Config::from_json(&written), Ok(config));
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0_u32..5_000).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(Value::from("a/b")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((any_key(), inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn any_key() -> impl Strategy<Value = String> {
    let known: Vec<String> = full()
        .as_object()
        .into_iter()
        .chain(full()["advisor"].as_object())
        .flat_map(|section| section.keys().cloned().collect::<Vec<_>>())
        .chain(["enabled".to_owned(), "maxTokens".to_owned()])
        .collect();
    prop_oneof![4 => proptest::sample::select(known), 1 => any::<String>()]
}

proptest! {
    #[test]
    fn no_document_panics_and_what_is_read_reads_back(
        entries in proptest::collection::vec((any_key(), any_value()), 0..4),
    ) {
        let document = Value::Object(entries.into_iter().collect());
        match Config::from_json(&document) {
            Ok(config) => {
                let written = serde_json::to_value(&config).unwrap();
                prop_assert_eq!(Config::from_json(&written), Ok(config));
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn a_number_is_read_exactly_when_it_is_in_its_range(
        (key, min, max) in proptest::sample::select(NUMBERS),
        number in prop_oneof![-10_i64..1_100_000, any::<i64>()],
    ) {
        let inside = (i64::from(min)..=i64::from(max)).contains(&number);
        let allowed = inside && (key != "enrichmentMaxTokens" || number == 0 || number >= 64);
        prop_assert_eq!(Config::from_json(&document(key, json!(number))).is_ok(), allowed);
    }
}
