//! The JSON Schemas in `schemas/` say what the types say. Adapters in other languages are checked against them.

#![expect(clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

mod agreement;
mod fits;

use pretty_assertions::assert_eq;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

const HINT: &str = "refresh with `UPDATE_SCHEMAS=1 cargo nextest run -p suggest-tests --test schemas` and read the difference";

/// What hosts and people give us: keys that may be left out are not required.
fn read<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>()
}

/// What we give: keys that are always there are required.
fn written<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("call-error", read::<suggest_core::CallError>()),
        ("command", read::<suggest_core::Command>()),
        ("command-output", written::<suggest_core::CommandOutput>()),
        ("config", read::<suggest_core::Config>()),
        ("dsh-protocol", Schema::try_from(suggest_host_dsh::protocol_schema()).expect("a document")),
        ("effect", written::<suggest_core::Effect>()),
        ("event", read::<suggest_core::Event>()),
        ("model-reply", read::<suggest_core::ModelReply>()),
        ("state", written::<suggest_core::State>()),
    ]
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../schemas")
}

#[test]
fn the_schemas_in_the_repository_say_what_the_types_say() {
    let update = std::env::var_os("UPDATE_SCHEMAS").is_some();
    let mut files = BTreeSet::new();
    for (name, schema) in schemas() {
        let file = folder().join(format!("{name}.json"));
        if update {
            let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
            fs::create_dir_all(folder()).expect("the folder of the schemas");
            fs::write(&file, text + "\n").expect("the schema's file is written");
        }
        let text =
            fs::read_to_string(&file).unwrap_or_else(|_| panic!("schemas/{name}.json is missing; {HINT}"));
        let pinned: Value = serde_json::from_str(&text).expect("a schema's file is JSON");
        // Compared as values: the order of keys depends on what else is built.
        assert_eq!(pinned, schema.to_value(), "schemas/{name}.json is out of date; {HINT}");
        files.insert(format!("{name}.json"));
    }
    let found: BTreeSet<String> = fs::read_dir(folder())
        .expect("the folder of the schemas")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".json"))
        .collect();
    assert_eq!(found, files, "a schema of a type that is gone");
}
