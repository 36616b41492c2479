//! Random interleavings of everything (rules A8, A3, A6, D3 to D6, D11, D15, G3, G4).
//!
//! Each sequence is a list of numbers; a [`Profile`] says how often each number means what. Three profiles lead into
//! different parts of the machine, and each test proves at its end that the parts were reached. A failing sequence is
//! kept in `proptest-regressions/` and tried first from then on.

use crate::driver::{Action, Driver, config};
use crate::seen::Seen;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{
    Config as RunnerConfig, FileFailurePersistence, TestCaseError, TestError, TestRunner,
};
use std::cell::RefCell;
use suggest_core::SessionKind;

/// The longest sequence.
const INPUTS: usize = 60;

/// How often each action comes up.
struct Profile {
    weights: &'static [(u32, Action)],
    rounds: u32,
    sequences: u32,
    persistence: &'static str,
}

/// Mostly healthy, with loops that go far.
const LOOPS: Profile = Profile {
    weights: &[
        (70, Action::Progress),
        (3, Action::Arm),
        (2, Action::Reply),
        (1, Action::Fail),
        (3, Action::Accept),
        (3, Action::Refuse),
        (2, Action::OldResult),
        (1, Action::OldReply),
        (3, Action::Idle),
        (1, Action::Busy),
        (1, Action::Disarm),
        (1, Action::Reset),
        (2, Action::Configure),
        (2, Action::Wait),
        (1, Action::SetGoal),
        (1, Action::Retry),
        (1, Action::Run),
        (1, Action::Say),
        (1, Action::Look),
    ],
    rounds: 4,
    sequences: 8_000,
    persistence: concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/machine-loops.txt"),
};

/// Goals, people, dialogs and models get in the way.
const INTERFERENCE: Profile = Profile {
    weights: &[
        (45, Action::Progress),
        (4, Action::Arm),
        (4, Action::Reply),
        (2, Action::Fail),
        (2, Action::Refuse),
        (2, Action::OldResult),
        (2, Action::OldReply),
        (7, Action::SetGoal),
        (1, Action::ClearGoal),
        (3, Action::Say),
        (2, Action::Queue),
        (4, Action::Ask),
        (3, Action::Rewrite),
        (2, Action::Past),
        (2, Action::Run),
        (2, Action::Retry),
        (1, Action::On),
        (1, Action::Off),
        (2, Action::SetModel),
        (1, Action::ClearModel),
        (1, Action::Disarm),
        (3, Action::Configure),
        (3, Action::Wait),
        (2, Action::Sent),
        (3, Action::Idle),
        (1, Action::Busy),
        (1, Action::Look),
    ],
    rounds: 3,
    sequences: 7_000,
    persistence: concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/machine-interference.txt"),
};

/// Nothing comes in the order in which it should.
const DISORDER: Profile = Profile {
    weights: &[
        (16, Action::Progress),
        (6, Action::StartTurn),
        (6, Action::EndTurn),
        (6, Action::Say),
        (4, Action::Idle),
        (2, Action::Busy),
        (2, Action::Queue),
        (2, Action::Ask),
        (2, Action::Rewrite),
        (1, Action::Activity),
        (3, Action::SetGoal),
        (1, Action::ClearGoal),
        (5, Action::Past),
        (4, Action::Arm),
        (1, Action::Disarm),
        (1, Action::Reset),
        (3, Action::Run),
        (3, Action::Retry),
        (1, Action::On),
        (1, Action::Off),
        (1, Action::SetModel),
        (1, Action::ClearModel),
        (1, Action::Look),
        (2, Action::Configure),
        (2, Action::Wait),
        (5, Action::Reply),
        (3, Action::OldReply),
        (2, Action::Fail),
        (2, Action::Sent),
        (3, Action::Accept),
        (2, Action::Refuse),
        (4, Action::OldResult),
    ],
    rounds: 2,
    sequences: 7_000,
    persistence: concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/machine-disorder.txt"),
};

/// Rare ends, so that most of a sequence comes before them.
const ENDS: [Action; 2] = [Action::Close, Action::Restart];

impl Profile {
    fn action(&self, number: u32) -> (Action, u32) {
        let with = number >> 12;
        let pick = number & 0xfff;
        if pick >= 0xff8 {
            return (ENDS[usize::try_from(pick & 1).unwrap()], with);
        }
        let total: u32 = self.weights.iter().map(|(weight, _)| weight).sum();
        let mut left = pick % total;
        for (weight, action) in self.weights {
            match left.checked_sub(*weight) {
                Some(rest) => left = rest,
                None => return (*action, with),
            }
        }
        (Action::Progress, with)
    }

    fn play(&self, driver: &mut Driver, numbers: &[u32]) -> Result<(), String> {
        for (step, number) in numbers.iter().enumerate() {
            let (action, with) = self.action(*number);
            driver.act(action, with).map_err(|broken| {
                let all: Vec<Action> = numbers[..=step].iter().map(|number| self.action(*number).0).collect();
                format!("{broken}\n  at step {step}, {action:?}, of {all:?}")
            })?;
        }
        Ok(())
    }

