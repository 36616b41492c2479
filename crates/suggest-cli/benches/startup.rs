//! How long a run takes that a harness waits for: the status line runs every second, and a hook after every turn.

use divan::Bencher;
use std::io::Write as _;
use std::process::{Command, Stdio};

fn main() {
    divan::main();
}

/// A run of the program in an empty home.
fn run(home: &std::path::Path, arguments: &[&str], input: &str) {
    let child = Command::new(env!("CARGO_BIN_EXE_suggest"))
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return };
    if let Some(mut stdin) = child.stdin.take() {
        // The program may not want all of it.
        let _ = stdin.write_all(input.as_bytes());
    }
    let _ = child.wait();
}

/// The least that any process takes here.
#[divan::bench]
fn version(bencher: Bencher) {
    let Ok(home) = tempfile::tempdir() else { return };
    bencher.bench_local(|| run(home.path(), &["--version"], ""));
}

/// The status line, with a record of an offer.
#[divan::bench]
fn status_line(bencher: Bencher) {
    let Ok(home) = tempfile::tempdir() else { return };
    let folder = home.path().join(".local/state/suggest/hosts/claude-code");
    let record = r#"{"version":1,"generation":1,"work":null,"prompt":"p","state":{"status":"ready","reason":null,"offer":{"id":"o1","text":"Fix the failing test","turn":1,"current":true,"kind":"prompt","model":"local/facts"},"autorun":{"armed":false,"hold":null,"rounds":0,"max_rounds":24,"disarmed_because":null},"goal":null,"model":{"id":"local/facts","source":"default"},"usage":{}},"answered":1,"next_offer":2}"#;
    let made = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(folder.join("s.json"), record));
    if made.is_ok() {
        let input = r#"{"session_id":"s","prompt_id":"p"}"#;
        bencher.bench_local(|| run(home.path(), &["statusline", "claude-code"], input));
    }
}

/// The hook, for an event that starts nothing.
#[divan::bench]
fn hook(bencher: Bencher) {
    let Ok(home) = tempfile::tempdir() else { return };
    let input = r#"{"session_id":"s","transcript_path":"/none","hook_event_name":"Stop"}"#;
    bencher.bench_local(|| run(home.path(), &["hook", "claude-code"], input));
}
