//! What is printed where: the answer alone on standard output, everything else on standard error.

use crate::exit::Failure;
use serde::Serialize;
use std::cell::Cell;
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};

/// Both outputs of a run.
#[derive(Debug)]
pub(crate) struct Output {
    /// Whether standard error shows colours.
    styled: bool,
    /// Whether a person looks at standard error while we work.
    live: bool,
    /// Whether a drawn line is on it now.
    drawn: Cell<bool>,
}

impl Output {
    /// Looks at the terminal once.
    pub(crate) fn new() -> Self {
        let terminal = io::stderr().is_terminal();
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self {
            styled: terminal && !dumb && !is_set("NO_COLOR"),
            live: terminal && !dumb,
            drawn: Cell::new(false),
        }
    }

    /// Whether progress may be drawn on standard error.
    pub(crate) fn is_live(&self) -> bool {
        self.live
    }

    /// Prints the answer, or a part of it, with a line end behind it. A reader that went away is no failure.
    pub(crate) fn answer(&self, text: &str) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        let printed = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
        match printed {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::failed(format_args!("cannot write to standard output: {error}")))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Prints one line of many. False when the reader went away, so that there is nobody to go on for.
    pub(crate) fn stream(&self, line: &str) -> Result<bool, Failure> {
        let mut stdout = io::stdout().lock();
        match writeln!(stdout, "{line}").and_then(|()| stdout.flush()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
            Err(error) => Err(Failure::failed(format_args!("cannot write to standard output: {error}"))),
        }
    }

    /// Prints one JSON document on one line.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<(), Failure> {
        self.answer(&serde_json::to_string(value).map_err(Failure::failed)?)
    }

    /// Prints one JSON document for people to read.
    pub(crate) fn pretty_json(&self, value: &impl Serialize) -> Result<(), Failure> {
        self.answer(&serde_json::to_string_pretty(value).map_err(Failure::failed)?)
    }

    /// Says something worth knowing.
    pub(crate) fn note(&self, text: &str) {
        self.say("note", "1", text);
    }

    /// Says that something is not right, though the run goes on.
    pub(crate) fn warning(&self, text: &str) {
        self.say("warning", "1;33", text);
    }

    /// Says why the run ends.
    pub(crate) fn failure(&self, failure: &Failure) {
        if !failure.message.is_empty() {
            self.say("error", "1;31", &failure.message);
        }
        if let Some(help) = &failure.help {
            self.say("help", "1;36", help);
        }
    }

    /// Draws over the current line of standard error, where a person looks on.
    pub(crate) fn draw(&self, line: &str) {
        if self.live {
            self.drawn.set(true);
            let mut stderr = io::stderr().lock();
            let _ = write!(stderr, "\r\x1b[2K{}", plain(line)).and_then(|()| stderr.flush());
        }
    }

    /// Takes a drawn line away.
    pub(crate) fn clear(&self) {
        if self.drawn.replace(false) {
            let mut stderr = io::stderr().lock();
            let _ = write!(stderr, "\r\x1b[2K").and_then(|()| stderr.flush());
        }
    }

    fn say(&self, word: &str, style: &str, text: &str) {
        // Nobody can be told that standard error is gone.
        let _ = if self.styled {
            writeln!(io::stderr(), "\x1b[{style}m{word}:\x1b[0m {}", plain(text))
        } else {
            writeln!(io::stderr(), "{word}: {}", plain(text))
        };
    }
}

/// The text without characters that steer a terminal: file names and messages come from elsewhere.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .map(|character| if character.is_control() && character != '\n' { '\u{fffd}' } else { character })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_elsewhere_cannot_steer_the_terminal() {
        assert_eq!(plain("a\x1b[31mb\r\nc"), "a\u{fffd}[31mb\u{fffd}\nc");
    }
}
