//! What is offered, and what is a good "nothing" (rules D7, D9, G2).

use super::super::{AnswerContext, InvalidAnswer, OfferKind, Proposal, ReplyFinish, Verdict, judge};
use super::{assert_offer, assert_unchanged, cause, context, verdict};

#[test]
fn plain_prompts_are_offered_unchanged_f79_f70_f80() {
    assert_unchanged(&[
        "set CODEX_HOME",
        "don't run tests yet",
        "open app-server/README.md",
        "(WIP) fix the login redirect (again)",
        "None of the tests pass on Windows, fix path joins",
        "None of the tests pass, fix them",
        "run tests.",
        "run tests",
        "copy the rules to …/etc.",
        "continue",
        "Decide whether to use A or B and document it",
        "Compare option A with option B and pick one",
        "Do two things: 1) add tests 2) update docs",
        "Let's add tests for the parser",
        "I want you to add tests for the parser",
        "I need a test for the parser",
        "Verify that everything looks good on mobile",
        "Nothing renders on Safari, find out why",
        "No output is_empty check is missing, add one",
        "Looks good, commit it",
        "Thanks, now add a test for the empty ledger",
        "Either way, add a test",
        "让我们添加测试",
        "修复 parser 里的 panic，然后运行 `cargo test`",
        "テストを実行して結果を README に書く",
        "Lass den Parser leere Zeilen annehmen",
        "أضف اختبارا للمحلل",
        "Add a test for GOAL: lines in the parser",
    ]);
}

#[test]
fn trailing_blank_lines_do_not_make_a_second_line() {
    assert_offer("NEXT: run tests\n\n  \n", "run tests", OfferKind::Prompt);
}

#[test]
fn the_cap_counts_characters_and_240_is_inside_f65_f101() {
    let exact = "é".repeat(240);
    assert_offer(&exact, &exact, OfferKind::Prompt);
    assert_eq!(cause(&"é".repeat(241)), InvalidAnswer::TooLong { chars: 241, cap: 240 });
    assert_eq!(cause(&"x".repeat(300)).to_string(), "300 characters, cap 240");
    // A family emoji is several characters, and nothing is cut to make it fit.
    let family = "👨\u{200d}👩\u{200d}👧\u{200d}👦";
    assert_eq!(cause(&family.repeat(240)), InvalidAnswer::TooLong { chars: 240 * 7, cap: 240 });
    let fits = family.repeat(34);
    assert_offer(&fits, &fits, OfferKind::Prompt);
}

#[test]
fn the_cap_applies_behind_the_goal_prefix_f154() {
    let step = "x".repeat(240);
    assert_offer(&format!("GOAL: {step}"), &step, OfferKind::GoalEdit);
    assert_eq!(cause(&format!("GOAL: {step}y")), InvalidAnswer::TooLong { chars: 241, cap: 240 });
}

#[test]
fn a_goal_prefix_is_recognised_in_any_dress_and_taken_off_f149_f152_g2() {
    for raw in [
        "GOAL: narrow it",
        "goal: narrow it",
        "Goal：narrow it",
        "ＧＯＡＬ：narrow it",
        "**GOAL:** narrow it",
        "**GOAL**: narrow it",
        "**GOAL: narrow it**",
        "\"GOAL: narrow it\"",
        "「GOAL：narrow it」",
        "\"GOAL:\" narrow it",
        "GOAL: \"narrow it\"",
        "GOAL: GOAL: narrow it",
        "GOAL: **GOAL:** \"narrow it\"",
        "NEXT: GOAL: narrow it",
        "**NEXT:** **GOAL:** narrow it",
        "GOAL: NEXT: narrow it",
        "- GOAL: narrow it",
        "`GOAL: narrow it`",
        "```\nGOAL: narrow it\n```",
        "<think>hm</think>GOAL: narrow it",
        "\u{200f}GOAL: narrow it",
        "GO\u{200b}AL: narrow it",
        "GOAL - narrow it",
        "[GOAL] narrow it",
        "GOAL: <think>x</think>narrow it",
    ] {
        assert_offer(raw, "narrow it", OfferKind::GoalEdit);
    }
}

#[test]
fn the_word_goal_elsewhere_means_nothing_g2() {
    assert_unchanged(&[
        "Explain the GOAL: protocol",
        "Goals page: fix the layout",
        "goalkeeper: fix the sprite",
        "Document the goal of this function",
    ]);
}

