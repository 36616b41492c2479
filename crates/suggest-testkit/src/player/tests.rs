//! The player against a machine that says what it was fed.

use super::*;
use crate::{StepNumber, for_people};
use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::collections::VecDeque;
use suggest_core::{
    AutorunView, CallId, Expectation, ModelCall, OfferId, OfferKind, OfferView, PromptMessage, PromptRole,
    SessionSetup, State, Status, Submission, Ticket, Turn, Usage,
};

/// Writes down its inputs as `inject` effects. A message of the human is an order: `call VOICE`, `cancel CALL`,
/// `submit AUTHOR`, `withdraw`, `offer`, `wake MOMENT`.
struct Parrot {
    effects: VecDeque<Effect>,
    wakes: Vec<Timestamp>,
    calls: u64,
    offers: u64,
    shown: Option<u64>,
    next_ticket: Ticket,
}

impl Parrot {
    fn say(&mut self, now: Timestamp, text: impl std::fmt::Display) {
        self.effects.push_back(Effect::Inject { text: format!("{now} {text}") });
    }

    fn obey(&mut self, now: Timestamp, order: &str) {
        let (verb, rest) = order.split_once(' ').unwrap_or((order, ""));
        match verb {
            "call" => {
                self.calls += 1;
                let (call, voice) = (CallId::new(self.calls), serde_json::from_value(json!(rest)).unwrap());
                let messages = vec![PromptMessage { role: PromptRole::User, text: "What next?".into() }];
                let model = "example/small".parse().unwrap();
                let call = ModelCall { call, voice, attempt: 1, model, messages, deadline_ms: 60_000 };
                self.effects.push_back(Effect::CallModel(call));
            }
            "cancel" => {
                self.effects.push_back(Effect::CancelCall { call: CallId::new(rest.parse().unwrap()) })
            }
            "submit" => {
                let author = serde_json::from_value(json!(rest)).unwrap();
                let (ticket, offer) = (self.next_ticket, OfferId::new(self.offers));
                self.next_ticket = ticket.next();
                let expect = Expectation { turn: None, goal: None, human_epoch: 0 };
                let submission = Submission { ticket, offer, text: "Go on.".into(), author, expect };
                self.effects.push_back(Effect::SubmitTurn(submission));
            }
            "withdraw" => self.effects.push_back(Effect::WithdrawTurn { ticket: Ticket::new(1) }),
            "offer" => {
                self.shown = Some(self.offers);
                self.offers += 1;
            }
            "wake" => self.wakes.push(Timestamp::new(rest.parse().unwrap())),
            _ => self.say(now, order),
        }
    }
}

impl Machine for Parrot {
    fn start(setup: SessionSetup, config: Config) -> Self {
        let mut parrot = Self {
            effects: VecDeque::new(),
            wakes: Vec::new(),
            calls: 0,
            offers: setup.first_offer,
            shown: None,
            next_ticket: setup.first_ticket,
        };
        if setup.first_offer > 1 || setup.first_ticket > Ticket::new(1) {
            let (offer, ticket, chars) = (setup.first_offer, setup.first_ticket, config.prompt_max_chars);
            parrot.say(Timestamp::new(0), format!("resumes at offer {offer}, ticket {ticket}, cap {chars}"));
        }
        parrot
    }

    fn handle(&mut self, now: Timestamp, input: Input) -> Option<CommandOutput> {
        match input {
            Input::Event(Event::Message(message)) => self.obey(now, &message.text),
            Input::Event(event) => self.say(now, format!("event {}", event_title(&event))),
            Input::History(Event::Message(message)) => self.say(now, format!("history `{}`", message.text)),
            Input::History(event) => self.say(now, format!("history {}", event_title(&event))),
            Input::Command(command) => return Some(CommandOutput::ok(format!("{command:?}"))),
            Input::CallSent(call) => self.say(now, format!("sent {call}")),
            Input::Reply(call, reply) => self.say(now, format!("reply {call} `{}`", reply.text)),
            Input::CallFailed(call, error) => self.say(now, format!("error {call} {}", error.kind.code())),
            Input::SubmitResult { ticket, accepted, .. } => {
                self.say(now, format!("result {ticket} {accepted}"))
            }
            Input::Config(config) => self.say(now, format!("cap {}", config.prompt_max_chars)),
            Input::Tick => {
                self.wakes.retain(|wake| *wake > now);
                self.say(now, "tick");
            }
            _ => self.say(now, "something new"),
        }
        None
    }

    fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn next_wake(&self) -> Option<Timestamp> {
        self.wakes.iter().min().copied()
    }

    fn state(&self) -> State {
        let model: suggest_core::ModelId = "example/small".parse().unwrap();
        State {
            status: if self.shown.is_some() { Status::Ready } else { Status::Idle },
            reason: None,
            offer: self.shown.map(|number| OfferView {
                id: OfferId::new(number),
                text: "Go on.".into(),
                turn: Turn::new(1),
                current: true,
                kind: OfferKind::Prompt,
                model,
            }),
            autorun: AutorunView {
                armed: false,
                hold: None,
                rounds: 0,
                max_rounds: 24,
                disarmed_because: None,
            },
            goal: None,
            model: None,
            usage: Usage::default(),
            advisor: None,
            cards: None,
            summary: None,
        }
    }
}

fn play(document: Value) -> Outcome {
    Player::<Parrot>::with_machines(&Scenario::from_json(&document.to_string()).unwrap()).play()
}

/// What the machine said in each line, with the calls and submissions that it asked for.
fn said(document: Value) -> Vec<Vec<String>> {
    let words = |effect: &Effect| match effect {
        Effect::Inject { text } => text.clone(),
        Effect::CallModel(call) => format!("call {}", call.call),
        Effect::CancelCall { call } => format!("cancel {call}"),
        Effect::SubmitTurn(submission) => format!("submit {} ticket {}", submission.offer, submission.ticket),
        other => format!("{other:?}"),
    };
    play(document).lines.iter().map(|line| line.effects.iter().map(words).collect()).collect()
}

fn order(text: &str) -> Value {
    json!({"event": {"type": "message", "author": "human", "text": text}})
}

fn reply(text: &str) -> Value {
    json!({"reply": {"text": text}})
}

/// What the machine said in the last line of a scenario of these steps.
fn last(steps: Vec<Value>) -> Vec<String> {
    said(json!({ "steps": steps })).pop().unwrap()
}

#[test]
fn a_call_is_sent_at_once_and_in_the_order_of_the_effects() {
    assert_eq!(last(vec![order("call director")]), ["call 1", "0 sent 1"]);
}

#[test]
fn timers_fire_at_their_own_moments_before_the_step() {
    let steps = vec![
        order("wake 300"),
        order("wake 100"),
        order("wake 900"),
        json!({"at": 500, "event": {"type": "idle"}}),
    ];
    assert_eq!(last(steps), ["100 tick", "300 tick", "500 event idle"]);
    assert_eq!(last(vec![order("wake 5"), json!({"at": 5})]), ["5 tick"]);
    assert_eq!(last(vec![order("wake 5"), json!({"at": 4})]), Vec::<String>::new());
}

