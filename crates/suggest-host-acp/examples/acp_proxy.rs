//! A proxy of one's own: `acp_proxy AGENT ARGS…` between any editor and any agent, with a model that is asked nothing but
//! always has an idea. Offline: `cargo run -p suggest-host-acp --example acp_proxy -- opencode acp`.

use std::ffi::OsString;
use std::process::exit;
use std::sync::Arc;
use suggest_core::{Config, ModelSource};
use suggest_engine::Engine;
use suggest_host_acp::{Setup, run_agent};
use suggest_llm::{LlmReply, ScriptedLlm};

fn main() {
    let model = ScriptedLlm::new().otherwise(Ok(LlmReply::new("NEXT: Run the tests.")));
    let config = Config::from_json(&serde_json::json!({ "promptModel": "scripted/one" }));
    let setup = Setup {
        engine: Engine::builder().model(Arc::new(model)),
        config: config.unwrap_or_default(),
        model_source: ModelSource::Config,
        home: None,
        notice: Arc::new(|text| eprintln!("acp_proxy: {text}")),
    };
    let command: Vec<OsString> = std::env::args_os().skip(1).collect();
    match run_agent(&command, std::io::stdin(), std::io::stdout(), setup) {
        // The thread that reads the editor may wait for ever; it ends with the process.
        Ok(code) => exit(i32::from(code)),
        Err(error) => {
            eprintln!("acp_proxy: {error}");
            exit(127)
        }
    }
}
