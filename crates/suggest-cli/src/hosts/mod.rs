//! Harnesses that tell us by a program of their own when a turn has ended: what they tell, the work that follows in the
//! background, and what is known of each session until then.

mod claude_code;
mod codex;
mod end;
mod store;
mod transcript;
mod work;

pub(crate) use claude_code::{StatusInput, StopEvent};
pub(crate) use codex::{NotifyEvent, StopHook, home as codex_home};
pub(crate) use store::{Phase, Record, Store, is_session_id, make_private, state_folder};
pub(crate) use work::{Job, run as run_job, start as start_job};

/// A harness that calls us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Host {
    ClaudeCode,
    Codex,
}

impl Host {
    /// Its name in commands and in the folder of its sessions.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }
}

/// The last message that an event tells, as far as it is needed: its beginning shows which one it is, and what a model reads
/// of it is bounded, too.
fn answer(told: Option<&str>) -> Option<String> {
    const LONGEST: usize = 64 * 1024;
    let told = told?;
    let end = (0..=told.len().min(LONGEST)).rev().find(|end| told.is_char_boundary(*end))?;
    told.get(..end).filter(|told| !told.trim().is_empty()).map(str::to_owned)
}
