//! `suggest acp`: suggestions between an editor and an agent that speak the Agent Client Protocol.

use crate::cli::Global;
use crate::config::{self, Wanted};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::setup;
use clap::Args;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::sync::Arc;
use suggest_engine::{Engine, TransferPolicy};
use suggest_host_acp::{Setup, run_agent};

const EXAMPLES: &str = "\
Examples:
  suggest acp -- opencode acp
  suggest acp -- qwen --acp
  suggest acp --model ollama/qwen3 -- claude-agent-acp

Write it where the editor's settings name the agent's command. In the conversation, /next describes the suggestion and
sends it, /autorun runs suggestions one after another, /goal sets what they work towards; `/next help` says the rest.

Exit status:
  the agent's own, or 128 and the signal that ended it
  1    the agent cannot be started
  2    wrong usage or configuration";

/// Stand between an ACP editor and an ACP agent, and suggest the next prompt there
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AcpArgs {
    /// Ask this model, and allow sending to it
    #[arg(long, value_name = "PROVIDER/MODEL")]
    model: Option<String>,
    /// The agent's command and its arguments
    #[arg(last = true, required = true, value_name = "AGENT")]
    agent: Vec<OsString>,
}

pub(crate) fn run(arguments: &AcpArgs, global: &Global, output: &Output) -> Result<Exit, Failure> {
    let wanted = Wanted { config: global.config.as_deref(), model: arguments.model.as_deref() };
    let settings = config::load(wanted)?;
    settings.warnings.iter().for_each(|warning| output.warning(warning));
    let table = Arc::new(setup::providers(&settings)?);
    if let Some(model) = &settings.config.prompt_model {
        // A provider that nobody knows is told before the agent starts.
        table.readiness(&setup::model_id(model)?).map_err(Failure::usage)?;
    }
    let engine = Engine::builder()
        .transfer_policy(TransferPolicy::from_environment())
        .resolve_with(move |route| setup::resolve(&table, route));
    let home = directories::BaseDirs::new().map(|folders| folders.home_dir().to_string_lossy().into_owned());
    let setup = Setup {
        engine,
        model_source: settings.model_source(),
        config: settings.config,
        home,
        // An editor shows an agent's standard error in its log.
        notice: Arc::new(|text| eprintln!("suggest: {text}")),
    };
    let (from_editor, to_editor) = streams();
    let code = run_agent(&arguments.agent, from_editor, to_editor, setup).map_err(|error| {
        match std::error::Error::source(&error) {
            Some(cause) => Failure::failed(format_args!("{error}: {cause}")).with_help(
                "behind `--` stands the agent's command: check that it is installed and can be found",
            ),
            None => Failure::failed(error),
        }
    })?;
    // A thread may still wait for the editor's next line; it ends with the process.
    std::process::exit(i32::from(code))
}

/// Standard input and output without buffers of their own.
#[cfg(unix)]
fn streams() -> (Box<dyn Read + Send>, Box<dyn Write + Send>) {
    use std::fs::File;
    use std::os::fd::AsFd as _;
    let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
    match (stdin.as_fd().try_clone_to_owned(), stdout.as_fd().try_clone_to_owned()) {
        (Ok(from), Ok(to)) => (Box::new(File::from(from)), Box::new(File::from(to))),
        _ => (Box::new(stdin), Box::new(stdout)),
    }
}

#[cfg(not(unix))]
fn streams() -> (Box<dyn Read + Send>, Box<dyn Write + Send>) {
    (Box::new(std::io::stdin()), Box::new(std::io::stdout()))
}
