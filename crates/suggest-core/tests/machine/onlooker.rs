//! Compares what the machine does with what the onlooker's [`Facts`] allow and demand, after each input.

use crate::answers::Meaning;
use crate::facts::{Demands, Facts, Pending};
use crate::seen::Seen;
use std::collections::{BTreeMap, BTreeSet};
use suggest_core::{
    CallId, Command, CommandOutput, Config, DisarmCode, Effect, GoalRef, HoldCode, Input, LoopReport,
    ModelCall, OfferId, OfferKind, OutputCode, PromptMessage, Revision, State, Status, Submission,
    SubmitAuthor, Ticket, Timestamp, Turn, Voice, parse_state, print_state,
};

/// A director's call that somebody waits for.
#[derive(Debug, Clone)]
struct Live {
    call: CallId,
    attempt: u8,
    messages: Vec<PromptMessage>,
    sent: bool,
    /// When the generation has to be over, from its first sending on.
    deadline: Option<Timestamp>,
}

/// What one input was, as far as the checks need it once it is consumed.
#[derive(Debug, Clone)]
pub(crate) struct Given {
    pub(crate) now: Timestamp,
    pub(crate) input: Input,
    /// What the reply means, if the input is one.
    pub(crate) answer: Option<Meaning>,
    pub(crate) output: Option<CommandOutput>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) state: State,
    pub(crate) next_wake: Option<Timestamp>,
}

/// Watches one session.
#[derive(Debug, Clone)]
pub(crate) struct Onlooker {
    pub(crate) facts: Facts,
    live: Option<Live>,
    last_call: u64,
    last_ticket: u64,
    last_offer: u64,
    calls_made: u64,
    /// Every offer's text and kind, as first seen.
    offers: BTreeMap<OfferId, (String, OfferKind)>,
    opened_by_end: BTreeSet<(u64, u64)>,
    /// Rounds and the offers of the loop that runs.
    loop_rounds: u32,
    failures: u32,
    before: State,
    pub(crate) seen: Seen,
}

/// A rule that does not hold, in one line.
pub(crate) type Checked = Result<(), String>;

macro_rules! require {
    ($holds:expr, $($words:tt)+) => {
        if !$holds {
            return Err(format!($($words)+));
        }
    };
}

impl Onlooker {
    pub(crate) fn new(
        config: Config,
        barred: bool,
        first_offer: u64,
        first_ticket: u64,
        spent: u32,
        state: State,
    ) -> Self {
        Self {
            facts: Facts::new(config, barred, spent),
            live: None,
            last_call: 0,
            last_ticket: first_ticket.saturating_sub(1),
            last_offer: first_offer.saturating_sub(1),
            calls_made: 0,
            offers: BTreeMap::new(),
            opened_by_end: BTreeSet::new(),
            loop_rounds: 0,
            failures: 0,
            before: state,
            seen: Seen::default(),
        }
    }

    /// The call that is answered next, and whether its request left.
    pub(crate) fn live_call(&self) -> Option<(CallId, bool)> {
        self.live.as_ref().map(|live| (live.call, live.sent))
    }

    pub(crate) fn state(&self) -> &State {
        &self.before
    }

    pub(crate) fn next_offer(&self) -> u64 {
        self.last_offer + 1
    }

    pub(crate) fn next_ticket(&self) -> u64 {
        self.last_ticket + 1
    }

