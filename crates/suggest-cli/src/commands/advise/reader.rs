//! The host of a review: it keeps the note, and the reason when a call fails.

use async_trait::async_trait;
use std::sync::{Arc, Mutex, PoisonError};
use suggest_core::Severity;
use suggest_engine::Host;
use suggest_llm::{Llm, LlmError, LlmErrorKind, LlmReply, LlmRequest, TransferNeed};
use tokio::sync::mpsc::UnboundedSender;

/// A note as it was delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Delivered {
    pub(super) severity: Severity,
    /// The note without its mark.
    pub(super) text: String,
}

impl Delivered {
    /// Reads what the core delivers: `[advisor:severity] note`.
    fn of(line: &str) -> Self {
        let marks = [
            ("[advisor:blocker] ", Severity::Blocker),
            ("[advisor:concern] ", Severity::Concern),
            ("[advisor:nit] ", Severity::Nit),
        ];
        marks
            .into_iter()
            .find_map(|(mark, severity)| line.strip_prefix(mark).map(|text| (text, severity)))
            .map_or_else(
                || Self { severity: Severity::Nit, text: line.to_owned() },
                |(text, severity)| Self { severity, text: text.to_owned() },
            )
    }
}

/// Takes notes instead of a session; however a note is delivered, it is read.
pub(super) struct NoteReader(pub(super) UnboundedSender<Delivered>);

#[async_trait]
impl Host for NoteReader {
    async fn inject(&self, _session: &str, text: String) {
        // Nobody reads any more when the run was interrupted.
        let _ = self.0.send(Delivered::of(&text));
    }

    async fn steer(&self, _session: &str, text: String, _wakes: bool) {
        let _ = self.0.send(Delivered::of(&text));
    }
}

/// Why the last call failed. The advisor itself only counts failures that pass (rule V5).
#[derive(Debug, Clone, Default)]
pub(super) struct LastFailure(Arc<Mutex<Option<(LlmErrorKind, String)>>>);

impl LastFailure {
    pub(super) fn get(&self) -> Option<(LlmErrorKind, String)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A model whose failures are kept.
pub(super) struct Watched {
    pub(super) llm: Arc<dyn Llm>,
    pub(super) failure: LastFailure,
}

#[async_trait]
impl Llm for Watched {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        let reply = self.llm.complete(request).await;
        let failure = reply.as_ref().err().map(|error| (error.kind, error.message.clone()));
        *self.failure.0.lock().unwrap_or_else(PoisonError::into_inner) = failure;
        reply
    }

    fn needs_transfer_opt_in(&self) -> TransferNeed {
        self.llm.needs_transfer_opt_in()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivered_note_is_read_with_its_severity_v4() {
        let read = |line| {
            let note = Delivered::of(line);
            (note.severity, note.text)
        };
        assert_eq!(read("[advisor:blocker] stop here"), (Severity::Blocker, "stop here".to_owned()));
        assert_eq!(read("[advisor:nit] [x] y"), (Severity::Nit, "[x] y".to_owned()));
        assert_eq!(read("no mark"), (Severity::Nit, "no mark".to_owned()));
    }
}
