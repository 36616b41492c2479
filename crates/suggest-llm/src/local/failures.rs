//! Failing tests and errors that a session names: in the output of its tools, and in what the worker says.

use super::line;
use crate::facts::{Facts, ToolFact};

/// Something that is broken, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// A failing test, or a file of failing tests.
    Test(String),
    /// An error of a compiler or at run time.
    Error {
        /// Its code or its own words, short.
        what: String,
        /// Where: `path:line`, or a path.
        place: Option<String>,
    },
}

impl Broken {
    fn is_test(&self) -> bool {
        matches!(self, Self::Test(_))
    }

    fn names(&self, name: &str) -> bool {
        matches!(self, Self::Test(own) if own == name || own.ends_with(name) || name.ends_with(own.as_str()))
    }
}

/// Most findings that are kept of one text.
const MOST: usize = 12;

/// What is still broken at the end of the last two turns, oldest first. Later output takes back earlier findings.
pub(crate) fn still_broken(facts: &Facts) -> Vec<Broken> {
    let mut open: Vec<Broken> = Vec::new();
    for tool in facts.tools.iter().filter(|tool| tool.turn.saturating_add(1) >= facts.current_turn) {
        observe_tool(tool, &mut open);
    }
    if let Some(said) = &facts.last_assistant {
        observe_prose(said, &mut open);
    }
    open
}

fn observe_tool(tool: &ToolFact, open: &mut Vec<Broken>) {
    let Some(summary) = &tool.summary else { return };
    for name in passed(summary) {
        open.retain(|broken| !broken.names(&name));
    }
    let found = in_output(summary);
    if found.is_empty() && tool.ok != Some(false) {
        let lower = summary.to_lowercase();
        let any = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if any(&["test result: ok", " passed", "all tests pass", "\nok ", "0 failed", "passing"]) {
            open.clear();
        } else if any(&[
            "finished `",
            "build succeeded",
            "compiled successfully",
            "found 0 errors",
            "no errors",
        ]) {
            open.retain(Broken::is_test);
        }
    }
    add(open, found);
}

fn observe_prose(said: &str, open: &mut Vec<Broken>) {
    let found = in_output(said);
    let prose = line::prose(said);
    let lower = prose.to_lowercase();
    const GREEN: &[&str] = &[
        "all tests pass",
        "all the tests pass",
        "tests are green",
        "all green",
        "tests now pass",
        "all passing",
        "everything passes",
        "全部通过",
        "所有测试通过",
        "测试都通过",
        "测试均通过",
    ];
    if found.is_empty() && GREEN.iter().any(|words| lower.contains(words)) {
        open.clear();
    }
    let mut named = found;
    for sentence in line::sentences(&prose).iter().flat_map(|sentence| clauses(sentence)) {
        let seen = sentence.to_lowercase();
        let any = |words: &[&str]| words.iter().any(|word| seen.contains(word));
        let names = names_of_tests(sentence);
        if any(REPAIRED) {
            open.retain(|broken| !names.iter().any(|name| broken.names(name)));
        } else if any(FAILS) && !any(SUPPOSED) {
            named.extend(names.into_iter().map(Broken::Test));
        }
    }
    add(open, named);
}

/// The parts of a sentence that may say opposite things: "`a` passes now, but `b` still fails".
fn clauses(sentence: &str) -> Vec<&str> {
    [" but ", "; ", " while ", " however ", "，但", "；"]
        .iter()
        .fold(vec![sentence], |parts, joint| parts.into_iter().flat_map(|part| part.split(joint)).collect())
}

const FAILS: &[&str] =
    &["fails", "failing", "failed", "still fail", "is red", "失败", "未通过", "不通过", "没有通过"];
const REPAIRED: &[&str] = &[
    "no longer fail",
    "now pass",
    "passes now",
    "pass now",
    "fixed",
    "used to fail",
    "failed before",
    "was failing",
    "were failing",
    "not fail",
    "doesn't fail",
    "don't fail",
    "0 failed",
    "no failing",
    "without fail",
    "不再失败",
    "没有失败",
    "已修复",
    "已经修复",
    "无失败",
    "通过了",
    "已通过",
];
/// Failures that are only talked about.
const SUPPOSED: &[&str] = &[
    "would fail",
    "should fail",
    "could fail",
    "if it fail",
    "when it fail",
    "fails if",
    "fails when",
    "expected to fail",
    "如果失败",
    "失败时",
];