    /// Everything that must hold after one input.
    pub(crate) fn observe(&mut self, given: &Given) -> Checked {
        self.seen.inputs += 1;
        self.facts.armed = self.before.autorun.armed;
        let timed_out = self.time_passes(given)?;
        self.facts.analyzing = self.live.is_some();
        let answered = self.take_answered(given);
        let demands = self.apply(given);
        self.note(&demands);
        if demands.must_cancel && self.live.is_some() {
            let call = self.live.as_ref().map(|live| live.call);
            let cancelled = given
                .effects
                .iter()
                .any(|effect| matches!(effect, Effect::CancelCall { call: gone } if Some(*gone) == call));
            require!(cancelled, "D5: the call in flight outlives what it was made for");
        }
        let generations = self.seen.generations;
        self.effects(given, &demands, answered.as_ref())?;
        if demands.may_open && self.seen.generations == generations && self.facts.asking && self.facts.on() {
            self.facts.put_off = true;
        }
        self.loop_changes(given, &demands, timed_out)?;
        self.check_state(given)?;
        self.check_answer(given, answered.as_ref())?;
        self.check_stall(given)?;
        self.before = given.state.clone();
        Ok(())
    }

    /// The deadline covers both attempts (rule D8), and passes before the input is looked at.
    fn time_passes(&mut self, given: &Given) -> Result<bool, String> {
        let due = |live: &Live| live.deadline.is_some_and(|deadline| deadline <= given.now);
        let Some(live) = self.live.take_if(|live| due(live)) else { return Ok(false) };
        let cancelled = Effect::CancelCall { call: live.call };
        let first = given.effects.iter().find(|effect| !matches!(effect, Effect::WakeAt { .. }));
        require!(first == Some(&cancelled), "D8: the deadline passed and the call was not cancelled first");
        self.seen.timeouts += 1;
        self.failures += u32::from(self.before.autorun.armed);
        Ok(true)
    }

    fn take_answered(&mut self, given: &Given) -> Option<Live> {
        let (Input::Reply(call, _) | Input::CallFailed(call, _)) = &given.input else { return None };
        let answered = self.live.take_if(|live| live.call == *call);
        self.seen.late_replies += u64::from(answered.is_none());
        answered
    }

    fn apply(&mut self, given: &Given) -> Demands {
        let ok = given.output.as_ref().is_some_and(|output| output.code == OutputCode::Ok);
        match &given.input {
            Input::Event(event) => self.facts.live(given.now, event),
            Input::History(event) => self.facts.past(event),
            Input::Command(command) => self.facts.command(command, ok),
            Input::SubmitResult { ticket, accepted, .. } => {
                self.facts.submit_result(given.now, *ticket, *accepted)
            }
            Input::Config(config) => self.facts.config_changed(config.as_ref().clone()),
            Input::CallSent(call) => {
                let deadline = given.now.plus_ms(self.facts.config.prompt_deadline_ms);
                if let Some(live) = self.live.as_mut().filter(|live| live.call == *call) {
                    live.sent = true;
                    live.deadline.get_or_insert(deadline);
                }
                Demands::default()
            }
            _ => Demands::default(),
        }
    }

    fn note(&mut self, demands: &Demands) {
        self.seen.rounds += u64::from(demands.rounds);
        self.seen.withdrawn_then_accepted += u64::from(demands.withdrawn_rounds);
        self.seen.implied_turns += u64::from(demands.implied_start);
        self.seen.rewrites_by_number += u64::from(demands.rewrite_by_number);
        self.loop_rounds += demands.rounds - demands.withdrawn_rounds;
    }

