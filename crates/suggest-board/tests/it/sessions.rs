//! Sessions that are told over HTTP or followed by the embedder.

use crate::support::{World, turn};
use pretty_assertions::assert_eq;
use serde_json::json;
use suggest_core::{Event, SessionSetup};

#[tokio::test]
async fn a_told_session_that_goes_idle_gets_cards_and_a_summary_c1_c5_c9() {
    let world = World::new().await;
    let mut page = world.subscribe().await;
    let events = turn(
        1,
        "Make the parser read nested lists",
        "I changed src/parser.rs; `reads_nested_lists` still fails.",
    );
    let body = json!({ "events": events, "name": "parser", "workspace": "/home/a/parser" });
    let (status, answer) = world.post("/api/sessions/s1/events", body).await;
    assert_eq!((status, answer), (200, json!({ "session": "s1", "taken": 7 })));
    let update = page.until("suggestion_update", |event| {
        event["cards"].as_array().is_some_and(|cards| !cards.is_empty())
            && event["summaries"].as_array().is_some_and(|summaries| !summaries.is_empty())
    });
    let update = update.await;
    for card in update["cards"].as_array().unwrap() {
        assert_eq!(
            (&card["session"], &card["origin"], &card["stale"]),
            (&json!("s1"), &json!("local"), &json!(false))
        );
    }
    let (_, sessions) = world.ask("get", "/api/sessions", None).await;
    assert_eq!(
        (&sessions["sessions"][0]["name"], &sessions["sessions"][0]["status"]),
        (&json!("parser"), &json!("idle"))
    );
    // The session moves on: its cards turn stale at the end of the next turn.
    let next = json!({ "events": &turn(2, "Go on", "Done.")[..6] });
    assert_eq!(world.post("/api/sessions/s1/events", next).await.0, 200);
    page.until("suggestion_update", |event| {
        event["cards"].as_array().is_some_and(|cards| cards.iter().all(|card| card["stale"] == true))
    })
    .await;
    let stale = update["cards"][0]["id"].as_str().unwrap();
    let (status, answer) = world.ask("post", &format!("/api/cards/{stale}/accept"), None).await;
    assert_eq!((status, &answer["error"]["code"]), (409, &json!("stale")));
}

#[tokio::test]
async fn history_asks_nothing_until_a_person_wants_cards_d15() {
    let world = World::new().await;
    let events = turn(
        1,
        "Make the parser read nested lists",
        "I changed src/parser.rs; `reads_nested_lists` still fails.",
    );
    let body = json!({ "events": events, "history": true });
    assert_eq!(world.post("/api/sessions/s1/events", body).await.0, 200);
    let (_, cards) = world.ask("get", "/api/cards", None).await;
    assert_eq!(cards["cards"], json!([]));
    let mut page = world.subscribe().await;
    assert_eq!(world.ask("post", "/api/sessions/s1/suggest", None).await.0, 200);
    page.until("suggestion_update", |event| event["cards"].as_array().is_some_and(|cards| !cards.is_empty()))
        .await;
    assert_eq!(world.ask("post", "/api/sessions/s2/suggest", None).await.0, 404);
}

#[tokio::test]
async fn a_completed_turn_makes_cards_of_others_about_its_files_stale_c6() {
    let world = World::new().await;
    let told = |workspace: &str| json!({ "events": [{ "type": "idle" }], "workspace": workspace });
    world.post("/api/sessions/s1/events", told("/w/one")).await;
    world.post("/api/sessions/s2/events", told("/w/one")).await;
    world.post("/api/sessions/s3/events", told("/w/two")).await;
    for session in ["s1", "s3"] {
        let store = world.store.clone();
        let offered = tokio::task::spawn_blocking(move || {
            let card = suggest_core::NewCard::new("t", "r", format!("Fix src/parser.rs of {session}"));
            let card = card.about_files(vec!["src/parser.rs".to_owned()]);
            store.change(|manager, now| manager.offer(session, vec![card], now))
        });
        assert_eq!(offered.await.unwrap().unwrap().added.len(), 1);
    }
    let events = &turn(1, "Work", "I changed src/parser.rs.")[..6];
    world.post("/api/sessions/s2/events", json!({ "events": events })).await;
    let (_, cards) = world.ask("get", "/api/cards", None).await;
    let stale = |session: &str| {
        let card = cards["cards"].as_array().unwrap().iter().find(|card| card["session"] == session);
        card.unwrap()["stale"].clone()
    };
    assert_eq!((stale("s1"), stale("s3")), (json!(true), json!(false)));
}

#[tokio::test]
async fn a_session_with_a_followed_log_takes_no_events_over_http() {
    let world = World::new().await;
    world.idle("s1").await;
    let followed = world.board.open(SessionSetup::new("s1"), Some("mine".to_owned())).await.unwrap();
    followed.event(Event::Idle);
    assert!(world.board.open(SessionSetup::new("s1"), None).await.is_err(), "once");
    let (status, answer) = world.post("/api/sessions/s1/events", json!({ "events": [] })).await;
    assert_eq!((status, &answer["error"]["code"]), (409, &json!("followed")));
    drop(followed);
    world.idle("s1").await;
}

#[tokio::test]
async fn a_closed_session_is_no_place_to_send_to() {
    let world = World::new().await;
    world.idle("s1").await;
    world.post("/api/sessions/s1/events", json!({ "events": [{ "type": "closed" }] })).await;
    let (status, _) = world.post("/api/sessions/s1/reply", json!({ "text": "Go on" })).await;
    assert_eq!(status, 409);
}
