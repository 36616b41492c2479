//! Every interleaving of a small alphabet up to a depth, breadth first (rule A8).
//!
//! A state is reached by a path and found again by its fingerprint: what the machine and the onlooker print of
//! themselves, with numbers that only name things replaced by their order, and without what decides nothing (the words of the
//! conversation, meters). Two paths to states with one fingerprint go on alike, so that only the first goes on.
//! `MODEL_DEPTH=2` goes two steps deeper.

use crate::driver::{Action, Driver, config};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use suggest_core::SessionKind;

type Step = (Action, u32);

/// The numbers that the driver reads details from (see its `event`).
const BY_NOBODY: u32 = 0;
const BY_HUMAN: u32 = 1 << 4;
const BY_LOOP: u32 = 2 << 4;
const BY_OTHER: u32 = 4 << 4;
const GOING_BACK: u32 = 5;
const COMPLETED: u32 = 0;
const ABORTED: u32 = 3 << 4;
const OF_ANOTHER_TURN: u32 = 6;
const OF_AN_OLDER_TURN: u32 = 5;
const HUMAN: u32 = 18;
const WORKER: u32 = 19;
const RAISED: u32 = 1 << 5;
const ACTIVE_ARMED: u32 = RAISED;
const PAUSED: u32 = 3 | RAISED;
const COMPLETE: u32 = 6 | RAISED;
const OTHER_OBJECTIVE: u32 = RAISED | 3 << 8;
const NONE: u32 = 3;
const GOAL_STEP: u32 = 7;
const OPENS: u32 = 0;
const CLOSES: u32 = 1;
const ONE_ROUND: u32 = 1 << 4;
/// The only wait, so that the order of moments says all: two of them are equal, or at least this far apart.
const THIRTY_SECONDS: u32 = 3;

struct Model {
    rounds: u32,
    /// What has happened already.
    before: &'static [Step],
    alphabet: &'static [Step],
    depth: usize,
    least_states: usize,
}

/// A completed turn at an open boundary, its generation under way.
const A_TURN_IS_OVER: &[Step] =
    &[(Action::StartTurn, BY_HUMAN), (Action::Say, WORKER), (Action::EndTurn, COMPLETED), (Action::Idle, 0)];

const LOOP_AND_HOST: Model = Model {
    rounds: 2,
    before: A_TURN_IS_OVER,
    alphabet: &[
        (Action::Arm, 0),
        (Action::Disarm, 0),
        (Action::Reply, 0),
        (Action::Accept, 0),
        (Action::Refuse, 0),
        (Action::OldResult, 0),
        (Action::StartTurn, BY_LOOP),
        (Action::StartTurn, BY_NOBODY),
        (Action::StartTurn, BY_OTHER),
        (Action::Say, WORKER),
        (Action::Say, HUMAN),
        (Action::EndTurn, COMPLETED),
        (Action::EndTurn, ABORTED),
        (Action::Idle, 0),
        (Action::Busy, 0),
        (Action::Configure, ONE_ROUND),
        (Action::Reset, 0),
        (Action::Retry, 0),
        (Action::Fail, 0),
        (Action::Wait, THIRTY_SECONDS),
    ],
    depth: 4,
    least_states: 2_000,
};

const GOALS_AND_PEOPLE: Model = Model {
    rounds: 2,
    before: A_TURN_IS_OVER,
    alphabet: &[
        (Action::Arm, 0),
        (Action::Reply, 0),
        (Action::Reply, NONE),
        (Action::Reply, GOAL_STEP),
        (Action::Fail, 0),
        (Action::SetGoal, ACTIVE_ARMED),
        (Action::SetGoal, PAUSED),
        (Action::SetGoal, COMPLETE),
        (Action::SetGoal, OTHER_OBJECTIVE),
        (Action::ClearGoal, 0),
        (Action::Ask, OPENS),
        (Action::Ask, CLOSES),
        (Action::Queue, 1),
        (Action::Queue, 0),
        (Action::Run, 0),
        (Action::Retry, 0),
        (Action::Accept, 0),
        (Action::Off, 0),
        (Action::On, 0),
        (Action::Idle, 0),
    ],
    depth: 4,
    least_states: 2_000,
};

const TURNS_IN_ODD_ORDER: Model = Model {
    rounds: 2,
    before: &[],
    alphabet: &[
        (Action::StartTurn, BY_NOBODY),
        (Action::StartTurn, BY_LOOP),
        (Action::StartTurn, GOING_BACK),
        (Action::EndTurn, COMPLETED),
        (Action::EndTurn, ABORTED),
        (Action::EndTurn, OF_AN_OLDER_TURN),
        (Action::EndTurn, OF_ANOTHER_TURN),
        (Action::Say, HUMAN),
        (Action::Say, WORKER),
        (Action::Idle, 0),
        (Action::Rewrite, 0),
        (Action::Past, 0),
        (Action::Past, 1),
        (Action::Past, 2 | 1 << 5 | 1 << 9),
        (Action::Reply, 0),
        (Action::Arm, 0),
        (Action::Retry, 0),
    ],
    depth: 4,
    least_states: 1_500,
};

