//! An onlooker's account of a session, kept from what goes in alone: turns, boundary, goal, dialog, queue, submissions.
//! It follows the rules' text (A3, A5, A6, A10, D4, D15, G3, G4) and shares no code with the machine that it watches.

use std::collections::BTreeSet;
use suggest_core::{
    Author, Command, Config, EndReason, Event, Goal, GoalPhase, Message, ModelId, OfferId, Origin, Ticket,
    Timestamp,
};

#[derive(Debug, Clone)]
pub(crate) struct Open {
    pub(crate) number: u64,
    pub(crate) implied: bool,
    pub(crate) round: bool,
    pub(crate) run: bool,
    /// History left it open; else it started live.
    pub(crate) past: bool,
}

/// A submission that has neither started nor been refused.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    pub(crate) ticket: Ticket,
    pub(crate) by_loop: bool,
    pub(crate) accepted: Option<Timestamp>,
    pub(crate) withdrawn: bool,
    pub(crate) boundary: u64,
    pub(crate) moved_on: bool,
    pub(crate) other_turn: bool,
}

/// What the loop did at the boundary with a number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tries {
    pub(crate) boundary: u64,
    pub(crate) submitted: u32,
    pub(crate) offer: Option<OfferId>,
    pub(crate) refused: bool,
    pub(crate) idle_since_refusal: bool,
}

/// What an input entitles the machine to, or demands of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Demands {
    /// A generation may open.
    pub(crate) may_open: bool,
    /// It is the end of this completed turn, in this history version, that opens it.
    pub(crate) end_of: Option<(u64, u64)>,
    /// A human's `retry`: a dialog does not put it off.
    pub(crate) despite_dialog: bool,
    pub(crate) must_disarm: bool,
    pub(crate) must_withdraw: bool,
    /// What a rewritten history has to take back before the turn that shows it starts.
    pub(crate) withdraw_first: Vec<Ticket>,
    /// No generation that was in flight before may go on.
    pub(crate) must_cancel: bool,
    /// This many rounds were accepted, and this many of them withdrawn before.
    pub(crate) rounds: u32,
    pub(crate) withdrawn_rounds: u32,
    pub(crate) implied_start: bool,
    pub(crate) rewrite_by_number: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub(crate) config: Config,
    pub(crate) barred: bool,
    pub(crate) chosen: Option<Option<ModelId>>,
    pub(crate) switched_off: bool,
    pub(crate) closed: bool,
    pub(crate) open: Option<Open>,
    pub(crate) floor: Option<u64>,
    pub(crate) last_ended: Option<(u64, EndReason)>,
    pub(crate) last_completed: Option<u64>,
    pub(crate) spoken: bool,
    /// A turn of the past that is told beside the live one, and whether somebody had spoken in the live one.
    beside: Option<(u64, bool)>,
    /// No turn ended since the history was rewritten.
    rewritten: bool,
    pub(crate) idle: bool,
    pub(crate) asking: bool,
    pub(crate) queued: u32,
    pub(crate) boundary: u64,
    version: u64,
    ids: BTreeSet<String>,
    pub(crate) goal: Option<Goal>,
    pub(crate) goal_at_arming: Option<String>,
    pub(crate) pending: Vec<Pending>,
    pub(crate) tries: Tries,
    pub(crate) spent: u32,
    /// A cause for a generation came while a dialog was open, and nothing outdated it.
    pub(crate) put_off: bool,
    /// A rewrite left a generation to be opened by the next live input.
    pub(crate) after_rewrite: bool,
    /// Before the input: is the loop armed, and is a generation under way?
    pub(crate) armed: bool,
    pub(crate) analyzing: bool,
}

impl Facts {
    pub(crate) fn new(config: Config, barred: bool, spent: u32) -> Self {
        Self {
            config,
            barred,
            chosen: None,
            switched_off: false,
            closed: false,
            open: None,
            floor: None,
            last_ended: None,
            last_completed: None,
            spoken: false,
            beside: None,
            rewritten: false,
            idle: false,
            asking: false,
            queued: 0,
            boundary: 0,
            version: 0,
            ids: BTreeSet::new(),
            goal: None,
            goal_at_arming: None,
            pending: Vec::new(),
            tries: Tries::default(),
            spent,
            put_off: false,
            after_rewrite: false,
            armed: false,
            analyzing: false,
        }
    }

    pub(crate) fn model(&self) -> Option<&ModelId> {
        match &self.chosen {
            Some(chosen) => chosen.as_ref(),
            None => self.config.prompt_model.as_ref(),
        }
    }

