//! Ten thousand sessions, a model that answers after 200 ms, one turn each: turns per second, memory for each session,
//! processor time for each turn. `cargo bench -p suggest-engine`; `-- 2000` for another number of sessions.
//!
//! A plain program, since what counts here is one long run and not the mean of many short ones.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a benchmark on one's own machine, and a table of rounded numbers"
)]

use async_trait::async_trait;
use std::sync::Arc;
use std::time::{Duration, Instant};
use suggest_core::{Author, Config, EndReason, Event, Message, Origin, SessionSetup, Status, Turn};
use suggest_engine::{Engine, NoHost, SessionHandle};
use suggest_llm::{Llm, LlmError, LlmReply, LlmRequest, TransferNeed};

struct Model;

#[async_trait]
impl Llm for Model {
    async fn complete(&self, _request: &LlmRequest) -> Result<LlmReply, LlmError> {
        tokio::time::sleep(Duration::from_millis(200)).await;
        Ok(LlmReply::new("NEXT: Add a test for the totals of an empty ledger"))
    }

    fn needs_transfer_opt_in(&self) -> TransferNeed {
        TransferNeed::None
    }
}

/// Resident memory in bytes; pages are 4 KiB on the machines that have this file with this meaning.
fn resident() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: f64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4_096.0)
}

/// Processor time of the process in seconds, user and system, at the usual 100 ticks a second.
fn processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = text.rsplit(')').next()?.split_whitespace();
    let user: f64 = fields.nth(11)?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / 100.0)
}

fn turn(session: &SessionHandle, number: u64) {
    session.event(Event::Busy);
    session.event(Event::TurnStarted { turn: Turn::new(number), origin: Some(Origin::Human) });
    session.event(Event::Message(Message::new(Author::Human, "Sum up the ledger and print the totals.")));
    let answer = "The totals are summed in src/ledger.rs and printed by src/report.rs. ".repeat(8);
    session.event(Event::Message(Message::new(Author::Assistant, answer)));
    session.event(Event::TurnEnded { turn: Turn::new(number), reason: EndReason::Completed });
    session.event(Event::Idle);
}

async fn run(name: &str, count: usize, limit: usize, turning: usize) {
    let config = Config::from_json(&serde_json::json!({
        "promptModel": "bench/one", "cards": { "enabled": false }, "summary": { "enabled": false },
    }))
    .unwrap();
    let engine = Engine::builder().model(Arc::new(Model)).max_concurrent_calls(limit).build().unwrap();
    let empty = resident().unwrap_or_default();
    let sessions: Vec<SessionHandle> = (0..count)
        .map(|number| {
            engine.open_session(SessionSetup::new(format!("s{number}")), config.clone(), Arc::new(NoHost))
        })
        .collect();
    let idle = resident().unwrap_or_default();
    let (began, spent) = (Instant::now(), processor().unwrap_or_default());
    for session in sessions.iter().take(turning) {
        turn(session, 1);
    }
    let mut ready = 0;
    for session in sessions.iter().take(turning) {
        let state = session.watch().wait_for(|state| state.status != Status::Analyzing).await.unwrap();
        ready += usize::from(state.status == Status::Ready);
    }
    let (seconds, spent) = (began.elapsed().as_secs_f64(), processor().unwrap_or_default() - spent);
    let after = resident().unwrap_or_default();
    assert_eq!(ready, turning);
    let (each, turns) = (count as f64, turning as f64);
    println!(
        "{name:<28} {count:>8} {turning:>8} {seconds:>9.2} {:>10.0} {:>12.1} {:>12.1} {:>10.1} {:>8}",
        turns / seconds,
        (idle - empty) / each / 1_024.0,
        (after - empty) / each / 1_024.0,
        spent / turns * 1e6,
        engine.stats().most_calls_in_flight,
    );
    drop(sessions);
    engine.shutdown().await;
}

#[tokio::main]
async fn main() {
    let count = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(10_000);
    println!(
        "{:<28} {:>8} {:>8} {:>9} {:>10} {:>12} {:>12} {:>10} {:>8}",
        "", "sessions", "turns", "seconds", "turns/s", "KiB idle", "KiB after", "µs/turn", "at once"
    );
    run("as many calls as sessions", count, count, count).await;
    // Four at a time serve at most twenty turns a second: one in fifty sessions has a turn.
    run("four calls at a time", count, 4, count / 50).await;
}
