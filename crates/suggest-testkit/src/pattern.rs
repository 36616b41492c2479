//! What an `expect` step asks of a line: a subset, with a few operators for texts and lists.

use serde_json::{Map, Number, Value};
use std::fmt;

/// A checked pattern.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pattern {
    /// `null`: matches null and absent.
    Nothing,
    /// A plain value that must be equal.
    Exactly(Value),
    /// An object: every field named must match.
    Fields(Vec<(String, Self)>),
    /// A list: the same length, and every element matches in order.
    List(Vec<Self>),
    /// All of these operators must hold.
    Operators(Vec<Operator>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operator {
    /// The text holds every one of these.
    Contains(Vec<String>),
    /// The text holds none of these.
    Lacks(Vec<String>),
    /// The list has an element like this.
    Some(Pattern),
    /// The list has no element like this.
    None(Pattern),
    /// The list has exactly these elements in order.
    Only(Vec<Pattern>),
}

/// One way in which a line is not what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The path of the value in the line.
    pub path: String,
    /// What was expected there, shortened.
    pub expected: String,
    /// What is there, shortened.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}", self.path, self.expected, self.found)
    }
}

/// A pattern that is none: the path of the wrong field, and what is wrong with it.
type Flaw = (String, String);

impl Pattern {
    /// Reads the pattern of an `expect` step, which is about the fields of a line.
    pub(crate) fn read(value: &Value, place: &str) -> Result<Self, Flaw> {
        match value {
            Value::Object(_) => Self::parse(value, place),
            _ => Err((place.to_owned(), "an expectation is an object".to_owned())),
        }
    }

    fn parse(value: &Value, place: &str) -> Result<Self, Flaw> {
        match value {
            Value::Null => Ok(Self::Nothing),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(Self::Exactly(value.clone())),
            Value::Array(items) => list(items, place).map(Self::List),
            Value::Object(fields) if fields.keys().any(|key| key.starts_with('$')) => {
                let operators = fields.iter().map(|(key, operand)| Operator::parse(key, operand, place));
                operators.collect::<Result<_, _>>().map(Self::Operators)
            }
            Value::Object(fields) => {
                let fields = fields.iter().map(|(key, field)| {
                    Self::parse(field, &format!("{place}.{key}")).map(|pattern| (key.clone(), pattern))
                });
                // Differences come in one order, whether or not serde_json keeps the order of the text.
                let mut fields = fields.collect::<Result<Vec<_>, _>>()?;
                fields.sort_by(|(one, _), (other, _)| one.cmp(other));
                Ok(Self::Fields(fields))
            }
        }
    }

    /// Every difference between this pattern and a line.
    pub(crate) fn compare(&self, line: &Value) -> Vec<Difference> {
        let mut differences = Vec::new();
        self.differ(Some(line), "", &mut differences);
        differences
    }

    fn matches(&self, value: &Value) -> bool {
        self.compare(value).is_empty()
    }

    fn differ(&self, actual: Option<&Value>, path: &str, into: &mut Vec<Difference>) {
        match (self, actual) {
            (Self::Nothing, None | Some(Value::Null)) => {}
            (Self::Exactly(expected), Some(found)) if equal(expected, found) => {}
            (Self::Exactly(expected), None) if is_counter(path) && is_zero(expected) => {}
            (Self::Fields(fields), Some(Value::Object(object))) => {
                differ_in_fields(fields, object, path, into)
            }
            // The drop counters may be left out while they are zero, and then all of them are.
            (Self::Fields(fields), None) if last_name(path) == "dropped" => {
                differ_in_fields(fields, &Map::new(), path, into);
            }
            (Self::List(patterns), Some(Value::Array(items))) => differ_in_list(patterns, items, path, into),
            (Self::Operators(operators), _) => {
                operators.iter().for_each(|operator| operator.differ(actual, path, into));
            }
            (Self::Nothing | Self::Exactly(_) | Self::Fields(_) | Self::List(_), _) => {
                into.push(difference(path, shown(&self.to_value()), actual));
            }
        }
    }

    fn to_value(&self) -> Value {
        let values = |patterns: &[Self]| Value::Array(patterns.iter().map(Self::to_value).collect());
        let texts = |texts: &[String]| Value::Array(texts.iter().cloned().map(Value::String).collect());
        match self {
            Self::Nothing => Value::Null,
            Self::Exactly(value) => value.clone(),
            Self::List(patterns) => values(patterns),
            Self::Fields(fields) => fields
                .iter()
                .map(|(key, pattern)| (key.clone(), pattern.to_value()))
                .collect::<Map<_, _>>()
                .into(),
            Self::Operators(operators) => {
                let pairs = operators.iter().map(|operator| match operator {
                    Operator::Contains(parts) => ("$contains".to_owned(), texts(parts)),
                    Operator::Lacks(parts) => ("$lacks".to_owned(), texts(parts)),
                    Operator::Some(pattern) => ("$some".to_owned(), pattern.to_value()),
                    Operator::None(pattern) => ("$none".to_owned(), pattern.to_value()),
                    Operator::Only(patterns) => ("$only".to_owned(), values(patterns)),
                });
                pairs.collect::<Map<_, _>>().into()
            }
        }
    }
}

