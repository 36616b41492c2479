//! Cards inside the host: the file of the board, and `/suggest cards` (rules C1, C6, C8).

use crate::plugin::{Answers, Plugin, except, willing};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use suggest_core::CardState;
use suggest_host_dsh::SidecarOptions;
use suggest_store::CardStore;

const OPEN_WORK: &str = "The parser reads lists now; `test_nested_lists` still fails.";

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("state").join("suggestions.json")
    }

    fn start(&self, answers: Box<Answers>) -> Plugin {
        Plugin::start_with(answers, SidecarOptions::default().with_cards(Some(self.file())))
    }

    /// A plugin that opened one session.
    async fn opened(&self, session: &str) -> Plugin {
        let mut plugin = self.start(willing());
        plugin.hello(row(json!({}))).await;
        plugin.open(session).await;
        plugin
    }
}

fn row(changes: Value) -> Value {
    let mut row = json!({ "summary": { "enabled": false } });
    for (key, value) in changes.as_object().unwrap() {
        row[key] = value.clone();
    }
    row
}

/// A whole turn of a human in which the worker says this, up to idle.
async fn work(plugin: &mut Plugin, session: &str, turn: u64, words: &str) {
    plugin.event(session, "turn/start", json!({ "turn": turn })).await;
    said(plugin, session, turn, words).await;
}

/// The rest of a turn.
async fn said(plugin: &mut Plugin, session: &str, turn: u64, words: &str) {
    let source = json!({ "kind": "user" });
    let message = json!({ "id": format!("{session}-{turn}"), "role": "user", "source": source,
        "content": [{ "type": "text", "text": format!("Make the parser read lists, part {turn}.") }] });
    plugin.event(session, "user/message", message).await;
    let answer = json!({ "turn": turn, "step": 1, "message": { "id": format!("{session}-a{turn}"),
        "role": "assistant", "source": { "kind": "model" }, "content": [{ "type": "text", "text": words }] } });
    plugin.event(session, "assistant/message", answer).await;
    plugin.event(session, "turn/end", json!({ "turn": turn, "reason": { "kind": "completed" } })).await;
    plugin.status(session, "idle", turn).await;
}

/// A whole turn in which the worker changes `src/parser.rs`.
async fn turn_that_edits(plugin: &mut Plugin, session: &str, turn: u64) {
    plugin.event(session, "turn/start", json!({ "turn": turn })).await;
    let call = json!({ "turn": turn, "step": 1, "callId": "c", "name": "edit",
        "arguments": "{\"file_path\":\"/workspace/src/parser.rs\"}" });
    plugin.event(session, "tool/call", call).await;
    let done = json!({ "turn": turn, "step": 1, "message": { "role": "user",
        "source": { "kind": "tool", "callId": "c" }, "content": [{ "type": "tool-result", "toolCallId": "c",
            "content": [], "isError": false }] } });
    plugin.event(session, "tool/result", done).await;
    said(plugin, session, turn, "The parser reads nested lists now.").await;
}

/// The ids in a list, as they are printed.
fn ids(list: &str) -> Vec<String> {
    let heads = list.lines().filter(|line| line.split("  ").next().is_some_and(|id| id.len() == 8));
    heads.map(|line| line.split("  ").next().unwrap().to_owned()).collect()
}

async fn listed(plugin: &mut Plugin, session: &str) -> (String, Vec<String>) {
    let (text, code) = plugin.command(session, "cards").await;
    assert_eq!(code, "ok", "{text}");
    let ids = ids(&text);
    (text, ids)
}

