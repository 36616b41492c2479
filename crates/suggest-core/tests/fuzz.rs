//! Everything of the core that reads text from outside, under generated input, for as long as one likes.
//!
//! `FUZZ_SECONDS=60 cargo nextest run -p suggest-core --test fuzz` gives each target a minute; without the variable each
//! gets about a second. A failing input is made small, printed, and kept in `proptest-regressions/`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail like tests")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config as RunnerConfig, FileFailurePersistence, TestCaseError, TestRunner};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};
use suggest_core::{
    AnswerContext, Author, CallError, CallId, Command, Config, EndReason, ErrorKind, Event, Goal, GoalPhase,
    Input, Message, ModelReply, ReplyFinish, Revision, Scrubber, Session, SessionSetup, State, Timestamp,
    Turn, Verdict, classify, clean, cut_front, defuse, fold_for_echo, judge, parse_state, print_state,
    same_step, shorten_middle, status_line, step_key,
};

type Checked = Result<(), TestCaseError>;

/// Runs a target until its time is over.
fn fuzz<S: Strategy>(regressions: &'static str, strategy: S, check: impl Fn(S::Value) -> Checked) {
    let seconds = std::env::var("FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut inputs = 0_u64;
    while inputs == 0 || Instant::now() < end {
        let mut runner = TestRunner::new(RunnerConfig {
            cases: 200,
            failure_persistence: Some(Box::new(FileFailurePersistence::Direct(regressions))),
            ..RunnerConfig::default()
        });
        let result = runner.run(&strategy, &check);
        assert!(result.is_ok(), "{}", result.err().unwrap());
        inputs += 200;
    }
    println!("{inputs} inputs");
}

/// Pieces that the answer protocol, hosts, terminals and secrets are made of, in any order; now and then very long.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        5 => select(vec![
            "NEXT:", "next prompt:", "GOAL:", "**GOAL:**", "GOAL：", "NONE", "N/A", "**", "\"", "“", "”", "「", "」", "`", "```", "~~~\n", "\n",
            "\r\n", "\r", "\u{2028}", "\u{85}", "\u{b}", " ", "\t", "- ", "* ", "1. ", "| ", "## Goal", "<think>", "</think>", "<thinking>", "<|im_start|>",
            "<|im_end|>", "[INST]", "[/INST]", "<s>", "</s>", "<|channel|>final<|message|>", "<tool_call>", "{\"name\":\"x\"}", "</tool_call>",
            "\u{1b}[31m", "\u{1b}]8;;http://x\u{7}", "\u{1b}P", "\u{9b}", "\u{0}", "\u{202e}", "\u{2066}", "\u{200b}", "\u{200d}", "\u{feff}", "\u{fe0f}",
            "👨‍👩‍👧", "🇩🇪", "e\u{301}", "漢字", "नमस्ते", "مرحبا", "Let me ", "I'll ", "Option A: ", "[option / option]", "<email>", "/clear ", "!ls ",
            "git push --force ", "rm -rf / ", "DROP TABLE ", "change the goal to ", "…", "fix: ", "don't ", "(", ")", "[", "]", "{", "}", "<", ">",
        ]).prop_map(str::to_owned),
        3 => select(vec![
            "<system-reminder>", "</system-reminder>", "<system-reminder", "<goal_round attr=\"x\">", "</goal_round>", "<command-name>", "</command-name>",
            "<environment_context>", "</environment_context>", "<user_instructions>", "‹", "›", "[secret:github-token#1]", "[secret:", "#2]",
            "ghp_0123456789abcdefghijABCDEFGHIJ012345", "AKIAIOSFODNN7EXAMPLE", "sk-proj-abcdefghijklmnopqrstuvwx0123456789", "xoxb-1234567890-abcdefghij",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEFghiJKLmnoPQRstuVWX", "-----BEGIN RSA PRIVATE KEY-----\n", "-----END RSA PRIVATE KEY-----",
            "postgres://u:p4ssw0rd@db/x", "password=", "API_KEY=", "Authorization: Bearer ", "q9Zx7Lm2Vb4Nc8Kd3Fg6Hj1", "/home/ada/x.rs", "~/x", "C:\\Users\\ada\\x",
            "/workspace/src/a.rs", "/etc/passwd", "file:///home/ada/y", "9fceb02d0ae598e95dc970b74767f19372d61af8", "://", "@", "=", "'", "\\",
        ]).prop_map(str::to_owned),
        2 => "[a-zA-Z]{1,10} ?",
        1 => any::<String>(),
        1 => (select(vec!["a", "<", "[", "\"", "**", " ", "\n", "-", "<think>", "漢", "👨‍👩‍👧", "`", "(", "/", "x "]), 1_usize..400).prop_map(|(text, times)| text.repeat(times)),
    ];
    vec(piece, 0..18).prop_map(|pieces| pieces.concat())
}

fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}')
}

#[test]
fn answers() {
    let regressions = concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/fuzz-answers.txt");
    fuzz(
        regressions,
        (text(), vec(text(), 0..4), 20_usize..400, any::<bool>()),
        |(raw, human, cap, reasoned)| {
            let once = clean(&raw);
            prop_assert_eq!(&clean(&once), &once, "cleaning does not settle");
            let context = AnswerContext { max_chars: cap, recent_human: &human, session_text: "Add a flag." };
            for finish in [ReplyFinish::Stop, ReplyFinish::ToolCalls, ReplyFinish::Other, ReplyFinish::Length]
            {
                match judge(&raw, finish, reasoned, &context) {
                    Verdict::Offer(offer) => {
                        prop_assert!(finish != ReplyFinish::Length, "a cut answer is accepted");
                        prop_assert!(offer.text.chars().count() <= cap && offer.text.trim() == offer.text);
                        prop_assert!(
                            !offer.text.is_empty() && !offer.text.chars().any(is_hidden),
                            "{:?}",
                            offer.text
                        );
                        let echo = fold_for_echo(&offer.text);
                        prop_assert!(human.iter().rev().take(3).all(|prompt| fold_for_echo(prompt) != echo));
                        let again = judge(&offer.text, ReplyFinish::Stop, false, &context);
                        prop_assert!(
                            matches!(&again, Verdict::Offer(same) if same.text == offer.text),
                            "{again:?}"
                        );
                        prop_assert!(same_step(&offer.text, &offer.text));
                        prop_assert!(
                            !offer.text.starts_with(['/', '!']) || offer.kind.by_hand_only(),
                            "a command may run by itself"
                        );
                    }
                    Verdict::Nothing => {}
                    Verdict::Invalid(cause) => {
                        let words = cause.to_string();
                        prop_assert!(!words.is_empty() && !words.contains('\n'), "{words:?}");
                        prop_assert!(
                            words.chars().count() < 400,
                            "a cause of {} characters",
                            words.chars().count()
                        );
                        prop_assert!(!cause.correction(cap).is_empty());
                    }
                }
            }
            let _ = (classify(&raw, false), classify(&raw, true), step_key(&raw));
            Ok(())
        },
    );
}

