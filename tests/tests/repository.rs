//! What must hold of the repository itself.

#![expect(clippy::expect_used, reason = "a test stops at the first surprise")]

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output =
        Command::new(program).args(arguments).current_dir(root()).output().expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("the output is text")
}

fn cargo(arguments: &[&str]) -> String {
    output(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()), arguments)
}

/// The packages of the workspace, as cargo describes them.
fn packages() -> Vec<Value> {
    let text = cargo(&["metadata", "--no-deps", "--format-version", "1", "--locked", "--offline"]);
    let metadata: Value = serde_json::from_str(&text).expect("cargo's description is JSON");
    metadata.get("packages").and_then(Value::as_array).expect("a list of packages").clone()
}

fn is_published(package: &Value) -> bool {
    package["publish"].is_null()
}

/// Everything that a build of the core needs. A longer list is a decision: the core has no runtime, no clock, no
/// network and no randomness, and its users pay for each entry.
const CORE_NEEDS: &[&str] = &[
    "itoa",
    "memchr",
    "proc-macro2",
    "quote",
    "serde",
    "serde_core",
    "serde_derive",
    "serde_json",
    "strsim",
    "suggest-core",
    "syn",
    "thiserror",
    "thiserror-impl",
    "tinyvec",
    "tinyvec_macros",
    "unicode-ident",
    "unicode-normalization",
    "unicode-segmentation",
    "zmij",
];

#[test]
fn the_core_depends_on_a_closed_list_of_crates() {
    let tree =
        cargo(&["tree", "-p", "suggest-core", "-e", "normal", "--prefix", "none", "--locked", "--offline"]);
    let found: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    let more: Vec<&&str> = found.iter().filter(|name| !CORE_NEEDS.contains(name)).collect();
    assert!(more.is_empty(), "the core's dependency tree has grown by {more:?}");
}

fn is_core_source(file: &str) -> bool {
    file.starts_with("crates/suggest-core/src/") && !file.contains("/tests/") && !file.ends_with("/tests.rs")
}

#[test]
fn the_core_reads_no_clock_no_file_no_environment_and_starts_nothing() {
    let outside = ["std::time", "std::fs", "std::env", "std::net", "std::thread", "std::process", "std::io"];
    for file in tracked().into_iter().filter(|file| is_core_source(file)) {
        let Ok(text) = fs::read_to_string(root().join(&file)) else { continue };
        for (number, line) in (1..).zip(text.lines()) {
            let found = outside.iter().find(|name| line.contains(*name));
            assert_eq!(found, None, "{file}:{number} leaves the core's pure world");
        }
    }
}

#[test]
fn arrows_between_our_crates_point_down_only() {
    let below: &[(&str, &[&str])] =
        &[("suggest-core", &[]), ("suggest-llm", &[]), ("suggest-engine", &["suggest-core", "suggest-llm"])];
    let packages = packages();
    for (name, allowed) in below {
        let package = packages.iter().find(|package| package["name"] == *name).expect("a crate of ours");
        for dependency in package["dependencies"].as_array().expect("a list of dependencies") {
            let needed = dependency["name"].as_str().expect("a name");
            let normal = dependency["kind"].is_null();
            let ours = needed.starts_with("suggest-");
            assert!(!normal || !ours || allowed.contains(&needed), "{name} must not depend on {needed}");
        }
    }
}

#[test]
fn every_published_crate_introduces_itself() {
    let packages = packages();
    assert!(packages.iter().filter(|package| is_published(package)).count() >= 6);
    for package in packages.iter().filter(|package| is_published(package)) {
        let name = package["name"].as_str().expect("a name");
        let description = package["description"].as_str().unwrap_or_default();
        assert!(description.len() >= 20 && !description.ends_with('.'), "{name} has a description");
        let keywords = package["keywords"].as_array().map_or(0, Vec::len);
        assert!((1..=5).contains(&keywords), "{name} has one to five keywords");
        for key in ["license", "repository", "rust_version"] {
            assert!(package[key].is_string(), "{name} says its {key}");
        }
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
        let readme = manifest.with_file_name(package["readme"].as_str().unwrap_or("README.md"));
        let text = fs::read_to_string(&readme).unwrap_or_default();
        assert!(text.starts_with(&format!("# {name}")), "{} introduces the crate", readme.display());
    }
}

#[test]
fn every_crate_is_held_to_the_lints_of_the_workspace() {
    for package in packages() {
        let manifest =
            fs::read_to_string(package["manifest_path"].as_str().expect("a path")).expect("a manifest");
        assert!(manifest.contains("[lints]\nworkspace = true"), "{} inherits the lints", package["name"]);
    }
}

/// The files that git knows, by their path from the root.
fn tracked() -> Vec<String> {
    output("git", &["ls-files", "-z"]).split_terminator('\0').map(str::to_owned).collect()
}

/// Names of places where the project was written; they mean nothing to a reader. In halves, so that this file passes.
const PLACES: &[(&str, &str)] = &[("/wor", "k"), ("../sha", "red"), ("before", "-stop"), ("/tmp", "/h/")];

/// Whether the place is named, not as the beginning of a longer name.
fn names(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let behind = line.get(at + place.len()..).and_then(|text| text.chars().next());
        let longer = |next: Option<char>| next.is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        let inside =
            |last: Option<char>| last.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'));
        let whole_end = !place.ends_with(char::is_alphanumeric) || !longer(behind);
        let whole_start = !place.starts_with('/') || !inside(before);
        whole_end && whole_start
    })
}

#[test]
fn no_file_speaks_of_the_place_where_it_was_written() {
    for file in tracked() {
        let Ok(bytes) = fs::read(root().join(&file)) else { continue };
        for (number, line) in (1..).zip(String::from_utf8_lossy(&bytes).lines()) {
            for (start, end) in PLACES {
                let place = format!("{start}{end}");
                assert!(!names(line, &place), "{file}:{number} speaks of {place}");
            }
        }
    }
}

#[test]
fn a_place_is_found_as_a_whole_name_only() {
    let [place, other, ..] = PLACES else { unreachable!("there are places") };
    let (place, other) = (format!("{}{}", place.0, place.1), format!("{}{}", other.0, other.1));
    assert!(names(&format!("see {place}"), &place) && names(&format!("\"{place}/x\""), &place));
    assert!(!names(&format!("{place}space/a.rs"), &place) && !names(&format!("src{place}/a.rs"), &place));
    assert!(names(&format!("{other}/spec"), &other));
}
