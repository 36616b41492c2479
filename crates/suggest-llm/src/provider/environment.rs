use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

type Variables = dyn Fn(&str) -> Option<String> + Send + Sync;
type Files = dyn Fn(&Path) -> io::Result<String> + Send + Sync;

/// Where keys are looked up: environment variables and files, behind closures, so that tests and hosts bring their own
/// (rule P4).
#[derive(Clone)]
pub struct Environment {
    variables: Arc<Variables>,
    files: Arc<Files>,
}

/// Most bytes that are read of a key file; a larger file is no key.
const LONGEST_FILE: u64 = 16 * 1024;

impl Environment {
    /// The process's own environment variables and files.
    #[must_use]
    pub fn process() -> Self {
        Self::new(|name| std::env::var(name).ok()).with_files(read_bounded)
    }

    /// Variables from a lookup; no files.
    #[must_use]
    pub fn new(variables: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self {
            variables: Arc::new(variables),
            files: Arc::new(|_| Err(io::Error::from(io::ErrorKind::Unsupported))),
        }
    }

    /// Exactly these variables; no files.
    #[must_use]
    pub fn from_variables<N: Into<String>, V: Into<String>>(
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let variables: BTreeMap<String, String> =
            variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self::new(move |name| variables.get(name).cloned())
    }

    /// The same variables, with files from a lookup.
    #[must_use]
    pub fn with_files(mut self, files: impl Fn(&Path) -> io::Result<String> + Send + Sync + 'static) -> Self {
        self.files = Arc::new(files);
        self
    }

    /// The value of a variable; a blank one counts as absent.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        (self.variables)(name).filter(|value| !value.trim().is_empty())
    }

    pub(super) fn file(&self, path: &Path) -> io::Result<String> {
        (self.files)(path)
    }
}

fn read_bounded(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(LONGEST_FILE + 1).read_to_string(&mut text)?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > LONGEST_FILE {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    Ok(text)
}

impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Environment")
    }
}