    fn effects(&mut self, given: &Given, demands: &Demands, answered: Option<&Live>) -> Checked {
        let past = matches!(given.input, Input::History(_));
        let mut opened = false;
        let mut withdraw_first = demands.withdraw_first.clone();
        for effect in &given.effects {
            require!(
                !past || !matches!(effect, Effect::CallModel(_) | Effect::SubmitTurn(_) | Effect::Report(_)),
                "D15: history led to {effect:?}"
            );
            match effect {
                Effect::CallModel(call) => {
                    self.call(given, demands, answered, call)?;
                    require!(!opened || call.attempt != 1, "D6: two generations for one input");
                    opened |= call.attempt == 1;
                }
                Effect::CancelCall { call } => {
                    self.live.take_if(|live| live.call == *call);
                }
                Effect::SubmitTurn(submission) => self.submission(given, submission)?,
                Effect::WithdrawTurn { ticket } => {
                    let known = withdraw_first.len();
                    withdraw_first.retain(|first| first != ticket);
                    if withdraw_first.len() == known {
                        self.withdrawal(*ticket)?;
                    }
                }
                Effect::DisarmGoal { id, revision } => self.goal_disarm(given, id, *revision)?,
                Effect::FillInput { text } => self.fill(given, text)?,
                Effect::Report(_)
                | Effect::Inject { .. }
                | Effect::Steer { .. }
                | Effect::Publish { .. }
                | Effect::Persist { .. } => {}
                Effect::WakeAt { at } => {
                    require!(*at > given.now, "a wake-up in the past");
                    require!(given.next_wake == Some(*at), "the wake-up told is not the next one");
                }
            }
        }
        require!(withdraw_first.is_empty(), "A3: a rewritten history withdraws nothing");
        Ok(())
    }

    fn call(
        &mut self,
        given: &Given,
        demands: &Demands,
        answered: Option<&Live>,
        call: &ModelCall,
    ) -> Checked {
        require!(call.voice == Voice::Director, "a voice without a model calls: {:?}", call.voice);
        require!(self.facts.on(), "D1, D2, D12: a call while off, barred or closed");
        require!(
            Some(&call.model) == self.facts.model(),
            "D1: a call to another model than the one in force"
        );
        require!(call.call.get() > self.last_call, "call numbers rise");
        require!(self.live.is_none(), "A8: a second call in flight");
        self.last_call = call.call.get();
        self.calls_made += 1;
        let user = call.messages.get(1).map(|message| message.text.chars().count()).unwrap_or_default();
        let cap = usize::try_from(self.facts.config.prompt_context_chars).unwrap();
        let (sent, deadline) = if call.attempt == 1 {
            require!(demands.may_open, "A8: a generation that nothing opened, at {:?}", given.input);
            require!(self.facts.open.is_none(), "D4: a generation while a turn runs");
            require!(self.facts.last_completed.is_some(), "D4: a generation before any turn completed");
            require!(!self.facts.asking || demands.despite_dialog, "D4: a generation while a dialog is open");
            require!(call.messages.len() == 2, "D8: a first attempt of {} messages", call.messages.len());
            require!(user <= cap, "S2: a slice of {user} characters, cap {cap}");
            require!(user > 0, "S2: an empty slice");
            require!(
                call.deadline_ms == self.facts.config.prompt_deadline_ms,
                "D8: the deadline is not whole"
            );
            if let Some(end) = demands.end_of {
                require!(self.opened_by_end.insert(end), "D4: turn {end:?} opened two generations");
            }
            self.seen.generations += 1;
            self.seen.put_off_by_a_dialog += u64::from(self.facts.put_off);
            self.seen.after_a_rewrite += u64::from(
                self.before
                    .reason
                    .as_ref()
                    .is_some_and(|reason| reason.code == suggest_core::ReasonCode::HistoryRewritten)
                    && !matches!(given.input, Input::Command(_)),
            );
            self.facts.put_off = false;
            self.facts.after_rewrite = false;
            (false, None)
        } else {
            let Some(first) = answered else { return Err("D8: a second attempt without a first".to_owned()) };
            require!(call.attempt == 2 && first.attempt == 1, "A8: more than two calls in a generation");
            require!(matches!(given.input, Input::Reply(..)), "D8: an error is retried");
            require!(
                matches!(given.answer, Some(Meaning::Invalid | Meaning::OfferOrEcho(_))),
                "D8: a good answer is retried"
            );
            require!(call.messages.len() == 4, "D8: a second attempt of {} messages", call.messages.len());
            require!(call.messages[..2] == first.messages[..2], "D8: the retry is another conversation");
            let left =
                first.deadline.map_or(self.facts.config.prompt_deadline_ms, |at| at.ms_since(given.now));
            require!(call.deadline_ms == left, "D8: {} ms for the retry, {left} left", call.deadline_ms);
            self.seen.second_attempts += 1;
            (false, first.deadline)
        };
        self.live = Some(Live {
            call: call.call,
            attempt: call.attempt,
            messages: call.messages.clone(),
            sent,
            deadline,
        });
        Ok(())
    }

