//! `suggest dsh`: the sidecar of the dsh plugin.

use super::streams;
use crate::exit::{Exit, Failure};
use crate::hosts::state_folder;
use clap::Args;
use std::io::IsTerminal as _;
use std::time::Duration;
use suggest_host_dsh::{SidecarOptions, serve};

const NOTES: &str = "\
The plugin starts this command by itself and ends it by closing its standard input.
Messages are JSON-RPC 2.0, one a line; schemas/dsh-protocol.json has them all.

Environment:
  DSH_HOME                where dsh keeps its files, ~/.dsh by default; the model set
                          by /suggest model is kept in suggest/choice.json there
  XDG_STATE_HOME          where cards are kept, in suggest/suggestions.json, the file of
                          suggest serve; ~/.local/state by default
  SUGGEST_ALLOW_TRANSFER  true: session text may be sent to the providers of the
                          plugin's own configuration

Exit status:
  0  the plugin closed the connection
  1  the connection broke, or the plugin stopped reading
  2  started by hand";

/// Serve the plugin inside the DeepSeek Harness (dsh), on standard input and output
#[derive(Debug, Args)]
#[command(after_help = NOTES)]
pub(crate) struct DshArgs {}

pub(crate) fn run(_arguments: &DshArgs) -> Result<Exit, Failure> {
    if std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "the dsh plugin starts this command, and nobody types its messages by hand",
        )
        .with_help("install the plugin: dsh plugin add dsh-suggest --profile web"));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format_args!("the asynchronous runtime cannot start: {error}")))?;
    // Without a folder for what must be remembered, cards live as long as this process.
    let cards = state_folder().ok().map(|folder| folder.join("suggestions.json"));
    let options = SidecarOptions::from_environment().with_cards(cards);
    let served = runtime.block_on(async { serve(streams::input(), streams::output(), options).await });
    // A write that nobody reads would hold the runtime's thread, and with it this process, for ever.
    runtime.shutdown_timeout(Duration::from_millis(100));
    let served = served.map_err(Failure::failed)?;
    tracing::info!(?served, "the plugin closed the connection");
    Ok(Exit::Success)
}
