//! What the worker said that it would do next, or that is left to do.

use super::{generic, line};

/// Something announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Promise {
    /// "Next, I will …": a step, as an instruction.
    Step(String),
    /// "Remaining: …": a thing, in the worker's words.
    Remainder(String),
}

const STEPS: &[&str] = &[
    "next, i will ",
    "next, i'll ",
    "next, i’ll ",
    "next i will ",
    "next i'll ",
    "next i’ll ",
    "next, i plan to ",
    "next i plan to ",
    "next, i'm going to ",
    "next, we should ",
    "next, we need to ",
    "next we should ",
    "i will then ",
    "i'll then ",
    "then i will ",
    "then i'll ",
    "i still need to ",
    "we still need to ",
    "i still have to ",
    "the next step is to ",
    "the next step would be to ",
    "next step is to ",
    "what remains is to ",
    "it remains to ",
    "接下来我会",
    "接下来，我会",
    "接下来我将",
    "接下来，我将",
    "接下来将",
    "接下来会",
    "下一步我会",
    "下一步我将",
    "下一步将",
    "之后我会",
    "我还需要",
    "还需要",
];
const REMAINDERS: &[&str] = &[
    "next steps:",
    "next step:",
    "next up:",
    "next:",
    "remaining work:",
    "remaining items:",
    "remaining tasks:",
    "remaining:",
    "what's left:",
    "what is left:",
    "left to do:",
    "still to do:",
    "still missing:",
    "still open:",
    "not yet done:",
    "not done yet:",
    "follow-ups:",
    "follow-up:",
    "to do:",
    "todos:",
    "todo:",
    "todo(",
    "open points:",
    "outstanding:",
    "下一步：",
    "下一步:",
    "后续步骤：",
    "后续：",
    "待办：",
    "待办:",
    "剩余：",
    "剩余工作：",
    "还剩：",
    "未完成：",
    "尚未完成：",
];

/// The last announcement in an answer that names something of this session.
pub(crate) fn last_promise(said: &str) -> Option<Promise> {
    let prose = line::prose(said);
    let lines: Vec<&str> = prose.lines().collect();
    let mut found = None;
    for (index, whole_line) in lines.iter().enumerate() {
        let following = lines.get(index + 1..).unwrap_or_default();
        if let Some(remainder) = remainder(whole_line, following) {
            found = Some(remainder);
            continue;
        }
        for sentence in line::sentences(whole_line) {
            found = step(&line::tidy(&sentence)).or(found);
        }
    }
    found
}

fn step(sentence: &str) -> Option<Promise> {
    let rest = STEPS.iter().find_map(|prefix| line::after_prefix(sentence, prefix))?;
    let rest = line::after_prefix(rest, "also ").unwrap_or(rest).trim();
    (!generic::is_generic(rest)).then(|| Promise::Step(line::capitalised(rest)))
}

fn remainder(whole_line: &str, following: &[&str]) -> Option<Promise> {
    let plain = line::without_list_mark(whole_line).replace("**", "");
    let plain = plain.trim();
    let rest = REMAINDERS.iter().find_map(|prefix| {
        let rest = line::after_prefix(plain, prefix)?;
        // `TODO(name): …`
        if prefix.ends_with('(') { rest.split_once("):").map(|(_, rest)| rest) } else { Some(rest) }
    })?;
    let rest = line::tidy(rest);
    if !rest.is_empty() {
        return promised(&rest);
    }
    // A heading: its first item counts.
    let first = following.iter().find(|next| !next.trim().is_empty())?;
    if !line::is_list_item(first) || first.trim_start().starts_with("- [x]") {
        return None;
    }
    promised(&line::tidy(first))
}

fn promised(rest: &str) -> Option<Promise> {
    const NOTHING: &[&str] = &["none", "nothing", "n/a", "无", "没有"];
    let is_nothing =
        NOTHING.iter().any(|word| line::folded(rest).starts_with(&line::folded(word)) && rest.len() < 24);
    if is_nothing || generic::is_generic(rest) {
        return None;
    }
    let voice = ["i will ", "i'll ", "i’ll ", "we will ", "we'll "];
    if let Some(step) = voice.iter().find_map(|prefix| line::after_prefix(rest, prefix)) {
        return Some(Promise::Step(line::capitalised(step)));
    }
    Some(Promise::Remainder(rest.to_owned()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn announcements_are_found_in_their_usual_forms() {
        let step = |text: &str| Some(Promise::Step(text.to_owned()));
        let remainder = |text: &str| Some(Promise::Remainder(text.to_owned()));
        for (said, expected) in [
            ("Parsed it. Next, I will wire `parse()` into cli.rs.", step("Wire `parse()` into cli.rs")),
            ("The next step is to port src/io.rs", step("Port src/io.rs")),
            ("**Remaining:** error handling in fetch.rs", remainder("error handling in fetch.rs")),
            ("## Next steps:\n\n- Port src/io.rs\n- more", remainder("Port src/io.rs")),
            ("TODO(sam): handle empty input in lexer", remainder("handle empty input in lexer")),
            ("Next: I'll add the --json flag", step("Add the --json flag")),
            ("解析完成。接下来我会为 cli.rs 接入解析器。", step("为 cli.rs 接入解析器")),
            ("剩余：fetch.rs 的错误处理", remainder("fetch.rs 的错误处理")),
            ("Next, I will run the tests.", None),
            ("Remaining: none", None),
            ("Remaining: nothing.", None),
            ("All done.", None),
        ] {
            assert_eq!(last_promise(said), expected, "{said}");
        }
    }

    proptest! {
        #[test]
        fn no_answer_makes_the_reader_panic(text in "(\\PC|\n|Remaining:|TODO\\(|next, i will |- ){0,60}") {
            let _ = last_promise(&text);
        }
    }
}
