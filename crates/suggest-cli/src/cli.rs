//! The arguments of every command, and the way to it.

use crate::commands::{
    acp, advise, cards, completions, config, doctor, dsh, hook, install, man, next, replay, serve, sessions,
    state, statusline, summary, watch,
};
use crate::exit::{Exit, Failure};
use crate::log;
use crate::output::Output;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  suggest next session.jsonl              print the next prompt for a recorded session
  suggest next ~/.dsh/sessions/…/s1/      a folder that holds one works as well
  cat session.jsonl | suggest next -      read standard input
  suggest next session.jsonl --model deepseek/deepseek-chat
  suggest doctor                          check configuration, key, endpoint and model

Exit status:
  0    answered, or there is nothing to recommend
  1    failed
  2    wrong usage or configuration
  130  interrupted";

/// The next prompt for the coding sessions that you already have.
///
/// A coding agent answers what was done; suggest reads the session and answers what to do next. Without a configured
/// model it works offline, from the facts of the session alone.
#[derive(Debug, Parser)]
#[command(name = "suggest", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Read this configuration file instead of the usual one (also: SUGGEST_CONFIG)
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    pub(crate) config: Option<PathBuf>,
    /// Log to standard error, without session text (also: SUGGEST_LOG)
    #[arg(long, global = true, value_name = "LEVEL", value_enum, help_heading = "Global options")]
    log: Option<log::Level>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Next(next::NextArgs),
    State(state::StateArgs),
    Cards(cards::CardsArgs),
    Summary(summary::SummaryArgs),
    Advise(advise::AdviseArgs),
    Watch(watch::WatchArgs),
    Serve(serve::ServeArgs),
    Sessions(sessions::SessionsArgs),
    Replay(replay::ReplayArgs),
    Doctor(doctor::DoctorArgs),
    Config(config::ConfigArgs),
    Acp(acp::AcpArgs),
    Dsh(dsh::DshArgs),
    Install(install::InstallArgs),
    Uninstall(install::UninstallArgs),
    Hook(hook::HookArgs),
    Statusline(statusline::StatuslineArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

impl Cli {
    /// Runs the command that was asked for.
    pub(crate) fn dispatch(&self, output: &Output) -> Result<Exit, Failure> {
        log::start(self.global.log)?;
        let global = &self.global;
        match &self.command {
            Command::Next(arguments) => next::run(arguments, global, output),
            Command::State(arguments) => state::run(arguments, global, output),
            Command::Cards(arguments) => cards::run(arguments, global, output),
            Command::Summary(arguments) => summary::run(arguments, global, output),
            Command::Advise(arguments) => advise::run(arguments, global, output),
            Command::Watch(arguments) => watch::run(arguments, global, output),
            Command::Serve(arguments) => serve::run(arguments, global, output),
            Command::Sessions(arguments) => sessions::run(arguments, output),
            Command::Replay(arguments) => replay::run(arguments, output),
            Command::Doctor(arguments) => doctor::run(arguments, global, output),
            Command::Config(arguments) => config::run(arguments, global, output),
            Command::Acp(arguments) => acp::run(arguments, global, output),
            Command::Dsh(arguments) => dsh::run(arguments),
            Command::Install(arguments) => install::install(arguments, output),
            Command::Uninstall(arguments) => install::uninstall(arguments, output),
            Command::Hook(arguments) => hook::run(arguments, global, output),
            Command::Statusline(arguments) => statusline::run(arguments, output),
            Command::Completions(arguments) => completions::run(arguments, output),
            Command::Man(arguments) => man::run(arguments, output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
