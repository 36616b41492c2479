//! `suggest serve` is killed in the middle of its work, again and again: what it acknowledged is there afterwards, and
//! nothing is half done (rule C6).

#![expect(clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use crate::board::{Board, Client, kept, until};
use crate::support::World;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Acknowledged changes before the test is content.
const CHANGES: usize = 1_000;
/// So many sessions have three cards each when the acts of a round begin.
const SESSIONS: usize = 14;
/// People who act at the same time.
const HANDS: usize = 3;
const DESK: &str = "desk";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
    Accept,
    Assign,
    Dismiss,
}

impl Act {
    fn of(number: usize) -> Self {
        [Self::Accept, Self::Assign, Self::Dismiss][number % 3]
    }

    fn state(self) -> &'static str {
        match self {
            Self::Accept => "accepted",
            Self::Assign => "assigned",
            Self::Dismiss => "dismissed",
        }
    }

    fn ask(self, client: &Client, card: &str) -> std::io::Result<(u16, Value)> {
        match self {
            Self::Accept => client.post(&format!("/api/cards/{card}/accept"), &Value::Null),
            Self::Assign => client.post(&format!("/api/cards/{card}/assign"), &json!({ "session": DESK })),
            Self::Dismiss => client.post(&format!("/api/cards/{card}/dismiss"), &Value::Null),
        }
    }
}

/// What is known of what was asked.
#[derive(Default)]
struct Ledger {
    /// Cards that were seen, with what was acknowledged of them.
    cards: BTreeMap<String, Option<Act>>,
    /// Acts without an answer: done or not, but whole.
    unanswered: BTreeSet<(String, Act)>,
    changes: usize,
}

/// Numbers that differ from round to round and are the same in every run.
fn spread(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 31)
}

#[test]
fn a_board_that_is_killed_at_any_moment_keeps_each_of_a_thousand_acknowledged_changes_c6() {
    let world = World::new();
    let mut ledger = Ledger::default();
    let mut round = 0;
    while ledger.changes < CHANGES {
        assert!(round < 200, "{} changes in {round} rounds", ledger.changes);
        one_round(&world, &mut ledger, round);
        check(&world, &ledger, round);
        round += 1;
    }
    assert!(round >= 10, "there were {round} kills");
    // And the page sees the same.
    let board = Board::start(&world);
    let client = board.client();
    let open: BTreeSet<String> = ids(&client.get("/api/cards"));
    for (card, act) in &ledger.cards {
        let asked = ledger.unanswered.iter().any(|(asked, _)| asked == card);
        match act {
            Some(act) => assert!(!open.contains(card), "{card} was {}", act.state()),
            None => assert!(asked || open.contains(card), "{card} is lost"),
        }
    }
    let (card, _) = ledger.cards.iter().rfind(|(_, act)| **act == Some(Act::Dismiss)).unwrap();
    let (status, answer) = client.post(&format!("/api/cards/{card}/accept"), &Value::Null).unwrap();
    assert_eq!((status, &answer["error"]["code"]), (409, &json!("dismissed")));
    board.kill();
}

