//! The arguments that name a session.

use super::detect::Format;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use suggest_core::Turn;
use suggest_transcripts::Format as Transcript;

/// The session to read.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// A session, or a folder that holds one; `-` is standard input. Without it: standard input where something comes
    /// from there, else the newest session of the current folder
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The session with this id: one of those in FILE where it holds several, else one that `suggest sessions` finds
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormatChoice {
    /// Find out from the content.
    Auto,
    /// This one.
    Only(Format),
}

impl ValueEnum for FormatChoice {
    fn value_variants<'a>() -> &'a [Self] {
        const fn of(format: Transcript) -> FormatChoice {
            FormatChoice::Only(Format::Transcript(format))
        }
        const ALL: &[FormatChoice] = &[
            FormatChoice::Auto,
            FormatChoice::Only(Format::Dsh),
            of(Transcript::ClaudeCode),
            of(Transcript::ClaudeStream),
            of(Transcript::Codex),
            of(Transcript::CodexExec),
            of(Transcript::OpencodeStore),
            of(Transcript::OpencodeExport),
            of(Transcript::OpencodeRun),
            of(Transcript::Acp),
            of(Transcript::Gemini),
            of(Transcript::GeminiDocument),
            of(Transcript::GeminiStream),
            of(Transcript::Qwen),
            of(Transcript::QwenStream),
            FormatChoice::Only(Format::Events),
        ];
        ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Auto => PossibleValue::new("auto").help("Find out from the content"),
            Self::Only(format) => PossibleValue::new(format.name()).help(capital(format.describe())),
        })
    }
}

/// A description as a sentence of the help.
fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

impl FormatChoice {
    pub(crate) fn format(self) -> Option<Format> {
        match self {
            Self::Auto => None,
            Self::Only(format) => Some(format),
        }
    }
}

/// Whether a path stands for standard input.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}
