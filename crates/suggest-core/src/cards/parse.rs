//! Reading the answer of a model: a JSON list of cards, wherever it stands and however it is dressed (rule C3).

use crate::defuse::defuse;
use crate::state::Priority;
use serde_json::{Map, Value};

/// The most bytes of an answer that are looked at.
const MOST_BYTES: usize = 256 * 1024;
/// The most places at which a list may begin and turn out to be none.
const MOST_ATTEMPTS: usize = 200;
/// How deep a list may stand inside wrappers.
const MOST_DEPTH: usize = 4;
/// The most candidates that are looked at.
const MOST_CANDIDATES: usize = 50;

const TITLE_CHARS: usize = 200;
const TEXT_CHARS: usize = 1_000;
const PROMPT_CHARS: usize = 4_000;
const CATEGORY_CHARS: usize = 60;

/// The schema's example as the prompt shows it, folded: a model that copies it has said nothing.
const EXAMPLES: [&str; 6] = [
    "short title for the card",
    "one sentence: why this is the next useful step",
    "the exact prompt to send when the human accepts",
    "short title shown on the card",
    "one sentence explaining why this is the next useful step",
    "the concrete prompt to send if the user accepts",
];

/// A candidate whose fields are all there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) prompt: String,
    pub(crate) category: String,
    pub(crate) priority: Priority,
}

/// What an answer holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Parsed {
    /// In the order of the answer.
    pub(crate) candidates: Vec<Candidate>,
    /// Items that are no candidates.
    pub(crate) malformed: u32,
}

/// Reads an answer. One without any list has no candidates and nothing malformed.
pub(crate) fn parse(answer: &str) -> Parsed {
    let bounded = bounded(answer);
    let text = defuse(bounded);
    let mut parsed = Parsed::default();
    for item in items(&text).into_iter().take(MOST_CANDIDATES) {
        match candidate(&item) {
            Some(candidate) => parsed.candidates.push(candidate),
            None => parsed.malformed = parsed.malformed.saturating_add(1),
        }
    }
    parsed
}

fn bounded(answer: &str) -> &str {
    let mut end = answer.len().min(MOST_BYTES);
    while !answer.is_char_boundary(end) {
        end -= 1;
    }
    answer.get(..end).unwrap_or_default()
}

/// The items of the last list in the text that holds an object; without a list, the objects that stand alone.
fn items(text: &str) -> Vec<Value> {
    let mut lone = Vec::new();
    let mut list = None;
    let mut from = 0;
    let mut attempts = 0;
    while let Some(start) = text.get(from..).and_then(|rest| rest.find(['[', '{'])).map(|found| from + found)
    {
        let rest = text.get(start..).unwrap_or_default();
        let value = extent(rest).and_then(|length| {
            let source = rest.get(..length)?;
            let value: Value = serde_json::from_str(source)
                .or_else(|_| serde_json::from_str(&without_trailing_commas(source)))
                .ok()?;
            Some((length, value))
        });
        match value {
            Some((length, value)) => {
                from = start + length;
                match list_in(&value, 0) {
                    Some(found) => list = Some(found.clone()),
                    None if is_card_shaped(&value) => lone.push(value),
                    None => {}
                }
            }
            None => {
                attempts += 1;
                if attempts >= MOST_ATTEMPTS {
                    break;
                }
                from = start + 1;
            }
        }
    }
    list.unwrap_or(lone)
}

fn is_card_shaped(value: &Value) -> bool {
    value.get("prompt").is_some() || value.get("title").is_some()
}

/// The list of objects that a value is or wraps.
fn list_in(value: &Value, depth: usize) -> Option<&Vec<Value>> {
    match value {
        Value::Array(items) if items.iter().any(Value::is_object) => Some(items),
        Value::Object(fields) if depth < MOST_DEPTH && !is_card_shaped(value) => {
            fields.values().find_map(|field| list_in(field, depth + 1))
        }
        _ => None,
    }
}

