//! Cards without a model: what the session itself shows to be open (rule C5).
//!
//! Broken tests and errors come first, then what the worker promised or asked, then open plan items, then changed source
//! files that nothing tested. Each card names something of the session; where nothing can be named there is no card.

use super::filter::{DoneWork, MOST_CARDS, mentions};
use super::findings::{self, Finding};
use super::manager::{CardManager, DropReason, NewCard};
use super::names::SessionNames;
use super::proposals::{CHOICE, FIX, proposals};
use super::similar::Gist;
use super::tokens::{Token, tokens};
use crate::event::Author;
use crate::facts::SessionFacts;
use crate::ids::Turn;
use crate::state::CardOrigin;
use std::collections::BTreeMap;

/// What the fallback found, and what it kept back.
#[derive(Debug, Default)]
pub(crate) struct Fallback {
    pub(crate) cards: Vec<NewCard>,
    pub(crate) dropped: BTreeMap<DropReason, u32>,
}

/// The cards that the facts carry, at most three, the best first.
pub(crate) fn cards(facts: &SessionFacts, manager: &CardManager, session: &str, turn: Turn) -> Fallback {
    let names = SessionNames::of(&without_answers(facts));
    let done = DoneWork::of(facts);
    let mut fallback = Fallback::default();
    let broken = findings::still_broken(facts);
    let keys: Vec<&str> = broken.iter().flat_map(Finding::keys).collect();
    let mut taken: Vec<Gist> = Vec::new();
    for card in proposals(facts, &broken) {
        if fallback.cards.len() == MOST_CARDS {
            break;
        }
        let card = card.written_by(CardOrigin::Local, turn);
        let files = facts.touched_files.iter().filter(|file| mentions(&card.prompt, file)).cloned().collect();
        let card = card.about_files(files);
        let gist = Gist::of(&card.prompt);
        // What is broken has its card, whoever else speaks of it.
        let is_told = card.category != FIX && keys.iter().any(|key| names_it(&card.prompt, key));
        if is_told
            || !is_specific(&card, &names)
            || done.repeats(&card.title, &card.prompt)
            || taken.iter().any(|other| other.same_as(&gist))
        {
            // The fallback's own thoughts are not worth counting; what a person dismissed is.
            continue;
        }
        match manager.why_not(session, &card) {
            Some(DropReason::Dismissed) => {
                *fallback.dropped.entry(DropReason::Dismissed).or_default() += 1;
            }
            Some(_) => {}
            None => {
                taken.push(gist);
                fallback.cards.push(card);
            }
        }
    }
    fallback
}

/// Whether a text names this test or place, and does not just hold the same word.
fn names_it(text: &str, key: &str) -> bool {
    let is_name = key.contains(['_', ':', '/']) || key.chars().any(|letter| letter.is_ascii_digit());
    text.match_indices(key).any(|(at, _)| {
        let (before, behind) =
            (text.get(..at).unwrap_or_default(), text.get(at + key.len()..).unwrap_or_default());
        let joins = |letter: char| letter.is_alphanumeric() || letter == '_';
        let is_quoted = before.ends_with('`') && behind.starts_with('`');
        is_quoted || is_name && !before.ends_with(joins) && !behind.starts_with(joins)
    })
}

/// The fallback's own check, apart from the one for models: whatever its aim, a card names a broken test or place, a path
/// or symbol, or a word of the human's tasks, the plan or the files. The worker's own words prove nothing here, since the
/// card may be made of them.
fn is_specific(card: &NewCard, names: &SessionNames) -> bool {
    let has_name = || {
        tokens(&card.prompt)
            .iter()
            .any(|token| matches!(token, Token::Word { name_like: true, text } if text.len() > 2))
    };
    // "Should I go on or stop?" stands anywhere; "SQLite or a file" does not.
    let has_proper_name = || {
        let upper = |word: &str| word.chars().filter(|letter| letter.is_uppercase()).count() >= 2;
        card.category == CHOICE && card.title.split_whitespace().any(upper)
    };
    card.category == FIX || has_name() || names.are_in(&card.prompt) || has_proper_name()
}

