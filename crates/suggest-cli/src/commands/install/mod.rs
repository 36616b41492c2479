//! `suggest install` and `suggest uninstall`: the settings of a harness, shown as they would become, changed on a yes, and
//! changed back exactly.

mod claude_code;
mod codex;

use crate::edit::{Plan, Target, difference};
use crate::exit::{Exit, Failure};
use crate::hosts::codex_home;
use crate::output::Output;
use clap::{Args, Subcommand};
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

const NOTES: &str = "\
Examples:
  suggest install claude-code                   a Stop hook, and the bar in the status line
  suggest install claude-code --system-message  and the offer as a message behind each turn
  suggest install codex                         the notify program of Codex; one that is set already is called too
  suggest install codex --dry-run               show the change and make none
  suggest uninstall claude-code                 take out exactly that

The change is shown first, and nothing is changed without a yes. The file as it was is kept beside
it, with the ending .suggest-backup.";

/// Set suggest up in a harness; shows the change and asks
#[derive(Debug, Args)]
#[command(after_help = NOTES)]
pub(crate) struct InstallArgs {
    #[command(subcommand)]
    host: InstallHost,
}

/// Take suggest out of a harness again; shows the change and asks
#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    #[command(subcommand)]
    host: UninstallHost,
}

#[derive(Debug, Subcommand)]
enum InstallHost {
    /// The Stop hook and the status line of Claude Code
    ClaudeCode(ClaudeInstall),
    /// The notify program of Codex
    Codex(CodexInstall),
}

#[derive(Debug, Subcommand)]
enum UninstallHost {
    /// The Stop hook and the status line of Claude Code
    ClaudeCode(Common),
    /// The notify program and the hook of Codex
    Codex(Common),
}

#[derive(Debug, Args)]
struct ClaudeInstall {
    #[command(flatten)]
    common: Common,
    /// Show each offer as a message of the hook, too; a turn then ends up to 10 seconds later
    #[arg(long)]
    system_message: bool,
    /// Leave the status line as it is
    #[arg(long)]
    no_status_line: bool,
}

#[derive(Debug, Args)]
struct CodexInstall {
    #[command(flatten)]
    common: Common,
    /// Show each offer as a message of a Stop hook instead, which Codex asks you to trust; a turn then ends up to 10 seconds later
    #[arg(long)]
    system_message: bool,
}

#[derive(Debug, Args)]
struct Common {
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Show the change and make none
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// The settings file, if it is not the usual one of your home folder
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
}

pub(crate) fn install(arguments: &InstallArgs, output: &Output) -> Result<Exit, Failure> {
    let program = program()?;
    match &arguments.host {
        InstallHost::ClaudeCode(wanted) => {
            let target = Target::read(settings(&wanted.common, claude_settings())?)?;
            let options = claude_code::Wanted {
                system_message: wanted.system_message,
                status_line: !wanted.no_status_line,
            };
            let after = claude_code::installed(target.text(), &program, options)
                .map_err(|problem| problem.failure(&target))?;
            make(&target, &after, &wanted.common, output, "it is in force in the next session of Claude Code")
        }
        InstallHost::Codex(wanted) if wanted.system_message => {
            let path = codex_home().map(|home| home.join("hooks.json"));
            let target = Target::read(settings(&wanted.common, path)?)?;
            let after =
                claude_code::with_hook(target.text(), &codex::hook_command(&program), codex::HOOK_MARK)
                    .map_err(|problem| problem.failure(&target))?;
            warn_of_both(&wanted.common, "config.toml", codex::uninstalled, output);
            make(
                &target,
                &after,
                &wanted.common,
                output,
                "it is in force in the next session of Codex, which asks whether you trust the hook",
            )
        }
        InstallHost::Codex(wanted) => {
            let path = codex_home().map(|home| home.join("config.toml"));
            let target = Target::read(settings(&wanted.common, path)?)?;
            let after =
                codex::installed(target.text(), &program).map_err(|problem| problem.failure(&target))?;
            let other = |text: &str| claude_code::without_hook(text, codex::HOOK_MARK);
            warn_of_both(&wanted.common, "hooks.json", other, output);
            make(
                &target,
                &after,
                &wanted.common,
                output,
                "it is in force in the next session of Codex; `suggest watch` or `suggest statusline codex` shows the offers",
            )
        }
    }
}

