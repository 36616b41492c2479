//! Which turns of a session are reviewed, and what stands before them.

use suggest_core::{EndReason, Event, Turn};

/// A turn that ended, with what was told since the end of the one before.
#[derive(Debug)]
struct Ended {
    turn: Turn,
    reason: EndReason,
    events: Vec<Event>,
}

impl Ended {
    /// Whether the core reviews it (rule V2).
    fn is_reviewed(&self) -> bool {
        reviewed(self.reason)
    }
}

/// Sorts the events of a session, in order: what is reviewed is kept, the rest is history. Of the last turn alone only
/// one turn is held at a time.
#[derive(Debug)]
pub(super) struct Turns {
    since: Option<Turn>,
    kept: Vec<Ended>,
    pending: Vec<Event>,
    open: Option<Turn>,
}

/// What is to be reviewed.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// Events up to the end of a turn, one list for each review.
    pub(super) rounds: Vec<Vec<Event>>,
    /// The newest turn that a review is about.
    pub(super) turn: Option<Turn>,
    /// The newest turn in the range that ended.
    pub(super) newest: Option<Turn>,
    /// How that one ended.
    pub(super) reason: Option<EndReason>,
    /// The turn that runs behind all others.
    pub(super) running: Option<Turn>,
}

impl Turns {
    /// The last turn, or all turns after one.
    pub(super) fn new(since: Option<Turn>) -> Self {
        Self { since, kept: Vec::new(), pending: Vec::new(), open: None }
    }

    /// Takes the next event and gives to `history` what is surely not reviewed.
    pub(super) fn take(&mut self, event: Event, history: &mut dyn FnMut(Event)) {
        match &event {
            // They tell of the present of then; a session that closed can be read all the same.
            Event::Idle | Event::Busy | Event::HumanQueued { .. } | Event::Asking { .. } | Event::Closed => {}
            Event::TurnStarted { turn, .. } => {
                let turn = *turn;
                if let Some(lost) = self.open.replace(turn).filter(|open| *open != turn) {
                    // The start of another turn is the only end that this one has (rule A10).
                    self.end(lost, EndReason::Interrupted, history);
                }
                self.pending.push(event);
            }
            Event::TurnEnded { turn, reason } => {
                let (turn, reason) = (*turn, *reason);
                self.open = None;
                self.pending.push(event);
                self.end(turn, reason, history);
            }
            Event::HistoryRewritten
            | Event::Message(_)
            | Event::Tool(_)
            | Event::Plan { .. }
            | Event::Chapter(_)
            | Event::Goal(_)
            | Event::GoalCleared { .. } => self.pending.push(event),
        }
    }

    fn end(&mut self, turn: Turn, reason: EndReason, history: &mut dyn FnMut(Event)) {
        let events = std::mem::take(&mut self.pending);
        if self.since.is_none_or(|since| turn <= since) {
            self.kept.drain(..).flat_map(|old| old.events).for_each(&mut *history);
        }
        if self.since.is_none_or(|since| turn > since) {
            self.kept.push(Ended { turn, reason, events });
        } else {
            events.into_iter().for_each(history);
        }
    }

    /// What is to be reviewed: in one review, or in one for each turn. What follows the last turn that can be reviewed is
    /// left out, so that it cannot be taken for a part of it.
    pub(super) fn chosen(mut self, each_turn: bool) -> Chosen {
        let newest = self.kept.last().map(|last| (last.turn, last.reason));
        let whole = self.kept.iter().rposition(Ended::is_reviewed).map_or(0, |last| last.saturating_add(1));
        self.kept.truncate(whole);
        let turn = self.kept.last().map(|last| last.turn);
        let mut rounds: Vec<Vec<Event>> = Vec::new();
        let mut round = Vec::new();
        let mut left = self.kept.len();
        for ended in self.kept {
            left = left.saturating_sub(1);
            let is_last = left == 0;
            let ends_round = ended.is_reviewed() && (each_turn || is_last);
            round.extend(
                ended.events.into_iter().map(|event| if ends_round { event } else { without_review(event) }),
            );
            if ends_round {
                rounds.push(std::mem::take(&mut round));
            }
        }
        Chosen {
            rounds,
            turn,
            newest: newest.map(|(turn, _)| turn),
            reason: newest.map(|(_, reason)| reason),
            running: self.open,
        }
    }
}

/// Whether a turn that ended so is reviewed: only what somebody stopped is not (rule V2).
fn reviewed(reason: EndReason) -> bool {
    match reason {
        EndReason::Completed | EndReason::Limited | EndReason::Failed | EndReason::Blocked => true,
        EndReason::Aborted | EndReason::Interrupted => false,
    }
}

