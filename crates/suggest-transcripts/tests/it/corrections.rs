//! Where products do something else than one would believe, one test each.

use crate::support::{conversation, ends, events, folder, line, lines_of, recording, texts, told};
use pretty_assertions::assert_eq;
use suggest_core::{Author, EndReason, Event, GoalPhase};
use suggest_transcripts::{Fold, Format, ReadOptions, read_file};

#[test]
fn claude_code_has_end_records_only_where_hooks_or_a_terminal_are() {
    // With a hook: the summary of the stop hooks. Without anything: the last message says that it is the last.
    let name = "claude-code/session/headless-continue.jsonl";
    assert_eq!(ends(&told(Format::ClaudeCode, name)), [EndReason::Completed; 2]);
    let without: Vec<u8> = recording(name)
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| !String::from_utf8_lossy(line).contains("stop_hook_summary"))
        .flatten()
        .copied()
        .collect();
    assert_eq!(ends(&events(Format::ClaudeCode, &without)), [EndReason::Completed; 2]);
}

#[test]
fn claude_code_text_before_a_tool_call_repeats_the_stop_reason_and_is_no_end() {
    let bytes = recording("claude-code/session/interactive-main.jsonl");
    let cut = bytes.split_inclusive(|byte| *byte == b'\n').take(36).collect::<Vec<_>>().concat();
    assert_eq!(ends(&events(Format::ClaudeCode, &cut)), [EndReason::Completed], "only the first turn");
}

#[test]
fn claude_code_marks_human_prompts_by_their_source() {
    let told = told(Format::ClaudeCode, "claude-code/session/interactive-main.jsonl");
    assert_eq!(
        texts(&told, Author::Human),
        [
            "hello there [[plain]]",
            "run a command [[tool]]",
            "go slowly [[slow]]",
            "please fail [[error]]",
            "slow one [[slow]]",
            "queued while busy [[plain]]",
            "slow tool [[slowtool]]",
        ]
    );
    assert_eq!(texts(&told, Author::Command)[..2], ["! echo from-bash-mode", "from-bash-mode"]);
}

#[test]
fn claude_code_has_a_prompt_that_is_no_user_line_when_it_was_absorbed_into_the_turn() {
    let told = told(Format::ClaudeCode, "claude-code/session/interactive-steer.jsonl");
    assert_eq!(
        texts(&told, Author::Human),
        ["slow tool [[slowtool]]", "steering while the tool runs [[plain]]"]
    );
    assert_eq!(ends(&told).len(), 1);
}

#[test]
fn claude_code_repeats_messages_in_request_lines_that_mean_nothing() {
    let text = concat!(
        r#"{"type":"user","uuid":"a","promptSource":"typed","turnOrigin":"human","message":{"role":"user","content":"go"}}"#,
        "\n",
        r#"{"message":{"role":"user","content":"go"},"type":"api-request-blob"}"#,
        "\n",
        r#"{"type":"api-request-blob","message":{"role":"user","content":"go"}}"#,
        "\n",
    );
    assert_eq!(texts(&events(Format::ClaudeCode, text.as_bytes()), Author::Human), ["go"]);
}

#[test]
fn claude_code_says_errors_in_the_workers_name() {
    for (format, name) in [
        (Format::ClaudeCode, "claude-code/session/headless-error.jsonl"),
        (Format::ClaudeStream, "claude-code/stream/headless-error.jsonl"),
        (Format::QwenStream, "qwen/stream/error.jsonl"),
    ] {
        let told = told(format, name);
        assert!(texts(&told, Author::Assistant).is_empty(), "{name}");
        assert_eq!(texts(&told, Author::Notice).len(), 1, "{name}");
    }
}

