//! The WebSocket (rule C7).

use crate::support::{SOON, World, refused};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::time::Duration;
use suggest_core::NewCard;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

fn ids(event: &Value) -> Vec<&str> {
    event["cards"].as_array().unwrap().iter().map(|card| card["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_late_subscriber_first_gets_the_current_snapshot_then_every_change_with_rising_numbers_c7() {
    let world = World::new().await;
    let first = world.offer("s1", &["Fix src/parser.rs"]).await;
    let mut page = world.subscribe().await;
    let now = page.next().await.unwrap();
    assert_eq!((&now["type"], ids(&now)), (&json!("suggestion_update"), vec![first[0].as_str()]));
    let second = world.offer("s1", &["Fix src/lexer.rs"]).await;
    let then = page.until("suggestion_update", |event| ids(event).len() == 2).await;
    assert!(then["seq"].as_u64() > now["seq"].as_u64());
    // The compatibility event tells of the new card alone.
    let string = page.until("idle_suggestion", |_| true).await;
    assert_eq!(
        string,
        json!({ "type": "idle_suggestion", "session": "s1", "suggestion": "Fix src/lexer.rs" })
    );
    world.ask("post", &format!("/api/cards/{}/dismiss", second[0]), None).await;
    let last = page.until("suggestion_update", |event| ids(event).len() == 1).await;
    assert!(last["seq"].as_u64() > then["seq"].as_u64());
}

#[tokio::test]
async fn what_another_process_decides_is_seen_c6_f178() {
    let world = World::new().await;
    let ids = world.offer("s1", &["Fix src/parser.rs"]).await;
    let mut page = world.subscribe().await;
    let other = suggest_store::CardStore::open(world.store.path()).unwrap();
    tokio::task::spawn_blocking(move || other.act(|cards, now| cards.dismiss(&ids[0], now)).unwrap())
        .await
        .unwrap();
    page.until("suggestion_update", |event| event["cards"] == json!([])).await;
}

#[tokio::test]
async fn one_who_does_not_read_is_dropped_holds_nobody_up_and_catches_up_by_the_next_snapshot_c7() {
    let world = World::limited(|limits| {
        limits.patience = Duration::from_millis(300);
        limits.subscribers = 2;
    })
    .await;
    let large = "Fix src/parser.rs ".repeat(5_000);
    let mut slow = world.subscribe().await;
    assert!(slow.next().await.is_some());
    let mut quick = world.subscribe().await;
    for round in 0..20_u32 {
        // Nobody reads `slow`; snapshots of a megabyte and more fill whatever the system buffers.
        let marker = format!("src/file_{round}.rs");
        let card = NewCard::new("A title", large.as_str(), format!("Fix {marker}"));
        let (store, session) = (world.store.clone(), format!("s{}", round % 8));
        let offer = move || store.change(|manager, now| manager.offer(&session, vec![card], now)).unwrap();
        tokio::task::spawn_blocking(offer).await.unwrap();
        quick
            .until("suggestion_update", |event| {
                let cards = event["cards"].as_array().unwrap();
                cards.iter().any(|card| card["prompt"].as_str().unwrap().ends_with(&marker))
            })
            .await;
    }
    // The slow one's place is free again, and the newest snapshot is the first that the next one sees.
    let dropped = async {
        loop {
            let mut request = format!("ws://{}/api/ws", world.address).into_client_request().unwrap();
            let bearer = format!("suggest.board.v1, bearer.{}", world.token.reveal());
            request.headers_mut().insert("sec-websocket-protocol", bearer.parse().unwrap());
            match tokio_tungstenite::connect_async(request).await {
                Ok((socket, _)) => return crate::support::Subscriber(socket),
                Err(error) => assert_eq!(refused(error), 503, "all places are taken"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let mut again = tokio::time::timeout(SOON, dropped).await.unwrap();
    let newest = again.next().await.unwrap();
    assert!(
        newest["cards"]
            .as_array()
            .unwrap()
            .iter()
            .any(|card| card["prompt"].as_str().unwrap().ends_with("src/file_19.rs"))
    );
}

#[tokio::test]
async fn large_messages_of_a_subscriber_end_its_connection() {
    use futures_util::SinkExt as _;
    let world = World::new().await;
    let mut page = world.subscribe().await;
    page.0.send("small talk has no meaning".into()).await.unwrap();
    let _ = page.0.send("x".repeat(100_000).into()).await;
    while page.next().await.is_some() {}
    world.offer("s1", &["Fix src/parser.rs"]).await;
    assert!(world.subscribe().await.next().await.is_some(), "others go on");
}

#[tokio::test]
async fn after_a_restart_everything_is_there_and_numbers_go_on_c6_c7() {
    let world = World::new().await;
    let offered = world.offer("s1", &["Fix src/parser.rs", "Add a case to tests/lists.rs"]).await;
    world.ask("post", &format!("/api/cards/{}/dismiss", offered[0]), None).await;
    let mut page = world.subscribe().await;
    let before = page.next().await.unwrap();
    let (port, token) = (world.address.port(), world.token.clone());
    let folder = world.end().await;
    while page.next().await.is_some() {}
    let world = World::with(Default::default(), folder, port).await;
    assert_eq!(world.token, token, "a page that is open stays open");
    let mut page = world.subscribe().await;
    let after = page.next().await.unwrap();
    assert_eq!(ids(&after), [offered[1].as_str()]);
    world.ask("post", &format!("/api/cards/{}/accept", offered[1]), None).await;
    let last = page.until("suggestion_update", |event| event["cards"] == json!([])).await;
    assert!(last["seq"].as_u64() > before["seq"].as_u64());
}
