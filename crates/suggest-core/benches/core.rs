//! What the core costs: folding, the slice, the state, memory. `cargo bench -p suggest-core`.
//!
//! A slice after ten thousand turns must cost what it costs after ten (rule S5), and memory must depend on the limits
//! and not on the length of the session.

#![expect(clippy::unwrap_used, reason = "a benchmark on one's own machine")]

use divan::Bencher;
use divan::counter::BytesCount;
use suggest_core::{
    Author, CallId, Config, Effect, EndReason, Event, Input, Message, ModelReply, Session, SessionSetup,
    Timestamp, Tool, Turn, Voice,
};

const HUMAN: &str = "Add a `--json` flag to the report command, and keep the tables as they are.";
const WORKER: &str = "The flag is there: src/report.rs prints one object for each ledger. The tests in \
tests/report.rs pass; `report --json` on an empty ledger still prints nothing, and the guide has no page for it.";

fn main() {
    let one = memory(10);
    let many = memory(1_000);
    println!(
        "resident memory for each of 1,000 sessions at default limits: {one} KiB after 10 turns, {many} KiB after 1,000"
    );
    divan::main();
}

fn session() -> Session {
    let mut config = Config::default();
    config.prompt_model = Some("one/model".parse().unwrap());
    let setup =
        SessionSetup::new("s").with_folders(Some("/workspace".to_owned()), Some("/home/ada".to_owned()));
    Session::new(setup, config)
}

fn give(session: &mut Session, input: Input) {
    session.handle(Timestamp::new(0), input);
    while session.poll_effect().is_some() {}
}

fn say(session: &mut Session, author: Author, text: &str) {
    give(session, Input::Event(Event::Message(Message::new(author, text))));
}

/// A session after a number of turns, each with an offer.
fn after(turns: u64) -> Session {
    let mut session = session();
    for number in 1..=turns {
        let turn = Turn::new(number);
        give(&mut session, Input::Event(Event::TurnStarted { turn, origin: None }));
        say(&mut session, Author::Human, HUMAN);
        let files = vec![format!("/workspace/src/part{number}.rs")];
        let summary = Some("cargo test: 12 passed".to_owned());
        give(
            &mut session,
            Input::Event(Event::Tool(Tool { name: "bash".to_owned(), summary, files, ok: Some(true) })),
        );
        say(&mut session, Author::Assistant, WORKER);
        give(&mut session, Input::Event(Event::TurnEnded { turn, reason: EndReason::Completed }));
        give(&mut session, Input::Event(Event::Idle));
        let reply = ModelReply::text(format!("NEXT: Add a test for part {number}"));
        give(&mut session, Input::Reply(CallId::new(number), reply));
    }
    session
}

/// Resident KiB for each session, of a thousand that live at once. Pages are 4 KiB where this file says so.
fn memory(turns: u64) -> u64 {
    const SESSIONS: u64 = 1_000;
    let resident = || -> u64 {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        text.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0)
    };
    let before = resident();
    let sessions: Vec<Session> = (0..SESSIONS).map(|_| after(turns)).collect();
    let grown = resident().saturating_sub(before) * 4 / SESSIONS;
    drop(sessions);
    grown
}

/// One event that only folds.
#[divan::bench]
fn fold_an_event(bencher: Bencher<'_, '_>) {
    let mut session = after(10);
    let event = Event::Message(Message::new(Author::Assistant, "Done."));
    bencher.bench_local(|| session.handle(Timestamp::new(0), Input::Event(event.clone())));
}

/// A message, scrubbed and all, by its size in KiB.
#[divan::bench(args = [1, 16, 256, 5_120])]
fn fold_a_message(bencher: Bencher<'_, '_>, kib: usize) {
    let line =
        "2026-11-30 12:00:00 GET /api/items/42 200 from /home/ada/logs/a.log by q9Zx7Lm2Vb4N in 12 ms\n";
    let text: String = line.chars().cycle().take(kib * 1_024).collect();
    let mut session = after(10);
    let event = Event::Message(Message::new(Author::Assistant, text));
    bencher
        .counter(BytesCount::new(kib * 1_024))
        .bench_local(|| session.handle(Timestamp::new(0), Input::Event(event.clone())));
}

