//! A settings file: read, shown as it would become, kept in a copy, and written whole or not at all.

use crate::exit::Failure;
use crate::hosts::{make_private, state_folder};
use serde::{Deserialize, Serialize};
use similar::TextDiff;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The most bytes of a settings file.
const LONGEST: u64 = 4 * 1024 * 1024;

/// A settings file as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The path as it is named.
    pub(crate) path: PathBuf,
    /// Where the bytes are: behind symbolic links.
    real: PathBuf,
    /// What it holds; `None` if it does not exist.
    before: Option<String>,
}

/// What was done to a file, so that exactly that can be undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Installed {
    path: PathBuf,
    /// Whether the file was there before.
    existed: bool,
    /// What it was after.
    after: u64,
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Plan {
    /// It shall hold this.
    Write(String),
    /// It shall not exist: it did not before.
    Remove,
}

impl Target {
    /// Reads the file.
    pub(crate) fn read(path: PathBuf) -> Result<Self, Failure> {
        let real = fs::canonicalize(&path).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound if fs::symlink_metadata(&path).is_err() => Ok(path.clone()),
            _ => Err(error),
        });
        let problem = |error: &dyn std::fmt::Display| {
            Failure::failed(format_args!("cannot read {}: {error}", path.display()))
                .with_help("check the file; nothing was changed")
        };
        let real = real.map_err(|error| problem(&error))?;
        let before = match fs::metadata(&real) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(problem(&error)),
            Ok(facts) if !facts.is_file() => return Err(problem(&"it is no file")),
            Ok(facts) if facts.len() > LONGEST => return Err(problem(&"it is larger than 4 MiB")),
            Ok(_) => Some(fs::read_to_string(&real).map_err(|error| problem(&error))?),
        };
        Ok(Self { path, real, before })
    }

    /// What it holds, or nothing.
    pub(crate) fn text(&self) -> &str {
        self.before.as_deref().unwrap_or_default()
    }

    /// Fails if it may not be written.
    pub(crate) fn check_writable(&self) -> Result<(), Failure> {
        let read_only = |path: &Path| fs::metadata(path).is_ok_and(|facts| facts.permissions().readonly());
        let folder = self.real.parent();
        if (self.before.is_some() && read_only(&self.real)) || folder.is_some_and(read_only) {
            return Err(Failure::failed(format_args!("{} is read-only", self.path.display())).with_help(
                "make it writable, or make the change where the file comes from; nothing was changed",
            ));
        }
        Ok(())
    }

    /// Where the copy from before is kept.
    pub(crate) fn backup(&self) -> PathBuf {
        let mut name = self.real.file_name().unwrap_or_default().to_owned();
        name.push(".suggest-backup");
        self.real.with_file_name(name)
    }

    /// Writes it, with a copy of what it held, and remembers what was done.
    pub(crate) fn install(&self, text: &str) -> Result<(), Failure> {
        let failed = |error: io::Error| self.unwritable(&error);
        if let Some(before) = &self.before {
            self.write_to(&self.backup(), before).map_err(failed)?;
        }
        if let Some(folder) = self.real.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        self.write_to(&self.real, text).map_err(failed)?;
        let note = Installed { path: self.real.clone(), existed: self.before.is_some(), after: hash(text) };
        // Without the note it is undone all the same, only not to the last byte.
        if let Err(error) = self.remember(&note) {
            tracing::warn!(%error, "cannot remember what was done");
        }
        Ok(())
    }

    /// What undoes exactly what was done, if nothing else changed the file since.
    pub(crate) fn exact_undo(&self) -> Option<Plan> {
        let note: Installed = serde_json::from_str(&fs::read_to_string(self.note()?).ok()?).ok()?;
        if note.path != self.real || note.after != hash(self.text()) {
            return None;
        }
        if note.existed {
            fs::read_to_string(self.backup()).ok().map(Plan::Write)
        } else {
            Some(Plan::Remove)
        }
    }

    /// Carries an undoing out. The copy goes when the file is again what it was.
    pub(crate) fn uninstall(&self, plan: &Plan) -> Result<(), Failure> {
        let failed = |error: io::Error| self.unwritable(&error);
        match plan {
            Plan::Write(text) => {
                self.write_to(&self.real, text).map_err(failed)?;
                if fs::read_to_string(self.backup()).is_ok_and(|before| before == *text) {
                    let _ = fs::remove_file(self.backup());
                }
            }
            Plan::Remove => fs::remove_file(&self.real).map_err(failed)?,
        }
        if let Some(note) = self.note() {
            // It may never have been written.
            let _ = fs::remove_file(note);
        }
        Ok(())
    }

    fn unwritable(&self, error: &io::Error) -> Failure {
        Failure::failed(format_args!("cannot write {}: {error}", self.path.display()))
            .with_help("nothing was changed; check who may write there")
    }

    /// Whole or not at all: another file is written and takes the place of this one. Who may read it stays.
    fn write_to(&self, path: &Path, text: &str) -> io::Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut fresh = tempfile::Builder::new().prefix(".suggest-").tempfile_in(folder)?;
        fresh.write_all(text.as_bytes())?;
        if let Ok(facts) = fs::metadata(&self.real) {
            fresh.as_file().set_permissions(facts.permissions())?;
        }
        fresh.as_file().sync_all()?;
        fresh.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    fn note(&self) -> Option<PathBuf> {
        let name = format!("{:016x}.json", hash(&self.real.to_string_lossy()));
        Some(state_folder().ok()?.join("installed").join(name))
    }

    fn remember(&self, note: &Installed) -> io::Result<()> {
        let path = self.note().ok_or(io::ErrorKind::NotFound)?;
        if let Some(folder) = path.parent() {
            make_private(folder)?;
        }
        fs::write(path, serde_json::to_string(note)?)
    }
}

/// The change for people to read, as a unified difference.
pub(crate) fn difference(target: &Target, plan: &Plan) -> String {
    let after = match plan {
        Plan::Write(text) => text.as_str(),
        Plan::Remove => "",
    };
    let name = target.path.display().to_string();
    let new = if *plan == Plan::Remove { "(removed)" } else { name.as_str() };
    let old = if target.before.is_none() { "(new file)" } else { name.as_str() };
    TextDiff::from_lines(target.text(), after).unified_diff().context_radius(2).header(old, new).to_string()
}

/// FNV-1a: it tells a changed file, and stays the same between versions.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
