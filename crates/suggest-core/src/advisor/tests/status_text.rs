//! The texts that people read, and the prompts (rules V7, L7).

use crate::command::Command;
use crate::config::Config;
use crate::effect::{Effect, ModelCall, Voice};
use crate::event::{Author, EndReason, Event, Message, Tool};
use crate::ids::{CallId, Timestamp, Turn};
use crate::reply::{CallError, ErrorKind, ModelReply};
use crate::session::{Input, Session, SessionKind, SessionSetup};
use serde_json::json;

struct Desk {
    session: Session,
    calls: Vec<ModelCall>,
    turn: u64,
}

impl Desk {
    fn new(config: serde_json::Value) -> Self {
        Self::with(SessionSetup::new("s1"), config)
    }

    fn with(setup: SessionSetup, config: serde_json::Value) -> Self {
        let session = Session::new(setup, Config::from_json(&config).unwrap());
        Self { session, calls: Vec::new(), turn: 0 }
    }

    fn put(&mut self, input: Input) -> String {
        let output = self.session.handle(Timestamp::new(0), input);
        while let Some(effect) = self.session.poll_effect() {
            if let Effect::CallModel(call) = effect {
                self.session.handle(Timestamp::new(0), Input::CallSent(call.call));
                self.calls.push(call);
            }
        }
        output.map(|output| output.text).unwrap_or_default()
    }

    fn turn(&mut self, reason: EndReason) {
        self.turn += 1;
        let turn = Turn::new(self.turn);
        for event in [
            Event::TurnStarted { turn, origin: None },
            Event::Message(Message::new(Author::Human, format!("Work on part {turn}."))),
            Event::Tool(Tool {
                name: "bash".to_owned(),
                summary: Some("cargo test\ntest result: FAILED".to_owned()),
                files: vec!["src/report.rs".to_owned()],
                ok: Some(false),
            }),
            Event::Message(Message::new(Author::Assistant, format!("Part {turn} is done."))),
            Event::TurnEnded { turn, reason },
            Event::Idle,
        ] {
            self.put(Input::Event(event));
        }
    }

    fn call(&self, voice: Voice) -> CallId {
        self.calls.iter().rev().find(|call| call.voice == voice).unwrap().call
    }

    fn reply(&mut self, text: &str) {
        self.put(Input::Reply(self.call(Voice::Advisor), ModelReply::text(text)));
    }

    fn fail(&mut self, kind: ErrorKind) {
        self.put(Input::CallFailed(self.call(Voice::Advisor), CallError::new(kind)));
    }

    fn say(&mut self, line: &str) -> String {
        self.put(Input::Command(line.parse::<Command>().unwrap()))
    }
}

fn pair() -> serde_json::Value {
    json!({"advisor": {"provider": "deepseek", "model": "deepseek-chat", "nextPrompt": false}})
}

