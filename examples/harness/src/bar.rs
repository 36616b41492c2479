//! The bar: the state of the suggestions in one line.

use suggest_core::{OfferId, OfferView, State, Status};

/// What the person saw last.
#[derive(Debug, Default)]
pub(crate) struct Bar {
    line: String,
    offer: Option<OfferId>,
}

impl Bar {
    // docs: bar
    /// The line for a state, if it is another one than the person sees already.
    pub(crate) fn update(&mut self, state: &State) -> Option<&str> {
        let line = line(state);
        if line == self.line {
            return None;
        }
        self.line = line;
        self.offer = state.offer.as_ref().map(|offer| offer.id);
        Some(&self.line)
    }

    /// The offer that the person sees. Run names it, so that an offer that came meanwhile is not run unseen (rule D11).
    pub(crate) fn offer(&self) -> Option<OfferId> {
        self.offer
    }
    // docs: end

    /// The line that the person saw last.
    pub(crate) fn line(&self) -> &str {
        &self.line
    }
}

/// One status, its reason, the offer whole, and the loop (rule D3).
fn line(state: &State) -> String {
    let reason = || state.reason.as_ref().map_or("", |reason| &reason.message);
    let mut parts = vec![match state.status {
        Status::Off => format!("suggestions off: {}", reason()),
        Status::Idle => format!("idle: {}", reason()),
        Status::Analyzing => "analyzing…".to_owned(),
        Status::Ready => "next step".to_owned(),
        Status::Failed => format!("suggestion failed: {}", reason()),
    }];
    parts.extend(state.offer.as_ref().map(offer));
    let autorun = &state.autorun;
    match (autorun.armed, &autorun.hold) {
        (false, _) => {}
        (true, None) => parts.push(format!("autorun {} of {}", autorun.rounds, autorun.max_rounds)),
        (true, Some(hold)) => parts.push(format!("autorun waits: {}", hold.message)),
    }
    if let Some(guess) = state.advisor.as_ref().and_then(|advisor| advisor.prediction.as_deref()) {
        parts.push(format!("you may want: {guess}"));
    }
    parts.join(" · ")
}

/// What is shown and what runs are the same bytes (rule D11); the label says what a person must decide (rule D13).
fn offer(offer: &OfferView) -> String {
    let age = if offer.current { String::new() } else { format!(" (from turn {})", offer.turn) };
    let label = offer.kind.label().map(|label| format!(" [{label}: run it yourself]")).unwrap_or_default();
    format!("{}{age}: {}{label} ({})", offer.id, offer.text, offer.model)
}
