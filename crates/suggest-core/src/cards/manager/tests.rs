use super::*;
use crate::ids::Turn;
use crate::state::{CardOrigin, Priority};
use proptest::prelude::*;

fn card(prompt: &str, priority: Priority, turn: u64) -> NewCard {
    NewCard::new(format!("Title of {prompt}"), "Because.", prompt)
        .with_rank("follow-up", priority)
        .written_by(CardOrigin::Model, Turn::new(turn))
        .about_files(vec!["src/a.rs".to_owned()])
}

fn step(number: u64) -> NewCard {
    card(&format!("Fix item_{number} in src/f{number}.rs"), Priority::Medium, 1)
}

fn manager_with(prompts: &[&str]) -> (CardManager, Vec<String>) {
    let mut manager = CardManager::default();
    let cards = prompts.iter().map(|prompt| card(prompt, Priority::Medium, 1)).collect();
    let added = manager.offer("s1", cards, 1_000).added;
    (manager, added)
}

fn hero(session: &str, status: HeroStatus) -> Hero {
    Hero {
        session: session.to_owned(),
        name: String::new(),
        status,
        workspace: Some("/workspace/repo".to_owned()),
    }
}

#[test]
fn acts_return_the_intent_and_wrong_ones_a_clear_error_c8() {
    let (mut manager, ids) = manager_with(&["Fix a.rs", "Fix b.rs", "Fix c.rs"]);
    let intent = manager.accept(&ids[0], 2_000).unwrap();
    assert_eq!(
        intent,
        PromptIntent { card: ids[0].clone(), session: "s1".to_owned(), prompt: "Fix a.rs".to_owned() }
    );
    assert_eq!(manager.accept(&ids[0], 2_000), Err(CardError::AlreadyAccepted { id: ids[0].clone() }));
    manager.dismiss(&ids[1], 2_000).unwrap();
    assert_eq!(manager.accept(&ids[1], 2_000), Err(CardError::Dismissed { id: ids[1].clone() }));
    assert_eq!(manager.dismiss(&ids[1], 2_000), Err(CardError::Dismissed { id: ids[1].clone() }));
    assert_eq!(manager.accept("s1-x", 2_000), Err(CardError::Unknown { id: "s1-x".to_owned() }));
    manager.turn_completed("s1", Turn::new(2), &[], 3_000);
    assert_eq!(manager.accept(&ids[2], 3_000), Err(CardError::Stale { id: ids[2].clone() }));
    manager.dismiss(&ids[2], 3_000).unwrap();
}

#[test]
fn a_card_goes_only_to_a_session_that_is_idle_c8() {
    let (mut manager, ids) = manager_with(&["Fix a.rs"]);
    let unknown = CardError::UnknownSession { session: "s2".to_owned() };
    assert_eq!(manager.assign(&ids[0], "s2", 0), Err(unknown));
    manager.note_hero(hero("s2", HeroStatus::Busy));
    assert_eq!(manager.assign(&ids[0], "s2", 0), Err(CardError::NotIdle { session: "s2".to_owned() }));
    manager.note_hero(hero("s2", HeroStatus::Idle));
    assert_eq!(manager.assign(&ids[0], "s2", 0).unwrap().session, "s2");
    let again = CardError::AlreadyAssigned { id: ids[0].clone(), to: "s2".to_owned() };
    assert_eq!(manager.accept(&ids[0], 0), Err(again));
}

#[test]
fn a_card_turns_stale_when_its_session_or_its_files_move_on_and_expires_c6() {
    let (mut manager, ids) = manager_with(&["Fix src/a.rs"]);
    let files = ["src/a.rs".to_owned()];
    // Another workspace's file of the same name is another file.
    assert!(!manager.turn_completed("s2", Turn::new(9), &files, 2_000));
    manager.note_hero(hero("s1", HeroStatus::Idle));
    manager.note_hero(hero("s2", HeroStatus::Idle));
    assert!(!manager.turn_completed("s2", Turn::new(9), &["src/b.rs".to_owned()], 2_000));
    assert!(manager.turn_completed("s2", Turn::new(9), &files, 2_000));
    assert!(manager.card(&ids[0]).unwrap().stale);

    let (mut manager, ids) = manager_with(&["Fix src/a.rs"]);
    assert!(!manager.turn_completed("s1", Turn::new(1), &[], 2_000), "its own turn is not newer");
    assert!(manager.turn_completed("s1", Turn::new(2), &[], 2_000));
    assert_eq!(manager.open_of("s1").len(), 1, "a stale card stays visible");
    let week = CardLimits::default().lifetime_ms;
    assert_eq!(manager.accept(&ids[0], 1_000 + week), Err(CardError::Retired { id: ids[0].clone() }));
}

