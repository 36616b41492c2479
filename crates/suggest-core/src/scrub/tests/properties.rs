//! What holds for every text (rule P2).

use proptest::prelude::*;

use super::{families, scrub, scrubber};

/// A text of fragments that are near to what the rules look for.
fn near_text() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        Just("sk-".to_owned()),
        Just("sk-ant-".to_owned()),
        Just("ghp_".to_owned()),
        Just("password".to_owned()),
        Just("=".to_owned()),
        Just(": ".to_owned()),
        Just("\"".to_owned()),
        Just("'".to_owned()),
        Just("\n".to_owned()),
        Just("\\n".to_owned()),
        Just(" ".to_owned()),
        Just("/home/".to_owned()),
        Just("/workspace".to_owned()),
        Just("/".to_owned()),
        Just("..".to_owned()),
        Just("://".to_owned()),
        Just("https".to_owned()),
        Just("@".to_owned()),
        Just("C:\\".to_owned()),
        Just("\\".to_owned()),
        Just("[secret:".to_owned()),
        Just("[path#1]".to_owned()),
        Just("]".to_owned()),
        Just("eyJ".to_owned()),
        Just(".".to_owned()),
        Just("Bearer ".to_owned()),
        Just("Authorization: ".to_owned()),
        Just("Cookie: ".to_owned()),
        Just("--token ".to_owned()),
        Just("API_KEY".to_owned()),
        Just("-----BEGIN PRIVATE KEY-----".to_owned()),
        Just("-----END PRIVATE KEY-----".to_owned()),
        Just("é".to_owned()),
        Just("。".to_owned()),
        Just("👩‍👩‍👧".to_owned()),
        Just("AKIA".to_owned()),
        Just("(".to_owned()),
        Just(")".to_owned()),
        Just("file://".to_owned()),
        Just("is ".to_owned()),
        "[a-zA-Z0-9]{1,40}",
        "[a-f0-9]{32}",
        "[ -~]{1,12}",
    ];
    prop::collection::vec(fragment, 0..24).prop_map(|parts| parts.concat())
}

/// A planted secret of a family: the whole, and the part that must not survive.
fn planted() -> impl Strategy<Value = (String, String)> {
    let prefixed = |prefix: &'static str, body: &'static str| {
        prop::string::string_regex(body).unwrap().prop_map(move |body| (format!("{prefix}{body}"), body))
    };
    prop_oneof![
        prefixed("sk-ant-api03-", "[A-Za-z0-9]{40,60}[0-9]"),
        prefixed("sk-proj-", "[A-Za-z0-9]{40,60}[0-9]"),
        prefixed("sk-", "[A-Za-z0-9]{47}[0-9]"),
        prefixed("sk-", "[a-f]{1}[0-9a-f]{30}[0-9]"),
        prefixed("sk-or-v1-", "[0-9a-f]{63}[0-9]"),
        prefixed("gsk_", "[A-Za-z0-9]{51}[0-9]"),
        prefixed("AIza", "[A-Za-z0-9_-]{33}[0-9][A-Z]"),
        prefixed("hf_", "[A-Za-z]{34}"),
        prefixed("xai-", "[A-Za-z0-9]{80}"),
        prefixed("ghp_", "[A-Za-z0-9]{36}"),
        prefixed("github_pat_", "[A-Za-z0-9]{21}[0-9]_[A-Za-z0-9]{59}"),
        prefixed("glpat-", "[A-Za-z0-9]{19}[0-9]"),
        prefixed("xoxb-", "[0-9]{12}-[0-9]{12}-[A-Za-z0-9]{24}"),
        prefixed("AKIA", "[A-Z0-9]{16}"),
        prefixed("sk_live_", "[A-Za-z0-9]{24}"),
        prefixed("npm_", "[A-Za-z0-9]{36}"),
        prefixed("pypi-", "AgEIcHlwaS5vcmc[A-Za-z0-9_-]{70}A"),
        prefixed("SG.", "[A-Za-z0-9]{22}\\.[A-Za-z0-9]{43}"),
        prefixed("eyJ", "[A-Za-z0-9]{20}\\.eyJ[A-Za-z0-9]{20}\\.[A-Za-z0-9_]{40}"),
        prefixed("PASSWORD=", "[a-z]{4}[A-Z]{4}[0-9!?]{4}"),
        prefixed("API_TOKEN=", "[a-z0-9]{3}[A-Z]{3}[0-9]{3}[a-z][0-9][a-z][0-9]{3}[a-z][0-9][a-f]{2}"),
        prefixed("postgres://app:", "[a-zA-Z0-9]{8,20}")
            .prop_map(|(text, body)| (format!("{text}@db/x"), body)),
        prefixed("/home/alice/", "[a-z]{12,20}/[a-z]{4}\\.rs"),
    ]
}

/// Surroundings that do not glue letters to the secret.
fn surroundings() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just(" ".to_owned()),
        Just("\n".to_owned()),
        Just("see ".to_owned()),
        Just("(".to_owned()),
        Just("在".to_owned()),
        Just("`".to_owned()),
        Just("a b c, ".to_owned()),
        Just("fn main() { ".to_owned()),
        "[a-z ]{0,40} ",
        "[ -~]{0,40}[ \n(]",
    ]
}

proptest! {
    #[test]
    fn scrubbing_twice_changes_nothing(text in near_text()) {
        let mut scrubber = scrubber();
        let once = scrubber.scrub(&text);
        prop_assert_eq!(scrubber.scrub(&once), once);
    }

    #[test]
    fn any_text_is_scrubbed_without_a_panic_and_grows_within_bounds(text in any::<String>()) {
        let scrubbed = scrub(&text);
        prop_assert!(scrubbed.len() <= text.len() * 12 + 64);
        scrubber().scrub_path(&text);
    }

    #[test]
    fn near_text_grows_within_bounds(text in near_text()) {
        prop_assert!(scrub(&text).len() <= text.len() * 12 + 64);
        scrubber().scrub_path(&text);
    }

    #[test]
    fn a_planted_secret_never_survives(before in surroundings(), (secret, telling) in planted(), after in "( [ -~]{0,30})?|\n[a-z ]{0,20}|[)。]") {
        let text = format!("{before}{secret}{after}");
        let scrubbed = scrub(&text);
        prop_assert!(!scrubbed.contains(&telling), "{} became {}", text, scrubbed);
    }

    #[test]
    fn ordinary_words_stay(text in "([a-z]{1,9}[ ,.\n]){0,30}") {
        prop_assert_eq!(scrub(&text), text);
    }
}

#[test]
fn marks_name_known_families() {
    let scrubbed = scrub("AKIAIOSFODNN7EXAMPLE");
    assert!(families().iter().any(|family| scrubbed == format!("[secret:{}#1]", family.name)));
}
