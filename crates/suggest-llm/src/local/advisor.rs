//! The advisor's voice: a note that can be shown by quoting both sides of a contradiction, or none.
//!
//! It says only four things: an instruction of the human and the act that breaks it, a check that failed while the turn
//! reports success, a failing command that is run again and again with nothing changed between, and a file that the turn
//! says it changed and never touched. Where anything speaks for another reading it is silent.

use serde_json::json;

use super::line;
use super::orders::{self, Order};
use crate::facts::{Facts, ToolFact};

/// The most characters of each thing that a note quotes.
const QUOTED: usize = 160;
/// Runs of one failing command that are going in circles.
const CIRCLES: usize = 3;
/// Tool runs that a host's facts hold at most, roughly: with more, the turn's first runs may be missing.
const MANY_TOOLS: usize = 30;

/// The answer: one JSON frame.
pub(super) fn answer(facts: &Facts) -> String {
    let chinese =
        facts.last_human.as_deref().or(facts.last_assistant.as_deref()).is_some_and(line::is_chinese);
    let turn = Turn::of(facts);
    let note = broken_order(&turn)
        .or_else(|| failed_check(&turn))
        .or_else(|| circles(&turn))
        .or_else(|| untouched_file(&turn));
    match note {
        Some(note) => json!({ "severity": note.severity(), "note": note.text(chinese) }).to_string(),
        None => json!({ "note": null }).to_string(),
    }
}

/// What the newest turn did.
struct Turn<'f> {
    facts: &'f Facts,
    tools: Vec<&'f ToolFact>,
    said: &'f str,
}

impl<'f> Turn<'f> {
    fn of(facts: &'f Facts) -> Self {
        let tools = facts.tools.iter().filter(|tool| tool.turn == facts.current_turn).collect();
        Self { facts, tools, said: facts.last_assistant.as_deref().unwrap_or_default() }
    }
}

/// What is worth a word, with what it quotes.
#[derive(Debug, PartialEq, Eq)]
enum Note {
    Broken { order: String, act: String },
    FailedCheck { command: String, claim: String },
    Circles { command: String, times: usize },
    Untouched { file: String, claim: String },
}

impl Note {
    fn severity(&self) -> &'static str {
        match self {
            Self::Broken { .. } => "blocker",
            Self::FailedCheck { .. } | Self::Circles { .. } | Self::Untouched { .. } => "concern",
        }
    }

    fn text(&self, chinese: bool) -> String {
        match (self, chinese) {
            (Self::Broken { order, act }, false) => {
                format!("The human said “{order}”, and this turn did it all the same: {act}.")
            }
            (Self::Broken { order, act }, true) => format!("用户说过“{order}”，但本轮仍然做了：{act}。"),
            (Self::FailedCheck { command, claim }, false) => {
                format!("The turn reports “{claim}”, but its last run of `{command}` failed.")
            }
            (Self::FailedCheck { command, claim }, true) => {
                format!("本轮报告“{claim}”，但最后一次运行 `{command}` 是失败的。")
            }
            (Self::Circles { command, times }, false) => format!(
                "`{command}` failed {times} times in this turn with nothing changed in between; another run will \
not help before its cause is looked at."
            ),
            (Self::Circles { command, times }, true) => {
                format!("`{command}` 在本轮失败了 {times} 次，其间没有任何改动；先查明原因再运行。")
            }
            (Self::Untouched { file, claim }, false) => {
                format!("The turn reports “{claim}”, but none of its tool calls touched `{file}`.")
            }
            (Self::Untouched { file, claim }, true) => {
                format!("本轮报告“{claim}”，但没有任何工具调用改动过 `{file}`。")
            }
        }
    }
}

fn quoted(text: &str) -> String {
    let plain = line::tidy(text).replace(['“', '”'], "\"");
    line::shorten(&plain, QUOTED).unwrap_or_default()
}

fn is_any(name: &str, parts: &[&str]) -> bool {
    let name = name.to_lowercase();
    parts.iter().any(|part| name.contains(part))
}

/// Whether a tool changes the files that it names.
fn writes(tool: &ToolFact) -> bool {
    is_any(&tool.name, &["edit", "write", "patch", "replace", "create", "delete", "remove", "rename", "move"])
        && tool.ok != Some(false)
}

fn is_shell(tool: &ToolFact) -> bool {
    is_any(&tool.name, &["bash", "shell", "exec", "terminal", "command", "powershell"])
}

/// The command of a shell's run: the first line of what the host tells of it.
fn command(tool: &ToolFact) -> Option<String> {
    let first = tool.summary.as_deref().filter(|_| is_shell(tool))?.lines().next()?;
    let first = first.trim().trim_start_matches("$ ").trim();
    (!first.is_empty()).then(|| first.to_owned())
}

fn broken_order(turn: &Turn<'_>) -> Option<Note> {
    let standing = orders::standing(turn.facts.last_human.as_deref(), &turn.facts.earlier_humans);
    standing.into_iter().find_map(|(order, words)| {
        let act = turn.tools.iter().find_map(|tool| match &order {
            Order::LeaveFile(file) => (writes(tool) && tool.files.iter().any(|own| same_file(own, file)))
                .then(|| format!("`{}` on `{}`", tool.name, quoted(file))),
            Order::DoNotRun(forbidden) => command(tool)
                .filter(|run| orders::runs(run, forbidden))
                .map(|run| format!("`{}`", quoted(&run))),
        })?;
        Some(Note::Broken { order: quoted(&words), act })
    })
}