fn kept(file: &Path) -> CardStore {
    CardStore::open(file).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_session_that_goes_idle_has_its_cards_in_the_boards_file_before_a_person_sees_them_c6() {
    let place = Place::new();
    let mut plugin = place.opened("s").await;
    let (text, none) = listed(&mut plugin, "s").await;
    assert!(text.starts_with("no card is open; cards come when"), "{text}");
    assert!(none.is_empty());
    work(&mut plugin, "s", 1, OPEN_WORK).await;
    let (text, shown) = listed(&mut plugin, "s").await;
    assert!(!shown.is_empty(), "{text}");
    for part in [
        "take one with `/suggest cards accept ID`",
        "test_nested_lists",
        "fresh",
        "by the session's own facts",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Another process sees them at the same moment.
    let board =
        kept(&place.file()).read(|cards| cards.open().map(|card| card.id.clone()).collect::<Vec<_>>());
    assert_eq!(board.len(), shown.len());
    assert!(board.iter().all(|id| shown.iter().any(|short| id.ends_with(short.as_str()))), "{board:?}");
    // Facts made them: no model was asked, and nothing was spent.
    assert_eq!(plugin.count("model/complete"), 0);
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn accepting_puts_the_prompt_into_the_input_once_and_tells_everybody_c8() {
    let place = Place::new();
    let mut plugin = place.opened("s").await;
    work(&mut plugin, "s", 1, OPEN_WORK).await;
    let (text, shown) = listed(&mut plugin, "s").await;
    let prompt = text.lines().find_map(|line| line.strip_prefix("  > ")).unwrap().to_owned();
    let (answer, code) = plugin.command("s", &format!("cards accept {}", shown[0].get(..4).unwrap())).await;
    assert_eq!(code, "ok", "{answer}");
    assert!(answer.contains("goes into the input") && answer.ends_with(&prompt), "{answer}");
    {
        let seen = plugin.seen.lock().unwrap();
        assert_eq!(seen.all("input/fill"), [&json!({ "session": "s", "text": prompt })]);
        assert_eq!(seen.count("submit"), 0, "nothing is launched");
    }
    let accepted = kept(&place.file())
        .read(|cards| cards.book().cards.iter().filter(|card| card.state == CardState::Accepted).count());
    assert_eq!(accepted, 1);
    let (again, code) = plugin.command("s", &format!("cards accept {}", shown[0])).await;
    assert_eq!(code, "stale");
    assert!(again.contains("accepted already"), "{again}");
    assert_eq!(plugin.command("s", "cards accept nothing-like-it").await.1, "bad-argument");
    assert!(!listed(&mut plugin, "s").await.1.contains(&shown[0]));
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn where_the_host_cannot_fill_the_input_the_answer_says_so_and_holds_the_prompt_c8() {
    let place = Place::new();
    let deaf = except("input/fill", |_| Some(json!({ "ok": false, "reason": "no page is open" })));
    let mut plugin = place.start(deaf);
    plugin.hello(row(json!({}))).await;
    plugin.open("s").await;
    work(&mut plugin, "s", 1, OPEN_WORK).await;
    let (_, shown) = listed(&mut plugin, "s").await;
    let (answer, code) = plugin.command("s", &format!("cards accept {}", shown[0])).await;
    assert_eq!(code, "ok");
    assert!(answer.contains("the input was not filled (no page is open), so copy its prompt:\n"), "{answer}");
    assert!(answer.contains("test_nested_lists"));
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_another_process_decided_holds_here_and_a_dismissal_is_for_good_c6() {
    let place = Place::new();
    let mut plugin = place.opened("s").await;
    work(&mut plugin, "s", 1, OPEN_WORK).await;
    let (_, shown) = listed(&mut plugin, "s").await;
    let board = kept(&place.file());
    let whole =
        board.read(|cards| cards.open().find(|card| card.id.ends_with(&shown[0])).unwrap().id.clone());
    board.act(|cards, now| cards.accept(&whole, now)).unwrap();
    assert_eq!(plugin.command("s", &format!("cards accept {}", shown[0])).await.1, "stale");
    assert!(!listed(&mut plugin, "s").await.1.contains(&shown[0]));
    // The state of the session says the same from then on, and nobody's input was touched for it.
    let open = |state: &Value| {
        state["state"]["cards"]["open"].as_array().unwrap().iter().any(|card| card["id"] == *whole)
    };
    plugin.until(|seen| (!open(seen.state("s")?)).then_some(())).await;
    assert_eq!(plugin.count("input/fill"), 0);
    plugin.end().await.unwrap();

    // Another file, and the other verb: it holds after a restart, whatever the facts say then.
    let place = Place::new();
    let mut plugin = place.opened("s").await;
    work(&mut plugin, "s", 1, OPEN_WORK).await;
    let (_, shown) = listed(&mut plugin, "s").await;
    let (answer, code) = plugin.command("s", &format!("cards dismiss {}", shown[0])).await;
    assert_eq!((answer, code.as_str()), (format!("card {} dismissed for good", shown[0]), "ok"));
    plugin.end().await.unwrap();
    let mut plugin = place.opened("s").await;
    work(&mut plugin, "s", 1, OPEN_WORK).await;
    assert!(!listed(&mut plugin, "s").await.1.contains(&shown[0]));
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn cards_outlive_the_sidecar_and_turn_stale_when_the_session_moves_on_c6() {
    let place = Place::new();
    let mut plugin = place.opened("s").await;
    work(&mut plugin, "s", 1, OPEN_WORK).await;
    // Nobody looked: its end writes what waits.
    plugin.end().await.unwrap();

    let mut plugin = place.start(willing());
    plugin.hello(row(json!({}))).await;
    plugin.open_with("s", json!({ "resumed": true }), Vec::new()).await;
    let (text, before) = listed(&mut plugin, "s").await;
    assert!(!before.is_empty() && text.contains("fresh"), "{text}");
    work(&mut plugin, "s", 2, "All tests pass now.").await;
    let (text, _) = listed(&mut plugin, "s").await;
    assert!(!text.contains(" · fresh · "), "{text}");
    let (refusal, code) = plugin.command("s", &format!("cards accept {}", before[0])).await;
    assert_eq!(code, "stale", "{refusal}");
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn another_session_that_touches_the_file_of_a_card_makes_it_stale_c6() {
    let place = Place::new();
    let mut plugin = place.start(willing());
    plugin.hello(row(json!({}))).await;
    for session in ["one", "two"] {
        plugin.open(session).await;
    }
    turn_that_edits(&mut plugin, "one", 1).await;
    let (text, _) = listed(&mut plugin, "one").await;
    assert!(text.contains(" · fresh · ") && text.contains("src/parser.rs"), "{text}");
    turn_that_edits(&mut plugin, "two", 1).await;
    let (text, _) = listed(&mut plugin, "one").await;
    assert!(text.contains("stale: the session moved on"), "{text}");
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_configured_model_writes_the_cards_and_the_facts_stand_in_where_it_fails_c5() {
    let place = Place::new();
    let writer = except("model/complete", |params| {
        let text = json!([{ "title": "Fix nested lists", "text": "It still fails.", "category": "bug", "priority": "high",
            "prompt": "Make `test_nested_lists` in src/parser.rs pass by recursing in parse_list." }]);
        (params["model"] == "writer").then(|| json!({ "text": text.to_string(), "finish": "stop" }))
    });
    let mut plugin = place.start(writer);
    plugin.hello(row(json!({ "cards": { "model": "mock/writer" } }))).await;
    plugin.open("s").await;
    work(&mut plugin, "s", 1, OPEN_WORK).await;
    plugin.until(|seen| (seen.count("model/complete") == 1).then_some(())).await;
    plugin.settle().await;
    let (text, _) = listed(&mut plugin, "s").await;
    assert!(text.contains("high · bug · fresh · by the model") && text.contains("recursing"), "{text}");
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn switched_off_cards_say_so_and_leave_no_file() {
    let place = Place::new();
    let mut plugin = place.start(willing());
    plugin.hello(row(json!({ "cards": { "enabled": false } }))).await;
    plugin.open("s").await;
    work(&mut plugin, "s", 1, OPEN_WORK).await;
    plugin.settle().await;
    plugin.end().await.unwrap();
    assert!(!place.file().exists());

    let mut plugin = place.start(willing());
    plugin.hello(row(json!({ "cards": { "enabled": false } }))).await;
    plugin.open("s").await;
    let (text, _) = listed(&mut plugin, "s").await;
    assert!(text.contains("cards are off: `cards.enabled` is false"), "{text}");
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn without_a_usable_file_cards_live_in_memory_and_every_answer_says_so() {
    let place = Place::new();
    // A file stands where the folder should be.
    std::fs::write(place.folder.path().join("state"), "x").unwrap();
    let mut plugin = place.opened("s").await;
    work(&mut plugin, "s", 1, OPEN_WORK).await;
    let (text, shown) = listed(&mut plugin, "s").await;
    assert!(text.contains("cards are kept in memory only: ") && !shown.is_empty(), "{text}");
    let (answer, code) = plugin.command("s", &format!("cards accept {}", shown[0])).await;
    assert_eq!(code, "ok");
    assert!(answer.contains("in memory only") && answer.contains("goes into the input"), "{answer}");
    assert_eq!(plugin.count("input/fill"), 1);
    assert_eq!(plugin.command("s", "cards dismiss all").await.1, "ok");
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_damaged_file_is_set_aside_and_the_person_is_told_once_c6() {
    let place = Place::new();
    std::fs::create_dir_all(place.file().parent().unwrap()).unwrap();
    std::fs::write(place.file(), "{ not json").unwrap();
    let mut plugin = place.opened("s").await;
    work(&mut plugin, "s", 1, OPEN_WORK).await;
    let (text, shown) = listed(&mut plugin, "s").await;
    assert!(text.contains("is damaged") && text.contains("it was kept as"), "{text}");
    assert!(!shown.is_empty());
    assert!(!listed(&mut plugin, "s").await.0.contains("is damaged"));
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn subagents_and_headless_sessions_feed_no_cards_d12() {
    let place = Place::new();
    let mut plugin = place.start(willing());
    plugin.hello(row(json!({}))).await;
    for (session, changes) in [("child", json!({ "root": false })), ("alone", json!({ "web": false }))] {
        plugin.open_with(session, changes, Vec::new()).await;
        work(&mut plugin, session, 1, OPEN_WORK).await;
        assert!(listed(&mut plugin, session).await.1.is_empty());
    }
    plugin.end().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn whoever_makes_a_card_of_the_same_facts_gives_it_the_same_id_so_that_it_is_there_once_c6() {
    let live = Place::new();
    let mut plugin = live.opened("a-session").await;
    work(&mut plugin, "a-session", 1, OPEN_WORK).await;
    let (_, made) = listed(&mut plugin, "a-session").await;
    plugin.end().await.unwrap();

    // Another process that knows the same session as a past, as a board that reads its log does, on a file of its own.
    let told = [
        json!({ "type": "turn/start", "data": { "turn": 1 } }),
        json!({ "type": "user/message", "data": { "id": "u", "role": "user", "source": { "kind": "user" },
            "content": [{ "type": "text", "text": "Make the parser read lists, part 1." }] } }),
        json!({ "type": "assistant/message", "data": { "turn": 1, "step": 1, "message": { "id": "a",
            "role": "assistant", "source": { "kind": "model" },
            "content": [{ "type": "text", "text": OPEN_WORK }] } } }),
        json!({ "type": "turn/end", "data": { "turn": 1, "reason": { "kind": "completed" } } }),
    ];
    let past = Place::new();
    let mut plugin = past.start(willing());
    plugin.hello(row(json!({}))).await;
    plugin.open_with("a-session", json!({ "resumed": true }), told.to_vec()).await;
    plugin.settle().await;
    assert!(listed(&mut plugin, "a-session").await.1.is_empty(), "a past makes none by itself (rule D15)");
    let (text, code) = plugin.command("a-session", "cards refresh").await;
    assert_eq!((ids(&text), code.as_str()), (made, "ok"));
    plugin.end().await.unwrap();
}
