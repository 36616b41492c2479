//! Ids are read strictly and written as they were read (rules D1, D11).

use super::{ModelId, OfferId, ParseModelIdError, ParseOfferIdError, Revision, Timestamp, Turn};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

#[test]
fn an_offer_id_is_an_o_and_its_number() {
    assert_eq!("o1".parse(), Ok(OfferId::new(1)));
    assert_eq!(OfferId::new(42).to_string(), "o42");
    assert_eq!(OfferId::new(42).number(), 42);
    let largest = format!("o{}", u64::MAX);
    assert_eq!(largest.parse(), Ok(OfferId::new(u64::MAX)));
    for wrong in
        ["", "o", "3", "O3", "o-3", "o+3", "o 3", " o3", "o3 ", "o3x", "oo3", "o٣", "o18446744073709551616"]
    {
        assert_eq!(wrong.parse::<OfferId>(), Err(ParseOfferIdError), "{wrong:?}");
    }
}

#[test]
fn an_offer_id_is_a_string_in_json() {
    assert_eq!(serde_json::to_string(&OfferId::new(7)).unwrap(), "\"o7\"");
    assert_eq!(serde_json::from_str::<OfferId>("\"o7\"").unwrap(), OfferId::new(7));
    for wrong in ["7", "\"7\"", "null", "{}"] {
        serde_json::from_str::<OfferId>(wrong).unwrap_err();
    }
}

#[test]
fn the_first_slash_divides_a_model_route() {
    let id: ModelId = " openrouter/deepseek/deepseek-chat:free\n".parse().unwrap();
    assert_eq!(id.provider(), "openrouter");
    assert_eq!(id.model(), "deepseek/deepseek-chat:free");
    assert_eq!(id.as_str(), "openrouter/deepseek/deepseek-chat:free");
    assert_eq!(serde_json::to_string(&id).unwrap(), "\"openrouter/deepseek/deepseek-chat:free\"");
}

#[test]
fn a_text_without_two_full_sides_is_no_route_and_the_error_names_it() {
    for wrong in
        ["", "/", "a/", "/b", "ab", "a b/c", "a/b c", "a /b", "a/ b", "a/\u{7}b", "a\u{a0}/b", "a/\u{2028}b"]
    {
        wrong.parse::<ModelId>().unwrap_err();
        serde_json::from_value::<ModelId>(wrong.into()).unwrap_err();
    }
    assert_eq!("gpt".parse::<ModelId>(), Err(ParseModelIdError { value: "gpt".to_owned() }));
}

#[test]
fn the_error_of_a_wrong_route_is_one_bounded_line() {
    let error = "x\n\u{1b}[31m".repeat(10_000).parse::<ModelId>().unwrap_err();
    assert_eq!(error.value.chars().count(), 120);
    assert!(!error.to_string().contains(char::is_control));
}

#[test]
fn numbers_are_bare_in_json_and_stop_at_the_largest() {
    assert_eq!(serde_json::to_string(&Turn::new(3)).unwrap(), "3");
    assert_eq!(serde_json::from_str::<Revision>("0").unwrap(), Revision::new(0));
    for wrong in ["-1", "1.5", "\"1\"", "18446744073709551616", "null"] {
        serde_json::from_str::<Turn>(wrong).unwrap_err();
    }
    assert_eq!(Turn::new(3).next(), Turn::new(4));
    assert_eq!(Turn::new(u64::MAX).next(), Turn::new(u64::MAX));
    assert_eq!(Turn::new(12).to_string(), "12");
}

#[test]
fn time_never_wraps_around() {
    assert_eq!(Timestamp::new(5).plus_ms(7), Timestamp::new(12));
    assert_eq!(Timestamp::new(u64::MAX).plus_ms(1), Timestamp::new(u64::MAX));
    assert_eq!(Timestamp::new(12).ms_since(Timestamp::new(5)), 7);
    assert_eq!(Timestamp::new(5).ms_since(Timestamp::new(12)), 0);
}

proptest! {
    #[test]
    fn every_offer_id_reads_back(number: u64) {
        let id = OfferId::new(number);
        prop_assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn no_text_panics_as_an_id_and_what_is_read_reads_back(text in "\\PC{0,8}/?\\PC{0,8}") {
        if let Ok(id) = text.parse::<OfferId>() {
            prop_assert_eq!(id.to_string().parse(), Ok(id));
        }
        if let Ok(id) = text.parse::<ModelId>() {
            prop_assert_eq!(format!("{}/{}", id.provider(), id.model()), id.as_str());
            prop_assert!(!id.provider().contains('/'));
            prop_assert_eq!(id.as_str().parse(), Ok(id));
        }
    }
}
