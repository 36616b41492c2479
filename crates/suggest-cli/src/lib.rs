#![doc = include_str!("../README.md")]

mod bar;
mod cli;
mod commands;
mod config;
mod edit;
mod exit;
mod follow;
mod hosts;
mod input;
mod log;
mod output;
mod setup;

use clap::Parser as _;
use std::ffi::OsString;
use std::process::ExitCode;

pub use commands::advise::advise_schema;
pub use commands::next::report_schema;

/// Runs the command line with these arguments, the program's name first, and gives its exit status: 0 when it answered
/// or had nothing to recommend, 1 when it failed, 2 for wrong usage or configuration, 130 when it was interrupted.
///
/// A failing `hook` always ends with 1: harnesses take 2 of a hook as an order to go on working.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // The global options that can stand before it all take a value.
    let is_hook = arguments.iter().skip(1).step_by(2).take(3).any(|argument| argument == "hook");
    let code = exit_code(arguments);
    ExitCode::from(if is_hook { code.min(1) } else { code })
}

fn exit_code(arguments: Vec<OsString>) -> u8 {
    let cli = match cli::Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output, where a closed pipe is no failure and a full disk is one.
            let printed = error.print();
            if !error.use_stderr()
                && printed.is_err_and(|error| error.kind() != std::io::ErrorKind::BrokenPipe)
            {
                return exit::Exit::Failed.code();
            }
            return u8::try_from(error.exit_code()).unwrap_or(exit::Exit::Usage.code());
        }
    };
    let output = output::Output::new();
    let exit = cli.dispatch(&output).unwrap_or_else(|failure| {
        output.failure(&failure);
        failure.exit
    });
    exit.code()
}
