//! The director's voice: one line that names a fact of the session, or `NONE`.

use super::failures::{self, Broken};
use super::line;
use super::promises::{self, Promise};
use super::questions::{self, OpenQuestion};
use super::{tools, untested};
use crate::facts::{Facts, GoalPhase, PlanItem, PlanStatus};

/// The answer: `NEXT: …`, `GOAL: …` or `NONE`.
///
/// What is broken comes first, then what the worker waits for, then what was planned, announced or attempted. When the
/// plan is done nothing is invented: an active goal is to be closed out, else only what is still open counts.
pub(super) fn answer(facts: &Facts) -> String {
    let language = Language::of(facts);
    candidates(facts, language)
        .into_iter()
        .find_map(|candidate| candidate.line(facts))
        .unwrap_or_else(|| "NONE".to_owned())
}

fn candidates(facts: &Facts, language: Language) -> Vec<Candidate> {
    let said = facts.last_assistant.as_deref().unwrap_or_default();
    let plan_is_done =
        !facts.plan.is_empty() && facts.plan.iter().all(|item| item.status == PlanStatus::Completed);
    let goal_is_active = facts.goal.as_ref().is_some_and(|goal| goal.phase == GoalPhase::Active);

    let mut all = Vec::new();
    all.extend(repair(&failures::still_broken(facts), language));
    if plan_is_done && goal_is_active {
        all.extend(close_out(facts, language));
        return all;
    }
    all.extend(questions::left_open(said).map(|question| reply_to(question, language)));
    let with = |status: PlanStatus| facts.plan.iter().filter(move |item| item.status == status);
    all.extend(with(PlanStatus::InProgress).filter_map(|item| plan_item(item, language)));
    all.extend(with(PlanStatus::Pending).filter_map(|item| plan_item(item, language)));
    all.extend(promises::last_promise(said).map(|promise| keep(promise, language)));
    all.extend(failed_tool(facts, language));
    if !plan_is_done {
        all.extend(untested::newest(&facts.touched_files).map(|path| match language {
            Language::English => Candidate::next("Add a test for the change in ", path, ""),
            Language::Chinese => Candidate::next("为 ", path, " 的改动补一个测试"),
        }));
    }
    all
}

/// The language of the line: that of the human, else of the worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    English,
    Chinese,
}

impl Language {
    fn of(facts: &Facts) -> Self {
        let plan = facts.plan.first().map(|item| &item.text);
        let text = facts.last_human.as_ref().or(facts.last_assistant.as_ref()).or(plan);
        if text.is_some_and(|text| line::is_chinese(text)) { Self::Chinese } else { Self::English }
    }
}

/// A possible answer: a fact between fixed words. Only the fact may be shortened.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Candidate {
    label: &'static str,
    before: String,
    fact: String,
    after: String,
}

impl Candidate {
    fn next(before: impl Into<String>, fact: &str, after: impl Into<String>) -> Self {
        Self { label: "NEXT: ", before: before.into(), fact: line::tidy(fact), after: after.into() }
    }

    /// The line, if it fits, says something, and is no echo.
    fn line(&self, facts: &Facts) -> Option<String> {
        let fixed =
            [self.label, &self.before, &self.after].map(|part| part.chars().count()).iter().sum::<usize>();
        let fact = line::shorten(&self.fact, facts.max_chars.checked_sub(fixed)?)?;
        let text = format!("{}{fact}{}", self.before, self.after);
        let forbidden_start = text.starts_with(['/', '!', '／', '！']) || speaks_as_the_worker(&text);
        if fact.is_empty() || forbidden_start || is_echo(&text, facts) {
            return None;
        }
        Some(format!("{}{text}", self.label))
    }
}

fn speaks_as_the_worker(text: &str) -> bool {
    ["i ", "i'll ", "i’ll ", "i'm ", "let me ", "let's ", "we ", "我会", "我将", "让我", "我来"]
        .iter()
        .any(|start| line::after_prefix(text, start).is_some())
}

/// Whether the text only repeats one of the last three prompts of a human.
fn is_echo(text: &str, facts: &Facts) -> bool {
    let folded = line::folded(text);
    let earlier = facts.earlier_humans.iter().rev().take(2);
    facts.last_human.iter().chain(earlier).any(|prompt| line::folded(prompt) == folded)
}

