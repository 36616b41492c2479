//! What every importer must get right, one test each.

use crate::support::{conversation, ends, events, line, lines_of, read_with, recording, texts, told};
use pretty_assertions::assert_eq;
use suggest_core::{Author, EndReason, Event, SessionKind};
use suggest_transcripts::{Format, OwnPrompts, ReadOptions, SessionInfo};

#[test]
fn tool_results_in_the_users_role_are_no_human() {
    for (format, name, prompt) in [
        (Format::ClaudeCode, "claude-code/session/headless-tool.jsonl", "run a command [[tool]]"),
        (Format::Gemini, "gemini/session/tool.jsonl", "run [[tool]]"),
        (Format::OpencodeExport, "opencode/export/tool.json", "run [[tool]]"),
        (Format::Qwen, "qwen/session/tool.jsonl", "run [[tool]]"),
        (Format::Codex, "codex/rollout/exec-tool.jsonl", "run a command [[tool]]"),
    ] {
        assert_eq!(texts(&told(format, name), Author::Human), [prompt], "{name}");
    }
    let stream = told(Format::ClaudeStream, "claude-code/stream/headless-tool.jsonl");
    assert!(texts(&stream, Author::Human).is_empty());
    assert!(stream.iter().any(|event| matches!(event, Event::Tool(tool) if tool.ok == Some(true))));
}

#[test]
fn subagents_never_speak_in_their_parents_session_and_their_own_has_no_human() {
    let parent = told(Format::ClaudeStream, "claude-code/stream/headless-subagent.jsonl");
    assert!(texts(&parent, Author::Assistant).iter().all(|text| !text.contains("Child task")));
    for (format, name) in [
        (Format::ClaudeCode, "claude-code/session/headless-subagent.subagents/agent-a2bff6008e509b6ed.jsonl"),
        (Format::Codex, "codex/rollout/exec-subagent-v1.child.jsonl"),
        (Format::Codex, "codex/rollout/codex-acp-0.16-legacy-format.child.jsonl"),
        (Format::OpencodeExport, "opencode/export/sub.child.json"),
        (Format::Gemini, "gemini/session/sub.child.jsonl"),
        (Format::Qwen, "qwen/session/sub.subagents/agent-general-purpose-call_27_0.jsonl"),
    ] {
        let bytes = recording(name);
        assert_eq!(SessionInfo::of(format, &bytes).kind, SessionKind::Subagent, "{name}");
        assert!(texts(&events(format, &bytes), Author::Human).is_empty(), "{name}");
    }
}

#[test]
fn a_sidechain_inside_the_main_file_is_left_out() {
    let text = concat!(
        r#"{"type":"user","uuid":"a","parentUuid":null,"isSidechain":false,"message":{"role":"user","content":"main"}}"#,
        "\n",
        r#"{"type":"user","uuid":"b","parentUuid":null,"isSidechain":true,"message":{"role":"user","content":"child"}}"#,
        "\n",
        r#"{"type":"assistant","uuid":"c","parentUuid":"b","isSidechain":true,"message":{"role":"assistant","content":[{"type":"text","text":"child answer"}],"stop_reason":"end_turn"}}"#,
        "\n",
        r#"{"type":"assistant","uuid":"d","parentUuid":"a","message":{"role":"assistant","content":[{"type":"text","text":"answer"}],"stop_reason":"end_turn"}}"#,
        "\n",
    );
    let said = conversation(&events(Format::ClaudeCode, text.as_bytes()));
    assert_eq!(said, [(Author::Human, "main".to_owned()), (Author::Assistant, "answer".to_owned())]);
}

#[test]
fn doubles_of_codex_collapse_in_both_forms() {
    for name in ["exec-tool", "interactive-hooks-and-interrupt", "codex-acp-0.16-legacy-format"] {
        let told = told(Format::Codex, &format!("codex/rollout/{name}.jsonl"));
        let mut said = texts(&told, Author::Human);
        said.extend(texts(&told, Author::Assistant));
        let all = said.len();
        said.sort();
        said.dedup();
        assert_eq!(said.len(), all, "{name}");
    }
    let tools = lines_of(Format::Codex, "codex/rollout/exec-tool.jsonl");
    assert_eq!(tools.iter().filter(|line| line.starts_with("tool ")).count(), 1);
}

#[test]
fn rewound_branches_disappear() {
    let claude = conversation(&told(Format::ClaudeCode, "claude-code/session/interactive-rewind.jsonl"));
    let words: Vec<_> = claude.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        words,
        [
            "first prompt [[plain]]",
            "Mock answer to: first prompt [[plain]]",
            "replacement for the second prompt [[plain]]",
            "Mock answer to: replacement for the second prompt [[plain]]",
        ]
    );
    let gemini = conversation(&told(Format::Gemini, "gemini/session/interactive-main.jsonl"));
    assert!(gemini.iter().all(|(_, text)| !text.contains("after all")));
    assert!(gemini.iter().any(|(_, text)| text.contains("replacement after the rewind")));
}

