//! What is not worth a word: notes without substance, too long ones, and notes about the advisor itself (rule V3).

use crate::answer::{AnswerContext, InvalidAnswer, ReplyFinish, Verdict, fold_for_echo, judge};

/// The most characters of a note.
const NOTE_CHARS: usize = 768;
/// Words that a note needs at least.
const LEAST_WORDS: usize = 3;
/// Characters that a note in a script without spaces needs at least.
const LEAST_UNSPACED: usize = 6;

/// Whole clauses that say nothing about the work.
#[rustfmt::skip]
const EMPTY_CLAUSES: &[&str] = &[
    "approved", "carry on", "continue", "done", "everything looks fine", "everything looks good", "fine", "go ahead",
    "go on", "good", "good job", "good work", "great", "halt", "keep going", "keep it up", "lgtm", "looks fine",
    "looks good", "looks good to me", "no action needed", "no action required", "no changes needed", "no comment",
    "no comments", "no concern", "no concerns", "no further comments", "no further notes", "no issue", "no issues",
    "no issues found", "no note", "no notes", "no problem", "no problems", "no problems found", "no risk",
    "no risks", "none", "nothing", "nothing else", "nothing else to add", "nothing to add", "nothing to note",
    "nothing to report", "nothing to say", "nothing wrong", "ok", "okay", "pause", "please continue", "proceed",
    "ship it", "stop", "there are no issues", "there is nothing to note", "wait", "well done", "yes", "no",
    "all good", "all is well", "all fine", "carry on as planned", "continue as planned", "proceed as planned",
    "停", "停止", "完成", "已完成", "好", "好的", "很好", "可以", "没有问题", "没问题", "无", "无问题", "暂无", "继续", "请继续",
    "没有意见", "一切正常", "問題なし", "問題ありません", "特になし", "続けてください", "続行",
];

/// What the reviewer is called, and what it would say of itself.
const OWN_NAMES: &[&str] = &["advisor", "advisors", "adviser", "reviewer"];
/// A name behind one of these speaks of the one advisor that there is.
const POINTERS: &[&str] =
    &["the", "this", "your", "my", "our", "an", "a", "as", "previous", "earlier", "last"];
/// What the advisor says.
#[rustfmt::skip]
const OWN_WORDS: &[&str] = &[
    "advice", "blocker", "blockers", "comment", "comments", "concern", "concerns", "feedback", "message", "messages",
    "nit", "nits", "note", "notes", "remark", "remarks", "review", "reviews", "warning", "warnings",
];
/// A name before one of these is a part of the human's own software.
#[rustfmt::skip]
const SOFTWARE: &[&str] = &[
    "api", "class", "code", "column", "command", "component", "config", "configuration", "crate", "endpoint", "field",
    "file", "folder", "form", "function", "hook", "interface", "key", "method", "model", "module", "package", "page",
    "plugin", "prompt", "role", "route", "schema", "screen", "section", "service", "struct", "table", "test", "tests",
    "type", "view", "widget",
];

/// The note as one paragraph, without marks of the kind that delivery puts before it.
pub(super) fn one_paragraph(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = line.as_str();
    while let Some(behind) = without_mark(rest) {
        rest = behind;
    }
    rest.to_owned()
}

fn without_mark(text: &str) -> Option<&str> {
    let (mark, behind) = text.strip_prefix('[')?.split_once(']')?;
    let known = ["advisor:nit", "advisor:concern", "advisor:blocker"];
    known.iter().any(|name| mark.eq_ignore_ascii_case(name)).then(|| behind.trim_start())
}

/// Why a note is not delivered, if it is not.
pub(super) fn refusal(note: &str) -> Option<&'static str> {
    if !has_substance(note) {
        Some("empty-note")
    } else if note.chars().count() > NOTE_CHARS {
        Some("oversized")
    } else if speaks_of_itself(note) {
        Some("self")
    } else {
        None
    }
}

fn has_substance(note: &str) -> bool {
    let folded = fold_for_echo(note);
    let unspaced = folded.chars().filter(|c| is_unspaced(*c)).count();
    let words = folded
        .split_whitespace()
        .filter(|word| word.chars().any(|c| c.is_alphanumeric() && !is_unspaced(c)))
        .count();
    // A mixed note counts its words for two characters each.
    let enough =
        words.saturating_mul(LEAST_UNSPACED / LEAST_WORDS).saturating_add(unspaced) >= LEAST_UNSPACED;
    enough && !is_empty_talk(&folded) && !is_praise(note)
}

fn is_empty_talk(folded: &str) -> bool {
    folded
        .split(['.', '!', '?', ',', ';', ':', '—', '–', '。', '、', '…'])
        .map(|clause| clause.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|clause| !clause.is_empty())
        .all(|clause| EMPTY_CLAUSES.contains(&clause))
}

fn is_praise(note: &str) -> bool {
    let context = AnswerContext { max_chars: usize::MAX, recent_human: &[], session_text: note };
    judge(note, ReplyFinish::Stop, false, &context) == Verdict::Invalid(InvalidAnswer::Evaluation)
}

/// Scripts that are written without spaces between words.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        '\u{e00}'..='\u{eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// The note is about the advisor, not about the work: such talk would feed on itself. A file, a type or a page that
/// bears the name is the human's own.
fn speaks_of_itself(note: &str) -> bool {
    let folded = fold_for_echo(&without_code(note));
    if folded.contains("[advisor:") || folded.contains("顾问的") || folded.contains("本顾问") {
        return true;
    }
    let words: Vec<&str> = folded.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).copied();
        let behind = words.get(at.saturating_add(1)).copied();
        let owned = OWN_NAMES.iter().any(|name| word.strip_suffix("'s") == Some(*name));
        let of_software = behind.is_some_and(|behind| SOFTWARE.contains(&behind));
        let said = behind.is_some_and(|behind| OWN_WORDS.contains(&behind));
        if OWN_NAMES.contains(word) {
            return !of_software && (said || before.is_none_or(|before| POINTERS.contains(&before)));
        }
        if owned {
            return said || (!of_software && before.is_none_or(|before| POINTERS.contains(&before)));
        }
        // "my earlier note"
        *word == "my" && words.iter().skip(at.saturating_add(1)).take(2).any(|near| OWN_WORDS.contains(near))
    })
}

/// A word without the marks around it; what joins names to names stays.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '_' | '-' | '.'))
        .trim_end_matches(['.', '-'])
}

/// The note without its code spans.
fn without_code(note: &str) -> String {
    note.split('`').step_by(2).collect::<Vec<_>>().join(" x ")
}