#[test]
fn messages() {
    let regressions = concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/fuzz-messages.txt");
    fuzz(regressions, (vec(text(), 1..6), 500_u32..3_000), |(texts, cap)| {
        let mut config = Config::default();
        config.prompt_model = Some("one/model".parse().unwrap());
        config.prompt_context_chars = cap;
        let cap = usize::try_from(cap).unwrap();
        let folders = (Some("/workspace".to_owned()), Some("/home/ada".to_owned()));
        let mut scrubber = Scrubber::new(folders.0.as_deref(), folders.1.as_deref());
        let mut session = Session::new(SessionSetup::new("s").with_folders(folders.0, folders.1), config);
        let now = Timestamp::new(0);
        for (at, text) in texts.iter().enumerate() {
            let defused = defuse(text);
            prop_assert_eq!(&defuse(&defused), &defused, "defusing does not settle");
            let scrubbed = scrubber.scrub(&defused);
            prop_assert_eq!(&scrubber.scrub(&scrubbed), &scrubbed, "scrubbing does not settle");
            prop_assert!(!scrubbed.contains("ghp_0123456789abcdefghijABCDEFGHIJ012345"), "{scrubbed:?}");
            for room in [0, 1, 7, 40, 300] {
                prop_assert!(shorten_middle(&scrubbed, room).chars().count() <= room);
                prop_assert!(cut_front(&scrubbed, room).0.chars().count() <= room);
            }
            let event = match at % 4 {
                0 => Event::Message(Message::new(Author::Human, text.as_str())),
                1 => Event::Message(Message::new(Author::Assistant, text.as_str())),
                2 => Event::Message(Message::new(Author::Suggest, text.as_str())),
                _ => Event::Goal(Goal {
                    id: "g".to_owned(),
                    revision: Revision::new(1),
                    phase: GoalPhase::Active,
                    armed: false,
                    objective: text.clone(),
                }),
            };
            session.handle(now, Input::Event(event));
        }
        let slice = session.slice();
        prop_assert!(slice.chars().count() <= cap, "{} of {cap} characters", slice.chars().count());
        prop_assert!(
            !slice.chars().any(|letter| is_hidden(letter) && letter != '\n' && letter != '\t'),
            "{slice:?}"
        );
        let _ = session.facts();
        Ok(())
    });
}

/// States of a session with odd texts in every place that holds one.
fn state_of(texts: &[String], errors: bool) -> State {
    let mut config = Config::default();
    config.prompt_model = Some("one/model".parse().unwrap());
    let mut session = Session::new(SessionSetup::new("s"), config);
    let now = Timestamp::new(0);
    let text = |at: usize| texts[at % texts.len()].clone();
    let turn = Turn::new(1);
    session.handle(
        now,
        Input::Event(Event::Goal(Goal {
            id: text(0),
            revision: Revision::new(2),
            phase: GoalPhase::Active,
            armed: errors,
            objective: text(1),
        })),
    );
    session.handle(now, Input::Event(Event::TurnStarted { turn, origin: None }));
    session.handle(now, Input::Event(Event::Message(Message::new(Author::Assistant, "Done."))));
    session.handle(now, Input::Event(Event::TurnEnded { turn, reason: EndReason::Completed }));
    session.handle(now, Input::Command(Command::ArmAutorun));
    if errors {
        let error = CallError { message: Some(text(2)), ..CallError::new(ErrorKind::Network) };
        session.handle(now, Input::CallFailed(CallId::new(1), error));
    } else {
        session.handle(now, Input::Reply(CallId::new(1), ModelReply::text(text(2))));
    }
    session.state()
}

#[test]
fn state_blocks() {
    let regressions = concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/fuzz-state-blocks.txt");
    let edits = vec((any::<u16>(), 0_u8..5, text()), 0..6);
    fuzz(regressions, (vec(text(), 1..4), any::<bool>(), edits), |(texts, errors, edits)| {
        let state = state_of(&texts, errors);
        let printed = print_state(&state);
        let parsed = parse_state(&printed);
        prop_assert!(parsed.as_ref() == Ok(&state), "{parsed:?}\n{printed}");
        prop_assert_eq!(status_line(&state).lines().count(), 1);
        let mut lines: Vec<String> = printed.lines().map(str::to_owned).collect();
        for (at, edit, text) in edits {
            let at = usize::from(at) % lines.len().max(1);
            match edit {
                0 if !lines.is_empty() => drop(lines.remove(at)),
                1 if !lines.is_empty() => lines.push(lines[at].clone()),
                2 => lines.insert(at.min(lines.len()), text),
                3 if !lines.is_empty() => lines[at].push_str(&text),
                _ if !lines.is_empty() => {
                    let half: String = lines[at].chars().take(lines[at].chars().count() / 2).collect();
                    lines[at] = half;
                }
                _ => {}
            }
        }
        if let Ok(state) = parse_state(&lines.join("\n")) {
            let again = parse_state(&print_state(&state));
            prop_assert!(again.as_ref() == Ok(&state), "{again:?}");
        }
        for text in &texts {
            let _ = parse_state(text);
        }
        Ok(())
    });
}

