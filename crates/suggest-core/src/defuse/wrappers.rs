//! Rule table: the wrappers that hosts put into messages.

/// What happens to a wrapper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Tags and content go: the host wrote it.
    Remove,
    /// Reasoning: tags and content go, and a closing tag without an opening one takes what stands before it.
    Reasoning,
    /// Only the tags go: the person's own words are inside.
    Unwrap,
    /// Tags and content go when the opening tag has attributes; a plain tag is the person's own.
    RemoveWithAttributes,
    /// Tags and content go when the name is written in capitals, as the host writes it.
    RemoveInCapitals,
    /// A marker of a chat template: the tag goes.
    Token,
}

/// Names in lower case, sorted.
const WRAPPERS: &[(&str, Fate)] = &[
    ("additional_data", Fate::Remove),
    ("agent-notification", Fate::Remove),
    ("antml:thinking", Fate::Reasoning),
    ("apps_instructions", Fate::Remove),
    ("attached_files", Fate::Remove),
    ("bash-input", Fate::Remove),
    ("bash-stderr", Fate::Remove),
    ("bash-stdout", Fate::Remove),
    ("bos", Fate::Token),
    ("codex_internal_context", Fate::Remove),
    ("collaboration_mode", Fate::Remove),
    ("command-args", Fate::Remove),
    ("command-contents", Fate::Remove),
    ("command-message", Fate::Remove),
    ("command-name", Fate::Remove),
    ("compacted-summary", Fate::Unwrap),
    ("end_of_turn", Fate::Token),
    ("end_of_utterance", Fate::Token),
    ("environment_context", Fate::Remove),
    ("environment_details", Fate::Remove),
    ("eos", Fate::Token),
    ("git_status", Fate::Remove),
    ("goal_blocked", Fate::Remove),
    ("goal_complete", Fate::Remove),
    ("goal_context", Fate::Remove),
    ("goal_round", Fate::Remove),
    ("hook_context", Fate::Remove),
    ("hook_prompt", Fate::Remove),
    ("ide_diagnostics", Fate::Remove),
    ("ide_opened_file", Fate::Remove),
    ("ide_selection", Fate::Remove),
    ("image-ref", Fate::Remove),
    ("instructions", Fate::RemoveInCapitals),
    ("local-command-caveat", Fate::Remove),
    ("local-command-stderr", Fate::Remove),
    ("local-command-stdout", Fate::Remove),
    ("manually_attached_skills", Fate::Remove),
    ("mcp_instructions", Fate::Remove),
    ("model_switch", Fate::Remove),
    ("new-diagnostics", Fate::Remove),
    ("next", Fate::Remove),
    ("open_and_recently_viewed_files", Fate::Remove),
    ("permission_profile", Fate::Remove),
    ("permissions", Fate::RemoveWithAttributes),
    ("persisted-output", Fate::Remove),
    ("personality_spec", Fate::Remove),
    ("plugins_instructions", Fate::Remove),
    ("post-tool-use-hook", Fate::Remove),
    ("project_instructions", Fate::Remove),
    ("project_layout", Fate::Remove),
    ("reasoning", Fate::Reasoning),
    ("recommended_plugins", Fate::Remove),
    ("session-start-hook", Fate::Remove),
    ("session_context", Fate::Remove),
    ("skill", Fate::Remove),
    ("skill-format", Fate::Remove),
    ("skill-name", Fate::Remove),
    ("skills_instructions", Fate::Remove),
    ("start_of_turn", Fate::Token),
    ("state_snapshot", Fate::Unwrap),
    ("subagent_notification", Fate::Remove),
    ("system-reminder", Fate::Remove),
    ("system_reminder", Fate::Remove),
    ("task", Fate::RemoveWithAttributes),
    ("task-notification", Fate::Remove),
    ("task_result", Fate::Remove),
    ("teammate-message", Fate::Remove),
    ("think", Fate::Reasoning),
    ("thinking", Fate::Reasoning),
    ("thought", Fate::Reasoning),
    ("tools-used-before-summary", Fate::Remove),
    ("total_tokens", Fate::Remove),
    ("turn_aborted", Fate::Remove),
    ("untrusted_context", Fate::Remove),
    ("user-memory-input", Fate::Remove),
    ("user-prompt-submit-hook", Fate::Remove),
    ("user_info", Fate::Remove),
    ("user_instructions", Fate::Remove),
    ("user_query", Fate::Unwrap),
    ("user_rules", Fate::Remove),
    ("user_shell_command", Fate::Remove),
];

/// Longest name in the table, in bytes.
pub(super) const LONGEST_NAME: usize = 40;

/// The number of a wrapper and its fate.
pub(super) fn wrapper(name: &str) -> Option<(usize, Fate)> {
    let place = WRAPPERS.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    WRAPPERS.get(place).map(|(_, fate)| (place, *fate))
}

/// Number of wrappers.
pub(super) const COUNT: usize = WRAPPERS.len();

/// Markers of chat templates that are no tags.
pub(super) const TEMPLATE_MARKS: &[&str] =
    &["[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"];

/// Lines that hosts write in place of a person's words.
pub(super) const HOST_LINES: &[&str] =
    &["[Request interrupted by user]", "[Request interrupted by user for tool use]"];

/// How the heading above an instruction file's block starts.
pub(super) const INSTRUCTION_HEADING: &str = "# AGENTS.md instructions";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_its_names_fit() {
        assert!(WRAPPERS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(WRAPPERS.iter().all(|(name, _)| name.len() <= LONGEST_NAME && *name == name.to_lowercase()));
    }
}
