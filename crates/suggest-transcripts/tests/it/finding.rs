//! Sessions where the harnesses keep them.

use crate::support::recording;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use suggest_transcripts::{Harness, Places, find_sessions, newest_for};

fn put(home: &Path, path: &str, from: &str, seconds: u64) {
    let path = home.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, recording(from)).unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
}

fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let at = home.path();
    put(at, ".claude/projects/-workspace/a.jsonl", "claude-code/session/interactive-main.jsonl", 600);
    put(
        at,
        ".claude/projects/-workspace/a/subagents/agent-1.jsonl",
        "claude-code/session/headless-subagent.subagents/agent-a2bff6008e509b6ed.jsonl",
        900,
    );
    put(at, ".codex/sessions/2026/11/30/rollout-1-x.jsonl", "codex/rollout/interactive-main.jsonl", 500);
    put(
        at,
        ".codex/sessions/2026/11/30/rollout-2-y.jsonl",
        "codex/rollout/exec-subagent-v1.child.jsonl",
        950,
    );
    put(at, ".gemini/tmp/workspace/chats/session-1.jsonl", "gemini/session/resume.jsonl", 400);
    fs::write(at.join(".gemini/tmp/workspace/.project_root"), "/workspace\n").unwrap();
    put(at, ".qwen/projects/-workspace/chats/q.jsonl", "qwen/session/resume.jsonl", 300);
    put(at, ".dsh/sessions/workspace/s1/session.jsonl", "dsh/persisted/plain-turn.jsonl", 200);
    home
}

#[test]
fn every_harness_is_looked_for_and_the_newest_comes_first() {
    let home = home();
    let found = find_sessions(&Places::of_home(home.path()), 10);
    let seen: Vec<_> =
        found.iter().map(|session| (session.harness, session.project.as_deref(), session.turns)).collect();
    assert_eq!(
        seen[..4],
        [
            (Harness::ClaudeCode, Some("/workspace"), Some(8)),
            (Harness::Codex, Some("/workspace"), Some(5)),
            (Harness::Gemini, Some("/workspace"), Some(2)),
            (Harness::Qwen, Some("/workspace"), Some(2)),
        ]
    );
    assert_eq!((seen.len(), seen[4].0, seen[4].2), (5, Harness::Dsh, Some(1)));
    assert_eq!(found[0].id.as_deref(), Some("7b73207a-29f0-4d4f-a26f-154b5f271042"));
    assert_eq!(find_sessions(&Places::of_home(home.path()), 2).len(), 2);
}

#[test]
fn the_newest_session_of_a_folder_is_found() {
    let home = home();
    let places = Places::of_home(home.path());
    assert_eq!(newest_for(&places, Path::new("/workspace")).unwrap().harness, Harness::ClaudeCode);
    assert_eq!(newest_for(&places, Path::new("/elsewhere")), None);
}

#[test]
fn places_move_with_the_variables_of_the_harnesses() {
    let home = home();
    let nowhere = home.path().join("nowhere");
    let variable = |name: &str| match name {
        "CLAUDE_CONFIG_DIR" | "CODEX_HOME" | "DSH_HOME" => Some(nowhere.clone()),
        "XDG_DATA_HOME" => Some(PathBuf::new()),
        _ => None,
    };
    let found = find_sessions(&Places::of_home(home.path()).with_environment(variable), 10);
    let harnesses: Vec<_> = found.iter().map(|session| session.harness).collect();
    assert_eq!(harnesses, [Harness::Gemini, Harness::Qwen]);
}

#[test]
fn an_empty_home_has_no_sessions_and_broken_files_are_left_out() {
    let home = tempfile::tempdir().unwrap();
    assert!(find_sessions(&Places::of_home(home.path()), 10).is_empty());
    let folder = home.path().join(".claude/projects/-x");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    fs::write(folder.join("broken.jsonl"), "no json\n").unwrap();
    assert!(find_sessions(&Places::of_home(home.path()), 10).is_empty());
}
