//! The settings of Claude Code: a Stop hook and the status line. Hook files of Codex have the same shape.

use super::{Problem, quoted};
use crate::edit::{Editor, JsonProblem, Node};
use serde_json::json;

/// How our commands are known again, whatever the path of the program.
const HOOK_MARK: &str = " hook claude-code";
const STATUS_MARK: &str = " statusline claude-code";

/// How often the status line runs by itself, in seconds: an offer that comes after the turn is seen by this alone.
const REFRESH_SECONDS: u32 = 1;

/// What is to be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) system_message: bool,
    pub(super) status_line: bool,
}

/// The settings with our hook and our status line.
pub(super) fn installed(text: &str, program: &str, wanted: Wanted) -> Result<String, Problem> {
    let message = if wanted.system_message { " --system-message" } else { "" };
    let command = format!("{}{HOOK_MARK}{message}", quoted(program));
    let text = with_hook(text, &command, HOOK_MARK)?;
    if !wanted.status_line {
        return Ok(text);
    }
    let mut editor = editor(&text)?;
    let command = json!(format!("{}{STATUS_MARK}", quoted(program)));
    let status = json!({
        "type": "command",
        "command": command,
        "refreshInterval": REFRESH_SECONDS,
    });
    match editor.at(&["statusLine"]) {
        None => editor.add_member(&[], "statusLine", &status),
        Some(present) if is_ours(present, STATUS_MARK) => {
            if let Some(span) = present.get("command").map(|present| present.span.clone()) {
                editor.replace(span, &command);
            }
        }
        Some(_) => {
            return Err(Problem::new(
                " has a status line of your own, and there is place for one only",
                "repeat with --no-status-line to keep yours; your script can call `suggest statusline claude-code` with the same input",
            ));
        }
    }
    Ok(editor.into_text())
}

/// The settings with a Stop hook that runs this command.
pub(super) fn with_hook(text: &str, command: &str, mark: &str) -> Result<String, Problem> {
    let mut editor = editor(text)?;
    if let Some(place) = find_hook(&editor, mark) {
        // Another path or another option: the same hook, said anew.
        let span = place.command.span.clone();
        if place.command.text() != Some(command) {
            editor.replace(span, &json!(command));
        }
        return Ok(editor.into_text());
    }
    let group = json!({ "hooks": [{ "type": "command", "command": command }] });
    match (editor.at(&["hooks"]), editor.at(&["hooks", "Stop"])) {
        (None, _) => editor.add_member(&[], "hooks", &json!({ "Stop": [group] })),
        (Some(hooks), None) if hooks.members().is_some() => {
            editor.add_member(&["hooks"], "Stop", &json!([group]));
        }
        (Some(_), Some(stop)) if stop.items().is_some() => editor.add_item(&["hooks", "Stop"], &group),
        _ => {
            return Err(Problem::new(
                ": `hooks` has a shape that is not known",
                "correct it first; nothing was changed",
            ));
        }
    }
    Ok(editor.into_text())
}

/// The settings without ours; `None` if nothing of ours is in them.
pub(super) fn uninstalled(text: &str) -> Result<Option<String>, Problem> {
    let without_hook = without_hook(text, HOOK_MARK)?;
    let text = without_hook.as_deref().unwrap_or(text);
    let mut editor = editor(text)?;
    if editor.at(&["statusLine"]).is_some_and(|present| is_ours(present, STATUS_MARK)) {
        editor.remove_member(&[], "statusLine");
        return Ok(Some(editor.into_text()));
    }
    Ok(without_hook)
}

/// The settings without our Stop hook, and without what is empty then; `None` if it is not in them.
pub(super) fn without_hook(text: &str, mark: &str) -> Result<Option<String>, Problem> {
    let mut editor = editor(text)?;
    let mut any = false;
    while let Some(place) = find_hook(&editor, mark) {
        any = true;
        if place.alone {
            let groups = editor.at(&["hooks", "Stop"]).and_then(Node::items).unwrap_or_default().to_vec();
            editor.remove_item(&groups, place.group);
        } else {
            editor.remove_item(&place.hooks, place.index);
        }
    }
    if any && editor.at(&["hooks", "Stop"]).and_then(Node::items).is_some_and(<[Node]>::is_empty) {
        editor.remove_member(&["hooks"], "Stop");
        if editor.at(&["hooks"]).and_then(Node::members).is_some_and(<[_]>::is_empty) {
            editor.remove_member(&[], "hooks");
        }
    }
    Ok(any.then(|| editor.into_text()))
}

/// Where our hook stands.
struct Place {
    group: usize,
    /// Whether it is the only one of its group.
    alone: bool,
    hooks: Vec<Node>,
    index: usize,
    command: Node,
}

fn find_hook(editor: &Editor, mark: &str) -> Option<Place> {
    let groups = editor.at(&["hooks", "Stop"])?.items()?;
    groups.iter().enumerate().find_map(|(group, node)| {
        let hooks = node.get("hooks")?.items()?;
        let index = hooks.iter().position(|hook| is_ours(hook, mark))?;
        let command = hooks.get(index)?.get("command")?.clone();
        Some(Place { group, alone: hooks.len() == 1, hooks: hooks.to_vec(), index, command })
    })
}