/// Starts the board, tells of sessions, acts on their cards with several hands, and kills it meanwhile.
fn one_round(world: &World, ledger: &mut Ledger, round: usize) {
    let board = Board::start(world);
    let client = board.client();
    client.post(&format!("/api/sessions/{DESK}/events"), &json!({ "events": [{ "type": "idle" }] })).unwrap();
    // What an earlier round left open waits still, and what it asked without an answer was not done.
    let mut waiting: Vec<String> = ids(&client.get("/api/cards")).into_iter().collect();
    ledger.unanswered.retain(|(card, _)| !waiting.contains(card));
    ledger.cards.extend(waiting.iter().map(|card| (card.clone(), None)));
    for number in 0..SESSIONS.saturating_sub(waiting.len() / 3) {
        let session = format!("round-{round}-{number}");
        assert_eq!(client.tell_of_three_failures(&session).unwrap().0, 200);
        let cards = until("the cards of a session", || {
            let cards = client.open_of(&session).unwrap();
            (cards.len() == 3).then_some(cards)
        });
        ledger.changes += 1;
        ledger.cards.extend(cards.iter().map(|card| (card.clone(), None)));
        waiting.extend(cards);
    }
    let (next, shared) = (AtomicUsize::new(0), Mutex::new(&mut *ledger));
    std::thread::scope(|scope| {
        for hand in 0..HANDS {
            let (client, waiting, next, shared) = (client.clone(), &waiting, &next, &shared);
            scope.spawn(move || {
                loop {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    let Some(card) = waiting.get(turn) else {
                        // Sessions go on telling: a card must not be half there either.
                        if turn > waiting.len() + 20 {
                            return;
                        }
                        let told =
                            client.tell_of_three_failures(&format!("round-{round}-more-{hand}-{turn}"));
                        if told.is_err() {
                            return;
                        }
                        continue;
                    };
                    let act = Act::of(turn + round);
                    let answer = act.ask(&client, card);
                    let mut ledger = shared.lock().unwrap();
                    match answer {
                        Ok((200, _)) => {
                            ledger.cards.insert(card.clone(), Some(act));
                            ledger.changes += 1;
                        }
                        Ok((status, answer)) => panic!("{act:?} {card}: {status} {answer}"),
                        Err(_) => {
                            ledger.unanswered.insert((card.clone(), act));
                            return;
                        }
                    }
                }
            });
        }
        let seed = u64::try_from(round).unwrap();
        // Anywhere from the first act to behind the last one.
        std::thread::sleep(Duration::from_micros(spread(seed) % 500_000));
        board.kill();
    });
}

fn ids(book: &Value) -> BTreeSet<String> {
    book["cards"].as_array().unwrap().iter().map(|card| card["id"].as_str().unwrap().to_owned()).collect()
}

/// Whether the file holds what was acknowledged, and each change whole or not at all.
fn check(world: &World, ledger: &Ledger, round: usize) {
    let book = kept(world);
    let states: BTreeMap<&str, &Value> =
        book["cards"].as_array().unwrap().iter().map(|card| (card["id"].as_str().unwrap(), card)).collect();
    let dismissed: BTreeSet<&str> =
        book["dismissed"].as_array().unwrap().iter().map(|gone| gone["id"].as_str().unwrap()).collect();
    for (card, act) in &ledger.cards {
        let state = states.get(card.as_str()).map(|kept| kept["state"].as_str().unwrap());
        match act {
            // Closed cards make room, the oldest first; a dismissal stays.
            Some(act) => {
                assert!(
                    state.is_none_or(|state| state == act.state()),
                    "round {round}: {card} {act:?} {state:?}"
                );
                assert_eq!(*act == Act::Dismiss, dismissed.contains(card.as_str()), "round {round}: {card}");
            }
            None => {
                let asked =
                    ledger.unanswered.iter().find(|(asked, _)| asked == card).map(|(_, act)| act.state());
                let fits = state.is_none_or(|state| state == "open" || Some(state) == asked);
                assert!(
                    fits && (state.is_some() || asked.is_some()),
                    "round {round}: {card} {state:?} {asked:?}"
                );
            }
        }
    }
    for (id, card) in &states {
        assert_eq!(card["state"] == "dismissed", dismissed.contains(id), "round {round}: {id}");
        assert_eq!(card["state"] == "assigned", card["assigned_to"] == DESK, "round {round}: {id}");
    }
    for act in [Act::Accept, Act::Assign, Act::Dismiss] {
        let sure = ledger.cards.values().filter(|done| **done == Some(act)).count();
        let most = sure + ledger.unanswered.iter().filter(|(_, asked)| *asked == act).count();
        let counted = usize::try_from(book["counts"][act.state()].as_u64().unwrap()).unwrap();
        assert!((sure..=most).contains(&counted), "round {round}: {act:?} {sure} {counted} {most}");
    }
    // The cards of one answer come together.
    let prefix = format!("round-{round}-");
    let mut per_session: BTreeMap<&str, usize> = BTreeMap::new();
    for card in states.values() {
        let session = card["session"].as_str().unwrap();
        if session.starts_with(&prefix) {
            *per_session.entry(session).or_default() += 1;
        }
    }
    assert!(per_session.values().all(|cards| *cards == 3), "round {round}: {per_session:?}");
    let left: Vec<String> = std::fs::read_dir(world.path("cards"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("set-aside"))
        .collect();
    assert_eq!(left, [] as [&str; 0], "round {round}: the file was always whole");
}
