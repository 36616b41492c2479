//! Pipes and colours.

use crate::support::{FAILING, World, events};
use std::io::Write as _;

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let world = World::new();
    for arguments in
        [&["next", "-"][..], &["next", "-", "--json"], &["state", "-"], &["next", "-", "--show-slice"]]
    {
        let mut child = world.start(arguments);
        drop(child.stdout.take());
        let mut input = child.stdin.take().unwrap();
        input.write_all(events(FAILING).as_bytes()).unwrap();
        drop(input);
        let run = world.finished(arguments, child.wait_with_output().unwrap()).ends_with(0);
        assert!(!run.stderr.contains("panicked") && !run.stderr.contains("error"), "{run}");
    }
}

#[test]
fn standard_error_that_is_closed_does_not_matter() {
    let world = World::new();
    let mut child = world.start(&["next", "-"]);
    drop(child.stderr.take());
    child.stdin.take().unwrap().write_all(events(FAILING).as_bytes()).unwrap();
    let run = world.finished(&["next", "-"], child.wait_with_output().unwrap()).ends_with(0);
    assert!(run.stdout.starts_with("Fix the failing test"), "{run}");
}

#[test]
fn nothing_but_text_goes_to_what_is_no_terminal() {
    for world in
        [World::new(), World::new().with("NO_COLOR", "1"), World::new().with("TERM", "xterm-256color")]
    {
        let session = world.write("s.jsonl", events(FAILING));
        for arguments in [&["next", &session][..], &["next", "missing"], &["--help"], &["nxt"], &["doctor"]] {
            let run = world.run(arguments);
            assert!(!run.to_string().contains('\x1b'), "{run:?}");
        }
    }
}

#[test]
fn a_hostile_file_name_cannot_steer_the_terminal() {
    let run = World::new().run(&["next", "a\x1b[2Jb"]).ends_with(1);
    assert!(!run.stderr.contains('\x1b'), "{run:?}");
}
