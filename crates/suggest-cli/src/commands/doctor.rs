//! `suggest doctor`: what stands between this machine and an answer, and what to do about it.

mod checks;
mod finding;

use crate::cli::Global;
use crate::config::{self, Wanted};
use crate::exit::{Exit, Failure};
use crate::output::{Output, plain};
use crate::setup;
use clap::Args;
use finding::{Finding, Report, Verdict};

const EXAMPLES: &str = "\
Examples:
  suggest doctor                                   check what is configured
  suggest doctor --model deepseek/deepseek-chat    check this model
  suggest doctor --json                            for programs

One tiny question with fixed words is sent to the model, if sending to it is allowed; nothing of
any session.

Exit status:
  0    all is well, or there are only warnings
  1    the endpoint, the key or the model does not work
  2    the configuration is wrong, the key is missing, or sending is not allowed
  130  interrupted";

/// Check the configuration, the endpoint, the key and the model
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Check this model, and allow sending to it
    #[arg(long, value_name = "PROVIDER/MODEL")]
    model: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &DoctorArgs, global: &Global, output: &Output) -> Result<Exit, Failure> {
    let wanted = Wanted { config: global.config.as_deref(), model: arguments.model.as_deref() };
    let findings =
        match config::load(wanted).and_then(|settings| Ok((setup::providers(&settings)?, settings))) {
            Ok((table, settings)) => {
                let runtime = setup::runtime()?;
                let examined = runtime.block_on(async {
                    tokio::select! {
                        findings = checks::examine(&settings, &table, output) => Some(findings),
                        Ok(()) = tokio::signal::ctrl_c() => None,
                    }
                });
                output.clear();
                match examined {
                    Some(findings) => findings,
                    None => {
                        output.note("interrupted; nothing is left running");
                        return Ok(Exit::Interrupted);
                    }
                }
            }
            // A broken configuration is what a doctor is for.
            Err(failure) => vec![Finding::bad_configuration(&failure)],
        };
    let report = Report::new(findings);
    if arguments.json {
        output.json(&report)?
    } else {
        output.answer(&plain(&report.to_string()))?
    }
    Ok(match report.verdict() {
        Verdict::Well => Exit::Success,
        Verdict::Sick => Exit::Failed,
        Verdict::Misconfigured => Exit::Usage,
    })
}
