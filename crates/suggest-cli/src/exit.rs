//! Exit statuses and failures: the one place that decides what a run ends with.

use std::fmt::Display;

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It answered, or there was nothing to recommend.
    Success,
    /// It could not do what was asked: a file, a model or a check failed.
    Failed,
    /// The arguments or the configuration are wrong, or they do not allow what was asked.
    Usage,
    /// The person pressed Ctrl-C.
    Interrupted,
    /// The terminal went away.
    HungUp,
    /// Somebody asked the process to end.
    Terminated,
}

impl Exit {
    /// The status that the shell sees.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            // 128 and the number of the signal, as shells report it.
            Self::Interrupted => 130,
            Self::HungUp => 129,
            Self::Terminated => 143,
        }
    }
}

/// Why a run ends early: what happened, to what, and what to do about it. Never session text, never a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Failure {
    /// Something that was asked for failed.
    pub(crate) fn failed(message: impl Display) -> Self {
        Self { exit: Exit::Failed, message: message.to_string(), help: None }
    }

    /// The arguments or the configuration are wrong.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self { exit: Exit::Usage, message: message.to_string(), help: None }
    }

    /// Says what to do about it.
    pub(crate) fn with_help(mut self, help: impl Display) -> Self {
        self.help = Some(help.to_string());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_has_its_documented_status() {
        let endings =
            [Exit::Success, Exit::Failed, Exit::Usage, Exit::Interrupted, Exit::HungUp, Exit::Terminated];
        assert_eq!(endings.map(Exit::code), [0, 1, 2, 130, 129, 143]);
    }
}
