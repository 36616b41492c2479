//! What is refused, why, and how the model is told (rules D7, D8).

use super::super::{InvalidAnswer, ReplyFinish, Verdict, judge};
use super::{CAP, assert_refused, assert_unchanged, cause, context};

#[track_caller]
fn cause_with(raw: &str, finish: ReplyFinish, had_reasoning: bool) -> InvalidAnswer {
    match judge(raw, finish, had_reasoning, &context()) {
        Verdict::Invalid(cause) => cause,
        other => panic!("{raw:?} should be invalid, is {other:?}"),
    }
}

#[test]
fn an_empty_answer_says_whether_there_was_reasoning_f61_f62() {
    assert_refused(
        &InvalidAnswer::Empty,
        &["", "  \n", "\"\"", "NEXT:", "...", "```\n```", "\u{200b}\u{1b}[0m"],
    );
    assert_refused(
        &InvalidAnswer::ReasoningOnly,
        &["<think>run tests</think>", "<think>run tests", "x</think>"],
    );
    let cause = cause_with("", ReplyFinish::Stop, true);
    assert_eq!(cause, InvalidAnswer::ReasoningOnly);
    assert_eq!(cause.to_string(), "empty answer, reasoning only");
}

#[test]
fn an_answer_cut_by_the_limit_is_refused_however_good_it_looks_d7() {
    let cut = |chars, reasoning| InvalidAnswer::CutByLength { chars, reasoning };
    assert_eq!(cause_with("NEXT: run the te", ReplyFinish::Length, false), cut(10, false));
    assert_eq!(cause_with("NONE", ReplyFinish::Length, false), cut(4, false));
    assert_eq!(cause_with("", ReplyFinish::Length, true), cut(0, true));
    assert_eq!(cut(10, false).to_string(), "cut by the output limit after 10 characters");
}

#[test]
fn a_tool_call_without_text_is_refused_and_text_beside_one_is_judged_f83() {
    assert_eq!(cause_with("", ReplyFinish::ToolCalls, false), InvalidAnswer::ToolCallOnly);
    assert_eq!(cause("<tool_call>{\"name\":\"bash\"}</tool_call>"), InvalidAnswer::ToolCallOnly);
    assert_eq!(cause("<|tool_calls_section_begin|>bash"), InvalidAnswer::ToolCallOnly);
    assert!(matches!(judge("run tests", ReplyFinish::ToolCalls, false, &context()), Verdict::Offer(_)));
}

#[test]
fn several_lines_are_never_joined_f77() {
    assert_eq!(cause("run tests\nrm -rf /"), InvalidAnswer::SeveralLines { lines: 2 });
    for separator in ["\r", "\r\n", "\u{85}", "\u{2028}", "\u{b}", "\n\n\n"] {
        let raw = format!("run tests{separator}rm -rf /");
        assert_eq!(cause(&raw), InvalidAnswer::SeveralLines { lines: 2 }, "for {raw:?}");
    }
    assert_eq!(cause("- a\n- b\n- c"), InvalidAnswer::SeveralLines { lines: 3 });
    assert_eq!(cause("NONE\nThe work is done"), InvalidAnswer::SeveralLines { lines: 2 });
}

#[test]
fn several_alternatives_are_refused_d7() {
    assert_refused(
        &InvalidAnswer::Alternatives { count: 2 },
        &[
            "Option A: run the tests. Option B: commit the work",
            "Option 1) run the tests, option 2) commit",
            "1) run the tests 2) commit the work",
            "1. Run the tests 2. Commit the work",
            "Either run the tests or commit the work",
            "NEXT: run the tests. NEXT: commit the work",
            "Run the tests, or alternatively commit the work",
            "Add a test for x; alternatively fix the docs",
            "方案一：运行测试；方案二：提交",
        ],
    );
}

#[test]
fn prose_that_declines_is_refused_f67() {
    assert_refused(
        &InvalidAnswer::Abstains,
        &[
            "I don't have access to the recent activity. If you'd like me to…",
            "I don’t have access to the recent activity.",
            "I cannot recommend a step.",
            "I'm sorry, but I can't help with that.",
            "There is nothing to recommend.",
            "Output nothing since the work is done",
            "As an AI, I can only suggest text",
            "No further action is needed.",
            "Nothing to recommend right now",
            "NONE. The work is complete.",
            "NONE (all done)",
            "Unfortunately the session is empty",
            "我无法访问最近的活动",
            "抱歉，没有更多信息",
            "申し訳ありませんが、できません",
            "Es tut mir leid, das geht nicht",
            "Je ne peux pas recommander d'étape",
            "No puedo recomendar nada",
        ],
    );
}

#[test]
fn the_assistants_voice_is_refused_f74() {
    assert_refused(
        &InvalidAnswer::AssistantVoice,
        &[
            "Let me run the tests",
            "I'll commit this",
            "I’ll commit this",
            "I will run the tests",
            "I'm going to fix it",
            "I've added the flag",
            "Here is the next prompt: run the tests",
            "Here's what to do",
            "Sure, run the tests",
            "Certainly! Run the tests",
            "Would you like me to commit?",
            "**Let me run the tests**",
            "The next step is to run the tests",
            "我来运行测试",
            "让我运行测试",
            "我会提交",
            "私はテストを実行します",
            "Ich werde die Tests ausführen",
            "Je vais lancer les tests",
            "Voy a ejecutar las pruebas",
        ],
    );
    assert_unchanged(&[
        "Letters must be folded",
        "Illustrate the report",
        "Surely the parser needs a test, add one",
    ]);
}

