//! What holds for every reply (rules D7, D11, G2).

use proptest::prelude::*;

use super::super::{
    AnswerContext, Proposal, ReplyFinish, Verdict, classify, clean, judge, same_step, step_key,
};

/// Texts out of the pieces that cleaning knows, so that they meet in odd orders.
fn reply() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "NEXT:", "GOAL:", "GOAL", "**", "__", "\"", "'", "`", "```", "``", "~~~", "\n", " ", "- ", "1. ", "1) ", " 2) ",
            "<think>", "</think>", "[THINK]", "<|im_start|>", "assistant", "<|im_end|>", "<|", "|>", "<s>", "</s>", "[INST]",
            "<next>", "</next>", "<answer>", "</answer>", "“", "”", "「", "」", "‘", "’", "：", ":", "NONE", "none", ".",
            "\u{1b}[31m", "\u{1b}]0;x", "\u{7}", "\u{9b}", "\u{9d}", "\u{202e}", "\u{200b}", "\u{200d}", "\u{200c}", "\u{200f}",
            "👨", "🏴", "\u{e0067}", "\u{e007f}", "\u{fe0f}", "❤", "\u{20e3}", "1", "क", "\u{94d}", "ب", "葛", "\u{e0100}",
            "<|channel|>final", "<|channel|>analysis", "<|message|>", "<|end|>", "[", "]", "(", ")", "{", "}", "<", ">", "/", "!",
            "Option A:", "Option B:", "# ", "> ", "_", "___", "—", "下一步", "目标", "修改", "push", "--force", "rm", "-rf",
        ]).prop_map(str::to_owned),
        2 => "[a-z]{1,6} ?",
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn context<'a>(recent_human: &'a [String]) -> AnswerContext<'a> {
    AnswerContext { max_chars: 60, recent_human, session_text: "Add a flag to `report`." }
}

fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}' | '\u{2028}' | '\u{2029}'
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cleaning_twice_is_cleaning_once(raw in reply()) {
        let once = clean(&raw);
        prop_assert_eq!(clean(&once), once);
    }

    #[test]
    fn an_offer_is_one_safe_line_within_the_cap_and_judged_the_same_again(raw in reply()) {
        let context = context(&[]);
        if let Verdict::Offer(Proposal { text, kind }) = judge(&raw, ReplyFinish::Stop, false, &context) {
            prop_assert!(!text.is_empty() && text.trim() == text);
            prop_assert!(!text.contains('\n'));
            prop_assert!(text.chars().count() <= context.max_chars);
            prop_assert!(!text.chars().any(is_unsafe), "{:?}", text);
            prop_assert!(!text.to_uppercase().starts_with("GOAL:"));
            prop_assert!(kind == classify(&text, false) || kind == classify(&text, true));
            match judge(&text, ReplyFinish::Stop, false, &context) {
                Verdict::Offer(again) => prop_assert_eq!(again.text, text),
                other => prop_assert!(false, "{:?} became {:?}", text, other),
            }
        }
    }

    #[test]
    fn nothing_cut_by_the_limit_is_accepted(raw in reply()) {
        prop_assert!(matches!(judge(&raw, ReplyFinish::Length, false, &context(&[])), Verdict::Invalid(_)));
    }

    #[test]
    fn an_offer_that_the_human_just_typed_is_refused(raw in reply()) {
        if let Verdict::Offer(offer) = judge(&raw, ReplyFinish::Stop, false, &context(&[])) {
            let typed = [offer.text.to_uppercase()];
            if typed[0].to_lowercase() == offer.text.to_lowercase() {
                prop_assert!(matches!(judge(&raw, ReplyFinish::Stop, false, &context(&typed)), Verdict::Invalid(_)));
            }
        }
    }

    #[test]
    fn a_step_is_the_same_as_itself_asked_politely(text in "[a-z]{3,8}( [a-z]{3,8}){0,4}") {
        let polite = format!("Please, {text} now.");
            prop_assert!(same_step(&text, &polite));
        prop_assert!(!step_key(&text).is_empty());
    }
}