    /// Whether any call may be made.
    pub(crate) fn on(&self) -> bool {
        self.model().is_some() && !self.barred && !self.switched_off && !self.closed
    }

    pub(crate) fn goal_owns(&self) -> bool {
        self.goal.as_ref().is_some_and(|goal| goal.phase == GoalPhase::Active && goal.armed)
    }

    pub(crate) fn last_completed_well(&self) -> bool {
        matches!(self.last_ended, Some((_, EndReason::Completed)))
    }

    pub(crate) fn boundary_open(&self) -> bool {
        self.idle && self.open.is_none() && self.last_ended.is_some()
    }

    /// Rounds that unanswered submissions of the loop may still cost.
    pub(crate) fn reserved(&self) -> u32 {
        let unanswered = self.pending.iter().filter(|pending| pending.by_loop && pending.accepted.is_none());
        u32::try_from(unanswered.count()).unwrap()
    }

    /// Submissions for which nothing else may be submitted.
    pub(crate) fn blocked(&self) -> bool {
        self.pending.iter().any(|pending| !pending.withdrawn || pending.boundary == self.boundary)
    }

    /// The one more try of rule A3 is due.
    pub(crate) fn second_try_due(&self) -> bool {
        self.tries.boundary == self.boundary
            && self.tries.submitted == 1
            && self.tries.refused
            && self.tries.idle_since_refusal
    }

    pub(crate) fn tried_here(&self) -> bool {
        self.tries.boundary == self.boundary && self.tries.submitted > 0
    }

    fn rewrite(&mut self) {
        self.version += 1;
        self.rewritten = true;
        // The open turn's own number may be told again; the number of a turn that the host did not number is ours.
        let open = self.open.as_ref().filter(|open| !open.implied);
        self.floor = open.and_then(|open| open.number.checked_sub(1));
        self.ids.clear();
    }

    /// The submission whose turn starts now, if any. Other turns have started since for the rest.
    fn match_start(&mut self, origin: Option<Origin>, demands: &mut Demands) -> Option<Pending> {
        let fits = |pending: &Pending| match origin {
            None => !pending.other_turn,
            Some(Origin::Suggest) => pending.by_loop,
            Some(Origin::Human) => !pending.by_loop,
            Some(_) => false,
        };
        let likely = |at: &usize| (self.pending[*at].accepted.is_none(), self.pending[*at].withdrawn);
        let all = 0..self.pending.len();
        let first = all.filter(|at| fits(&self.pending[*at])).min_by_key(likely);
        let matched = first.map(|at| self.pending.remove(at));
        for pending in &mut self.pending {
            pending.moved_on = true;
            pending.other_turn = true;
        }
        if let Some(pending) =
            matched.as_ref().filter(|pending| pending.by_loop && pending.accepted.is_none())
        {
            self.count_round(pending.withdrawn, demands);
        }
        matched
    }

    fn start(&mut self, number: u64, origin: Option<Origin>, implied: bool, demands: &mut Demands) {
        self.boundary += 1;
        let matched = self.match_start(origin, demands);
        let by_human = origin == Some(Origin::Human) && !implied && matched.is_none();
        if by_human {
            human_prompt(demands);
        }
        self.open = Some(Open {
            number,
            implied,
            round: matched.as_ref().is_some_and(|pending| pending.by_loop),
            run: matched.as_ref().is_some_and(|pending| !pending.by_loop),
            past: false,
        });
        if !implied {
            self.floor = Some(number);
        }
        self.idle = false;
        self.spoken = false;
        self.beside = None;
        self.put_off = false;
        self.after_rewrite = false;
        demands.must_cancel = true;
    }

    fn count_round(&mut self, withdrawn: bool, demands: &mut Demands) {
        self.spent += 1;
        demands.rounds += 1;
        demands.withdrawn_rounds += u32::from(withdrawn);
        demands.must_disarm |= self.spent >= self.config.prompt_max_rounds;
    }

    fn end(&mut self, number: u64, reason: EndReason) {
        self.open = None;
        self.floor = Some(self.floor.map_or(number, |floor| floor.max(number)));
        self.note_end(number, reason);
        self.beside = None;
        self.spoken = false;
    }

    fn note_end(&mut self, number: u64, reason: EndReason) {
        self.last_ended = Some((number, reason));
        if reason == EndReason::Completed {
            self.last_completed = Some(number);
        }
        self.rewritten = false;
    }

    fn ended_before_the_rewrite(&self, turn: u64) -> bool {
        self.rewritten && self.last_ended.is_some_and(|(last, _)| last == turn)
    }