    /// Draws the sequences, and gives what was seen in them.
    fn check(&self) -> Seen {
        let mut runner = TestRunner::new(RunnerConfig {
            cases: self.sequences * times(),
            failure_persistence: Some(Box::new(FileFailurePersistence::Direct(self.persistence))),
            ..RunnerConfig::default()
        });
        let seen = RefCell::new(Seen::default());
        let result = runner.run(&vec(any::<u32>(), 20..=INPUTS), |numbers| {
            let mut driver = Driver::new(SessionKind::Interactive, config(self.rounds));
            let played = self.play(&mut driver, &numbers);
            seen.borrow_mut().add(&driver.onlooker.seen);
            played.map_err(TestCaseError::fail)
        });
        if let Err(TestError::Fail(reason, numbers)) = &result {
            // The numbers say nothing to a reader; what they stand for does.
            let mut driver = Driver::new(SessionKind::Interactive, config(self.rounds));
            driver.trace = true;
            let _ = self.play(&mut driver, numbers);
            assert!(numbers.is_empty(), "{reason}");
        }
        assert!(result.is_ok(), "{result:?}");
        let seen = seen.into_inner();
        println!("{seen:#?}");
        seen
    }
}

/// `MACHINE_TIMES=20` draws twenty times as many sequences, for a long run by hand.
fn times() -> u32 {
    std::env::var("MACHINE_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

fn assert_at_least(seen: &Seen, wanted: &[(&str, u64, u64)], holds: &[&str], disarms: &[&str]) {
    for (what, count, least) in wanted {
        assert!(count >= least, "{what}: {count} seen, {least} wanted; {seen:#?}");
    }
    for code in holds {
        assert!(seen.holds.contains_key(*code), "the hold {code} was never seen; {seen:#?}");
    }
    for code in disarms {
        assert!(seen.disarms.contains_key(*code), "the loop never ended by {code}; {seen:#?}");
    }
}

#[test]
fn a8_loops_that_go_far_keep_every_invariant() {
    let seen = LOOPS.check();
    assert_at_least(
        &seen,
        &[
            ("rounds", seen.rounds, 8_000),
            ("second tries", seen.second_tries, 30),
            ("withdrawals", seen.withdrawals, 300),
            ("withdrawn, then accepted", seen.withdrawn_then_accepted, 30),
            ("timeouts", seen.timeouts, 20),
        ],
        &[
            "waiting-for-offer",
            "submitting",
            "no-answer",
            "refused",
            "busy",
            "generation-failed",
            "by-hand-offer",
        ],
        &["budget-spent", "human", "human-prompt", "nothing-to-recommend", "round-did-not-start"],
    );
}

#[test]
fn a8_people_goals_dialogs_and_models_break_no_invariant() {
    let seen = INTERFERENCE.check();
    assert_at_least(
        &seen,
        &[
            ("rounds", seen.rounds, 1_000),
            ("generations", seen.generations, 10_000),
            ("second attempts", seen.second_attempts, 500),
            ("runs by hand", seen.runs_by_hand, 300),
            ("goals taken from their driver", seen.goals_disarmed, 300),
            ("withdrawals", seen.withdrawals, 500),
            ("put off by a dialog", seen.put_off_by_a_dialog, 30),
            ("opened after a rewrite", seen.after_a_rewrite, 30),
        ],
        &["goal-owns-boundary", "asking", "human-queued", "no-completed-turn"],
        &["goal-completed", "generations-failed", "switched-off", "model-cleared", "closed"],
    );
}

#[test]
fn a10_events_in_any_order_break_no_invariant() {
    let seen = DISORDER.check();
    assert_at_least(
        &seen,
        &[
            ("rounds", seen.rounds, 100),
            ("late replies", seen.late_replies, 1_000),
            ("turns without a start", seen.implied_turns, 1_000),
            ("numbers that go back", seen.rewrites_by_number, 1_000),
        ],
        &[],
        &["round-not-completed"],
    );
}

#[test]
fn d12_a_headless_or_subagent_session_never_calls_and_never_arms() {
    let mut runner =
        TestRunner::new(RunnerConfig { cases: 500, failure_persistence: None, ..RunnerConfig::default() });
    let numbers = vec(any::<u32>(), 1..=INPUTS);
    let result = runner.run(&numbers, |numbers| {
        for kind in [SessionKind::Headless, SessionKind::Subagent] {
            let mut driver = Driver::new(kind, config(2));
            DISORDER.play(&mut driver, &numbers).map_err(TestCaseError::fail)?;
            proptest::prop_assert_eq!(driver.onlooker.seen.generations, 0);
        }
        Ok(())
    });
    assert!(result.is_ok(), "{result:?}");
}

#[test]
fn s3_the_same_inputs_give_the_same_effects_states_and_slices() {
    let mut runner =
        TestRunner::new(RunnerConfig { cases: 1_000, failure_persistence: None, ..RunnerConfig::default() });
    let result = runner.run(&vec(any::<u32>(), 1..=INPUTS), |numbers| {
        let play = || {
            let mut driver = Driver::new(SessionKind::Interactive, config(3));
            driver.log = Some(Vec::new());
            INTERFERENCE.play(&mut driver, &numbers).map_err(TestCaseError::fail)?;
            Ok::<_, TestCaseError>((
                driver.log,
                driver.session.state(),
                driver.session.slice(),
                driver.session.facts(),
            ))
        };
        let (once, again) = (play()?, play()?);
        proptest::prop_assert_eq!(once, again);
        Ok(())
    });
    assert!(result.is_ok(), "{result:?}");
}
