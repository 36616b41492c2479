//! What people and programs see of the advisor.

use super::delivery::name;
use super::gate::RouteSource;
use super::{InFlight, Stopped};
use crate::code::Coded;
use crate::effect::Voice;
use crate::reply::ErrorKind;
use crate::session::Session;
use crate::state::{AdvisorStatus, AdvisorView, ModelSource, ModelView, Severity, Usage};
use std::fmt::Write as _;

/// What came of the last review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Noted(Severity),
    NothingToNote,
    /// The open blocker was said to be answered.
    Settled,
    Dropped(&'static str),
    Failed(ErrorKind),
}

impl Outcome {
    fn describe(&self) -> String {
        match self {
            Self::Noted(severity) => format!("a {}", name(*severity)),
            Self::NothingToNote => "nothing to note".to_owned(),
            Self::Settled => "the blocker is settled".to_owned(),
            Self::Dropped(cause) => format!("the reply was dropped ({cause})"),
            Self::Failed(kind) => format!("the call failed ({})", kind.code()),
        }
    }
}

impl Session {
    fn advisor_status(&self) -> (AdvisorStatus, Option<Coded<String>>) {
        if let Err(reason) = self.advisor_route() {
            return (AdvisorStatus::Disabled, Some(reason));
        }
        if self.closed {
            return (AdvisorStatus::Off, Some(Coded::new("closed".to_owned(), "the session is closed")));
        }
        if !self.advisor_enabled() {
            let (code, line) = match self.advisor.switch {
                Some(_) => ("switched-off", "switched off in this session"),
                None => ("default-off", "new sessions start with it off; `advisor on` enables it here"),
            };
            return (AdvisorStatus::Off, Some(Coded::new(code.to_owned(), line)));
        }
        match (&self.advisor.stopped, &self.advisor.in_flight) {
            (Some(Stopped::Paused(reason)), _) => (AdvisorStatus::Paused, Some(reason.clone())),
            (Some(Stopped::Halted(reason)), _) => (AdvisorStatus::Halted, Some(reason.clone())),
            (None, Some(InFlight::Review(_))) => (AdvisorStatus::Reviewing, None),
            (None, Some(InFlight::Trial(_)) | None) => (AdvisorStatus::Idle, None),
        }
    }

    /// The advisor's part of the state, where it is configured, if only by half, or was spoken to.
    pub(crate) fn advisor_view(&self) -> Option<AdvisorView> {
        let config = &self.config.advisor;
        let known = self.advisor.spoken_to
            || self.advisor.pin.is_some()
            || self.advisor.config_error.is_some()
            || !config.provider.trim().is_empty()
            || !config.model.trim().is_empty();
        if !known {
            return None;
        }
        let (status, reason) = self.advisor_status();
        let delivery = &self.advisor.delivery;
        Some(AdvisorView {
            status,
            reason,
            model: self.advisor_route().ok().map(|(id, source)| ModelView {
                id,
                source: match source {
                    RouteSource::Pin => ModelSource::Command,
                    RouteSource::Global => ModelSource::Config,
                },
            }),
            trying: self.trial().cloned(),
            pin_refused: self.advisor.pin_refused.clone(),
            in_flight: matches!(self.advisor.in_flight, Some(InFlight::Review(_))),
            backlog: u32::try_from(self.advisor.backlog.len()).unwrap_or(u32::MAX),
            blocker: delivery.blocker().map(str::to_owned),
            steers_since_human: delivery.steers_since_human(),
            delivered: delivery.delivered(),
            dropped: self
                .advisor
                .dropped
                .iter()
                .map(|(cause, count)| ((*cause).to_owned(), *count))
                .collect(),
            prediction: self.shown_prediction().map(str::to_owned),
            usage: sum(self.calls.usage(Voice::Advisor), self.calls.usage(Voice::Prediction)),
        })
    }

    /// The status for people, the blocker first.
    pub(super) fn advisor_status_text(&self) -> String {
        let (status, reason) = self.advisor_status();
        let why = |fallback: &str| reason.as_ref().map_or_else(|| fallback.to_owned(), |r| r.message.clone());
        let mut text = String::new();
        if let Some(blocker) = self.advisor.delivery.blocker() {
            let _ = writeln!(text, "Blocker: {blocker}");
        }
        let switch = if self.advisor_enabled() { "on" } else { "off" };
        let _ = writeln!(text, "Advisor: {switch} in this session");
        let model = self
            .advisor_route()
            .map_or_else(|_| "none".to_owned(), |(id, source)| format!("{id} ({})", source.describe()));
        let _ = writeln!(text, "Model: {model}");
        let runtime = match status {
            AdvisorStatus::Disabled => format!("disabled: {}", why("no model")),
            AdvisorStatus::Off => format!("off: {}", why("switched off in this session")),
            AdvisorStatus::Idle => "waiting for a turn to end".to_owned(),
            AdvisorStatus::Reviewing => self.reviewing(),
            AdvisorStatus::Paused => {
                format!("paused: quota_exhausted ({}); `advisor on` resumes", why("quota"))
            }
            AdvisorStatus::Halted => format!("halted: {}; `advisor on` begins anew", why("permanent error")),
        };
        let _ = writeln!(text, "Runtime: {runtime}");
        if let Some(model) = self.trial() {
            let _ = writeln!(text, "Trying: {model}");
        }
        if let Some(line) = &self.advisor.pin_refused {
            let _ = writeln!(text, "Pin: {line}");
        }
        let _ = writeln!(text, "Pending: {} messages", self.advisor.backlog.len());
        let delivery = &self.advisor.delivery;
        let _ = writeln!(
            text,
            "Delivered: {} (steers since you last spoke: {})",
            delivery.delivered(),
            delivery.steers_since_human()
        );
        let last = self.advisor.last.as_ref().map_or_else(
            || "no review yet".to_owned(),
            |(turn, outcome)| format!("turn {turn}: {}", outcome.describe()),
        );
        let _ = writeln!(text, "Last: {last}");
        if !self.advisor.dropped.is_empty() {
            let counters: Vec<String> =
                self.advisor.dropped.iter().map(|(cause, count)| format!("{cause} {count}")).collect();
            let _ = writeln!(text, "Dropped: {}", counters.join(", "));
        }
        text.pop();
        text
    }

    fn reviewing(&self) -> String {
        match &self.advisor.in_flight {
            Some(InFlight::Review(review)) => format!("reviewing turn {}", review.due.turn),
            Some(InFlight::Trial(_)) | None => "reviewing".to_owned(),
        }
    }
}

fn sum(a: Usage, b: Usage) -> Usage {
    Usage {
        calls: a.calls.saturating_add(b.calls),
        failed_calls: a.failed_calls.saturating_add(b.failed_calls),
        input_tokens: a.input_tokens.saturating_add(b.input_tokens),
        output_tokens: a.output_tokens.saturating_add(b.output_tokens),
        cached_tokens: a.cached_tokens.saturating_add(b.cached_tokens),
        ms: a.ms.saturating_add(b.ms),
    }
}
