//! Failing tests and errors that the output of tools names.

use super::said::sentences;
use super::work::last_answer;
use crate::facts::{SessionFacts, ToolFact};

/// Something that is broken, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Finding {
    /// A failing test, with the place where it panics, and others that fail at the same place.
    Test { name: String, at: Option<String>, more: Vec<String> },
    /// An error at a place.
    Error {
        /// A path with its line.
        place: String,
        /// What it is called: "error E0308", or "the error".
        what: String,
    },
}

impl Finding {
    fn test(name: String) -> Self {
        Self::Test { name, at: None, more: Vec::new() }
    }

    /// Whether both tell of the same failure.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Test { name, more, .. }, Self::Test { name: other, .. }) => {
                same_test(name, other) || more.iter().any(|name| same_test(name, other))
            }
            _ => self == other,
        }
    }

    /// What a text that speaks of this failure names: the tests without their modules, or the place.
    pub(crate) fn keys(&self) -> Vec<&str> {
        match self {
            Self::Test { name, at, more } => {
                let tests = std::iter::once(name).chain(more).map(|name| last_part(name));
                tests.chain(at.as_deref()).collect()
            }
            Self::Error { place, .. } => vec![place],
        }
    }
}

/// A test's own name, without its modules, classes and files.
fn last_part(name: &str) -> &str {
    let last = ["::", " > ", "/"].iter().find_map(|mark| name.rsplit_once(mark)).map(|(_, last)| last);
    last.filter(|last| !last.is_empty()).unwrap_or(name)
}

/// Whether two names may be the same test, one of them told with less of its path.
fn same_test(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let before = long.strip_suffix(short);
    before.is_some_and(|before| before.is_empty() || before.ends_with([':', '/', '.', '>', ' ']))
        // `report::empty` for `report::tests::empty`.
        || last_part(short) == last_part(long)
            && short.len() > last_part(short).len()
            && long.starts_with(short.strip_suffix(last_part(short)).unwrap_or(short))
}

const MOST: usize = 3;
/// Failing tests that are read from one output.
const MOST_READ: usize = 50;
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
            open.retain(|(_, known)| !known.is_same(&finding));
            open.push((command.clone(), finding));
        }
    }
    let answer = last_answer(facts).unwrap_or_default();
    if says_all_is_well(answer) {
        open.clear();
    }
    let mut found: Vec<Finding> = open.into_iter().rev().map(|(_, finding)| finding).collect();
    for finding in in_prose(answer) {
        if !found.iter().any(|known| known.is_same(&finding)) {
            found.push(finding);
        }
    }
    found.truncate(MOST);
    found
}

/// Programs that build and check; others fail for many reasons that nobody has to mend.
const BUILDERS: [&str; 30] = [
    "cargo", "npm", "pnpm", "yarn", "bun", "deno", "make", "ninja", "cmake", "meson", "bazel", "go", "pytest", "tox", "nox",
    "mypy", "ruff", "tsc", "eslint", "jest", "vitest", "gradle", "gradlew", "mvn", "mvnw", "dotnet", "swift", "mix", "rake",
    "just",
];
const COMMAND_CHARS: usize = 80;

