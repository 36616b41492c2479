//! The advisor under random interleavings of turns, replies, failures, commands and time: it stays within its bounds,
//! and it never gets in the way (rules V2 to V5, A8, A11).

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail like tests")]

use proptest::prelude::*;
use serde_json::json;
use suggest_core::{
    AdvisorStatus, Author, CallError, CallId, Command, Config, Effect, EndReason, ErrorKind, Event, Input,
    Message, ModelReply, Origin, Session, SessionSetup, SubmitAuthor, Ticket, Timestamp, Tool, Turn, Voice,
};

#[derive(Debug, Clone, Copy)]
enum Step {
    /// A turn of the worker, as a healthy host tells it, without a word of the human.
    Turn(Option<Origin>),
    Start(Option<Origin>),
    End(EndReason),
    Say(Author),
    Tool,
    Idle,
    Busy,
    Queue,
    Rewrite,
    Wait(u64),
    /// A note of this number and severity, answering the oldest call of the advisor.
    Note(u8, u8),
    Garbage(u8),
    Fail(ErrorKind),
    /// A reply to a call that may be gone.
    Late(u8),
    Director,
    Accept(bool),
    Command(&'static str),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let origin = prop::option::of(prop::sample::select(vec![
        Origin::Human,
        Origin::Suggest,
        Origin::Goal,
        Origin::Advisor,
        Origin::Other,
    ]));
    let reason = prop::sample::select(vec![
        EndReason::Completed,
        EndReason::Completed,
        EndReason::Completed,
        EndReason::Limited,
        EndReason::Aborted,
        EndReason::Failed,
    ]);
    let author = prop::sample::select(vec![
        Author::Human,
        Author::Assistant,
        Author::Assistant,
        Author::Assistant,
        Author::Advisor,
        Author::Plugin,
    ]);
    let kind = prop::sample::select(vec![
        ErrorKind::RetryLater,
        ErrorKind::Network,
        ErrorKind::Timeout,
        ErrorKind::Credentials,
        ErrorKind::Malformed,
    ]);
    let command = prop::sample::select(vec![
        "advisor on",
        "advisor on",
        "advisor off",
        "advisor",
        "advisor model set x y",
        "advisor model reset",
        "advisor status",
        "autorun on",
        "autorun on",
        "autorun on",
        "autorun on",
        "autorun off",
        "autorun reset",
        "run",
        "off",
        "on",
    ]);
    let quiet = prop::option::of(prop::sample::select(vec![Origin::Suggest, Origin::Advisor, Origin::Other]));
    let step = prop_oneof![
        24 => quiet.prop_map(Step::Turn),
        6 => origin.prop_map(Step::Start),
        6 => reason.prop_map(Step::End),
        6 => author.prop_map(Step::Say),
        2 => Just(Step::Tool),
        6 => Just(Step::Idle),
        2 => Just(Step::Busy),
        1 => Just(Step::Queue),
        1 => Just(Step::Rewrite),
        2 => (0_u64..70_000).prop_map(Step::Wait),
        20 => (any::<u8>(), 0_u8..6).prop_map(|(number, severity)| Step::Note(number, severity.min(2))),
        2 => any::<u8>().prop_map(Step::Garbage),
        2 => kind.prop_map(Step::Fail),
        2 => any::<u8>().prop_map(Step::Late),
        12 => Just(Step::Director),
        4 => prop::bool::ANY.prop_map(Step::Accept),
        4 => command.prop_map(Step::Command),
    ];
    prop::collection::vec(step, 1..120)
}

/// One session with its host, and what an onlooker counts.
struct Desk {
    session: Session,
    now: u64,
    turn: u64,
    calls: Vec<(CallId, Voice)>,
    every_call: u64,
    tickets: Vec<Ticket>,
    steers: u32,
    /// A waking steer whose turn has not started.
    woken: bool,
    /// Effects of the director and the loop, without the numbers of calls.
    director: Vec<String>,
    /// The most messages of the backlog.
    most: usize,
}

impl Desk {
    fn new(advisor: bool) -> Self {
        let mut config = json!({ "promptModel": "a/director", "promptMaxRounds": 6 });
        if advisor {
            config["advisor"] =
                json!({ "provider": "a", "model": "reviewer", "maxDeltaMessages": 5, "immuneTurns": 1 });
        }
        let session = Session::new(SessionSetup::new("s1"), Config::from_json(&config).unwrap());
        Self {
            session,
            now: 0,
            turn: 0,
            calls: Vec::new(),
            every_call: 0,
            tickets: Vec::new(),
            steers: 0,
            woken: false,
            director: Vec::new(),
            most: 5,
        }
    }

