//! `install` and `uninstall` on settings files as people have them.

use crate::support::{Run, World, root};
use insta::assert_snapshot;
use serde_json::{Value, json};

const CLAUDE: &str = ".claude/settings.json";

/// A whole terminal in which the path of the program is the same everywhere.
fn shown(run: &Run) -> String {
    let program = env!("CARGO_BIN_EXE_suggest").replace(&root().display().to_string(), "[repository]");
    run.to_string().replace(&program, "/usr/bin/suggest")
}

fn read(world: &World, name: &str) -> Option<String> {
    std::fs::read_to_string(world.path(name)).ok()
}

fn names(world: &World, folder: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(world.path(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn settings_of_every_shape_come_back_to_the_last_byte() {
    for before in [
        "",
        "\n",
        "{}",
        "{ }\n",
        "{\"hooks\": {}}",
        "{\n  \"hooks\": {\n    \"Stop\": []\n  },\n}\n",
        "{\n  // my own\n  \"theme\": \"dark\", // always\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"bell\" }] } // ring\n    ]\n  }\n}\n",
        "\u{feff}{\r\n\t\"a\": [1, 2,],\r\n}\r\n",
    ] {
        let world = World::new();
        world.write(CLAUDE, before);
        world.run(&["install", "claude-code", "--yes"]).ends_with(0);
        let after = read(&world, CLAUDE).unwrap();
        assert!(after.contains(" hook claude-code") && after.contains(" statusline claude-code"), "{after}");
        assert_eq!(read(&world, ".claude/settings.json.suggest-backup").unwrap(), before);
        for comment in ["// my own", "// always", "// ring"] {
            assert_eq!(after.contains(comment), before.contains(comment), "{after}");
        }
        let again = world.run(&["install", "claude-code", "--yes"]).ends_with(0);
        assert!(again.stderr.contains("has it already"), "{again}");
        assert_eq!(read(&world, CLAUDE).unwrap(), after);
        world.run(&["uninstall", "claude-code", "--yes"]).ends_with(0);
        assert_eq!(read(&world, CLAUDE).unwrap(), before);
        assert_eq!(names(&world, ".claude"), ["settings.json"], "nothing is left behind");
    }
}

#[test]
fn a_file_that_was_not_there_is_made_and_goes_again() {
    let world = World::new();
    assert_snapshot!("install", shown(&world.run(&["install", "claude-code", "--yes"]).ends_with(0)));
    let settings: Value = serde_json::from_str(&read(&world, CLAUDE).unwrap()).unwrap();
    assert_eq!(settings["statusLine"]["refreshInterval"], json!(1));
    assert_snapshot!("uninstall", shown(&world.run(&["uninstall", "claude-code", "--yes"]).ends_with(0)));
    assert_eq!(names(&world, ".claude"), Vec::<String>::new());
    let nothing = world.run(&["uninstall", "claude-code", "--yes"]).ends_with(0);
    assert!(nothing.stderr.contains("nothing of suggest is in"), "{nothing}");
}

#[test]
fn what_a_person_changed_since_stays() {
    let world = World::new();
    world.write(CLAUDE, "{\n  \"theme\": \"dark\"\n}\n");
    world.run(&["install", "claude-code", "--yes"]).ends_with(0);
    let changed = read(&world, CLAUDE).unwrap().replace("\"dark\"", "\"light\" /* day */");
    world.write(CLAUDE, &changed);
    world.run(&["uninstall", "claude-code", "--yes"]).ends_with(0);
    assert_eq!(read(&world, CLAUDE).unwrap(), "{\n  \"theme\": \"light\" /* day */\n}\n");
}

#[test]
fn without_a_yes_nothing_changes() {
    let world = World::new();
    world.write(CLAUDE, "{\n  \"theme\": \"dark\"\n}\n");
    let files = world.files();
    let asked = world.run(&["install", "claude-code"]).ends_with(2);
    assert_snapshot!("install-asks", shown(&asked));
    let dry = world.run(&["install", "claude-code", "--dry-run"]).ends_with(0);
    assert!(dry.stdout.contains("+") && dry.stderr.contains("nothing was changed"), "{dry}");
    assert_eq!(world.files(), files);
}

#[test]
fn files_that_cannot_be_changed_safely_are_left_alone_with_the_reason() {
    for (before, part) in [
        ("{\n  \"a\": 1\n  \"b\": 2\n}\n", "settings.json:3: no valid JSON"),
        ("[]", "no object of settings"),
        ("{\"hooks\": {\"Stop\": 1}}", "`hooks` has a shape that is not known"),
        ("{\"statusLine\": {\"type\": \"command\", \"command\": \"mine.sh\"}}", "status line of your own"),
    ] {
        let world = World::new();
        world.write(CLAUDE, before);
        let files = world.files();
        let run = world.run(&["install", "claude-code", "--yes"]).ends_with(1);
        assert!(run.stderr.contains(part) && run.stderr.contains("help: "), "{run}");
        assert_eq!(world.files(), files);
    }
    let world = World::new();
    world.write(CLAUDE, "{\"statusLine\": {\"type\": \"command\", \"command\": \"mine.sh\"}}");
    world.run(&["install", "claude-code", "--yes", "--no-status-line"]).ends_with(0);
    assert!(read(&world, CLAUDE).unwrap().contains("mine.sh"));
    let folder = World::new();
    folder.write(".claude/settings.json/x", "");
    folder.run(&["install", "claude-code", "--yes"]).ends_with(1);
}

#[cfg(unix)]
#[test]
fn a_read_only_file_stays_and_a_symbolic_link_stays_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    world.write(CLAUDE, "{}\n");
    let path = world.path(CLAUDE);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    let run = world.run(&["install", "claude-code", "--yes"]).ends_with(1);
    assert!(run.stderr.contains("is read-only"), "{run}");
    assert_eq!(read(&world, CLAUDE).unwrap(), "{}\n");

    let world = World::new();
    let real = world.write("dotfiles/claude.json", "{\n  \"a\": 1\n}\n");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::create_dir_all(world.path(".claude")).unwrap();
    std::os::unix::fs::symlink(&real, world.path(CLAUDE)).unwrap();
    world.run(&["install", "claude-code", "--yes"]).ends_with(0);
    assert!(std::fs::symlink_metadata(world.path(CLAUDE)).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("hook claude-code"));
    let mode = std::fs::metadata(&real).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o640, "who may read it stays");
    world.run(&["uninstall", "claude-code", "--yes"]).ends_with(0);
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "{\n  \"a\": 1\n}\n");
    assert!(std::fs::symlink_metadata(world.path(CLAUDE)).unwrap().is_symlink());
}