#[test]
fn a_compaction_leaves_its_summary_as_a_chapter_and_what_stays_in_force() {
    let claude = told(Format::ClaudeCode, "claude-code/session/interactive-compact.jsonl");
    assert_eq!(
        conversation(&claude),
        [(Author::Assistant, "I can do that in two ways. Should I use SQLite or a plain file?".to_owned())]
    );
    let chapters = |events: &[Event]| {
        let found: Vec<_> =
            events.iter().filter(|event| matches!(event, Event::Chapter(_))).map(line).collect();
        found
    };
    assert_eq!(
        chapters(&claude),
        ["chapter 1: Greetings were exchanged and a command was run. Nothing is left open."]
    );
    let codex = told(Format::Codex, "codex/rollout/interactive-main.jsonl");
    assert_eq!(chapters(&codex).len(), 1);
    // Codex keeps the person's own words and drops the answers.
    assert!(conversation(&codex).iter().all(|(author, _)| *author == Author::Human));
    assert_eq!(conversation(&codex).len(), 6);
    assert_eq!(chapters(&told(Format::OpencodeExport, "opencode/export/serve.json")).len(), 1);
}

#[test]
fn a_clear_starts_anew() {
    let stream = told(Format::ClaudeStream, "claude-code/stream/stream-input.both-directions.jsonl");
    assert_eq!(conversation(&stream).len(), 2);
    assert_eq!(conversation(&stream)[0].1, "after clear [[plain]]");
    let file = told(Format::ClaudeCode, "claude-code/session/interactive-main.2.jsonl");
    assert_eq!(texts(&file, Author::Human), ["after the clear [[plain]]"]);
}

#[test]
fn a_turn_ends_only_with_the_record_that_the_harness_calls_the_end() {
    // An interim answer of a stream looks like an end; only the result is one.
    let stream = recording("claude-code/stream/headless-tool.jsonl");
    let cut = stream.split_inclusive(|byte| *byte == b'\n').take(7).collect::<Vec<_>>().concat();
    assert!(ends(&events(Format::ClaudeStream, &cut)).is_empty());
    assert_eq!(ends(&events(Format::ClaudeStream, &stream)), [EndReason::Completed]);
    for (format, name, lines) in [
        (Format::Codex, "codex/rollout/exec-tool.jsonl", 20),
        (Format::CodexExec, "codex/exec/exec-tool.jsonl", 8),
        (Format::OpencodeRun, "opencode/run/tool.jsonl", 6),
        (Format::GeminiStream, "gemini/stream/tool.jsonl", 18),
    ] {
        let bytes = recording(name);
        let cut = bytes.split_inclusive(|byte| *byte == b'\n').take(lines).collect::<Vec<_>>().concat();
        assert!(ends(&events(format, &cut)).is_empty(), "{name}");
        assert_eq!(ends(&events(format, &bytes)), [EndReason::Completed], "{name}");
    }
}

#[test]
fn a_turn_that_was_stopped_or_failed_has_not_completed() {
    for (format, name, reason) in [
        (Format::ClaudeCode, "claude-code/session/headless-sigint.jsonl", EndReason::Aborted),
        (Format::ClaudeCode, "claude-code/session/headless-error.jsonl", EndReason::Failed),
        (Format::ClaudeCode, "claude-code/session/headless-refusal.jsonl", EndReason::Failed),
        (Format::ClaudeCode, "claude-code/session/headless-max-tokens.jsonl", EndReason::Limited),
        (Format::ClaudeStream, "claude-code/stream/headless-sigint.jsonl", EndReason::Aborted),
        (Format::ClaudeStream, "claude-code/stream/headless-error.jsonl", EndReason::Failed),
        (Format::ClaudeStream, "claude-code/stream/headless-max-tokens.jsonl", EndReason::Limited),
        (Format::Codex, "codex/rollout/exec-sigint.jsonl", EndReason::Aborted),
        (Format::Codex, "codex/rollout/exec-error.jsonl", EndReason::Failed),
        (Format::Codex, "codex/rollout/exec-max-tokens.jsonl", EndReason::Limited),
        (Format::CodexExec, "codex/exec/exec-error.jsonl", EndReason::Failed),
        (Format::CodexExec, "codex/exec/exec-max-tokens.jsonl", EndReason::Limited),
        (Format::OpencodeExport, "opencode/export/error.json", EndReason::Failed),
        (Format::OpencodeExport, "opencode/export/maxtok.json", EndReason::Limited),
        (Format::OpencodeRun, "opencode/run/error.jsonl", EndReason::Failed),
        (Format::OpencodeRun, "opencode/run/maxtok.jsonl", EndReason::Limited),
        (Format::Gemini, "gemini/session/error.jsonl", EndReason::Failed),
        (Format::GeminiDocument, "gemini/document/error.json", EndReason::Failed),
        (Format::GeminiDocument, "gemini/document/cancelled.json", EndReason::Aborted),
        (Format::GeminiStream, "gemini/stream/error.jsonl", EndReason::Failed),
        (Format::Qwen, "qwen/session/error.jsonl", EndReason::Failed),
        (Format::QwenStream, "qwen/stream/error.jsonl", EndReason::Failed),
    ] {
        assert_eq!(ends(&told(format, name)), [reason], "{name}");
    }
}