    /// What is said from now on is said in the live turn.
    fn back_to_the_live(&mut self) -> Option<u64> {
        let (number, spoken) = self.beside.take()?;
        self.spoken = spoken;
        Some(number)
    }

    /// A turn of the past ends beside the live one.
    fn end_beside(&mut self, turn: u64, reason: EndReason) {
        self.back_to_the_live();
        if self.rewritten || self.last_ended.is_none_or(|(last, _)| last < turn) {
            self.note_end(turn, reason);
        }
    }

    /// No more of the past: words of the human that nobody numbered are those of the turn that it left open.
    fn past_is_told(&mut self) {
        if let Some(number) = self.back_to_the_live()
            && self.open.as_ref().is_some_and(|open| open.implied)
            && !self.goes_back(number)
        {
            self.announce(number, false);
        }
    }

    fn interrupt(&mut self, demands: &mut Demands) {
        if let Some(open) = self.open.take() {
            self.end(open.number, EndReason::Interrupted);
            demands.must_disarm |= open.round;
        }
    }

    pub(crate) fn live(&mut self, now: Timestamp, event: &Event) -> Demands {
        let mut demands = Demands::default();
        if self.closed {
            return demands;
        }
        self.past_is_told();
        match event {
            Event::TurnStarted { turn, origin } => self.turn_started(turn.get(), *origin, &mut demands),
            Event::TurnEnded { turn, reason } => self.turn_ended(turn.get(), *reason, &mut demands),
            Event::Idle => self.went_idle(now, &mut demands),
            Event::Busy => {
                self.idle = false;
                self.pending.iter_mut().for_each(|pending| pending.moved_on = true);
            }
            Event::HumanQueued { count } => {
                if *count > self.queued {
                    human_prompt(&mut demands);
                }
                self.queued = *count;
            }
            Event::Asking { open } => {
                self.asking = *open;
                if !open {
                    demands.may_open |= std::mem::take(&mut self.put_off);
                }
            }
            Event::HistoryRewritten => {
                self.after_rewrite |= self.armed || self.analyzing || self.put_off;
                self.rewrite();
                demands.must_withdraw = true;
                demands.must_cancel = true;
            }
            Event::Closed => {
                self.closed = true;
                demands.must_disarm = true;
                demands.must_withdraw = true;
                demands.must_cancel = true;
            }
            Event::Message(message) => self.message(message, &mut demands),
            Event::Tool(_) | Event::Plan { .. } | Event::Chapter(_) => {}
            Event::Goal(goal) => self.goal(goal, &mut demands),
            Event::GoalCleared { id } => {
                if self.goal.as_ref().is_some_and(|goal| goal.id == *id) {
                    self.goal = None;
                    self.goal_invalidated(&mut demands);
                }
            }
        }
        if !matches!(event, Event::HistoryRewritten) {
            demands.may_open |= std::mem::take(&mut self.after_rewrite);
        }
        demands
    }

    fn turn_started(&mut self, turn: u64, origin: Option<Origin>, demands: &mut Demands) {
        let goes_back = self.goes_back(turn);
        if goes_back {
            self.rewrite();
            self.put_off = false;
            self.after_rewrite = false;
            for pending in self.pending.iter_mut().filter(|pending| pending.by_loop && !pending.withdrawn) {
                pending.withdrawn = true;
                demands.withdraw_first.push(pending.ticket);
            }
            demands.rewrite_by_number = true;
        }
        if self.open.as_ref().is_some_and(|open| open.implied) {
            // The start belongs to the human's words; with our origin it is an acceptance all the same.
            let ours = Some(Origin::Suggest).filter(|_| origin == Some(Origin::Suggest));
            let round = ours.is_some_and(|_| self.match_start(ours, demands).is_some());
            self.announce(turn, round);
            return;
        }
        self.interrupt(demands);
        self.start(turn, origin, false, demands);
    }

    fn goes_back(&self, turn: u64) -> bool {
        self.floor.is_some_and(|floor| turn <= floor)
    }

    fn announce(&mut self, turn: u64, round: bool) {
        if let Some(open) = &mut self.open {
            open.implied = false;
            open.number = turn;
            open.round |= round;
        }
        self.floor = Some(turn);
    }