    fn submission(&mut self, given: &Given, submission: &Submission) -> Checked {
        require!(submission.ticket.get() > self.last_ticket, "tickets rise");
        self.last_ticket = submission.ticket.get();
        let facts = &self.facts;
        require!(facts.on(), "A8: a submission while off, barred or closed");
        require!(!facts.blocked(), "A3: a submission beside another");
        require!(
            submission.expect.turn == facts.last_ended.map(|(turn, _)| Turn::new(turn)),
            "A3: the submission expects another turn than the last"
        );
        let goal = facts.goal.as_ref().map(|goal| GoalRef { id: goal.id.clone(), revision: goal.revision });
        require!(submission.expect.goal == goal, "A3: the submission expects another goal");
        let shown = self.before.offer.as_ref().filter(|offer| offer.id == submission.offer);
        require!(
            shown.is_none_or(|offer| offer.text == submission.text),
            "D11: what runs is not what was shown"
        );
        let by_loop = submission.author == SubmitAuthor::Suggest;
        if by_loop {
            self.round(given, submission)?;
        } else {
            let run = matches!(&given.input, Input::Command(Command::Run(id))
                if id.is_none_or(|id| id == submission.offer));
            require!(run, "D11: a human's submission without a Run of it");
            require!(shown.is_some(), "D11: an offer runs that was not on screen");
            require!(
                !submission.text.starts_with(['/', '!']),
                "D13: a command is submitted in the human's name"
            );
            require!(!given.state.autorun.armed, "A5: a Run by hand leaves the loop armed");
            self.seen.runs_by_hand += 1;
        }
        self.facts.pending.push(Pending {
            ticket: submission.ticket,
            by_loop,
            accepted: None,
            withdrawn: false,
            boundary: self.facts.boundary,
            moved_on: false,
            other_turn: false,
        });
        Ok(())
    }

    /// What must hold when the loop starts a turn (rules A3, A4, A6, A8).
    fn round(&mut self, given: &Given, submission: &Submission) -> Checked {
        let armed_now =
            self.before.autorun.armed || matches!(given.input, Input::Command(Command::ArmAutorun));
        require!(armed_now && given.state.autorun.armed, "A8: a submission of a disarmed loop");
        let facts = &self.facts;
        require!(!facts.goal_owns(), "A8: a submission while an armed goal owns the boundary");
        require!(facts.boundary_open(), "A3: a submission while the boundary is closed");
        require!(facts.last_completed_well(), "A4: a submission after a turn that did not complete");
        require!(!facts.asking, "A4: a submission while a dialog is open");
        require!(facts.queued == 0, "A4: a submission before the human's queued prompt");
        let (spent, reserved, max) = (facts.spent, facts.reserved(), facts.config.prompt_max_rounds);
        require!(spent + reserved < max, "A6: {spent} spent, {reserved} reserved, {max} allowed");
        let kind = self.offers.get(&submission.offer).map(|(_, kind)| *kind).or(match &given.answer {
            Some(Meaning::Offer(_, kind)) => Some(*kind),
            Some(Meaning::OfferOrEcho(_)) => Some(OfferKind::Prompt),
            _ => None,
        });
        require!(kind == Some(OfferKind::Prompt), "A8: the loop runs an offer of kind {kind:?}");
        if facts.tried_here() {
            require!(facts.second_try_due(), "A8: {} submissions at one boundary", facts.tries.submitted + 1);
            require!(
                facts.tries.offer == Some(submission.offer),
                "A3: the second try at a boundary is another offer"
            );
            self.seen.second_tries += 1;
        }
        let tries = &mut self.facts.tries;
        if tries.boundary != self.facts.boundary {
            *tries = crate::facts::Tries { boundary: self.facts.boundary, ..Default::default() };
        }
        tries.submitted += 1;
        tries.offer = Some(submission.offer);
        tries.refused = false;
        tries.idle_since_refusal = false;
        Ok(())
    }