fn json_value() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(|number| json!(number)),
        any::<u64>().prop_map(|number| json!(number)),
        any::<f64>().prop_map(|number| json!(number)),
        select(vec![0, 1, 19, 20, 63, 64, 240, 499, 500, 1_000, 4_000, 4_001, 200_000, 600_000])
            .prop_map(|number| json!(number)),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(|truth| json!(truth)),
        number,
        select(vec!["", " ", "one/model", "one/", "/model", "a/b/c", "true", "240", "on"])
            .prop_map(|text| json!(text)),
        text().prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            vec((key(), inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => select(vec![
            "promptModel", "promptContextChars", "promptMaxChars", "promptMaxRounds", "promptDeadlineMs", "enrichmentMaxTokens", "maxConcurrentCalls",
            "allowTransfer", "advisor", "cards", "summary", "providers", "enabled", "model", "provider", "systemPrompt", "immuneTurns",
            "maxDeltaMessages", "proseFallback", "reasoningEffort", "nextPrompt", "defaultEnabled", "maxTokens", "prompt_model", "Promptmodel",
        ]).prop_map(str::to_owned),
        1 => text(),
    ]
}

#[test]
fn configurations() {
    let regressions = concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/fuzz-configurations.txt");
    let document =
        vec((key(), json_value()), 0..4).prop_map(|pairs| Value::Object(pairs.into_iter().collect()));
    fuzz(regressions, (document, json_value()), |(document, other)| {
        for read in [&document, &other] {
            match Config::from_json(read) {
                Ok(config) => {
                    prop_assert!((500..=200_000).contains(&config.prompt_context_chars));
                    prop_assert!((20..=4_000).contains(&config.prompt_max_chars));
                    prop_assert!(config.prompt_max_rounds <= 1_000);
                    prop_assert!((1_000..=600_000).contains(&config.prompt_deadline_ms));
                    prop_assert!((1..=10_000).contains(&config.max_concurrent_calls));
                    let written = serde_json::to_value(&config).unwrap();
                    prop_assert_eq!(Config::from_json(&written).unwrap(), config);
                }
                Err(error) => {
                    let words = error.to_string();
                    prop_assert!(!words.is_empty() && !words.chars().any(char::is_control), "{words:?}");
                    prop_assert!(
                        words.chars().count() < 600,
                        "an error of {} characters",
                        words.chars().count()
                    );
                }
            }
        }
        Ok(())
    });
}

#[test]
fn commands_and_events() {
    let regressions = concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/fuzz-commands.txt");
    let words = select(vec![
        "state",
        "run",
        "o3",
        "o",
        "o99999999999999999999",
        "model",
        "clear",
        "one/model",
        "autorun",
        "on",
        "off",
        "reset",
        "advisor",
        "cards",
        "accept",
        "dismiss",
        "all",
        "set",
        "summary",
        "retry",
        "pull",
        "\t",
        "\u{3000}",
    ]);
    fuzz(regressions, (vec(words, 0..5), text(), json_value()), |(words, text, value)| {
        for line in [words.join(" "), text.clone()] {
            if let Err(error) = line.parse::<Command>() {
                prop_assert!(!error.message.is_empty() && error.message.chars().count() < 300, "{error}");
            }
        }
        let typed = [
            json!({"type": text, "turn": value}),
            json!({"type": "turn_started", "turn": value}),
            json!({"type": "message", "author": "human", "text": value}),
            json!({"type": "goal", "id": "g", "revision": value, "phase": "active", "objective": text}),
        ];
        for event in typed {
            if let Ok(event) = serde_json::from_value::<Event>(event) {
                let again: Event = serde_json::from_value(serde_json::to_value(&event).unwrap()).unwrap();
                prop_assert_eq!(again, event);
            }
        }
        Ok(())
    });
}
