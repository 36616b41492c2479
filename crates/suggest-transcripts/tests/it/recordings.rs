//! Every recording: recognised by its content, read without surprises, and told as the snapshots say.

use crate::support::{FOLDERS, check_turns, line, read_with, recordings};
use std::fs;
use suggest_transcripts::{Format, ReadOptions, SessionInfo, detect};

/// What every recording of a folder tells, as one text.
fn all_of(name: &str, format: Format) -> String {
    let mut text = String::new();
    for path in recordings(name) {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = fs::read(&path).unwrap();
        let (events, summary) = read_with(format, &bytes, &ReadOptions::default()).unwrap();
        check_turns(&events, &file);
        let info = SessionInfo::of(format, &bytes[..bytes.len().min(64 * 1024)]);
        text.push_str(&format!(
            "== {file} ({:?}, {})\n",
            info.kind,
            info.workspace.as_deref().unwrap_or("-")
        ));
        for (kind, count) in &summary.skipped {
            text.push_str(&format!("skipped {count} {kind}\n"));
        }
        assert_eq!((summary.problem_count, summary.torn_last_line), (0, false), "{file}");
        for event in &events {
            text.push_str(&line(event));
            text.push('\n');
        }
    }
    text
}

#[test]
fn every_recording_is_recognised_by_its_content_alone() {
    for (name, format) in FOLDERS {
        for path in recordings(name) {
            let bytes = fs::read(&path).unwrap();
            for size in [bytes.len(), 64 * 1024, 8 * 1024] {
                let first = &bytes[..bytes.len().min(size)];
                assert_eq!(detect(first, None), Some(format), "{} with {size} bytes", path.display());
            }
        }
    }
}

macro_rules! snapshots {
    ($($test:ident: $folder:literal, $format:ident;)*) => {
        $(#[test]
        fn $test() {
            insta::assert_snapshot!(all_of($folder, Format::$format));
        })*
    };
}

snapshots! {
    claude_code_sessions_tell: "claude-code/session", ClaudeCode;
    claude_code_streams_tell: "claude-code/stream", ClaudeStream;
    codex_rollouts_tell: "codex/rollout", Codex;
    codex_exec_streams_tell: "codex/exec", CodexExec;
    opencode_exports_tell: "opencode/export", OpencodeExport;
    opencode_runs_tell: "opencode/run", OpencodeRun;
    acp_conversations_tell: "acp", Acp;
    gemini_sessions_tell: "gemini/session", Gemini;
    older_gemini_documents_tell: "gemini/document", GeminiDocument;
    gemini_streams_tell: "gemini/stream", GeminiStream;
    qwen_sessions_tell: "qwen/session", Qwen;
    qwen_streams_tell: "qwen/stream", QwenStream;
}
