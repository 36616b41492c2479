//! When a voice of the idle session may ask: guard, cooldown, one kept trigger, abort (rules C1, C4, C9).

use crate::ids::{CallId, Timestamp, Turn};

/// The least time between the starts of two generations (rule C1).
pub(crate) const COOLDOWN_MS: u64 = 60_000;

/// A call that somebody waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InFlight {
    pub(crate) call: CallId,
    /// The completed turn that it answers.
    pub(crate) turn: Turn,
    /// Set when the request leaves.
    pub(crate) deadline: Option<Timestamp>,
}

/// The lifecycle of one voice in one session. It decides when; what is asked and made is the voice's own affair.
#[derive(Debug, Default)]
pub(crate) struct Lifecycle {
    /// A turn completed live, and no generation for it has come to its end.
    work: bool,
    started: Option<Timestamp>,
    in_flight: Option<InFlight>,
    /// A trigger came inside the cooldown and is served at its end.
    kept: bool,
}

impl Lifecycle {
    /// A turn completed: there is something to say about.
    pub(crate) fn work_completed(&mut self) {
        self.work = true;
    }

    /// Whether completed work waits for a generation.
    pub(crate) fn has_work(&self) -> bool {
        self.work
    }

    /// The session went idle. Gives whether a generation starts now; a trigger inside the cooldown is kept, once.
    pub(crate) fn trigger(&mut self, now: Timestamp) -> bool {
        if !self.work || self.in_flight.is_some() {
            return false;
        }
        self.kept = self.cooldown_end().is_some_and(|end| now < end);
        !self.kept
    }

    /// Whether the kept trigger is due; it is taken.
    pub(crate) fn take_kept(&mut self, now: Timestamp) -> bool {
        let due = self.kept && self.in_flight.is_none() && self.cooldown_end().is_none_or(|end| end <= now);
        if due {
            self.kept = false;
        }
        due
    }

    /// A generation starts: the cooldown runs from now.
    pub(crate) fn start(&mut self, now: Timestamp) {
        self.started = Some(now);
        self.kept = false;
        self.work = true;
    }

    /// The generation asks a model.
    pub(crate) fn wait_for(&mut self, call: CallId, turn: Turn) {
        self.in_flight = Some(InFlight { call, turn, deadline: None });
    }

    /// The request left: the abort runs from now.
    pub(crate) fn sent(&mut self, call: CallId, deadline: Timestamp) {
        if let Some(flight) = self.in_flight.as_mut().filter(|flight| flight.call == call) {
            flight.deadline.get_or_insert(deadline);
        }
    }

    pub(crate) fn in_flight(&self) -> Option<InFlight> {
        self.in_flight
    }

    /// Takes the call out, if it is the one that is waited for.
    pub(crate) fn finish(&mut self, call: CallId) -> Option<InFlight> {
        self.in_flight.take_if(|flight| flight.call == call)
    }

    /// Takes the call out whose time is over.
    pub(crate) fn take_overdue(&mut self, now: Timestamp) -> Option<InFlight> {
        self.in_flight.take_if(|flight| flight.deadline.is_some_and(|deadline| deadline <= now))
    }

    /// The generation came to its end, by whatever means.
    pub(crate) fn settle(&mut self) {
        self.work = false;
        self.kept = false;
    }

    /// The session works again: gives up what is under way and what was kept. Gives the call to cancel.
    pub(crate) fn give_up(&mut self) -> Option<CallId> {
        self.kept = false;
        self.in_flight.take().map(|flight| flight.call)
    }

    /// The conversation is another one: what completed before is no work of it.
    pub(crate) fn forget_work(&mut self) -> Option<CallId> {
        self.work = false;
        self.give_up()
    }

    /// When time has to pass next.
    pub(crate) fn wake(&self) -> Option<Timestamp> {
        match self.in_flight {
            Some(flight) => flight.deadline,
            None => self.cooldown_end().filter(|_| self.kept),
        }
    }

    fn cooldown_end(&self) -> Option<Timestamp> {
        self.started.map(|started| started.plus_ms(COOLDOWN_MS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Timestamp {
        Timestamp::new(ms)
    }

    #[test]
    fn a_trigger_inside_the_cooldown_is_kept_once_and_served_at_its_end_c1() {
        let mut life = Lifecycle::default();
        assert!(!life.trigger(at(0)), "nothing was done yet");
        life.work_completed();
        assert!(life.trigger(at(0)));
        life.start(at(0));
        life.settle();
        life.work_completed();
        assert!(!life.trigger(at(10_000)));
        assert!(!life.trigger(at(20_000)));
        assert_eq!(life.wake(), Some(at(60_000)));
        assert!(!life.take_kept(at(59_999)));
        assert!(life.take_kept(at(60_000)));
        assert!(!life.take_kept(at(60_000)), "served once");
    }

    #[test]
    fn a_call_in_flight_guards_and_busy_gives_it_up_c1() {
        let mut life = Lifecycle::default();
        life.work_completed();
        life.start(at(0));
        life.wait_for(CallId::new(3), Turn::new(1));
        assert!(!life.trigger(at(70_000)));
        assert_eq!(life.give_up(), Some(CallId::new(3)));
        assert_eq!(life.finish(CallId::new(3)), None);
        assert!(life.trigger(at(70_000)), "the work still waits");
    }

    #[test]
    fn the_abort_runs_from_the_moment_when_the_request_leaves_c4() {
        let mut life = Lifecycle::default();
        life.start(at(0));
        life.wait_for(CallId::new(1), Turn::new(1));
        assert_eq!(life.wake(), None);
        life.sent(CallId::new(1), at(18_500));
        assert_eq!(life.wake(), Some(at(18_500)));
        assert_eq!(life.take_overdue(at(18_499)), None);
        assert!(life.take_overdue(at(18_500)).is_some());
    }
}
