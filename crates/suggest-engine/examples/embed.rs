//! Puts suggestions into a made-up harness: about all that an embedder writes.
//!
//! The harness has one session with a pretended worker that finishes each turn at once. A scripted model stands in for
//! a real one, so this runs offline: `cargo run -p suggest-engine --example embed`.

use async_trait::async_trait;
use std::sync::Arc;
use suggest_core::{
    Author, Command, Config, EndReason, Event, LoopReport, Message, Origin, SessionSetup, Status, Submission,
    Turn,
};
use suggest_engine::{Engine, Host, SessionHandle, SubmitAnswer};
use suggest_llm::ScriptedLlm;
use tokio::sync::mpsc;

/// The harness: what it must do for the engine is to start a turn when the loop or the human wants one.
struct Harness {
    prompts: mpsc::UnboundedSender<(Origin, String)>,
}

#[async_trait]
impl Host for Harness {
    async fn submit_turn(&self, _session: &str, submission: Submission) -> SubmitAnswer {
        // A real harness compares `submission.expect` with its own state here and submits in the same step.
        match self.prompts.send((Origin::Suggest, submission.text)) {
            Ok(()) => SubmitAnswer::Accepted,
            Err(_) => SubmitAnswer::refused("the harness is closing"),
        }
    }

    async fn report(&self, _session: &str, report: &LoopReport) {
        println!("loop      ended after {} rounds: {}", report.rounds, report.reason.message);
    }
}

/// The pretended worker: one turn, told to the engine event by event.
fn work(session: &SessionHandle, turn: Turn, origin: Origin, prompt: &str) {
    println!("turn {turn}    {origin:?}: {prompt}");
    let author = if origin == Origin::Suggest { Author::Suggest } else { Author::Human };
    session.event(Event::Busy);
    session.event(Event::TurnStarted { turn, origin: Some(origin) });
    session.event(Event::Message(Message::new(author, prompt)));
    session.event(Event::Message(Message::new(Author::Assistant, format!("Done: {prompt}"))));
    session.event(Event::TurnEnded { turn, reason: EndReason::Completed });
    session.event(Event::Idle);
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 1. An engine with a model. A real one comes from a resolver: `Engine::builder().resolve_with(…)`.
    let model = ScriptedLlm::new()
        .reply("NEXT: Add a test for `report --json` on an empty ledger.")
        .reply("NEXT: Document the --json flag in README.md.")
        .reply("NONE");
    let engine = Engine::builder().model(Arc::new(model)).build()?;

    // 2. A session. The configuration is the one knob: a model.
    let config = Config::from_json(&serde_json::json!({ "promptModel": "scripted/one" }))?;
    let (prompts, mut queue) = mpsc::unbounded_channel();
    let human = prompts.clone();
    let host = Arc::new(Harness { prompts });
    let session = engine.open_session(SessionSetup::new("session-1"), config, host);
    let mut states = session.watch();

    // 3. The human asks for something; the turn ends, and a suggestion comes.
    human.send((Origin::Human, "Add a --json flag to `report`.".to_owned()))?;
    let mut turn = Turn::new(0);
    while let Some((origin, prompt)) = queue.recv().await {
        turn = turn.next();
        work(&session, turn, origin, &prompt);
        let Some(state) = states.wait_for(|state| state.status != Status::Analyzing).await else { break };
        match &state.offer {
            Some(offer) => println!("suggests  {}", offer.text),
            None => {
                println!("screen    {}", state.reason.as_ref().map_or("", |reason| &reason.message))
            }
        }
        // 4. The human likes the first suggestion and lets the loop run the next ones by itself.
        if origin == Origin::Human {
            println!("human     autorun on: {}", session.command(Command::ArmAutorun).await.text);
        } else if !session.state().autorun.armed {
            break;
        }
    }

    // 5. The end: nothing of the engine is left behind.
    let usage = session.state().usage;
    println!("meter     {} model calls, {} failed", usage.calls, usage.failed_calls);
    session.close();
    engine.shutdown().await;
    Ok(())
}
