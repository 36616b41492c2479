//! What `suggest next --json` prints.

use crate::input::{Format, LogReport};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;
use suggest_core::{
    Coded, GoalStateView, ModelId, ModelView, OfferId, OfferKind, ReasonCode, State, Status, Turn, Usage,
};

/// The answer to `suggest next --json`: one object, also when there is no offer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct NextReport {
    /// The next prompt; null when there is none.
    pub(super) offer: Option<OfferReport>,
    /// `ready` with an offer; `idle` when there is nothing to recommend; `failed`; `off` without a model.
    status: Status,
    /// Why there is no offer.
    reason: Option<Coded<ReasonCode>>,
    /// The model in force and where its name came from.
    model: Option<ModelView>,
    /// What the calls used.
    usage: Usage,
    /// The format that was read.
    format: Format,
    /// What reading the session told.
    log: LogReport,
    /// The session's goal.
    goal: Option<GoalStateView>,
}

/// The next prompt.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct OfferReport {
    /// Its id.
    id: OfferId,
    /// Its text: what is printed without `--json`.
    pub(super) text: String,
    /// The turn that it answers.
    turn: Turn,
    /// What running it would do; anything but `prompt` is for a person to run.
    kind: OfferKind,
    /// The model that wrote it.
    model: ModelId,
}

impl NextReport {
    pub(super) fn new(state: &State, format: Format, log: LogReport) -> Self {
        // An older offer that is shown after a failure answers another situation.
        let offer = state.offer.as_ref().filter(|offer| offer.current).map(|offer| OfferReport {
            id: offer.id,
            text: offer.text.clone(),
            turn: offer.turn,
            kind: offer.kind,
            model: offer.model.clone(),
        });
        Self {
            offer,
            status: state.status,
            reason: state.reason.clone(),
            model: state.model.clone(),
            usage: state.usage,
            format,
            log,
            goal: state.goal.clone(),
        }
    }
}

/// The JSON Schema of what `suggest next --json` prints.
#[must_use]
pub fn report_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<NextReport>().to_value()
}