#[test]
fn mere_evaluation_is_refused_d7() {
    assert_refused(
        &InvalidAnswer::Evaluation,
        &[
            "looks good",
            "Looks good!",
            "LGTM",
            "LGTM 🚀",
            "Great work!",
            "Great work! Thanks.",
            "Thanks",
            "The implementation of the parser looks good.",
            "Everything looks good 👍",
            "All tests pass.",
            "很好",
            "不错！",
            "很好，谢谢",
            "いいですね",
            "Sieht gut aus",
            "Parfait, merci",
        ],
    );
}

#[test]
fn blanks_and_option_lists_are_refused_f215() {
    assert_eq!(cause("Use [option A / option B] and send it to <email>"), InvalidAnswer::Blanks { count: 2 });
    assert_refused(
        &InvalidAnswer::Blanks { count: 1 },
        &[
            "Send it to <email>",
            "Send it to <your email>",
            "Send it to [your email]",
            "Write to {name} about the release notes",
            "Write to {{name}} about it",
            "Use <A|B> in the header",
            "Rename it to <new-name>",
            "Open [insert file here]",
            "Set the title to ____ in the header",
            "Pick [red | green | blue] for the bar",
        ]
        .map(|text| text.replace("<new-name>", "<file-name>"))
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>(),
    );
}

#[test]
fn brackets_of_code_and_markup_are_no_blanks_f215() {
    assert_unchanged(&[
        "Return Vec<String> from `parse`",
        "Wrap the list in a <div>",
        "Use HashMap<K, V> for the cache",
        "[x] item marks are lost, keep them",
        "Read arr[0] before the loop",
        "Move a/b.rs to c/d.rs",
        "Expand `${VAR}` in `<email>` and `{name}`",
        "Expand ${NAME} in paths",
        "Render the <name> element as a link",
        "Parse <name>x</name> in the feed",
        "Add the route /users/<id> to the docs",
        "Support --out <file> in the command",
        "Add [dependencies] to Cargo.toml",
        "Link [the docs](https://example.com)",
        "Import { useState } from react",
        "Call __init__ once",
        "Fix Result<(), Error> in main",
        "Derive Debug on Option<Path>",
        "Rename app/[id]/page.tsx",
        "Check that a < b and c > d",
    ]);
}

#[test]
fn structured_answers_and_left_over_tokens_are_refused() {
    assert_eq!(cause("{\"next\": \"run tests\"}"), InvalidAnswer::Structured);
    assert_eq!(cause("Escape `<|im_end|>` in the template"), InvalidAnswer::TemplateTokens { count: 1 });
}

#[test]
fn the_correction_restates_format_cap_and_what_was_measured_d8() {
    let text = InvalidAnswer::TooLong { chars: 312, cap: 240 }.correction(CAP);
    for part in [
        "312 characters",
        "72 over the cap of 240",
        "one line",
        "at most 240 characters",
        "NEXT:",
        "GOAL:",
        "NONE",
    ] {
        assert!(text.contains(part), "{part:?} is missing in {text:?}");
    }
    let text = InvalidAnswer::SeveralLines { lines: 3 }.correction(80);
    assert!(text.contains("3 lines") && text.contains("at most 80 characters"), "{text}");
}

#[test]
fn causes_are_one_line_without_the_answer_d10() {
    for raw in [
        "run tests\nsecret-word",
        "Let me secret-word",
        "I cannot secret-word",
        "Send secret-word to <email>",
    ] {
        let shown = cause(raw).to_string();
        assert!(!shown.contains('\n') && !shown.contains("secret-word"), "{shown}");
        assert!(!cause(raw).correction(CAP).contains("secret-word"));
    }
}

#[test]
fn finish_reasons_are_read_leniently() {
    let read = |json: &str| serde_json::from_str::<ReplyFinish>(json).unwrap();
    assert_eq!(read("\"stop\""), ReplyFinish::Stop);
    assert_eq!(read("\"length\""), ReplyFinish::Length);
    assert_eq!(read("\"tool_calls\""), ReplyFinish::ToolCalls);
    assert_eq!(read("\"tool-calls\""), ReplyFinish::ToolCalls);
    assert_eq!(read("\"insufficient_system_resource\""), ReplyFinish::Other);
}

#[test]
fn the_example_of_the_request_is_no_answer_d7() {
    for text in [
        "NEXT: <one imperative prompt for the worker>",
        "<one imperative prompt>",
        "NEXT: One imperative prompt for the worker.",
        "GOAL: <one step that creates, edits, closes or re-cuts the session's goal>",
    ] {
        assert_eq!(cause(text), InvalidAnswer::Blanks { count: 1 }, "{text}");
    }
}
