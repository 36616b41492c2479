//! Plays every scenario of a folder.

use crate::player::{Outcome, Player, Verdict};
use crate::scenario::{Scenario, ScenarioError};
use std::fmt;
use std::path::{Path, PathBuf};

/// How the scenario in one file ended.
#[derive(Debug)]
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// What playing it gave, or why it could not be played.
    pub result: Result<Outcome, FileError>,
}

impl FileReport {
    /// How it ended. A file that cannot be read counts as malformed.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.result.as_ref().map_or(Verdict::Malformed, Outcome::verdict)
    }
}

impl fmt::Display for FileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.result {
            Err(error) => write!(f, "{error}"),
            Ok(outcome) if outcome.mismatches.is_empty() => f.write_str("passed"),
            Ok(outcome) => outcome.mismatches.iter().try_for_each(|mismatch| write!(f, "\n{mismatch}")),
        }
    }
}

/// Why the scenario in a file could not be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    /// It holds no scenario.
    #[error(transparent)]
    Malformed(#[from] ScenarioError),
}

/// Plays the scenario in a file against the real core.
#[must_use]
pub fn play_file(path: &Path) -> FileReport {
    let read =
        || -> Result<Scenario, FileError> { Ok(Scenario::from_json(&std::fs::read_to_string(path)?)?) };
    FileReport { path: path.to_owned(), result: read().map(|scenario| Player::new(&scenario).play()) }
}

/// Every `*.json` file in a folder and the folders inside it, in the order of their paths.
///
/// # Errors
/// A folder that cannot be read.
pub fn scenario_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Plays every scenario of a folder against the real core, in the order of their paths.
///
/// # Errors
/// A folder that cannot be read; a file that cannot is in its report.
pub fn play_folder(folder: &Path) -> std::io::Result<Vec<FileReport>> {
    Ok(scenario_files(folder)?.iter().map(|file| play_file(file)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_in_every_folder_in_the_order_of_their_paths() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("b/c")).unwrap();
        for name in ["b/c/2.json", "a.json", "b/1.json", "b/notes.md"] {
            std::fs::write(path(name), "{").unwrap();
        }
        let files = scenario_files(folder.path()).unwrap();
        assert_eq!(files, [path("a.json"), path("b/1.json"), path("b/c/2.json")]);
        assert!(scenario_files(&path("missing")).is_err());
    }

    #[test]
    fn a_file_that_holds_no_scenario_is_malformed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("broken.json");
        std::fs::write(&path, r#"{"steps": [{"evnt": {}}]}"#).unwrap();
        let report = play_file(&path);
        assert_eq!(report.verdict(), Verdict::Malformed);
        assert!(report.to_string().contains("broken.json: step 0, field `evnt`: unknown field"), "{report}");
        assert_eq!(play_file(&folder.path().join("missing.json")).verdict(), Verdict::Malformed);
    }
}