/// The same file, as far as the shorter of two paths says.
fn same_file(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim_start_matches("./"), b.trim_start_matches("./"));
    a == b || a.ends_with(&format!("/{b}")) || b.ends_with(&format!("/{a}"))
}

const CHECKS: &[&str] = &[
    "test", "pytest", "jest", "vitest", "check", "build", "clippy", "lint", "eslint", "tsc", "mypy", "ruff",
    "nextest",
];
const SUCCESS: &[&str] = &[
    "all tests pass",
    "all the tests pass",
    "tests pass",
    "tests are passing",
    "tests are green",
    "all green",
    "everything passes",
    "everything works",
    "builds cleanly",
    "build succeeds",
    "build passes",
    "no errors",
    "all checks pass",
    "全部通过",
    "测试通过",
    "测试都通过",
    "测试均通过",
    "构建成功",
];
const DOUBT: &[&str] = &[
    "fail",
    "error:",
    "broken",
    "not pass",
    "n't pass",
    " red",
    "unable",
    "could not",
    "couldn't",
    "except",
    "flaky",
    "known issue",
    "still ",
    "should pass",
    "will pass",
    "would pass",
    "once ",
    "after you",
    "not run",
    "n't run",
    "失败",
    "报错",
    "未通过",
    "无法",
    "没有通过",
    "应该",
];

/// A check whose last run in the turn failed, while the turn reports success and no word of a failure.
fn failed_check(turn: &Turn<'_>) -> Option<Note> {
    let prose = line::prose(turn.said);
    let lower = prose.to_lowercase();
    if DOUBT.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let claim = line::sentences(&prose).into_iter().find(|sentence| {
        let sentence = sentence.to_lowercase();
        SUCCESS.iter().any(|words| sentence.contains(words))
    })?;
    let mut checks = turn.tools.iter().filter_map(|tool| {
        let run = command(tool)?;
        let is_check = words(&run).any(|word| CHECKS.contains(&word.as_str()));
        is_check.then_some((run, tool.ok))
    });
    // The very last check decides: an earlier failure was made good, or was another matter.
    let (run, ok) = checks.next_back()?;
    (ok == Some(false)).then(|| Note::FailedCheck { command: quoted(&run), claim: quoted(&claim) })
}

fn words(command: &str) -> impl Iterator<Item = String> + '_ {
    command.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// The same command, failed again and again at the end of the turn, with nothing changed in between.
fn circles(turn: &Turn<'_>) -> Option<Note> {
    let last = turn.tools.last()?;
    let repeated = command(last)?;
    let times = turn
        .tools
        .iter()
        .rev()
        .take_while(|tool| tool.ok == Some(false) && command(tool).as_ref() == Some(&repeated))
        .count();
    (times >= CIRCLES).then(|| Note::Circles { command: quoted(&repeated), times })
}

const CHANGED: &[&str] = &[
    "i changed ",
    "i updated ",
    "i edited ",
    "i modified ",
    "i rewrote ",
    "i created ",
    "i have updated ",
    "i have changed ",
    "i've updated ",
    "i've changed ",
    "i've edited ",
    "updated ",
    "changed ",
    "edited ",
    "modified ",
    "rewrote ",
    "created ",
];
const CHANGED_CHINESE: &[&str] = &["修改了", "更新了", "创建了", "改写了", "编辑了"];

/// A file that the turn says it changed, while its tools name the files that they touched, and not this one.
fn untouched_file(turn: &Turn<'_>) -> Option<Note> {
    // A shell, or a tool whose files nobody tells, may have changed anything.
    let known = turn.tools.len() < MANY_TOOLS
        && !turn.tools.is_empty()
        && turn.tools.iter().all(|tool| !is_shell(tool) && !tool.files.is_empty());
    if !known {
        return None;
    }
    line::sentences(&line::prose(turn.said)).into_iter().find_map(|sentence| {
        let plain = line::tidy(&sentence);
        let file = said_to_be_changed(&plain)?;
        let touched = turn.tools.iter().flat_map(|tool| &tool.files).any(|own| same_file(own, &file));
        (!touched).then(|| Note::Untouched { file: quoted(&file), claim: quoted(&plain) })
    })
}

/// "Updated `src/a.rs`": the file named in backticks right behind the verb.
fn said_to_be_changed(sentence: &str) -> Option<String> {
    let english = CHANGED.iter().find_map(|start| line::after_prefix(sentence, start));
    let chinese = || CHANGED_CHINESE.iter().find_map(|verb| sentence.split_once(verb).map(|(_, rest)| rest));
    let rest = english.or_else(chinese)?.trim_start();
    let name = rest.strip_prefix("the file ").unwrap_or(rest).strip_prefix('`')?.split('`').next()?;
    orders::is_file(name).then(|| name.to_owned())
}

#[cfg(test)]
#[path = "advisor_tests.rs"]
mod tests;
