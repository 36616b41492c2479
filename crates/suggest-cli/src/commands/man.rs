//! `suggest man`.

use crate::cli::Cli;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use clap::{Args, CommandFactory as _};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  suggest man | man -l -
  suggest man --dir ~/.local/share/man/man1";

/// Print the manual page, or write one for each command
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ManArgs, output: &Output) -> Result<Exit, Failure> {
    match &arguments.dir {
        Some(folder) => std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
            .map_err(|error| {
                Failure::failed(format_args!("cannot write to {}: {error}", folder.display()))
            })?,
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page).map_err(Failure::failed)?;
            output.answer(String::from_utf8_lossy(&page).trim_end())?;
        }
    }
    Ok(Exit::Success)
}