#[test]
fn a_goal_prefix_with_nothing_behind_it_is_malformed_f151() {
    for raw in ["GOAL:", "**GOAL:**", "goal： ", "GOAL: GOAL:", "GOAL: \"\"", "GOAL: ...", "NEXT: GOAL:"] {
        assert_eq!(cause(raw), InvalidAnswer::EmptyGoalStep, "for {raw:?}");
    }
}

#[test]
fn goal_words_without_the_prefix_are_by_hand_too_f155() {
    assert_offer("NEXT: /goal set finish the docs", "/goal set finish the docs", OfferKind::GoalEdit);
    assert_offer("change the goal to X", "change the goal to X", OfferKind::GoalEdit);
    assert_offer("/clear", "/clear", OfferKind::Command);
}

#[test]
fn none_is_a_good_answer_in_any_dress_f68_d9() {
    for raw in [
        "NONE",
        "none.",
        "None!",
        "[NONE]",
        "(none)",
        "\"NONE\"",
        "**NONE**",
        "NEXT: NONE",
        "next: none.",
        "`NONE`",
        "<think>done</think>NONE",
        "N/A",
        "n/a.",
        "no output",
        "No output.",
        "nothing",
        "Nothing.",
        "GOAL: NONE",
        "无",
        "没有。",
        "なし",
        "ＮＯＮＥ",
        "```\nNONE\n```",
        "- NONE",
        "<none>",
        "NONE\n\n",
    ] {
        assert_eq!(verdict(raw), Verdict::Nothing, "for {raw:?}");
    }
}

#[test]
fn a_line_from_the_worker_between_next_tags_loses_them_f218() {
    assert_offer("<next>run the parser tests</next>", "run the parser tests", OfferKind::Prompt);
}

#[test]
fn an_echo_of_one_of_the_last_three_prompts_is_refused_f82() {
    let recent = ["oldest", "first", "Second　Prompt", "third"].map(str::to_owned);
    let context = AnswerContext { recent_human: &recent, ..context() };
    let judged = |raw: &str| judge(raw, ReplyFinish::Stop, false, &context);
    assert_eq!(judged("NEXT: THIRD "), Verdict::Invalid(InvalidAnswer::Echo { prompts_ago: 1 }));
    assert_eq!(judged("second prompt"), Verdict::Invalid(InvalidAnswer::Echo { prompts_ago: 2 }));
    assert_eq!(judged("ｆｉｒｓｔ"), Verdict::Invalid(InvalidAnswer::Echo { prompts_ago: 3 }));
    assert!(matches!(judged("oldest"), Verdict::Offer(_)));
    assert!(matches!(judged("third time"), Verdict::Offer(_)));
}

#[test]
fn a_foreign_tail_is_refused_f98() {
    let judged = |raw: &str, session_text: &str| {
        judge(raw, ReplyFinish::Stop, false, &AnswerContext { session_text, ..context() })
    };
    let raw = "open it in a file so I can read it 오늘은 이 영상에서";
    assert_eq!(judged(raw, "Add a flag"), Verdict::Invalid(InvalidAnswer::ForeignTail { letters: 8 }));
    for raw in [
        "修复解析器 오늘은 이 영상에서",
        "run the parser tests и потом проверь всё",
        "run the parser tests 今天我们来看看这个视频",
        "run the tests في هذا الفيديو اليوم",
    ] {
        assert!(
            matches!(judged(raw, "Add a flag"), Verdict::Invalid(InvalidAnswer::ForeignTail { .. })),
            "for {raw:?}"
        );
    }
    for (raw, session) in [
        (raw, "오늘은 무엇을 할까요"),
        ("把错误信息改成 English and keep the old text", "修复解析器"),
        ("修复 the parser 中的错误", "Add a flag"),
        ("运行测试", "Add a flag"),
        ("Reply to 김철수", "Add a flag"),
        ("Ask Иван Петров", "Add a flag"),
        ("Rename the heading to \"今天我们来看看这个视频\"", "Add a flag"),
        ("Rename the heading to 「今天我们来看看这个视频」", "Add a flag"),
        ("Rename 打开 to open everywhere in the code", "Add a flag"),
        ("Use λ and µ as names", "Add a flag"),
    ] {
        assert_eq!(
            judged(raw, session),
            Verdict::Offer(Proposal { text: raw.to_owned(), kind: OfferKind::Prompt }),
            "for {raw:?}"
        );
    }
}
