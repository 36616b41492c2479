//! What Codex tells its `notify` program and its Stop hook, and where it keeps the rollout of a thread.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use suggest_core::SessionKind;
use suggest_transcripts::{Format, SessionInfo};

/// The most folders and files that are looked at for a rollout, newest first.
const MAX_LOOKED_AT: usize = 20_000;

/// What `notify` is given as its last argument.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct NotifyEvent {
    #[serde(rename = "type")]
    kind: String,
    pub(crate) thread_id: String,
    pub(crate) turn_id: Option<String>,
    last_assistant_message: Option<String>,
}

impl NotifyEvent {
    /// The last message of the turn.
    pub(crate) fn answer(&self) -> Option<String> {
        super::answer(self.last_assistant_message.as_deref())
    }

    /// Reads the argument.
    pub(crate) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The rollout of the person's thread whose turn ended. `None` for every other event: the hidden thread that writes
    /// titles has no rollout, and that of a subagent says so.
    pub(crate) fn rollout(&self, home: &Path) -> Option<PathBuf> {
        if self.kind != "agent-turn-complete" || !super::is_session_id(&self.thread_id) {
            return None;
        }
        find_rollout(home, &self.thread_id).filter(|path| is_of_a_person(path))
    }
}

/// What a Stop hook is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct StopHook {
    pub(crate) session_id: String,
    pub(crate) turn_id: Option<String>,
    /// A Stop hook has sent the worker on before in this turn, and may do so again.
    pub(crate) stop_hook_active: bool,
    last_assistant_message: Option<String>,
    transcript_path: Option<PathBuf>,
    hook_event_name: String,
    agent_id: Option<String>,
}

impl StopHook {
    /// The last message of the turn.
    pub(crate) fn answer(&self) -> Option<String> {
        super::answer(self.last_assistant_message.as_deref())
    }

    /// Reads what the hook was given.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// The rollout of the person's thread whose turn ended.
    pub(crate) fn rollout(&self) -> Option<PathBuf> {
        let fits = self.hook_event_name == "Stop"
            && self.agent_id.is_none()
            && super::is_session_id(&self.session_id);
        self.transcript_path.clone().filter(|path| fits && path.is_file() && is_of_a_person(path))
    }
}

fn is_of_a_person(path: &Path) -> bool {
    crate::follow::first_bytes(path)
        .is_ok_and(|first| SessionInfo::of(Format::Codex, &first).kind != SessionKind::Subagent)
}

/// The folder of Codex: `CODEX_HOME`, or `.codex` in the home folder.
pub(crate) fn home() -> Option<PathBuf> {
    let named = std::env::var_os("CODEX_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(directories::BaseDirs::new()?.home_dir().join(".codex")))
}

/// The newest rollout of a thread: `sessions/2026/11/30/rollout-<time>-<thread>….jsonl`. After a rewind there are two.
fn find_rollout(home: &Path, thread: &str) -> Option<PathBuf> {
    let mut left = MAX_LOOKED_AT;
    for year in newest_first(&home.join("sessions"), &mut left) {
        for month in newest_first(&year, &mut left) {
            for day in newest_first(&month, &mut left) {
                let found = newest_first(&day, &mut left).into_iter().find(|path| {
                    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                    name.starts_with("rollout-") && name.ends_with(".jsonl") && name.contains(thread)
                });
                if found.is_some() {
                    return found;
                }
                if left == 0 {
                    return None;
                }
            }
        }
    }
    None
}

fn newest_first(folder: &Path, left: &mut usize) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).take(*left).collect();
    *left = left.saturating_sub(paths.len());
    paths.sort();
    paths.reverse();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rollout(home: &Path, day: &str, name: &str, source: &str) -> PathBuf {
        let folder = home.join("sessions").join(day);
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        let meta = format!(
            "{{\"timestamp\":\"t\",\"type\":\"session_meta\",\"payload\":{{\"id\":\"x\",\"cwd\":\"/w\",\"source\":{source}}}}}\n"
        );
        std::fs::write(&path, meta).unwrap();
        path
    }

    #[test]
    fn only_a_persons_thread_with_a_rollout_counts() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let old = rollout(home, "2026/11/29", "rollout-2026-11-29T10-00-00-aaaa.jsonl", "\"cli\"");
        let rewound = rollout(home, "2026/11/30", "rollout-2026-11-30T10-00-00-bbbb_2.jsonl", "\"cli\"");
        rollout(home, "2026/11/30", "rollout-2026-11-30T09-00-00-bbbb.jsonl", "\"cli\"");
        rollout(home, "2026/11/30", "rollout-2026-11-30T11-00-00-cccc.jsonl", "{\"subagent\":{}}");
        let found = |thread: &str| {
            let event =
                format!("{{\"type\":\"agent-turn-complete\",\"thread-id\":\"{thread}\",\"turn-id\":\"t\"}}");
            NotifyEvent::read(&event).unwrap().rollout(home)
        };
        assert_eq!(found("aaaa"), Some(old));
        assert_eq!(found("bbbb"), Some(rewound));
        // A subagent; the hidden thread that writes titles; no id at all.
        assert_eq!([found("cccc"), found("dddd"), found(""), found("../..")], [None, None, None, None]);
        let other = NotifyEvent::read("{\"type\":\"approval-requested\",\"thread-id\":\"aaaa\"}").unwrap();
        assert_eq!(other.rollout(home), None);
        for garbage in ["", "{", "[]", "{\"type\":7}"] {
            assert!(
                NotifyEvent::read(garbage).is_none_or(|event| event.rollout(home).is_none()),
                "{garbage}"
            );
        }
    }
}