    fn turn_ended(&mut self, turn: u64, reason: EndReason, demands: &mut Demands) {
        let mut spoken = self.spoken;
        match &self.open {
            Some(open) if open.implied && self.goes_back(turn) => return,
            Some(open) if open.number == turn || open.implied => {}
            Some(open) if turn < open.number => return,
            Some(_) if self.ended_before_the_rewrite(turn) => return,
            None if self.goes_back(turn) => return,
            Some(_) | None => {
                if self.open.is_some() {
                    self.interrupt(demands);
                    spoken = false;
                }
                self.start(turn, None, false, demands);
            }
        }
        let round = self.open.as_ref().is_some_and(|open| open.round);
        self.end(turn, reason);
        demands.must_disarm |= round && reason != EndReason::Completed;
        if reason == EndReason::Completed && spoken {
            demands.may_open = true;
            demands.end_of = Some((turn, self.version));
        }
    }

    fn went_idle(&mut self, now: Timestamp, demands: &mut Demands) {
        self.idle = true;
        if self.tries.boundary == self.boundary && self.tries.refused {
            self.tries.idle_since_refusal = true;
        }
        let over = |pending: &Pending| {
            pending.accepted.is_some_and(|at| pending.moved_on || now.ms_since(at) >= 30_000)
        };
        demands.must_disarm |=
            self.pending.iter().any(|pending| over(pending) && pending.by_loop && !pending.withdrawn);
        self.pending.retain(|pending| !over(pending));
    }

    fn message(&mut self, message: &Message, demands: &mut Demands) {
        let known = message.id.as_ref().is_some_and(|id| self.ids.contains(id));
        if message.author == Author::Human && self.open.is_none() && !known {
            let next = self.floor.or(self.last_ended.map(|(turn, _)| turn)).map_or(1, |last| last + 1);
            self.start(next, Some(Origin::Human), true, demands);
            demands.implied_start = true;
        }
        self.fold(message);
        if known || message.author != Author::Human {
            return;
        }
        match self.open.as_mut().filter(|open| open.run) {
            Some(open) => open.run = false,
            None => human_prompt(demands),
        }
    }

    fn fold(&mut self, message: &Message) {
        if message.id.as_ref().is_some_and(|id| !self.ids.insert(id.clone())) {
            return;
        }
        self.spoken |=
            matches!(message.author, Author::Human | Author::Assistant | Author::Goal | Author::Suggest);
    }

    fn goal(&mut self, goal: &Goal, demands: &mut Demands) {
        let invalidates = self.goal.as_ref().is_none_or(|old| {
            old.id != goal.id
                || old.objective != goal.objective
                || goal.revision < old.revision
                || (goal.phase == GoalPhase::Complete && old.phase != GoalPhase::Complete)
        });
        if goal.phase == GoalPhase::Complete && self.goal_at_arming.as_ref() == Some(&goal.id) {
            demands.must_disarm |= self.armed;
            self.armed = false;
        }
        self.goal = Some(goal.clone());
        if invalidates {
            self.goal_invalidated(demands);
        }
    }

    fn goal_invalidated(&mut self, demands: &mut Demands) {
        demands.must_withdraw = true;
        demands.must_cancel = true;
        if self.open.is_none() && (self.armed || self.analyzing || self.put_off) {
            demands.may_open = true;
        }
    }

    /// Events of the past fold, and entitle to nothing (rule D15).
    pub(crate) fn past(&mut self, event: &Event) -> Demands {
        if self.closed {
            return Demands::default();
        }
        self.idle = false;
        match event {
            Event::TurnStarted { turn, .. } => {
                let turn = turn.get();
                let live = |open: &Open| !open.past && (open.implied || open.number != turn);
                if self.open.as_ref().is_some_and(live) {
                    // Told beside the live turn, which only a live word ends.
                    self.back_to_the_live();
                    self.beside = Some((turn, self.spoken));
                    self.spoken = false;
                    return Demands::default();
                }
                self.past_is_told();
                let (goes_back, open) = (self.goes_back(turn), self.open.clone());
                match open {
                    Some(open) if open.implied && !goes_back => self.announce(turn, false),
                    Some(open) if !open.implied && open.number == turn => {}
                    _ => {
                        if goes_back {
                            self.rewrite();
                        }
                        if let Some(open) = self.open.take() {
                            self.end(open.number, EndReason::Interrupted);
                        }
                        self.open =
                            Some(Open { number: turn, implied: false, round: false, run: false, past: true });
                        self.floor = Some(turn);
                        self.spoken = false;
                    }
                }
            }
            Event::TurnEnded { turn, reason } => {
                let turn = turn.get();
                if self.beside.is_some_and(|(beside, _)| beside == turn) {
                    self.end_beside(turn, *reason);
                    return Demands::default();
                }
                match &self.open {
                    Some(open) if turn < open.number && !open.implied => {}
                    Some(open)
                        if open.number != turn && !open.implied && self.ended_before_the_rewrite(turn) => {}
                    Some(open) if open.implied && self.goes_back(turn) => {}
                    None if self.goes_back(turn) => {}
                    // A start and an end in one, beside the live turn.
                    Some(open) if !open.past && (open.implied || open.number != turn) => {
                        self.end_beside(turn, *reason);
                    }
                    Some(_) | None => self.end(turn, *reason),
                }
            }
            Event::Message(message) => self.fold(message),
            Event::Goal(goal) => self.goal = Some(goal.clone()),
            Event::GoalCleared { id } => {
                if self.goal.as_ref().is_some_and(|goal| goal.id == *id) {
                    self.goal = None;
                }
            }
            Event::HistoryRewritten => self.rewrite(),
            Event::Tool(_)
            | Event::Plan { .. }
            | Event::Chapter(_)
            | Event::Idle
            | Event::Busy
            | Event::HumanQueued { .. }
            | Event::Asking { .. }
            | Event::Closed => {}
        }
        Demands::default()
    }

