//! Which turn runs, which ended, and whether the boundary is open (rules A3, A10).

use crate::event::{EndReason, Origin};
use crate::ids::Turn;

/// The turn that runs.
#[derive(Debug, Clone)]
pub(crate) struct OpenTurn {
    pub(crate) number: Turn,
    pub(crate) origin: Option<Origin>,
    /// It was started by a human message on a host that had not said so; a start that follows belongs to it.
    pub(crate) implied: bool,
    /// A round of the loop.
    pub(crate) round: bool,
    /// Started by the human's Run of an offer, whose first human message disarms nothing (rule A5).
    pub(crate) run: bool,
    /// Started live, and not left open by history (rule D15).
    pub(crate) live: bool,
}

/// A turn of the past that is told while a live one runs (rule D15).
#[derive(Debug, Clone, Copy)]
struct PastTurn {
    number: Turn,
    /// What had been said in the live turn before.
    spoken: bool,
    answered: bool,
}

/// What an end belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndOf {
    /// The open turn.
    Open,
    /// A turn whose start was never told.
    Unannounced,
    /// A turn that ended before, or an older one than the open one: ignored and counted (rule A10).
    Nothing,
}

/// The turns of a session.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turns {
    pub(crate) open: Option<OpenTurn>,
    past: Option<PastTurn>,
    /// Numbers up to this one have been used by the host in this history version. The number that we lend to an
    /// implied turn is not among them.
    floor: Option<Turn>,
    /// The newest turn that ended, and how.
    pub(crate) last_ended: Option<(Turn, EndReason)>,
    /// The newest turn that completed.
    pub(crate) last_completed: Option<Turn>,
    pub(crate) completed: u64,
    /// A message of a human, the worker, a goal round or `suggest` came since the last end or announced start.
    pub(crate) spoken: bool,
    /// The worker spoke since then.
    pub(crate) answered: bool,
    /// The session said that it is idle, and nothing since.
    pub(crate) idle: bool,
    /// Rises with every live start: the boundary's identity.
    pub(crate) boundary: u64,
    pub(crate) history_version: u64,
    /// Ends that belonged to nothing.
    pub(crate) ignored_ends: u64,
    /// The history was rewritten, and no turn ended since.
    rewritten: bool,
}

impl Turns {
    /// Whether a start with this number goes back, which only a rewritten history does (rule A10).
    pub(crate) fn goes_back(&self, turn: Turn) -> bool {
        self.floor.is_some_and(|floor| turn <= floor)
    }

    /// The number for a turn that nobody numbered.
    pub(crate) fn next_number(&self) -> Turn {
        self.floor.or(self.last_ended.map(|(turn, _)| turn)).map_or(Turn::new(1), Turn::next)
    }

    pub(crate) fn begin(&mut self, turn: OpenTurn) {
        if !turn.implied {
            self.floor = Some(turn.number);
        }
        self.open = Some(turn);
        self.past = None;
        self.spoken = false;
        self.answered = false;
        self.idle = false;
    }

    /// Whether history that starts this turn tells of another one than the live one that runs.
    pub(crate) fn is_beside_the_live(&self, turn: Turn) -> bool {
        self.open.as_ref().is_some_and(|open| open.live && (open.implied || open.number != turn))
    }

    /// A turn of the past begins while a live one runs: what follows is said in it.
    pub(crate) fn begin_past(&mut self, number: Turn) {
        self.restore_said();
        self.past = Some(PastTurn { number, spoken: self.spoken, answered: self.answered });
        self.spoken = false;
        self.answered = false;
    }

    /// The turn of the past ends; the live one runs on. Gives whether there was one.
    pub(crate) fn end_past(&mut self, turn: Turn, reason: EndReason) -> bool {
        if self.past.is_none_or(|past| past.number != turn) {
            return false;
        }
        self.restore_said();
        // Turns that are told once more, without a rewrite, are older than what is known.
        if self.last_ended.is_none_or(|(last, _)| turn > last) || self.rewritten {
            self.rewritten = false;
            self.note_end(turn, reason);
        }
        true
    }

    /// What is said belongs to the live turn again. What history left open was said beside it.
    fn restore_said(&mut self) {
        if let Some(past) = self.past.take() {
            (self.spoken, self.answered) = (past.spoken, past.answered);
        }
    }

    /// Nothing more of the past is told. A human's words that nobody numbered take the number of the turn that
    /// history left open.
    pub(crate) fn leave_past(&mut self) {
        let Some(past) = self.past else { return };
        self.restore_said();
        if self.open.as_ref().is_some_and(|open| open.implied) && !self.goes_back(past.number) {
            self.announce(past.number, None, false);
        }
    }

    /// Gives the implied open turn the number that the host announces.
    pub(crate) fn announce(&mut self, number: Turn, origin: Option<Origin>, round: bool) {
        if let Some(open) = self.open.as_mut() {
            open.number = number;
            open.implied = false;
            open.round |= round;
            open.origin = if round { origin } else { open.origin.or(origin) };
        }
        self.floor = Some(number);
    }

    pub(crate) fn belongs(&self, turn: Turn) -> EndOf {
        match &self.open {
            // The end of the turn before, told twice, does not end the turn that the human's words began.
            Some(open) if open.implied && self.goes_back(turn) => EndOf::Nothing,
            Some(open) if open.number == turn || open.implied => EndOf::Open,
            Some(open) if turn < open.number => EndOf::Nothing,
            // The turn before the numbers went back, whose end is told twice.
            Some(_) if self.rewritten && self.last_ended.is_some_and(|(last, _)| last == turn) => {
                EndOf::Nothing
            }
            Some(_) => EndOf::Unannounced,
            None if self.goes_back(turn) => EndOf::Nothing,
            None => EndOf::Unannounced,
        }
    }

    pub(crate) fn end(&mut self, turn: Turn, reason: EndReason) {
        self.open = None;
        self.past = None;
        self.floor = Some(self.floor.map_or(turn, |floor| floor.max(turn)));
        self.note_end(turn, reason);
        self.rewritten = false;
        self.spoken = false;
        self.answered = false;
    }

    fn note_end(&mut self, turn: Turn, reason: EndReason) {
        self.last_ended = Some((turn, reason));
        if reason == EndReason::Completed {
            self.last_completed = Some(turn);
            self.completed = self.completed.saturating_add(1);
        }
    }

    pub(crate) fn rewrite(&mut self) {
        self.history_version = self.history_version.saturating_add(1);
        self.rewritten = true;
        // The open turn's own number may be told again, by the history that survived.
        self.floor = self
            .open
            .as_ref()
            .filter(|open| !open.implied)
            .and_then(|open| open.number.get().checked_sub(1))
            .map(Turn::new);
    }

    /// The last turn of anybody completed.
    pub(crate) fn last_turn_completed(&self) -> bool {
        matches!(self.last_ended, Some((_, EndReason::Completed)))
    }

    /// A turn has ended, none runs, and the session is idle.
    pub(crate) fn boundary_open(&self) -> bool {
        self.idle && self.open.is_none() && self.last_ended.is_some()
    }

    /// The turn to which something that happens now belongs.
    pub(crate) fn current(&self) -> Turn {
        self.past
            .map(|past| past.number)
            .or(self.open.as_ref().map(|open| open.number))
            .or(self.last_ended.map(|(turn, _)| turn))
            .unwrap_or_default()
    }
}
