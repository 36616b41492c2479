//! What `suggest advise --json` prints.

use super::review::Reviewed;
use super::turns::Chosen;
use crate::input::{Format, LogReport};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use suggest_core::{AdvisorStatus, EndReason, ModelView, Severity, Turn, Usage};

/// The answer to `suggest advise --json`: one object, also when there is no note.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct AdviseReport {
    /// The note; null when there is none.
    pub(super) note: Option<NoteReport>,
    /// What came of the review.
    pub(super) status: AdviseStatus,
    /// Why there is no note.
    pub(super) reason: Option<ReasonReport>,
    /// The newest turn that was reviewed; null when none was.
    turn: Option<Turn>,
    /// The reviewer and where its name came from.
    pub(super) model: ModelView,
    /// Replies and messages dropped, by cause; causes that did not happen are absent.
    dropped: BTreeMap<String, u32>,
    /// What the calls used.
    usage: Usage,
    /// The format that was read.
    format: Format,
    /// What reading the session told.
    log: LogReport,
}

/// The note.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct NoteReport {
    /// How grave it is.
    severity: Severity,
    /// Its text, without the mark that is printed without `--json`.
    text: String,
}

impl NoteReport {
    /// As it would be delivered to a worker.
    pub(super) fn marked(&self) -> String {
        let severity = match self.severity {
            Severity::Nit => "nit",
            Severity::Concern => "concern",
            Severity::Blocker => "blocker",
        };
        format!("[advisor:{severity}] {}", self.text)
    }
}

/// What came of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AdviseStatus {
    /// There is a note.
    Noted,
    /// The reviewer has nothing to note.
    Nothing,
    /// The reviewer's note was refused: too long, without substance, or about itself.
    Dropped,
    /// The reviewer could not be asked, or gave no answer that can be read.
    Failed,
    /// There is no turn to review.
    NotReviewed,
}

/// Why there is no note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct ReasonReport {
    /// For programs: `nothing-to-note`, `no-ended-turn`, `turn-not-completed`, `no-work`, a cause of `dropped`, or the kind
    /// of a failed call.
    code: String,
    /// For people.
    pub(super) message: String,
}

impl AdviseReport {
    pub(super) fn new(
        reviewed: &Reviewed,
        chosen: &Chosen,
        since: Option<Turn>,
        model: ModelView,
        format: Format,
        log: LogReport,
    ) -> Self {
        let note = reviewed
            .note
            .as_ref()
            .map(|note| NoteReport { severity: note.severity, text: note.text.clone() });
        let (status, reason) = match (&note, chosen.turn) {
            (Some(_), _) => (AdviseStatus::Noted, None),
            (None, Some(turn)) if reviewed.begun => without_note(reviewed, turn),
            (None, _) => (AdviseStatus::NotReviewed, Some(not_reviewed(chosen, since))),
        };
        Self {
            note,
            status,
            reason,
            turn: chosen.turn.filter(|_| reviewed.begun),
            model,
            dropped: without_interruptions(&reviewed.advisor.dropped),
            usage: reviewed.advisor.usage,
            format,
            log,
        }
    }

    /// Whether this is the code of its reason.
    pub(super) fn is_because(&self, code: &str) -> bool {
        self.reason.as_ref().is_some_and(|reason| reason.code == code)
    }
}

/// Interruptions are how turns are read together here; nothing of them is dropped.
fn without_interruptions(dropped: &BTreeMap<String, u32>) -> BTreeMap<String, u32> {
    dropped
        .iter()
        .filter(|(cause, _)| *cause != "interrupted")
        .map(|(cause, count)| (cause.clone(), *count))
        .collect()
}

fn reason(code: &str, message: impl Into<String>) -> ReasonReport {
    ReasonReport { code: code.to_owned(), message: message.into() }
}

/// Why nothing was asked.
fn not_reviewed(chosen: &Chosen, since: Option<Turn>) -> ReasonReport {
    let Some((turn, end)) = chosen.newest.zip(chosen.reason) else {
        return match since {
            Some(since) => reason("no-ended-turn", format!("no turn ended after turn {since}")),
            None => reason("no-ended-turn", "no turn of the session has ended"),
        };
    };
    let how = match end {
        EndReason::Completed | EndReason::Limited | EndReason::Failed | EndReason::Blocked => {
            return reason("no-work", format!("in turn {turn} the worker said and did nothing"));
        }
        EndReason::Aborted => "was stopped",
        EndReason::Interrupted => "was interrupted",
    };
    let hint = if turn.get() > 1 { "; --at-turn N looks at an earlier turn" } else { "" };
    reason("turn-not-completed", format!("turn {turn} {how}, and such turns are not reviewed{hint}"))
}

/// Why a review brought no note.
fn without_note(reviewed: &Reviewed, turn: Turn) -> (AdviseStatus, Option<ReasonReport>) {
    let advisor = &reviewed.advisor;
    if matches!(advisor.status, AdvisorStatus::Paused | AdvisorStatus::Halted)
        && let Some(stopped) = &advisor.reason
    {
        return (AdviseStatus::Failed, Some(reason(&stopped.code, stopped.message.as_str())));
    }
    let dropped = |cause: &str| advisor.dropped.contains_key(cause);
    if dropped("failed") {
        let told = match &reviewed.failure {
            Some((kind, message)) => reason(kind.as_str(), message.as_str()),
            None => reason("timeout", "it took too long"),
        };
        return (AdviseStatus::Failed, Some(told));
    }
    let causes = [
        (AdviseStatus::Failed, "empty", "the answer is empty"),
        (
            AdviseStatus::Failed,
            "unparsed",
            "the answer holds no note in the form that was asked for; advisor.proseFallback takes prose as a nit",
        ),
        (AdviseStatus::Dropped, "empty-note", "the reviewer's note says nothing about the work"),
        (AdviseStatus::Dropped, "oversized", "the reviewer's note is longer than 768 characters"),
        (AdviseStatus::Dropped, "self", "the reviewer's note is about the reviewer"),
        (AdviseStatus::Dropped, "duplicate", "the reviewer's note was given before"),
    ];
    causes.into_iter().find(|(_, cause, _)| dropped(cause)).map_or_else(
        || {
            (
                AdviseStatus::Nothing,
                Some(reason(
                    "nothing-to-note",
                    format!("the reviewer has nothing to note on the work up to turn {turn}"),
                )),
            )
        },
        |(status, cause, message)| (status, Some(reason(cause, message))),
    )
}

/// The JSON Schema of what `suggest advise --json` prints.
#[must_use]
pub fn advise_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<AdviseReport>().to_value()
}
