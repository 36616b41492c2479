//! Which notes are worth a word (rule V3).

use crate::advisor::note::{one_paragraph, refusal};

#[track_caller]
fn refused(cause: &str, note: &str) {
    assert_eq!(refusal(&one_paragraph(note)), Some(cause), "{note}");
}

#[track_caller]
fn said(note: &str) {
    assert_eq!(refusal(&one_paragraph(note)), None, "{note}");
}

#[test]
fn f181_notes_without_substance_are_refused() {
    for note in [
        "Stop.",
        "*stop*",
        "ＤＯＮＥ",
        "No issue; continue.",
        "Done.",
        "Looks good to me.",
        "Everything looks good. Continue.",
        "Two words",
        "",
        "!!!",
        "没有问题，继续。",
        "很好",
        "修复它吧",
        "LGTM, ship it, well done!",
    ] {
        refused("empty-note", note);
    }
}

#[test]
fn short_notes_with_substance_are_said() {
    for note in [
        "Escape the path.",
        "Tests never ran",
        "缓存从不清空会泄漏",
        "缺少对空账本的测试",
        "修复 parse_row 的溢出错误",
        "Stop: the migration drops a column that `report` reads.",
    ] {
        said(note);
    }
}

#[test]
fn a_note_has_at_most_768_characters() {
    let note = |chars: usize| format!("The parser drops {}", "x".repeat(chars - 17));
    said(&note(768));
    refused("oversized", &note(769));
    said(&format!("这个解析器{}", "丢".repeat(763)));
}

#[test]
fn f188_notes_about_the_advisor_itself_are_refused() {
    for note in [
        "The advisor should be consulted more often.",
        "The advisor's last note was ignored by the worker.",
        "As the advisor I cannot verify this.",
        "Advisor notes are being ignored in this session.",
        "My earlier note still stands and was not addressed.",
        "The worker ignored the [advisor:concern] message.",
        "Please follow the previous advisor feedback.",
        "The reviewer has already said this.",
    ] {
        refused("self", note);
    }
    for note in [
        "`advisor.rs` has no test for an empty delta.",
        "advisor.rs has no test for an empty delta.",
        "src/advisor/mod.rs grows too large for one file.",
        "The `advisor` module has no test for an empty delta.",
        "The advisor module has no test for an empty delta.",
        "The advisor page shows the wrong currency.",
        "The financial-advisor form loses its input on reload.",
        "Financial advisor names are stored without escaping.",
        "My_table is dropped before the copy is verified.",
    ] {
        said(note);
    }
}

#[test]
fn a_note_is_one_paragraph_without_a_mark_of_its_own() {
    assert_eq!(one_paragraph("  a\n\nb\tc "), "a b c");
    assert_eq!(one_paragraph("[advisor:nit] [ADVISOR:BLOCKER]  a b"), "a b");
    assert_eq!(one_paragraph("[x] a"), "[x] a");
}
