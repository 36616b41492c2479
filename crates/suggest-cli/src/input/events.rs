//! Host-neutral events, one JSON object a line.

use super::lines::{LONGEST_LINE, Lines};
use super::report::LogReport;
use serde_json::Value;
use std::io::{self, BufRead};
use suggest_core::{Event, Turn};

/// Every type of event that there is.
const TYPES: &[&str] = &[
    "turn_started",
    "turn_ended",
    "idle",
    "busy",
    "human_queued",
    "asking",
    "history_rewritten",
    "closed",
    "message",
    "tool",
    "plan",
    "chapter",
    "goal",
    "goal_cleared",
];

/// The most unknown types that are named; the rest shares one name.
const MAX_TYPES: usize = 64;
const OTHERS: &str = "(others)";

/// Why reading ended early.
#[derive(Debug)]
pub(super) enum EventsError {
    Io(io::Error),
    /// The session has no such turn; the newest turn before it.
    NoSuchTurn(Option<Turn>),
}

/// Whether a line is an event of a type that we know.
pub(super) fn is_event(line: &str) -> bool {
    // Only its first part may be at hand, so that it need not be whole.
    let whole = serde_json::from_str::<Value>(line).ok();
    let kind = whole.as_ref().and_then(|event| event.get("type")?.as_str().map(str::to_owned));
    let cut = || line.trim_start().strip_prefix("{\"type\":\"")?.split('"').next().map(str::to_owned);
    kind.or_else(|| if whole.is_none() { cut() } else { None })
        .is_some_and(|kind| TYPES.contains(&kind.as_str()))
}

/// Folds events, in order, into the sink, up to the end of a turn where one is asked for.
pub(super) fn read(
    input: impl BufRead,
    at_turn: Option<Turn>,
    sink: &mut dyn FnMut(Event),
) -> Result<LogReport, EventsError> {
    let mut lines = Lines::new(input, LONGEST_LINE);
    let mut report = LogReport::default();
    let mut newest = None;
    while let Some(line) = lines.next_line().map_err(EventsError::Io)? {
        let Some(bytes) = line.bytes else {
            report.problem(line.number, "longer than 16 MiB, skipped");
            continue;
        };
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let event = match parse(bytes) {
            Ok(event) => event,
            Err(Unreadable::NotJson) if !line.ended => {
                report.torn = true;
                continue;
            }
            Err(Unreadable::UnknownType(kind)) => {
                skip(&mut report, kind);
                continue;
            }
            Err(problem) => {
                report.problem(line.number, problem.to_string());
                continue;
            }
        };
        if let (Some(limit), Event::TurnStarted { turn, .. }) = (at_turn, &event)
            && *turn > limit
        {
            break;
        }
        if let Event::TurnStarted { turn, .. } | Event::TurnEnded { turn, .. } = &event {
            newest = Some(*turn);
        }
        let ended = match &event {
            Event::TurnEnded { turn, .. } => Some(*turn),
            _ => None,
        };
        report.events = report.events.saturating_add(1);
        report.last_turn = ended.or(report.last_turn);
        sink(event);
        if at_turn.is_some_and(|limit| ended.is_some_and(|ended| ended >= limit)) {
            break;
        }
    }
    match at_turn {
        Some(turn) if newest != Some(turn) => {
            Err(EventsError::NoSuchTurn(newest.filter(|newest| *newest < turn)))
        }
        _ => Ok(report),
    }
}

fn skip(report: &mut LogReport, kind: String) {
    report.skipped = report.skipped.saturating_add(1);
    let known = report.skipped_types.len() < MAX_TYPES || report.skipped_types.contains_key(&kind);
    let name = if known { kind } else { OTHERS.to_owned() };
    let count = report.skipped_types.entry(name).or_default();
    *count = count.saturating_add(1);
}

/// Why a line is no event. It never quotes the line.
#[derive(Debug)]
enum Unreadable {
    NotJson,
    NotAnEvent,
    UnknownType(String),
    /// The type is known, and its fields do not fit.
    Misfit(String),
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotJson => f.write_str("not JSON, skipped"),
            Self::NotAnEvent => f.write_str("no object with a type, skipped"),
            Self::UnknownType(_) => f.write_str("an unknown type, skipped"),
            Self::Misfit(kind) => write!(f, "the fields of `{kind}` do not fit, skipped"),
        }
    }
}

