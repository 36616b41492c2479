//! The words of the cards without a model: one builder for each kind of fact, the most urgent first.

use super::findings::{self, Finding};
use super::generic::looks_generic;
use super::manager::NewCard;
use super::said::{self, Said};
use super::work::{last_answer, last_task};
use crate::defuse::shorten_middle;
use crate::event::{GoalPhase, PlanStatus};
use crate::facts::SessionFacts;
use crate::state::Priority;

const TITLE_CHARS: usize = 70;
const PART_CHARS: usize = 240;
/// Open plan items that become cards.
const PLAN_CARDS: usize = 2;
/// Tests that fail at one place and are named.
const NAMED_TESTS: usize = 3;
/// The category of what is broken by name.
pub(super) const FIX: &str = "fix";
/// The category of a question between several ways.
pub(super) const CHOICE: &str = "question";

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

/// What could become a card, the most urgent first.
pub(super) fn proposals(facts: &SessionFacts, broken: &[Finding]) -> Vec<NewCard> {
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
        Said::Choice(step) => return for_choice(&shorten_middle(step, PART_CHARS), tongue),
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

/// The person may know better than the worker; if not, the worker can go on.
fn for_choice(choice: &str, tongue: Tongue) -> NewCard {
    titled(
        tongue.say(format!("Decide: {choice}?"), format!("做出选择：{choice}？")),
        tongue.say(
            "The worker asked which one and waits for an answer.".to_owned(),
            "助手询问选哪一个，正在等待答复。".to_owned(),
        ),
        tongue.say(
            format!("You asked whether to {choice}. Choose what fits this project best, say why in one line, and go on."),
            format!("你问：{choice}？请选择最适合本项目的方案，用一句话说明理由，然后继续。"),
        ),
        CHOICE,
        Priority::High,
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
