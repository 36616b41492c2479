//! The layers of the configuration, their origins and their errors.

use crate::support::{World, events};
use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::{Value, json};

#[test]
fn the_defaults_hold_where_nothing_is_configured() {
    assert_snapshot!("config-defaults", World::new().run(&["config", "show"]).ends_with(0));
    let path = World::new().run(&["config", "path"]).ends_with(0);
    if cfg!(target_os = "linux") {
        assert_eq!(path.stdout, "~/config/suggest/config.toml\n");
    }
}

const FILE: &str = "\
promptModel = \"deepseek/deepseek-chat\"
promptMaxChars = 200
promptContextChars = 8000

[advisor]
immuneTurns = 5

[providers.acme]
baseUrl = \"https://user-facing.example/v1?key=hidden\"
keyEnv = \"ACME_KEY\"
headers = { x-team = \"hidden\" }
";

#[test]
fn each_layer_wins_over_the_one_before_and_is_named() {
    let world = World::new()
        .configured(FILE)
        .with("SUGGEST_PROMPT_MAX_CHARS", "300")
        .with("SUGGEST_ADVISOR_NEXT_PROMPT", "false")
        .with("SUGGEST_ALLOW_TRANSFER", "true")
        .with("SUGGEST_CARDS_MODEL", "");
    let run = world.run(&["config", "show"]).ends_with(0);
    assert!(!run.to_string().contains("hidden"), "{run}");
    assert_snapshot!("config-layers", run);
    let shown = world.run(&["config", "show", "--json"]).ends_with(0).json();
    let layer = |key: &str| (shown["keys"][key]["value"].clone(), shown["keys"][key]["origin"].clone());
    assert_eq!(layer("promptContextChars"), (json!(8000), json!("file")));
    assert_eq!(layer("promptMaxChars"), (json!(300), json!("environment")));
    assert_eq!(layer("advisor.immuneTurns"), (json!(5), json!("file")));
    assert_eq!(layer("advisor.nextPrompt"), (json!(false), json!("environment")));
    assert_eq!(layer("allowTransfer"), (json!(true), json!("environment")));
    assert_eq!(layer("cards.model"), (json!(""), json!("default")));
    assert_eq!(shown["providers"]["acme"]["headers"], json!(["x-team"]));
    assert_eq!(shown["file_exists"], json!(true));
}

#[test]
fn where_the_model_came_from_is_told() {
    let session = events("Done.");
    let source = |world: World, more: &[&str]| -> Value {
        let arguments: Vec<&str> = ["next", "-", "--json"].iter().chain(more).copied().collect();
        world.run_with_input(&arguments, session.as_bytes()).json()["model"]["source"].clone()
    };
    let file = "promptModel = \"local/facts\"";
    assert_eq!(source(World::new(), &[]), "default");
    assert_eq!(source(World::new().configured(file), &[]), "file");
    assert_eq!(source(World::new().with("SUGGEST_PROMPT_MODEL", "local/facts"), &[]), "environment");
    assert_eq!(source(World::new().configured(file), &["--model", "local/facts"]), "flag");
    // Only the lowest layer is worth a note.
    let run = World::new().configured(file).run_with_input(&["next", "-"], session.as_bytes());
    assert!(!run.stderr.contains("no model is configured"), "{run}");
}

#[test]
fn an_empty_model_in_the_file_switches_suggestions_off_d1() {
    let world = World::new().configured("promptModel = \"\"");
    let session = world.write("s.jsonl", events("Done."));
    assert_snapshot!("model-off", world.run(&["next", &session]).ends_with(2));
    let report = world.run(&["next", &session, "--json"]).ends_with(2).json();
    assert_eq!((&report["status"], &report["reason"]["code"]), (&json!("off"), &json!("no-model")));
}

#[test]
fn only_exactly_true_allows_transfers_p1() {
    for value in ["1", "TRUE", "yes", " true"] {
        let run = World::new()
            .with("SUGGEST_ALLOW_TRANSFER", value)
            .run(&["config", "show", "--json"])
            .ends_with(0);
        assert_eq!(run.json()["keys"]["allowTransfer"]["value"], json!(false), "{value}");
        assert!(run.stderr.contains("SUGGEST_ALLOW_TRANSFER allows nothing"), "{run}");
    }
    let stricter = World::new().configured("allowTransfer = true").with("SUGGEST_ALLOW_TRANSFER", "false");
    let shown = stricter.run(&["config", "show", "--json"]).ends_with(0).json();
    assert_eq!(shown["keys"]["allowTransfer"]["value"], json!(false));
}

#[test]
fn wrong_files_are_refused_with_line_key_and_remedy() {
    for (name, text) in [
        ("broken-toml", "promptModel = \"a/b\"\n[advisor\n"),
        ("unknown-key", "\n\npromptMaxChar = 200\n"),
        ("unknown-key-in-section", "[advisor]\nimmuneTurn = 1\n"),
        ("wrong-type", "promptMaxRounds = \"many\"\n"),
        ("out-of-range", "# budget\npromptMaxRounds = 100000\n"),
        ("bad-model", "promptModel = \"gpt\"\n"),
        ("key-in-file", "[providers.acme]\napiKey = \"sk-canary\"\n"),
        ("unknown-provider-key", "[providers.acme]\nbaseURL = \"https://a.example\"\n"),
        ("bad-base-url", "[providers.acme]\nbaseUrl = \"ftp://a.example\"\n"),
    ] {
        let world = World::new();
        let file = world.write("c.toml", text);
        let check = world.run(&["config", "check", &file]).ends_with(2);
        assert_eq!(check.stdout, "", "{check}");
        assert_snapshot!(format!("config-{name}"), check);
        // Every command refuses it alike.
        let session = world.write("s.jsonl", events("Done."));
        let next = world.run(&["--config", &file, "next", &session]).ends_with(2);
        assert_eq!((next.stdout, next.stderr), (check.stdout, check.stderr));
    }
}

#[test]
fn a_named_file_must_exist_and_the_usual_one_need_not() {
    let world = World::new().with("SUGGEST_CONFIG", "/nowhere/c.toml");
    assert_snapshot!("config-missing", world.run(&["config", "check"]).ends_with(2));
    assert_snapshot!("config-none", World::new().run(&["config", "check"]).ends_with(0));
    let world = World::new();
    let file = world.write("right.toml", "promptMaxChars = 100\n");
    assert_snapshot!("config-valid", world.run(&["config", "check", &file]).ends_with(0));
    // The flag wins over the variable.
    let world = World::new().with("SUGGEST_CONFIG", "/nowhere/c.toml");
    let file = world.write("right.toml", "promptMaxChars = 100\n");
    world.run(&["config", "show", "--config", &file]).ends_with(0);
}

#[test]
fn wrong_variables_are_refused_by_name_and_without_their_value() {
    for (variable, value) in [
        ("SUGGEST_PROMPT_MAX_CHARS", "sk-canary"),
        ("SUGGEST_PROMPT_MAX_CHARS", "5"),
        ("SUGGEST_CARDS_ENABLED", "sk-canary"),
    ] {
        let run = World::new().with(variable, value).run(&["config", "show"]).ends_with(2);
        assert!(run.stderr.contains(variable) && !run.to_string().contains("sk-canary"), "{run}");
    }
    let run = World::new().with("SUGGEST_PROMT_MODEL", "sk-canary").run(&["config", "show"]).ends_with(0);
    assert!(run.stderr.contains("did you mean SUGGEST_PROMPT_MODEL?"), "{run}");
    assert!(!run.to_string().contains("sk-canary"), "{run}");
}

#[test]
fn the_schema_describes_every_key() {
    let schema = World::new().run(&["config", "schema"]).ends_with(0).json();
    assert_eq!(schema["properties"]["promptMaxChars"]["maximum"], json!(4000));
    let providers = &schema["properties"]["providers"]["additionalProperties"]["properties"];
    assert_json_snapshot!("config-schema-providers", providers);
}

#[test]
fn check_looks_at_the_providers_of_the_models_that_are_named() {
    let check = |text: &str| {
        let world = World::new();
        let file = world.write("c.toml", text);
        world.run(&["config", "check", &file])
    };
    for (key, text) in [
        ("promptModel", "promptModel = \"nowhere/m\"\n"),
        ("cards.model", "[cards]\nmodel = \"nowhere/m\"\n"),
        ("advisor.provider", "[advisor]\nprovider = \"nowhere\"\nmodel = \"m\"\n"),
    ] {
        let run = check(text).ends_with(2);
        assert!(run.stderr.contains(key) && run.stderr.contains("nowhere"), "{run}");
    }
    let keyless = check("promptModel = \"deepseek/deepseek-chat\"\n").ends_with(0);
    assert!(keyless.stderr.contains("no key for it here: set DEEPSEEK_API_KEY"), "{keyless}");
    for (half, text) in [
        ("`advisor.model` is not set", "[advisor]\nprovider = \"deepseek\"\n"),
        ("`advisor.provider` is not set", "[advisor]\nmodel = \"deepseek-chat\"\n"),
    ] {
        let run = check(text).ends_with(0);
        assert!(run.stderr.contains(half), "{run}");
    }
    assert_eq!(check("promptModel = \"local/facts\"\n").ends_with(0).stderr, "");
}
