//! The block is read by people and reads back exactly (rules D3, D10, A4, A6, P3).

mod any;
mod examples;

use super::text::{escape, unescape};
use super::{ParseStateError, parse_state, print_state, status_line};
use crate::state::State;
use examples::{failed_with_older_offer, phases, ready};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

/// Texts that look like the block, or would not survive careless printing.
const HOSTILE: &[&str] = &[
    "",
    " ",
    "  leading and trailing  ",
    "\n",
    "\n\n",
    "two\nlines\n",
    "\r\n",
    "carriage\rreturn",
    "a\ttab\t",
    "|",
    "| bar",
    "|bar",
    "none",
    "status: off",
    "status        off",
    "status        ready\nreason        timeout: later",
    "offer         none",
    "  text        | nested",
    "              | continued",
    "code: message",
    ": ",
    "\\",
    "\\n",
    "\\u{41}",
    "\"quoted\" and 'quoted' and `quoted`",
    "{\"status\":\"off\"}",
    "line\u{2028}separator\u{2029}and\u{85}next",
    "\u{1b}[31mred\u{1b}[0m\u{7}",
    "\u{feff}mark \u{202e}tfel\u{202c} zero\u{200b}width",
    "no-break\u{a0}",
    "ideographic\u{3000}",
    "👩‍👩‍👧 naïve 日本語 \u{0}",
];

fn check_round_trip(state: &State) {
    let block = print_state(state);
    assert_eq!(parse_state(&block).as_ref(), Ok(state), "the block was:\n{block}");
}

#[test]
fn every_phase_reads_back_from_its_own_block() {
    for (name, state) in phases() {
        let block = print_state(&state);
        assert_eq!(parse_state(&block), Ok(state), "{name}:\n{block}");
    }
}

#[test]
fn texts_that_look_like_the_block_or_hold_odd_characters_read_back_in_every_place() {
    for text in HOSTILE {
        for (_, state) in phases() {
            check_round_trip(&any::with_every_text(state, text));
        }
    }
}

#[test]
fn a_whole_block_as_an_offer_reads_back() {
    let mut state = ready();
    for _ in 0..3 {
        let block = print_state(&state);
        if let Some(offer) = &mut state.offer {
            offer.text = block;
        }
        check_round_trip(&state);
    }
}

#[test]
fn windows_line_ends_blank_lines_and_trimmed_line_ends_change_nothing() {
    let state = failed_with_older_offer();
    let block = print_state(&state);
    assert_eq!(parse_state(&block.replace('\n', "\r\n")).as_ref(), Ok(&state));
    assert_eq!(parse_state(&format!("\n{}\n\n", block.replace('\n', "   \n\n"))).as_ref(), Ok(&state));
}

#[test]
fn a_block_shows_no_control_character_and_no_white_space_at_line_ends() {
    for text in HOSTILE {
        let block = print_state(&any::with_every_text(ready(), text));
        for line in block.split('\n') {
            assert!(!line.chars().any(char::is_control), "{line:?}");
            assert_eq!(line.trim_end(), line);
        }
    }
}

#[test]
fn an_unknown_line_is_an_error_that_names_it() {
    let block = print_state(&ready());
    for at in 0..=block.lines().count() {
        let mut lines: Vec<&str> = block.lines().collect();
        lines.insert(at, "  favourite   colour");
        assert_eq!(parse_state(&lines.join("\n")), Err(ParseStateError::UnknownLine { line: at + 1 }));
    }
}

#[test]
fn a_missing_line_is_an_error_that_names_its_key() {
    let block = print_state(&ready()).replace("  kind        prompt\n", "");
    let error = parse_state(&block).unwrap_err();
    assert_eq!(error, ParseStateError::MissingLine { line: 6, key: "kind" });
    assert_eq!(error.to_string(), "line 6 should be `kind`, which is missing");
    assert_eq!(parse_state(""), Err(ParseStateError::MissingLine { line: 1, key: "status" }));
}

