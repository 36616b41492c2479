//! Drives the state machine without tokio and without the engine: feed inputs with a time, perform effects in order,
//! come back at the next wake. Here the model is a function and the host is a list of turns to run.
//!
//! `cargo run -p suggest-core --example drive`

use std::collections::VecDeque;
use std::time::Instant;
use suggest_core::{
    Author, Command, Config, Effect, EndReason, Event, Input, Message, ModelCall, ModelReply, Origin,
    Session, SessionSetup, SubmitAuthor, Timestamp, Turn,
};

/// What a driver has to own: a clock, a model, and a way to start turns.
struct Driver {
    session: Session,
    started: Instant,
    turns: VecDeque<(Origin, String)>,
}

impl Driver {
    fn now(&self) -> Timestamp {
        Timestamp::new(u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// One input, and everything that follows from it. Effects may ask for answers, which are inputs again.
    fn feed(&mut self, input: Input) {
        self.session.handle(self.now(), input);
        while let Some(effect) = self.session.poll_effect() {
            match effect {
                Effect::CallModel(call) => {
                    // A real driver sends in the background, and feeds the reply when it comes.
                    self.session.handle(self.now(), Input::CallSent(call.call));
                    let reply = model(&call);
                    self.session.handle(self.now(), Input::Reply(call.call, ModelReply::text(reply)));
                }
                Effect::SubmitTurn(submission) => {
                    // A real host compares `submission.expect` with its own state and submits in the same step.
                    let origin = match submission.author {
                        SubmitAuthor::Human => Origin::Human,
                        SubmitAuthor::Suggest => Origin::Suggest,
                    };
                    self.turns.push_back((origin, submission.text));
                    let answer =
                        Input::SubmitResult { ticket: submission.ticket, accepted: true, reason: None };
                    self.session.handle(self.now(), answer);
                }
                Effect::Report(report) => {
                    println!("loop: {} rounds, {}", report.rounds, report.reason.message)
                }
                Effect::FillInput { text } => println!("into the input: {text}"),
                Effect::Inject { text } | Effect::Steer { text, .. } => println!("note: {text}"),
                // Nothing here is slow enough to cancel, has goals, subscribers or a store, or waits for time.
                Effect::CancelCall { .. }
                | Effect::WithdrawTurn { .. }
                | Effect::DisarmGoal { .. }
                | Effect::Publish { .. }
                | Effect::Persist { .. }
                | Effect::WakeAt { .. } => {}
            }
        }
    }
}

/// A pretended model that reads the slice.
fn model(call: &ModelCall) -> &'static str {
    let slice = call.messages.last().map_or("", |message| message.text.as_str());
    if slice.contains("empty ledger") {
        "NONE"
    } else {
        "NEXT: Add a test for `report --json` on an empty ledger."
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = Config::from_json(&serde_json::json!({ "promptModel": "pretended/one" }))?;
    let session = Session::new(SessionSetup::new("session-1"), config);
    let first = (Origin::Human, "Add a --json flag to `report`.".to_owned());
    let mut driver = Driver { session, started: Instant::now(), turns: VecDeque::from([first]) };

    let mut turn = Turn::new(0);
    while let Some((origin, prompt)) = driver.turns.pop_front() {
        turn = turn.next();
        println!("turn {turn}: {prompt}");
        let author = if origin == Origin::Suggest { Author::Suggest } else { Author::Human };
        driver.feed(Input::Event(Event::TurnStarted { turn, origin: Some(origin) }));
        driver.feed(Input::Event(Event::Message(Message::new(author, prompt.as_str()))));
        driver.feed(Input::Event(Event::Message(Message::new(Author::Assistant, format!("Done: {prompt}")))));
        driver.feed(Input::Event(Event::TurnEnded { turn, reason: EndReason::Completed }));
        driver.feed(Input::Event(Event::Idle));
        if let Some(offer) = driver.session.state().offer {
            println!("suggests: {}", offer.text);
            driver.feed(Input::Command(Command::ArmAutorun));
        }
    }
    println!("{}", suggest_core::status_line(&driver.session.state()));
    Ok(())
}