fn add(open: &mut Vec<Broken>, found: Vec<Broken>) {
    for broken in found.into_iter().take(MOST) {
        let known = open.iter().any(|other| match &broken {
            Broken::Test(name) => other.names(name),
            Broken::Error { .. } => *other == broken,
        });
        if !known && open.len() < MOST {
            open.push(broken);
        }
    }
}

/// Tests that an output reports as passed, one a line.
fn passed(output: &str) -> Vec<String> {
    let of_line = |line: &str| -> Option<String> {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... ok")) {
            return Some(name.trim().to_owned());
        }
        if let Some(rest) = line.strip_prefix("--- PASS: ") {
            return rest.split_whitespace().next().map(str::to_owned);
        }
        if line.starts_with("PASS ") || line.starts_with("PASSED ") {
            return line.split_whitespace().next_back().map(str::to_owned);
        }
        line.strip_suffix(" PASSED").map(str::to_owned)
    };
    output.lines().filter_map(of_line).collect()
}

/// Failing tests and errors in the output of compilers and test runners.
fn in_output(output: &str) -> Vec<Broken> {
    let lines: Vec<&str> = output.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let following = lines.get(index + 1..).unwrap_or_default();
        let one = failing_test(line).map(Broken::Test).or_else(|| compile_error(line, following));
        if let Some(one) = one.or_else(|| exception(line)).filter(|one| !found.contains(one)) {
            found.push(one);
        }
        if found.len() >= MOST {
            break;
        }
    }
    // A test that panics names the panic too; the test is the better handle.
    if found.iter().any(Broken::is_test) {
        found.retain(Broken::is_test);
    }
    found
}

fn failing_test(line: &str) -> Option<String> {
    let line = line.trim();
    // cargo test
    if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix("... FAILED")) {
        return Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    }
    // cargo nextest
    if line.starts_with("FAIL [") {
        return line.split_whitespace().next_back().filter(|name| !name.ends_with(']')).map(str::to_owned);
    }
    // go test
    if let Some(rest) = line.strip_prefix("--- FAIL: ") {
        return rest.split_whitespace().next().map(str::to_owned);
    }
    // pytest, jest, vitest
    for mark in ["FAILED ", "FAIL ", "ERROR "] {
        if let Some(rest) = line.strip_prefix(mark) {
            let name = rest.split_whitespace().next()?;
            let is_path = name.contains('.') && (name.contains('/') || name.contains("::") || is_file(name));
            return is_path.then(|| name.trim_end_matches([',', ':', ';']).to_owned());
        }
    }
    // jest, vitest, mocha: single tests
    for mark in ["✕ ", "× ", "✗ ", "✘ "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return Some(without_time(rest).to_owned()).filter(|name| !name.is_empty());
        }
    }
    // gradle, pytest -v
    let name = line.strip_suffix(" FAILED")?;
    (name.contains(" > ") || name.contains("::")).then(|| name.to_owned())
}

/// `renders the list (12 ms)` without its time.
fn without_time(name: &str) -> &str {
    let name = name.trim();
    match name.rsplit_once(" (") {
        Some((before, time)) if time.ends_with("s)") => before.trim_end(),
        _ => match name.rsplit_once(' ') {
            Some((before, time))
                if time.ends_with("ms") && time.starts_with(|c: char| c.is_ascii_digit()) =>
            {
                before.trim_end()
            }
            _ => name,
        },
    }
}

