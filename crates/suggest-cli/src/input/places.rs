//! The sessions that are found where the harnesses keep them.

use crate::exit::Failure;
use std::path::PathBuf;
use suggest_transcripts::{FoundSession, Places};

/// The places of this person, moved by the variables that the harnesses follow. `None` without a home folder.
pub(crate) fn usual() -> Option<Places> {
    let home = directories::BaseDirs::new()?;
    Some(Places::of_home(home.home_dir()).with_environment(|name| std::env::var_os(name).map(PathBuf::from)))
}

/// The newest session of the current folder.
pub(crate) fn newest_here() -> Option<FoundSession> {
    suggest_transcripts::newest_for(&usual()?, &std::env::current_dir().ok()?)
}

/// The session with this id.
pub(crate) fn with_id(id: &str) -> Result<FoundSession, Failure> {
    let found = usual().and_then(|places| suggest_transcripts::find_session(&places, id));
    found.ok_or_else(|| {
        Failure::usage(format_args!("no session with the id {} is found", crate::output::plain(id)))
            .with_help("`suggest sessions` lists those that are found; of others name the file")
    })
}
