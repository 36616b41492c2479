//! What cleaning takes off, and what it leaves (rule D7).

use super::super::clean;

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (raw, expected) in cases {
        assert_eq!(&clean(raw), expected, "for {raw:?}");
    }
}

#[test]
fn terminal_sequences_go_as_a_whole_d7() {
    check(&[
        ("\u{1b}[31mrun tests\u{1b}[0m", "run tests"),
        ("\u{1b}[38;5;196mrun\u{1b}[m tests", "run tests"),
        ("\u{1b}]0;title\u{7}run tests", "run tests"),
        ("\u{1b}]8;;https://x.test\u{1b}\\run tests\u{1b}]8;;\u{1b}\\", "run tests"),
        ("\u{1b}Pq#0;2;0\u{1b}\\run tests", "run tests"),
        ("\u{1b}_payload\u{9c}run tests", "run tests"),
        ("\u{9b}2Jrun tests", "run tests"),
        ("\u{9d}0;title\u{9c}run tests", "run tests"),
        ("\u{1b}crun tests", "run tests"),
        ("\u{1b}(Brun tests", "run tests"),
        ("run\u{1b} tests", "run tests"),
        ("\u{1b} Frun tests", "run tests"),
        ("run tests\u{1b}", "run tests"),
        ("\u{1b}]0;never ended\nrun tests", "run tests"),
    ]);
}

#[test]
fn control_characters_go_and_line_breaks_of_every_kind_stay_line_breaks_f77() {
    check(&[
        ("run\u{0} te\u{8}sts\u{7f}", "run tests"),
        ("run\ttests", "run tests"),
        ("a\r\nb", "a\nb"),
        ("a\rb", "a\nb"),
        ("a\u{85}b", "a\nb"),
        ("a\u{b}b\u{c}c\u{2028}d\u{2029}e", "a\nb\nc\nd\ne"),
    ]);
}

#[test]
fn bidirectional_overrides_go_and_directional_marks_stay_f104() {
    check(&[
        ("run \u{202e}stset\u{202c}", "run stset"),
        ("run \u{2066}tests\u{2069}", "run tests"),
        ("run \u{202a}the\u{202b} \u{202d}tests\u{2067}\u{2068}", "run the tests"),
        ("شغّل\u{200f} الاختبارات \u{200e}cargo\u{61c}", "شغّل\u{200f} الاختبارات \u{200e}cargo\u{61c}"),
    ]);
}

#[test]
fn zero_width_characters_go_unless_emoji_or_scripts_need_them_d7() {
    check(&[
        ("ru\u{200b}n te\u{feff}s\u{2060}ts\u{ad}", "run tests"),
        ("run\u{200d} te\u{200c}sts", "run tests"),
        ("run \u{e0041}\u{e0042}tests", "run tests"),
        ("run\u{fe0f} tests\u{fe0e}", "run tests"),
        ("a\u{fe01}b\u{e0101}c", "abc"),
        ("add 👨\u{200d}👩\u{200d}👧 to the list", "add 👨\u{200d}👩\u{200d}👧 to the list"),
        ("use ❤\u{fe0f}\u{200d}🔥", "use ❤\u{fe0f}\u{200d}🔥"),
        ("press 1\u{fe0f}\u{20e3}", "press 1\u{fe0f}\u{20e3}"),
        (
            "fly 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} now",
            "fly 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} now",
        ),
        ("fly 🏴\u{e0067}\u{e0062} now", "fly 🏴 now"),
        ("تست\u{200c}ها را اجرا کن", "تست\u{200c}ها را اجرا کن"),
        ("क\u{94d}\u{200d}ष जोड़ें", "क\u{94d}\u{200d}ष जोड़ें"),
        ("葛\u{e0100}城市を追加", "葛\u{e0100}城市を追加"),
    ]);
}

#[test]
fn reasoning_goes_closed_unclosed_or_only_closed_f59() {
    check(&[
        ("<think>maybe [a] or [b]</think>run the parser tests", "run the parser tests"),
        ("<thinking>\nhm\n</thinking>\n\nNEXT: run tests", "run tests"),
        ("<THINK>x</THINK>run tests", "run tests"),
        ("<think >x</think >run tests", "run tests"),
        ("<reasoning effort=\"low\">x</reasoning>run tests", "run tests"),
        ("[THINK]x[/THINK]run tests", "run tests"),
        ("◁think▷x◁/think▷run tests", "run tests"),
        ("<|begin_of_thought|>x<|end_of_thought|>run tests", "run tests"),
        ("chain of thought\n</think>\nAdd a test.", "Add a test."),
        ("maybe this </think> run tests", "run tests"),
        ("<think>a</think><think>b</think>run tests", "run tests"),
        ("<think>a<think>b</think>c</think>run tests", "run tests"),
        ("<think></think>run tests", "run tests"),
        ("NEXT: <think>hm</think>run tests", "run tests"),
        ("\"<think>hm</think>run tests\"", "run tests"),
        ("run tests <think>or should the agent do more</think>", "run tests"),
        ("run tests\n<think>was that right", "run tests"),
        ("<think>never ended", ""),
        (
            "<|channel|>analysis<|message|>We see<|end|><|start|>assistant<|channel|>final<|message|>run tests",
            "run tests",
        ),
        ("<|channel|>analysis<|message|>We see", ""),
    ]);
}

