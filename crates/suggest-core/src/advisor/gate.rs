//! Whether the advisor runs, and with which model (rule V1).

use crate::code::{Coded, ReasonCode};
use crate::ids::ModelId;
use crate::session::{Session, SessionKind};

/// Where the reviewer's model comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RouteSource {
    /// The human pinned it in this session.
    Pin,
    /// The configuration's pair.
    Global,
}

impl RouteSource {
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Pin => "session override",
            Self::Global => "global default",
        }
    }
}

fn reason(code: &str, line: impl Into<String>) -> Coded<String> {
    Coded::new(code.to_owned(), line)
}

impl Session {
    /// Why no pair at all would let it run: a malformed configuration, or a kind of session that gets no calls.
    pub(super) fn advisor_shut(&self) -> Option<Coded<String>> {
        if let Some(error) = &self.advisor.config_error {
            let line = format!("the configuration of the advisor is malformed: {error}");
            return Some(reason("config-error", line));
        }
        let code = match self.setup.kind {
            SessionKind::Headless if !self.setup.opt_in => ReasonCode::Headless,
            SessionKind::Subagent if !self.setup.opt_in => ReasonCode::Subagent,
            SessionKind::Interactive | SessionKind::Headless | SessionKind::Subagent => return None,
        };
        Some(reason(code.as_str(), "this kind of session gets no reviews unless its host opts in"))
    }

    /// The complete pair in force: the session's pin, or the global pair. Halves are never merged.
    pub(super) fn advisor_route(&self) -> Result<(ModelId, RouteSource), Coded<String>> {
        if let Some(reason) = self.advisor_shut() {
            return Err(reason);
        }
        if let Some(pin) = &self.advisor.pin {
            return Ok((pin.clone(), RouteSource::Pin));
        }
        let (provider, model) = (self.config.advisor.provider.trim(), self.config.advisor.model.trim());
        match (provider.is_empty(), model.is_empty()) {
            (false, false) => pair(provider, model).map(|id| (id, RouteSource::Global)),
            (false, true) => Err(reason(
                "missing-model",
                "`advisor.model` is not set; the advisor runs only with provider and model both set",
            )),
            (true, false) => Err(reason(
                "missing-provider",
                "`advisor.provider` is not set; the advisor runs only with provider and model both set",
            )),
            (true, true) => Err(reason(
                "missing-provider-and-model",
                "`advisor.provider` and `advisor.model` are not set; the advisor runs only with both set",
            )),
        }
    }

    /// Whether the switch is on: the human's in this session, else the configuration's.
    pub(super) fn advisor_enabled(&self) -> bool {
        self.advisor.switch.unwrap_or(self.config.advisor.default_enabled)
    }

    /// Whether what happens now is for its next review. What happened before is not (rule D15, and a switch thrown in
    /// mid session).
    pub(super) fn advisor_listens(&self) -> bool {
        let halted = matches!(self.advisor.stopped, Some(super::Stopped::Halted(_)));
        !self.closed && !halted && self.advisor_enabled() && self.advisor_route().is_ok()
    }
}

/// A provider and a model as one route. A provider with a `/` in it would be another route when written down.
pub(super) fn pair(provider: &str, model: &str) -> Result<ModelId, Coded<String>> {
    let wrong =
        || reason("bad-model", "provider and model must be names without blanks, the provider without `/`");
    let id: ModelId = format!("{provider}/{model}").parse().map_err(|_| wrong())?;
    if id.provider() == provider && id.model() == model { Ok(id) } else { Err(wrong()) }
}