impl Operator {
    fn parse(name: &str, operand: &Value, place: &str) -> Result<Self, Flaw> {
        let place = format!("{place}.{name}");
        match (name, operand) {
            ("$contains", _) => texts(operand, &place).map(Self::Contains),
            ("$lacks", _) => texts(operand, &place).map(Self::Lacks),
            ("$some" | "$none", Value::Array(_)) => {
                Err((place, "describe one element, not a list".to_owned()))
            }
            ("$some", _) => Pattern::parse(operand, &place).map(Self::Some),
            ("$none", _) => Pattern::parse(operand, &place).map(Self::None),
            ("$only", Value::Array(items)) => list(items, &place).map(Self::Only),
            ("$only", _) => Err((place, "give the list of all elements".to_owned())),
            _ if name.starts_with('$') => Err((
                place,
                "no such operator; there are $contains, $lacks, $some, $none and $only".to_owned(),
            )),
            _ => Err((place, "fields and operators do not mix in one object".to_owned())),
        }
    }

    fn differ(&self, actual: Option<&Value>, path: &str, into: &mut Vec<Difference>) {
        match (self, actual) {
            (Self::Contains(parts), Some(Value::String(text))) => {
                let missing = parts.iter().filter(|part| !text.contains(part.as_str()));
                into.extend(
                    missing.map(|part| difference(path, format!("a text with {}", quoted(part)), actual)),
                );
            }
            (Self::Lacks(parts), Some(Value::String(text))) => {
                let held = parts.iter().filter(|part| text.contains(part.as_str()));
                into.extend(
                    held.map(|part| difference(path, format!("a text without {}", quoted(part)), actual)),
                );
            }
            (Self::Some(pattern), Some(Value::Array(items))) => {
                let tries: Vec<_> = items.iter().map(|item| pattern.compare(item)).collect();
                if tries.iter().all(|differences| !differences.is_empty()) {
                    let mut miss =
                        difference(path, format!("an element like {}", shown(&pattern.to_value())), actual);
                    if let Some(nearest) = nearest(&tries) {
                        miss.found = format!("{}, {nearest}", counted(items.len()));
                    }
                    into.push(miss);
                }
            }
            (Self::None(pattern), Some(Value::Array(items))) => {
                let held = items.iter().enumerate().filter(|(_, item)| pattern.matches(item));
                into.extend(held.map(|(index, item)| {
                    let expected = format!("no element like {}", shown(&pattern.to_value()));
                    difference(&format!("{path}[{index}]"), expected, Some(item))
                }));
            }
            (Self::Only(patterns), Some(Value::Array(items))) => differ_in_list(patterns, items, path, into),
            (Self::Contains(_) | Self::Lacks(_), _) => {
                into.push(difference(path, "a text".to_owned(), actual))
            }
            (Self::Some(_) | Self::None(_) | Self::Only(_), _) => {
                into.push(difference(path, "a list".to_owned(), actual));
            }
        }
    }
}

/// What keeps the element that comes nearest to a pattern from matching.
fn nearest(tries: &[Vec<Difference>]) -> Option<String> {
    let (index, differences) = tries.iter().enumerate().min_by_key(|(_, differences)| differences.len())?;
    let told: Vec<_> = differences.iter().map(ToString::to_string).collect();
    Some(format!("nearest is [{index}] but for {}", told.join("; ")))
}

fn list(items: &[Value], place: &str) -> Result<Vec<Pattern>, Flaw> {
    items.iter().enumerate().map(|(index, item)| Pattern::parse(item, &format!("{place}[{index}]"))).collect()
}

fn texts(operand: &Value, place: &str) -> Result<Vec<String>, Flaw> {
    let flaw = || (place.to_owned(), "give a text or a list of texts".to_owned());
    match operand {
        Value::String(text) => Ok(vec![text.clone()]),
        Value::Array(items) if !items.is_empty() => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(flaw)).collect()
        }
        _ => Err(flaw()),
    }
}

fn differ_in_fields(
    fields: &[(String, Pattern)],
    object: &Map<String, Value>,
    path: &str,
    into: &mut Vec<Difference>,
) {
    for (key, pattern) in fields {
        let place = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        pattern.differ(object.get(key), &place, into);
    }
}

