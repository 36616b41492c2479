//! Codes are for programs and stable, their messages are for people.

use super::{Coded, DisarmCode, HoldCode, OutputCode, ReasonCode};
use crate::reply::ErrorKind;
use pretty_assertions::assert_eq;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::fmt::{Debug, Display};
use std::str::FromStr;

fn check_codes<C>(all: &[C], describe: fn(C) -> &'static str)
where
    C: Copy + Debug + Display + PartialEq + FromStr<Err: Debug + PartialEq> + Serialize + DeserializeOwned,
{
    let mut seen = BTreeSet::new();
    for &code in all {
        let text = code.to_string();
        assert!(
            text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'),
            "{text} is lower-kebab-case"
        );
        assert!(seen.insert(text.clone()), "{text} is there once");
        assert_eq!(text.parse(), Ok(code));
        assert_eq!(serde_json::to_value(code).unwrap(), text);
        assert_eq!(serde_json::from_value::<C>(text.into()).unwrap(), code);
        let line = describe(code);
        assert!(!line.is_empty() && !line.contains('\n') && !line.ends_with('.'), "{line:?} is a line");
        assert!(line.chars().next().is_some_and(char::is_lowercase), "{line:?} is a fragment");
    }
    for unknown in ["", "Ok", "no_model", " off", "off "] {
        assert!(C::from_str(unknown).is_err(), "{unknown:?}");
    }
}

#[test]
fn every_code_is_written_and_read_alike_and_has_a_line_for_people() {
    check_codes(ReasonCode::ALL, ReasonCode::describe);
    check_codes(HoldCode::ALL, HoldCode::describe);
    check_codes(DisarmCode::ALL, DisarmCode::describe);
    check_codes(OutputCode::ALL, OutputCode::describe);
}

#[test]
fn the_holds_stand_in_the_order_in_which_they_are_shown() {
    // Rule A4: of several holds the first is shown.
    let codes: Vec<&str> = HoldCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(
        codes,
        [
            "goal-owns-boundary",
            "by-hand-offer",
            "generation-failed",
            "no-completed-turn",
            "busy",
            "asking",
            "human-queued",
            "blocker",
            "refused",
            "no-answer",
            "submitting",
            "waiting-for-offer",
        ]
    );
    assert!(HoldCode::ALL.is_sorted());
}

#[test]
fn an_error_of_a_call_is_the_reason_of_the_same_name_with_the_same_line() {
    for kind in [
        ErrorKind::RetryLater,
        ErrorKind::Quota,
        ErrorKind::Credentials,
        ErrorKind::UnknownModel,
        ErrorKind::UnsupportedParameter,
        ErrorKind::ContextTooLong,
        ErrorKind::Filtered,
        ErrorKind::Starved,
        ErrorKind::Empty,
        ErrorKind::Malformed,
        ErrorKind::Timeout,
        ErrorKind::Cancelled,
        ErrorKind::Network,
        ErrorKind::NotAllowed,
    ] {
        let reason = ReasonCode::from(kind);
        assert_eq!(reason.as_str(), kind.code());
        assert_eq!(reason.describe(), kind.describe());
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.code());
    }
}

#[test]
fn a_code_with_its_line_is_an_object_of_two_keys() {
    let coded = ReasonCode::NoModel.coded();
    assert_eq!(
        serde_json::to_value(&coded).unwrap(),
        serde_json::json!({ "code": "no-model", "message": "no model is set" })
    );
    assert_eq!(coded.to_string(), "no-model: no model is set");
    let more = serde_json::json!({ "code": "no-model", "message": "", "more": 1 });
    serde_json::from_value::<Coded<ReasonCode>>(more).unwrap_err();
}
