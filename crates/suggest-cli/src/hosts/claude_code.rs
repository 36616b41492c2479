//! What Claude Code tells its Stop hook and its status line.

use serde::Deserialize;
use std::path::PathBuf;

/// Why a Stop event starts nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ignored {
    /// Another event, or none at all.
    OtherEvent,
    /// A subagent ended, no turn of the person's session.
    Subagent,
    /// The product forked the session for itself: there is no transcript.
    NoTranscript,
    /// A subagent is still at work; its end starts the next turn.
    GoesOn,
}

/// What the Stop hook reads. Everything else in it is of no interest here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct StopEvent {
    pub(crate) session_id: String,
    pub(crate) transcript_path: PathBuf,
    pub(crate) prompt_id: Option<String>,
    pub(crate) cwd: Option<String>,
    /// A Stop hook has sent the worker on before in this turn, and may do so again.
    pub(crate) stop_hook_active: bool,
    last_assistant_message: Option<String>,
    hook_event_name: String,
    agent_id: Option<String>,
    background_tasks: Vec<BackgroundTask>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct BackgroundTask {
    #[serde(rename = "type")]
    kind: String,
    status: String,
}

impl StopEvent {
    /// Reads what the hook was given.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// The last message of the turn. The session file is written behind it.
    pub(crate) fn answer(&self) -> Option<String> {
        super::answer(self.last_assistant_message.as_deref())
    }

    /// Why it starts nothing. A round of a goal that is not met yet looks like an end here; whether it is one, the
    /// transcript says a moment later.
    pub(crate) fn ignored(&self) -> Option<Ignored> {
        if self.hook_event_name != "Stop" || !super::is_session_id(&self.session_id) {
            Some(Ignored::OtherEvent)
        } else if self.agent_id.is_some() {
            Some(Ignored::Subagent)
        } else if !self.transcript_path.is_file() {
            Some(Ignored::NoTranscript)
        } else if self.background_tasks.iter().any(|task| task.kind == "subagent" && task.status == "running")
        {
            Some(Ignored::GoesOn)
        } else {
            None
        }
    }
}

/// What the status line reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct StatusInput {
    pub(crate) session_id: String,
    pub(crate) prompt_id: Option<String>,
}

impl StatusInput {
    /// Reads what the status line was given.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_end_of_the_persons_own_turn_starts_something() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let stop = json!({
            "session_id": "s-1", "transcript_path": file.path(), "prompt_id": "p", "hook_event_name": "Stop",
            "stop_hook_active": false, "last_assistant_message": "Done.", "background_tasks": [],
        });
        let with = |key: &str, value: serde_json::Value| {
            let mut event = stop.clone();
            event[key] = value;
            StopEvent::read(event.to_string().as_bytes()).unwrap().ignored()
        };
        assert_eq!(with("cwd", json!("/w")), None);
        assert_eq!(with("background_tasks", json!([{ "type": "shell", "status": "running" }])), None);
        for (key, value, why) in [
            ("hook_event_name", json!("SubagentStop"), Ignored::OtherEvent),
            ("hook_event_name", json!("StopFailure"), Ignored::OtherEvent),
            ("hook_event_name", json!("UserPromptSubmit"), Ignored::OtherEvent),
            ("session_id", json!("../../etc"), Ignored::OtherEvent),
            ("agent_id", json!("a1"), Ignored::Subagent),
            ("transcript_path", json!("/no/such/file.jsonl"), Ignored::NoTranscript),
            ("background_tasks", json!([{ "type": "subagent", "status": "running" }]), Ignored::GoesOn),
        ] {
            assert_eq!(with(key, value.clone()), Some(why), "{key}: {value}");
        }
        for garbage in ["", "{", "[]", "null", "7", "{\"session_id\":7}"] {
            assert!(StopEvent::read(garbage.as_bytes()).is_none_or(|event| event.ignored().is_some()));
        }
    }
}
