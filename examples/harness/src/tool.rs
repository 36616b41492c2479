//! The one tool: a shell command in the working folder, after asking.

use crate::worker::Call;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

/// The tool's name.
pub(crate) const NAME: &str = "run";
/// How many bytes are surely kept of what a command prints.
const MOST_OUTPUT: usize = 16 * 1024;
/// How long a command may take.
const LONGEST: Duration = Duration::from_secs(120);

/// What a command did.
pub(crate) struct Outcome {
    pub(crate) command: String,
    pub(crate) ok: bool,
    /// What it printed, with how it ended.
    pub(crate) text: String,
}

/// The tool as the worker's model is told of it.
pub(crate) fn description() -> Value {
    json!({
        "type": "function",
        "function": {
            "name": NAME,
            "description": "Runs one shell command in the working folder. The person is asked first.",
            "parameters": {
                "type": "object",
                "properties": { "command": { "type": "string" } },
                "required": ["command"],
            },
        },
    })
}

/// The command that a call asks for, or what to tell the model instead.
pub(crate) fn command(call: &Call) -> Result<String, String> {
    if call.name != NAME {
        return Err(format!("there is no such tool; the one tool is `{NAME}`"));
    }
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    match arguments.get("command").and_then(Value::as_str).map(str::trim) {
        Some(command) if !command.is_empty() => Ok(command.to_owned()),
        _ => Err("the arguments must be an object with the text `command`".to_owned()),
    }
}

/// Runs a command. Dropping the future kills it.
pub(crate) async fn run(command: String, folder: &Path) -> Outcome {
    match tokio::time::timeout(LONGEST, shell(&command, folder)).await {
        Ok(Ok((ok, text))) => Outcome { command, ok, text },
        Ok(Err(error)) => Outcome { command, ok: false, text: format!("it could not be run: {error}") },
        Err(_) => {
            let text = format!("it was stopped after {} seconds", LONGEST.as_secs());
            Outcome { command, ok: false, text }
        }
    }
}

async fn shell(command: &str, folder: &Path) -> std::io::Result<(bool, String)> {
    let mut shell = Command::new("sh");
    // The worker writes the commands: the keys that the harness was started with are not for it to read.
    std::env::vars_os().filter(|(name, _)| is_key(name)).for_each(|(name, _)| {
        shell.env_remove(name);
    });
    let mut child = shell
        .args(["-c", command])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let (output, errors, status) = tokio::join!(read(output), read(errors), child.wait());
    let (output, errors, status) = (output?, errors?, status?);
    let text = format!("{output}{errors}({status})");
    Ok((status.success(), text))
}

fn is_key(name: &OsStr) -> bool {
    ["_KEY", "_TOKEN", "_SECRET", "_PASSWORD"]
        .iter()
        .any(|end| name.to_string_lossy().to_uppercase().ends_with(end))
}

/// Reads to the end, so that the command does not wait for us, and keeps the last part: it says how things went.
async fn read(pipe: Option<impl tokio::io::AsyncRead + Unpin>) -> std::io::Result<String> {
    let Some(mut pipe) = pipe else { return Ok(String::new()) };
    let mut kept = Vec::with_capacity(2 * MOST_OUTPUT);
    let mut dropped = 0_usize;
    while pipe.read_buf(&mut kept).await? > 0 {
        if kept.len() >= 2 * MOST_OUTPUT {
            dropped += MOST_OUTPUT;
            kept.drain(..MOST_OUTPUT);
        }
    }
    let text = String::from_utf8_lossy(&kept).into_owned();
    Ok(if dropped == 0 { text } else { format!("({dropped} bytes before this were left out)\n{text}") })
}
