//! The proxy as a process of its own, around agents that are processes of their own.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a process that does not behave must fail its test"
)]

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A program that is built beside this test.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.parent().and_then(Path::parent).unwrap();
    target.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/recordings/acp").join(format!("{name}.jsonl"))
}

#[derive(Deserialize)]
struct Entry<'a> {
    dir: &'a str,
    #[serde(borrow)]
    msg: &'a RawValue,
}

fn start(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap()
}

fn proxied(agent: &Path) -> Command {
    let mut command = Command::new(example("acp_proxy"));
    command.arg(agent);
    command
}

/// Whether the proxy wrote the line: it advertises commands, and its own are among them.
fn is_ours(line: &[u8]) -> bool {
    let message: Value = serde_json::from_slice(line).unwrap_or_default();
    let commands = message["params"]["update"]["availableCommands"].as_array().cloned().unwrap_or_default();
    commands.iter().any(|command| command["name"] == "autorun")
}

/// Plays the editor's part of a recording, each line when all that came before it was heard. Gives what was heard.
fn play(recording: &str, mut child: Child) -> (Vec<u8>, Option<i32>) {
    let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut heard = Vec::new();
    for line in recording.lines() {
        let entry: Entry<'_> = serde_json::from_str(line).unwrap();
        if entry.dir == "client" {
            to.write_all(format!("{}\n", entry.msg.get()).as_bytes()).unwrap();
            continue;
        }
        loop {
            let mut line = Vec::new();
            assert!(from.read_until(b'\n', &mut line).unwrap() > 0, "the agent ended early");
            if !is_ours(&line) {
                heard.extend(line);
                break;
            }
        }
    }
    drop(to);
    loop {
        let mut line = Vec::new();
        if from.read_until(b'\n', &mut line).unwrap() == 0 {
            break;
        }
        if !is_ours(&line) {
            heard.extend(line);
        }
    }
    (heard, child.wait().unwrap().code())
}

fn compare(name: &str) {
    let text = std::fs::read_to_string(recording(name)).unwrap();
    let folder = std::env::temp_dir().join(format!("suggest-acp-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (direct_file, proxied_file) = (folder.join("direct"), folder.join("proxied"));
    let agent = example("recorded_agent");
    let direct = play(&text, start(Command::new(&agent).arg(recording(name)).arg(&direct_file)));
    let through = play(&text, start(proxied(&agent).arg(recording(name)).arg(&proxied_file)));
    assert!(direct == through, "{name}: the editor heard the same bytes, and the same exit status");
    let heard = std::fs::read(&direct_file).unwrap();
    assert!(heard.len() > 500);
    assert!(heard == std::fs::read(&proxied_file).unwrap(), "{name}: the agent heard the same bytes");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_conversation_of_opencode_passes_byte_for_byte() {
    compare("opencode");
}

#[test]
fn a_conversation_of_qwen_code_passes_byte_for_byte() {
    compare("qwen");
}

#[test]
fn a_conversation_of_claude_code_passes_byte_for_byte() {
    compare("claude-agent-acp");
}

#[test]
fn a_conversation_of_codex_passes_byte_for_byte() {
    compare("codex-acp");
}

#[test]
fn a_conversation_of_gemini_passes_byte_for_byte() {
    compare("gemini");
}

fn shell(script: &str) -> Child {
    start(proxied(Path::new("sh")).arg("-c").arg(script))
}

fn rest_of(child: &mut Child) -> String {
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    text
}

#[cfg(unix)]
fn is_alive(process: &str) -> bool {
    // A process that is gone but not reaped by anybody yet is gone.
    let state = std::fs::read_to_string(format!("/proc/{}/stat", process.trim())).unwrap_or_default();
    state.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with('Z'))
}

#[cfg(unix)]
#[track_caller]
fn ends(process: &str) {
    let begun = Instant::now();
    while is_alive(process) {
        assert!(begun.elapsed() < Duration::from_secs(20), "the process {process} is still there");
        std::thread::yield_now();
    }
}

#[cfg(unix)]
#[test]
fn an_agent_that_dies_passes_its_status_on_and_the_editor_hears_its_last_words() {
    let mut child = shell("read line; echo '{\"last\":1}'; exit 7");
    child.stdin.as_mut().unwrap().write_all(b"{}\n").unwrap();
    assert_eq!(rest_of(&mut child), "{\"last\":1}\n");
    assert_eq!(child.wait().unwrap().code(), Some(7));
    let mut child = shell("kill -9 $$");
    assert_eq!(rest_of(&mut child), "");
    assert_eq!(child.wait().unwrap().code(), Some(137));
}

#[test]
fn an_agent_that_is_not_there_is_an_error() {
    let mut child = start(&mut proxied(Path::new("no-such-agent-anywhere")));
    assert_eq!(rest_of(&mut child), "");
    assert_eq!(child.wait().unwrap().code(), Some(127));
}

#[cfg(unix)]
#[test]
fn when_the_editor_goes_the_agent_and_what_it_started_end() {
    // It listens to nobody, and has a child of its own.
    let mut child = shell("sleep 300 & echo $!; echo $$; exec sleep 300");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (helper, agent) = (lines.next().unwrap().unwrap(), lines.next().unwrap().unwrap());
    drop(child.stdin.take());
    ends(&agent);
    ends(&helper);
    assert_eq!(child.wait().unwrap().code(), Some(143), "it was told to end");
}

#[cfg(unix)]
#[test]
fn a_wrapper_that_dies_leaves_no_real_agent_behind() {
    let mut child = shell("sleep 300 & echo $!; exit 3");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let helper = lines.next().unwrap().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    ends(&helper);
}

#[cfg(unix)]
#[test]
fn a_signal_reaches_the_agent() {
    let mut child = shell("trap 'echo told; exit 5' TERM; echo $$; while :; do sleep 0.05; done");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(!lines.next().unwrap().unwrap().is_empty());
    let process = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "told");
    assert_eq!(child.wait().unwrap().code(), Some(5));
}

#[cfg(unix)]
#[test]
fn an_editor_that_stops_reading_is_gone() {
    let mut child = shell("while :; do echo '{}' || exit 9; sleep 0.02; done");
    drop(child.stdout.take());
    let code = child.wait().unwrap().code();
    assert!(code.is_some_and(|code| [9, 141, 143].contains(&code)), "{code:?}");
}