    fn oldest(&self, voice: Voice) -> Option<CallId> {
        self.calls.iter().find(|(_, own)| *own == voice).map(|(call, _)| *call)
    }

    fn answer(&mut self, call: CallId, input: Input) {
        self.calls.retain(|(own, _)| *own != call);
        self.feed(input);
    }

    fn feed(&mut self, input: Input) {
        self.session.handle(Timestamp::new(self.now), input);
        let autorun = self.session.state().autorun;
        assert!(autorun.rounds <= autorun.max_rounds, "more rounds than the budget (rule A6)");
        let mut notes = 0;
        while let Some(effect) = self.session.poll_effect() {
            match effect {
                Effect::CallModel(call) => {
                    self.every_call += 1;
                    assert!(
                        !self.calls.iter().any(|(_, voice)| *voice == call.voice),
                        "two calls of {:?} in flight (rule A8)",
                        call.voice
                    );
                    assert_eq!(call.voice == Voice::Director, call.model.model() == "director");
                    self.calls.push((call.call, call.voice));
                    if call.voice == Voice::Director {
                        self.director.push(format!("ask {} {:?}", call.attempt, call.messages));
                    }
                    self.session.handle(Timestamp::new(self.now), Input::CallSent(call.call));
                }
                Effect::CancelCall { call } => {
                    if self.calls.contains(&(call, Voice::Director)) {
                        self.director.push("cancel".to_owned());
                    }
                    self.calls.retain(|(own, _)| *own != call);
                }
                Effect::Inject { text } => {
                    assert!(text.starts_with("[advisor:"), "{text}");
                    notes += 1;
                }
                Effect::Steer { text, wakes } => {
                    assert!(text.starts_with("[advisor:"), "{text}");
                    assert!(!wakes || self.tickets.is_empty(), "two starts pending (rule A11)");
                    notes += 1;
                    self.steers += 1;
                    self.woken |= wakes;
                    assert!(self.steers <= 3, "a fourth steer without a human prompt (rule V4)");
                }
                Effect::SubmitTurn(submission) => {
                    let blocked = self.session.state().advisor.is_some_and(|view| view.blocker.is_some());
                    assert!(
                        submission.author == SubmitAuthor::Human || !blocked,
                        "a blocker holds (rule A4)"
                    );
                    assert!(
                        submission.author == SubmitAuthor::Human || !self.woken,
                        "a round while a steer is pending (rule A11)"
                    );
                    self.director.push(format!("submit {submission:?}"));
                    self.tickets.push(submission.ticket);
                }
                Effect::WithdrawTurn { ticket } => self.director.push(format!("withdraw {ticket}")),
                Effect::Report(report) => {
                    self.director.push(format!("report {:?} {}", report.reason, report.rounds))
                }
                Effect::DisarmGoal { .. }
                | Effect::FillInput { .. }
                | Effect::Publish { .. }
                | Effect::Persist { .. }
                | Effect::WakeAt { .. } => {}
            }
        }
        // A reply brings one note; a note that waited for a boundary, or for the human, may come with another input.
        assert!(notes <= 1, "{notes} notes at once (rule V3)");
        if let Some(view) = self.session.state().advisor {
            assert!(usize::try_from(view.backlog).unwrap() <= self.most);
            assert_eq!(view.status == AdvisorStatus::Reviewing, view.in_flight);
        }
    }

    fn human(&mut self) {
        self.steers = 0;
    }