/// An end after which nobody reviews, so that what was said goes into the next review (rule V2).
fn without_review(event: Event) -> Event {
    match event {
        Event::TurnEnded { turn, reason } if reviewed(reason) => {
            Event::TurnEnded { turn, reason: EndReason::Interrupted }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use suggest_core::{Author, Message};

    fn started(turn: u64) -> Event {
        Event::TurnStarted { turn: Turn::new(turn), origin: None }
    }

    fn ended(turn: u64, reason: EndReason) -> Event {
        Event::TurnEnded { turn: Turn::new(turn), reason }
    }

    fn said(text: &str) -> Event {
        Event::Message(Message::new(Author::Assistant, text))
    }

    fn turn(number: u64, reason: EndReason) -> Vec<Event> {
        vec![started(number), said(&format!("turn {number}")), ended(number, reason)]
    }

    fn sorted(events: Vec<Event>, since: Option<u64>, each_turn: bool) -> (Vec<Event>, Chosen) {
        let mut history = Vec::new();
        let mut turns = Turns::new(since.map(Turn::new));
        for event in events {
            turns.take(event, &mut |old| history.push(old));
        }
        (history, turns.chosen(each_turn))
    }

    #[test]
    fn the_last_turn_is_reviewed_and_the_others_are_history_d15() {
        let mut events = [turn(1, EndReason::Completed), turn(2, EndReason::Completed)].concat();
        events.extend([Event::Idle, started(3), said("more")]);
        let (history, chosen) = sorted(events, None, false);
        assert_eq!(history, turn(1, EndReason::Completed));
        assert_eq!(chosen.rounds, [turn(2, EndReason::Completed)]);
        assert_eq!((chosen.turn, chosen.running), (Some(Turn::new(2)), Some(Turn::new(3))));
    }

    #[test]
    fn many_turns_make_one_review_for_a_model_and_one_each_for_the_facts_v2() {
        let events: Vec<Event> = (1..=3).flat_map(|number| turn(number, EndReason::Completed)).collect();
        let (history, chosen) = sorted(events.clone(), Some(1), false);
        assert_eq!(history, turn(1, EndReason::Completed));
        assert_eq!(
            chosen.rounds,
            [[turn(2, EndReason::Interrupted), turn(3, EndReason::Completed)].concat()]
        );
        let (_, each) = sorted(events, Some(1), true);
        assert_eq!(each.rounds, [turn(2, EndReason::Completed), turn(3, EndReason::Completed)]);
    }

    #[test]
    fn what_follows_the_last_reviewed_turn_is_left_out_v2() {
        let events = [turn(1, EndReason::Completed), turn(2, EndReason::Aborted)].concat();
        let (_, chosen) = sorted(events.clone(), Some(0), false);
        assert_eq!(chosen.rounds, [turn(1, EndReason::Completed)]);
        assert_eq!((chosen.turn, chosen.newest), (Some(Turn::new(1)), Some(Turn::new(2))));
        let (_, last) = sorted(events, None, false);
        assert!(last.rounds.is_empty());
        assert_eq!(last.reason, Some(EndReason::Aborted));
    }

    #[test]
    fn a_turn_without_an_end_was_interrupted_by_the_next_a10() {
        let mut events = vec![started(1), said("a")];
        events.extend(turn(2, EndReason::Completed));
        let (history, chosen) = sorted(events, None, false);
        assert_eq!(history, [started(1), said("a")]);
        assert_eq!(chosen.rounds, [turn(2, EndReason::Completed)]);
    }

    fn any_event() -> impl Strategy<Value = Event> {
        let reason = prop_oneof![
            Just(EndReason::Completed),
            Just(EndReason::Limited),
            Just(EndReason::Aborted),
            Just(EndReason::Failed)
        ];
        prop_oneof![
            (0_u64..6).prop_map(started),
            (0_u64..6, reason).prop_map(|(turn, reason)| ended(turn, reason)),
            "[a-c]{1,2}".prop_map(|text| said(&text)),
            Just(Event::HistoryRewritten),
            Just(Event::Closed),
        ]
    }

    proptest! {
        #[test]
        fn every_review_ends_with_a_turn_that_is_reviewed_and_one_review_at_most_is_made_for_a_model_v2(
            events in proptest::collection::vec(any_event(), 0..40),
            since in proptest::option::of(0_u64..6),
            each_turn: bool,
        ) {
            let count = events.len();
            let (history, chosen) = sorted(events, since, each_turn);
            prop_assert!(each_turn || chosen.rounds.len() <= 1);
            let mut all = history.len();
            for round in &chosen.rounds {
                all += round.len();
                let is_end =
                    |event: &Event| matches!(event, Event::TurnEnded { reason, .. } if reviewed(*reason));
                prop_assert!(round.last().is_some_and(is_end));
                prop_assert_eq!(round.iter().filter(|event| is_end(event)).count(), 1);
            }
            prop_assert!(all <= count);
            prop_assert_eq!(chosen.turn.is_some(), !chosen.rounds.is_empty());
        }
    }
}
