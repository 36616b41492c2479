//! Adding to and taking out of a JSON text, with every other byte left as it is.

use super::json::{JsonProblem, Member, Node, parse, skip_space};
use serde::Serialize as _;
use serde_json::ser::{PrettyFormatter, Serializer};
use std::ops::Range;

/// A JSON text that is edited.
#[derive(Debug, Clone)]
pub(crate) struct Editor {
    text: String,
    root: Node,
}

impl Editor {
    /// Reads a text. An empty one is an empty object.
    pub(crate) fn new(text: &str) -> Result<Self, JsonProblem> {
        let text = if text.trim_start_matches('\u{feff}').trim().is_empty() { "{\n}\n" } else { text };
        Ok(Self { text: text.to_owned(), root: parse(text)? })
    }

    pub(crate) fn root(&self) -> &Node {
        &self.root
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// What stands at a path of keys.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(&self.root, |node, key| node.get(key))
    }

    /// Adds a member at the end of the object at `path`. Nothing happens if there is no object.
    pub(crate) fn add_member(&mut self, path: &[&str], key: &str, value: &serde_json::Value) {
        let Some(object) = self.at(path) else { return };
        let Some(members) = object.members() else { return };
        let last = members.last().map(|member: &Member| member.span.clone());
        let first = members.first().map(|member| member.span.start);
        let key = serde_json::Value::from(key).to_string();
        self.add(object.span.clone(), first, last, Some(&key), value);
    }

    /// Adds an item at the end of the array at `path`. Nothing happens if there is no array.
    pub(crate) fn add_item(&mut self, path: &[&str], value: &serde_json::Value) {
        let Some(array) = self.at(path) else { return };
        let Some(items) = array.items() else { return };
        let last = items.last().map(|item| item.span.clone());
        let first = items.first().map(|item| item.span.start);
        self.add(array.span.clone(), first, last, None, value);
    }

    fn add(
        &mut self,
        container: Range<usize>,
        first: Option<usize>,
        last: Option<Range<usize>>,
        key: Option<&str>,
        value: &serde_json::Value,
    ) {
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let unit = self.unit();
        let outer = self.indent_of(container.start);
        let inside = self.text.get(container.clone()).unwrap_or_default();
        // A container that stands in one line keeps doing so, unless nothing is in it.
        let spread = match first {
            Some(first) => self.text.get(container.start..first).is_some_and(|gap| gap.contains('\n')),
            None => inside.contains('\n') || self.text.contains('\n'),
        };
        let inner = match first {
            Some(first) if spread => self.indent_of(first),
            _ => format!("{outer}{unit}"),
        };
        let written = if spread {
            pretty(value, &unit).replace('\n', &format!("{newline}{inner}"))
        } else {
            value.to_string()
        };
        let written = match key {
            Some(key) => format!("{key}: {written}"),
            None => written,
        };
        match last {
            Some(last) => {
                let behind = skip_space(&self.text, last.end);
                let has_comma = self.text.as_bytes().get(behind) == Some(&b',');
                let end = if has_comma { behind.saturating_add(1) } else { last.end };
                // A comment behind the last value belongs to it.
                let place = if spread { self.end_of_line(end) } else { end };
                let gap = if spread { format!("{newline}{inner}") } else { " ".to_owned() };
                self.text.insert_str(place, &format!("{gap}{written}"));
                if !has_comma {
                    self.text.insert(last.end, ',');
                }
            }
            None => {
                let place = container.start.saturating_add(1);
                let after = self.text.get(place..container.end.saturating_sub(1)).unwrap_or_default();
                if after.trim().is_empty() && spread {
                    let fresh = format!("{newline}{inner}{written}{newline}{outer}");
                    self.text.replace_range(place..container.end.saturating_sub(1), &fresh);
                } else if spread {
                    self.text.insert_str(place, &format!("{newline}{inner}{written}"));
                } else {
                    self.text.insert_str(place, &written);
                }
            }
        }
        self.reparse();
    }

    /// Puts another value in the place of one.
    pub(crate) fn replace(&mut self, span: Range<usize>, value: &serde_json::Value) {
        self.text.replace_range(span, &value.to_string());
        self.reparse();
    }

    /// Takes the member with this key out of the object at `path`.
    pub(crate) fn remove_member(&mut self, path: &[&str], key: &str) {
        let Some(members) = self.at(path).and_then(Node::members) else { return };
        let spans: Vec<Range<usize>> = members.iter().map(|member| member.span.clone()).collect();
        let Some(index) = members.iter().rposition(|member| member.key == key) else { return };
        self.remove(&spans, index);
    }

    /// Takes the item with this number out of the array that stands at this place.
    pub(crate) fn remove_item(&mut self, items: &[Node], index: usize) {
        let spans: Vec<Range<usize>> = items.iter().map(|item| item.span.clone()).collect();
        self.remove(&spans, index);
    }

    fn remove(&mut self, spans: &[Range<usize>], index: usize) {
        let Some(span) = spans.get(index).cloned() else { return };
        let behind = skip_space(&self.text, span.end);
        let has_comma = self.text.as_bytes().get(behind) == Some(&b',');
        let mut start = self.text.get(..span.start).unwrap_or_default().trim_end_matches([' ', '\t']).len();
        // The line end before it goes with it; a comment above it stays.
        let before = self.text.get(..start).unwrap_or_default();
        start = before.strip_suffix('\n').map_or(start, |line| line.strip_suffix('\r').unwrap_or(line).len());
        let end = if has_comma { behind.saturating_add(1) } else { span.end };
        self.text.replace_range(start..end, "");
        let previous = index.checked_sub(1).and_then(|previous| spans.get(previous));
        if let Some(previous) = previous
            && !has_comma
        {
            // It was the last: the comma before it goes too.
            let comma = skip_space(&self.text, previous.end);
            if self.text.as_bytes().get(comma) == Some(&b',') {
                self.text.remove(comma);
            }
        }
        if spans.len() == 1 {
            self.close_up(start);
        }
        self.reparse();
    }

