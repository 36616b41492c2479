//! Without a terminal: one line for each change of the state.

use super::session::{Change, Watched};
use super::signals::Signals;
use crate::bar::{Words, plain_line};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use serde::Serialize;
use suggest_core::{Coded, ModelId, OfferId, OfferKind, ReasonCode, State, Status, Turn};

/// How the lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Plain,
    Json,
}

/// One line of `--json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct StateLine<'a> {
    /// Exactly one of the five states (rule D3).
    state: Status,
    /// The offer on screen, and null without one.
    offer_id: Option<OfferId>,
    /// The turn that it answers.
    turn: Option<Turn>,
    /// What running it would do.
    kind: Option<OfferKind>,
    /// The model that wrote it; without an offer the one in force.
    model: Option<&'a ModelId>,
    /// Why, for `off`, `idle` and `failed`.
    reason: Option<&'a Coded<ReasonCode>>,
    /// Its text: never anything that the person typed.
    offer: Option<&'a str>,
    /// False for an older offer that is shown after a failure.
    current: Option<bool>,
}

impl<'a> StateLine<'a> {
    fn of(state: &'a State) -> Self {
        let offer = state.offer.as_ref();
        Self {
            state: state.status,
            offer_id: offer.map(|offer| offer.id),
            turn: offer.map(|offer| offer.turn),
            kind: offer.map(|offer| offer.kind),
            model: offer.map(|offer| &offer.model).or_else(|| state.model.as_ref().map(|model| &model.id)),
            reason: state.reason.as_ref(),
            offer: offer.map(|offer| offer.text.as_str()),
            current: offer.map(|offer| offer.current),
        }
    }
}

/// Prints until a signal comes or the file cannot be read.
pub(super) async fn run(mut watched: Watched, shape: Shape, output: &Output) -> Result<Exit, Failure> {
    let words = Words::of_environment();
    let mut signals = Signals::new()?;
    let mut last = String::new();
    let mut name = String::new();
    watched.look()?;
    loop {
        if watched.name() != name {
            name = watched.name();
            let what = if watched.has_file() { "following" } else { "waiting for a session in" };
            output.note(&format!("{what} {name}"));
        }
        if let Some(state) = watched.state() {
            let line = match shape {
                Shape::Plain => plain_line(&state, words),
                Shape::Json => serde_json::to_string(&StateLine::of(&state)).map_err(Failure::failed)?,
            };
            if line != last {
                if !output.stream(&line)? {
                    watched.close().await;
                    return Ok(Exit::Success);
                }
                last = line;
            }
        }
        tokio::select! {
            change = watched.change() => match change {
                Ok(Change::Looked | Change::State) => {}
                Err(failure) => {
                    watched.close().await;
                    return Err(failure);
                }
            },
            exit = signals.end() => {
                watched.close().await;
                return Ok(exit);
            }
        }
    }
}
