//! One model call, from the core's wish to its answer.

use crate::convert;
use crate::gate::Place;
use crate::panics::{contain, contain_async};
use crate::provider::{Provider, Route};
use crate::session::Cell;
use crate::transfer;
use std::sync::Arc;
use std::time::Duration;
use suggest_core::{CallError, ErrorKind, ModelCall, ModelReply};
use suggest_llm::{Llm, LlmErrorKind};
use tokio::time::Instant;
use tracing::Instrument;

/// The longest pause that a server's word gets.
const LONGEST_PAUSE: Duration = Duration::from_secs(600);

/// Makes the call. Aborting the task cancels it wherever it is: in the queue it is never sent, in flight its connection
/// closes, and its place at the gate is given back.
pub(crate) async fn run(cell: Arc<Cell>, call: ModelCall, place: Place) {
    let id = call.call;
    let span = tracing::debug_span!(
        "call",
        session = &*cell.id,
        turn = cell.turn().map(suggest_core::Turn::get),
        voice = convert::voice(call.voice).as_str(),
        call = id.get(),
        attempt = call.attempt,
    );
    async {
        let outcome = attempt(&cell, call, place).await;
        if let Err(error) = &outcome {
            tracing::debug!(kind = error.kind.code(), "the call failed");
        }
        cell.answer(id, outcome);
    }
    .instrument(span)
    .await;
}

async fn attempt(cell: &Arc<Cell>, call: ModelCall, place: Place) -> Result<ModelReply, CallError> {
    let shared = &cell.shared;
    let config = cell.config();
    let route = Route { session: &cell.id, voice: call.voice, model: &call.model, config: &config };
    let provider = match contain(|| shared.resolver.resolve(&route)) {
        Ok(resolved) => resolved?,
        Err(_) => {
            return Err(failure(ErrorKind::UnknownModel, "the lookup of the model's provider panicked"));
        }
    };
    let name = call.model.provider();
    // Refused at once and not after a wait, then once more at the moment of sending, which is the one that counts.
    allowed(cell, &call, &provider)?;
    let deadline = Duration::from_millis(call.deadline_ms);
    let permit = shared.gate.enter(place, name, deadline).await.map_err(|paused| CallError {
        kind: ErrorKind::RetryLater,
        message: Some(format!(
            "{name} asked to wait; {} s of that are left",
            convert::milliseconds(paused.left).div_ceil(1_000)
        )),
        retry_after_ms: Some(convert::milliseconds(paused.left)),
        usage: suggest_core::CallUsage::default(),
    })?;
    allowed(cell, &call, &provider)?;
    let wants_facts = provider.wants_facts || call.model.as_str() == "local/facts";
    let facts = wants_facts.then(|| cell.facts());
    // The configuration may have changed while the call waited.
    let request = convert::request(&call, &cell.config(), facts.as_ref())?;
    if !cell.sends(call.call) {
        return Err(failure(ErrorKind::Cancelled, "cancelled before it was sent"));
    }
    tracing::debug!(characters = request.characters(), "the call is sent");
    let asking = contain_async(async { provider.llm.complete(&request).await });
    let outcome = tokio::time::timeout(deadline, asking).await;
    if let Ok(Ok(Err(error))) = &outcome
        && error.kind == LlmErrorKind::RetryLater
        && let Some(wait) = error.retry_after
    {
        let until = Instant::now() + wait.min(LONGEST_PAUSE);
        shared.gate.pause(name, until);
        shared.alarms.wake_gate(until);
    }
    drop(permit);
    match outcome {
        Ok(Ok(Ok(reply))) => convert::reply(reply),
        Ok(Ok(Err(error))) => Err(convert::call_error(error)),
        Ok(Err(_)) => Err(failure(ErrorKind::Malformed, "the model's client panicked")),
        Err(_) => Err(failure(
            ErrorKind::Timeout,
            format!("timed out after {} s", call.deadline_ms.div_ceil(1_000)),
        )),
    }
}

/// Rule P1.
fn allowed(cell: &Cell, call: &ModelCall, provider: &Provider) -> Result<(), CallError> {
    let need = contain(|| provider.llm.needs_transfer_opt_in())
        .map_err(|_| failure(ErrorKind::NotAllowed, "the model's client does not say where text goes"))?;
    transfer::check(call.model.provider(), need, &provider.credentials, cell.permission(call))
}

fn failure(kind: ErrorKind, message: impl Into<String>) -> CallError {
    CallError {
        kind,
        message: Some(message.into()),
        retry_after_ms: None,
        usage: suggest_core::CallUsage::default(),
    }
}