#[test]
fn a_sentence_about_reasoning_tags_stays() {
    check(&[
        ("Handle an unclosed <think> tag in the parser", "Handle an unclosed <think> tag in the parser"),
        ("Strip <think> and </think> from replies", "Strip <think> and </think> from replies"),
        ("Handle a lone `</think>` in the parser", "Handle a lone `</think>` in the parser"),
        ("Test `<think>one two three</think>` in replies", "Test `<think>one two three</think>` in replies"),
    ]);
}

#[test]
fn template_tokens_go_with_their_roles_f76() {
    check(&[
        ("<|im_start|>run the tests<|im_end|>", "run the tests"),
        ("<|im_start|>assistant\nrun the tests<|im_end|>", "run the tests"),
        ("<|start_header_id|>assistant<|end_header_id|>\n\nrun the tests<|eot_id|>", "run the tests"),
        ("<s>[INST] run the tests [/INST]</s>", "run the tests"),
        ("run the tests</s>", "run the tests"),
        ("<｜Assistant｜>run the tests<｜end▁of▁sentence｜>", "run the tests"),
        ("<start_of_turn>model\nrun the tests<end_of_turn>", "run the tests"),
        ("<|endoftext|>run the tests<|endoftext|>", "run the tests"),
        ("<|im_<|pad|>start|>run the tests", "run the tests"),
        ("<|im_start|>user stories go into docs/", "user stories go into docs/"),
        ("Replace <| by |> in Main.elm", "Replace <| by |> in Main.elm"),
        ("Drop <s> tags from the HTML", "Drop <s> tags from the HTML"),
    ]);
}

#[test]
fn one_surrounding_fence_goes_f71() {
    check(&[
        ("```\nrun the tests\n```", "run the tests"),
        ("```text\nrun the tests\n```", "run the tests"),
        ("~~~bash\nrun the tests\n~~~", "run the tests"),
        ("````\nrun the tests\n````", "run the tests"),
        ("```\nrun the tests", "run the tests"),
        ("run the tests\n```", "run the tests"),
        ("```run the tests```", "run the tests"),
        ("NEXT:\n```\nrun the tests\n```", "run the tests"),
        ("```\nNEXT: run the tests\n```", "run the tests"),
        ("```\na\nb\n```", "a\nb"),
    ]);
}

#[test]
fn one_pair_of_surrounding_quotes_goes_and_inner_quotes_stay_f73() {
    check(&[
        ("\"run tests\"", "run tests"),
        ("'run tests'", "run tests"),
        ("“run tests”", "run tests"),
        ("‘run tests’", "run tests"),
        ("„run tests“", "run tests"),
        ("«run tests»", "run tests"),
        ("「run tests」", "run tests"),
        ("『run tests』", "run tests"),
        ("＂run tests＂", "run tests"),
        ("`cargo test`", "cargo test"),
        ("``cargo `x` test``", "cargo `x` test"),
        ("\"'run tests'\"", "run tests"),
        ("'don't run tests'", "don't run tests"),
        ("‘don’t run tests’", "don’t run tests"),
        ("\"rename \"foo\" to bar\"", "rename \"foo\" to bar"),
        ("“rename “foo” to bar”", "rename “foo” to bar"),
        ("rename \"foo\" to \"bar\"", "rename \"foo\" to \"bar\""),
        ("\"foo\" becomes \"bar\"", "\"foo\" becomes \"bar\""),
        ("'foo' becomes 'bar'", "'foo' becomes 'bar'"),
        ("`foo` becomes `bar`", "`foo` becomes `bar`"),
        ("“foo” becomes “bar”", "“foo” becomes “bar”"),
        ("「foo」を「bar」", "「foo」を「bar」"),
        ("(WIP) fix the login redirect (again)", "(WIP) fix the login redirect (again)"),
    ]);
}