fn repair(broken: &[Broken], language: Language) -> Option<Candidate> {
    let tests: Vec<&str> = broken
        .iter()
        .filter_map(|one| match one {
            Broken::Test(name) => Some(name.as_str()),
            Broken::Error { .. } => None,
        })
        .collect();
    // An error of the compiler stands before every test.
    let error = broken.iter().find_map(|one| match one {
        Broken::Error { what, place } => Some((what, place)),
        Broken::Test(_) => None,
    });
    if let Some((what, place)) = error {
        let place = place.as_deref().map(|place| match language {
            Language::English => format!(" in {place}"),
            Language::Chinese => format!("（{place}）"),
        });
        let place = place.unwrap_or_default();
        return Some(match language {
            Language::English => Candidate::next("Fix the error ", what, place),
            Language::Chinese => Candidate::next("修复错误 ", what, place),
        });
    }
    let first = tests.first()?;
    let named: Vec<String> = tests.iter().take(3).map(|name| format!("`{name}`")).collect();
    let more = tests.len().saturating_sub(3);
    Some(match (language, tests.len()) {
        (Language::English, 1) => Candidate::next("Fix the failing test ", &format!("`{first}`"), ""),
        (Language::English, _) if more > 0 => {
            Candidate::next("Fix the failing tests ", &named.join(", "), format!(" and {more} more"))
        }
        (Language::English, _) => Candidate::next("Fix the failing tests ", &named.join(", "), ""),
        (Language::Chinese, _) if more > 0 => {
            Candidate::next("修复失败的测试 ", &named.join("、"), format!(" 以及另外 {more} 个"))
        }
        (Language::Chinese, _) => Candidate::next("修复失败的测试 ", &named.join("、"), ""),
    })
}

fn close_out(facts: &Facts, language: Language) -> Option<Candidate> {
    let goal = facts.goal.as_ref()?;
    let count = facts.plan.len();
    let (before, after) = match language {
        Language::English => ("Close out the goal ", format!(": all {count} plan items are done")),
        Language::Chinese => ("结束目标", format!("：{count} 个计划项都已完成")),
    };
    let objective = line::tidy(&goal.objective);
    let fact = match language {
        Language::English => format!("“{objective}”"),
        Language::Chinese => format!("「{objective}」"),
    };
    Some(Candidate { label: "GOAL: ", ..Candidate::next(before, &fact, after) })
}

fn reply_to(question: OpenQuestion, language: Language) -> Candidate {
    match (question, language) {
        (OpenQuestion::Offer(step), _) => Candidate::next("", &step, ""),
        (OpenQuestion::Choice(rest), Language::English) => {
            Candidate::next("Decide whether to ", &rest, ", and carry it out")
        }
        (OpenQuestion::Other(question), Language::English) => {
            Candidate::next("Settle your open question and go on: ", &question, "")
        }
        (OpenQuestion::Choice(text) | OpenQuestion::Other(text), Language::Chinese) => {
            Candidate::next("先定下这个未决问题再继续：", &text, "")
        }
    }
}

fn plan_item(item: &PlanItem, language: Language) -> Option<Candidate> {
    let before = match (item.status, language) {
        (PlanStatus::InProgress, Language::English) => "Finish the plan item in progress: ",
        (PlanStatus::InProgress, Language::Chinese) => "完成进行中的计划项：",
        (PlanStatus::Pending, Language::English) => "Take up the next plan item: ",
        (PlanStatus::Pending, Language::Chinese) => "开始下一个计划项：",
        (PlanStatus::Completed, _) => return None,
    };
    Some(Candidate::next(before, &item.text, ""))
}

fn keep(promise: Promise, language: Language) -> Candidate {
    match (promise, language) {
        (Promise::Step(step), _) => Candidate::next("", &step, ""),
        (Promise::Remainder(rest), Language::English) => Candidate::next("Do what is left: ", &rest, ""),
        (Promise::Remainder(rest), Language::Chinese) => Candidate::next("完成剩余的部分：", &rest, ""),
    }
}

