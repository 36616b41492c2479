//! `watch`: as lines for programs, and on a terminal that tmux plays.

use crate::support::{FAILING, World, events};
use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn append(path: &str, text: &str) {
    std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
}

fn turn(number: u64, answer: &str) -> String {
    events(answer).replace("\"turn\":1", &format!("\"turn\":{number}"))
}

/// A watch whose lines are read as they come.
pub(crate) struct Watch {
    child: Child,
    lines: std::sync::mpsc::Receiver<String>,
}

impl Watch {
    pub(crate) fn start(world: &World, arguments: &[&str]) -> Self {
        let mut child = world.command(arguments).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        // What is written from here on comes after the watch has begun.
        let mut note = String::new();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        while !note.contains("following") && !note.contains("waiting for a session in") {
            assert_ne!(errors.read_line(&mut note).unwrap(), 0, "{note}");
        }
        let (sender, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok())
        });
        Self { child, lines }
    }

    #[track_caller]
    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).unwrap()
    }

    /// The next state that is neither this one nor the short one of asking.
    #[track_caller]
    pub(crate) fn state(&self) -> Value {
        loop {
            let state: Value = serde_json::from_str(&self.line()).unwrap();
            if state.get("state") != Some(&json!("analyzing")) {
                return state;
            }
        }
    }

    /// Waits until it ends by itself.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    pub(crate) fn signal(mut self, name: &str) -> Option<i32> {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        self.child.wait().unwrap().code()
    }
}

#[test]
fn history_asks_nothing_and_each_completed_turn_asks_once_d15() {
    let world = World::new();
    let session = world.write("s.jsonl", turn(1, FAILING));
    let watch = Watch::start(&world, &["watch", &session, "--json"]);
    assert_eq!(
        watch.state(),
        json!({ "state": "idle", "offer_id": null, "turn": null, "kind": null, "model": "local/facts",
            "reason": { "code": "no-offer-yet", "message": "no suggestion yet: one follows the next completed turn" },
            "offer": null, "current": null })
    );
    append(&session, &turn(2, FAILING));
    assert_eq!(
        watch.state(),
        json!({ "state": "ready", "offer_id": "o1", "turn": 2, "kind": "prompt", "model": "local/facts",
            "reason": null, "offer": "Fix the failing test `report::empty_ledger`", "current": true })
    );
    append(&session, "{\"type\":\"turn_started\",\"turn\":3}\n");
    let running = watch.state();
    assert_eq!((&running["state"], &running["offer"]), (&json!("idle"), &Value::Null), "{running}");
    append(&session, "{\"type\":\"turn_ended\",\"turn\":3,\"reason\":\"aborted\"}\n");
    assert_eq!(watch.state()["reason"]["code"], json!("turn-not-completed"));
    assert_eq!(watch.signal("INT"), Some(130));
}

#[test]
fn a_file_that_appears_later_is_cut_or_replaced_is_followed_on() {
    let world = World::new();
    let session = world.path("s.jsonl").display().to_string();
    let watch = Watch::start(&world, &["watch", &session, "--json"]);
    append(&session, &turn(1, FAILING));
    let mut seen = watch.state();
    while seen["state"] != json!("ready") {
        seen = watch.state();
    }
    assert_eq!(seen["turn"], json!(1));
    // Cut: what is in it now is known, and what comes is news.
    std::fs::write(&session, turn(1, FAILING)).unwrap();
    std::fs::write(&session, "").unwrap();
    let fresh = world.write("fresh.jsonl", turn(5, FAILING));
    std::fs::rename(fresh, &session).unwrap();
    while seen["turn"] != json!(5) {
        seen = watch.state();
    }
    assert_eq!(seen["state"], json!("ready"));
    assert_ne!(seen["offer_id"], json!("o1"), "no id is used twice (rule D11)");
    assert_eq!(watch.signal("TERM"), Some(143));
}

#[test]
fn a_cleared_session_of_claude_code_is_followed_into_its_new_file() {
    let recordings = crate::support::root().join("tests/recordings/claude-code/session");
    let read = |name: &str| {
        std::fs::read_to_string(recordings.join(name))
            .unwrap()
            .replace("Mock answer to: ", &format!("{FAILING} "))
    };
    let world = World::new();
    let session = world.write("p/7b73.jsonl", read("interactive-main.jsonl"));
    let watch = Watch::start(&world, &["watch", &session, "--json"]);
    assert_eq!(watch.state()["offer"], Value::Null);
    // Another session of the same folder is nobody's business; the cleared one is.
    world.write("p/other.jsonl", read("headless-plain.jsonl"));
    world.write("p/c8e4.jsonl", read("interactive-main.2.jsonl"));
    let state = watch.state();
    assert_eq!((&state["state"], &state["turn"]), (&json!("ready"), &json!(1)), "{state}");
    assert_eq!(watch.signal("HUP"), Some(129));
}

