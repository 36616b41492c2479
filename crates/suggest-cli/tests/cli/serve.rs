//! `suggest serve`: how it starts, what it refuses, how it ends. The board's own tests are in its crate, and those of the
//! page in `tests/e2e/board`.

use crate::support::World;
use insta::assert_snapshot;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;

/// A started board and the link that it printed.
fn started(world: &World, arguments: &[&str]) -> (Child, String) {
    let mut child = world.start(&[&["serve", "--port", "0"], arguments].concat());
    let mut link = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut link).unwrap();
    (child, link.trim().to_owned())
}

fn ask(link: &str, request: &str) -> String {
    let host = link.strip_prefix("http://").unwrap().split('/').next().unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let head = format!("{request} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn it_prints_a_link_serves_the_page_and_keeps_the_token_to_itself_p4() {
    let world = World::new();
    let (mut child, link) = started(&world, &["--no-logs"]);
    assert!(link.starts_with("http://127.0.0.1:") && link.contains("/#"), "{link}");
    assert!(ask(&link, "GET /").starts_with("HTTP/1.1 200"));
    assert!(ask(&link, "GET /api/cards").starts_with("HTTP/1.1 401"));
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = world.files().into_iter().find(|(path, _)| path.ends_with("board-token"));
    let (path, token) = kept.unwrap();
    let token = String::from_utf8(token).unwrap();
    assert!(token.trim().len() >= 32 && !link.contains(token.trim()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o077, 0);
    }
}

#[cfg(unix)]
#[test]
fn signals_end_it_with_success() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let world = World::new();
        let (mut child, _) = started(&world, &["--no-logs"]);
        let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
    }
}

#[test]
fn addresses_that_others_reach_need_a_token_of_the_person() {
    assert_snapshot!("serve-open-bind", World::new().run(&["serve", "--bind", "0.0.0.0"]).ends_with(2));
    let world = World::new();
    let weak = world.write("weak", "12345");
    let run = world.run(&["serve", "--bind", "0.0.0.0", "--token-file", &weak]).ends_with(2);
    assert!(!run.stderr.contains("12345"), "{run}");
    assert_eq!(run.stdout, "");
}

#[test]
fn what_cannot_be_used_is_named() {
    let world = World::new();
    world.run(&["serve", "--token-file", "nowhere"]).ends_with(2);
    assert_snapshot!("serve-no-folder", world.run(&["serve", "nowhere"]).ends_with(2));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let run = world.run(&["serve", "--no-logs", "--port", &port]).ends_with(1);
    assert!(run.stderr.contains(&port) && run.stderr.contains("--port"), "{run}");
}
