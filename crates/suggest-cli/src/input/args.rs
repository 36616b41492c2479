//! The arguments that name a session.

use super::detect::Format;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use suggest_core::Turn;

/// The session to read.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// A session log, or a folder that holds one; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The format of the session
    #[arg(long, value_enum, default_value = "auto", value_name = "FORMAT")]
    pub(crate) format: FormatChoice,
    /// Read up to the end of this turn, as if nothing had happened after it
    #[arg(long, value_name = "TURN")]
    at_turn: Option<u64>,
}

impl InputArgs {
    pub(crate) fn at_turn(&self) -> Option<Turn> {
        self.at_turn.map(Turn::new)
    }
}

/// What a person can say about the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatChoice {
    /// Find out from the first line
    Auto,
    /// A session log of DeepSeek Harness, plain or compressed
    Dsh,
    /// Host-neutral events, one JSON object a line
    Events,
}

impl FormatChoice {
    pub(crate) fn format(self) -> Option<Format> {
        match self {
            Self::Auto => None,
            Self::Dsh => Some(Format::Dsh),
            Self::Events => Some(Format::Events),
        }
    }
}

/// Whether a path stands for standard input.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}
