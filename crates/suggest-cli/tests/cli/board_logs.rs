//! A real board over real logs: a session whose turn ended waits, though its log does not say so (rule C1).

#![expect(clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use crate::board::{Board, until};
use crate::support::{World, sample};
use serde_json::Value;
use std::fs::{self, OpenOptions};
use std::io::Write as _;

/// The sample without its last turn, that last turn, and the session's id.
fn parts() -> (String, String, String) {
    let text = fs::read_to_string(sample()).unwrap();
    let at = text.rfind("{\"type\":\"turn/start\"").unwrap();
    let (before, last) = text.split_at(at);
    let head: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let id = head["data"]["id"].as_str().or_else(|| head["id"].as_str()).unwrap_or_default();
    (before.to_owned(), last.to_owned(), id.to_owned())
}

#[test]
fn a_session_of_a_log_waits_once_its_turn_ended_and_gets_cards_for_the_turns_that_are_seen_c1() {
    let world = World::new();
    let (before, last, id) = parts();
    let log = world.write("logs/session.jsonl", &before);
    let board = Board::follow(&world, &world.path("logs").display().to_string());
    let client = board.client();
    until("it waits", || (client.status(&id).as_deref() == Some("idle")).then_some(()));
    // What is past asks nothing; a person may.
    assert_eq!(client.open_of(&id).unwrap(), [] as [&str; 0]);
    let mut file = OpenOptions::new().append(true).open(&log).unwrap();
    file.write_all(last.as_bytes()).unwrap();
    let cards = until("cards for the turn that ended", || {
        let cards = client.open_of(&id).unwrap();
        (!cards.is_empty()).then_some(cards)
    });
    assert_eq!(cards.len(), 2, "one failure is one card");
    until("it waits again", || (client.status(&id).as_deref() == Some("idle")).then_some(()));
    board.kill();
}

#[test]
fn of_two_logs_of_one_session_one_is_followed_and_the_page_names_the_other() {
    let world = World::new();
    let (before, _, id) = parts();
    world.write("logs/a/session.jsonl", &before);
    world.write("logs/b/session.jsonl", &before);
    let board = Board::follow(&world, &world.path("logs").display().to_string());
    let client = board.client();
    let notice = until("a notice", || client.notices().pop());
    assert!(notice.contains("session.jsonl is left out"), "{notice}");
    assert!(notice.ends_with(&format!("a log of session {id} is followed already")), "{notice}");
    board.kill();
}

#[test]
fn a_person_asks_for_cards_of_a_session_that_waited_before_the_board_began_c1() {
    let world = World::new();
    let (before, last, id) = parts();
    world.write("logs/session.jsonl", before + &last);
    let board = Board::follow(&world, &world.path("logs").display().to_string());
    let client = board.client();
    until("it waits", || (client.status(&id).as_deref() == Some("idle")).then_some(()));
    let (status, answer) = client.post(&format!("/api/sessions/{id}/suggest"), &Value::Null).unwrap();
    assert_eq!(status, 200, "{answer}");
    until("cards", || (client.open_of(&id).unwrap().len() == 2).then_some(()));
    board.kill();
}
