//! Diagnostics on standard error, off unless asked for. They never hold session text or keys: only our own crates speak,
//! and they log numbers, names and kinds.

use crate::exit::Failure;
use clap::ValueEnum;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// The environment variable that does what `--log` does.
const VARIABLE: &str = "SUGGEST_LOG";

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl Level {
    fn filter(self) -> LevelFilter {
        match self {
            Self::Off => LevelFilter::OFF,
            Self::Error => LevelFilter::ERROR,
            Self::Warn => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
            Self::Debug => LevelFilter::DEBUG,
            Self::Trace => LevelFilter::TRACE,
        }
    }
}

/// Starts logging if the flag or the environment asks for it.
pub(crate) fn start(flag: Option<Level>) -> Result<(), Failure> {
    let level = match flag {
        Some(level) => level,
        None => from_environment()?,
    };
    if level != Level::Off {
        // The targets of our crates all begin like this; a library below may log what it sends.
        let ours = Targets::new().with_target("suggest_", level.filter());
        let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
        // A second subscriber in one process can only come from an embedder, whose own one stays.
        let _ = tracing_subscriber::registry().with(lines).with(ours).try_init();
    }
    Ok(())
}

fn from_environment() -> Result<Level, Failure> {
    match std::env::var(VARIABLE) {
        Ok(value) if !value.trim().is_empty() => Level::from_str(value.trim(), true).map_err(|_| {
            Failure::usage(format_args!("{VARIABLE} is none of off, error, warn, info, debug and trace"))
        }),
        _ => Ok(Level::Off),
    }
}
