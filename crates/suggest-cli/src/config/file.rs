//! The configuration file: where it is, what it says, and on which line.

use super::providers::{self, ProviderProblem};
use crate::exit::Failure;
use directories::ProjectDirs;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use suggest_core::Config;
use suggest_llm::{Environment, ProviderConfig, ProviderError, ProviderTable};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The environment variable that names another file.
const VARIABLE: &str = "SUGGEST_CONFIG";

/// The most bytes of a configuration file.
const LONGEST_FILE: u64 = 1024 * 1024;

/// Which file is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundFile {
    pub(crate) path: PathBuf,
    /// Whether somebody named it, so that it must be there.
    pub(crate) named: bool,
}

/// The file that counts: that of the flag, of the environment, or the usual one of the platform.
pub(crate) fn find(flag: Option<&Path>) -> Option<FoundFile> {
    let variable = || std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    if let Some(path) = flag.map(Path::to_owned).or_else(variable) {
        return Some(FoundFile { path, named: true });
    }
    let folders = ProjectDirs::from("", "", "suggest")?;
    Some(FoundFile { path: folders.config_dir().join("config.toml"), named: false })
}

/// What a file says.
#[derive(Debug, Clone, Default)]
pub(super) struct Contents {
    /// The keys of the core.
    pub(super) document: Value,
    /// The section `providers`.
    pub(super) providers: BTreeMap<String, ProviderConfig>,
}

/// Reads a file; `None` when the usual one does not exist.
pub(super) fn read(found: &FoundFile) -> Result<Option<Contents>, Failure> {
    let path = &found.path;
    let text = match read_bounded(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !found.named => return Ok(None),
        Err(error) => {
            return Err(Failure::usage(format_args!(
                "cannot read the configuration {}: {error}",
                path.display()
            ))
            .with_help("check the path; without --config and SUGGEST_CONFIG the usual place is read"));
        }
    };
    parse(&text, path).map(Some)
}

fn read_bounded(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(LONGEST_FILE.saturating_add(1)).read_to_string(&mut text)?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > LONGEST_FILE {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    Ok(text)
}

/// Reads the text of a file, whole or not at all. Errors name the line and never repeat a value.
fn parse(text: &str, path: &Path) -> Result<Contents, Failure> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let at = |line: Option<usize>| match line {
        Some(line) => format!("{}:{line}", path.display()),
        None => path.display().to_string(),
    };
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map(|span| line_number(text, span.start));
        Failure::usage(format_args!("{}: no valid TOML: {}", at(line), error.message()))
            .with_help("write `key = value` lines, text in quotes; `suggest config schema` lists the keys")
    })?;
    let document: Value = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| line_number(text, span.start));
        Failure::usage(format_args!("{}: a value that no key takes", at(line)))
    })?;
    Config::from_json(&document).map_err(|error| {
        let line = line_of(text, table.get_ref(), &error.key().split('.').collect::<Vec<_>>());
        Failure::usage(format_args!("{}: {error}", at(line)))
            .with_help("`suggest config schema` lists the keys")
    })?;
    let providers = providers::read(document.get("providers"), path.parent()).map_err(|problem| {
        let ProviderProblem { path: place, message } = problem;
        let place: Vec<&str> = place.iter().map(String::as_str).collect();
        let line = line_of(text, table.get_ref(), &place);
        Failure::usage(format_args!("{}: {message}", at(line)))
            .with_help("a provider takes preset, baseUrl, keyEnv, keyFile, headers, capField and extraBody")
    })?;
    for (name, config) in &providers {
        usable(name, config).map_err(|error| {
            let key = if matches!(error, ProviderError::BadBaseUrl { .. }) { "baseUrl" } else { "" };
            let line = line_of(text, table.get_ref(), &["providers", name, key]);
            Failure::usage(format_args!("{}: {error}", at(line)))
        })?;
    }
    Ok(Contents { document, providers })
}

/// Whether a provider can work at all. Reads no key.
fn usable(name: &str, config: &ProviderConfig) -> Result<(), ProviderError> {
    let one = BTreeMap::from([(name.to_owned(), config.clone())]);
    ProviderTable::new(one, Environment::process()).map(|_| ())
}

fn line_number(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    before.iter().filter(|byte| **byte == b'\n').count().saturating_add(1)
}

/// The line of a key, or of the last section on the way to it that can be found.
fn line_of(text: &str, table: &DeTable<'_>, path: &[&str]) -> Option<usize> {
    let (first, rest) = path.split_first()?;
    let (key, value): (&Spanned<_>, &Spanned<DeValue<'_>>) =
        table.iter().find(|(key, _)| key.get_ref() == first)?;
    let deeper = value.get_ref().as_table().and_then(|table| line_of(text, table, rest));
    deeper.or_else(|| Some(line_number(text, key.span().start)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn problem(text: &str) -> String {
        parse(text, Path::new("c.toml")).unwrap_err().message
    }

    #[test]
    fn errors_name_file_line_key_and_what_would_fit() {
        for (text, message) in [
            ("a = \n", "c.toml:1: no valid TOML: string values must be quoted, expected literal string"),
            (
                "# x\n\npromtModel = \"a/b\"",
                "c.toml:3: unknown key `promtModel`; did you mean `promptModel`?",
            ),
            ("promptModel = \"gpt\"", "c.toml:1: `promptModel`: "),
            (
                "promptMaxChars = 240\n[advisor]\nprovider = \"x\"\nimmuneTurn = 3",
                "c.toml:4: unknown key `advisor.immuneTurn`; did you mean `advisor.immuneTurns`?",
            ),
            (
                "advisor.immuneTurns = \"3\"",
                "c.toml:1: `advisor.immuneTurns` must be a whole number, not a text",
            ),
            (
                "\npromptMaxChars = 5",
                "c.toml:2: `promptMaxChars` must be a whole number from 20 to 4000, not 5",
            ),
            ("cards = 3", "c.toml:1: `cards` must be a section of keys, not a number"),
            (
                "[providers.acme]\nbaseURL = \"http://x\"",
                "c.toml:2: unknown key `providers.acme.baseURL`; did you mean `providers.acme.baseUrl`?",
            ),
        ] {
            let found = problem(text);
            assert!(found.starts_with(message.split(": string").next().unwrap()), "{text:?}: {found}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[a-zA-Z.=\\[\\]\"'{}#\\n 0-9]{0,80}|\\PC{0,40}") {
            let _ = parse(&text, Path::new("c.toml"));
        }
    }

    #[test]
    fn an_error_never_repeats_a_secret_that_stands_in_the_wrong_place() {
        for text in [
            "providers.acme.apiKey = \"sk-canary\"",
            "providers.acme.headers = \"sk-canary\"",
            "providers.acme.capField = \"sk-canary\"",
            "providers.acme = \"sk-canary\"",
            "promptMaxChars = \"sk-canary\"",
            "promptMaxChars = sk-canary",
            "promptMaxChars = \"sk-canary",
        ] {
            let failure = parse(text, Path::new("c.toml")).unwrap_err();
            assert!(!format!("{failure:?}").contains("sk-canary"), "{failure:?}");
        }
        assert!(problem("providers.acme.apiKey = \"x\"").contains("keyEnv"));
    }
}
