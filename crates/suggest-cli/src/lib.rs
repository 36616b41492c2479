#![doc = include_str!("../README.md")]

mod cli;
mod commands;
mod config;
mod exit;
mod input;
mod log;
mod output;
mod setup;

use clap::Parser as _;
use std::ffi::OsString;
use std::process::ExitCode;

pub use commands::next::report_schema;

/// Runs the command line with these arguments, the program's name first, and gives its exit status: 0 when it answered
/// or had nothing to recommend, 1 when it failed, 2 for wrong usage or configuration, 130 when it was interrupted.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match cli::Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output, where a closed pipe is no failure.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(exit::Exit::Usage.code()));
        }
    };
    let output = output::Output::new();
    let exit = cli.dispatch(&output).unwrap_or_else(|failure| {
        output.failure(&failure);
        failure.exit
    });
    ExitCode::from(exit.code())
}