#[test]
fn codex_keeps_its_settings_and_the_program_that_was_set_before() {
    for before in [
        "model = \"gpt-5.5\"   # mine\n\n[analytics]\nenabled = false\n",
        "notify = [\n  \"bell\",  # ring\n  \"--loud\",\n]\n",
        "",
    ] {
        let world = World::new();
        world.write(".codex/config.toml", before);
        let run = world.run(&["install", "codex", "--yes"]).ends_with(0);
        let after = read(&world, ".codex/config.toml").unwrap();
        assert!(after.contains("\"hook\", \"codex\""), "{run}");
        assert_eq!(after.contains("--then=bell"), before.contains("bell"), "{after}");
        world.run(&["uninstall", "codex", "--yes"]).ends_with(0);
        assert_eq!(read(&world, ".codex/config.toml").unwrap(), before);
    }
    let world = World::new();
    world.write(".codex/config.toml", "a = 1\nb =\n");
    let run = world.run(&["install", "codex", "--yes"]).ends_with(1);
    assert!(run.stderr.contains("config.toml:2: no valid TOML"), "{run}");
}

#[test]
fn settings_of_codex_of_every_shape_come_back_to_the_last_byte() {
    for before in [
        "\n",
        "# only a comment\n",
        "model = \"m\"\r\n\r\n[features]\r\nx = true # on\r\n",
        "model\t=\t\"m\"\n\n[projects.\"/a b\"]\n\ttrust_level = \"trusted\"\n",
        "notify = ['bell']\r\nmodel = \"m\" # mine\r\n",
        "\u{feff}model = \"m\"\n",
        "model = \"m\"",
    ] {
        let world = World::new();
        world.write(".codex/config.toml", before);
        world.run(&["install", "codex", "--yes"]).ends_with(0);
        let after = read(&world, ".codex/config.toml").unwrap();
        assert!(after.contains("\"hook\", \"codex\""), "{after}");
        assert_eq!(read(&world, ".codex/config.toml.suggest-backup").unwrap(), before);
        let again = world.run(&["install", "codex", "--yes"]).ends_with(0);
        assert!(again.stderr.contains("has it already"), "{again}");
        world.run(&["uninstall", "codex", "--yes"]).ends_with(0);
        assert_eq!(read(&world, ".codex/config.toml").unwrap(), before, "{after}");
        assert_eq!(names(&world, ".codex"), ["config.toml"], "nothing is left behind");
    }
    // Without the copy of before it is still taken out, and every other line stays as it was.
    let world = World::new();
    let before = "model = \"m\"\r\n\r\n[features]\r\n\tx = true # on\r\n";
    world.write(".codex/config.toml", before);
    world.run(&["install", "codex", "--yes"]).ends_with(0);
    std::fs::remove_file(world.path(".codex/config.toml.suggest-backup")).unwrap();
    world.run(&["uninstall", "codex", "--yes"]).ends_with(0);
    assert_eq!(read(&world, ".codex/config.toml").unwrap(), before);
}