/// Words before numbers that only name things: their order decides, their size does not.
const NAMES: [&str; 12] = [
    "CallId",
    "Ticket",
    "OfferId",
    "Turn",
    "Timestamp",
    "Revision",
    "Some",
    "number",
    "boundary",
    "history_version",
    "version",
    "case",
];

/// Fields whose numbers decide nothing.
const METERS: [&str; 11] = [
    "calls",
    "failed_calls",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "ms",
    "human_epoch",
    "completed",
    "ignored_ends",
    "duplicate_messages",
    "late_replies",
];

/// The text from one mark up to another, taken out wherever it occurs.
fn without(text: &str, from: &str, to: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, behind)) = rest.split_once(from) {
        kept.push_str(before);
        rest = behind.split_once(to).map_or("", |(_, after)| after);
    }
    kept + rest
}

/// Each number that names something as its place in the order of the numbers behind the same word.
fn in_order(text: &str) -> String {
    let mut pieces: Vec<(String, Option<u64>)> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (words, behind) = rest.split_at(at);
        let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        let (number, behind) = behind.split_at(digits);
        pieces.push((words.to_owned(), number.parse().ok()));
        rest = behind;
    }
    pieces.push((rest.to_owned(), None));
    let key = |words: &str| {
        let name: Vec<char> = words
            .chars()
            .rev()
            .skip_while(|c| !c.is_alphabetic())
            .take_while(|c| c.is_alphabetic() || *c == '_')
            .collect();
        name.into_iter().rev().collect::<String>()
    };
    let mut values: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for (words, number) in &pieces {
        values.entry(key(words)).or_default().extend(number);
    }
    let mut ordered = String::new();
    for (words, number) in &pieces {
        ordered.push_str(words);
        let Some(number) = number else { continue };
        let key = key(words);
        if NAMES.contains(&key.as_str()) {
            ordered.push_str(&values[&key].range(..number).count().to_string());
        } else if !METERS.contains(&key.as_str()) {
            ordered.push_str(&number.to_string());
        }
    }
    ordered
}

fn fingerprint(driver: &Driver) -> u64 {
    let machine = format!("{:?}", driver.session);
    let machine = without(&machine, "transcript: Transcript", "turns: Turns");
    let machine = without(&machine, "messages: [", "max_chars");
    let machine = without(&machine, "last_report:", "advisor:");
    let machine = without(&machine, "setup: SessionSetup", "config:");
    // The words of a conversation decide nothing, but that there are some does.
    let words = driver.session.slice().is_empty();
    let facts = format!("{:?}", driver.onlooker.facts);
    let facts = without(&facts, "config: Config", "barred");
    let mut hasher = DefaultHasher::new();
    (in_order(&machine), words, in_order(&facts)).hash(&mut hasher);
    hasher.finish()
}

impl Model {
    fn reach(&self, path: &[usize]) -> Result<Driver, String> {
        let mut driver = Driver::new(SessionKind::Interactive, config(self.rounds));
        let steps = self.before.iter().chain(path.iter().map(|at| &self.alphabet[*at]));
        for (action, with) in steps {
            driver.act(*action, *with)?;
        }
        Ok(driver)
    }

    fn check(&self) {
        let deeper = std::env::var("MODEL_DEPTH").ok().and_then(|more| more.parse().ok()).unwrap_or(0);
        let mut states = HashSet::new();
        let mut frontier: Vec<Vec<usize>> = vec![Vec::new()];
        let mut transitions = 0_u64;
        for depth in 1..=self.depth + deeper {
            let mut next = Vec::new();
            for path in &frontier {
                for at in 0..self.alphabet.len() {
                    let mut path = path.clone();
                    path.push(at);
                    transitions += 1;
                    let reached = self.reach(&path);
                    assert!(reached.is_ok(), "{:?}\n  {:?}", reached.err(), self.spell(&path));
                    if states.insert(fingerprint(&reached.unwrap())) {
                        next.push(path);
                    }
                }
            }
            // An empty frontier: these are all states that there are.
            println!("depth {depth}: {} states, {transitions} transitions", states.len());
            frontier = next;
            if frontier.is_empty() {
                break;
            }
        }
        assert!(states.len() >= self.least_states, "only {} states", states.len());
    }

    fn spell(&self, path: &[usize]) -> Vec<Step> {
        self.before.iter().copied().chain(path.iter().map(|at| self.alphabet[*at])).collect()
    }
}

#[test]
fn a8_every_interleaving_of_a_loop_and_its_host_keeps_every_invariant() {
    LOOP_AND_HOST.check();
}

#[test]
fn a8_every_interleaving_of_goals_and_people_keeps_every_invariant() {
    GOALS_AND_PEOPLE.check();
}

#[test]
fn a10_every_interleaving_of_turns_in_odd_order_keeps_every_invariant() {
    TURNS_IN_ODD_ORDER.check();
}

#[test]
fn numbers_are_told_apart_by_their_order_and_not_by_their_size() {
    assert_eq!(in_order("Turn(7), Turn(9), Ticket(9)"), in_order("Turn(2), Turn(30), Ticket(1)"));
    assert_ne!(in_order("Turn(7), Turn(9)"), in_order("Turn(9), Turn(7)"));
    assert_ne!(in_order("spent: 1"), in_order("spent: 2"));
    assert_eq!(in_order("calls: 3, ms: 7"), in_order("calls: 4, ms: 1"));
}
