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

#[test]
fn an_agent_that_does_not_start_is_told_with_the_reason_of_the_system() {
    let run = World::new().run(&["acp", "--", "no-such-agent"]).ends_with(1);
    for part in ["cannot start the agent \"no-such-agent\": No such file", "help: "] {
        assert!(run.stderr.contains(part), "{run}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_that_nobody_writes_to_is_waited_for_and_said_to_be() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let world = World::new();
    let pipe = world.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let pipe = pipe.display().to_string();
    let mut child = world.command(&["next", &pipe]).spawn().unwrap();
    let mut note = String::new();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    errors.read_line(&mut note).unwrap();
    assert!(note.contains("is a pipe; waiting for somebody to write to it"), "{note}");
    let session = crate::support::events(crate::support::FAILING);
    std::fs::OpenOptions::new().write(true).open(&pipe).unwrap().write_all(session.as_bytes()).unwrap();
    let mut offer = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut offer).unwrap();
    assert_eq!(offer, crate::support::FAILING_STEP);
    assert!(child.wait().unwrap().success());
    let run = world.run(&["watch", &pipe]).ends_with(2);
    assert!(run.stderr.contains("is no file that can be followed"), "{run}");
}