    fn event(&mut self, event: Event) {
        self.feed(Input::Event(event));
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Turn(origin) => {
                for part in [
                    Step::Start(origin),
                    Step::Say(Author::Assistant),
                    Step::End(EndReason::Completed),
                    Step::Idle,
                ] {
                    self.step(part);
                }
            }
            Step::Start(origin) => {
                self.turn += 1;
                self.tickets.clear();
                self.woken = false;
                if origin == Some(Origin::Human) {
                    self.human();
                }
                self.event(Event::TurnStarted { turn: Turn::new(self.turn), origin });
            }
            Step::End(reason) => self.event(Event::TurnEnded { turn: Turn::new(self.turn), reason }),
            Step::Say(author) => {
                if author == Author::Human {
                    self.human();
                    self.tickets.clear();
                    self.woken = false;
                }
                self.event(Event::Message(Message::new(author, format!("Words of turn {}.", self.turn))));
            }
            Step::Tool => self.event(Event::Tool(Tool {
                name: "bash".to_owned(),
                summary: Some("cargo test".to_owned()),
                files: Vec::new(),
                ok: Some(false),
            })),
            Step::Idle => self.event(Event::Idle),
            Step::Busy => self.event(Event::Busy),
            Step::Queue => {
                self.human();
                self.event(Event::HumanQueued { count: 1 });
                self.event(Event::HumanQueued { count: 0 });
            }
            Step::Rewrite => self.event(Event::HistoryRewritten),
            Step::Wait(ms) => {
                let end = self.now + ms;
                while let Some(due) = self.session.next_wake().filter(|due| due.get() <= end) {
                    self.now = self.now.max(due.get());
                    self.feed(Input::Tick);
                }
                self.now = end;
                self.feed(Input::Tick);
            }
            Step::Note(number, severity) => {
                let Some(call) = self.oldest(Voice::Advisor) else { return };
                let severity = ["nit", "concern", "blocker"].into_iter().nth(usize::from(severity)).unwrap();
                let note = format!("Part{number} forgets case{number} in file{number} line{number}.");
                let reply = json!({ "severity": severity, "note": note, "settled": number % 5 == 0 });
                self.answer(call, Input::Reply(call, ModelReply::text(reply.to_string())));
            }
            Step::Garbage(which) => {
                let Some(call) = self.oldest(Voice::Advisor) else { return };
                let text = ["", "NONE", "prose without a frame", "{\"note\": \"Stop.\"}", "[[[{"];
                let text = text.into_iter().nth(usize::from(which) % 5).unwrap();
                self.answer(call, Input::Reply(call, ModelReply::text(text)));
            }
            Step::Fail(kind) => {
                let Some(call) = self.oldest(Voice::Advisor) else { return };
                self.answer(call, Input::CallFailed(call, CallError::new(kind)));
            }
            Step::Late(number) => {
                let call = CallId::new(u64::from(number) % self.every_call.max(1) + 1);
                if self.calls.iter().all(|(own, _)| *own != call) {
                    let note = "{\"severity\": \"blocker\", \"note\": \"A late word about nothing.\"}";
                    self.feed(Input::Reply(call, ModelReply::text(note)));
                }
            }
            Step::Director => {
                let Some(call) = self.oldest(Voice::Director) else { return };
                let reply = ModelReply::text(format!("NEXT: Do step {} of the plan.", self.turn));
                self.answer(call, Input::Reply(call, reply));
            }
            Step::Accept(accepted) => {
                let Some(ticket) = self.tickets.pop() else { return };
                if accepted {
                    self.tickets.push(ticket);
                }
                self.feed(Input::SubmitResult { ticket, accepted, reason: None });
            }
            Step::Command(line) => {
                let command: Command = line.parse().unwrap();
                if line == "run" && self.session.state().offer.is_some() {
                    self.human();
                }
                self.feed(Input::Command(command));
            }
        }
    }
}

/// A submission that no turn and no refusal took away may be given up by idleness; the onlooker cannot see that.
fn forget_given_up(desk: &mut Desk, step: Step) {
    if matches!(step, Step::Idle | Step::Busy | Step::Rewrite | Step::Queue | Step::Command(_) | Step::Say(_))
    {
        desk.tickets.clear();
        desk.woken = false;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_stays_within_its_bounds_whatever_happens(steps in steps()) {
        let mut desk = Desk::new(true);
        for step in steps {
            desk.step(step);
            forget_given_up(&mut desk, step);
        }
    }

    /// Rule V5: with a reviewer that only ever fails, director and loop do what they do without one.
    #[test]
    fn a_failing_advisor_delays_nobody(steps in steps()) {
        let (mut with, mut without) = (Desk::new(true), Desk::new(false));
        for step in steps {
            let alike = match step {
                Step::Note(..) => Step::Fail(ErrorKind::Malformed),
                Step::Late(_) => continue,
                step => step,
            };
            with.step(alike);
            if !matches!(alike, Step::Command(line) if line.starts_with("advisor")) {
                without.step(alike);
            }
            prop_assert_eq!(&with.director, &without.director);
            let (a, b) = (with.session.state(), without.session.state());
            prop_assert_eq!((a.status, a.offer, a.autorun), (b.status, b.offer, b.autorun));
        }
    }
}