fn differ_in_list(patterns: &[Pattern], items: &[Value], path: &str, into: &mut Vec<Difference>) {
    if patterns.len() != items.len() {
        let expected =
            format!("{}: {}", counted(patterns.len()), shown(&Pattern::List(patterns.to_vec()).to_value()));
        into.push(difference(path, expected, Some(&Value::Array(items.to_vec()))));
        return;
    }
    for (index, (pattern, item)) in patterns.iter().zip(items).enumerate() {
        pattern.differ(Some(item), &format!("{path}[{index}]"), into);
    }
}

fn difference(path: &str, expected: String, actual: Option<&Value>) -> Difference {
    let found = match actual {
        None => "nothing".to_owned(),
        Some(Value::Array(items)) => {
            format!("{}: {}", counted(items.len()), shown(&Value::Array(items.clone())))
        }
        Some(value) => shown(value),
    };
    let path = if path.is_empty() { "the line" } else { path };
    Difference { path: path.to_owned(), expected, found }
}

fn counted(elements: usize) -> String {
    match elements {
        1 => "1 element".to_owned(),
        several => format!("{several} elements"),
    }
}

/// How many characters of a value a difference shows.
const SHOWN: usize = 300;

fn shown(value: &Value) -> String {
    let text = value.to_string();
    let chars = text.chars().count();
    if chars <= SHOWN {
        return text;
    }
    format!("{}… ({chars} characters)", text.chars().take(SHOWN).collect::<String>())
}

fn quoted(text: &str) -> String {
    shown(&Value::String(text.to_owned()))
}

fn equal(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Number(expected), Value::Number(found)) => expected == found || same_number(expected, found),
        _ => expected == found,
    }
}

/// `5` and `5.0` are one number in JSON.
fn same_number(left: &Number, right: &Number) -> bool {
    (left.is_f64() || right.is_f64()) && left.as_f64() == right.as_f64()
}

fn is_zero(value: &Value) -> bool {
    value.as_u64() == Some(0)
}

/// Whether a path is one of the drop counters.
fn is_counter(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(parent, _)| last_name(parent) == "dropped")
}

fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[track_caller]
    fn differences(pattern: Value, line: Value) -> Vec<String> {
        let pattern = Pattern::read(&pattern, "expect").unwrap();
        pattern.compare(&line).iter().map(ToString::to_string).collect()
    }

    #[track_caller]
    fn matching(pattern: Value, line: Value) {
        assert_eq!(differences(pattern, line), Vec::<String>::new());
    }

    #[test]
    fn an_object_matches_when_every_field_named_matches() {
        matching(json!({}), json!({"a": 1}));
        matching(json!({"a": {"b": true}}), json!({"a": {"b": true, "c": 2}, "d": 3}));
        assert_eq!(
            differences(json!({"a": {"b": true, "c": "x"}}), json!({"a": {"b": false}})),
            ["a.b: expected true, found false", "a.c: expected \"x\", found nothing"],
        );
        assert_eq!(
            differences(json!({"a": {"b": 1}}), json!({"a": null})),
            ["a: expected {\"b\":1}, found null"]
        );
    }

    #[test]
    fn null_matches_null_and_absent_only() {
        matching(json!({"a": null, "b": null}), json!({"a": null}));
        assert_eq!(differences(json!({"a": null}), json!({"a": 0})), ["a: expected null, found 0"]);
    }

    #[test]
    fn a_list_matches_by_length_and_order() {
        matching(json!({"a": [{"b": 1}, 2]}), json!({"a": [{"b": 1, "c": 1}, 2.0]}));
        assert_eq!(differences(json!({"a": [1, 2]}), json!({"a": [2, 1]})).len(), 2);
        assert_eq!(
            differences(json!({"a": []}), json!({"a": [1]})),
            ["a: expected 0 elements: [], found 1 element: [1]"],
        );
        matching(json!({"a": {"$only": [{}]}}), json!({"a": [{"b": 1}]}));
        assert_eq!(differences(json!({"a": {"$only": []}}), json!({"a": [1]})).len(), 1);
    }

    #[test]
    fn contains_and_lacks_look_into_texts() {
        matching(json!({"a": {"$contains": "b"}}), json!({"a": "abc"}));
        matching(json!({"a": {"$contains": ["a", "c"], "$lacks": ["x", "y"]}}), json!({"a": "abc"}));
        matching(json!({"a": {"$lacks": "x"}}), json!({"a": ""}));
        assert_eq!(
            differences(json!({"a": {"$contains": ["a", "x"], "$lacks": ["b", "y"]}}), json!({"a": "abc"})),
            [
                "a: expected a text with \"x\", found \"abc\"",
                "a: expected a text without \"b\", found \"abc\""
            ],
        );
        assert_eq!(
            differences(json!({"a": {"$lacks": "x"}}), json!({"a": null})),
            ["a: expected a text, found null"]
        );
        assert_eq!(
            differences(json!({"a": {"$contains": "x"}}), json!({})),
            ["a: expected a text, found nothing"]
        );
    }

    #[test]
    fn some_and_none_look_into_lists() {
        matching(json!({"a": {"$some": {"b": 1}, "$none": {"b": 3}}}), json!({"a": [{"b": 2}, {"b": 1}]}));
        matching(json!({"a": {"$none": {"b": 1}}}), json!({"a": []}));
        assert_eq!(
            differences(json!({"a": {"$none": {"b": 2}}}), json!({"a": [{"b": 1}, {"b": 2}]})),
            ["a[1]: expected no element like {\"b\":2}, found {\"b\":2}"],
        );
        assert_eq!(
            differences(json!({"a": {"$some": {"b": {"$contains": "x"}}}}), json!({"a": []})),
            ["a: expected an element like {\"b\":{\"$contains\":[\"x\"]}}, found 0 elements: []"],
        );
        assert_eq!(
            differences(json!({"a": {"$none": {}}}), json!({"a": null})),
            ["a: expected a list, found null"]
        );
    }

    #[test]
    fn a_drop_counter_that_was_left_out_is_zero() {
        matching(json!({"advisor": {"dropped": {"empty": 0, "oversized": null}}}), json!({"advisor": {}}));
        matching(
            json!({"cards": {"dropped": {"generic": 0, "done": 1}}}),
            json!({"cards": {"dropped": {"done": 1}}}),
        );
        assert_eq!(
            differences(json!({"dropped": {"empty": 1}}), json!({})),
            ["dropped.empty: expected 1, found nothing"]
        );
        assert_eq!(differences(json!({"turn": 0}), json!({})), ["turn: expected 0, found nothing"]);
    }

    #[test]
    fn a_malformed_pattern_names_the_field() {
        let cases = [
            (json!([]), "expect"),
            (json!({"a": {"$exists": true}}), "expect.a.$exists"),
            (json!({"a": {"$contains": 1}}), "expect.a.$contains"),
            (json!({"a": {"$contains": []}}), "expect.a.$contains"),
            (json!({"a": [1, {"$lacks": [1]}]}), "expect.a[1].$lacks"),
            (json!({"a": {"$some": [{}]}}), "expect.a.$some"),
            (json!({"a": {"$only": {}}}), "expect.a.$only"),
            (json!({"a": {"$some": {"b": {"$odd": 1}}}}), "expect.a.$some.b.$odd"),
            (json!({"a": {"$some": {}, "b": 1}}), "expect.a.b"),
        ];
        for (pattern, field) in cases {
            assert_eq!(Pattern::read(&pattern, "expect").unwrap_err().0, field);
        }
    }

    #[test]
    fn long_values_are_shortened_in_a_difference() {
        let differences =
            Pattern::read(&json!({"a": 1}), "expect").unwrap().compare(&json!({"a": "é".repeat(2_000)}));
        assert!(differences[0].found.ends_with("… (2002 characters)"), "{}", differences[0].found);
    }

    /// Any JSON value, with keys that are sometimes operators.
    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        let key = prop_oneof![
            "[a-z]{1,3}",
            Just("dropped".to_owned()),
            Just("$contains".to_owned()),
            Just("$lacks".to_owned()),
            Just("$some".to_owned()),
            Just("$none".to_owned()),
            Just("$only".to_owned()),
        ];
        leaf.prop_recursive(4, 32, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(key.clone(), inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    fn has_operator(value: &Value) -> bool {
        match value {
            Value::Array(items) => items.iter().any(has_operator),
            Value::Object(fields) => {
                fields.iter().any(|(key, field)| key.starts_with('$') || has_operator(field))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
    }

    proptest! {
        #[test]
        fn a_value_without_operators_matches_itself(value in any_json()) {
            prop_assume!(!has_operator(&value));
            let pattern = Pattern::parse(&value, "expect").unwrap();
            prop_assert_eq!(pattern.compare(&value), []);
        }

        #[test]
        fn no_pattern_and_no_line_make_a_comparison_panic(pattern in any_json(), line in any_json()) {
            if let Ok(pattern) = Pattern::parse(&pattern, "expect") {
                pattern.compare(&line);
            }
        }

        #[test]
        fn a_list_never_has_both_some_and_none_of_an_element(pattern in any_json(), items in prop::collection::vec(any_json(), 0..4)) {
            let holds = |operator: &str| {
                let checked = Pattern::parse(&json!({ operator: pattern }), "expect").ok()?;
                Some(checked.compare(&Value::Array(items.clone())).is_empty())
            };
            if let (Some(some), Some(none)) = (holds("$some"), holds("$none")) {
                prop_assert_ne!(some, none);
            }
        }
    }
}