#[test]
fn a_value_that_does_not_fit_is_an_error_that_names_its_line_and_key() {
    for (from, to, line, key) in [
        ("ready", "Ready", 1, "status"),
        ("ready", "", 1, "status"),
        ("ready", "| ready", 1, "status"),
        ("turn 4", "turn -4", 5, "answers"),
        ("turn 4", "turn 18446744073709551616", 5, "answers"),
        ("3 of 24", "3 of +24", 10, "rounds"),
        ("3 calls", "three calls", 12, "meter"),
        ("4.250 s", "4.25 s", 14, "time"),
        ("4.250 s", "18446744073709551615.999 s", 14, "time"),
    ] {
        let block = print_state(&ready()).replacen(from, to, 1);
        let error = parse_state(&block).unwrap_err();
        assert_eq!(error.line(), line, "{error}\n{block}");
        assert!(error.to_string().contains(&format!("`{key}`")), "{error}");
    }
}

#[test]
fn an_escape_of_another_language_is_an_error_and_errors_hold_no_text_of_the_block() {
    for bad in ["\\x41", "\\", "\\u{}", "\\u{d800}", "\\u{110000}", "\\u{41", "\\u41", "\\u{+41}"] {
        let block = print_state(&ready()).replace("| Add", &format!("| secret {bad}"));
        let error = parse_state(&block).unwrap_err();
        assert_eq!(error, ParseStateError::BadText { line: 8 }, "{bad}");
        assert!(!error.to_string().contains("secret"));
    }
}

#[test]
fn the_status_line_is_one_line_whatever_the_texts_hold() {
    for text in HOSTILE.iter().copied().chain([&*"long ".repeat(1_000)]) {
        for (_, state) in phases() {
            let line = status_line(&any::with_every_text(state, text));
            assert!(!line.chars().any(|c| c.is_control() || c == '\u{2028}'), "{line:?}");
            assert!(line.chars().count() < 1_500, "{line:?}");
        }
    }
}

#[test]
fn the_status_line_of_every_phase() {
    let lines: Vec<String> =
        phases().into_iter().map(|(name, state)| format!("{name}:\n  {}", status_line(&state))).collect();
    insta::assert_snapshot!("status_lines", lines.join("\n"));
}

#[test]
fn the_block_of_every_phase() {
    for (name, state) in phases() {
        insta::assert_snapshot!(name, print_state(&state));
    }
}

proptest! {
    #[test]
    fn every_state_reads_back_exactly(state in any::state()) {
        let block = print_state(&state);
        prop_assert_eq!(parse_state(&block), Ok(state), "the block was:\n{}", block);
    }

    #[test]
    fn every_state_has_a_status_line_of_one_line(state in any::state()) {
        let line = status_line(&state);
        prop_assert!(!line.chars().any(char::is_control));
        prop_assert_eq!(line.lines().count(), 1);
    }

    #[test]
    fn every_text_survives_its_escapes(text in any::text()) {
        let escaped = escape(&text);
        prop_assert_eq!(escaped.trim_end(), &escaped);
        prop_assert_eq!(unescape(&escaped), Some(text));
    }

    #[test]
    fn garbage_never_panics(text in any::text()) {
        if let Ok(state) = parse_state(&text) {
            prop_assert_eq!(parse_state(&print_state(&state)), Ok(state));
        }
    }

    #[test]
    fn a_damaged_block_is_an_error_with_a_line_or_another_whole_state(
        state in any::state(),
        cut in any::damage(),
    ) {
        let damaged = cut.apply(&print_state(&state));
        match parse_state(&damaged) {
            Ok(state) => prop_assert_eq!(parse_state(&print_state(&state)), Ok(state)),
            Err(error) => prop_assert!((1..=damaged.lines().count() + 1).contains(&error.line())),
        }
    }
}