#[test]
fn claude_code_streams_may_have_several_results_and_call_failures_a_success() {
    assert_eq!(
        ends(&told(Format::ClaudeStream, "claude-code/stream/headless-subagent.jsonl")),
        [EndReason::Completed]
    );
    let error = String::from_utf8(recording("claude-code/stream/headless-error.jsonl")).unwrap();
    assert!(error.contains("\"subtype\":\"success\"") && error.contains("\"is_error\":true"));
    assert_eq!(ends(&events(Format::ClaudeStream, error.as_bytes())), [EndReason::Failed]);
    // A slash command has a result, too, and is no turn.
    let slash = told(Format::ClaudeStream, "claude-code/stream/headless-slash-commands.jsonl");
    assert_eq!(ends(&slash).len(), 2);
}

#[test]
fn claude_code_goals_are_attachments_and_their_rounds_are_no_ends() {
    let told = told(Format::ClaudeCode, "claude-code/session/interactive-goal.jsonl");
    assert_eq!(ends(&told), [EndReason::Completed]);
    assert_eq!(texts(&told, Author::Goal).len(), 9);
    let phases: Vec<_> = told
        .iter()
        .filter_map(|event| match event {
            Event::Goal(goal) => Some((goal.phase, goal.armed, goal.objective.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(
        phases,
        [(GoalPhase::Active, false, "ship the parser"), (GoalPhase::Paused, false, "ship the parser")]
    );
    assert!(told.iter().any(|event| matches!(event, Event::GoalCleared { .. })));
    let met = lines_of(Format::ClaudeCode, "claude-code/session/headless-goal-met.jsonl");
    assert!(met.contains(&"goal r2 complete: say hello [[met]]".to_owned()));
}

#[test]
fn claude_code_goes_on_after_the_token_limit_until_it_fails() {
    let told = told(Format::ClaudeCode, "claude-code/session/headless-max-tokens.jsonl");
    assert_eq!(texts(&told, Author::Assistant).len(), 4);
    assert_eq!(ends(&told), [EndReason::Limited]);
}

#[test]
fn claude_code_background_work_starts_a_turn_of_its_own() {
    let lines = lines_of(Format::ClaudeCode, "claude-code/session/interactive-subagent.jsonl");
    assert!(lines.contains(&"turn 2 (other)".to_owned()));
    // Until it does, the session only pauses.
    let bytes = recording("claude-code/session/interactive-subagent.jsonl");
    let mut fold = Fold::new(Format::ClaudeCode, &ReadOptions::default());
    let mut paused = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        fold.line(line, &mut drop).unwrap();
        if String::from_utf8_lossy(line).contains("turn_duration") {
            assert_eq!(fold.last_turn(), fold.last_ended_turn());
            paused.push(fold.is_waiting());
        }
    }
    assert_eq!(paused, [true, false]);
}

#[test]
fn claude_code_tasks_come_one_by_one_and_make_a_plan() {
    let lines = lines_of(Format::ClaudeCode, "claude-code/session/headless-plan-tasks.jsonl");
    let last = lines.iter().rfind(|line| line.starts_with("plan ")).unwrap();
    assert_eq!(
        last,
        "plan Write the parser [completed], Write the tests [inprogress], Update the README [pending]"
    );
}

#[test]
fn claude_code_forks_repeat_lines_and_a_killed_session_goes_on() {
    let fork = told(Format::ClaudeCode, "claude-code/session/headless-resume-and-fork.2.jsonl");
    assert_eq!(ends(&fork), [EndReason::Completed; 3]);
    let mut twice = recording("claude-code/session/headless-plain.jsonl");
    twice.extend(recording("claude-code/session/headless-plain.jsonl"));
    assert_eq!(
        events(Format::ClaudeCode, &twice),
        told(Format::ClaudeCode, "claude-code/session/headless-plain.jsonl")
    );
    let killed = told(Format::ClaudeCode, "claude-code/session/headless-killed-then-continued.jsonl");
    assert_eq!(ends(&killed), [EndReason::Interrupted, EndReason::Completed]);
}

#[test]
fn codex_names_messages_as_items_now() {
    let new = conversation(&told(Format::Codex, "codex/rollout/exec-resume.jsonl"));
    assert_eq!(new.len(), 5);
    let old = conversation(&told(Format::Codex, "codex/rollout/codex-acp-0.16-legacy-format.2.jsonl"));
    assert_eq!(old.len(), 2);
}

#[test]
fn codex_ends_failed_turns_with_the_record_of_a_completed_one() {
    let told = told(Format::Codex, "codex/rollout/codex-acp-0.16-legacy-format.jsonl");
    use EndReason::{Aborted, Completed, Failed};
    assert_eq!(ends(&told), [Completed, Completed, Completed, Aborted, Failed, Failed, Completed, Completed]);
}

#[test]
fn codex_shell_mode_and_compaction_are_no_turns_of_anybody() {
    let told = told(Format::Codex, "codex/rollout/interactive-main.jsonl");
    assert_eq!(ends(&told).len(), 5);
    assert_eq!(texts(&told, Author::Command), ["! echo from-shell-mode\nfrom-shell-mode"]);
}

#[test]
fn codex_takes_a_prompt_sent_while_busy_into_the_turn() {
    let lines = lines_of(Format::Codex, "codex/rollout/interactive-main.jsonl");
    let at = lines.iter().position(|line| line == "human: go slowly again [[slow]]").unwrap();
    assert_eq!(lines[at + 1], "human: sent while busy [[plain]]");
}

#[test]
fn codex_scripts_hide_plans_and_commands() {
    for name in ["exec-code-mode-plan", "exec-plan"] {
        let lines = lines_of(Format::Codex, &format!("codex/rollout/{name}.jsonl"));
        let plans: Vec<_> = lines.iter().filter(|line| line.starts_with("plan ")).collect();
        assert_eq!(plans.len(), 2, "{name}");
    }
    let lines = lines_of(Format::Codex, "codex/rollout/exec-code-mode-tool.jsonl");
    assert!(lines.contains(&"tool exec_command: echo hello-from-tool / hello-from-tool".to_owned()));
}

#[test]
fn codex_goes_on_in_a_second_file_after_a_rewind() {
    let home = tempfile::tempdir().unwrap();
    let day = home.path().join("sessions/2026/11/30");
    std::fs::create_dir_all(&day).unwrap();
    let id = "01a22bd6-2917-7601-9952-fdb2f072a69c";
    std::fs::write(
        day.join(format!("rollout-1-{id}.jsonl")),
        recording("codex/rollout/interactive-main.2.jsonl"),
    )
    .unwrap();
    let path = day.join(format!("rollout-2-{id}_1.jsonl"));
    std::fs::write(&path, recording("codex/rollout/interactive-main.3.rewound.jsonl")).unwrap();
    let mut told = Vec::new();
    read_file(Format::Codex, &path, &ReadOptions::default(), |event| told.push(event)).unwrap();
    let said: Vec<_> = conversation(&told).into_iter().map(|(_, text)| text).collect();
    assert_eq!(said, ["after new [[plain]]", "Mock answer to: after new [[plain]]"]);
}

#[test]
fn opencode_keeps_reverted_messages_until_the_next_prompt_and_quotes_prompts() {
    let mut export: serde_json::Value =
        serde_json::from_slice(&recording("opencode/export/continue.json")).unwrap();
    let second = export["messages"][2]["info"]["id"].clone();
    export["info"]["revert"] = serde_json::json!({ "messageID": second });
    let said = conversation(&events(Format::OpencodeExport, export.to_string().as_bytes()));
    assert_eq!(said.len(), 2);
    assert_eq!(said[0].1, "first prompt [[plain]]", "without the quotation marks of the command line");
}

#[test]
fn acp_agents_fail_with_errors_and_never_with_a_token_limit() {
    use EndReason::{Aborted, Completed, Failed};
    let turns = |name: &str| ends(&told(Format::Acp, &format!("acp/{name}.jsonl")));
    assert_eq!(turns("opencode")[..6], [Completed, Completed, Completed, Aborted, Completed, Failed]);
    assert_eq!(turns("claude-agent-acp")[..6], [Completed, Completed, Completed, Aborted, Failed, Failed]);
    assert_eq!(turns("codex-acp")[..6], [Completed, Completed, Completed, Aborted, Failed, Failed]);
    assert_eq!(turns("gemini")[..6], [Completed, Completed, Completed, Aborted, Completed, Failed]);
    assert_eq!(turns("qwen")[..6], [Completed, Completed, Completed, Aborted, Completed, Failed]);
}

#[test]
fn acp_replays_are_history_without_turns() {
    for name in ["opencode", "claude-agent-acp", "codex-acp", "qwen"] {
        let lines = lines_of(Format::Acp, &format!("acp/{name}.jsonl"));
        let replay = lines.iter().position(|line| line == "--- rewritten").unwrap();
        let next = lines[replay + 1..].iter().position(|line| line == "--- rewritten").unwrap();
        let replayed = &lines[replay + 1..][..next];
        assert!(replayed.contains(&"human: say hello [[plain]]".to_owned()), "{name}");
        assert!(
            replayed.iter().all(|line| !line.starts_with("turn ") && !line.starts_with("end ")),
            "{name}"
        );
    }
}

#[test]
fn acp_notices_in_the_workers_name_are_told_as_notices() {
    let codex = told(Format::Acp, "acp/codex-acp.jsonl");
    assert!(texts(&codex, Author::Assistant).iter().all(|text| !text.starts_with("Model metadata")));
    let claude = told(Format::Acp, "acp/claude-agent-acp.jsonl");
    assert!(texts(&claude, Author::Assistant).iter().all(|text| !text.starts_with("API Error")));
}

#[test]
fn acp_turns_of_the_agents_own_are_nobodys_prompt() {
    let lines = lines_of(Format::Acp, "acp/qwen.jsonl");
    let own = lines.iter().filter(|line| line.starts_with("turn ") && line.ends_with("(other)")).count();
    assert_eq!(own, 2);
    let after = lines.iter().position(|line| line == "human: after all [[ask]]").unwrap();
    assert!(lines[after + 1].starts_with("assistant: I can do that in two ways"), "{}", lines[after + 1]);
}

#[test]
fn acp_reads_bare_messages_as_well_and_version_2() {
    let bare: String = String::from_utf8(recording("acp/opencode.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["msg"].to_string() + "\n")
        .collect();
    assert_eq!(events(Format::Acp, bare.as_bytes()), told(Format::Acp, "acp/opencode.jsonl"));
    let two = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go"}]}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"draft"}}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"done"}]}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        "\n",
    );
    let lines: Vec<_> = events(Format::Acp, two.as_bytes()).iter().map(line).collect();
    assert_eq!(lines, ["turn 1 (human)", "human: go", "assistant: done", "end 1 completed"]);
}

#[test]
fn gemini_replaces_its_whole_list_and_a_rewind_takes_the_named_message_too() {
    let lines = lines_of(Format::Gemini, "gemini/session/interactive-main.jsonl");
    assert_eq!(lines.iter().filter(|line| *line == "--- rewritten").count(), 3);
    let resumed = lines_of(Format::Gemini, "gemini/session/resume.jsonl");
    assert!(!resumed.contains(&"--- rewritten".to_owned()), "a resumption changes nothing");
    assert_eq!(resumed.iter().filter(|line| line.starts_with("tool ")).count(), 1, "told once");
}

#[test]
fn qwen_marks_nothing_so_that_half_an_answer_shows_by_what_it_lacks() {
    let told = told(Format::Qwen, "qwen/session/interactive-main.jsonl");
    use EndReason::{Completed, Failed, Interrupted};
    assert_eq!(ends(&told), [Completed, Completed, Interrupted, Failed, Completed]);
}

#[test]
fn qwen_background_agents_are_no_human() {
    let told = told(Format::Qwen, "qwen/session/sub.jsonl");
    assert_eq!(texts(&told, Author::Human), ["delegate [[sub]]"]);
    assert_eq!(texts(&told, Author::Notice), ["Background agent \"general-purpose: Child work\" completed."]);
}

#[test]
fn the_folders_of_the_recordings_are_there() {
    assert!(folder("README.md").is_file());
}