#[test]
fn labels_go_in_any_dress_and_ordinary_colons_stay_d7() {
    check(&[
        ("NEXT: run tests", "run tests"),
        ("next：run tests", "run tests"),
        ("ＮＥＸＴ： run tests", "run tests"),
        ("NEXT : run tests", "run tests"),
        ("**NEXT:** run tests", "run tests"),
        ("**NEXT**: run tests", "run tests"),
        ("**NEXT: run tests**", "run tests"),
        ("__Next step:__ run tests", "run tests"),
        ("*Suggestion:* run tests", "run tests"),
        ("`NEXT:` run tests", "run tests"),
        ("## Next prompt: run tests", "run tests"),
        ("> NEXT: run tests", "run tests"),
        ("[NEXT] run tests", "run tests"),
        ("NEXT - run tests", "run tests"),
        ("NEXT → run tests", "run tests"),
        ("NEXT\nrun tests", "run tests"),
        ("NEXT: NEXT: run tests", "run tests"),
        ("Suggested prompt: \"run tests\"", "run tests"),
        ("\"Prompt: run tests\"", "run tests"),
        ("Recommended next step: run tests", "run tests"),
        ("下一步：运行测试", "运行测试"),
        ("次のステップ：テストを実行", "テストを実行"),
        ("Nächster Schritt: Tests ausführen", "Tests ausführen"),
        ("Prochaine étape : lancer les tests", "lancer les tests"),
        ("<next>run the parser tests</next>", "run the parser tests"),
        ("<answer>NEXT: run tests</answer>", "run tests"),
        ("fix: handle empty input", "fix: handle empty input"),
        ("feat(x): handle empty input", "feat(x): handle empty input"),
        ("Prompt::new should take &str", "Prompt::new should take &str"),
        ("Next.js: upgrade to 15", "Next.js: upgrade to 15"),
        ("Answer: the question in the issue", "Answer: the question in the issue"),
        ("NEXT: **bold** words and `code`", "**bold** words and `code`"),
        ("NEXT: \"a\" and \"b\" swap", "\"a\" and \"b\" swap"),
        ("**Add tests for the parser**", "Add tests for the parser"),
        ("**kwargs** is unused, drop it", "**kwargs** is unused, drop it"),
    ]);
}

#[test]
fn one_leading_bullet_goes_and_flags_globs_and_numbers_stay_d7() {
    check(&[
        ("- run tests", "run tests"),
        ("* run tests", "run tests"),
        ("• run tests", "run tests"),
        ("•run tests", "run tests"),
        ("1. run tests", "run tests"),
        ("1) run tests", "run tests"),
        ("(1) run tests", "run tests"),
        ("1、运行测试", "运行测试"),
        ("- [ ] run tests", "run tests"),
        ("- **NEXT:** run tests", "run tests"),
        ("1. NEXT: run tests", "run tests"),
        ("-1 is returned, fix it", "-1 is returned, fix it"),
        ("--flag is ignored, fix it", "--flag is ignored, fix it"),
        ("*.rs files need a header", "*.rs files need a header"),
        ("3.5 seconds is too slow, find out why", "3.5 seconds is too slow, find out why"),
        ("2024. szám", "2024. szám"),
        ("[x] item marks are lost, keep them", "[x] item marks are lost, keep them"),
        ("#123 needs a test", "#123 needs a test"),
    ]);
}

#[test]
fn wrapping_deeper_than_the_bound_cleans_to_nothing() {
    let deep = format!("{}x{}", "<answer>“".repeat(500), "”</answer>".repeat(500));
    assert_eq!(clean(&deep), "");
}

/// Each pass is linear and the number of passes is bounded; these inputs would take hours if either were not so.
#[test]
fn hostile_text_of_any_size_finishes() {
    let n = 200_000;
    for hostile in [
        "<think>".repeat(1_000_000 / 7),
        "</think>".repeat(n / 8),
        "x <think></think> ".repeat(n / 18),
        "<think>a</think>".repeat(n / 16),
        "\"".repeat(n),
        "`".repeat(n),
        "<|".repeat(n / 2),
        "\u{1b}]".repeat(n / 2),
        "\u{1b}".repeat(n),
        "GOAL: ".repeat(n / 6),
        "NEXT: ".repeat(n / 6),
        "GOAL: NEXT: ".repeat(n / 12),
        "- ".repeat(n / 2),
        "*".repeat(n),
        "[".repeat(n),
        "<s>".repeat(n / 3),
        "```\n".repeat(n / 4),
        "👨\u{200d}".repeat(n / 7),
        "🏴\u{e0067}".repeat(n / 8),
    ] {
        let first: String = hostile.chars().take(8).collect();
        assert!(
            matches!(super::verdict(&hostile), super::Verdict::Invalid(_)),
            "much of {first:?} is no answer"
        );
    }
}
