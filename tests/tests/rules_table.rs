//! Keeps `docs/rules-to-scenarios.md` true: every rule of the state machine has scenarios, and every scenario is listed.
//!
//! The tables between the marks follow from the file names. Write them anew with
//! `SUGGEST_WRITE_TABLES=1 cargo nextest run -p suggest-tests --test rules_table`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- tables: begin -->";
const END: &str = "<!-- tables: end -->";

/// What a scenario's name says that it shows: a rule, or a case from the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Subject {
    letter: char,
    number: u32,
}

impl Subject {
    /// `d04-…` is rule D4, `f052-…` is case F52.
    fn of_file(name: &str) -> Option<Self> {
        let (head, _) = name.split_once('-')?;
        let mut letters = head.chars();
        let letter = letters.next()?;
        let digits = letters.as_str();
        let digits_wanted = if letter == 'f' { 3 } else { 2 };
        if !"dgaspvclkf".contains(letter) || digits.len() != digits_wanted {
            return None;
        }
        Some(Self { letter: letter.to_ascii_uppercase(), number: digits.parse().ok()? })
    }

    fn is_case(self) -> bool {
        self.letter == 'F'
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.letter, self.number)
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> io::Result<String> {
    std::fs::read_to_string(root().join(path))
}

/// The names of all scenario files without their ending, in order.
fn scenarios() -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(root().join("tests/scenarios"))? {
        if let Some(name) = entry?.file_name().to_string_lossy().strip_suffix(".json") {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// The rules that have a heading in `docs/rules.md`.
fn rules() -> io::Result<Vec<Subject>> {
    let page = read("docs/rules.md")?;
    Ok(page
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .filter_map(|heading| heading.split_once('.'))
        .filter_map(|(id, _)| {
            let mut letters = id.chars();
            Some(Subject { letter: letters.next()?, number: letters.as_str().parse().ok()? })
        })
        .collect())
}

fn by_subject() -> io::Result<BTreeMap<Subject, Vec<String>>> {
    let mut map: BTreeMap<Subject, Vec<String>> = BTreeMap::new();
    for name in scenarios()? {
        if let Some(subject) = Subject::of_file(&name) {
            map.entry(subject).or_default().push(name);
        }
    }
    Ok(map)
}

fn tables() -> io::Result<String> {
    let map = by_subject()?;
    let rows = |cases: bool, title: &str| {
        let mut text = format!("| {title} | Scenario |\n|---|---|\n");
        for (subject, names) in map.iter().filter(|(subject, _)| subject.is_case() == cases) {
            for name in names {
                text.push_str(&format!("| {subject} | [{name}](../tests/scenarios/{name}.json) |\n"));
            }
        }
        text
    };
    Ok(format!("{BEGIN}\n\n## Rules\n\n{}\n## Cases\n\n{}\n{END}", rows(false, "Rule"), rows(true, "Case")))
}

#[test]
fn every_scenario_is_named_after_a_rule_or_a_case() {
    let known = rules().unwrap();
    let strangers: Vec<String> = scenarios()
        .unwrap()
        .into_iter()
        .filter(|name| {
            !Subject::of_file(name).is_some_and(|subject| subject.is_case() || known.contains(&subject))
        })
        .collect();
    assert!(strangers.is_empty(), "no rule or case stands at the head of these names: {strangers:?}");
}

#[test]
fn every_rule_of_the_state_machine_has_a_scenario() {
    let shown = by_subject().unwrap();
    let bare: Vec<String> = rules()
        .unwrap()
        .into_iter()
        .filter(|rule| "DGAS".contains(rule.letter) && !shown.contains_key(rule))
        .map(|rule| rule.to_string())
        .collect();
    assert!(bare.is_empty(), "no scenario shows these rules: {bare:?}");
}

#[test]
fn the_rules_page_holds_every_number_of_the_state_machine() {
    let known = rules().unwrap();
    for (letter, last) in [('D', 15), ('G', 4), ('A', 11), ('S', 7), ('P', 4), ('V', 8), ('C', 10), ('L', 7)]
    {
        for number in 1..=last {
            assert!(known.contains(&Subject { letter, number }), "docs/rules.md has no {letter}{number}");
        }
    }
}

#[test]
fn the_tables_list_every_scenario() {
    let path = root().join("docs/rules-to-scenarios.md");
    let page = read("docs/rules-to-scenarios.md").unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has the mark of the beginning");
    let (_, after) = rest.split_once(END).expect("the page has the mark of the end");
    let wanted = format!("{before}{}{after}", tables().unwrap());
    if std::env::var_os("SUGGEST_WRITE_TABLES").is_some() {
        std::fs::write(&path, &wanted).expect("the page can be written");
        return;
    }
    assert!(
        page == wanted,
        "the tables are behind the files: write them anew (see the head of rules_table.rs)"
    );
}