    fn withdrawal(&mut self, ticket: Ticket) -> Checked {
        let pending = self.facts.pending.iter_mut().find(|pending| pending.ticket == ticket);
        let Some(pending) = pending.filter(|pending| pending.by_loop && !pending.withdrawn) else {
            return Err(format!("A3: ticket {ticket} is withdrawn, and is not there to withdraw"));
        };
        pending.withdrawn = true;
        self.seen.withdrawals += 1;
        Ok(())
    }

    fn goal_disarm(&mut self, given: &Given, id: &str, revision: Revision) -> Checked {
        let armed = matches!(given.input, Input::Command(Command::ArmAutorun));
        require!(armed, "A2: a goal is disarmed and nobody armed the loop");
        let goal = self.facts.goal.as_ref().filter(|_| self.facts.goal_owns());
        require!(
            goal.is_some_and(|goal| goal.id == id && goal.revision == revision),
            "A2: another goal is disarmed than the one that owns the boundary"
        );
        self.seen.goals_disarmed += 1;
        Ok(())
    }

    fn fill(&self, given: &Given, text: &str) -> Checked {
        require!(matches!(given.input, Input::Command(Command::Run(_))), "D13: the input is filled unasked");
        let shown = self.before.offer.as_ref().map(|offer| offer.text.as_str());
        require!(shown == Some(text), "D11: what fills the input is not what was shown");
        Ok(())
    }

