//! Asking, until there is an answer or the person has enough.

use crate::output::Output;
use std::sync::Arc;
use std::time::Duration;
use suggest_core::{Command, OutputCode, State, Status};
use suggest_engine::{Engine, SessionHandle};
use tokio::time::Instant;

/// How long an answer may take before a person is told that one is awaited.
const PATIENCE: Duration = Duration::from_millis(400);

/// How an ask ended.
#[derive(Debug)]
pub(super) enum Asked {
    /// With an answer, with none, or with a failure: the state says which.
    State(Arc<State>),
    /// The person pressed Ctrl-C.
    Interrupted,
}

/// Asks once, as the act of the human that it is (rule D15), and leaves nothing running.
pub(super) async fn ask(engine: &Engine, session: &SessionHandle, output: &Output) -> Asked {
    let mut watch = session.watch();
    let begun = session.command(Command::Retry).await;
    let state = session.state();
    let model = state.model.as_ref().map(|model| model.id.as_str()).unwrap_or_default();
    let asked = if begun.code == OutputCode::Ok {
        tokio::select! {
            state = watch.wait_for(|state| state.status != Status::Analyzing) => {
                Asked::State(state.unwrap_or_else(|| session.state()))
            }
            // Without a way to hear of Ctrl-C, the system's own way remains: it ends the process.
            Ok(()) = tokio::signal::ctrl_c() => Asked::Interrupted,
            () = show_progress(model, output) => Asked::State(session.state()),
        }
    } else {
        Asked::State(session.state())
    };
    output.clear();
    engine.shutdown().await;
    asked
}

/// Shows that a model thinks, where a person looks on. It never ends.
pub(crate) async fn show_progress(model: &str, output: &Output) {
    if !output.is_live() {
        return std::future::pending().await;
    }
    let began = Instant::now();
    tokio::time::sleep(PATIENCE).await;
    loop {
        output.draw(&format!("asking {model} … {} s (Ctrl-C cancels)", began.elapsed().as_secs()));
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}