fn failed_tool(facts: &Facts, language: Language) -> Option<Candidate> {
    let tool = tools::failed(facts)?;
    let name = line::shorten(&line::tidy(&tool.name), 40)?;
    if let Some(path) = tool.files.first() {
        return Some(match language {
            Language::English => {
                Candidate::next(format!("Find out why {name} failed on "), path, " and put it right")
            }
            Language::Chinese => Candidate::next(format!("查明 {name} 为何在 "), path, " 上失败并修正"),
        });
    }
    let output = tools::first_line(tool)?;
    Some(match language {
        Language::English => Candidate::next(format!("Put the failed {name} run right: "), &output, ""),
        Language::Chinese => Candidate::next(format!("修正失败的 {name}："), &output, ""),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::facts::{GoalFact, ToolFact};

    fn plan(items: &[(&str, PlanStatus)]) -> Vec<PlanItem> {
        items.iter().map(|(text, status)| PlanItem { text: (*text).to_owned(), status: *status }).collect()
    }

    fn said(text: &str) -> Facts {
        Facts {
            last_human: Some("go on".to_owned()),
            last_assistant: Some(text.to_owned()),
            current_turn: 2,
            completed_turns: 2,
            ..Facts::default()
        }
    }

    fn goal(phase: GoalPhase) -> Option<GoalFact> {
        Some(GoalFact { objective: "Ship the parser".to_owned(), phase })
    }

    #[test]
    fn no_facts_give_none_rather_than_something_generic_d9() {
        assert_eq!(answer(&Facts::default()), "NONE");
        for text in ["Done.", "All tests pass.", "Should I continue?", "Next, I will run the tests."] {
            assert_eq!(answer(&said(text)), "NONE", "{text}");
        }
    }

    #[test]
    fn what_is_broken_comes_before_the_plan_and_the_item_in_progress_before_the_pending_one() {
        let mut facts = said("`parser::nested` still fails.");
        facts.plan = plan(&[
            ("Write the lexer", PlanStatus::Completed),
            ("Write docs for the CLI", PlanStatus::Pending),
            ("Add retry to client.rs", PlanStatus::InProgress),
        ]);
        assert_eq!(answer(&facts), "NEXT: Fix the failing test `parser::nested`");
        facts.last_assistant = None;
        assert_eq!(answer(&facts), "NEXT: Finish the plan item in progress: Add retry to client.rs");
        facts.plan.pop();
        assert_eq!(answer(&facts), "NEXT: Take up the next plan item: Write docs for the CLI");
    }

    #[test]
    fn a_finished_plan_is_closed_out_or_left_alone_g1() {
        let mut facts = said("Everything is done. Should I also add a web interface?");
        facts.plan =
            plan(&[("Write the lexer", PlanStatus::Completed), ("Port cli.rs", PlanStatus::Completed)]);
        facts.touched_files = vec!["src/lexer.rs".to_owned()];
        facts.goal = goal(GoalPhase::Active);
        assert_eq!(answer(&facts), "GOAL: Close out the goal “Ship the parser”: all 2 plan items are done");
        facts.goal = goal(GoalPhase::Complete);
        facts.last_assistant = Some("Everything is done.".to_owned());
        assert_eq!(answer(&facts), "NONE");
        facts.goal = None;
        assert_eq!(answer(&facts), "NONE");
    }

    #[test]
    fn each_kind_of_fact_gives_its_own_line() {
        let tool = |ok, files: &[&str], summary: &str| ToolFact {
            name: "edit".to_owned(),
            summary: Some(summary.to_owned()),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            ok: Some(ok),
            turn: 2,
        };
        let with_tool = |tool: ToolFact| Facts { tools: vec![tool], ..said("Hm.") };
        for (facts, expected) in [
            (said("Would you like me to add tests for parser.rs?"), "NEXT: Add tests for parser.rs"),
            (
                said("Should I use SQLite or Postgres?"),
                "NEXT: Decide whether to use SQLite or Postgres, and carry it out",
            ),
            (said("Next, I will wire `parse()` into cli.rs."), "NEXT: Wire `parse()` into cli.rs"),
            (
                said("Remaining: error handling in fetch.rs"),
                "NEXT: Do what is left: error handling in fetch.rs",
            ),
            (
                said("It broke:\n```\nerror[E0308]: mismatched types\n --> src/x.rs:10:5\n```"),
                "NEXT: Fix the error E0308 (mismatched types) in src/x.rs:10",
            ),
            (
                with_tool(tool(false, &["src/a.rs"], "")),
                "NEXT: Find out why edit failed on src/a.rs and put it right",
            ),
            (
                with_tool(tool(false, &[], "permission denied: deploy.sh")),
                "NEXT: Put the failed edit run right: permission denied: deploy.sh",
            ),
            (with_tool(tool(true, &["src/a.rs"], "")), "NONE"),
            (
                Facts { touched_files: vec!["src/a.rs".to_owned()], ..said("Done.") },
                "NEXT: Add a test for the change in src/a.rs",
            ),
        ] {
            assert_eq!(answer(&facts), expected);
        }
    }

    #[test]
    fn chinese_sessions_get_chinese_lines() {
        let chinese = |text: &str| Facts { last_human: Some("请继续".to_owned()), ..said(text) };
        for (facts, expected) in [
            (chinese("测试 test_login 失败。"), "NEXT: 修复失败的测试 `test_login`"),
            (chinese("需要我为 parser.rs 添加测试吗？"), "NEXT: 请为 parser.rs 添加测试"),
            (
                Facts { plan: plan(&[("实现缓存层", PlanStatus::InProgress)]), ..chinese("好的。") },
                "NEXT: 完成进行中的计划项：实现缓存层",
            ),
        ] {
            assert_eq!(answer(&facts), expected);
        }
    }

    #[test]
    fn an_echo_of_the_last_three_prompts_gives_way_to_the_next_fact_d7() {
        let mut facts = said("Would you like me to add tests for parser.rs?");
        facts.touched_files = vec!["src/parser.rs".to_owned()];
        facts.earlier_humans = ["add tests for PARSER.rs!", "x", "y"].map(str::to_owned).to_vec();
        facts.last_human = Some("z".to_owned());
        assert_eq!(answer(&facts), "NEXT: Add tests for parser.rs");
        facts.earlier_humans.pop();
        assert_eq!(answer(&facts), "NEXT: Add a test for the change in src/parser.rs");
    }

    #[test]
    fn ordinary_endings_of_answers_are_understood() {
        for (text, expected) in [
            (
                "I refactored `src/auth.rs` and the build is clean.\n\n**Summary**\n- extracted `TokenStore`\n- removed dead code\n\nLet me know if you want any changes!",
                "NONE",
            ),
            (
                "The endpoint now validates input.\n\n### Remaining\n\nRemaining:\n1. Rate limiting in `middleware.rs`\n2. Docs",
                "NEXT: Do what is left: Rate limiting in `middleware.rs`",
            ),
            (
                "I ran the suite: 41 passed, 2 failed.\n\n```\nFAILED tests/test_api.py::test_timeout - assert 504 == 200\nFAILED tests/test_api.py::test_retry - KeyError\n```\n\nDo you want me to look into it?",
                "NEXT: Fix the failing tests `tests/test_api.py::test_timeout`, `tests/test_api.py::test_retry`",
            ),
            (
                "Both flags work. I could also expose them over the API. Would you like me to do that or first write the migration for `users`?",
                "NEXT: Decide whether to do that or first write the migration for `users`, and carry it out",
            ),
            ("I've added `--json`. Anything else you'd like me to change?", "NONE"),
            ("Fixed. The failing test `config::tests::defaults` now passes and all tests pass.", "NONE"),
            (
                "The migration is written. I haven't run it.\n\nNext step: run `sqlx migrate run` against staging.",
                "NEXT: Do what is left: run `sqlx migrate run` against staging",
            ),
        ] {
            assert_eq!(answer(&said(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_command_is_never_proposed() {
        assert_eq!(answer(&said("Should I /deploy the parser?")), "NONE");
        assert_eq!(answer(&said("Next, I will !rm the parser.")), "NONE");
    }

    #[test]
    fn long_facts_are_shortened_to_the_cap() {
        let mut facts = said("ok");
        facts.plan = plan(&[(&"很长的计划项 with many words ".repeat(40), PlanStatus::InProgress)]);
        for cap in [60, 120, 240] {
            facts.max_chars = cap;
            let line = answer(&facts);
            assert!(line.chars().count() <= cap && line.ends_with('…'), "{line}");
        }
        facts.max_chars = 20;
        assert_eq!(answer(&facts), "NONE");
    }

    proptest! {
        #[test]
        fn every_answer_is_one_labelled_line_within_the_cap(
            human in "\\PC{0,30}",
            text in "(\\PC|\n|\\?|Should I |Next, I will |Remaining: |test a::b \\.\\.\\. FAILED\n|需要我|`|error\\[E1\\]){0,40}",
            item in "\\PC{0,80}",
            files in prop::collection::vec("[a-z/!]{0,12}(\\.rs|\\.md)", 0..3),
            cap in 0usize..300,
        ) {
            let facts = Facts {
                plan: vec![PlanItem { text: item, status: PlanStatus::Pending }],
                last_human: Some(human),
                touched_files: files,
                max_chars: cap,
                ..said(&text)
            };
            let line = answer(&facts);
            prop_assert_eq!(&line, &answer(&facts.clone()));
            let body = line.strip_prefix("NEXT: ");
            prop_assert!(line == "NONE" || body.is_some_and(|body| !body.trim().is_empty()), "{:?}", line);
            prop_assert!(!line.contains('\n') && !line.chars().any(char::is_control));
            prop_assert!(line == "NONE" || line.chars().count() <= cap);
            prop_assert!(!body.is_some_and(|body| body.starts_with(['/', '!'])));
        }
    }
}
