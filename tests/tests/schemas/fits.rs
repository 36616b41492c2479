//! Whether a value fits a schema: only the keywords that our schemas use, and a failure on any other.

use serde_json::{Map, Value};
use suggest_core::{ModelId, OfferId};

/// Whether the value fits the schema, a whole document with its definitions.
pub(crate) fn fits(document: &Value, value: &Value) -> bool {
    check(document, document, value)
}

fn check(document: &Value, schema: &Value, value: &Value) -> bool {
    let Value::Object(schema) = schema else { return schema == &Value::Bool(true) };
    schema.iter().all(|(keyword, rule)| match keyword.as_str() {
        "$schema" | "$defs" | "title" | "description" | "default" | "deprecated" => true,
        "$ref" => {
            let pointer =
                rule.as_str().and_then(|text| text.strip_prefix('#')).expect("a reference into the document");
            check(document, document.pointer(pointer).expect("a definition"), value)
        }
        "type" => match rule {
            Value::Array(types) => types.iter().any(|name| is_type(name, value)),
            name => is_type(name, value),
        },
        "const" => rule == value,
        "enum" => list(rule).contains(value),
        "oneOf" => list(rule).iter().filter(|schema| check(document, schema, value)).count() == 1,
        "anyOf" => list(rule).iter().any(|schema| check(document, schema, value)),
        "not" => !check(document, rule, value),
        "properties" => object(value).is_none_or(|fields| {
            object(rule)
                .expect("properties")
                .iter()
                .all(|(name, schema)| fields.get(name).is_none_or(|field| check(document, schema, field)))
        }),
        "required" => object(value).is_none_or(|fields| {
            list(rule).iter().all(|name| fields.contains_key(name.as_str().expect("a name")))
        }),
        "additionalProperties" => object(value).is_none_or(|fields| {
            let named = schema.get("properties").and_then(object);
            fields
                .iter()
                .filter(|(name, _)| named.is_none_or(|named| !named.contains_key(*name)))
                .all(|(_, field)| check(document, rule, field))
        }),
        "items" => value.as_array().is_none_or(|items| items.iter().all(|item| check(document, rule, item))),
        "minimum" => number(value).is_none_or(|found| found >= bound(rule)),
        "maximum" => number(value).is_none_or(|found| found <= bound(rule)),
        "exclusiveMinimum" => number(value).is_none_or(|found| found > bound(rule)),
        "exclusiveMaximum" => number(value).is_none_or(|found| found < bound(rule)),
        "format" => match rule.as_str() {
            Some("uint8") => number(value).is_none_or(|found| (0..=i128::from(u8::MAX)).contains(&found)),
            Some("uint32") => number(value).is_none_or(|found| (0..=i128::from(u32::MAX)).contains(&found)),
            Some("uint64") => number(value).is_none_or(|found| (0..=i128::from(u64::MAX)).contains(&found)),
            _ => panic!("teach this check the format {rule}"),
        },
        "pattern" => value.as_str().is_none_or(|text| match rule.as_str() {
            Some(r"^o[0-9]+$") => text.parse::<OfferId>().is_ok(),
            Some(r"^[^/\s]+/\S+$") => text.parse::<ModelId>().is_ok(),
            Some(r"^\s*([^/\s]+/\S+\s*)?$") => text.trim().is_empty() || text.parse::<ModelId>().is_ok(),
            _ => panic!("teach this check the pattern {rule}"),
        }),
        other => panic!("teach this check the keyword {other}"),
    })
}

fn is_type(name: &Value, value: &Value) -> bool {
    match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => panic!("teach this check the type {name}"),
    }
}

fn list(rule: &Value) -> &Vec<Value> {
    rule.as_array().expect("a list")
}

fn object(value: &Value) -> Option<&Map<String, Value>> {
    value.as_object()
}

fn number(value: &Value) -> Option<i128> {
    value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from))
}

fn bound(rule: &Value) -> i128 {
    number(rule).expect("a bound is a whole number")
}
