//! A question that the worker left open at the end of its answer, as the instruction that answers it.

use super::{generic, line};

/// What the human may say to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OpenQuestion {
    /// It offers one step: take it. The step, as an instruction.
    Offer(String),
    /// It offers alternatives. What stands behind "should I".
    Choice(String),
    /// Any other question, as it stands.
    Other(String),
}

const OFFERS: &[&str] = &[
    "would you like me to ",
    "do you want me to ",
    "want me to ",
    "should i go ahead and ",
    "shall i go ahead and ",
    "should i also ",
    "shall i also ",
    "should i ",
    "shall i ",
    "should we ",
    "shall we ",
    "may i ",
    "can i ",
    "is it ok if i ",
    "is it okay if i ",
    "do you want to ",
    "would you like to ",
];
const OFFERS_CHINESE: &[&str] = &[
    "是否需要我",
    "需不需要我",
    "要不要我",
    "需要我",
    "要我",
    "我可以",
    "是否要",
    "是否需要",
    "要不要",
    "需要",
];

/// The last question of the last paragraph, if it asks for something of this session.
pub(crate) fn left_open(said: &str) -> Option<OpenQuestion> {
    let prose = line::prose(said);
    let question_in = |text: &str| {
        let sentences = line::sentences(text.trim_end().rsplit("\n\n").next().unwrap_or_default());
        let mut last = sentences.iter().rev().take(2).map(|sentence| line::tidy(sentence));
        last.find(|sentence| is_question(sentence))
    };
    // A question may be followed by the list of its answers.
    let last = question_in(&prose).or_else(|| question_in(without_trailing_list(&prose)))?;
    let question = last.trim_matches(['*', '_', '"', '”', '“']).trim();
    let body = question.trim_end_matches(['?', '？', '!', '！', ' ']);
    let open = if line::is_chinese(question) { chinese(question, body) } else { english(question, body) };
    let substance = match &open {
        OpenQuestion::Offer(text) | OpenQuestion::Choice(text) | OpenQuestion::Other(text) => text,
    };
    (!generic::is_generic(substance)).then_some(open)
}

fn without_trailing_list(prose: &str) -> &str {
    let mut text = prose.trim_end();
    while let Some((before, last)) = text.rsplit_once('\n') {
        if !line::is_list_item(last) {
            break;
        }
        text = before.trim_end();
    }
    text
}

fn is_question(sentence: &str) -> bool {
    sentence.trim_end_matches(['*', '_', '"', '”', ')', '）']).ends_with(['?', '？'])
}

fn english(question: &str, body: &str) -> OpenQuestion {
    // "I can do X. Or, if you prefer, should I do Y?": what counts stands behind the last comma before the offer.
    let tail = |prefix: &str| {
        line::after_prefix(body, prefix).or_else(|| {
            let lower = body.to_lowercase();
            let start = lower.find(&format!(", {prefix}"))? + 2 + prefix.len();
            body.get(start..).filter(|_| lower.len() == body.len())
        })
    };
    let Some(rest) = OFFERS.iter().find_map(|prefix| tail(prefix)) else {
        return OpenQuestion::Other(question.to_owned());
    };
    let rest = line::after_prefix(rest, "also ").unwrap_or(rest).trim();
    let rest = rest.strip_suffix(" now").or_else(|| rest.strip_suffix(" next")).unwrap_or(rest);
    // "… do A, or should I do B": both stand behind the same "whether to".
    let joined = [", or should i ", ", or shall i ", ", or would you like me to ", ", or do you want me to "];
    let rest = joined.iter().fold(rest.to_owned(), |rest, joint| {
        match rest.to_lowercase().find(joint).filter(|_| rest.is_ascii()) {
            Some(start) => rest
                .get(..start)
                .zip(rest.get(start + joint.len()..))
                .map_or_else(|| rest.clone(), |(before, after)| format!("{before} or {after}")),
            None => rest,
        }
    });
    if rest.contains(" or ") {
        OpenQuestion::Choice(rest)
    } else {
        OpenQuestion::Offer(line::capitalised(&rest))
    }
}

fn chinese(question: &str, body: &str) -> OpenQuestion {
    let start = OFFERS_CHINESE.iter().find_map(|prefix| {
        let (before, rest) = body.split_once(prefix)?;
        before.chars().all(|character| !character.is_alphanumeric()).then_some(rest)
    });
    match start.map(|rest| rest.trim_end_matches(['吗', '呢', '么'])).filter(|rest| !rest.contains("还是"))
    {
        Some(rest) => {
            OpenQuestion::Offer(format!("请{}", rest.trim_start_matches(['帮', '你', '您']).trim()))
        }
        None => OpenQuestion::Other(question.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn offers_become_instructions() {
        for (said, step) in [
            ("Done.\n\nWould you like me to add tests for parser.rs?", "Add tests for parser.rs"),
            ("Done. Should I also update the README?", "Update the README"),
            ("It works. **Shall I port `cli.rs` now?**", "Port `cli.rs`"),
            ("If that suits you, should I remove the old flag --fast?", "Remove the old flag --fast"),
            ("完成了。需要我为 parser.rs 添加测试吗？", "请为 parser.rs 添加测试"),
            ("要不要我顺便更新 README？", "请顺便更新 README"),
        ] {
            assert_eq!(left_open(said), Some(OpenQuestion::Offer(step.to_owned())), "{said}");
        }
    }

    #[test]
    fn other_questions_are_kept_and_polite_ones_dropped() {
        assert_eq!(
            left_open("Should I use SQLite or Postgres for the cache?"),
            Some(OpenQuestion::Choice("use SQLite or Postgres for the cache".to_owned()))
        );
        assert_eq!(
            left_open("Which database should the cache use?"),
            Some(OpenQuestion::Other("Which database should the cache use?".to_owned()))
        );
        assert_eq!(
            left_open("Which cache do you want?\n\n1. SQLite\n2. Postgres\n"),
            Some(OpenQuestion::Other("Which cache do you want?".to_owned()))
        );
        assert_eq!(
            left_open("缓存用 SQLite 还是 Postgres？"),
            Some(OpenQuestion::Other("缓存用 SQLite 还是 Postgres？".to_owned()))
        );
        for polite in [
            "Anything else?",
            "Should I continue?",
            "Does this look good?",
            "还需要我做什么吗？",
            "Done.",
            "",
            "```\nWhat is x_y?\n```",
        ] {
            assert_eq!(left_open(polite), None, "{polite}");
        }
        assert_eq!(left_open("Why did a_b fail? It was the cache.\n\nNow it works."), None);
    }

    proptest! {
        #[test]
        fn no_answer_makes_the_reader_panic(text in "(\\PC|\n|\\?|Should I |, should i |需要我){0,60}") {
            let _ = left_open(&text);
        }
    }
}