fn compile_error(line: &str, following: &[&str]) -> Option<Broken> {
    // rustc
    if let Some((_, rest)) = line.split_once("error[") {
        let (code, words) = rest.split_once(']')?;
        let plain = !code.is_empty() && code.len() <= 16 && code.chars().all(|c| c.is_ascii_alphanumeric());
        let words = words.trim_start_matches(':').trim();
        let what = if words.is_empty() { code.to_owned() } else { format!("{code} ({})", short(words)) };
        return plain.then(|| Broken::Error { what, place: arrow(following) });
    }
    if let Some(words) = line.strip_prefix("error: ") {
        let place = arrow(following)?;
        return Some(Broken::Error { what: short(words), place: Some(place) });
    }
    // tsc: `src/x.ts(10,5): error TS2322: …` and `src/x.ts:10:5 - error TS2322: …`
    if let Some((before, after)) = line.split_once("error TS") {
        let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
        let place = before.trim().trim_end_matches(['-', ':', ' ']);
        let place = place.split(['(']).next().unwrap_or(place);
        return (!digits.is_empty()).then(|| Broken::Error {
            what: format!("TS{digits}"),
            place: is_place(place).then(|| without_column(place)),
        });
    }
    // gcc, clang, javac, many others: `src/x.c:10:5: error: …`
    let (place, words) = line.split_once(": error: ").or_else(|| line.split_once(": fatal error: "))?;
    let place = place.trim();
    is_place(place).then(|| Broken::Error { what: short(words), place: Some(without_column(place)) })
}

/// The place that rustc draws an arrow to, within the next lines.
fn arrow(following: &[&str]) -> Option<String> {
    let place = following.iter().take(3).find_map(|line| line.trim().strip_prefix("--> "))?;
    Some(without_column(place.trim()))
}

/// `src/x.rs:10:5` as `src/x.rs:10`.
fn without_column(place: &str) -> String {
    let parts: Vec<&str> = place.split(':').collect();
    match parts.as_slice() {
        [path, line, column]
            if [line, column].iter().all(|part| part.bytes().all(|b| b.is_ascii_digit())) =>
        {
            format!("{path}:{line}")
        }
        _ => place.to_owned(),
    }
}

fn is_place(text: &str) -> bool {
    let path = text.split([':', '(']).next().unwrap_or_default();
    !text.contains(' ') && is_file(path)
}

