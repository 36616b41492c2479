//! Tries out one model: lists what its endpoint offers and asks one tiny question.
//!
//! ```text
//! cargo run -p suggest-llm --example probe -- ollama/qwen3:4b
//! cargo run -p suggest-llm --example probe -- work/some-model https://models.example.com/v1 WORK_MODELS_KEY
//! ```

use std::collections::BTreeMap;
use std::time::Duration;

use suggest_llm::{Environment, LlmError, ModelId, ProviderConfig, ProviderTable};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if let Err(error) = run().await {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let model = ModelId::parse(&arguments.next().unwrap_or_default())?;
    let mut configs = BTreeMap::new();
    if let Some(base_url) = arguments.next() {
        let key_env = arguments.next();
        let config = ProviderConfig { base_url: Some(base_url), key_env, ..ProviderConfig::default() };
        configs.insert(model.provider().to_owned(), config);
    }
    let table = ProviderTable::new(configs, Environment::process())?;
    println!("readiness   {:?}", table.readiness(&model)?);

    let report = table.client(&model)?.probe(&model, Duration::from_secs(60)).await;
    println!("address     {}", report.address);
    match &report.models {
        Ok(models) => println!("models      {} listed, this one: {:?}", models.len(), report.lists(&model)),
        Err(error) => print_error("models", error),
    }
    match &report.completion {
        Ok(completion) => println!("completion  {completion:?}"),
        Err(error) => print_error("completion", error),
    }
    println!("adapted     {:?}", report.adapted);
    Ok(())
}

/// The endpoint's own words may be shown here: nothing but the probe's fixed words was sent.
fn print_error(what: &str, error: &LlmError) {
    println!("{what:<11} {error}");
    if let Some(text) = error.endpoint_text() {
        println!("{:<11} it says: {text}", "");
    }
}
