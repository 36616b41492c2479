//! Who looks on.

use serde_json::Value;
use suggest_core::{LoopReport, State, Usage, Voice};

/// Looks on at every session of an engine. All methods do nothing by default.
///
/// Calls for one session come one at a time, beside the host's; a slow observer gets the newest state and misses those
/// between. A panic is caught and logged. Methods run on the runtime's threads and must not block.
pub trait Observer: Send + Sync + 'static {
    /// The visible state changed.
    fn on_state(&self, _session: &str, _state: &State) {}

    /// A voice's meter moved (rule D14); `usage` is the sum in the session so far.
    fn on_meter(&self, _session: &str, _voice: Voice, _usage: &Usage) {}

    /// A loop ended (rule A9).
    fn on_report(&self, _session: &str, _report: &LoopReport) {}

    /// The core published an event for subscribers, such as a snapshot of the cards (rule C7).
    fn on_publish(&self, _session: &str, _event: &Value) {}
}

/// The voices' meters that a state shows.
pub(crate) fn meters(state: &State) -> [(Voice, Usage); 4] {
    [
        (Voice::Director, state.usage),
        (Voice::Advisor, state.advisor.as_ref().map(|advisor| advisor.usage).unwrap_or_default()),
        (Voice::Cards, state.cards.as_ref().map(|cards| cards.usage).unwrap_or_default()),
        (Voice::Summary, state.summary.as_ref().map(|summary| summary.usage).unwrap_or_default()),
    ]
}