#[test]
fn v7_the_status_reads_well_in_every_state() {
    let mut shown = String::new();
    let mut show = |title: &str, desk: &mut Desk| {
        let text = desk.say("advisor status");
        shown.push_str(&format!("# {title}\n{text}\n\n"));
    };

    show("nothing configured", &mut Desk::new(json!({})));
    show("half configured", &mut Desk::new(json!({"advisor": {"provider": "deepseek"}})));
    let headless = SessionSetup::new("s1").with_kind(SessionKind::Headless, false);
    show("headless", &mut Desk::with(headless, pair()));
    let mut desk = Desk::new(pair());
    desk.session.set_advisor_config_error(Some("unknown key `advisor.modle`".to_owned()));
    show("malformed", &mut desk);

    show("waiting", &mut Desk::new(pair()));
    let mut desk = Desk::new(json!({"advisor": {"provider": "a", "model": "b", "defaultEnabled": false}}));
    show("off by default", &mut desk);
    desk.say("advisor on");
    desk.say("advisor off");
    show("switched off", &mut desk);

    let mut desk = Desk::new(pair());
    desk.turn(EndReason::Completed);
    show("reviewing", &mut desk);
    desk.turn(EndReason::Completed);
    show("reviewing, and the next turn waits", &mut desk);
    desk.reply(r#"{"severity": "blocker", "note": "The ledger parser drops entries after an empty line."}"#);
    desk.reply("just words");
    show("a blocker is open, and replies were dropped", &mut desk);
    desk.say("advisor model set openai gpt-5");
    show("a pin is tried", &mut desk);
    desk.fail(ErrorKind::UnknownModel);
    show("the pin was refused", &mut desk);
    desk.say("advisor model set openai gpt-5");
    desk.reply("ready");
    desk.turn(EndReason::Completed);
    desk.reply(r#"{"note": null, "settled": true}"#);
    show("pinned, and the blocker is settled", &mut desk);

    let mut desk = Desk::new(pair());
    desk.turn(EndReason::Completed);
    desk.fail(ErrorKind::RetryLater);
    show("paused", &mut desk);
    let mut desk = Desk::new(pair());
    desk.turn(EndReason::Completed);
    desk.fail(ErrorKind::Credentials);
    show("halted", &mut desk);
    desk.put(Input::Event(Event::Closed));
    show("closed", &mut desk);
    insta::assert_snapshot!("every_status", shown);
}

#[test]
fn v7_answers_of_the_controls() {
    let mut shown = String::new();
    let mut desk = Desk::new(json!({"advisor": {"provider": "deepseek", "model": "deepseek-chat"}}));
    for line in [
        "advisor config",
        "advisor model",
        "advisor",
        "advisor",
        "advisor on",
        "advisor model reset",
        "advisor model set a/b c",
        "advisor model set openai gpt-5",
        "advisor model",
    ] {
        shown.push_str(&format!("> {line}\n{}\n", desk.say(line)));
    }
    desk.reply("ready");
    for line in ["advisor model", "advisor model reset", "advisor model"] {
        shown.push_str(&format!("> {line}\n{}\n", desk.say(line)));
    }
    let mut desk = Desk::new(json!({}));
    shown.push_str(&format!("> advisor on\n{}\n", desk.say("advisor on")));
    insta::assert_snapshot!("controls", shown);
}

#[test]
fn the_prompts_are_data() {
    let mut desk = Desk::new(json!({"advisor": {"provider": "deepseek", "model": "deepseek-chat"}}));
    desk.put(Input::Event(Event::Goal(crate::event::Goal {
        id: "g1".to_owned(),
        revision: crate::ids::Revision::new(1),
        phase: crate::event::GoalPhase::Active,
        armed: false,
        objective: "Ship `report --json`.".to_owned(),
    })));
    desk.turn(EndReason::Limited);
    desk.reply(r#"{"severity": "blocker", "note": "The ledger parser drops entries after an empty line."}"#);
    desk.turn(EndReason::Completed);
    let mut shown = String::new();
    for call in &desk.calls {
        for message in &call.messages {
            shown.push_str(&format!("# {:?}, {:?}\n{}\n\n", call.voice, message.role, message.text));
        }
    }
    insta::assert_snapshot!("prompts", shown);

    let systems: Vec<_> = desk
        .calls
        .iter()
        .filter(|call| call.voice == Voice::Advisor)
        .map(|call| call.messages[0].text.as_str())
        .collect();
    assert_eq!(systems.len(), 2);
    assert_eq!(systems[0], systems[1], "the unchanging part is the same bytes (rule L7)");
}

#[test]
fn v6_a_system_prompt_of_ones_own_keeps_the_protocol() {
    let mut desk = Desk::new(
        json!({"advisor": {"provider": "a", "model": "b", "systemPrompt": "Look for security holes only."}}),
    );
    desk.turn(EndReason::Completed);
    let system = &desk.calls[0].messages[0].text;
    assert!(system.starts_with("Look for security holes only.\n\nHow grave a note is:"), "{system}");
    assert!(system.contains("{\"note\": null}"));
}
