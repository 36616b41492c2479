//! Tool runs that failed and were not made good.

use super::{generic, line};
use crate::facts::{Facts, ToolFact};

/// The newest failed run of the last turn that no later run of the same tool on the same files made good, if it says what
/// it failed on.
pub(crate) fn failed(facts: &Facts) -> Option<&ToolFact> {
    let in_turn = |tool: &ToolFact| tool.turn == facts.current_turn;
    let made_good = |index: usize, failed: &ToolFact| {
        facts.tools.iter().skip(index + 1).any(|later| {
            later.ok == Some(true)
                && later.name == failed.name
                && (failed.files.is_empty() || later.files == failed.files)
        })
    };
    facts.tools.iter().enumerate().rev().find_map(|(index, tool)| {
        let failed = tool.ok == Some(false)
            && in_turn(tool)
            && !made_good(index, tool)
            && !is_of_the_harness(&tool.name);
        (failed && (!tool.files.is_empty() || first_line(tool).is_some())).then_some(tool)
    })
}

/// Whether a tool keeps the worker's own books: that it failed is nothing that a person has to put right.
fn is_of_the_harness(name: &str) -> bool {
    const NAMES: [&str; 14] = [
        "todowrite",
        "writetodos",
        "todoread",
        "updateplan",
        "taskcreate",
        "taskupdate",
        "tasklist",
        "toolsearch",
        "toolcall",
        "askuserquestion",
        "requestuserinput",
        "exitplanmode",
        "skill",
        "tool",
    ];
    let folded: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    NAMES.contains(&folded.as_str())
}

/// The first line of what a tool printed, if it names anything.
pub(crate) fn first_line(tool: &ToolFact) -> Option<String> {
    let summary = tool.summary.as_deref()?;
    let first = summary.lines().map(line::tidy).find(|line| !line.is_empty())?;
    (!generic::is_generic(&first) && first.chars().count() >= 6).then_some(first)
}
