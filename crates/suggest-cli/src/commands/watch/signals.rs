//! The signals that end or pause a watch, so that the terminal is given back first.

use crate::exit::{Exit, Failure};
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens for signals.
pub(super) struct Signals {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
    #[cfg(unix)]
    hang_up: Signal,
    #[cfg(unix)]
    pause: Option<Signal>,
}

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    End(Exit),
    Pause,
}

#[cfg(unix)]
impl Signals {
    /// Listens for those that end a program.
    pub(super) fn new() -> Result<Self, Failure> {
        let listen = |kind| {
            signal(kind).map_err(|error| Failure::failed(format_args!("cannot listen for signals: {error}")))
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
            pause: None,
        })
    }

    /// Listens for the one that pauses it, too.
    pub(super) fn with_pause(mut self) -> Self {
        self.pause = signal(SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw())).ok();
        self
    }

    /// Waits for the next one.
    pub(super) async fn next(&mut self) -> Asked {
        let pause = async {
            match &mut self.pause {
                Some(pause) => pause.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Asked::End(Exit::Interrupted),
            _ = self.terminate.recv() => Asked::End(Exit::Terminated),
            _ = self.hang_up.recv() => Asked::End(Exit::HungUp),
            _ = pause => Asked::Pause,
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    pub(super) fn new() -> Result<Self, Failure> {
        Ok(Self {})
    }

    pub(super) fn with_pause(self) -> Self {
        self
    }

    pub(super) async fn next(&mut self) -> Asked {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Asked::End(Exit::Interrupted),
            Err(_) => std::future::pending().await,
        }
    }
}

impl Signals {
    /// Waits for one that ends the program.
    pub(super) async fn end(&mut self) -> Exit {
        loop {
            if let Asked::End(exit) = self.next().await {
                return exit;
            }
        }
    }
}

/// Stops this process group until somebody continues it, as Ctrl-Z does where it is not caught.
pub(super) fn stop_here() {
    #[cfg(unix)]
    if let Err(error) = rustix::process::kill_current_process_group(rustix::process::Signal::STOP) {
        tracing::debug!(%error, "cannot stop");
    }
}