fn is_ours(node: &Node, mark: &str) -> bool {
    let command = node.get("command").and_then(Node::text).unwrap_or_default();
    command.split_once(mark).is_some_and(|(program, options)| {
        let name = program.trim_end_matches(['\'', '"']).rsplit(['/', '\\']).next().unwrap_or_default();
        name.starts_with("suggest") && (options.is_empty() || options.starts_with(' '))
    })
}

fn editor(text: &str) -> Result<Editor, Problem> {
    let editor = Editor::new(text).map_err(|problem: JsonProblem| {
        Problem::new(
            format!(":{}: no valid JSON: expected {}", problem.line, problem.expected),
            "correct the file first; nothing was changed",
        )
    })?;
    if editor.root().members().is_none() {
        return Err(Problem::new(": no object of settings", "correct the file first; nothing was changed"));
    }
    Ok(editor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    const PROGRAM: &str = "/usr/bin/suggest";
    const ALL: Wanted = Wanted { system_message: false, status_line: true };

    /// Installs, checks that nothing is lost and that a second time changes nothing, and takes it out again.
    fn there_and_back(before: &str) -> String {
        let after = installed(before, PROGRAM, ALL).unwrap();
        assert_eq!(installed(&after, PROGRAM, ALL).unwrap(), after, "a second time");
        let moved = installed(&after, "/opt/my tools/suggest", ALL).unwrap();
        assert_eq!(moved.matches("hook claude-code").count(), 1, "{moved}");
        assert!(moved.contains("'/opt/my tools/suggest' hook claude-code"), "{moved}");
        assert_eq!(uninstalled(&moved).unwrap().as_deref(), uninstalled(&after).unwrap().as_deref());
        uninstalled(&after).unwrap().unwrap()
    }

    #[test]
    fn settings_of_many_shapes_come_back_as_they_were() {
        for before in [
            "{\n  \"theme\": \"dark\"\n}\n",
            "{\n  // mine\n  \"theme\": \"dark\" // always\n  /* end */\n}\n",
            "{\n\t\"hooks\": {\n\t\t\"PreToolUse\": []\n\t},\n\t\"theme\": \"dark\"\n}",
            "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\"type\": \"command\", \"command\": \"notify-send done\"}\n        ]\n      }\n    ]\n  }\n}\n",
            "{\"theme\":\"dark\"}",
            "{\r\n  \"theme\": \"dark\"\r\n}\r\n",
        ] {
            assert_eq!(there_and_back(before), before);
        }
        // What was empty is an empty object after: the exact bytes come from the copy.
        assert_eq!(there_and_back(""), "{}\n");
        assert_eq!(there_and_back("{}"), "{}");
    }

    #[test]
    fn the_hook_and_the_status_line_are_what_the_product_reads() {
        let after = installed("", PROGRAM, ALL).unwrap();
        let settings: serde_json::Value = serde_json::from_str(&after).unwrap();
        assert_eq!(
            settings,
            json!({
                "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "/usr/bin/suggest hook claude-code" }] }] },
                "statusLine": { "type": "command", "command": "/usr/bin/suggest statusline claude-code", "refreshInterval": 1 },
            })
        );
    }

    #[test]
    fn a_hook_that_a_person_put_beside_others_is_taken_out_of_them() {
        let text = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"a\"}, {\"command\": \"/x/suggest hook claude-code --system-message\"}]}]}}";
        assert_eq!(
            uninstalled(text).unwrap().unwrap(),
            "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"a\"}]}]}}"
        );
    }

    #[test]
    fn what_is_not_ours_is_not_taken_out() {
        for text in [
            "{}",
            "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"other hook claude-code\"}]}]}}",
            "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"suggest hook claude-codes\"}]}]}}",
            "{\"statusLine\": {\"command\": \"mine.sh\"}}",
            "{\"hooks\": {\"Stop\": \"odd\"}}",
        ] {
            assert_eq!(uninstalled(text).unwrap(), None, "{text}");
        }
    }

    #[test]
    fn settings_that_cannot_be_changed_safely_are_refused_with_the_line() {
        for (text, message) in [
            ("{\n  \"a\": 1\n  \"b\": 2\n}", ":3: no valid JSON: expected `,` or `}`"),
            ("[]", ": no object of settings"),
            ("{\"hooks\": []}", ": `hooks` has a shape that is not known"),
            ("{\"hooks\": {\"Stop\": {}}}", ": `hooks` has a shape that is not known"),
            (
                "{\"statusLine\": {\"command\": \"mine.sh\"}}",
                " has a status line of your own, and there is place for one only",
            ),
        ] {
            assert_eq!(installed(text, PROGRAM, ALL).unwrap_err().message, message);
        }
        let kept = Wanted { status_line: false, ..ALL };
        assert!(installed("{\"statusLine\": {\"command\": \"mine.sh\"}}", PROGRAM, kept).is_ok());
    }
}
