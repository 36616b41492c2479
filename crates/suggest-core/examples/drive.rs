//! Drives the state machine without tokio and without the engine: feed inputs with a time, perform effects in order,
//! come back at the next wake. Here the model is a function and the host is a list of turns to run.
//!
//! `cargo run -p suggest-core --example drive`

use std::collections::VecDeque;
use std::error::Error;
use std::time::Instant;
use suggest_core::{
    Author, Command, Config, Effect, EndReason, Event, Input, Message, ModelCall, ModelReply, Origin,
    Session, SessionSetup, SubmitAuthor, Timestamp, Turn,
};

/// What a driver has to own: a clock, a model, a way to start turns, and a screen.
struct Driver {
    session: Session,
    started: Instant,
    turns: VecDeque<(Origin, String)>,
    screen: Vec<String>,
}

impl Driver {
    // docs: feed
    /// A time that never falls, in milliseconds.
    fn now(&self) -> Timestamp {
        Timestamp::new(u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// One input, and everything that follows from it. Effects may ask for answers, which are inputs again.
    fn feed(&mut self, input: Input) {
        self.session.handle(self.now(), input);
        while let Some(effect) = self.session.poll_effect() {
            self.perform(effect);
        }
    }
    // docs: end

    // docs: perform
    fn perform(&mut self, effect: Effect) {
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
                let answer = Input::SubmitResult { ticket: submission.ticket, accepted: true, reason: None };
                self.session.handle(self.now(), answer);
            }
            Effect::Report(report) => {
                self.screen.push(format!("loop: rounds run {}, {}", report.rounds, report.reason.message));
            }
            Effect::FillInput { text } => self.screen.push(format!("into the input: {text}")),
            Effect::Inject { text } | Effect::Steer { text, .. } => self.screen.push(format!("note: {text}")),
            // Nothing here is slow enough to cancel, has goals, subscribers or a store, or waits for time.
            Effect::CancelCall { .. }
            | Effect::WithdrawTurn { .. }
            | Effect::DisarmGoal { .. }
            | Effect::Publish { .. }
            | Effect::Persist { .. }
            | Effect::WakeAt { .. } => {}
        }
    }
    // docs: end
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

fn run() -> Result<Vec<String>, Box<dyn Error>> {
    let config = Config::from_json(&serde_json::json!({ "promptModel": "pretended/one" }))?;
    let session = Session::new(SessionSetup::new("session-1"), config);
    let turns = VecDeque::from([(Origin::Human, "Add a --json flag to `report`.".to_owned())]);
    let mut driver = Driver { session, started: Instant::now(), turns, screen: Vec::new() };

    let mut turn = Turn::new(0);
    while let Some((origin, prompt)) = driver.turns.pop_front() {
        turn = turn.next();
        driver.screen.push(format!("turn {turn}: {prompt}"));
        let author = if origin == Origin::Suggest { Author::Suggest } else { Author::Human };
        driver.feed(Input::Event(Event::TurnStarted { turn, origin: Some(origin) }));
        driver.feed(Input::Event(Event::Message(Message::new(author, prompt.as_str()))));
        driver.feed(Input::Event(Event::Message(Message::new(Author::Assistant, format!("Done: {prompt}")))));
        driver.feed(Input::Event(Event::TurnEnded { turn, reason: EndReason::Completed }));
        driver.feed(Input::Event(Event::Idle));
        if let Some(offer) = driver.session.state().offer {
            driver.screen.push(format!("suggests: {}", offer.text));
            driver.feed(Input::Command(Command::ArmAutorun));
        }
    }
    driver.screen.push(suggest_core::status_line(&driver.session.state()));
    Ok(driver.screen)
}

fn main() -> Result<(), Box<dyn Error>> {
    for line in run()? {
        println!("{line}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offer_runs_as_a_round_and_the_loop_ends_when_nothing_is_left() {
        let screen = run().unwrap();
        assert_eq!(
            screen,
            [
                "turn 1: Add a --json flag to `report`.",
                "suggests: Add a test for `report --json` on an empty ledger.",
                "turn 2: Add a test for `report --json` on an empty ledger.",
                "loop: rounds run 1, there is nothing to recommend",
                "idle: nothing to recommend · autorun off: there is nothing to recommend · pretended/one (config) · 2 calls",
            ]
        );
    }
}
