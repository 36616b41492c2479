//! Cards without a model: what the session itself shows to be open (rule C5).
//!
//! Broken tests and errors come first, then what the worker promised or asked, then open plan items, then changed source
//! files that nothing tested. Each card names something of the session; where nothing can be named there is no card.

use super::filter::{DoneWork, MOST_CARDS, mentions};
use super::findings::{self, Finding};
use super::generic::looks_generic;
use super::manager::{CardManager, DropReason, NewCard};
use super::names::SessionNames;
use super::said::{self, Said};
use super::similar::Gist;
use super::tokens::{Token, tokens};
use super::work::{last_answer, last_task};
use crate::defuse::shorten_middle;
use crate::event::{Author, GoalPhase, PlanStatus};
use crate::facts::SessionFacts;
use crate::ids::Turn;
use crate::state::{CardOrigin, Priority};
use std::collections::BTreeMap;

const TITLE_CHARS: usize = 70;
const PART_CHARS: usize = 240;
/// Open plan items that become cards.
const PLAN_CARDS: usize = 2;
/// Tests that fail at one place and are named.
const NAMED_TESTS: usize = 3;
/// The category of what is broken by name.
const FIX: &str = "fix";

/// What the fallback found, and what it kept back.
#[derive(Debug, Default)]
pub(crate) struct Fallback {
    pub(crate) cards: Vec<NewCard>,
    pub(crate) dropped: BTreeMap<DropReason, u32>,
}

/// The language of a card's own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tongue {
    English,
    Chinese,
}

impl Tongue {
    fn of(facts: &SessionFacts) -> Self {
        let text = last_task(facts).unwrap_or_default();
        let count = |wanted: fn(char) -> bool| text.chars().filter(|letter| wanted(*letter)).count();
        let han = count(|letter| matches!(letter, '\u{4e00}'..='\u{9fff}'));
        let kana = count(|letter| matches!(letter, '\u{3041}'..='\u{30ff}'));
        if han >= 2 && kana == 0 { Self::Chinese } else { Self::English }
    }

    fn say(self, english: String, chinese: String) -> String {
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }
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
    card.category == FIX || has_name() || names.are_in(&card.prompt)
}

/// The session without the worker's words.
fn without_answers(facts: &SessionFacts) -> SessionFacts {
    let mut facts = facts.clone();
    facts.messages.retain(|message| message.author != Author::Assistant);
    facts
}

fn proposals(facts: &SessionFacts, broken: &[Finding]) -> Vec<NewCard> {
    let tongue = Tongue::of(facts);
    let mut cards: Vec<NewCard> = broken.iter().map(|finding| for_finding(finding, tongue)).collect();
    if broken.is_empty() {
        cards.extend(findings::failed_command(facts).map(|command| for_command(command, tongue)));
    }
    cards.extend(
        said::open_ends(last_answer(facts).unwrap_or_default()).iter().map(|said| for_said(said, tongue)),
    );
    cards.extend(for_plan(facts, tongue));
    cards.extend(for_untested(facts, tongue));
    cards.extend(for_goal(facts, tongue));
    cards
}

/// A build or a check that failed, where its output names nothing.
fn for_command(command: &str, tongue: Tongue) -> NewCard {
    titled(
        tongue.say(format!("Find out why `{command}` fails"), format!("找出 `{command}` 失败的原因")),
        tongue.say(
            format!("`{command}` failed in the last turn and did not pass since."),
            format!("`{command}` 在上一轮失败，此后没有通过。"),
        ),
        tongue.say(
            format!("Run `{command}` again, find out why it fails, and fix the cause."),
            format!("重新运行 `{command}`，找出失败的原因并修复。"),
        ),
        FIX,
        Priority::High,
    )
}