pub(crate) fn uninstall(arguments: &UninstallArgs, output: &Output) -> Result<Exit, Failure> {
    match &arguments.host {
        UninstallHost::ClaudeCode(common) => {
            let target = Target::read(settings(common, claude_settings())?)?;
            let after =
                claude_code::uninstalled(target.text()).map_err(|problem| problem.failure(&target))?;
            unmake(&target, after, common, output)
        }
        UninstallHost::Codex(common) => {
            let path = codex_home().map(|home| home.join("config.toml"));
            let target = Target::read(settings(common, path)?)?;
            let is_hooks = target.path.extension().is_some_and(|ending| ending == "json");
            let after = if is_hooks {
                claude_code::without_hook(target.text(), codex::HOOK_MARK)
            } else {
                codex::uninstalled(target.text())
            };
            let after = after.map_err(|problem| problem.failure(&target))?;
            let hooks = codex_home().map(|home| home.join("hooks.json")).filter(|hooks| hooks.exists());
            let hooks = match hooks.filter(|_| common.settings.is_none()) {
                Some(hooks) => {
                    let hooks = Target::read(hooks)?;
                    let after = claude_code::without_hook(hooks.text(), codex::HOOK_MARK)
                        .map_err(|problem| problem.failure(&hooks))?;
                    after.map(|after| (hooks, after))
                }
                None => None,
            };
            match hooks {
                // What is not there need not be told when something else is.
                Some((hooks, without)) if after.is_none() => unmake(&hooks, Some(without), common, output),
                Some((hooks, without)) => {
                    unmake(&target, after, common, output)?;
                    unmake(&hooks, Some(without), common, output)
                }
                None => unmake(&target, after, common, output),
            }
        }
    }
}

/// Says that the other file of Codex has ours, too: each would ask for each turn. A file that cannot be read has nothing.
fn warn_of_both(
    common: &Common,
    other: &str,
    without: impl Fn(&str) -> Result<Option<String>, Problem>,
    output: &Output,
) {
    let Some(path) = codex_home().map(|home| home.join(other)).filter(|_| common.settings.is_none()) else {
        return;
    };
    if path.exists()
        && let Ok(there) = Target::read(path)
        && let Ok(Some(_)) = without(there.text())
    {
        output.warning(&format!(
            "{} starts suggest after each turn already, and both would ask; `suggest uninstall codex` takes out both",
            there.path.display()
        ));
    }
}

/// Why a settings file cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Problem {
    message: String,
    help: &'static str,
}

impl Problem {
    fn new(message: impl Into<String>, help: &'static str) -> Self {
        Self { message: message.into(), help }
    }

    fn failure(self, target: &Target) -> Failure {
        Failure::failed(format_args!("{}{}", target.path.display(), self.message)).with_help(self.help)
    }
}

fn settings(common: &Common, usual: Option<PathBuf>) -> Result<PathBuf, Failure> {
    common
        .settings
        .clone()
        .or(usual)
        .ok_or_else(|| Failure::failed("no home folder").with_help("name the settings file with --settings"))
}

fn claude_settings() -> Option<PathBuf> {
    let named = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = named.or_else(|| Some(directories::BaseDirs::new()?.home_dir().join(".claude")));
    folder.map(|folder| folder.join("settings.json"))
}

/// This program, by its whole path: a harness may have another search path.
fn program() -> Result<String, Failure> {
    let path = std::env::current_exe()
        .map_err(|error| Failure::failed(format_args!("cannot tell where this program is: {error}")))?;
    path.into_os_string().into_string().map_err(|_| Failure::failed("the path of this program is not UTF-8"))
}

fn make(target: &Target, after: &str, common: &Common, output: &Output, then: &str) -> Result<Exit, Failure> {
    if after == target.text() {
        output.note(&format!("{} has it already; nothing to change", target.path.display()));
        return Ok(Exit::Success);
    }
    target.check_writable()?;
    let plan = Plan::Write(after.to_owned());
    if !agreed(target, &plan, common, output)? {
        return Ok(Exit::Success);
    }
    target.install(after)?;
    output.note(&format!("changed {}; {then}", target.path.display()));
    Ok(Exit::Success)
}

fn unmake(target: &Target, after: Option<String>, common: &Common, output: &Output) -> Result<Exit, Failure> {
    let Some(after) = after else {
        output.note(&format!("nothing of suggest is in {}", target.path.display()));
        return Ok(Exit::Success);
    };
    target.check_writable()?;
    let plan = target.exact_undo().unwrap_or(Plan::Write(after));
    if !agreed(target, &plan, common, output)? {
        return Ok(Exit::Success);
    }
    target.uninstall(&plan)?;
    output.note(&format!("changed {} back", target.path.display()));
    Ok(Exit::Success)
}

/// Shows the change and asks.
fn agreed(target: &Target, plan: &Plan, common: &Common, output: &Output) -> Result<bool, Failure> {
    output.answer(difference(target, plan).trim_end_matches('\n'))?;
    if common.yes {
        return Ok(true);
    }
    if common.dry_run {
        output.note("nothing was changed");
        return Ok(false);
    }
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage("nobody is here to ask whether to make this change")
            .with_help("look at it, and repeat the command with --yes; nothing was changed"));
    }
    // Whether the question can be seen does not matter: only a yes counts.
    let _ = write!(std::io::stderr(), "Make this change? [y/N] ");
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::failed(format_args!("cannot read the answer: {error}")))?;
    let yes = matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    if !yes {
        output.note("nothing was changed");
    }
    Ok(yes)
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.' | '+' | ':' | '@');
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