#[test]
fn an_open_tool_call_is_not_an_end() {
    let bytes = recording("claude-code/session/interactive-main.jsonl");
    let until_call = bytes.split_inclusive(|byte| *byte == b'\n').take(37).collect::<Vec<_>>().concat();
    assert_eq!(ends(&events(Format::ClaudeCode, &until_call)), [EndReason::Completed]);
    let gemini = recording("gemini/session/tool.jsonl");
    // Until the message with the tool call is written again it looks like an answer.
    let until_call = gemini.split_inclusive(|byte| *byte == b'\n').take(7).collect::<Vec<_>>().concat();
    assert!(ends(&events(Format::Gemini, &until_call)).is_empty());
    assert!(ends(&told(Format::GeminiDocument, "gemini/document/pending.json")).is_empty());
}

#[test]
fn a_pending_question_is_told_and_is_not_an_end() {
    let text = concat!(
        r#"{"type":"user","uuid":"a","promptSource":"typed","turnOrigin":"human","message":{"role":"user","content":"go"}}"#,
        "\n",
        r#"{"type":"assistant","uuid":"b","parentUuid":"a","message":{"content":[{"type":"tool_use","id":"t","name":"AskUserQuestion","input":{}}],"stop_reason":"tool_use"}}"#,
        "\n",
    );
    let told = events(Format::ClaudeCode, text.as_bytes());
    assert_eq!(told.last(), Some(&Event::Asking { open: true }));
    assert!(ends(&told).is_empty());
    let acp = lines_of(Format::Acp, "acp/qwen.jsonl");
    let asking: Vec<_> = acp.iter().filter(|line| line.starts_with("asking")).collect();
    assert_eq!(asking, ["asking true", "asking false"]);
}

#[test]
fn unknown_records_are_skipped_and_counted() {
    let mut bytes = recording("claude-code/session/headless-plain.jsonl");
    bytes.extend(b"{\"type\":\"from-the-future\",\"uuid\":\"x\"}\n{\"type\":\"system\",\"subtype\":\"new\",\"uuid\":\"y\"}\n");
    let (after, summary) = read_with(Format::ClaudeCode, &bytes, &ReadOptions::default()).unwrap();
    let skipped: Vec<_> = summary.skipped.into_iter().collect();
    assert_eq!(skipped, [("from-the-future".to_owned(), 1), ("system/new".to_owned(), 1)]);
    assert_eq!(after, told(Format::ClaudeCode, "claude-code/session/headless-plain.jsonl"));
    let mut bytes = recording("codex/rollout/exec-plain.jsonl");
    bytes.extend(b"{\"type\":\"event_msg\",\"payload\":{\"type\":\"later\"}}\n");
    let (_, summary) = read_with(Format::Codex, &bytes, &ReadOptions::default()).unwrap();
    assert_eq!(summary.skipped.get("event_msg/later"), Some(&1));
}

#[test]
fn a_torn_last_line_is_left_out_told_and_read_again_when_it_is_whole() {
    for (format, name) in [
        (Format::ClaudeCode, "claude-code/session/interactive-main.jsonl"),
        (Format::Codex, "codex/rollout/interactive-main.jsonl"),
        (Format::Qwen, "qwen/session/resume.jsonl"),
        (Format::Acp, "acp/opencode.jsonl"),
    ] {
        let bytes = recording(name);
        let (_, summary) = read_with(format, &bytes[..bytes.len() - 9], &ReadOptions::default()).unwrap();
        assert_eq!((summary.torn_last_line, summary.problem_count), (true, 0), "{name}");
        let (whole, summary) = read_with(format, &bytes[..bytes.len() - 1], &ReadOptions::default()).unwrap();
        assert!(!summary.torn_last_line, "{name}");
        assert_eq!(whole, events(format, &bytes), "{name}");
    }
}

