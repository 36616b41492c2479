//! `cards` and `summary` on sessions, and the quality of what is made without a model.

use crate::support::{FAILING, World, events, root, sample};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[test]
fn cards_are_printed_offline_from_the_facts_of_the_session_c5() {
    let world = World::new();
    let session = world.write("s.jsonl", events(FAILING));
    let run = world.run(&["cards", &session]).ends_with(0);
    assert!(run.stdout.contains("> Find out why the test `report::empty_ledger` fails"), "{run}");
    let report = world.run(&["cards", &session, "--json"]).ends_with(0).json();
    assert_eq!(report["cards"][0]["origin"], json!("local"));
    assert_eq!(report["usage"]["calls"], json!(0));
    let piped =
        world.run_with_input(&["cards", "-", "--json"], events(FAILING).as_bytes()).ends_with(0).json();
    assert_eq!(piped["cards"][0]["prompt"], report["cards"][0]["prompt"]);
}

#[test]
fn a_session_with_nothing_specific_gets_no_card_and_says_so_c5() {
    let world = World::new();
    let session = world.write("s.jsonl", events("Done."));
    let run = world.run(&["cards", &session]).ends_with(0);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("nothing specific"), "{run}");
    assert_eq!(world.run(&["cards", &session, "--json"]).ends_with(0).json()["cards"], json!([]));
    let empty = world.write("e.jsonl", "{\"type\":\"turn_started\",\"turn\":1}\n");
    assert_eq!(world.run(&["cards", &empty]).ends_with(0).stdout, "");
    assert_eq!(world.run(&["summary", &empty]).ends_with(0).stdout, "");
}

#[test]
fn the_summary_says_what_was_asked_and_done_c9() {
    let world = World::new();
    let session = world.write("s.jsonl", events(FAILING));
    let run = world.run(&["summary", &session]).ends_with(0);
    assert!(run.stdout.contains("Add a --json flag to `report`.") && run.stdout.contains(FAILING), "{run}");
    let report = world.run(&["summary", &session, "--json"]).ends_with(0).json();
    assert_eq!(report["origin"], json!("local"));
    assert!(!world.run(&["summary", &sample()]).ends_with(0).stdout.is_empty());
}

#[test]
fn no_request_leaves_without_the_exact_flag_and_the_facts_speak_p1_f121() {
    let file = "[cards]\nmodel = \"far/m\"\n[providers.far]\nbaseUrl = \"https://192.0.2.1/v1\"\nkeyEnv = \"FAR_KEY\"\n";
    for value in [None, Some("1"), Some("TRUE"), Some("yes")] {
        let mut world = World::new().configured(file).with("FAR_KEY", "k");
        if let Some(value) = value {
            world = world.with("SUGGEST_ALLOW_TRANSFER", value);
        }
        let session = world.write("s.jsonl", events(FAILING));
        let run = world.run(&["cards", &session, "--json"]).ends_with(0);
        let report = run.json();
        assert_eq!(report["usage"]["calls"], json!(0), "{run}");
        assert_eq!(report["reason"]["code"], json!("not-allowed"), "{run}");
        assert_eq!(report["cards"][0]["origin"], json!("local"), "{run}");
        assert!(run.stderr.contains("allowTransfer"), "{run}");
    }
}

/// Every recorded session of the repository, by harness.
fn recordings() -> BTreeMap<String, Vec<PathBuf>> {
    let mut by_harness: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let base = root().join("tests/recordings");
    let mut folders = vec![base.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl" || extension == "json") {
                let harness = path.strip_prefix(&base).unwrap().iter().next().unwrap();
                by_harness.entry(harness.to_string_lossy().into_owned()).or_default().push(path);
            }
        }
    }
    by_harness.insert("the example".to_owned(), vec![PathBuf::from(sample())]);
    by_harness.values_mut().for_each(|files| files.sort());
    by_harness
}

