//! Failing tests and errors that the output of tools names.

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
        open.retain(|(by, finding)| !(reran && *by == command) && !passes(summary, finding));
        for finding in found {
            open.retain(|(_, known)| *known != finding);
            open.push((command.clone(), finding));
        }
    }
    open.into_iter().rev().map(|(_, finding)| finding).take(MOST).collect()
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
    fn what_passes_later_is_not_broken_any_more() {
        let red = ("cargo test\ntest a::b ... FAILED", false);
        assert_eq!(found(&[red, ("cargo test\ntest result: ok", true)]), []);
        assert_eq!(found(&[red, ("cargo test a\ntest a::b ... ok", true)]), []);
        assert_eq!(found(&[red, ("ls\nfiles", true)]), [test("a::b")]);
    }
}
