//! The settings of Codex: its `notify` program. One that is set already is called by ours.

use super::{Problem, quoted};
use similar::{ChangeTag, TextDiff};
use toml_edit::{Array, DocumentMut, Item, Value};

/// How our Stop hook is known again.
pub(super) const HOOK_MARK: &str = " hook codex";

const KEY: &str = "notify";

/// The command of the Stop hook that shows the offer.
pub(super) fn hook_command(program: &str) -> String {
    format!("{}{HOOK_MARK} --system-message", quoted(program))
}

/// The settings with our program as `notify`.
pub(super) fn installed(text: &str, program: &str) -> Result<String, Problem> {
    let mut document = document(text)?;
    let words = match document.get(KEY) {
        None => Vec::new(),
        Some(item) => words_of(item).ok_or_else(|| {
            Problem::new(": `notify` is no list of texts", "correct the file first; nothing was changed")
        })?,
    };
    let theirs = theirs(&words).unwrap_or(words);
    let mut ours = vec![program.to_owned(), "hook".to_owned(), "codex".to_owned()];
    // The word and its option are one, so that the event stays the last argument of all.
    ours.extend(theirs.iter().map(|word| format!("--then={word}")));
    set(&mut document, &ours);
    Ok(with_lines_of(text, &document.to_string()))
}

/// The settings without ours, with the program that was there before; `None` if ours is not in them.
pub(super) fn uninstalled(text: &str) -> Result<Option<String>, Problem> {
    let mut document = document(text)?;
    let Some(theirs) = document.get(KEY).and_then(words_of).and_then(|words| theirs(&words)) else {
        return Ok(None);
    };
    if theirs.is_empty() {
        // What stands above the key is a person's, and stays.
        let above = document.key(KEY).and_then(|key| key.leaf_decor().prefix()?.as_str().map(str::to_owned));
        document.remove(KEY);
        let after = document.to_string();
        let after = match above.filter(|above| !above.trim().is_empty()) {
            Some(above) => above + &after,
            None => after,
        };
        return Ok(Some(with_lines_of(text, &after)));
    }
    set(&mut document, &theirs);
    Ok(Some(with_lines_of(text, &document.to_string())))
}

/// The changed text with the line ends and the mark of the file: the parser writes its own. New lines end as most do.
fn with_lines_of(before: &str, after: &str) -> String {
    const MARK: char = '\u{feff}';
    let (mark, before) = before.strip_prefix(MARK).map_or(("", before), |rest| ("\u{feff}", rest));
    let after = after.strip_prefix(MARK).unwrap_or(after);
    if !before.contains("\r\n") {
        return format!("{mark}{after}");
    }
    let ends_so = before.matches("\r\n").count();
    let usual = if ends_so.saturating_mul(2) >= before.matches('\n').count() { "\r\n" } else { "\n" };
    let (plain, after) = (before.replace("\r\n", "\n"), after.replace("\r\n", "\n"));
    let originals: Vec<&str> = before.split_inclusive('\n').collect();
    let mut text = mark.to_owned();
    for change in TextDiff::from_lines(&plain, &after).iter_all_changes() {
        match (change.tag(), change.old_index().and_then(|at| originals.get(at))) {
            (ChangeTag::Equal, Some(original)) => text.push_str(original),
            (ChangeTag::Delete, _) => {}
            _ => text.push_str(&change.value().replace('\n', usual)),
        }
    }
    text
}

fn document(text: &str) -> Result<DocumentMut, Problem> {
    text.parse::<DocumentMut>().map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count().saturating_add(1);
        Problem::new(format!(":{line}: no valid TOML"), "correct the file first; nothing was changed")
    })
}

fn words_of(item: &Item) -> Option<Vec<String>> {
    item.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
}

/// The words of the program behind ours; `None` if it is not ours.
fn theirs(words: &[String]) -> Option<Vec<String>> {
    let [program, hook, codex, rest @ ..] = words else { return None };
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    if !name.starts_with("suggest") || hook != "hook" || codex != "codex" {
        return None;
    }
    Some(rest.iter().filter_map(|word| word.strip_prefix("--then=").map(str::to_owned)).collect())
}

fn set(document: &mut DocumentMut, words: &[String]) {
    let array: Array = words.iter().map(String::as_str).collect();
    let mut value = Value::Array(array);
    if let Some(present) = document.get(KEY).and_then(Item::as_value) {
        // A comment behind the old value stays behind the new one.
        *value.decor_mut() = present.decor().clone();
    }
    document.insert(KEY, Item::Value(value));
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    const PROGRAM: &str = "/usr/bin/suggest";

    #[test]
    fn settings_of_many_shapes_come_back_as_they_were() {
        for (before, line) in [
            ("", "notify = [\"/usr/bin/suggest\", \"hook\", \"codex\"]"),
            ("model = \"gpt-5.5\"  # mine\n\n[features]\nx = true # on\n", "codex\"]\n\n[features]"),
            ("# top\n[mcp]\na = 1\n", "notify = ["),
            ("model = 1\r\n\n[a]\r\n\tb = 2 # on\r\n", "\r\n\n[a]\r\n\tb = 2 # on\r\n"),
            ("\u{feff}model = 1\n", "\u{feff}model = 1\nnotify = ["),
            (
                "notify = [\"bell\", \"--loud\"]  # ring\nmodel = \"m\"\n",
                "\"codex\", \"--then=bell\", \"--then=--loud\"]  # ring",
            ),
        ] {
            let after = installed(before, PROGRAM).unwrap();
            assert!(after.contains(line), "{after}");
            assert_eq!(installed(&after, PROGRAM).unwrap(), after, "a second time");
            assert_eq!(uninstalled(&after).unwrap().unwrap(), before);
        }
    }

    #[test]
    fn the_key_never_lands_in_a_section() {
        let after = installed("[a]\nb = 1\n", PROGRAM).unwrap();
        let document: toml::Table = toml::from_str(&after).unwrap();
        assert!(document.contains_key("notify"), "{after}");
    }

    #[test]
    fn what_is_not_ours_is_not_taken_out_and_broken_files_are_refused() {
        assert_eq!(uninstalled("notify = [\"bell\"]\n").unwrap(), None);
        assert_eq!(uninstalled("model = \"m\"\n").unwrap(), None);
        assert_eq!(installed("a = 1\nb =\n", PROGRAM).unwrap_err().message, ":2: no valid TOML");
        assert_eq!(installed("notify = 7\n", PROGRAM).unwrap_err().message, ": `notify` is no list of texts");
    }
}