fn is_file(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// `ModuleNotFoundError: No module named 'x'`, at the start of a line or behind pytest's mark.
fn exception(line: &str) -> Option<Broken> {
    let line = line.strip_prefix("E  ").map_or(line, str::trim_start);
    let (name, words) = line.split_once(": ")?;
    let plain = name.chars().all(|character| character.is_ascii_alphanumeric() || "_.".contains(character));
    let kind = name.ends_with("Error") || name.ends_with("Exception");
    let own_name = name.len() > "Error".len();
    (plain && kind && own_name && !words.trim().is_empty())
        .then(|| Broken::Error { what: short(&format!("{name}: {words}")), place: None })
}

fn short(words: &str) -> String {
    let words = line::tidy(words);
    line::shorten(&words, 80).unwrap_or(words)
}

/// Words that name a test: in code marks, or with the look of a test's name.
fn names_of_tests(sentence: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let is_about_tests = sentence.to_lowercase().contains("test") || sentence.contains("测试");
    let looks = |word: &str, marked: bool| {
        let lower = word.to_lowercase();
        let is_name = word.contains("::") || word.contains('_') || is_file(word);
        let about_tests = lower.contains("test") || lower.contains("spec");
        let marked_name =
            marked && (word.contains("::") || (word.contains('_') && !is_file(word) && is_about_tests));
        word.len() > 2 && !word.contains(' ') && ((is_name && about_tests) || marked_name)
    };
    for (index, piece) in sentence.split('`').enumerate() {
        if index % 2 == 1 {
            names.extend(looks(piece, true).then(|| piece.to_owned()));
            continue;
        }
        let words = piece
            .split(|character: char| !(character.is_ascii_alphanumeric() || "_:./-".contains(character)));
        names.extend(
            words
                .map(|word| word.trim_matches(['.', ':', '-']))
                .filter(|word| looks(word, false))
                .map(str::to_owned),
        );
    }
    names.truncate(MOST);
    names
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn test(name: &str) -> Broken {
        Broken::Test(name.to_owned())
    }

    fn error(what: &str, place: &str) -> Broken {
        let place = (!place.is_empty()).then(|| place.to_owned());
        Broken::Error { what: what.to_owned(), place }
    }

    #[test]
    fn the_output_of_common_runners_and_compilers_is_read() {
        for (output, expected) in [
            ("test foo::bar ... FAILED", test("foo::bar")),
            ("        FAIL [   0.012s] (3/9) parser tests::nested_lists", test("tests::nested_lists")),
            ("FAILED tests/x.py::test_y - AssertionError: 1 != 2", test("tests/x.py::test_y")),
            ("tests/x.py::test_y FAILED", test("tests/x.py::test_y")),
            (" FAIL  src/x.test.ts", test("src/x.test.ts")),
            ("  ✕ renders the list (12 ms)", test("renders the list")),
            ("--- FAIL: TestParse (0.00s)", test("TestParse")),
            ("FooTest > parses FAILED", test("FooTest > parses")),
            (
                "error[E0308]: mismatched types\n  --> src/x.rs:10:5",
                error("E0308 (mismatched types)", "src/x.rs:10"),
            ),
            ("error: unexpected token\n --> src/x.rs:4:1", error("unexpected token", "src/x.rs:4")),
            ("src/x.ts(10,5): error TS2322: Type", error("TS2322", "src/x.ts")),
            ("src/x.ts:10:5 - error TS2322: Type", error("TS2322", "src/x.ts:10")),
            ("src/x.c:10:5: error: expected ';'", error("expected ';'", "src/x.c:10")),
            (
                "ModuleNotFoundError: No module named 'x'",
                error("ModuleNotFoundError: No module named 'x'", ""),
            ),
            ("E   KeyError: 'id'", error("KeyError: 'id'", "")),
        ] {
            assert_eq!(in_output(output), [expected], "{output}");
        }
        for output in
            ["test foo ... ok", "error: could not compile", "FAILED", "Error: boom", "no errors", "3 failed"]
        {
            assert_eq!(in_output(output), [], "{output}");
        }
    }

    fn after(tools: &[(&str, Option<bool>)], said: &str) -> Vec<Broken> {
        let tools = tools.iter().map(|(summary, ok)| ToolFact {
            name: "bash".to_owned(),
            summary: Some((*summary).to_owned()),
            files: Vec::new(),
            ok: *ok,
            turn: 3,
        });
        still_broken(&Facts {
            tools: tools.collect(),
            last_assistant: Some(said.to_owned()),
            current_turn: 3,
            ..Facts::default()
        })
    }

    #[test]
    fn later_output_takes_back_earlier_failures() {
        let red = ("test a::b ... FAILED\ntest a::c ... FAILED", Some(false));
        assert_eq!(after(&[red], ""), [test("a::b"), test("a::c")]);
        assert_eq!(
            after(&[red, ("test a::b ... ok\ntest a::c ... FAILED", Some(false))], ""),
            [test("a::c")]
        );
        assert_eq!(after(&[red, ("test result: ok. 9 passed", Some(true))], ""), []);
        assert_eq!(after(&[red], "Both are repaired and all tests pass."), []);
        assert_eq!(after(&[red], "I fixed `a::b`."), [test("a::c")]);
    }

    #[test]
    fn what_the_worker_says_is_read_too() {
        assert_eq!(
            after(&[], "The parser works, but `tests::nested_lists` still fails."),
            [test("tests::nested_lists")]
        );
        assert_eq!(after(&[], "测试 test_login 失败。"), [test("test_login")]);
        assert_eq!(after(&[], "`a::b` passes now, but `a::c` still fails."), [test("a::c")]);
        for fine in [
            "The build of `src/x.rs` failed before.",
            "test_login no longer fails.",
            "`test_login` would fail without it.",
            "test_login 已修复，不再失败。",
        ] {
            assert_eq!(after(&[], fine), [], "{fine}");
        }
    }

    proptest! {
        #[test]
        fn no_output_makes_the_reader_panic(text in "(\\PC|\n|error\\[|FAIL |test |: error: |`){0,80}") {
            let _ = after(&[(&text, None)], &text);
        }
    }
}
