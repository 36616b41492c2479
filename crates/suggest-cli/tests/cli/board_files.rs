//! The store of a real board against other processes, damage, and disks that take nothing: nothing is lost, and the person
//! is told on the terminal, on the page and in the answer (rule C6).

use crate::board::{Board, arguments, kept, store, until};
use crate::support::World;
use serde_json::{Value, json};
use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};

/// A board whose standard error goes to a file, and the path of that file.
fn heard(world: &World) -> (Board, std::path::PathBuf) {
    let said = world.path("said");
    let arguments = arguments(world);
    let mut command = world.command(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    command.stderr(fs::File::create(&said).unwrap());
    (Board::run(command), said)
}

#[test]
fn what_one_process_decides_another_shows_without_a_change_of_its_own_c6() {
    let world = World::new();
    let (left, right) = (Board::start(&world), Board::start(&world));
    let (ours, theirs) = (left.client(), right.client());
    assert_eq!(ours.tell_of_three_failures("parser").unwrap().0, 200);
    let cards = until("the cards on our board", || {
        let cards = ours.open_of("parser").unwrap();
        (cards.len() == 3).then_some(cards)
    });
    until("the cards on the other board", || (theirs.open_of("parser").unwrap() == cards).then_some(()));
    // And back: a decision there is seen here.
    let (status, _) = theirs.post(&format!("/api/cards/{}/dismiss", cards[0]), &Value::Null).unwrap();
    assert_eq!(status, 200);
    until("the decision on our board", || (ours.open_of("parser").unwrap() == cards[1..]).then_some(()));
    let (status, answer) = ours.post(&format!("/api/cards/{}/accept", cards[0]), &Value::Null).unwrap();
    assert_eq!((status, &answer["error"]["code"]), (409, &json!("dismissed")));
    left.kill();
    right.kill();
}

#[test]
fn two_boards_on_one_file_lose_nothing_of_each_other_f178() {
    let world = World::new();
    let boards = [Board::start(&world), Board::start(&world)];
    std::thread::scope(|scope| {
        for (side, board) in ["left", "right"].iter().zip(&boards) {
            let client = board.client();
            scope.spawn(move || {
                for number in 0..15 {
                    let session = format!("{side}-{number}");
                    assert_eq!(client.tell_of_three_failures(&session).unwrap().0, 200);
                    let cards = until("three cards", || {
                        let cards = client.open_of(&session).unwrap();
                        (cards.len() == 3).then_some(cards)
                    });
                    let (status, answer) =
                        client.post(&format!("/api/cards/{}/dismiss", cards[0]), &Value::Null).unwrap();
                    assert_eq!(status, 200, "{answer}");
                    let (status, answer) =
                        client.post(&format!("/api/cards/{}/accept", cards[1]), &Value::Null).unwrap();
                    assert_eq!(status, 200, "{answer}");
                }
            });
        }
    });
    boards.into_iter().for_each(Board::kill);
    let book = kept(&world);
    assert_eq!((&book["counts"]["dismissed"], &book["counts"]["accepted"]), (&json!(30), &json!(30)));
    assert_eq!(book["dismissed"].as_array().unwrap().len(), 30);
    let open = book["cards"].as_array().unwrap().iter().filter(|card| card["state"] == "open").count();
    assert_eq!(open, 30);
}

#[test]
fn a_file_that_cannot_be_used_is_kept_and_the_person_is_told_f176() {
    let newer = br#"{"version":2,"cards":{"everything":"is different"}}"#.to_vec();
    let cut = br#"{"version":1,"seq":7,"cards":[{"id":"#.to_vec();
    for (bytes, length, why) in [
        (newer, 0, "a newer version"),
        (cut, 0, "is damaged"),
        (Vec::new(), 50 * 1024 * 1024, "too large (50 MiB"),
    ] {
        let world = World::new();
        let _ = arguments(&world);
        fs::write(store(&world), &bytes).unwrap();
        if length > 0 {
            fs::OpenOptions::new().write(true).open(store(&world)).unwrap().set_len(length).unwrap();
        }
        let before = fs::metadata(store(&world)).unwrap().len();
        let (board, said) = heard(&world);
        let client = board.client();
        let notices = client.notices();
        assert!(
            notices.iter().any(|notice| notice.contains(why) && notice.contains("set-aside-1")),
            "{notices:?}"
        );
        let said = fs::read_to_string(said).unwrap();
        assert!(said.contains(why), "{said}");
        assert_eq!(client.tell_of_three_failures("parser").unwrap().0, 200);
        until("cards on the new file", || (client.open_of("parser").unwrap().len() == 3).then_some(()));
        board.kill();
        let aside = store(&world).with_file_name("suggestions.json.set-aside-1");
        assert_eq!(fs::metadata(&aside).unwrap().len(), before, "{why}");
        if length == 0 {
            assert_eq!(fs::read(&aside).unwrap(), bytes, "{why}");
        }
        assert_eq!(kept(&world)["cards"].as_array().unwrap().len(), 3, "{why}");
    }
}

/// A disk on which there is no room: no file may grow beyond a few blocks.
#[cfg(unix)]
#[test]
fn a_full_disk_refuses_the_act_keeps_what_was_there_and_is_told_c6() {
    let world = World::new();
    let board = Board::start(&world);
    let client = board.client();
    assert_eq!(client.tell_of_three_failures("parser").unwrap().0, 200);
    let cards = until("three cards", || {
        let cards = client.open_of("parser").unwrap();
        (cards.len() == 3).then_some(cards)
    });
    board.kill();
    let before = fs::read(store(&world)).unwrap();
    let arguments = arguments(&world);
    // As many blocks of 512 bytes as the file has, rounded down: the next one is larger than the limit.
    let blocks = (before.len() / 512).to_string();
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"", "sh", &blocks]);
    shell.arg(env!("CARGO_BIN_EXE_suggest")).args(&arguments).env_clear().env("HOME", world.path(""));
    let board = Board::run({
        shell.stdin(Stdio::null()).stderr(Stdio::null());
        shell
    });
    let client = board.client();
    let (status, answer) = client.post(&format!("/api/cards/{}/dismiss", cards[0]), &Value::Null).unwrap();
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("not-saved")));
    assert!(answer["error"]["message"].as_str().unwrap().contains("no room"), "{answer}");
    until("a notice", || client.notices().iter().any(|notice| notice.contains("no room")).then_some(()));
    assert_eq!(client.open_of("parser").unwrap(), cards, "it did not happen");
    // What nobody asked for is not kept either, and not shown as if it were.
    assert_eq!(client.tell_of_three_failures("lexer").unwrap().0, 200);
    assert_eq!(client.open_of("lexer").unwrap(), [] as [&str; 0]);
    board.kill();
    assert_eq!(fs::read(store(&world)).unwrap(), before);
    let board = Board::start(&world);
    let (status, _) = board.client().post(&format!("/api/cards/{}/dismiss", cards[0]), &Value::Null).unwrap();
    assert_eq!(status, 200, "with room it works");
    assert_eq!(board.client().notices(), [] as [&str; 0]);
    board.kill();
}

