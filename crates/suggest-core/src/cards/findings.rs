//! Failing tests and errors that the output of tools names.

use super::said::sentences;
use super::work::last_answer;
use crate::facts::{SessionFacts, ToolFact};

/// Something that is broken, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Finding {
    /// A failing test.
    Test { name: String },
    /// An error at a place.
    Error {
        /// A path with its line.
        place: String,
        /// What it is called: "error E0308", or "the error".
        what: String,
    },
}

const MOST: usize = 3;
const NAME_CHARS: usize = 120;

/// What failed in the last completed turn or since, and did not pass afterwards. Newest first.
pub(crate) fn still_broken(facts: &SessionFacts) -> Vec<Finding> {
    let Some(last) = facts.last_completed_turn else { return Vec::new() };
    let mut open: Vec<(String, Finding)> = Vec::new();
    for tool in facts.tools.iter().filter(|tool| tool.turn >= last) {
        let summary = tool.summary.as_deref().unwrap_or_default();
        let command = format!("{} {}", tool.name, summary.lines().next().unwrap_or_default());
        let found = in_output(tool, summary);
        // The same command ran again, or the test passed: what it said before is history.
        let reran = tool.ok.is_some() || !found.is_empty();
        open.retain(|(by, finding)| {
            let outdated = reran && *by == command;
            !outdated && !passes(summary, finding)
        });
        for finding in found {
            open.retain(|(_, known)| *known != finding);
            open.push((command.clone(), finding));
        }
    }
    let answer = last_answer(facts).unwrap_or_default();
    if says_all_is_well(answer) {
        open.clear();
    }
    let mut found: Vec<Finding> = open.into_iter().rev().map(|(_, finding)| finding).collect();
    for finding in in_prose(answer) {
        if !found.contains(&finding) {
            found.push(finding);
        }
    }
    found.truncate(MOST);
    found
}

const FAILS: [&str; 8] = [" fails", " failing", " failed", " is red", "失败", "未通过", "不通过", "没有通过"];
const CURED: [&str; 12] = [
    "no longer", "now pass", "passes now", "fixed", "used to", "failed before", "was failing", "were failing", "已修复",
    "修复了", "之前", "不再",
];
const WELL: [&str; 8] = [
    "all tests pass", "all the tests pass", "tests are green", "all green", "tests now pass", "全部通过", "所有测试通过",
    "测试都通过",
];

fn says_all_is_well(answer: &str) -> bool {
    let lower = answer.to_lowercase();
    WELL.iter().any(|words| lower.contains(words)) && in_prose(answer).is_empty()
}