/// A goal that is neither reached nor driven on by anybody.
fn for_goal(facts: &SessionFacts, tongue: Tongue) -> Option<NewCard> {
    let (objective, phase) = facts.goal.as_ref()?;
    let stands = match phase {
        GoalPhase::Paused => tongue.say("It is paused.".to_owned(), "它已暂停。".to_owned()),
        GoalPhase::Blocked => tongue.say("It is blocked.".to_owned(), "它受阻了。".to_owned()),
        GoalPhase::Active | GoalPhase::Complete => return None,
    };
    let objective = item_text(objective);
    if looks_generic(&objective) {
        return None;
    }
    Some(titled(
        tongue.say(format!("Go on with the goal: {objective}"), format!("继续目标：{objective}")),
        tongue.say(
            format!("The goal of the session is not reached. {stands}"),
            format!("会话的目标尚未达成。{stands}"),
        ),
        tongue.say(
            format!("Go on with the goal \"{objective}\": say what is missing, and do the next step of it."),
            format!("继续完成目标“{objective}”：说明还缺什么，并完成下一步。"),
        ),
        "goal",
        Priority::Low,
    ))
}

fn titled(title: String, text: String, prompt: String, category: &str, priority: Priority) -> NewCard {
    NewCard::new(shorten_middle(&title, TITLE_CHARS), text, prompt).with_rank(category, priority)
}

fn for_finding(finding: &Finding, tongue: Tongue) -> NewCard {
    match finding {
        Finding::Test { name, at, more } if more.is_empty() => {
            let (at, at_chinese) = at.as_ref().map_or_else(Default::default, |place| {
                (format!(", with a panic at `{place}`"), format!("，在 `{place}` 处 panic"))
            });
            titled(
                tongue.say(format!("Fix failing test {name}"), format!("修复失败的测试 {name}")),
                tongue.say(
                    format!("The test `{name}` failed when it last ran{at}."),
                    format!("测试 `{name}` 最近一次运行失败了{at_chinese}。"),
                ),
                tongue.say(
                    format!("Find out why the test `{name}` fails{at}, and fix the cause."),
                    format!("找出测试 `{name}` 失败的原因{at_chinese}，并修复。"),
                ),
                FIX,
                Priority::High,
            )
        }
        Finding::Test { name, at, more } => {
            let place = at.as_deref().unwrap_or_default();
            let count = more.len() + 1;
            let names: Vec<String> =
                std::iter::once(name).chain(more).take(NAMED_TESTS).map(|name| format!("`{name}`")).collect();
            let (names, last) = (names.join(", "), count.saturating_sub(NAMED_TESTS));
            let (rest, rest_chinese) = match last {
                0 => (String::new(), String::new()),
                more => (format!(" and {more} more"), format!(" 等另外 {more} 个")),
            };
            titled(
                tongue.say(
                    format!("Fix the panic at {place} behind {count} failing tests"),
                    format!("修复导致 {count} 个测试失败的 {place} 处 panic"),
                ),
                tongue.say(
                    format!("{names}{rest} failed when they last ran, all at `{place}`."),
                    format!("{names}{rest_chinese}最近一次运行都在 `{place}` 处失败。"),
                ),
                tongue.say(
                    format!("Find out why these tests panic at `{place}`, and fix the cause: {names}{rest}."),
                    format!("找出以下测试在 `{place}` 处 panic 的原因并修复：{names}{rest_chinese}。"),
                ),
                FIX,
                Priority::High,
            )
        }
        Finding::Error { place, what } => titled(
            tongue.say(format!("Fix {what} in {place}"), format!("修复 {place} 的 {what}")),
            tongue.say(
                format!("A tool reported {what} at `{place}`, and nothing since shows that it is gone."),
                format!("工具在 `{place}` 报告了 {what}，之后没有迹象表明已解决。"),
            ),
            tongue.say(
                format!("Fix {what} that is reported at `{place}`."),
                format!("修复在 `{place}` 报告的 {what}。"),
            ),
            FIX,
            Priority::High,
        ),
    }
}

fn for_said(said: &Said, tongue: Tongue) -> NewCard {
    let (step, asked) = match said {
        Said::Promised(step) => (step, false),
        Said::Asked(step) => (step, true),
    };
    let step = shorten_middle(step, PART_CHARS);
    let text = if asked {
        tongue.say(
            "The worker asked whether to do this and waits for an answer.".to_owned(),
            "助手询问是否要这样做，正在等待答复。".to_owned(),
        )
    } else {
        tongue.say(
            "The worker named this as open when it stopped.".to_owned(),
            "助手在停下时把它列为未完成。".to_owned(),
        )
    };
    let prompt = capitalised(&step);
    titled(
        capitalised(&step),
        text,
        prompt,
        "follow-up",
        if asked { Priority::High } else { Priority::Medium },
    )
}