/// The session without the worker's words.
fn without_answers(facts: &SessionFacts) -> SessionFacts {
    let mut facts = facts.clone();
    facts.messages.retain(|message| message.author != Author::Assistant);
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::manager::CardLimits;
    use crate::event::{GoalPhase, PlanItem, PlanStatus};
    use crate::facts::{MessageFact, ToolFact};

    fn session(task: &str, answer: &str) -> SessionFacts {
        let say = |author, text: &str| MessageFact { turn: Turn::new(1), author, text: text.to_owned() };
        SessionFacts {
            messages: vec![say(Author::Human, task), say(Author::Assistant, answer)],
            recent_human: vec![task.to_owned()],
            last_completed_turn: Some(Turn::new(1)),
            completed_turns: 1,
            ..SessionFacts::default()
        }
    }

    fn tool(name: &str, summary: &str, files: &[&str], ok: bool) -> ToolFact {
        ToolFact {
            turn: Turn::new(1),
            name: name.to_owned(),
            summary: Some(summary.to_owned()),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            ok: Some(ok),
        }
    }

    fn prompts(facts: &SessionFacts) -> Vec<String> {
        let manager = CardManager::new(CardLimits::default());
        cards(facts, &manager, "s", Turn::new(1)).cards.into_iter().map(|card| card.prompt).collect()
    }

    #[test]
    fn a_session_without_facts_gets_no_card_c5() {
        for (task, answer) in [
            ("Hello", "Hello! How can I help?"),
            ("Fix it", "All done, everything works."),
            ("运行一下", "完成了。"),
            ("Improve the code", "Next, I will clean up the code."),
            ("Hello", "Next, I will relax and wonder."),
        ] {
            assert_eq!(prompts(&session(task, answer)), [] as [&str; 0], "{task}");
        }
    }

    #[test]
    fn broken_tests_promises_and_untested_files_become_cards_c5() {
        let mut facts = session(
            "Add a --json flag to `report`.",
            "Done: src/report.rs prints JSON. Should I also update docs/usage.md?",
        );
        facts.touched_files = vec!["src/report.rs".to_owned()];
        facts.tools = vec![
            tool("edit", "edit src/report.rs", &["src/report.rs"], true),
            tool("bash", "cargo build\nerror[E0308]: mismatched types\n --> src/report.rs:12:5", &[], false),
        ];
        assert_eq!(
            prompts(&facts),
            [
                "Fix error E0308 that is reported at `src/report.rs:12`.",
                "Also update docs/usage.md",
                "Add a test that covers what was just changed in `src/report.rs`.",
            ]
        );
    }

    #[test]
    fn one_failure_is_one_card_whoever_speaks_of_it_c5() {
        let mut facts = session(
            "Add a test for an empty ledger to report.rs",
            "I added `report::tests::empty`, and it fails. Should I fix `empty` by starting the sum at zero? Next, I will describe it in docs/report.md.",
        );
        facts.tools = vec![tool(
            "bash",
            "cargo test report\ntest report::tests::empty ... FAILED\nthread 'report::tests::empty' panicked at src/report.rs:88:30:",
            &[],
            false,
        )];
        assert_eq!(
            prompts(&facts),
            [
                "Find out why the test `report::tests::empty` fails, with a panic at `src/report.rs:88`, and fix the cause.",
                "Describe it in docs/report.md",
            ]
        );
    }

    #[test]
    fn a_choice_that_the_worker_left_open_becomes_a_card_where_it_names_something_c5() {
        let facts =
            session("Keep the entries", "I can do that in two ways. Should I use SQLite or a plain file?");
        assert_eq!(
            prompts(&facts),
            [
                "You asked whether to use SQLite or a plain file. Choose what fits this project best, say why in one line, and go on."
            ]
        );
        for answer in ["Done. Should I go on or stop?", "Shall I continue or wait for you?"] {
            assert_eq!(prompts(&session("Hello", answer)), [] as [&str; 0], "{answer}");
        }
    }

    #[test]
    fn a_word_is_no_name_and_a_longer_name_is_another_one() {
        assert!(names_it("Fix `empty` first", "empty") && names_it("Fix test_a at once", "test_a"));
        assert!(!names_it("Describe the empty ledger", "empty") && !names_it("Fix test_ab", "test_a"));
        assert!(
            names_it("Look at src/a.rs:88.", "src/a.rs:88")
                && !names_it("Look at src/a.rs:881", "src/a.rs:88")
        );
    }

    #[test]
    fn a_build_that_failed_without_a_name_and_a_goal_that_rests_become_cards_c5() {
        let mut facts = session("Ship the parser", "The build is broken, I stop here.");
        facts.tools = vec![tool("bash", "make -C parser dist\nsomething went wrong", &[], false)];
        facts.goal = Some(("Ship the parser".to_owned(), GoalPhase::Blocked));
        assert_eq!(
            prompts(&facts),
            [
                "Run `make -C parser dist` again, find out why it fails, and fix the cause.",
                "Go on with the goal \"Ship the parser\": say what is missing, and do the next step of it.",
            ]
        );
        facts.tools.push(tool("bash", "make -C parser dist\nok", &[], true));
        facts.goal = Some(("Ship the parser".to_owned(), GoalPhase::Complete));
        assert_eq!(prompts(&facts), [] as [&str; 0]);
        for other in ["grep -q x y", "ls /nowhere", "cat make"] {
            facts.tools = vec![tool("bash", &format!("{other}\nno"), &[], false)];
            assert_eq!(prompts(&facts), [] as [&str; 0], "{other}");
        }
    }

    #[test]
    fn open_plan_items_become_cards_and_finished_ones_do_not_c5() {
        let mut facts = session("Port the parser", "The lexer is ported.");
        let item = |text: &str, status| PlanItem { text: text.to_owned(), status };
        facts.plan = vec![
            item("Port lexer.rs", PlanStatus::Completed),
            item("Port the parser's error recovery", PlanStatus::Pending),
            item("Wire the parser into main.rs", PlanStatus::InProgress),
        ];
        assert_eq!(
            prompts(&facts),
            [
                "Go on with the open item of the plan: Wire the parser into main.rs.",
                "Go on with the open item of the plan: Port the parser's error recovery.",
            ]
        );
    }

    #[test]
    fn a_plan_item_that_could_stand_anywhere_is_told_with_the_one_before_it_or_not_at_all_c5() {
        let mut facts = session("Port it", "The parser is written.");
        let item = |text: &str, status| PlanItem { text: text.to_owned(), status };
        facts.plan = vec![
            item("Write the parser", PlanStatus::Completed),
            item("Write the tests", PlanStatus::Pending),
        ];
        assert_eq!(
            prompts(&facts),
            ["Go on with the plan: \"Write the parser\" is done; now \"Write the tests\" for it."]
        );
        facts.plan.remove(0);
        assert_eq!(prompts(&facts), [] as [&str; 0]);
    }

    #[test]
    fn a_chinese_session_gets_chinese_words() {
        let mut facts = session("给登录模块增加重试", "已完成 src/login.py 的修改。");
        facts.touched_files = vec!["src/login.py".to_owned()];
        facts.tools = vec![tool("write", "write src/login.py", &["src/login.py"], true)];
        assert_eq!(prompts(&facts), ["为 `src/login.py` 刚才的修改补充一个测试。"]);
    }

    #[test]
    fn a_dismissed_thought_is_not_offered_again_c6() {
        let mut facts = session("Change it", "Changed src/a.py.");
        facts.touched_files = vec!["src/a.py".to_owned()];
        facts.tools = vec![tool("write", "write", &["src/a.py"], true)];
        let mut manager = CardManager::new(CardLimits::default());
        let made = cards(&facts, &manager, "s", Turn::new(1)).cards;
        let added = manager.offer("s", made, 0).added;
        manager.dismiss(&added[0], 1).unwrap();
        let again = cards(&facts, &manager, "s", Turn::new(2));
        assert!(again.cards.is_empty());
        assert_eq!(again.dropped, BTreeMap::from([(DropReason::Dismissed, 1)]));
    }
}
