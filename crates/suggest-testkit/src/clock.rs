//! Time in tests that drive an engine.

use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The clock of a tokio runtime whose time is paused, as `#[tokio::test(start_paused = true)]` makes it.
///
/// Such a runtime lets time pass only when every task waits, and then straight to the next timer. So waiting here lets
/// everything happen that can happen before, in order, and takes no real time. On a runtime with a running clock it
/// waits for real.
#[derive(Debug, Clone, Copy)]
pub struct VirtualClock {
    began: Instant,
}

impl VirtualClock {
    /// The clock, from now on.
    #[must_use]
    pub fn new() -> Self {
        Self { began: Instant::now() }
    }

    /// Lets time pass, with everything that falls due meanwhile.
    pub async fn pass(&self, duration: Duration) {
        sleep(duration).await;
    }

    /// Lets everything happen that needs no time. Takes one millisecond, the smallest step of the runtime's timers.
    pub async fn settle(&self) {
        sleep(Duration::from_millis(1)).await;
    }

    /// How much time passed since this clock was made.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

impl Default for VirtualClock {
    fn default() -> Self {
        Self::new()
    }
}