fn for_plan(facts: &SessionFacts, tongue: Tongue) -> Vec<NewCard> {
    let with = |wanted: PlanStatus| facts.plan.iter().filter(move |item| item.status == wanted);
    // "Write the tests" says something of this session only behind "Write the parser".
    let before = with(PlanStatus::Completed).next_back().map(|item| item_text(&item.text));
    let before = before.filter(|text| !looks_generic(text));
    with(PlanStatus::InProgress)
        .chain(with(PlanStatus::Pending))
        .filter_map(|item| {
            let text = item_text(&item.text);
            let before = match (looks_generic(&text), &before) {
                (false, _) => None,
                (true, Some(before)) => Some(before),
                (true, None) => return None,
            };
            let (title, prompt) = match before {
                None => (
                    text.clone(),
                    tongue.say(
                        format!("Go on with the open item of the plan: {text}."),
                        format!("继续完成计划中的这一项：{text}。"),
                    ),
                ),
                Some(before) => (
                    tongue.say(format!("{text} (after: {before})"), format!("{text}（接在“{before}”之后）")),
                    tongue.say(
                        format!("Go on with the plan: \"{before}\" is done; now \"{text}\" for it."),
                        format!("继续执行计划：“{before}”已完成，接着为它完成“{text}”。"),
                    ),
                ),
            };
            Some(titled(
                title,
                tongue.say(
                    "It is on the worker's plan and not done.".to_owned(),
                    "它在助手的计划中，尚未完成。".to_owned(),
                ),
                prompt,
                "plan",
                Priority::Medium,
            ))
        })
        .take(PLAN_CARDS)
        .collect()
}

fn item_text(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shorten_middle(line.trim_end_matches(['.', '。']), PART_CHARS)
}

/// A source file that the last turn changed while no test was touched or spoken of.
fn for_untested(facts: &SessionFacts, tongue: Tongue) -> Option<NewCard> {
    let last = facts.last_completed_turn?;
    let answer = last_answer(facts).unwrap_or_default();
    let tested = facts.touched_files.iter().any(|file| is_test(file))
        || ["test", "spec", "测试", "テスト"].iter().any(|word| answer.to_lowercase().contains(word));
    if tested {
        return None;
    }
    let changed = facts.tools.iter().rev().filter(|tool| tool.turn == last && is_change(&tool.name));
    let file = changed.flat_map(|tool| tool.files.iter().rev()).find(|file| is_source(file))?;
    Some(titled(
        tongue.say(format!("Test the change in {file}"), format!("为 {file} 的修改补充测试")),
        tongue.say(
            format!("The last turn changed `{file}` and touched no test."),
            format!("上一轮修改了 `{file}`，没有涉及任何测试。"),
        ),
        tongue.say(
            format!("Add a test that covers what was just changed in `{file}`."),
            format!("为 `{file}` 刚才的修改补充一个测试。"),
        ),
        "test",
        Priority::Low,
    ))
}

/// Whether a tool of this name changes files. A harness names its tools as it likes.
fn is_change(tool: &str) -> bool {
    let name = tool.to_lowercase();
    ["edit", "write", "patch", "replace", "create", "insert", "apply", "modify", "update"]
        .iter()
        .any(|word| name.contains(word))
}

fn is_test(file: &str) -> bool {
    let lower = file.to_lowercase();
    lower
        .split(['/', '.', '_', '-'])
        .any(|part| matches!(part, "test" | "tests" | "spec" | "specs" | "__tests__"))
        || lower
            .rsplit('/')
            .next()
            .is_some_and(|name| name.split('.').next().is_some_and(|stem| stem.ends_with("test")))
}

fn is_source(file: &str) -> bool {
    const ENDINGS: [&str; 25] = [
        "rs", "py", "ts", "tsx", "js", "jsx", "mjs", "go", "java", "kt", "c", "cc", "cpp", "h", "hpp", "cs",
        "rb", "php", "swift", "scala", "ex", "exs", "lua", "dart", "vue",
    ];
    file.rsplit('.').next().is_some_and(|end| end != file && ENDINGS.contains(&end)) && !is_test(file)
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::manager::CardLimits;
    use crate::event::PlanItem;
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