    /// Nothing is left between the brackets around this place: they close up, unless a comment is there.
    fn close_up(&mut self, place: usize) {
        let before = self.text.get(..place).unwrap_or_default().trim_end().len();
        let after = self.text.get(place..).unwrap_or_default();
        let end = place.saturating_add(after.len().saturating_sub(after.trim_start().len()));
        let bytes = self.text.as_bytes();
        let opens =
            before.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(|b| matches!(b, b'{' | b'['));
        let closes = bytes.get(end).is_some_and(|byte| matches!(byte, b'}' | b']'));
        if opens && closes {
            self.text.replace_range(before..end, "");
        }
    }

    fn reparse(&mut self) {
        // Edits of ours keep the text whole; were one wrong, the old tree would be found wrong by the next reader.
        if let Ok(root) = parse(&self.text) {
            self.root = root;
        }
    }

    /// The blanks at the beginning of the line of a place.
    fn indent_of(&self, place: usize) -> String {
        let before = self.text.get(..place).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
    }

    /// How far one level is indented here.
    fn unit(&self) -> String {
        let first = self.root.members().and_then(<[Member]>::first).map(|member| member.span.start);
        let unit = first.map(|first| self.indent_of(first)).unwrap_or_default();
        if unit.is_empty() { "  ".to_owned() } else { unit }
    }

    /// The end of the line behind `from`, if only blanks and a comment stand there; else `from`.
    fn end_of_line(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        let line = line.strip_suffix('\r').unwrap_or(line);
        let words = line.trim();
        let whole = words.starts_with("//")
            || (words.starts_with("/*") && words.find("*/") == words.len().checked_sub(2));
        if whole { from.saturating_add(line.trim_end().len()) } else { from }
    }
}

fn pretty(value: &serde_json::Value, unit: &str) -> String {
    let mut bytes = Vec::new();
    let mut serializer =
        Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(unit.as_bytes()));
    match value.serialize(&mut serializer) {
        Ok(()) => String::from_utf8(bytes).unwrap_or_else(|_| value.to_string()),
        Err(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn added(text: &str) -> String {
        let mut editor = Editor::new(text).unwrap();
        editor.add_member(&[], "x", &json!({ "y": 1 }));
        editor.into_text()
    }

    #[test]
    fn a_member_is_added_in_the_style_of_the_file_and_taken_out_again() {
        for (before, after) in [
            ("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"x\": {\n    \"y\": 1\n  }\n}\n"),
            ("{\n\t\"a\": [\n\t]\n}", "{\n\t\"a\": [\n\t],\n\t\"x\": {\n\t\t\"y\": 1\n\t}\n}"),
            ("{\"a\":1}", "{\"a\":1, \"x\": {\"y\":1}}"),
            ("{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"x\": {\r\n    \"y\": 1\r\n  }\r\n}\r\n"),
            (
                "// mine\n{\n  \"a\": 1 // one\n  // end\n}\n",
                "// mine\n{\n  \"a\": 1, // one\n  \"x\": {\n    \"y\": 1\n  }\n  // end\n}\n",
            ),
            (
                "{\n    \"a\": 1, /* one */\n}",
                "{\n    \"a\": 1, /* one */\n    \"x\": {\n        \"y\": 1\n    }\n}",
            ),
        ] {
            assert_eq!(added(before), after, "{before:?}");
            let mut editor = Editor::new(after).unwrap();
            editor.remove_member(&[], "x");
            let back = editor.into_text();
            // A trailing comma that was there before cannot be told from ours.
            assert!(back == before || back == before.replace("1, /*", "1 /*"), "{back:?} is not {before:?}");
        }
    }

    #[test]
    fn an_empty_text_or_object_gets_its_first_member() {
        let fresh = "{\n  \"x\": {\n    \"y\": 1\n  }\n}\n";
        for before in ["", "\n", "{\n}\n", "{}\n"] {
            assert_eq!(added(before), fresh, "{before:?}");
        }
        assert_eq!(added("{}"), "{\"x\": {\"y\":1}}");
        assert_eq!(added("{\n  // nothing\n}"), "{\n  \"x\": {\n    \"y\": 1\n  }\n  // nothing\n}");
    }

    #[test]
    fn an_item_is_taken_out_wherever_it_stands() {
        let text = "{\"l\": [\n  1,\n  // two\n  2,\n  3\n]}";
        for (index, after) in [
            (0, "{\"l\": [\n  // two\n  2,\n  3\n]}"),
            (1, "{\"l\": [\n  1,\n  // two\n  3\n]}"),
            (2, "{\"l\": [\n  1,\n  // two\n  2\n]}"),
        ] {
            let mut editor = Editor::new(text).unwrap();
            let items = editor.at(&["l"]).unwrap().items().unwrap().to_vec();
            editor.remove_item(&items, index);
            assert_eq!(editor.into_text(), after);
        }
        let mut editor = Editor::new("{\"l\": [\n  1\n]}").unwrap();
        let items = editor.at(&["l"]).unwrap().items().unwrap().to_vec();
        editor.remove_item(&items, 0);
        assert_eq!(editor.into_text(), "{\"l\": []}");
    }
}