#[test]
fn a_machine_that_wants_ticks_for_ever_does_not_hang_the_player() {
    struct Restless(Parrot);
    impl Machine for Restless {
        fn start(setup: SessionSetup, config: Config) -> Self {
            Self(Parrot::start(setup, config))
        }
        fn handle(&mut self, now: Timestamp, input: Input) -> Option<CommandOutput> {
            self.0.handle(now, input)
        }
        fn poll_effect(&mut self) -> Option<Effect> {
            self.0.poll_effect()
        }
        fn next_wake(&self) -> Option<Timestamp> {
            Some(Timestamp::new(1))
        }
        fn state(&self) -> State {
            self.0.state()
        }
    }
    let scenario = Scenario::from_json(r#"{"steps": [{"at": 1}]}"#).unwrap();
    let outcome = Player::<Restless>::with_machines(&scenario).play();
    assert_eq!(outcome.lines[0].effects.len(), TICKS_AT_ONE_MOMENT);
}

#[test]
fn a_reply_answers_the_oldest_outstanding_call_of_its_voice() {
    let calls = || vec![order("call advisor"), order("call director"), order("call director")];
    let then = |step: Value| last([calls(), vec![step]].concat());
    assert_eq!(then(reply("a")), ["0 reply 2 `a`"]);
    assert_eq!(then(json!({"reply": {"text": "a", "voice": "advisor"}})), ["0 reply 1 `a`"]);
    assert_eq!(then(json!({"error": {"kind": "quota", "voice": "advisor"}})), ["0 error 1 quota"]);
    assert_eq!(then(json!({"reply": {"text": "a", "call": 3}})), ["0 reply 3 `a`"]);
    assert_eq!(last([calls(), vec![reply("a"), reply("b")]].concat()), ["0 reply 3 `b`"]);
}

#[test]
fn a_cancelled_or_answered_call_is_answered_again_only_by_its_number() {
    let cancelled = || vec![order("call director"), order("call director"), order("cancel 1")];
    assert_eq!(last([cancelled(), vec![reply("a")]].concat()), ["0 reply 2 `a`"]);
    assert_eq!(
        last([cancelled(), vec![json!({"reply": {"text": "a", "call": 1}})]].concat()),
        ["0 reply 1 `a`"]
    );
}

#[test]
fn with_no_call_outstanding_the_last_one_is_answered_late() {
    let calls = vec![order("call director"), order("call director"), order("cancel 1"), order("cancel 2")];
    assert_eq!(last([calls, vec![order("call cards"), reply("a")]].concat()), ["0 reply 2 `a`"]);
}

#[test]
fn a_reply_that_nobody_asked_for_changes_nothing() {
    assert_eq!(last(vec![reply("a")]), Vec::<String>::new());
    assert_eq!(last(vec![json!({"submit_result": {"accepted": true}})]), Vec::<String>::new());
}

#[test]
fn a_result_answers_the_oldest_unanswered_submission() {
    let result = |accepted: bool| json!({"submit_result": {"accepted": accepted}});
    let two = || vec![order("submit suggest"), order("submit suggest")];
    assert_eq!(last([two(), vec![result(true)]].concat()), ["0 result 1 true"]);
    assert_eq!(last([two(), vec![result(true), result(false)]].concat()), ["0 result 2 false"]);
    let by_ticket = json!({"submit_result": {"accepted": false, "ticket": 2, "reason": "busy"}});
    assert_eq!(last([two(), vec![by_ticket, result(true)]].concat()), ["0 result 1 true"]);
    assert_eq!(last([two(), vec![order("withdraw"), result(true)]].concat()), ["0 result 1 true"]);
}

#[test]
fn a3_a_turn_with_our_origin_or_none_answers_a_submission() {
    let started = |origin: Value| json!({"event": {"type": "turn_started", "turn": 1, "origin": origin}});
    let result = || json!({"submit_result": {"accepted": true}});
    let after = |author: &str, origin: Value| {
        let submit = format!("submit {author}");
        last(vec![order(&submit), order(&submit), started(origin), result()])
    };
    assert_eq!(after("suggest", json!("suggest")), ["0 result 2 true"]);
    assert_eq!(after("suggest", json!(null)), ["0 result 2 true"]);
    assert_eq!(after("suggest", json!("human")), ["0 result 1 true"]);
    assert_eq!(after("suggest", json!("goal")), ["0 result 1 true"]);
    assert_eq!(after("human", json!("human")), ["0 result 2 true"]);
}

#[test]
fn a_restart_makes_a_new_core_with_the_history_so_far_and_goes_on_with_its_numbers() {
    let lines = said(json!({
        "config": {"promptMaxChars": 100},
        "history": [{"type": "message", "author": "human", "text": "old"}],
        "steps": [
            order("offer"), order("offer"), order("submit suggest"), order("call director"),
            {"history_event": {"type": "idle"}},
            {"config": {"promptMaxChars": 50}},
            {"restart": true},
            order("call director"),
            {"submit_result": {"accepted": true}},
        ],
    }));
    assert_eq!(lines[0], ["0 history `old`"]);
    assert_eq!(lines[2], ["submit o3 ticket 1"]);
    assert_eq!(lines[5], ["0 cap 50"]);
    assert_eq!(
        lines[6],
        [
            "0 resumes at offer 4, ticket 2, cap 50",
            "0 history `old`",
            "0 history `offer`",
            "0 history `offer`",
            "0 history `submit suggest`",
            "0 history `call director`",
            "0 history idle",
        ],
    );
    assert_eq!(lines[7], ["call 1", "0 sent 1"]);
    assert_eq!(lines[8], Vec::<String>::new());
}

#[test]
fn sessions_have_their_own_calls_lines_and_timers() {
    let of = |session: &str, mut step: Value| {
        step["session"] = json!(session);
        step
    };
    let document = json!({
        "sessions": [{"id": "a"}, {"id": "b"}],
        "steps": [
            of("a", order("call director")),
            of("b", order("call director")),
            of("b", order("wake 100")),
            of("a", json!({"at": 200})),
            of("b", reply("x")),
            {"expect": {"session": "b", "at": 200}},
            {"session": "a", "expect": {"session": "a", "step": 3}},
        ],
    });
    let lines = said(document.clone());
    assert_eq!(lines[3], Vec::<String>::new());
    assert_eq!(lines[4], ["100 tick", "200 reply 1 `x`"]);
    assert_eq!(play(document).mismatches, []);
}

#[test]
fn a_command_gives_its_output_and_a_line_that_is_none_never_reaches_the_core() {
    let outcome = play(
        json!({"steps": [{"command": "run o3"}, {"command": "dance"}, {"command": "autorun sideways"}]}),
    );
    let codes: Vec<_> = outcome.lines.iter().map(|line| line.output_code.unwrap()).collect();
    assert_eq!(codes, [OutputCode::Ok, OutputCode::UnknownCommand, OutputCode::BadArgument]);
    assert_eq!(outcome.lines[0].output.as_deref(), Some("Run(Some(OfferId(3)))"));
    assert!(outcome.lines.iter().all(|line| line.effects.is_empty()));
}

#[test]
fn an_expectation_compares_with_the_nearest_line_and_every_difference_is_told() {
    let outcome = play(json!({"steps": [
        order("offer"),
        {"expect": {"state": {"status": "ready", "offer": {"id": "o1", "kind": "prompt"}}}},
        {"at": 7, "expect": {"at": 0, "step": 1, "state": {"status": "idle"}}},
        {"at": 8},
        {"expect": {"at": 8, "effects": []}},
    ]}));
    assert_eq!(outcome.verdict(), Verdict::Mismatch);
    assert_eq!(outcome.verdict().exit_status(), 1);
    assert_eq!(outcome.matched, [StepNumber::at(1), StepNumber::at(4)]);
    assert_eq!(outcome.lines.len(), 2);
    let told: Vec<_> = outcome.mismatches.iter().map(ToString::to_string).collect();
    assert_snapshot!(told.join("\n"), @r#"
    step 2: not what was expected of step 0
      state.status: expected "idle", found "ready"
      step: expected 1, found 0
    "#);
}

#[test]
fn a_line_of_json_has_every_key_in_order_and_a_session_only_among_several() {
    let outcome = play(json!({"steps": [{"at": 5}]}));
    assert_eq!(
        outcome.lines[0].to_json().unwrap(),
        r#"{"step":0,"at":5,"effects":[],"state":{"status":"idle","reason":null,"offer":null,"autorun":{"armed":false,"hold":null,"rounds":0,"max_rounds":24,"disarmed_because":null},"goal":null,"model":null,"usage":{"calls":0,"failed_calls":0,"input_tokens":0,"output_tokens":0,"cached_tokens":0,"ms":0}},"output":null,"output_code":null}"#,
    );
    let outcome = play(json!({"sessions": [{"id": "a"}], "steps": [{"session": "a", "at": 5}]}));
    assert!(outcome.lines[0].to_json().unwrap().starts_with(r#"{"step":0,"at":5,"session":"a","effects""#));
}

#[test]
fn people_read_one_block_a_step() {
    let outcome = play(json!({"steps": [
        order("offer"),
        order("call director"),
        {"at": 1_250, "reply": {"text": "a"}},
        order("submit human"),
        {"command": "autorun on"},
    ]}));
    let text: Vec<_> = outcome.lines.iter().map(for_people).collect();
    assert_snapshot!(text.join("\n"), @r"
    0         0 ms  message of human          ready
                    o1 for turn 1 (prompt, example/small): Go on.
    1         0 ms  message of human          ready
                    o1 for turn 1 (prompt, example/small): Go on.
                    → call 1: director asks example/small, attempt 1, 10 characters in 1 message, within 60000 ms
                    → inject: 0 sent 1
    2      1250 ms  reply                     ready
                    o1 for turn 1 (prompt, example/small): Go on.
                    → inject: 1250 reply 1 `a`
    3      1250 ms  message of human          ready
                    o1 for turn 1 (prompt, example/small): Go on.
                    → submit o2 as the human, ticket 1: Go on.
    4      1250 ms  > autorun on              ready
                    o1 for turn 1 (prompt, example/small): Go on.
                    = ok
                      ArmAutorun
    ");
}
