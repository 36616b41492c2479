//! What a sidecar must know of its surroundings.

use std::path::PathBuf;

/// What a sidecar must know of its surroundings.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SidecarOptions {
    /// The host's home folder, in which the model chosen by command is kept. Without one, and when the plugin names none,
    /// it is kept in memory only.
    pub host_home: Option<PathBuf>,
    /// The person's home folder, which is scrubbed from what a model reads (rule P2).
    pub person_home: Option<String>,
    /// The file in which cards and summaries are kept, the one that `suggest serve` shows (rule C6). Without one they
    /// live as long as this process.
    pub cards: Option<PathBuf>,
}

impl SidecarOptions {
    /// What the process's environment says: `DSH_HOME`, or `.dsh` in the person's home.
    #[must_use]
    pub fn from_environment() -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let person_home = set("HOME").or_else(|| set("USERPROFILE"));
        let host_home = set("DSH_HOME")
            .map(PathBuf::from)
            .or_else(|| person_home.clone().map(|home| PathBuf::from(home).join(".dsh")));
        Self { host_home, person_home: person_home.and_then(|home| home.into_string().ok()), cards: None }
    }

    /// Sets the host's home folder.
    #[must_use]
    pub fn with_host_home(mut self, home: Option<PathBuf>) -> Self {
        self.host_home = home;
        self
    }

    /// Sets the person's home folder.
    #[must_use]
    pub fn with_person_home(mut self, home: Option<String>) -> Self {
        self.person_home = home;
        self
    }

    /// Sets the file in which cards and summaries are kept.
    #[must_use]
    pub fn with_cards(mut self, file: Option<PathBuf>) -> Self {
        self.cards = file;
        self
    }
}