/// The superuser may write anywhere, so there the board runs as somebody else.
#[cfg(unix)]
#[test]
fn a_read_only_folder_shows_its_cards_refuses_acts_and_is_told_c6() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let world = World::new();
    let board = Board::start(&world);
    assert_eq!(board.client().tell_of_three_failures("parser").unwrap().0, 200);
    let cards = until("three cards", || {
        let cards = board.client().open_of("parser").unwrap();
        (cards.len() == 3).then_some(cards)
    });
    board.kill();
    let arguments = arguments(&world);
    let mode =
        |path: &std::path::Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let folder = store(&world).parent().unwrap().to_owned();
    let is_superuser = fs::metadata(&folder).unwrap().uid() == 0;
    let mut command;
    if is_superuser {
        let program = world.path("suggest");
        if fs::hard_link(env!("CARGO_BIN_EXE_suggest"), &program).is_err() {
            fs::copy(env!("CARGO_BIN_EXE_suggest"), &program).unwrap();
        }
        for path in [world.path(""), store(&world)] {
            mode(&path, 0o755);
        }
        let nobody = 65_534;
        std::os::unix::fs::chown(world.path("token"), Some(nobody), Some(nobody)).unwrap();
        command = Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]).arg(program);
    } else {
        command = Command::new(env!("CARGO_BIN_EXE_suggest"));
    }
    mode(&folder, 0o555);
    command.args(&arguments).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", world.path(""));
    let mut board = Board::run({
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        command
    });
    let client = board.client();
    assert_eq!(client.open_of("parser").unwrap(), cards, "they can be read");
    assert!(client.notices().iter().any(|notice| notice.contains("read-only")), "{:?}", client.notices());
    let (status, answer) = client.post(&format!("/api/cards/{}/accept", cards[0]), &Value::Null).unwrap();
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("not-saved")));
    assert_eq!(client.open_of("parser").unwrap(), cards, "it did not happen");
    // Once the folder can be written again, the board goes on and says no more of it.
    let mut said = board.child.stderr.take().unwrap();
    if !is_superuser {
        mode(&folder, 0o755);
        until("the notice is gone", || client.notices().is_empty().then_some(()));
        assert_eq!(client.post(&format!("/api/cards/{}/accept", cards[0]), &Value::Null).unwrap().0, 200);
    }
    board.kill();
    mode(&folder, 0o755);
    let mut text = String::new();
    said.read_to_string(&mut text).unwrap();
    assert!(text.contains("read-only"), "{text}");
}

#[cfg(unix)]
#[test]
fn everything_beside_the_cards_is_the_persons_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let board = Board::start(&world);
    assert_eq!(board.client().tell_of_three_failures("parser").unwrap().0, 200);
    until("cards", || (board.client().open_of("parser").unwrap().len() == 3).then_some(()));
    board.kill();
    for entry in fs::read_dir(world.path("cards")).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.file_name());
    }
}
