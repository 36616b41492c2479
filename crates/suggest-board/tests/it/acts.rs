//! What a person does with cards (rules C6, C8).

use crate::support::World;
use pretty_assertions::assert_eq;
use serde_json::json;

#[tokio::test]
async fn accepting_gives_the_prompt_and_the_session_once_c8() {
    let world = World::new().await;
    let ids = world.offer("s1", &["Fix `reads_nested_lists` in src/parser.rs"]).await;
    let path = format!("/api/cards/{}/accept", ids[0]);
    let (status, answer) = world.ask("post", &path, None).await;
    assert_eq!(
        (status, &answer),
        (
            200,
            &json!({ "intent": {
        "card": ids[0], "session": "s1", "prompt": "Fix `reads_nested_lists` in src/parser.rs" } })
        )
    );
    let (status, answer) = world.ask("post", &path, None).await;
    assert_eq!((status, &answer["error"]["code"]), (409, &json!("already-accepted")));
    let (status, answer) = world.ask("post", "/api/cards/s1-00000000/accept", None).await;
    assert_eq!((status, &answer["error"]["code"]), (404, &json!("unknown-card")));
}

#[tokio::test]
async fn of_many_who_accept_at_once_one_does_c8() {
    let world = World::new().await;
    let ids = world.offer("s1", &["Fix src/parser.rs"]).await;
    let path = format!("/api/cards/{}/accept", ids[0]);
    let asked = futures_util::future::join_all((0..20).map(|_| world.ask("post", &path, None))).await;
    assert_eq!(asked.iter().filter(|(status, _)| *status == 200).count(), 1);
    assert_eq!(asked.iter().filter(|(status, _)| *status == 409).count(), 19);
}

#[tokio::test]
async fn a_card_goes_to_a_named_idle_session_and_to_no_other_c8() {
    let world = World::new().await;
    let ids = world.offer("s1", &["Fix src/parser.rs"]).await;
    let path = format!("/api/cards/{}/assign", ids[0]);
    world.idle("s2").await;
    let busy = json!({ "events": [{ "type": "turn_started", "turn": 1 }] });
    assert_eq!(world.post("/api/sessions/s3/events", busy).await.0, 200);
    let (status, answer) = world.post(&path, json!({ "session": "s9" })).await;
    assert_eq!((status, &answer["error"]["code"]), (404, &json!("unknown-session")));
    let (status, answer) = world.post(&path, json!({ "session": "s3" })).await;
    assert_eq!((status, &answer["error"]["code"]), (409, &json!("not-idle")));
    let (status, answer) = world.post(&path, json!({ "session": "s2" })).await;
    assert_eq!((status, &answer["intent"]["session"]), (200, &json!("s2")));
    let (status, answer) = world.ask("post", &format!("/api/cards/{}/accept", ids[0]), None).await;
    assert_eq!((status, &answer["error"]["code"]), (409, &json!("already-assigned")));
}

#[tokio::test]
async fn dismissed_content_does_not_come_back_under_another_id_c6_f173() {
    let world = World::new().await;
    let ids = world.offer("s1", &["Fix src/parser.rs", "Add a case to tests/lists.rs"]).await;
    let (status, answer) = world.ask("post", &format!("/api/cards/{}/dismiss", ids[0]), None).await;
    assert_eq!((status, answer), (200, json!({ "dismissed": [ids[0]] })));
    assert_eq!(world.offer("s2", &["fix  SRC/parser.rs"]).await, Vec::<String>::new());
    let (status, answer) = world.ask("post", "/api/cards/dismiss-all", None).await;
    assert_eq!((status, answer), (200, json!({ "dismissed": [ids[1]] })));
    let (_, cards) = world.ask("get", "/api/cards", None).await;
    assert_eq!(cards["cards"], json!([]));
}

#[tokio::test]
async fn bulk_dismissal_keeps_to_its_session_and_leaves_summaries_c8() {
    let world = World::new().await;
    world.offer("s1", &["Fix src/parser.rs"]).await;
    let other = world.offer("s2", &["Fix src/lexer.rs"]).await;
    let (_, answer) = world.post("/api/cards/dismiss-all", json!({ "session": "s1" })).await;
    assert_eq!(answer["dismissed"].as_array().unwrap().len(), 1);
    let (status, card) = world.ask("get", &format!("/api/cards/{}", other[0]), None).await;
    assert_eq!((status, &card["prompt"]), (200, &json!("Fix src/lexer.rs")));
}

#[tokio::test]
async fn a_store_that_cannot_be_written_refuses_and_changes_nothing_c6() {
    let world = World::new().await;
    let ids = world.offer("s1", &["Fix src/parser.rs"]).await;
    // A folder stands where the file must be.
    let path = world.store.path().to_owned();
    let aside = path.with_extension("aside");
    std::fs::rename(&path, &aside).unwrap();
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("in-the-way"), "").unwrap();
    let (status, answer) = world.ask("post", &format!("/api/cards/{}/accept", ids[0]), None).await;
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("not-saved")));
    let mut page = world.subscribe().await;
    page.until("session_update", |event| event["notices"] != json!([])).await;
    std::fs::remove_dir_all(&path).unwrap();
    std::fs::rename(&aside, &path).unwrap();
    assert_eq!(world.ask("post", &format!("/api/cards/{}/accept", ids[0]), None).await.0, 200);
    page.until("session_update", |event| event["notices"] == json!([])).await;
}

#[tokio::test]
async fn a_reply_is_a_prompt_for_a_session_that_is_there_c10() {
    let world = World::new().await;
    world.idle("s1").await;
    let (status, answer) = world.post("/api/sessions/s1/reply", json!({ "text": "Go on" })).await;
    assert_eq!((status, answer), (200, json!({ "intent": { "session": "s1", "prompt": "Go on" } })));
    assert_eq!(world.post("/api/sessions/s9/reply", json!({ "text": "Go on" })).await.0, 404);
    assert_eq!(world.post("/api/sessions/s1/reply", json!({ "text": "  " })).await.0, 400);
}
