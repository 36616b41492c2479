//! `suggest completions`.

use crate::cli::Cli;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  suggest completions bash > ~/.local/share/bash-completion/completions/suggest
  suggest completions zsh > ~/.zfunc/_suggest
  suggest completions fish > ~/.config/fish/completions/suggest.fish";

/// Print the completion script of a shell
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(arguments: &CompletionsArgs, output: &Output) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "suggest", &mut script);
    output.answer(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Exit::Success)
}
