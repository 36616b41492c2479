//! What a call was doing, so that a timeout can say it.

use std::sync::atomic::{AtomicU8, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Waiting,
    Reading,
    Streaming,
    Pausing,
}

/// The phase of one call.
#[derive(Debug, Default)]
pub(super) struct PhaseCell(AtomicU8);

impl PhaseCell {
    pub(super) fn set(&self, phase: Phase) {
        let code = match phase {
            Phase::Waiting => 0,
            Phase::Reading => 1,
            Phase::Streaming => 2,
            Phase::Pausing => 3,
        };
        self.0.store(code, Ordering::Relaxed);
    }

    pub(super) fn describe(&self) -> &'static str {
        match self.0.load(Ordering::Relaxed) {
            0 => "while the endpoint had not answered at all",
            1 => "while the endpoint had accepted the request and sent nothing of the reply",
            2 => "while the reply was still arriving",
            _ => "while waiting to try again",
        }
    }
}