#[divan::bench(args = [10, 10_000])]
fn slice_after_turns(bencher: Bencher<'_, '_>, turns: u64) {
    let session = after(turns);
    bencher.bench_local(|| session.slice());
}

#[divan::bench(args = [10, 10_000])]
fn state_after_turns(bencher: Bencher<'_, '_>, turns: u64) {
    let session = after(turns);
    bencher.bench_local(|| session.state());
}

/// A whole turn: start, prompt, tool, answer, end, idle, the offer.
#[divan::bench]
fn a_turn_with_its_offer(bencher: Bencher<'_, '_>) {
    let mut number = 0;
    let mut session = session();
    bencher.bench_local(|| {
        number += 1;
        let turn = Turn::new(number);
        give(&mut session, Input::Event(Event::TurnStarted { turn, origin: None }));
        say(&mut session, Author::Human, HUMAN);
        say(&mut session, Author::Assistant, WORKER);
        give(&mut session, Input::Event(Event::TurnEnded { turn, reason: EndReason::Completed }));
        give(&mut session, Input::Event(Event::Idle));
        give(&mut session, Input::Reply(CallId::new(number), ModelReply::text("NEXT: Add a test for it")));
    });
}

/// A session with an advisor and without a director.
struct Reviewed {
    session: Session,
    turn: u64,
}

impl Reviewed {
    /// After a number of turns on which the reviewer had nothing to note.
    fn after(turns: u64) -> Self {
        let mut config = Config::default();
        config.advisor.provider = "one".to_owned();
        config.advisor.model = "model".to_owned();
        config.advisor.next_prompt = false;
        let setup =
            SessionSetup::new("s").with_folders(Some("/workspace".to_owned()), Some("/home/ada".to_owned()));
        let mut reviewed = Self { session: Session::new(setup, config), turn: 0 };
        for _ in 0..turns {
            let call = reviewed.work();
            reviewed.answer(call, r#"{"note": null}"#);
        }
        reviewed
    }

    /// One turn, up to the call of its review.
    fn work(&mut self) -> CallId {
        self.turn += 1;
        let turn = Turn::new(self.turn);
        give(&mut self.session, Input::Event(Event::TurnStarted { turn, origin: None }));
        say(&mut self.session, Author::Human, HUMAN);
        let summary = Some("cargo test: 12 passed".to_owned());
        let files = vec![format!("/workspace/src/part{turn}.rs")];
        let tool = Tool { name: "bash".to_owned(), summary, files, ok: Some(true) };
        give(&mut self.session, Input::Event(Event::Tool(tool)));
        say(&mut self.session, Author::Assistant, WORKER);
        let ended = Input::Event(Event::TurnEnded { turn, reason: EndReason::Completed });
        self.session.handle(Timestamp::new(0), ended);
        let mut call = None;
        while let Some(effect) = self.session.poll_effect() {
            if let Effect::CallModel(wanted) = effect
                && wanted.voice == Voice::Advisor
            {
                call = Some(wanted.call);
            }
        }
        call.unwrap()
    }

    /// The reply, up to the delivery of its note.
    fn answer(&mut self, call: CallId, reply: &str) {
        give(&mut self.session, Input::Reply(call, ModelReply::text(reply)));
    }
}

/// A turn with its review and nothing to note: folding, the delta, the prompt, the reply.
#[divan::bench(args = [10, 10_000])]
fn a_turn_with_its_review_after_turns(bencher: Bencher<'_, '_>, turns: u64) {
    let mut reviewed = Reviewed::after(turns);
    bencher.bench_local(|| {
        let call = reviewed.work();
        reviewed.answer(call, r#"{"note": null}"#);
    });
}

/// A turn with its review and a note that no remembered one resembles.
#[divan::bench(args = [10, 10_000])]
fn a_turn_with_a_note_after_turns(bencher: Bencher<'_, '_>, turns: u64) {
    let mut reviewed = Reviewed::after(turns);
    bencher.bench_local(|| {
        let call = reviewed.work();
        let number = reviewed.turn;
        let words = [number % 7, number % 11, number % 13, number].map(|part| format!("part{part}"));
        let note =
            format!(r#"{{"severity": "nit", "note": "Split {} before the next step."}}"#, words.join(" "));
        reviewed.answer(call, &note);
    });
}