/// The last build or check of the last turn, if it failed and was not run again with success.
pub(crate) fn failed_command(facts: &SessionFacts) -> Option<&str> {
    let last = facts.last_completed_turn?;
    let answer = last_answer(facts).unwrap_or_default();
    if says_all_is_well(answer) {
        return None;
    }
    let is_builder = |command: &str| {
        let mut words = command.split_whitespace().skip_while(|word| word.contains('='));
        let program = words.next().map(|word| word.rsplit('/').next().unwrap_or(word));
        program.is_some_and(|program| BUILDERS.contains(&program)) && words.next().is_some()
    };
    let mut commands = facts.tools.iter().rev().filter(|tool| tool.turn >= last).filter_map(|tool| {
        let command = tool.summary.as_deref()?.lines().next()?.trim().trim_start_matches("$ ");
        (is_builder(command) && command.chars().count() <= COMMAND_CHARS && !command.contains('`'))
            .then_some((command, tool.ok))
    });
    let (command, ok) = commands.next()?;
    (ok == Some(false)).then_some(command)
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
            found.extend(names.map(|name| Finding::test(name.to_owned())));
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
        Finding::Test { name, .. } => summary.lines().any(|line| {
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
    let (mut tests, mut errors, mut panics) = (Vec::new(), Vec::new(), Vec::new());
    let mut code: Option<String> = None;
    for line in summary.lines() {
        let trimmed = line.trim();
        if let Some(name) = failing_test(trimmed) {
            if !tests.contains(&name) && tests.len() < MOST_READ {
                tests.push(name);
            }
        } else if let Some(rest) = trimmed.strip_prefix("error[") {
            code = rest.split_once(']').map(|(code, _)| format!("error {code}"));
        } else if let Some(place) = trimmed.strip_prefix("--> ").and_then(place) {
            let what = code.take().unwrap_or_else(|| "the error".to_owned());
            errors.push(Finding::Error { place, what });
        } else if let Some((before, behind)) = trimmed.split_once("error")
            && let Some(place) = place(before.trim_end_matches([' ', ':', '-']))
        {
            errors.push(Finding::Error { place, what: named_code(behind) });
        } else if let Some((thread, rest)) = trimmed.split_once("panicked at ")
            && let Some(place) = place(rest)
        {
            panics.push((thread.split('\'').nth(1).unwrap_or_default().to_owned(), place));
        }
    }
    let mut found = with_places(tests, &panics);
    if found.is_empty() {
        found.extend(
            panics.into_iter().map(|(_, place)| Finding::Error { place, what: "the panic".to_owned() }),
        );
    }
    found.extend(errors);
    found.truncate(MOST);
    found
}

/// Failing tests with the places where they panic. Tests that fail at one place are one failure.
fn with_places(tests: Vec<String>, panics: &[(String, String)]) -> Vec<Finding> {
    let only = tests.len() == 1;
    let mut found: Vec<Finding> = Vec::new();
    for test in tests {
        // The name of the thread is that of the test; a test of its own process has only its main thread.
        let own = panics.iter().find(|(thread, _)| same_test(thread, &test));
        let place = own.or_else(|| panics.first().filter(|_| only)).map(|(_, place)| place.clone());
        let known = found.iter_mut().find_map(|finding| match finding {
            Finding::Test { at, more, .. } if at.is_some() && *at == place => Some(more),
            Finding::Test { .. } | Finding::Error { .. } => None,
        });
        match known {
            Some(more) => more.push(test),
            None => found.push(Finding::Test { name: test, at: place, more: Vec::new() }),
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
        Finding::test(name.to_owned())
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
    fn a_failing_test_and_its_panic_are_one_failure_c5() {
        let output = "cargo test\ntest report::tests::empty ... FAILED\n---- report::tests::empty stdout ----\n\
            thread 'report::tests::empty' (71) panicked at src/report.rs:88:30:\nassertion failed";
        let one = Finding::Test {
            name: "report::tests::empty".to_owned(),
            at: Some("src/report.rs:88".to_owned()),
            more: Vec::new(),
        };
        assert_eq!(found(&[(output, false)]), [one]);
        let output = "cargo test\ntest a::x ... FAILED\ntest a::y ... FAILED\ntest a::z ... FAILED\n\
            thread 'a::x' panicked at src/a.rs:1:2:\nthread 'a::y' panicked at src/a.rs:1:2:\nthread 'a::z' panicked at src/b.rs:7:2:";
        let at = |name: &str, at: &str, more: &[&str]| Finding::Test {
            name: name.to_owned(),
            at: Some(at.to_owned()),
            more: more.iter().map(|name| (*name).to_owned()).collect(),
        };
        assert_eq!(found(&[(output, false)]), [at("a::z", "src/b.rs:7", &[]), at("a::x", "src/a.rs:1", &["a::y"])]);
        // Without a test it is the panic itself.
        assert_eq!(found(&[("cargo run\nthread 'main' panicked at src/main.rs:3:1:", false)]), [error("src/main.rs:3", "the panic")]);
        assert!(same_test("empty", "report::tests::empty") && same_test("report::empty", "report::tests::empty"));
        assert!(!same_test("lexer::empty", "report::tests::empty") && !same_test("empty", "not_empty"));
    }

    #[test]
    fn what_passes_later_is_not_broken_any_more() {
        let red = ("cargo test\ntest a::b ... FAILED", false);
        assert_eq!(found(&[red, ("cargo test\ntest result: ok", true)]), []);
        assert_eq!(found(&[red, ("cargo test a\ntest a::b ... ok", true)]), []);
        assert_eq!(found(&[red, ("ls\nfiles", true)]), [test("a::b")]);
    }
}