/// Tests that the worker says fail.
fn in_prose(answer: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    for sentence in sentences(answer) {
        for clause in sentence.split([';', '；']).flat_map(|part| part.split(" but ")) {
            let lower = clause.to_lowercase();
            let any = |words: &[&str]| words.iter().any(|word| lower.contains(word));
            if !any(&FAILS) || any(&CURED) {
                continue;
            }
            let names = clause
                .split(|letter: char| letter.is_whitespace() || matches!(letter, '`' | '，' | ',' | '(' | ')' | '"'))
                .map(|word| word.trim_matches(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_'))
                .filter(|word| is_test_name(word));
            found.extend(names.map(|name| Finding::Test { name: name.to_owned() }));
        }
    }
    found.truncate(MOST);
    found
}

fn is_test_name(word: &str) -> bool {
    let plain = word.is_ascii() && word.len() <= NAME_CHARS && word.len() >= 4;
    let upper_behind = |rest: &str| rest.starts_with(|letter: char| letter.is_ascii_uppercase());
    plain
        && (word.contains("::")
            || word.contains("test_")
            || word.contains("_test")
            || word.strip_prefix("Test").is_some_and(upper_behind))
}

fn passes(summary: &str, finding: &Finding) -> bool {
    match finding {
        Finding::Test { name } => summary.lines().any(|line| {
            line.contains(name.as_str())
                && (line.trim_end().ends_with("... ok")
                    || line.contains("PASSED")
                    || line.contains("--- PASS")
                    || line.trim_start().starts_with(['✓', '✔']))
        }),
        Finding::Error { .. } => false,
    }
}

fn in_output(tool: &ToolFact, summary: &str) -> Vec<Finding> {
    if tool.ok == Some(true) && !summary.contains("FAILED") {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut code: Option<String> = None;
    for line in summary.lines() {
        let trimmed = line.trim();
        if let Some(name) = failing_test(trimmed) {
            found.push(Finding::Test { name });
        } else if let Some(rest) = trimmed.strip_prefix("error[") {
            code = rest.split_once(']').map(|(code, _)| format!("error {code}"));
        } else if let Some(place) = trimmed.strip_prefix("--> ").and_then(place) {
            let what = code.take().unwrap_or_else(|| "the error".to_owned());
            found.push(Finding::Error { place, what });
        } else if let Some((before, behind)) = trimmed.split_once("error")
            && let Some(place) = place(before.trim_end_matches([' ', ':', '-']))
        {
            found.push(Finding::Error { place, what: named_code(behind) });
        } else if let Some(place) = trimmed.split_once("panicked at ").and_then(|(_, rest)| place(rest)) {
            found.push(Finding::Error { place, what: "the panic".to_owned() });
        }
        if found.len() >= MOST {
            break;
        }
    }
    found
}

/// `error TS2304: …` names its code.
fn named_code(behind: &str) -> String {
    let word = behind.split([':', ' ']).find(|word| !word.is_empty()).unwrap_or_default();
    let is_code = word.chars().any(|letter| letter.is_ascii_digit())
        && word.chars().all(|letter| letter.is_ascii_alphanumeric());
    if is_code { format!("error {word}") } else { "the error".to_owned() }
}

fn failing_test(line: &str) -> Option<String> {
    let name =
        if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            name
        } else if let Some(rest) = line.strip_prefix("FAILED ") {
            rest.split(" - ").next()?
        } else if let Some(rest) = line.strip_prefix("--- FAIL: ") {
            rest.split(' ').next()?
        } else if let Some(rest) = line.strip_prefix(['✕', '✗', '×']) {
            rest.split(" (").next()?
        } else {
            let rest = line.strip_prefix("FAIL ")?;
            rest.split(' ').next_back()?
        };
    let name = name.trim();
    (!name.is_empty() && name.chars().count() <= NAME_CHARS && !name.contains('`')).then(|| name.to_owned())
}

/// `path.ext:line` at the end or the start of a piece, also written `path.ext(line,column)`.
fn place(text: &str) -> Option<String> {
    let word = text.split_whitespace().next_back()?.trim_matches(['`', '\'', '"', ',']);
    let word = if let Some((path, rest)) = word.split_once('(') {
        format!("{path}:{}", rest.split([',', ')']).next()?)
    } else {
        word.to_owned()
    };
    let mut parts = word.split(':');
    let path = parts.next()?;
    let line =
        parts.next().filter(|line| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()))?;
    let end = path.rsplit('.').next().filter(|end| *end != path)?;
    let plain = (1..=5).contains(&end.len()) && end.chars().all(|letter| letter.is_ascii_alphanumeric());
    (plain && path.chars().count() <= NAME_CHARS && !path.contains('`')).then(|| format!("{path}:{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Turn;

    fn found(outputs: &[(&str, bool)]) -> Vec<Finding> {
        let tools = outputs
            .iter()
            .map(|(summary, ok)| ToolFact {
                turn: Turn::new(1),
                name: "bash".to_owned(),
                summary: Some((*summary).to_owned()),
                files: Vec::new(),
                ok: Some(*ok),
            })
            .collect();
        still_broken(&SessionFacts {
            tools,
            last_completed_turn: Some(Turn::new(1)),
            ..SessionFacts::default()
        })
    }

    fn test(name: &str) -> Finding {
        Finding::Test { name: name.to_owned() }
    }

    fn error(place: &str, what: &str) -> Finding {
        Finding::Error { place: place.to_owned(), what: what.to_owned() }
    }

    #[test]
    fn failures_are_read_from_the_output_of_usual_tools() {
        assert_eq!(found(&[("cargo test\ntest a::b ... FAILED", false)]), [test("a::b")]);
        assert_eq!(
            found(&[("pytest\nFAILED tests/t.py::test_x - AssertionError", false)]),
            [test("tests/t.py::test_x")]
        );
        assert_eq!(found(&[("go test\n--- FAIL: TestGet (0.00s)", false)]), [test("TestGet")]);
        assert_eq!(
            found(&[("tsc\nsrc/a.ts(3,4): error TS2304: Cannot find name", false)]),
            [error("src/a.ts:3", "error TS2304")]
        );
        assert_eq!(found(&[("gcc\nsrc/a.c:3:5: error: no", false)]), [error("src/a.c:3", "the error")]);
        assert_eq!(found(&[("make\nsomething went wrong", false)]), []);
    }

    #[test]
    fn tests_that_the_worker_says_fail_are_found_and_cured_ones_are_not() {
        let of = |answer: &str| in_prose(answer);
        assert_eq!(of("The flag is in. `report::empty_ledger` still fails."), [test("report::empty_ledger")]);
        assert_eq!(of("`a::b` passes now, but `a::c` failed."), [test("a::c")]);
        assert_eq!(of("test_x 未通过。"), [test("test_x")]);
        for answer in ["`a::b` no longer fails.", "I fixed a::b, which failed.", "The build fails.", "All tests pass."] {
            assert_eq!(of(answer), [], "{answer}");
        }
        assert!(says_all_is_well("Done. All tests pass."));
        assert!(!says_all_is_well("All tests pass but a::b failed."));
    }

    #[test]
    fn what_passes_later_is_not_broken_any_more() {
        let red = ("cargo test\ntest a::b ... FAILED", false);
        assert_eq!(found(&[red, ("cargo test\ntest result: ok", true)]), []);
        assert_eq!(found(&[red, ("cargo test a\ntest a::b ... ok", true)]), []);
        assert_eq!(found(&[red, ("ls\nfiles", true)]), [test("a::b")]);
    }
}
