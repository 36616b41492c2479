//! What a human can do, spelled as in the command reference without its leading name.

use crate::code::OutputCode;
use crate::ids::{ModelId, OfferId};
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// One act of a human.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Command {
    /// Print the state block.
    State,
    /// Print the state in one line.
    Status,
    /// Print what the loop did and what it cost.
    Report,
    /// Read the state; never calls a model (rule D6).
    Pull,
    /// Print the commands.
    Help,
    /// Show the model.
    ShowModel,
    /// Set the model (rule D1).
    SetModel(ModelId),
    /// Clear the model (rule D1).
    ClearModel,
    /// Resume suggestions in this session (rule D2).
    On,
    /// Suspend suggestions in this session (rule D2).
    Off,
    /// Run the offer on screen, or the one named (rule D11).
    Run(Option<OfferId>),
    /// Arm the loop (rule A2).
    ArmAutorun,
    /// Disarm the loop.
    DisarmAutorun,
    /// Refresh the round budget (rule A6).
    ResetAutorun,
    /// Generate again (rule D6).
    Retry,
    /// A command of the advisor.
    Advisor(AdvisorCommand),
    /// A command of the idle cards.
    Cards(CardsCommand),
    /// Print the summary.
    Summary,
    /// Make a new summary now, if the cooldown allows it.
    RefreshSummary,
}

/// A command of the advisor (rule V7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AdvisorCommand {
    /// Flip the session's switch.
    Toggle,
    /// Switch it on; also resumes from a pause or a halt.
    On,
    /// Switch it off.
    Off,
    /// Print its status.
    Status,
    /// Print the global configuration.
    Config,
    /// Print the model in force and where it came from.
    Model,
    /// Pin a model for this session. It is validated before it commits.
    PinModel {
        /// The provider.
        provider: String,
        /// The model.
        model: String,
    },
    /// Drop the pin.
    ResetModel,
}

/// A command of the idle cards (rule C8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CardsCommand {
    /// List the open cards.
    List,
    /// Take a card: print the prompt to send.
    Accept(String),
    /// Drop a card for good.
    Dismiss(String),
    /// Drop all open idle cards for good.
    DismissAll,
    /// Make new cards now, if the cooldown allows it.
    Refresh,
}

/// What a command printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandOutput {
    /// The text.
    pub text: String,
    /// How it ended.
    pub code: OutputCode,
}

impl CommandOutput {
    /// A success with its text.
    #[must_use]
    pub fn ok(text: impl Into<String>) -> Self {
        Self { text: text.into(), code: OutputCode::Ok }
    }

    /// A refusal with its text.
    #[must_use]
    pub fn refused(code: OutputCode, text: impl Into<String>) -> Self {
        Self { text: text.into(), code }
    }
}

/// Why a line is no command. `code` is `unknown-command` or `bad-argument`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseCommandError {
    /// The code for programs.
    pub code: OutputCode,
    /// The line for people.
    pub message: String,
}

impl ParseCommandError {
    fn unknown(line: &str) -> Self {
        let shown: String = line.chars().filter(|c| !c.is_control()).take(60).collect();
        Self { code: OutputCode::UnknownCommand, message: format!("no command `{shown}`; `help` lists them") }
    }

    fn argument(message: impl Into<String>) -> Self {
        Self { code: OutputCode::BadArgument, message: message.into() }
    }
}

impl From<ParseCommandError> for CommandOutput {
    fn from(error: ParseCommandError) -> Self {
        Self { text: error.message, code: error.code }
    }
}

impl std::str::FromStr for Command {
    type Err = ParseCommandError;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] | ["help"] => Ok(Self::Help),
            ["state"] => Ok(Self::State),
            ["status"] => Ok(Self::Status),
            ["report"] => Ok(Self::Report),
            ["pull"] => Ok(Self::Pull),
            ["on"] => Ok(Self::On),
            ["off"] => Ok(Self::Off),
            ["retry"] => Ok(Self::Retry),
            ["model"] => Ok(Self::ShowModel),
            ["model", "clear"] => Ok(Self::ClearModel),
            ["model", id] => id
                .parse()
                .map(Self::SetModel)
                .map_err(|error| ParseCommandError::argument(format!("{error}"))),
            ["run"] => Ok(Self::Run(None)),
            ["run", id] => id
                .parse()
                .map(|id| Self::Run(Some(id)))
                .map_err(|error| ParseCommandError::argument(format!("{error}"))),
            ["autorun", "on"] => Ok(Self::ArmAutorun),
            ["autorun", "off"] => Ok(Self::DisarmAutorun),
            ["autorun", "reset"] => Ok(Self::ResetAutorun),
            ["autorun", ..] => {
                Err(ParseCommandError::argument("write `autorun on`, `autorun off` or `autorun reset`"))
            }
            ["summary"] => Ok(Self::Summary),
            ["summary", "refresh"] => Ok(Self::RefreshSummary),
            ["advisor", rest @ ..] => advisor(rest, line).map(Self::Advisor),
            ["cards", rest @ ..] => cards(rest, line).map(Self::Cards),
            [
                "state" | "status" | "report" | "pull" | "on" | "off" | "retry" | "model" | "run" | "summary"
                | "help",
                ..,
            ] => Err(ParseCommandError::argument(format!(
                "`{}` takes no such arguments; `help` lists the commands",
                words.first().copied().unwrap_or_default()
            ))),
            _ => Err(ParseCommandError::unknown(line)),
        }
    }
}

fn advisor(words: &[&str], line: &str) -> Result<AdvisorCommand, ParseCommandError> {
    match words {
        [] | ["toggle"] => Ok(AdvisorCommand::Toggle),
        ["on"] => Ok(AdvisorCommand::On),
        ["off"] => Ok(AdvisorCommand::Off),
        ["status"] => Ok(AdvisorCommand::Status),
        ["config"] => Ok(AdvisorCommand::Config),
        ["model"] => Ok(AdvisorCommand::Model),
        ["model", "reset"] => Ok(AdvisorCommand::ResetModel),
        ["model", "set", provider, model] => {
            Ok(AdvisorCommand::PinModel { provider: (*provider).to_owned(), model: (*model).to_owned() })
        }
        ["model", ..] => Err(ParseCommandError::argument(
            "write `advisor model set PROVIDER MODEL` or `advisor model reset`",
        )),
        _ => Err(ParseCommandError::unknown(line)),
    }
}

fn cards(words: &[&str], line: &str) -> Result<CardsCommand, ParseCommandError> {
    match words {
        [] | ["list"] => Ok(CardsCommand::List),
        ["refresh"] => Ok(CardsCommand::Refresh),
        ["accept", id] => Ok(CardsCommand::Accept((*id).to_owned())),
        ["dismiss", "all"] => Ok(CardsCommand::DismissAll),
        ["dismiss", id] => Ok(CardsCommand::Dismiss((*id).to_owned())),
        ["accept" | "dismiss", ..] => Err(ParseCommandError::argument("name one card by its id")),
        _ => Err(ParseCommandError::unknown(line)),
    }
}
