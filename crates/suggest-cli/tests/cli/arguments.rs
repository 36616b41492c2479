//! Help, versions, and wrong usage.

use crate::support::World;
use insta::assert_snapshot;

#[test]
fn every_command_teaches_by_example() {
    for command in [
        "",
        "next",
        "advise",
        "state",
        "replay",
        "doctor",
        "config",
        "config show",
        "config schema",
        "config check",
        "config path",
        "dsh",
        "watch",
        "install",
        "install claude-code",
        "install codex",
        "uninstall",
        "hook",
        "hook codex",
        "statusline",
        "completions",
        "man",
    ] {
        let arguments: Vec<&str> =
            command.split(' ').filter(|word| !word.is_empty()).chain(["--help"]).collect();
        let run = World::new().run(&arguments).ends_with(0);
        assert!(run.stderr.is_empty(), "{run}");
        let name = format!("help {command}").trim().replace(' ', "-");
        assert_snapshot!(name, run);
    }
}

#[test]
fn the_version_is_the_packages() {
    let run = World::new().run(&["--version"]).ends_with(0);
    assert_eq!(run.stdout, format!("suggest {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn wrong_usage_ends_with_2_and_prints_nothing_on_standard_output() {
    let world = World::new();
    for arguments in [
        &[][..],
        &["nxt"],
        &["next", "--formt", "dsh"],
        &["next", "--format", "xml", "-"],
        &["next", "--at-turn", "many", "-"],
        &["next", "--show-slice", "--json", "-"],
        &["next", "--model", "gpt", "-"],
        &["next", "--model", "", "-"],
        &["next", "--log", "loud", "-"],
        &["replay"],
        &["completions", "klingon"],
    ] {
        let run = world.run(arguments).ends_with(2);
        assert_eq!(run.stdout, "", "{run}");
    }
    assert_snapshot!("wrong-model", world.run(&["next", "--model", "gpt", "-"]));
    let logged = World::new().with("SUGGEST_LOG", "loud").run(&["config", "path"]);
    assert_snapshot!("wrong-log-variable", logged);
}

#[test]
fn completions_and_manual_pages_are_made() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = world.run(&["completions", shell]).ends_with(0);
        assert!(run.stdout.contains("replay"), "{run}");
    }
    let page = world.run(&["man"]).ends_with(0);
    assert!(page.stdout.starts_with(".ie") && page.stdout.contains("suggest"), "{page}");
    world.run(&["man", "--dir", "man1"]).ends_with(0);
    assert!(world.path("man1/suggest-next.1").is_file());
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_a_failure() {
    let world = World::new();
    for arguments in [&["--help"][..], &["next", "--help"], &["--version"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let status = world.command(arguments).stdout(full).status().unwrap();
        assert_eq!(status.code(), Some(1), "{arguments:?}");
    }
}
