//! Where the values of a JSON text stand. Comments and trailing commas, which editors and harnesses allow in settings,
//! are read over.

use std::ops::Range;

/// How deep values may lie in each other.
const DEEPEST: usize = 64;

/// A value and where it stands, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) value: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Text(String),
    /// A number, a flag or null.
    Other,
}

/// A member of an object. Its span reaches from its key to its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) key: String,
    pub(crate) span: Range<usize>,
    pub(crate) node: Node,
}

/// Why a text is no JSON; the line is counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JsonProblem {
    pub(crate) line: usize,
    pub(crate) expected: &'static str,
}

impl Node {
    pub(crate) fn members(&self) -> Option<&[Member]> {
        match &self.value {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    pub(crate) fn items(&self) -> Option<&[Self]> {
        match &self.value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a key; of one that is there twice, the last, as programs read it.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.members()?.iter().rev().find(|member| member.key == key).map(|member| &member.node)
    }
}

/// Reads a text that holds one value.
pub(crate) fn parse(text: &str) -> Result<Node, JsonProblem> {
    let mut reader = Reader { text, at: 0 };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.space()?;
    let node = reader.node(0)?;
    reader.space()?;
    if reader.at < text.len() { Err(reader.problem("nothing more")) } else { Ok(node) }
}

/// The end of the blanks and comments that begin at `from`.
pub(crate) fn skip_space(text: &str, from: usize) -> usize {
    let mut reader = Reader { text, at: from };
    match reader.space() {
        Ok(()) => reader.at,
        Err(_) => from,
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn problem(&self, expected: &'static str) -> JsonProblem {
        let before = self.text.as_bytes().get(..self.at).unwrap_or_default();
        JsonProblem { line: before.iter().filter(|byte| **byte == b'\n').count() + 1, expected }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn space(&mut self) -> Result<(), JsonProblem> {
        loop {
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => self.at += end + 2,
                    None => return Err(self.problem("the end of a comment")),
                }
            } else if self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
                self.at += 1;
            } else {
                return Ok(());
            }
        }
    }

    fn node(&mut self, depth: usize) -> Result<Node, JsonProblem> {
        if depth > DEEPEST {
            return Err(self.problem("values that do not lie so deep"));
        }
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            _ => {
                let rest = self.rest();
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')));
                let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                if serde_json::from_str::<serde_json::Value>(word).is_err() {
                    return Err(self.problem("a value"));
                }
                self.at += word.len();
                Value::Other
            }
        };
        Ok(Node { span: start..self.at, value })
    }

    fn object(&mut self, depth: usize) -> Result<Value, JsonProblem> {
        let mut members = Vec::new();
        self.at += 1;
        loop {
            self.space()?;
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.problem("a key in quotes or `}`"));
            }
            let key = self.string()?;
            self.space()?;
            if !self.take(b':') {
                return Err(self.problem("`:`"));
            }
            self.space()?;
            let node = self.node(depth + 1)?;
            members.push(Member { key, span: start..self.at, node });
            self.space()?;
            if !self.take(b',') && self.peek() != Some(b'}') {
                return Err(self.problem("`,` or `}`"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, JsonProblem> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.space()?;
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            items.push(self.node(depth + 1)?);
            self.space()?;
            if !self.take(b',') && self.peek() != Some(b']') {
                return Err(self.problem("`,` or `]`"));
            }
        }
    }

    fn string(&mut self) -> Result<String, JsonProblem> {
        let rest = self.rest();
        let (mut escaped, mut end) = (false, None);
        for (at, byte) in rest.bytes().enumerate().skip(1) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    end = Some(at + 1);
                    break;
                }
                b'\n' => break,
                _ => {}
            }
        }
        let whole = end.and_then(|end| rest.get(..end));
        let text = whole.and_then(|whole| Some((whole.len(), serde_json::from_str(whole).ok()?)));
        let Some((length, text)) = text else { return Err(self.problem("a text that ends with a quote")) };
        self.at += length;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn comments_and_trailing_commas_are_read_over() {
        let text = "\u{feff}// a\n{ /* b */ \"k\": [1, \"x\\\"y\", ], // c\n \"o\": {\"n\": null,},\n}\n// d";
        let node = parse(text).unwrap();
        let items = node.get("k").unwrap().items().unwrap();
        assert_eq!(items[1].text(), Some("x\"y"));
        assert_eq!(text.get(items[1].span.clone()), Some("\"x\\\"y\""));
        assert!(node.get("o").unwrap().get("n").is_some());
    }

    #[test]
    fn a_broken_text_names_the_line() {
        for (text, line, expected) in [
            ("{\n  \"a\": 1\n  \"b\": 2\n}", 3, "`,` or `}`"),
            ("{\n  a: 1\n}", 2, "a key in quotes or `}`"),
            ("{\"a\": }", 1, "a value"),
            ("{\"a\": \"x\n\"}", 1, "a text that ends with a quote"),
            ("{", 1, "a key in quotes or `}`"),
            ("", 1, "a value"),
            ("{} x", 1, "nothing more"),
            ("/* ", 1, "the end of a comment"),
            ("[1, 2", 1, "`,` or `]`"),
        ] {
            assert_eq!(parse(text), Err(JsonProblem { line, expected }), "{text:?}");
        }
        assert!(parse(&"[".repeat(10_000)).is_err());
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[\\[\\]{}\",:a1/*\\\\ \n é]{0,60}") {
            let _ = parse(&text);
        }
    }
}
