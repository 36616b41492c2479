//! Real processes: this test binary starts itself again as a child that changes the file.

use crate::support::{folder, offer, open, prompt};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use suggest_store::CardStore;

const FILE: &str = "SUGGEST_STORE_TEST_FILE";
const NAME: &str = "SUGGEST_STORE_TEST_NAME";
const CHANGES: &str = "SUGGEST_STORE_TEST_CHANGES";
const CHILD: &str = "processes::as_a_child_changes_the_file_and_says_what_is_done";

/// Offers cards and dismisses them, one change after the other, and says each one that is done.
fn change(store: &CardStore, name: &str, changes: usize) {
    for number in 0..changes {
        let item = format!("{name}_{number}");
        let card = suggest_core::NewCard::new("A title", "A reason.", prompt(&item));
        let offered = store.change(|cards, now| cards.offer(name, vec![card], now));
        let id = match offered {
            Ok(offered) => offered.added[0].clone(),
            Err(error) => {
                println!("child failed {error}");
                return;
            }
        };
        match store.act(|cards, now| cards.dismiss(&id, now)) {
            Ok(()) => println!("child dismissed {item}"),
            Err(error) => {
                println!("child failed {error}");
                return;
            }
        }
    }
    println!("child finished");
}

#[test]
fn as_a_child_changes_the_file_and_says_what_is_done() {
    let Some(path) = std::env::var_os(FILE) else { return };
    let name = std::env::var(NAME).unwrap();
    let changes = std::env::var(CHANGES).unwrap().parse().unwrap();
    change(&open(Path::new(&path)), &name, changes);
}

fn prepared(mut command: Command, path: &Path, name: &str, changes: usize) -> Child {
    command
        .args(["--exact", CHILD, "--nocapture", "--test-threads=1"])
        .env(FILE, path)
        .env(NAME, name)
        .env(CHANGES, changes.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn child(path: &Path, name: &str, changes: usize) -> Child {
    prepared(Command::new(std::env::current_exe().unwrap()), path, name, changes)
}

/// The lines that the child says, without the test harness's own.
fn said(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.map_while(Result::ok).filter_map(|line| line.split_once("child ").map(|(_, said)| said.to_owned()))
}

#[test]
fn a_process_that_is_killed_at_any_moment_loses_no_change_that_it_reported_c6() {
    let (folder, path) = folder();
    let mut acknowledged: Vec<String> = Vec::new();
    let mut changes = 0;
    let mut round = 0_u64;
    // 1,000 changes: each item is offered and dismissed. The moments of the kills differ from round to round.
    while changes < 1_000 {
        let name = format!("round{round}");
        let mut process = child(&path, &name, 500);
        let lines = said(&mut process);
        let stop_after = 5 + usize::try_from(round * 7 % 60).unwrap();
        for (count, line) in lines.enumerate() {
            let item = line.strip_prefix("dismissed ").expect("the child changes the file").to_owned();
            acknowledged.push(item);
            changes += 2;
            if count + 1 == stop_after {
                // Somewhere inside the next change.
                std::thread::sleep(Duration::from_micros(round * 397 % 4_000));
                process.kill().unwrap();
            }
        }
        process.wait().unwrap();
        let store = open(&path);
        assert!(store.take_warnings().is_empty(), "round {round}");
        if let Some(item) = acknowledged.last() {
            assert!(store.read(|cards| cards.is_dismissed(&prompt(item))), "{item} is lost");
        }
        round += 1;
    }
    let store = open(&path);
    for item in &acknowledged {
        assert!(store.read(|cards| cards.is_dismissed(&prompt(item))), "{item} is lost");
    }
    assert!(round > 10, "there were {round} kills");
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 2, "the file and its lock; nothing half written");
}

#[test]
fn two_processes_on_one_file_lose_no_dismissal_f178() {
    let (_folder, path) = folder();
    let mut children = [child(&path, "left", 100), child(&path, "right", 100)];
    let outputs = children.each_mut().map(said);
    let ours = open(&path);
    for number in 0..20 {
        let id = offer(&ours, "middle", &format!("middle_{number}"));
        ours.act(|cards, now| cards.dismiss(&id, now)).unwrap();
    }
    for lines in outputs {
        assert_eq!(lines.last().as_deref(), Some("finished"));
    }
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    ours.refresh().unwrap();
    for store in [ours, open(&path)] {
        for number in 0..100 {
            for name in ["left", "right"] {
                let item = format!("{name}_{number}");
                assert!(store.read(|cards| cards.is_dismissed(&prompt(&item))), "{item} is lost");
            }
        }
        assert_eq!(store.read(|cards| cards.counts().dismissed), 220);
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_reported_and_costs_nothing() {
    let (folder, path) = folder();
    let store = crate::support::three(&path);
    drop(store);
    // A limit on the size of files stands in for a disk that fills up; the signal of the limit is not caught here.
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap());
    let mut process = prepared(shell, &path, "full", 500);
    let lines: Vec<String> = said(&mut process).collect();
    process.wait().unwrap();
    let (last, done) = lines.split_last().unwrap();
    assert!(last.contains("there is no room"), "{last}");
    let store = open(&path);
    assert!(store.take_warnings().is_empty());
    for line in done {
        let item = line.strip_prefix("dismissed ").unwrap();
        assert!(store.read(|cards| cards.is_dismissed(&prompt(item))), "{item} is lost");
    }
    assert!(store.read(|cards| cards.is_dismissed(&prompt("item_dismissed"))));
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 2, "nothing half written is left behind");
}
