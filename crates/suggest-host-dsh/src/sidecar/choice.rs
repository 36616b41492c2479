//! The model that a person chose by command, kept in a file of our own, so that one command is enough for good.
//!
//! Nothing else is kept: neither whether suggestions are switched off in a session, nor whether a loop is armed
//! (rules D2, A1).

use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use suggest_core::ModelId;

/// The version of the file.
const VERSION: u64 = 1;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 * 1024;

/// Why the file could not be read; it counts as none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable;

/// The file `suggest/choice.json` in the host's home.
#[derive(Debug)]
pub(crate) struct ChoiceFile {
    path: PathBuf,
    /// What shall stand in it. Writers take it while they hold `writing`, so that the last write is the newest.
    wanted: Mutex<Option<ModelId>>,
    writing: Mutex<()>,
}

impl ChoiceFile {
    pub(crate) fn in_home(home: &Path) -> Self {
        Self {
            path: home.join("suggest").join("choice.json"),
            wanted: Mutex::default(),
            writing: Mutex::default(),
        }
    }

    /// The model that was kept.
    pub(crate) fn read(&self) -> Result<Option<ModelId>, Unreadable> {
        let mut text = String::new();
        let read = File::open(&self.path).and_then(|file| file.take(LARGEST).read_to_string(&mut text));
        match read {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(_) => return Err(Unreadable),
        }
        let value: Value = serde_json::from_str(&text).map_err(|_| Unreadable)?;
        if value.get("version").and_then(Value::as_u64) != Some(VERSION) {
            return Err(Unreadable);
        }
        match value.get("promptModel").and_then(Value::as_str) {
            Some(model) => model.parse().map(Some).map_err(|_| Unreadable),
            None => Err(Unreadable),
        }
    }

    /// Says what shall stand in the file; [`ChoiceFile::write`] writes it.
    pub(crate) fn want(&self, model: Option<ModelId>) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = model;
    }

    /// Writes what was wanted last, whole or not at all: readers see the old file or the new one.
    pub(crate) fn write(&self) -> io::Result<()> {
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(model) = wanted else {
            return match fs::remove_file(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        };
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        // Another dsh on the same home has another process number.
        let beside = self.path.with_extension(format!("json.{}.tmp", std::process::id()));
        let text = format!("{:#}\n", json!({ "version": VERSION, "promptModel": model.as_str() }));
        let written = File::create(&beside).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        let placed = written.and_then(|()| fs::rename(&beside, &self.path));
        if placed.is_err() {
            let _ = fs::remove_file(&beside);
        }
        placed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_kept_changed_and_removed() {
        let home = tempfile::tempdir().unwrap();
        let file = ChoiceFile::in_home(home.path());
        assert_eq!(file.read(), Ok(None));
        for model in ["mock/one", "openrouter/a/b"] {
            file.want(Some(model.parse().unwrap()));
            file.write().unwrap();
            assert_eq!(ChoiceFile::in_home(home.path()).read(), Ok(Some(model.parse().unwrap())));
        }
        assert_eq!(fs::read_dir(home.path().join("suggest")).unwrap().count(), 1);
        file.want(None);
        file.write().unwrap();
        file.write().unwrap();
        assert_eq!(file.read(), Ok(None));
    }

    #[test]
    fn what_cannot_be_read_counts_as_none() {
        let home = tempfile::tempdir().unwrap();
        let file = ChoiceFile::in_home(home.path());
        fs::create_dir_all(home.path().join("suggest")).unwrap();
        for text in
            ["", "{", "[]", r#"{"version":2,"promptModel":"a/b"}"#, r#"{"version":1,"promptModel":"ab"}"#]
        {
            fs::write(&file.path, text).unwrap();
            assert_eq!(file.read(), Err(Unreadable), "{text}");
        }
        fs::remove_file(&file.path).unwrap();
        fs::create_dir(&file.path).unwrap();
        assert_eq!(file.read(), Err(Unreadable));
        file.want(Some("a/b".parse().unwrap()));
        assert!(file.write().is_err());
        assert_eq!(
            fs::read_dir(home.path().join("suggest")).unwrap().count(),
            1,
            "nothing is left beside it"
        );
    }
}