/// Whether a prompt names something that stands in the recording: a path, a symbol or a test, or an item in its words.
fn names_something(prompt: &str, recording: &str) -> bool {
    let words = prompt
        .split(|letter: char| letter.is_whitespace() || matches!(letter, '`' | ',' | '，' | '。'))
        .map(|word| word.trim_end_matches(['.', ':', '?', '!']));
    let mut names = words.filter(|word| word.len() > 3 && word.contains(['/', '.', '_', ':']));
    let behind = |mark: &str| prompt.split_once(mark).and_then(|(_, item)| item.split('.').next());
    let item = behind(": ").or_else(|| behind("whether to "));
    let mut quoted = prompt.split(['"', '`']).skip(1).step_by(2).filter(|text| !text.is_empty());
    names.any(|name| recording.contains(name.split(':').next().unwrap_or(name)))
        || item.is_some_and(|item| recording.contains(item))
        || quoted.any(|text| recording.contains(text))
}

/// Words alone that would make a card generic.
const GENERIC: [&str; 6] = [
    "run the tests",
    "review the code",
    "continue working",
    "add documentation",
    "improve performance",
    "clean up",
];

#[test]
fn the_quality_of_local_cards_on_the_recorded_sessions_is_as_documented_c5() {
    let world = World::new();
    let mut rows = String::new();
    for (harness, files) in recordings() {
        let (mut sessions, mut complete, mut with_cards, mut cards, mut naming, mut generic) =
            (0, 0, 0, 0, 0, 0);
        for file in files {
            let run = world.run(&["cards", &file.display().to_string(), "--json"]);
            if run.status != Some(0) {
                // A recording of a stream of another kind than sessions.
                continue;
            }
            sessions += 1;
            complete += usize::from(!run.stderr.contains("no completed work"));
            let recording = plain_text(&file);
            let report = run.json();
            let made = report["cards"].as_array().unwrap();
            with_cards += usize::from(!made.is_empty());
            for card in made {
                let prompt = card["prompt"].as_str().unwrap();
                cards += 1;
                naming += usize::from(names_something(prompt, &recording));
                generic += usize::from(GENERIC.iter().any(|words| prompt.to_lowercase().starts_with(words)));
                println!("{harness} {}: {prompt}", file.file_name().unwrap().to_string_lossy());
            }
        }
        rows.push_str(&format!(
            "| {harness} | {sessions} | {complete} | {with_cards} | {cards} | {naming} | {generic} |\n"
        ));
        assert_eq!((naming, generic), (cards, 0), "{harness}");
    }
    let place = root().join("docs/cards.md");
    let text = std::fs::read_to_string(&place).unwrap();
    let (begin, end) = ("|---|---|---|---|---|---|---|\n", "\n<!-- quality: end -->");
    let from = text.find(begin).unwrap() + begin.len();
    let to = from + text.get(from..).unwrap().find(end).unwrap();
    if std::env::var_os("SUGGEST_WRITE_TABLES").is_some() {
        let written = format!("{}{rows}{}", text.get(..from).unwrap(), text.get(to..).unwrap());
        std::fs::write(&place, written).unwrap();
        return;
    }
    assert_eq!(text.get(from..to).unwrap(), rows, "write it anew with SUGGEST_WRITE_TABLES=1");
}

/// The recording's text with the escapes of JSON undone.
fn plain_text(file: &Path) -> String {
    fn strings(value: &Value, out: &mut String) {
        match value {
            Value::String(text) => {
                out.push_str(text);
                out.push('\n');
                // Arguments of tools are JSON inside a string.
                if let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str::<Value>(text)
                {
                    strings(&inner, out);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
            Value::Object(fields) => fields.values().for_each(|field| strings(field, out)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let text = std::fs::read_to_string(file).unwrap();
    let mut out = String::new();
    match serde_json::from_str::<Value>(&text) {
        Ok(value) => strings(&value, &mut out),
        Err(_) => text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .for_each(|line: Value| strings(&line, &mut out)),
    }
    out
}
