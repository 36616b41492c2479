//! Plain prohibitions in what the human wrote: which file to leave alone, which command not to run.

use super::line;

/// Something that the human forbade, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    LeaveFile(String),
    DoNotRun(String),
}

impl Order {
    fn name(&self) -> &str {
        match self {
            Self::LeaveFile(name) | Self::DoNotRun(name) => name,
        }
    }
}

/// The orders that still stand, each with its sentence. One whose name comes up again in a later prompt is taken for
/// changed: only a reader could tell.
pub(crate) fn standing(last: Option<&str>, earlier: &[String]) -> Vec<(Order, String)> {
    let prompts: Vec<&str> = earlier.iter().map(String::as_str).chain(last).collect();
    let mut standing = Vec::new();
    for (at, prompt) in prompts.iter().enumerate() {
        for (order, sentence) in in_prompt(prompt) {
            let later = prompts.iter().skip(at + 1).any(|later| later.contains(order.name()));
            let twice = prompt.matches(order.name()).count() > 1;
            if !later && !twice {
                standing.push((order, sentence));
            }
        }
    }
    standing
}

const FORBIDS: &[&str] = &[
    "do not ",
    "don't ",
    "don’t ",
    "never ",
    "please do not ",
    "please don't ",
    "please don’t ",
    "you must not ",
];
const CHANGES: &[&str] =
    &["touch ", "change ", "edit ", "modify ", "rewrite ", "delete ", "remove ", "overwrite ", "alter "];
const RUNS: &[&str] = &["run ", "execute ", "call "];
const WITHOUT: &[&str] =
    &["without touching ", "without changing ", "without editing ", "without modifying "];
/// An order with one of these has a condition, which nobody here can judge.
const CONDITIONS: &[&str] = &[
    "unless",
    "until",
    "before",
    "if ",
    "except",
    "without asking",
    "only ",
    "when ",
    "yet",
    "除非",
    "之前",
    "如果",
    "否则",
];

fn in_prompt(prompt: &str) -> Vec<(Order, String)> {
    let prose = line::prose(prompt);
    let mut found = Vec::new();
    for sentence in line::sentences(&prose) {
        let lower = sentence.to_lowercase();
        if CONDITIONS.iter().any(|word| lower.contains(word)) || lower.trim_end().ends_with('?') {
            continue;
        }
        for clause in clauses(&sentence) {
            found.extend(order(clause).map(|order| (order, clause.trim().to_owned())));
        }
    }
    found
}

fn clauses(sentence: &str) -> Vec<&str> {
    [", ", "; ", " but ", " and ", "，", "；", "。", "："]
        .iter()
        .fold(vec![sentence], |parts, joint| parts.into_iter().flat_map(|part| part.split(joint)).collect())
}

fn order(clause: &str) -> Option<Order> {
    let clause = clause.trim();
    let after = |text: &str, starts: &[&str]| {
        starts.iter().find_map(|start| line::after_prefix(text, start)).map(str::to_owned)
    };
    if let Some(rest) = after(clause, FORBIDS) {
        if let Some(object) = after(&rest, CHANGES) {
            return file(&object).map(Order::LeaveFile);
        }
        if let Some(object) = after(&rest, RUNS) {
            return in_backticks(&object).map(Order::DoNotRun);
        }
        let first = rest.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
        return match first.as_str() {
            "commit" => Some(Order::DoNotRun("git commit".to_owned())),
            "push" => Some(Order::DoNotRun("git push".to_owned())),
            _ => None,
        };
    }
    if let Some(rest) = after(clause, &["leave "]) {
        let name = file(&rest)?;
        let alone = ["alone", "as it is", "untouched", "unchanged"].iter().any(|word| rest.contains(word));
        return alone.then_some(Order::LeaveFile(name));
    }
    let lower = clause.to_ascii_lowercase();
    if let Some(rest) = WITHOUT.iter().find_map(|words| lower.find(words).map(|at| at + words.len())) {
        return clause.get(rest..).and_then(file).map(Order::LeaveFile);
    }
    chinese(clause)
}

fn chinese(clause: &str) -> Option<Order> {
    let rest =
        ["不要", "请不要", "请勿", "别", "禁止"].iter().find_map(|start| clause.strip_prefix(start))?;
    let behind = |verbs: &[&str]| verbs.iter().find_map(|verb| rest.strip_prefix(verb));
    if let Some(object) = behind(&["修改", "改动", "编辑", "删除", "覆盖", "改", "动", "碰"]) {
        return file(object).map(Order::LeaveFile);
    }
    behind(&["运行", "执行"]).and_then(in_backticks).map(Order::DoNotRun)
}

/// The file that a text begins with, in backticks or plain.
fn file(text: &str) -> Option<String> {
    let text = text.trim_start();
    let text = ["the file ", "the ", "文件"].iter().find_map(|skip| text.strip_prefix(skip)).unwrap_or(text);
    let text = text.trim_start();
    let name = match text.strip_prefix('`') {
        Some(rest) => rest.split('`').next()?,
        None => {
            text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '!' | '?' | '。')).next()?
        }
    };
    let name = name.trim_end_matches(['.', ':']);
    is_file(name).then(|| name.to_owned())
}

fn in_backticks(text: &str) -> Option<String> {
    let name = text.trim_start().strip_prefix('`')?.split('`').next()?.trim();
    (name.chars().count() >= 2).then(|| name.to_owned())
}

/// Looks like a file: a name with an ending, and nothing that a glob or an address would have.
pub(crate) fn is_file(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or_default();
    let ending = last.rsplit_once('.').map(|(_, ending)| ending).unwrap_or_default();
    (1..=8).contains(&ending.chars().count())
        && ending.chars().all(|c| c.is_ascii_alphanumeric())
        && ending.chars().any(|c| c.is_ascii_alphabetic())
        && !name.contains(['*', ' ', '<', '(', ':'])
}

/// Whether a command line runs what was forbidden: one of its commands begins with the same words.
pub(crate) fn runs(command: &str, forbidden: &str) -> bool {
    let wanted: Vec<&str> = forbidden.split_whitespace().collect();
    !wanted.is_empty()
        && command.split(['&', ';', '|']).any(|part| {
            let words: Vec<&str> = part.split_whitespace().collect();
            words.starts_with(&wanted)
        })
}
