//! Why a sidecar ends otherwise than by the end of its input.

use std::io;

/// Why a sidecar ended before its input did.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SidecarError {
    /// Its input broke.
    #[error("cannot read from the plugin: {0}")]
    Read(#[source] io::Error),
    /// Its output broke.
    #[error("cannot write to the plugin: {0}")]
    Write(#[source] io::Error),
    /// The plugin does not read any more, and what waits for it stays at its bound.
    #[error("the plugin stopped reading and the outgoing queue stayed full; it has to start a new sidecar")]
    PluginStopped,
    /// The engine needs a runtime with a timer.
    #[error("the sidecar's engine could not start: {0}")]
    Engine(#[source] suggest_engine::BuildError),
}
