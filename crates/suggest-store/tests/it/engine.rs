use crate::support::{folder, open, prompt};
use serde_json::json;
use suggest_core::{CardBook, CardLimits, CardManager, NewCard};
use suggest_engine::Store as _;

fn kept(core: &CardManager) -> serde_json::Value {
    let mut what = serde_json::to_value(core.book()).unwrap();
    what["kind"] = CardBook::KIND.into();
    what
}

#[tokio::test]
async fn what_a_core_persists_is_taken_up_and_given_back_c6() {
    let (_folder, path) = folder();
    let store = open(&path);
    let mut core = CardManager::new(CardLimits::of_one_session());
    let cards = vec![
        NewCard::new("A", "Because.", prompt("item_a")),
        NewCard::new("B", "Because.", prompt("item_b")),
    ];
    let ids = core.offer("s1", cards, 5).added;
    store.save("s1", &kept(&core)).await.unwrap();
    // A person decides on the board; the core does not know it yet and persists again.
    store.act(|cards, now| cards.dismiss(&ids[0], now)).unwrap();
    store.save("s1", &kept(&core)).await.unwrap();
    assert_eq!(store.read(|cards| cards.open().count()), 1);

    let store = open(&path);
    let mut back = store.load("s1", CardBook::KIND).await.unwrap().unwrap();
    back.as_object_mut().unwrap().remove("kind");
    let again = CardManager::from_book(CardLimits::of_one_session(), serde_json::from_value(back).unwrap());
    assert!(again.is_dismissed(&prompt("item_a")));
    assert_eq!(again.open_of("s1").len(), 1);
    assert_eq!(store.load("s2", CardBook::KIND).await.unwrap(), None);
}

#[tokio::test]
async fn numbers_that_must_not_be_used_twice_are_kept_beside_the_cards() {
    let (_folder, path) = folder();
    let counters = json!({"kind": "counters", "next_offer": 7});
    open(&path).save("s1", &counters).await.unwrap();
    assert_eq!(open(&path).load("s1", "counters").await.unwrap(), Some(counters));
    assert_eq!(open(&path).load("s1", "other").await.unwrap(), None);
}
