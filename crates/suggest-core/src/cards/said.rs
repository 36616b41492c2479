//! What the worker's last words leave open: steps that it promised, and offers that it asked about.

/// Something that is open, as an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// It said that this comes next or remains.
    Promised(String),
    /// It asked whether to do this.
    Asked(String),
    /// It asked which of several to do.
    Choice(String),
}

const PROMISES: [&str; 22] = [
    "next, i will ", "next, i'll ", "next i will ", "next i'll ", "next, we should ", "i still need to ",
    "we still need to ", "i still have to ", "the next step is to ", "it remains to ", "what remains is to ",
    "next step: ", "next: ", "todo: ", "remaining: ", "still to do: ", "follow-up: ", "接下来我会", "接下来需要",
    "下一步：", "待办：", "还需要",
];
const QUESTIONS: [&str; 12] = [
    "should i ", "shall i ", "do you want me to ", "would you like me to ", "want me to ", "may i ", "需要我",
    "是否需要我", "要不要我", "要我", "是否要", "要不要",
];
const MOST: usize = 6;

/// The open ends of an answer, questions first.
pub(crate) fn open_ends(answer: &str) -> Vec<Said> {
    let mut asked = Vec::new();
    let mut promised = Vec::new();
    for sentence in sentences(answer) {
        let plain = sentence.trim_start_matches(['-', '*', '•', '>', ' ']).trim_start_matches("[ ] ");
        let Some(question) = plain.strip_suffix(['?', '？']) else {
            if let Some(step) = behind(plain, &PROMISES) {
                promised.push(Said::Promised(step.trim_end_matches(['.', '。', '!', '！']).to_owned()));
            }
            continue;
        };
        let question = question.trim_end().trim_end_matches('吗');
        if let Some(step) = behind(question, &QUESTIONS) {
            let said = if has_choice(step) { Said::Choice } else { Said::Asked };
            asked.push(said(step.trim_end_matches(['.', '。']).to_owned()));
        }
    }
    asked.extend(promised);
    asked.truncate(MOST);
    asked
}

fn has_choice(step: &str) -> bool {
    step.to_lowercase().contains(" or ") || step.contains("还是")
}

fn behind<'t>(sentence: &'t str, starts: &[&str]) -> Option<&'t str> {
    starts.iter().find_map(|start| {
        let head = sentence.get(..start.len())?;
        let rest = sentence.get(start.len()..)?.trim();
        (head.to_lowercase() == *start && !rest.is_empty()).then_some(rest)
    })
}

/// Sentences of the prose, with the mark that ends a question; what stands in a fence is left out.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        let mut start = 0;
        let mut letters = line.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let blank_follows = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
            let ends = matches!(letter, '。' | '？' | '！') || matches!(letter, '.' | '?' | '!') && blank_follows;
            if ends {
                let end = at + letter.len_utf8();
                found.extend(line.get(start..end));
                start = end;
            }
        }
        found.extend(line.get(start..));
    }
    found.into_iter().map(str::trim).filter(|sentence| !sentence.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_offers_and_choices_are_found() {
        let answer = "Done. Next, I will wire `parse` into main.rs. Should I also update docs/usage.md?\n\
            Shall I use A or B?\n```\nNext: nothing\n```\n- TODO: cover src/x.rs";
        assert_eq!(open_ends(answer), [
            Said::Asked("also update docs/usage.md".to_owned()),
            Said::Choice("use A or B".to_owned()),
            Said::Promised("wire `parse` into main.rs".to_owned()),
            Said::Promised("cover src/x.rs".to_owned()),
        ]);
        assert_eq!(open_ends("完成了。需要我更新 docs/a.md 吗？"), [Said::Asked("更新 docs/a.md".to_owned())]);
        assert_eq!(open_ends("All done."), []);
    }
}