    pub(crate) fn command(&mut self, command: &Command, ok: bool) -> Demands {
        let mut demands = Demands::default();
        let before = self.model().cloned();
        match command {
            Command::SetModel(id) if !self.closed => self.chosen = Some(Some(id.clone())),
            Command::ClearModel if !self.closed => self.chosen = Some(None),
            Command::On if !self.closed => self.switched_off = false,
            Command::Off if !self.closed => {
                self.switched_off = true;
                self.all_off(&mut demands);
            }
            Command::ResetAutorun if !self.closed => self.spent = 0,
            Command::DisarmAutorun => demands.must_disarm = true,
            Command::ArmAutorun if ok && !self.armed => {
                self.goal_at_arming = self
                    .goal
                    .as_ref()
                    .filter(|goal| goal.phase == GoalPhase::Active)
                    .map(|goal| goal.id.clone());
            }
            _ => {}
        }
        if before != self.model().cloned() {
            demands.must_withdraw = true;
            demands.must_cancel = true;
            if self.model().is_none() {
                self.all_off(&mut demands);
            }
        }
        demands.despite_dialog = *command == Command::Retry;
        if matches!(command, Command::On | Command::SetModel(_) | Command::ArmAutorun | Command::Retry) && ok
        {
            demands.may_open = true;
        }
        let looks_only = matches!(
            command,
            Command::Pull
                | Command::State
                | Command::Status
                | Command::Report
                | Command::Help
                | Command::ShowModel
                | Command::Summary
                | Command::Advisor(_)
                | Command::Cards(_)
        );
        if !looks_only {
            demands.may_open |= std::mem::take(&mut self.after_rewrite);
        }
        demands
    }

    fn all_off(&mut self, demands: &mut Demands) {
        self.put_off = false;
        self.after_rewrite = false;
        demands.must_disarm = true;
        demands.must_withdraw = true;
        demands.must_cancel = true;
    }

    pub(crate) fn submit_result(&mut self, now: Timestamp, ticket: Ticket, accepted: bool) -> Demands {
        let mut demands = Demands::default();
        let unanswered = |pending: &Pending| pending.ticket == ticket && pending.accepted.is_none();
        let Some(at) = self.pending.iter().position(unanswered) else { return demands };
        if accepted {
            self.pending[at].accepted = Some(now);
            if self.pending[at].by_loop {
                self.count_round(self.pending[at].withdrawn, &mut demands);
            }
        } else {
            let pending = self.pending.remove(at);
            if pending.by_loop && pending.boundary == self.boundary {
                self.tries.refused = true;
                self.tries.idle_since_refusal = false;
            }
        }
        demands
    }

    pub(crate) fn config_changed(&mut self, config: Config) -> Demands {
        let mut demands = Demands::default();
        let before = self.model().cloned();
        self.config = config;
        if before != self.model().cloned() {
            demands.must_withdraw = true;
            demands.must_cancel = true;
            if self.model().is_none() {
                self.all_off(&mut demands);
            } else if self.open.is_none() && (self.armed || self.analyzing || self.put_off) {
                demands.may_open = true;
            }
        }
        demands.must_disarm |= self.spent >= self.config.prompt_max_rounds;
        demands
    }
}

fn human_prompt(demands: &mut Demands) {
    demands.must_disarm = true;
    demands.must_withdraw = true;
}