    /// Arming, disarming, reports and withdrawals (rules A1, A2, A3, A5, A9).
    fn loop_changes(&mut self, given: &Given, demands: &Demands, timed_out: bool) -> Checked {
        let (was, is) = (self.before.autorun.armed, given.state.autorun.armed);
        let by_command = matches!(given.input, Input::Command(Command::ArmAutorun))
            && given.output.as_ref().is_some_and(|output| output.code == OutputCode::Ok);
        let reports: Vec<&LoopReport> = given
            .effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Report(report) => Some(report),
                _ => None,
            })
            .collect();
        let ended = usize::from(was && (!is || (by_command && timed_out && !reports.is_empty())));
        require!(reports.len() == ended, "A9: {} reports for {ended} ends", reports.len());
        require!(!is || was || by_command, "A2: armed by {:?}", given.input);
        require!(!by_command || is, "A2: arming went well and the loop is not armed");
        require!(!demands.must_disarm || !is, "A5: still armed after {:?}", given.input);
        if let Some(report) = reports.first() {
            self.report(given, report)?;
        }
        if by_command && (!was || !reports.is_empty()) {
            self.loop_rounds = 0;
            self.failures = 0;
        }
        require!(self.failures < 2 || !is, "A5: armed after two failures in a row");
        let left = |pending: &&Pending| {
            pending.by_loop
                && !pending.withdrawn
                && (demands.must_withdraw || (!is && pending.accepted.is_none()))
        };
        let left = self.facts.pending.iter().find(left);
        require!(left.is_none(), "A3: not withdrawn: {left:?} after {:?}", given.input);
        Ok(())
    }

    fn report(&mut self, given: &Given, report: &LoopReport) -> Checked {
        self.seen.disarm(report.reason.code);
        require!(
            report.rounds == self.loop_rounds,
            "A9: the report says {} rounds, it were {}",
            report.rounds,
            self.loop_rounds
        );
        require!(
            report.offers.len() == usize::try_from(report.rounds).unwrap().min(100),
            "A9: offers missing"
        );
        let told = given.state.autorun.disarmed_because.as_ref().map(|reason| reason.code);
        require!(told == Some(report.reason.code), "A9: the state and the report give other reasons");
        require!(
            report.reason.code != DisarmCode::BudgetSpent
                || self.facts.spent >= self.facts.config.prompt_max_rounds,
            "A6: the budget is called spent and is not"
        );
        Ok(())
    }

    fn check_state(&mut self, given: &Given) -> Checked {
        let (state, facts) = (&given.state, &self.facts);
        let reasoned = matches!(state.status, Status::Off | Status::Idle | Status::Failed);
        require!(reasoned == state.reason.is_some(), "D3: {:?} with reason {:?}", state.status, state.reason);
        let shown = state.offer.as_ref();
        let fits = match state.status {
            Status::Off | Status::Idle | Status::Analyzing => shown.is_none(),
            Status::Ready => shown.is_some_and(|offer| offer.current),
            Status::Failed => shown.is_none_or(|offer| !offer.current),
        };
        require!(fits, "D3: {:?} with the offer {shown:?}", state.status);
        let off = facts.model().is_none() || facts.barred || facts.switched_off;
        require!((state.status == Status::Off) == off, "D3: {:?}, off should be {off}", state.status);
        require!(
            (state.status == Status::Analyzing) == self.live.is_some(),
            "D3: {:?} with the call {:?}",
            state.status,
            self.live.as_ref().map(|live| live.call)
        );
        require!(
            !facts.closed || off || state.status == Status::Idle,
            "a closed session is {:?}",
            state.status
        );
        require!(
            state.autorun.rounds == facts.spent,
            "A6: {} rounds, counted {}",
            state.autorun.rounds,
            facts.spent
        );
        require!(state.autorun.max_rounds == facts.config.prompt_max_rounds, "A6: another budget");
        require!(state.autorun.armed == state.autorun.hold.is_some(), "A4: {:?}", state.autorun);
        require!(!state.autorun.armed || facts.on(), "A2: armed while off or closed");
        require!(state.model.as_ref().map(|model| &model.id) == facts.model(), "D1: another model is shown");
        require!(
            self.live
                .as_ref()
                .and_then(|live| live.deadline)
                .is_none_or(|at| { given.next_wake.is_some_and(|wake| wake <= at) }),
            "D8: nobody wakes the core at the deadline"
        );
        if let Some(offer) = shown.filter(|offer| offer.current) {
            require!(facts.open.is_none(), "D5: a current offer while a turn runs");
            require!(Some(offer.turn.get()) == facts.last_completed, "D5: the offer answers another turn");
            require!(Some(&offer.model) == facts.model(), "D5: the offer of another model is current");
        }
        let usage = state.usage;
        require!(usage.calls <= self.calls_made && usage.failed_calls <= usage.calls, "D14: {usage:?}");
        require!(usage.calls >= self.before.usage.calls, "D14: the meter runs backwards");
        if let Some(hold) = &state.autorun.hold {
            self.check_hold(hold.code)?;
        }
        if *state != self.before {
            let parsed = parse_state(&print_state(state)).map_err(|error| format!("state block: {error}"))?;
            require!(parsed == *state, "the state block does not read back: {state:?}");
        }
        self.note_offer(given)
    }

    /// The first reason in the order of the table is shown.
    fn check_hold(&mut self, code: HoldCode) -> Checked {
        self.seen.hold(code);
        let facts = &self.facts;
        let holds = match code {
            HoldCode::GoalOwnsBoundary => facts.goal_owns(),
            HoldCode::NoCompletedTurn => !facts.last_completed_well(),
            HoldCode::Busy => !facts.boundary_open(),
            HoldCode::Asking => facts.asking,
            HoldCode::HumanQueued => facts.queued > 0,
            HoldCode::Refused => facts.tries.refused,
            HoldCode::Submitting => facts.blocked(),
            HoldCode::NoAnswer => facts.reserved() > 0 || facts.blocked(),
            _ => true,
        };
        require!(holds, "A4: hold {code}, which is not so");
        require!(
            code == HoldCode::GoalOwnsBoundary || !facts.goal_owns(),
            "A4: hold {code} before the goal's"
        );
        Ok(())
    }

    fn note_offer(&mut self, given: &Given) -> Checked {
        let shown = given.state.offer.as_ref().map(|offer| (offer.id, offer.text.clone(), offer.kind));
        let submitted = given.effects.iter().find_map(|effect| match effect {
            Effect::SubmitTurn(submission) => {
                Some((submission.offer, submission.text.clone(), OfferKind::Prompt))
            }
            _ => None,
        });
        for (id, text, kind) in shown.into_iter().chain(submitted) {
            if let Some((known, _)) = self.offers.get(&id) {
                require!(*known == text, "D11: offer {id} has another text than before");
                continue;
            }
            require!(id.number() > self.last_offer, "D11: offer number {id} is used twice");
            self.last_offer = id.number();
            self.offers.insert(id, (text, kind));
        }
        Ok(())
    }

    /// An answer becomes what it means, and a second bad one fails (rules D7 to D10, A5).
    fn check_answer(&mut self, given: &Given, answered: Option<&Live>) -> Checked {
        let Some(live) = answered else { return Ok(()) };
        let status = given.state.status;
        match (&given.input, &given.answer) {
            (Input::Reply(..), Some(Meaning::Offer(text, kind))) => {
                let shown = given.state.offer.as_ref().map(|offer| (offer.text.as_str(), offer.kind));
                let ran = given.effects.iter().any(
                    |effect| matches!(effect, Effect::SubmitTurn(submission) if submission.text == *text),
                );
                require!(shown == Some((text, *kind)) || ran, "D7: {text:?} became {shown:?}");
                self.failures = 0;
            }
            (Input::Reply(..), Some(Meaning::Nothing)) => {
                require!(status == Status::Idle, "D9: NONE became {status:?}");
                require!(!given.state.autorun.armed, "D9: armed after NONE");
            }
            (Input::Reply(..), Some(Meaning::Invalid)) if live.attempt == 1 => {
                require!(status == Status::Analyzing, "D8: an invalid answer is not retried");
            }
            (Input::Reply(..), Some(Meaning::Invalid)) | (Input::CallFailed(..), _) => {
                require!(status == Status::Failed, "D8: a failure became {status:?}");
            }
            (_, Some(Meaning::OfferOrEcho(_)) | None) | (_, Some(_)) => {}
        }
        if status == Status::Failed && self.before.autorun.armed {
            self.failures += 1;
            require!(self.failures < 2 || !given.state.autorun.armed, "A5: armed after two failures");
        } else if status == Status::Ready
            || given.effects.iter().any(|effect| matches!(effect, Effect::SubmitTurn(_)))
        {
            // An offer came, be it shown or run at once.
            self.failures = 0;
        }
        Ok(())
    }

    /// An armed loop with an eligible offer at an open boundary and nothing against it goes on by itself (rule A4).
    fn check_stall(&self, given: &Given) -> Checked {
        let (state, facts) = (&given.state, &self.facts);
        let eligible =
            state.offer.as_ref().is_some_and(|offer| offer.current && offer.kind == OfferKind::Prompt);
        let free = state.autorun.armed
            && !facts.goal_owns()
            && facts.boundary_open()
            && facts.last_completed_well()
            && !facts.asking
            && facts.queued == 0
            && !facts.blocked()
            && !facts.tried_here()
            && facts.spent + facts.reserved() < facts.config.prompt_max_rounds;
        require!(!(eligible && free), "A4: the loop stalls with {:?}", state.autorun.hold);
        Ok(())
    }
}