/// The length of the balanced value at the start of the text.
fn extent(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        if quoted {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => quoted = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => quoted = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The same source without commas before a closing bracket; line breaks inside strings become escapes.
fn without_trailing_commas(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let (mut quoted, mut escaped) = (false, false);
    for character in source.chars() {
        if quoted {
            let ends = character == '"' && !escaped;
            escaped = character == '\\' && !escaped;
            quoted = !ends;
            match character {
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                other => out.push(other),
            }
            continue;
        }
        if matches!(character, ']' | '}') {
            let kept = out.trim_end().trim_end_matches(',').len();
            if out.trim_end().len() != kept {
                out.truncate(kept);
            }
        }
        quoted = character == '"';
        out.push(character);
    }
    out
}

fn candidate(item: &Value) -> Option<Candidate> {
    let fields = item.as_object()?;
    let title = one_line(fields, "title", TITLE_CHARS)?;
    let text = one_line(fields, "text", TEXT_CHARS)?;
    let prompt = field(fields, "prompt", PROMPT_CHARS)?;
    let category = one_line(fields, "category", CATEGORY_CHARS)?;
    let priority = priority(fields.get("priority")?)?;
    if [&title, &text, &prompt].into_iter().any(|text| is_example(text)) {
        return None;
    }
    Some(Candidate { title, text, prompt, category, priority })
}

fn is_example(text: &str) -> bool {
    let folded = crate::answer::step_key(text);
    EXAMPLES.iter().any(|example| crate::answer::step_key(example) == folded)
}

fn field(fields: &Map<String, Value>, name: &str, most: usize) -> Option<String> {
    let text = defuse(fields.get(name)?.as_str()?);
    (!text.is_empty() && text.chars().count() <= most).then_some(text)
}

fn one_line(fields: &Map<String, Value>, name: &str, most: usize) -> Option<String> {
    let text = field(fields, name, most)?.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

/// A priority in any spelling; one that says nothing is the middle one.
fn priority(value: &Value) -> Option<Priority> {
    let word = match value {
        Value::String(word) => word.trim().to_lowercase(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(match word.trim_matches(|character: char| !character.is_alphanumeric()) {
        "" => return None,
        "high" | "highest" | "urgent" | "critical" | "important" | "must" | "blocker" | "1" | "p0" | "p1"
        | "hoch" | "haute" | "élevée" | "alta" | "高" | "紧急" | "重要" | "緊急" => Priority::High,
        "low" | "lowest" | "minor" | "optional" | "nice to have" | "trivial" | "3" | "p3" | "p4"
        | "niedrig" | "basse" | "faible" | "baja" | "低" => Priority::Low,
        _ => Priority::Medium,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(title: &str, priority: &str) -> String {
        format!(
            r#"{{"title":"{title}","text":"Because it is open.","prompt":"Do {title}.","category":"follow-up","priority":"{priority}"}}"#
        )
    }

    fn titles(answer: &str) -> Vec<String> {
        parse(answer).candidates.into_iter().map(|candidate| candidate.title).collect()
    }

    #[test]
    fn a_list_is_found_however_it_is_dressed_c3() {
        let (a, b) = (card("a1", "high"), card("b2", "low"));
        for answer in [
            format!("[{a},{b}]"),
            format!("Here you go:\n```json\n[{a},\n {b},\n]\n```\nHope [this] helps!"),
            format!("{{\"suggestions\": [{a}, {b}]}}"),
            format!("{{\"result\": {{\"cards\": [{a}, {b},]}} }}"),
            format!("<think>maybe [{a}]</think>[{a},{b}]"),
            format!("{a}\n{b}"),
            format!("First [1, 2], then\n[{a}, {b}]"),
            // A list that was cut keeps its whole items.
            format!("[{a},{b},{{\"title\":\"c"),
        ] {
            assert_eq!(titles(&answer), ["a1", "b2"], "{answer}");
        }
        assert_eq!(titles(&card("one", "high")), ["one"]);
        for answer in ["", "[]", "none", "[1,2]", "{}", "[[[[[[", "{\"a\":", "\"[{\""] {
            assert_eq!(parse(answer), Parsed::default(), "{answer}");
        }
    }

    #[test]
    fn items_with_missing_empty_or_absurd_fields_are_malformed_c3_f166() {
        let good = card("good", "high");
        for bad in [
            r#"{"title":"x","text":"y","category":"c","priority":"high"}"#.to_owned(),
            r#"{"title":"","text":"y","prompt":"z","category":"c","priority":"high"}"#.to_owned(),
            r#"{"title":"x","text":"y","prompt":"  ","category":"c","priority":"high"}"#.to_owned(),
            r#"{"title":"x","text":"y","prompt":7,"category":"c","priority":"high"}"#.to_owned(),
            r#"{"title":"x","text":"y","prompt":"z","category":"c"}"#.to_owned(),
            card(&"t".repeat(500), "high"),
            "7".to_owned(),
        ] {
            let parsed = parse(&format!("[{good},{bad}]"));
            assert_eq!(parsed.candidates.len(), 1, "{bad}");
            assert_eq!(parsed.malformed, 1, "{bad}");
        }
    }

    #[test]
    fn priorities_are_mapped_and_the_example_is_no_card_f167() {
        let of = |word: &str| parse(&format!("[{}]", card("x", word))).candidates[0].priority;
        assert_eq!(of("HIGH"), Priority::High);
        assert_eq!(of(" Urgent "), Priority::High);
        assert_eq!(of("high|medium|low"), Priority::Medium);
        assert_eq!(of("whenever"), Priority::Medium);
        assert_eq!(of("Low"), Priority::Low);
        let number = card("x", "high").replace("\"priority\":\"high\"", "\"priority\":1");
        assert_eq!(parse(&number).candidates[0].priority, Priority::High);
        let template = r#"[{"title":"Short title for the card","text":"One sentence: why this is the next useful step","prompt":"The exact prompt to send when the human accepts","category":"follow-up","priority":"high|medium|low"}]"#;
        assert_eq!(parse(template), Parsed { candidates: Vec::new(), malformed: 1 });
    }

    #[test]
    fn what_hides_or_steers_is_taken_out_of_the_fields() {
        let answer = r#"[{"title":"a\u202eb\u001b[31m","text":"y\nz","prompt":"p\u200bq","category":"c","priority":"low"}]"#;
        let parsed = parse(answer);
        assert_eq!(parsed.candidates[0].title, "ab");
        assert_eq!(parsed.candidates[0].text, "y z");
        assert_eq!(parsed.candidates[0].prompt, "pq");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(answer in ".{0,300}") {
            let _ = parse(&answer);
        }

        #[test]
        fn any_run_of_json_marks_is_read_without_a_panic(answer in r#"[\[\]{}",:\\a1 \n]{0,200}"#) {
            let _ = parse(&answer);
        }
    }
}