#[test]
fn injected_context_is_no_human_and_no_conversation() {
    for (format, name, mark) in [
        (Format::Codex, "codex/rollout/exec-subagent-v1.jsonl", "<environment_context>"),
        (Format::Codex, "codex/rollout/codex-acp-0.16-legacy-format.jsonl", "<turn_aborted>"),
        (Format::ClaudeCode, "claude-code/session/interactive-main.jsonl", "<system-reminder>"),
        (Format::ClaudeCode, "claude-code/session/interactive-main.jsonl", "[Request interrupted"),
        (Format::ClaudeCode, "claude-code/session/interactive-subagent.jsonl", "<task-notification>"),
        (Format::Gemini, "gemini/session/acp.2.jsonl", "<session_context>"),
    ] {
        assert!(String::from_utf8_lossy(&recording(name)).contains(mark), "{name} has {mark}");
        let human = texts(&told(format, name), Author::Human);
        assert!(!human.is_empty() && human.iter().all(|text| !text.contains(mark)), "{name}: {mark}");
    }
}

#[test]
fn thinking_never_leaves() {
    for (format, name, thought) in [
        (Format::ClaudeCode, "claude-code/session/headless-thinking.jsonl", "The user greets me"),
        (Format::ClaudeStream, "claude-code/stream/headless-thinking.jsonl", "The user greets me"),
        (Format::OpencodeExport, "opencode/export/think.json", "The user greets me"),
        (Format::Qwen, "qwen/session/think.jsonl", "The user greets me"),
        (Format::GeminiDocument, "gemini/document/plain.json", "The person greets me"),
    ] {
        assert!(String::from_utf8_lossy(&recording(name)).contains(thought), "{name} has a thought");
        assert!(!format!("{:?}", told(format, name)).contains(thought), "{name}");
    }
}

#[test]
fn a_stream_without_the_prompt_takes_it_from_the_caller() {
    let options = ReadOptions::default().with_prompt(Some("Run the tests.".to_owned()));
    for (format, name) in [
        (Format::CodexExec, "codex/exec/exec-resume.jsonl"),
        (Format::OpencodeRun, "opencode/run/plain.jsonl"),
        (Format::ClaudeStream, "claude-code/stream/headless-continue.jsonl"),
    ] {
        let (told, _) = read_with(format, &recording(name), &options).unwrap();
        assert_eq!(texts(&told, Author::Human), ["Run the tests."], "{name}");
        assert_eq!(line(&told[0]), "turn 1 (human)");
        let without = events(format, &recording(name));
        assert!(texts(&without, Author::Human).is_empty());
        assert_eq!(line(&without[0]), "turn 1 (?)");
    }
}

#[test]
fn a_message_in_pieces_equals_the_message_in_one_record() {
    let pieces = told(Format::GeminiStream, "gemini/stream/tool.jsonl");
    let whole = told(Format::Gemini, "gemini/session/tool.jsonl");
    assert_eq!(conversation(&pieces), conversation(&whole));
    let pieces = told(Format::ClaudeStream, "claude-code/stream/headless-partial-messages.jsonl");
    let whole = told(Format::ClaudeStream, "claude-code/stream/headless-tool.jsonl");
    assert_eq!(conversation(&pieces), conversation(&whole));
}

#[test]
fn our_own_rounds_are_known_by_the_ledger_where_the_log_cannot_carry_them() {
    let mut own = OwnPrompts::default();
    own.insert("run a command [[tool]]");
    let options = ReadOptions::default().with_own_prompts(own);
    for (format, name) in [
        (Format::ClaudeCode, "claude-code/session/interactive-main.jsonl"),
        (Format::Codex, "codex/rollout/interactive-main.jsonl"),
        (Format::Acp, "acp/opencode.jsonl"),
        (Format::Gemini, "gemini/session/interactive-main.jsonl"),
        (Format::Qwen, "qwen/session/interactive-main.jsonl"),
    ] {
        let (told, _) = read_with(format, &recording(name), &options).unwrap();
        let ours = texts(&told, Author::Suggest);
        assert!(!ours.is_empty() && ours.iter().all(|text| text == "run a command [[tool]]"), "{name}");
        assert!(texts(&told, Author::Human).iter().all(|text| text != "run a command [[tool]]"), "{name}");
        assert!(told.iter().any(|event| line(event).ends_with("(suggest)")), "{name}");
    }
}

#[test]
fn the_documentation_names_a_test_for_every_line() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let text = std::fs::read_to_string(format!("{root}/docs/transcripts.md")).unwrap();
    let (_, table) = text.split_once("| What | Test |\n|---|---|\n").unwrap();
    let mut tests = String::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        tests.push_str(&std::fs::read_to_string(entry.unwrap().path()).unwrap_or_default());
    }
    let rows: Vec<&str> = table.lines().take_while(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 16);
    for row in rows {
        let names: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "{row}");
        for name in names {
            assert!(tests.contains(&format!("#[test]\nfn {name}()")), "{name} is no test");
        }
    }
}
