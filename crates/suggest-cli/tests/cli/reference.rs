//! The reference in `docs/` says what the command does.

use crate::support::{World, root};
use pretty_assertions::assert_eq;
use serde_json::Value;

#[test]
fn the_documented_shapes_of_the_answers_are_the_real_ones() {
    for (name, mut schema) in
        [("next", suggest_cli::report_schema()), ("advise", suggest_cli::advise_schema())]
    {
        // The same text whatever a dependency makes of the order of keys.
        schema.sort_all_objects();
        let file = root().join(format!("docs/schemas/{name}.json"));
        if std::env::var_os("UPDATE_SCHEMAS").is_some() {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, serde_json::to_string_pretty(&schema).unwrap() + "\n").unwrap();
        }
        let pinned: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(pinned, schema, "refresh with UPDATE_SCHEMAS=1 and read the difference");
    }
}

fn document(name: &str) -> String {
    std::fs::read_to_string(root().join("docs").join(name)).unwrap()
}

#[test]
fn every_key_and_its_variable_are_documented_with_the_default() {
    let text = document("configuration.md");
    let shown = World::new().run(&["config", "show", "--json"]).ends_with(0).json();
    for (key, entry) in shown["keys"].as_object().unwrap() {
        let variable = entry["variable"].as_str().unwrap();
        let default = &entry["value"];
        let row = text.lines().find(|line| line.starts_with(&format!("| `{key}` |")));
        let row = row.unwrap_or_else(|| panic!("{key} is not documented"));
        assert!(row.contains(&format!("`{variable}`")), "{row}");
        assert!(row.contains(&format!("| `{default}` |")), "{row} does not name the default {default}");
    }
}

#[test]
fn every_command_and_every_option_is_documented() {
    let text = document("commands.md");
    let help = World::new().run(&["--help"]).stdout;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names =
        commands.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    for command in names.filter(|name| *name != "help") {
        assert!(text.contains(&format!("## `suggest {command}")), "{command} is not documented");
        let help = World::new().run(&[command, "--help"]).stdout;
        for option in help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2) {
            let option = option.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            assert!(text.contains(option), "{option} of {command} is not documented");
        }
    }
}

#[test]
fn the_examples_of_the_reference_run_as_shown() {
    let text = document("commands.md");
    let world = World::new();
    let shown: Vec<&str> =
        text.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!shown.is_empty());
    for block in shown {
        let (command, expected) = block.split_once('\n').unwrap();
        let arguments = command.strip_prefix("$ suggest ").unwrap();
        let arguments = arguments.replace("examples/", &format!("{}/examples/", root().display()));
        let arguments: Vec<&str> = arguments.split(' ').collect();
        assert_eq!(world.run(&arguments).ends_with(0).stdout, expected, "{command}");
    }
}