#[test]
fn stale_cards_make_room_and_the_newest_three_stay_c6() {
    let (mut manager, first) = manager_with(&["Fix a.rs", "Fix b.rs", "Fix c.rs"]);
    manager.turn_completed("s1", Turn::new(2), &[], 2_000);
    // The same words for the new situation are a new card.
    let offered = manager.offer("s1", vec![card("Fix a.rs", Priority::High, 2)], 3_000);
    assert_eq!(offered.retired, first);
    assert_eq!(offered.added.len(), 1);
    assert_ne!(offered.added[0], first[0]);
    let more = (1..=3).map(step).collect();
    assert_eq!(manager.offer("s1", more, 4_000).retired, offered.added);
    assert_eq!(manager.open_of("s1").len(), 3);
}

#[test]
fn cards_are_drawn_fresh_first_then_by_priority_then_in_order() {
    let mut manager = CardManager::default();
    let cards = vec![
        card("Fix a.rs", Priority::Low, 1),
        card("Fix b.rs", Priority::High, 1),
        card("Fix c.rs", Priority::High, 1),
    ];
    manager.offer("s1", cards, 0);
    let order: Vec<&str> = manager.open_of("s1").iter().map(|card| card.prompt.as_str()).collect();
    assert_eq!(order, ["Fix b.rs", "Fix c.rs", "Fix a.rs"]);
}

#[test]
fn dismissed_content_stays_dismissed_under_any_id_and_in_any_session_f173() {
    let (mut manager, ids) = manager_with(&["Fix the parser in src/a.rs."]);
    manager.dismiss(&ids[0], 2_000).unwrap();
    for (session, prompt) in
        [("s1", "fix the parser in src/a.rs"), ("s2", "Please fix the parser in `src/a.rs`!")]
    {
        let offered = manager.offer(session, vec![card(prompt, Priority::High, 7)], 3_000);
        assert_eq!(offered.added, [] as [String; 0]);
        assert_eq!(offered.dropped, BTreeMap::from([(DropReason::Dismissed, 1)]));
    }
    let kept: CardBook = serde_json::from_value(serde_json::to_value(manager.book()).unwrap()).unwrap();
    let again = CardManager::from_book(CardLimits::default(), kept);
    assert!(again.is_dismissed("Fix the parser in src/a.rs"));
}

#[test]
fn ids_are_one_word_and_differ_between_sessions_that_look_alike() {
    let mut manager = CardManager::default();
    let mut ids = BTreeSet::new();
    for session in ["a b", "a_b", "a~20.b", "a/b", "", "会话"] {
        ids.extend(manager.offer(session, vec![step(1)], 0).added);
    }
    assert_eq!(ids.len(), 6);
    assert!(ids.iter().all(|id| !id.contains([' ', '/']) && id.is_ascii()));
}

#[test]
fn the_same_card_of_the_same_turn_has_the_same_id_after_a_restart() {
    let id = || CardManager::default().offer("s1", vec![step(1)], 5).added;
    assert_eq!(id(), id());
}

#[test]
fn unknown_fields_are_kept_c6() {
    let (manager, _) = manager_with(&["Fix a.rs"]);
    let mut book = serde_json::to_value(manager.book()).unwrap();
    book["colour"] = "red".into();
    book["cards"][0]["mood"] = serde_json::json!({"deep": [1]});
    let read: CardBook = serde_json::from_value(book.clone()).unwrap();
    let manager = CardManager::from_book(CardLimits::default(), read);
    assert_eq!(serde_json::to_value(manager.book()).unwrap(), book);
}

#[test]
fn what_a_core_kept_is_taken_up_and_what_is_further_along_wins_c6() {
    let (core, ids) = manager_with(&["Fix a.rs", "Fix b.rs", "Fix c.rs"]);
    let mut board = CardManager::default();
    assert!(board.absorb("s1", core.book(), 50_000));
    assert!(!board.absorb("s1", core.book(), 60_000), "the same again changes nothing");
    assert_eq!(board.card(&ids[0]).unwrap().created_at, 50_000);
    board.dismiss(&ids[0], 60_000).unwrap();
    board.accept(&ids[1], 60_000).unwrap();
    let mut core = core;
    core.dismiss(&ids[2], 7_000).unwrap();
    assert!(board.absorb("s1", core.book(), 70_000));
    let states: Vec<CardState> = ids.iter().map(|id| board.card(id).unwrap().state).collect();
    assert_eq!(states, [CardState::Dismissed, CardState::Accepted, CardState::Dismissed]);
    assert!(board.is_dismissed("Fix c.rs"));
    // And back: the core goes on with what the board knows.
    let back = CardManager::from_book(CardLimits::of_one_session(), board.book_of("s1"));
    assert!(back.is_dismissed("Fix a.rs") && back.open().count() == 0);
}

