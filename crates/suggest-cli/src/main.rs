//! The `suggest` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    suggest_cli::run(std::env::args_os())
}
