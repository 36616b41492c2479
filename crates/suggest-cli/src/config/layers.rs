//! Putting the layers together: defaults, file, environment, flags, each over the one before.

use super::file::{self, FoundFile};
use super::keys::{KEYS, Key};
use crate::exit::Failure;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use suggest_core::{Config, ModelSource};
use suggest_llm::ProviderConfig;

/// The model of the lowest layer (rule D1).
const DEFAULT_MODEL: &str = "local/facts";

/// Environment variables of the command line itself, which are no keys.
const OWN_VARIABLES: &[&str] = &["SUGGEST_CONFIG", "SUGGEST_LOG"];

/// What the arguments say.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted<'a> {
    /// `--config`.
    pub(crate) config: Option<&'a Path>,
    /// `--model`.
    pub(crate) model: Option<&'a str>,
}

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    File,
    Environment,
    Flag,
}

impl Origin {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

impl From<Origin> for ModelSource {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Default => Self::Default,
            Origin::File => Self::File,
            Origin::Environment => Self::Environment,
            Origin::Flag => Self::Flag,
        }
    }
}

/// The configuration in force.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) config: Config,
    pub(crate) providers: BTreeMap<String, ProviderConfig>,
    /// The file that counts, and whether it was there.
    pub(crate) file: Option<(FoundFile, bool)>,
    /// What a person should know, though it is no error.
    pub(crate) warnings: Vec<String>,
    origins: BTreeMap<&'static str, Origin>,
}

impl Settings {
    /// Where the value of a key came from.
    pub(crate) fn origin(&self, name: &str) -> Origin {
        self.origins.get(name).copied().unwrap_or(Origin::Default)
    }

    /// Where the director's model came from.
    pub(crate) fn model_source(&self) -> ModelSource {
        self.origin("promptModel").into()
    }
}

/// Puts the layers together. Nothing is half applied: the first wrong value ends it.
pub(crate) fn load(wanted: Wanted<'_>) -> Result<Settings, Failure> {
    let mut settings = Settings {
        config: change(&Config::default(), &json!({ "promptModel": DEFAULT_MODEL }))
            .map_err(Failure::failed)?,
        providers: BTreeMap::new(),
        file: None,
        warnings: Vec::new(),
        origins: BTreeMap::new(),
    };
    if let Some(found) = file::find(wanted.config) {
        let contents = file::read(&found)?;
        settings.file = Some((found, contents.is_some()));
        if let Some(contents) = contents {
            settings.config = change(&settings.config, &contents.document).map_err(Failure::usage)?;
            settings.providers = contents.providers;
            settings.note(Origin::File, |key| key.value_in(&contents.document).is_some());
        }
    }
    settings.read_environment()?;
    if let Some(model) = wanted.model {
        settings.read_model_flag(model)?;
    }
    Ok(settings)
}

fn change(config: &Config, changes: &Value) -> Result<Config, suggest_core::ConfigError> {
    config.with_changes(changes)
}

impl Settings {
    fn note(&mut self, origin: Origin, is_set: impl Fn(&Key) -> bool) {
        for key in KEYS.iter().filter(|key| is_set(key)) {
            self.origins.insert(key.name, origin);
        }
    }

    fn read_environment(&mut self) -> Result<(), Failure> {
        for key in KEYS {
            let variable = key.variable();
            // An empty variable is one that is not set.
            let Some(text) = std::env::var_os(&variable).filter(|text| !text.is_empty()) else { continue };
            let help = || format!("correct or unset {variable}");
            let wrong = |problem: String| Failure::usage(problem).with_help(help());
            let text = text.into_string().map_err(|_| wrong(format!("{variable} is not UTF-8")))?;
            if key.name == "allowTransfer" && text != "true" && text != "false" {
                // Only exactly `true` allows (rule P1); anything else leaves the question to the other layers.
                self.warnings.push(format!(
                    "{variable} allows nothing: only exactly `true` does, and its value is something else"
                ));
                continue;
            }
            let value = key.read(&text).map_err(|fits| wrong(format!("{variable} must be {fits}")))?;
            self.config = change(&self.config, &key.document(value))
                .map_err(|error| wrong(format!("{variable}: {error}")))?;
            self.note(Origin::Environment, |other| other == key);
        }
        self.warn_of_near_variables();
        Ok(())
    }

    /// A variable that is nearly one of ours is probably a slip. Its value is nobody's business.
    fn warn_of_near_variables(&mut self) {
        let ours: Vec<String> = KEYS.iter().map(Key::variable).collect();
        let mut slips: Vec<String> = std::env::vars_os()
            .filter_map(|(name, _)| name.into_string().ok())
            .filter(|name| name.starts_with("SUGGEST_"))
            .filter(|name| !ours.contains(name) && !OWN_VARIABLES.contains(&name.as_str()))
            .filter_map(|name| {
                let near =
                    ours.iter().map(|known| (strsim::damerau_levenshtein(&name, known), known)).min()?;
                (near.0 <= 3).then(|| format!("{name} is no variable of ours; did you mean {}?", near.1))
            })
            .collect();
        slips.sort();
        self.warnings.append(&mut slips);
    }

    fn read_model_flag(&mut self, model: &str) -> Result<(), Failure> {
        if model.trim().is_empty() {
            return Err(
                Failure::usage("`--model` is empty").with_help("write it as `--model provider/model`")
            );
        }
        self.config = change(&self.config, &json!({ "promptModel": model }))
            .map_err(|error| Failure::usage(error.to_string().replace("`promptModel`", "`--model`")))?;
        self.note(Origin::Flag, |key| key.name == "promptModel");
        Ok(())
    }
}
