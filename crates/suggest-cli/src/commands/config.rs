//! `suggest config`: what is in force, what may be written, and whether a file is right.

use crate::cli::Global;
use crate::config::{self, KEYS, Settings, Wanted};
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::setup;
use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use suggest_llm::{Credentials, ProviderTable};

const EXAMPLES: &str = "\
Examples:
  suggest config show                     every value, and where it came from
  suggest config check ./config.toml      is this file right?
  suggest config schema > schema.json     for an editor
  suggest config path                     where the file belongs

A first file:
  promptModel = \"deepseek/deepseek-chat\"
  allowTransfer = true

Every key has an environment variable, for instance SUGGEST_PROMPT_MODEL. Flags win over the
environment, and the environment over the file. Keys of services are never written here: they
are read from variables such as DEEPSEEK_API_KEY, or from a file.";

/// Show and check the configuration
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Print every value in force and where it came from
    Show(ShowArgs),
    /// Print the JSON Schema of the configuration file
    Schema,
    /// Check a configuration file, by default the one in force
    Check(CheckArgs),
    /// Print where the configuration file is looked for
    Path,
}

#[derive(Debug, Args)]
struct ShowArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct CheckArgs {
    /// The file
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ConfigArgs, global: &Global, output: &Output) -> Result<Exit, Failure> {
    match &arguments.command {
        ConfigCommand::Show(arguments) => show(arguments, global, output)?,
        ConfigCommand::Schema => output.pretty_json(&config::schema())?,
        ConfigCommand::Check(arguments) => check(arguments, global, output)?,
        ConfigCommand::Path => match config::find(global.config.as_deref()) {
            Some(found) => output.answer(&found.path.display().to_string())?,
            None => return Err(no_place()),
        },
    }
    Ok(Exit::Success)
}

fn no_place() -> Failure {
    Failure::usage("this account has no home folder, so there is no usual place for a configuration")
        .with_help("name a file with `--config FILE` or SUGGEST_CONFIG")
}

fn check(arguments: &CheckArgs, global: &Global, output: &Output) -> Result<(), Failure> {
    let file: Option<&Path> = arguments.file.as_deref().or(global.config.as_deref());
    let settings = config::load(Wanted { config: file, model: None })?;
    let table = setup::providers(&settings)?;
    warn(&settings, output);
    check_models(&settings, &table, output)?;
    match &settings.file {
        Some((found, true)) => output.answer(&format!("{} is valid", found.path.display())),
        Some((found, false)) => {
            output.answer(&format!("{} does not exist; the defaults hold", found.path.display()))
        }
        None => Err(no_place()),
    }
}

/// Whether each model that is named can be asked: a provider that nobody knows is wrong, a key that is missing here may
/// be set elsewhere.
fn check_models(settings: &Settings, table: &ProviderTable, output: &Output) -> Result<(), Failure> {
    let config = &settings.config;
    let advisor = (config.advisor.provider.as_str(), config.advisor.model.as_str());
    let pair = match advisor {
        ("", "") => None,
        (provider, "") => {
            output.warning(&format!(
                "`advisor.provider` is {provider} and `advisor.model` is not set: the advisor makes no call until both are"
            ));
            None
        }
        ("", model) => {
            output.warning(&format!(
                "`advisor.model` is {model} and `advisor.provider` is not set: the advisor makes no call until both are"
            ));
            None
        }
        (provider, model) => Some(format!("{provider}/{model}")),
    };
    let named = |model: &Option<suggest_core::ModelId>| model.as_ref().map(ToString::to_string);
    let models = [
        ("promptModel", named(&config.prompt_model)),
        ("cards.model", named(&config.cards.model)),
        ("summary.model", named(&config.summary.model)),
        ("advisor.provider and advisor.model", pair),
    ];
    for (key, model) in models {
        let Some(model) = model else { continue };
        let wrong = |problem: &dyn std::fmt::Display| Failure::usage(format_args!("{key}: {problem}"));
        let id = suggest_llm::ModelId::parse(&model).map_err(|error| wrong(&error))?;
        let ready = table.readiness(&id).map_err(|error| wrong(&error))?;
        if let Credentials::Missing { looked_in } = ready.credentials {
            output.warning(&format!(
                "{key} is {model}, and there is no key for it here: set {}",
                looked_in.join(" or ")
            ));
        }
    }
    Ok(())
}

fn show(arguments: &ShowArgs, global: &Global, output: &Output) -> Result<(), Failure> {
    let settings = config::load(Wanted { config: global.config.as_deref(), model: None })?;
    setup::providers(&settings)?;
    warn(&settings, output);
    if arguments.json { output.json(&as_json(&settings)?) } else { output.answer(&as_text(&settings)?) }
}

fn warn(settings: &Settings, output: &Output) {
    settings.warnings.iter().for_each(|warning| output.warning(warning));
}

fn values(settings: &Settings) -> Result<Value, Failure> {
    serde_json::to_value(&settings.config).map_err(Failure::failed)
}

fn as_json(settings: &Settings) -> Result<Value, Failure> {
    let values = values(settings)?;
    let keys: Map<String, Value> = KEYS
        .iter()
        .map(|key| {
            let entry = json!({
                "value": key.value_in(&values),
                "origin": settings.origin(key.name).as_str(),
                "variable": key.variable(),
            });
            (key.name.to_owned(), entry)
        })
        .collect();
    let providers: Map<String, Value> =
        settings.providers.iter().map(|(name, entry)| (name.clone(), config::shown(entry))).collect();
    let file = settings.file.as_ref();
    Ok(json!({
        "file": file.map(|(found, _)| found.path.display().to_string()),
        "file_exists": file.is_some_and(|(_, exists)| *exists),
        "keys": keys,
        "providers": providers,
    }))
}

fn as_text(settings: &Settings) -> Result<String, Failure> {
    let values = values(settings)?;
    let mut lines = Vec::new();
    lines.push(match &settings.file {
        Some((found, true)) => format!("# {}", found.path.display()),
        Some((found, false)) => format!("# {} (does not exist)", found.path.display()),
        None => "# no configuration file".to_owned(),
    });
    for key in KEYS {
        let value = key.value_in(&values).map(Value::to_string).unwrap_or_default();
        let set = format!("{} = {value}", key.name);
        lines.push(format!("{set:<44}  # {}", settings.origin(key.name).as_str()));
    }
    for (name, entry) in &settings.providers {
        let entry = config::shown(entry);
        for (key, value) in entry.as_object().into_iter().flatten() {
            let set = format!("providers.{name}.{key} = {value}");
            lines.push(format!("{set:<44}  # file"));
        }
    }
    Ok(lines.join("\n"))
}
