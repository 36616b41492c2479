//! The verbs of `/suggest`.

use super::protocol::{CommandResult, Off};
use suggest_core::{AdvisorCommand, Command, CommandOutput, ParseCommandError};

/// The longest line that is read as a command, in bytes.
const LONGEST: usize = 4 * 1024;

/// What `/suggest help` prints.
pub(crate) const HELP: &str = "\
/suggest state                  the whole state
/suggest status                 the state in one line
/suggest model                  the model and where it came from
/suggest model provider/model   set the model for every session: this switches the feature on
/suggest model clear            clear the model: this switches the feature off
/suggest on | off               resume or suspend suggestions in this session
/suggest run [id]               run the suggestion on screen as your own turn
/suggest retry                  ask the model again
/suggest autorun on | off       start or stop running suggestions by themselves
/suggest autorun reset          refresh the round budget
/suggest report                 what the last autorun loop did
/suggest summary                the session's summary
/suggest cards …                idle suggestions: list, accept ID, dismiss ID, dismiss all
/advisor …                      the second opinion: on, off, status, config, model
/suggest help                   this list";

/// Reads a line. A leading `/suggest` is tolerated, `/advisor` is spelled as the command that it is.
pub(crate) fn read(line: &str) -> Result<Command, ParseCommandError> {
    let line = line.get(..LONGEST).unwrap_or(line).trim();
    let line = match line.split_once(char::is_whitespace) {
        Some(("/suggest" | "/chapters-prompt", rest)) => rest,
        None if matches!(line, "/suggest" | "/chapters-prompt") => "",
        _ => line.strip_prefix("/advisor").map_or(line, |_| line.trim_start_matches('/')),
    };
    line.parse()
}

/// Whether a command starts or changes something, so that it is refused while the configuration is wrong.
pub(crate) fn acts(command: &Command) -> bool {
    !matches!(
        command,
        Command::State
            | Command::Status
            | Command::Report
            | Command::Pull
            | Command::Help
            | Command::ShowModel
            | Command::Off
            | Command::DisarmAutorun
            | Command::Summary
            | Command::Advisor(
                AdvisorCommand::Status | AdvisorCommand::Config | AdvisorCommand::Model | AdvisorCommand::Off
            )
    )
}

/// The refusal while the configuration is wrong.
pub(crate) fn refused(off: &Off) -> CommandResult {
    CommandResult { text: format!("off: {}", off.message), code: "off" }
}

/// The answer about a session that is not watched.
pub(crate) fn unlinked() -> CommandResult {
    CommandResult {
        text: "unlinked: suggest does not watch this session yet; open the session and try again".to_owned(),
        code: "unlinked",
    }
}

impl From<CommandOutput> for CommandResult {
    fn from(output: CommandOutput) -> Self {
        Self { text: output.text, code: output.code.as_str() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_with_and_without_the_commands_name() {
        for (line, command) in [
            ("", Command::Help),
            ("  state ", Command::State),
            ("/suggest", Command::Help),
            ("/suggest autorun on", Command::ArmAutorun),
            ("/chapters-prompt status", Command::Status),
            ("advisor on", Command::Advisor(AdvisorCommand::On)),
            ("/advisor status", Command::Advisor(AdvisorCommand::Status)),
        ] {
            assert_eq!(read(line), Ok(command), "{line}");
        }
        assert!(read("conquer").is_err());
        assert!(read(&"x".repeat(1_000_000)).unwrap_err().message.len() < 200);
    }

    #[test]
    fn help_names_every_verb_that_a_person_can_write() {
        for verb in ["state", "status", "model", "on | off", "run", "retry", "autorun", "report", "help"] {
            assert!(HELP.contains(&format!("/suggest {verb}")), "{verb}");
        }
    }
}