fn parse(bytes: &[u8]) -> Result<Event, Unreadable> {
    let value: Value = serde_json::from_slice(bytes).map_err(|_| Unreadable::NotJson)?;
    let kind = value.get("type").and_then(Value::as_str).ok_or(Unreadable::NotAnEvent)?;
    if !TYPES.contains(&kind) {
        return Err(Unreadable::UnknownType(kind.chars().filter(|c| !c.is_control()).take(64).collect()));
    }
    let kind = kind.to_owned();
    serde_json::from_value(value).map_err(|_| Unreadable::Misfit(kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use schemars::schema_for;

    fn folded(text: &str, at_turn: Option<u64>) -> (Vec<Event>, Result<LogReport, EventsError>) {
        let mut events = Vec::new();
        let report = read(text.as_bytes(), at_turn.map(Turn::new), &mut |event| events.push(event));
        (events, report)
    }

    #[test]
    fn the_list_of_types_is_the_cores() {
        let schema = schema_for!(Event).to_value();
        let mut known: Vec<String> = schema["oneOf"]
            .as_array()
            .unwrap()
            .iter()
            .map(|variant| variant["properties"]["type"]["const"].as_str().unwrap().to_owned())
            .collect();
        let mut listed: Vec<String> = TYPES.iter().map(|kind| (*kind).to_owned()).collect();
        known.sort();
        listed.sort();
        assert_eq!(listed, known);
    }

    #[test]
    fn what_cannot_be_read_is_told_by_number_and_the_rest_is_folded() {
        let text = "{\"type\":\"idle\"}\r\n\nnot json\n{\"type\":\"asking\",\"open\":1}\n[1]\n{\"type\":\"new\"}\n{\"type\":\"busy\"}\n{\"type\":\"id";
        let (events, report) = folded(text, None);
        let report = report.unwrap();
        assert_eq!(events, [Event::Idle, Event::Busy]);
        assert_eq!((report.events, report.skipped, report.torn), (2, 1, true));
        let problems: Vec<_> =
            report.problems.iter().map(|problem| (problem.line, problem.message.as_str())).collect();
        assert_eq!(
            problems,
            [
                (Some(3), "not JSON, skipped"),
                (Some(4), "the fields of `asking` do not fit, skipped"),
                (Some(5), "no object with a type, skipped"),
            ]
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic_and_every_line_is_accounted_for(
            lines in proptest::collection::vec(
                prop_oneof![
                    Just("{\"type\":\"idle\"}".to_owned()),
                    Just("{\"type\":\"new\"}".to_owned()),
                    Just("{\"type\":\"message\",\"author\":\"human\",\"text\":\"x\"}".to_owned()),
                    "\\PC{0,30}",
                ],
                0..20,
            ),
            garbage in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let mut text = lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes();
            text.extend_from_slice(&garbage);
            let mut count = 0_u64;
            let report = read(text.as_slice(), None, &mut |_| count += 1).unwrap();
            prop_assert_eq!(report.events, count);
            let whole = u64::try_from(text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count());
            let told = report.events + report.skipped + report.problem_count + u64::from(report.torn);
            prop_assert!(told <= whole.unwrap());
            let _ = crate::input::Format::of(&garbage, None);
        }
    }

    #[test]
    fn reading_can_end_at_a_turn() {
        let turn = |turn: u64| {
            format!(
                "{{\"type\":\"turn_started\",\"turn\":{turn}}}\n{{\"type\":\"turn_ended\",\"turn\":{turn},\"reason\":\"completed\"}}\n"
            )
        };
        let text = [1, 2, 4].map(turn).concat();
        assert_eq!(folded(&text, Some(2)).0.len(), 4);
        assert_eq!(folded(&text, Some(2)).1.unwrap().last_turn, Some(Turn::new(2)));
        for (missing, before) in [(3, Some(Turn::new(2))), (9, Some(Turn::new(4))), (0, None)] {
            let error = folded(&text, Some(missing)).1.unwrap_err();
            assert!(
                matches!(error, EventsError::NoSuchTurn(found) if found == before),
                "{missing}: {error:?}"
            );
        }
    }
}