#[test]
fn hooks_of_codex_of_every_shape_come_back_to_the_last_byte() {
    for before in [
        "",
        "{}",
        "{\r\n\t\"hooks\": {\r\n\t\t\"Stop\": []\r\n\t}\r\n}\r\n",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"bell\" }] }\n    ]\n  }\n}\n",
    ] {
        let world = World::new();
        world.write(".codex/hooks.json", before);
        world.run(&["install", "codex", "--system-message", "--yes"]).ends_with(0);
        let after = read(&world, ".codex/hooks.json").unwrap();
        assert!(after.contains("hook codex --system-message"), "{after}");
        assert_eq!(after.contains("bell"), before.contains("bell"), "{after}");
        let run = world.run(&["uninstall", "codex", "--yes"]).ends_with(0);
        assert!(!run.stderr.contains("nothing of suggest"), "{run}");
        assert_eq!(read(&world, ".codex/hooks.json").unwrap(), before);
        assert_eq!(names(&world, ".codex"), ["hooks.json"]);
    }
    let world = World::new();
    world.write(".codex/hooks.json", "{\n  \"hooks\": [\n}\n");
    let files = world.files();
    let run = world.run(&["install", "codex", "--system-message", "--yes"]).ends_with(1);
    assert!(run.stderr.contains("no valid JSON") && run.stderr.contains("help: "), "{run}");
    assert_eq!(world.files(), files);
}

#[test]
fn both_ways_of_codex_are_taken_out_together() {
    let world = World::new();
    let first = world.run(&["install", "codex", "--yes"]).ends_with(0);
    assert!(!first.stderr.contains("both would ask"), "{first}");
    let second = world.run(&["install", "codex", "--system-message", "--yes"]).ends_with(0);
    assert!(second.stderr.contains("config.toml starts suggest after each turn already"), "{second}");
    let again = world.run(&["install", "codex", "--dry-run"]).ends_with(0);
    assert!(again.stderr.contains("hooks.json starts suggest after each turn already"), "{again}");
    world.run(&["uninstall", "codex", "--yes"]).ends_with(0);
    assert_eq!(names(&world, ".codex"), Vec::<String>::new());
    let nothing = world.run(&["uninstall", "codex", "--yes"]).ends_with(0);
    assert_eq!(nothing.stderr.matches("nothing of suggest is in").count(), 1, "{nothing}");
}

#[cfg(unix)]
#[test]
fn read_only_settings_of_codex_stay_and_a_symbolic_link_stays_one() {
    use std::os::unix::fs::PermissionsExt as _;
    const CODEX: &str = ".codex/config.toml";
    let world = World::new();
    world.write(CODEX, "model = \"m\"\n");
    std::fs::set_permissions(world.path(CODEX), std::fs::Permissions::from_mode(0o444)).unwrap();
    let run = world.run(&["install", "codex", "--yes"]).ends_with(1);
    assert!(run.stderr.contains("is read-only"), "{run}");
    assert_eq!(read(&world, CODEX).unwrap(), "model = \"m\"\n");

    let world = World::new();
    let real = world.write("dotfiles/codex.toml", "model = \"m\"\n");
    std::fs::create_dir_all(world.path(".codex")).unwrap();
    std::os::unix::fs::symlink(&real, world.path(CODEX)).unwrap();
    world.run(&["install", "codex", "--yes"]).ends_with(0);
    assert!(std::fs::symlink_metadata(world.path(CODEX)).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("\"hook\", \"codex\""));
    world.run(&["uninstall", "codex", "--yes"]).ends_with(0);
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "model = \"m\"\n");
}

#[test]
fn the_message_of_codex_is_a_hook_and_goes_again() {
    let world = World::new();
    world.run(&["install", "codex", "--system-message", "--yes"]).ends_with(0);
    assert!(read(&world, ".codex/hooks.json").unwrap().contains("hook codex --system-message"));
    world.run(&["uninstall", "codex", "--yes"]).ends_with(0);
    assert_eq!(names(&world, ".codex"), Vec::<String>::new());
}