#[test]
fn a_summary_replaces_the_earlier_one_and_is_no_card_c9() {
    let mut manager = CardManager::default();
    for turn in 1..=2 {
        manager.put_summary(SessionSummary {
            session: "s1".to_owned(),
            text: format!("Text {turn}."),
            origin: CardOrigin::Local,
            turn: Turn::new(turn),
            follow_ups: vec!["Fix a.rs".to_owned()],
            created_at: turn,
            updated_at: turn,
            unknown: Default::default(),
        });
    }
    let snapshot = manager.snapshot(None);
    assert_eq!(snapshot.summaries.len(), 1);
    assert_eq!((snapshot.summaries[0].created_at, snapshot.summaries[0].text.as_str()), (1, "Text 2."));
    assert!(snapshot.cards.is_empty());
}

#[derive(Debug, Clone)]
enum Act {
    Offer(u8, Vec<u8>),
    Accept(usize),
    Dismiss(usize),
    DismissAll(Option<u8>),
    Turn(u8, u8),
    Pass(u32),
    Reload,
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (0_u8..4, prop::collection::vec(0_u8..40, 0..5)).prop_map(|(session, cards)| Act::Offer(session, cards)),
        2 => (0_usize..20).prop_map(Act::Accept),
        2 => (0_usize..20).prop_map(Act::Dismiss),
        1 => prop::option::of(0_u8..4).prop_map(Act::DismissAll),
        2 => (0_u8..4, 0_u8..20).prop_map(|(session, turn)| Act::Turn(session, turn)),
        1 => (0_u32..400_000_000).prop_map(Act::Pass),
        1 => Just(Act::Reload),
    ]
}

proptest! {
    #[test]
    fn caps_hold_numbers_rise_and_nothing_dismissed_comes_back_c6_c7(acts in prop::collection::vec(acts(), 0..60)) {
        let limits = CardLimits { cards: 10, dismissed: 1_000, ..CardLimits::default() };
        let mut manager = CardManager::new(limits);
        let (mut now, mut turn, mut seq) = (0_u64, 1_u64, 0_u64);
        let mut dismissed: BTreeSet<String> = BTreeSet::new();
        for act in acts {
            let before = serde_json::to_value(manager.book()).unwrap();
            match act {
                Act::Offer(session, cards) => {
                    let cards = cards
                        .into_iter()
                        .map(|number| card(&format!("Fix item_{number} in f{number}.rs"), Priority::Medium, turn))
                        .collect();
                    let added = manager.offer(&format!("s{session}"), cards, now).added;
                    for id in added {
                        prop_assert!(!dismissed.contains(&manager.card(&id).unwrap().prompt));
                    }
                }
                Act::Accept(which) => {
                    let id = manager.open().nth(which).map(|card| card.id.clone()).unwrap_or_default();
                    if manager.accept(&id, now).is_ok() {
                        prop_assert!(manager.accept(&id, now).is_err());
                    }
                }
                Act::Dismiss(which) => {
                    let card = manager.open().nth(which).cloned();
                    if let Some(card) = card
                        && manager.dismiss(&card.id, now).is_ok()
                    {
                        dismissed.insert(card.prompt);
                    }
                }
                Act::DismissAll(session) => {
                    let session = session.map(|session| format!("s{session}"));
                    let open: Vec<_> = manager.open().cloned().collect();
                    let ids = manager.dismiss_all(session.as_deref(), now);
                    dismissed.extend(open.into_iter().filter(|card| ids.contains(&card.id)).map(|card| card.prompt));
                }
                Act::Turn(session, step) => {
                    turn = turn.max(u64::from(step));
                    manager.turn_completed(&format!("s{session}"), Turn::new(turn), &[], now);
                }
                Act::Pass(ms) => {
                    now += u64::from(ms);
                    manager.expire(now);
                }
                Act::Reload => manager = CardManager::from_book(limits, manager.book().clone()),
            }
            prop_assert!(manager.book().cards.len() <= limits.cards);
            for session in 0..4 {
                let open = manager.open_of(&format!("s{session}")).len();
                prop_assert!(open <= 3);
            }
            let ids: BTreeSet<&String> = manager.book().cards.iter().map(|card| &card.id).collect();
            prop_assert_eq!(ids.len(), manager.book().cards.len());
            let changed = serde_json::to_value(manager.book()).unwrap() != before;
            prop_assert!(manager.seq() >= seq);
            prop_assert!(!changed || manager.seq() > seq, "a change without a snapshot");
            seq = manager.seq();
        }
    }
}