#[test]
fn what_cannot_be_followed_is_said() {
    let world = World::new();
    let odd = world.write("odd.txt", "hello\nworld\n");
    assert_snapshot!("watch-odd", world.run(&["watch", &odd]).ends_with(1));
    world.run(&["watch", "-"]).ends_with(2);
    world.run(&["watch", &odd, "--latest"]).ends_with(2);
}

#[test]
fn a_reader_that_goes_away_ends_it_without_a_failure() {
    let world = World::new();
    let session = world.write("s.jsonl", turn(1, FAILING));
    let mut child = world.command(&["watch", &session]).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(
        line,
        "No suggestion yet · one follows the next completed turn · local/facts\n"
            .replace(" · local/facts", "")
    );
    drop(output);
    append(&session, &turn(2, FAILING));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A terminal of a size, played by tmux on a server of its own.
struct Terminal {
    socket: String,
}

impl Terminal {
    fn start(world: &World, columns: u16, locale: &str, command: &str) -> Self {
        let socket = world.path("tmux").display().to_string();
        let terminal = Self { socket };
        let environment = format!(
            "env -i HOME='{}' TERM=tmux-256color LC_ALL={locale} PATH=/usr/bin:/bin",
            world.path("").display()
        );
        let line = format!(
            "{environment} {command}; left=$?; stty -a | grep -o ' -\\?echo '; echo \"left with $left\"; exec sleep 60"
        );
        terminal.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &columns.to_string(),
            "-y",
            "10",
            "sh",
            "-c",
            &line,
        ]);
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-u", "-S", &self.socket])
            .args(arguments)
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .output()
            .unwrap_or_else(|error| panic!("these tests need tmux: {error}"));
        String::from_utf8(output.stdout).unwrap()
    }

    fn screen(&self) -> String {
        let screen = self.tmux(&["capture-pane", "-p"]);
        let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// The screen, once it shows this.
    #[track_caller]
    fn shows(&self, part: &str) -> String {
        let began = Instant::now();
        loop {
            let screen = self.screen();
            if screen.contains(part) {
                return screen;
            }
            assert!(began.elapsed() < PATIENCE, "{part:?} is not on\n{screen}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn key(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

fn program(session: &str) -> String {
    format!("'{}' watch '{session}'", env!("CARGO_BIN_EXE_suggest"))
}

const CHINESE: &str = "已经加上了 JSON 输出。测试 `报告::空账本🚀的输出应当是空列表` 失败了。";

#[test]
fn the_bar_fits_into_every_terminal_in_both_languages_f100() {
    for (columns, locale, answer, expand) in [
        (20, "C.UTF-8", FAILING, "collapse"),
        (80, "C.UTF-8", FAILING, "collapse"),
        (200, "C.UTF-8", FAILING, "collapse"),
        (20, "zh_CN.UTF-8", CHINESE, "收起"),
        (80, "zh_CN.UTF-8", CHINESE, "收起"),
        (200, "zh_CN.UTF-8", CHINESE, "收起"),
    ] {
        let world = World::new();
        let session = world.write("s.jsonl", turn(1, answer));
        let terminal = Terminal::start(&world, columns, locale, &program(&session));
        let quit = if expand == "收起" { "退出" } else { "q quit" };
        let first = terminal.shows(quit);
        append(&session, &turn(2, answer));
        let ready = terminal.shows(if expand == "收起" { "展开" } else { "e expand" });
        terminal.key("e");
        let expanded = terminal.shows(expand);
        let name = format!("bar-{columns}-{}", if locale == "C.UTF-8" { "en" } else { "zh" });
        assert_snapshot!(name, format!("{first}\n{0}\n{ready}\n{0}\n{expanded}", "=".repeat(20)));
    }
}

#[test]
fn keys_do_what_they_say_and_enter_does_nothing_d11() {
    let world = World::new();
    let session = world.write("s.jsonl", turn(1, FAILING));
    let terminal = Terminal::start(&world, 60, "C.UTF-8", &program(&session));
    terminal.shows("q quit");
    append(&session, &turn(2, FAILING));
    let ready = terminal.shows("Fix the failing test");
    terminal.key("Enter");
    terminal.key("x");
    terminal.key("c");
    let copied = terminal.shows("OSC 52");
    assert!(copied.contains("Fix the failing test"), "{copied}");
    terminal.key("d");
    let dismissed = terminal.shows("dismissed");
    assert!(!dismissed.contains("Fix the failing") && !dismissed.contains("c copy"), "{dismissed}");
    terminal.key("r");
    assert_eq!(terminal.shows("Fix the failing test"), ready);
    terminal.key("o");
    let off = terminal.shows("Suggestions off");
    assert!(off.contains("o on") && !off.contains("Fix the failing"), "{off}");
    terminal.key("o");
    terminal.shows("No suggestion yet");
    append(&session, &turn(3, FAILING));
    terminal.shows("Fix the failing test");
    terminal.key("q");
    let left = terminal.shows("left with 0");
    assert!(left.contains(" echo") && !left.contains("Fix the failing"), "the terminal is as it was: {left}");
}

#[test]
fn the_terminal_is_given_back_on_every_signal_and_taken_again_after_a_pause() {
    for (signal, status) in [("INT", "130"), ("TERM", "143"), ("HUP", "129")] {
        let world = World::new();
        let session = world.write("s.jsonl", turn(1, FAILING));
        let command = format!(
            "sh -c 'echo $$ > \"$HOME/id\"; exec \"$0\" watch \"$1\"' '{}' '{session}'",
            env!("CARGO_BIN_EXE_suggest")
        );
        let terminal = Terminal::start(&world, 60, "C.UTF-8", "bash --norc --noprofile -i");
        // A shell with job control, as people have: a pause gives the terminal back to it.
        let type_line = |line: &str| terminal.tmux(&["send-keys", "-l", &format!("{line}\n")]);
        type_line(&format!("{command}; left=$?; stty -a | grep -o ' -\\?echo '; echo \"left with $left\""));
        terminal.shows("q quit");
        let id = std::fs::read_to_string(world.path("id")).unwrap();
        let kill = |signal: &str| {
            assert!(
                Command::new("kill").args([&format!("-{signal}"), id.trim()]).status().unwrap().success()
            );
        };
        if signal == "TERM" {
            for pause in ["key", "signal"] {
                if pause == "key" {
                    terminal.key("C-z")
                } else {
                    kill("TSTP")
                }
                let stopped = terminal.shows("Stopped");
                assert!(!stopped.contains("q quit"), "the terminal is given back: {stopped}");
                type_line("clear; fg; left=$?; stty -a | grep -o ' -\\?echo '; echo \"left with $left\"");
                terminal.shows("q quit");
            }
        }
        kill(signal);
        let left = terminal.shows(&format!("left with {status}"));
        assert!(left.contains(" echo"), "{left}");
    }
}

#[test]
fn another_size_is_drawn_anew_and_no_colour_means_none() {
    let world = World::new();
    let session = world.write("s.jsonl", turn(1, FAILING));
    let terminal = Terminal::start(&world, 80, "C.UTF-8", &format!("NO_COLOR=1 {}", program(&session)));
    terminal.shows("q quit");
    append(&session, &turn(2, FAILING));
    terminal.shows("Fix the failing test `report::empty_ledger`");
    terminal.tmux(&["resize-window", "-x", "20"]);
    let narrow = terminal.shows("…");
    assert!(narrow.lines().all(|line| line.chars().count() <= 20), "{narrow}");
    let raw = terminal.tmux(&["capture-pane", "-p", "-e"]);
    assert!(!raw.contains('\x1b'), "{raw:?}");
}

#[test]
fn the_newest_session_of_the_folder_is_found_and_the_next_one_after_it() {
    let world = World::new();
    let folder = world.path("").canonicalize().unwrap();
    let project = |folder: &Path| folder.display().to_string().replace(['/', '.'], "-");
    let recordings =
        crate::support::root().join("tests/recordings/claude-code/session/interactive-main.2.jsonl");
    let text = std::fs::read_to_string(recordings)
        .unwrap()
        .replace("\"/workspace\"", &format!("\"{}\"", folder.display()))
        .replace("Mock answer to: ", &format!("{FAILING} "));
    let watch = Watch::start(&world, &["watch", "--latest", "--json"]);
    world.write(&format!(".claude/projects/{}/c8e4.jsonl", project(&folder)), text);
    let state = watch.state();
    assert_eq!(state["offer"], json!("Fix the failing test `report::empty_ledger`"), "{state}");
    assert_eq!(watch.signal("INT"), Some(130));
}
