//! Host, model, human and clock of one session, steered by small numbers.

use crate::answers::{Answer, KINDS, error, new_step, of_kind};
use crate::onlooker::{Given, Onlooker};
use suggest_core::{
    Author, CallError, CallId, Chapter, Command, Config, Effect, EndReason, Event, Goal, GoalPhase, Input,
    Message, OfferId, Origin, PlanItem, PlanStatus, Revision, Session, SessionKind, SessionSetup, Ticket,
    Timestamp, Tool, Turn,
};

/// What happens next. Most carry a number that picks the details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// What a healthy host, model and human would do next.
    Progress,
    Sent,
    Reply,
    /// A reply to any call that ever was.
    OldReply,
    Fail,
    Accept,
    Refuse,
    /// An answer to any submission that ever was, or never.
    OldResult,
    StartTurn,
    EndTurn,
    Say,
    Idle,
    Busy,
    Queue,
    Ask,
    Rewrite,
    Close,
    Activity,
    SetGoal,
    ClearGoal,
    Past,
    Arm,
    Disarm,
    Reset,
    Run,
    Retry,
    On,
    Off,
    SetModel,
    ClearModel,
    Look,
    Configure,
    Wait,
    Restart,
}

#[derive(Debug, Clone)]
struct Asked {
    call: CallId,
}

/// One session with everything around it.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) session: Session,
    pub(crate) onlooker: Onlooker,
    now: Timestamp,
    config: Config,
    kind: SessionKind,
    calls: Vec<Asked>,
    tickets: Vec<Ticket>,
    texts: u64,
    /// Says each input and what came of it.
    pub(crate) trace: bool,
    /// Every effect so far, where a test wants them.
    pub(crate) log: Option<Vec<Effect>>,
}

pub(crate) fn config(rounds: u32) -> Config {
    let mut config = Config::default();
    config.prompt_model = Some("one/model".parse().unwrap());
    config.prompt_max_rounds = rounds;
    config.prompt_context_chars = 1_000;
    config.cards.enabled = false;
    config.summary.enabled = false;
    config
}

fn make(kind: SessionKind, config: &Config, from: (u64, u64, u32)) -> (Session, Onlooker) {
    let setup = SessionSetup::new("s").with_kind(kind, false).resuming(from.0, Ticket::new(from.1), from.2);
    let session = Session::new(setup, config.clone());
    let barred = kind != SessionKind::Interactive;
    let onlooker = Onlooker::new(config.clone(), barred, from.0, from.1, from.2, session.state());
    (session, onlooker)
}

impl Driver {
    pub(crate) fn new(kind: SessionKind, config: Config) -> Self {
        let (session, onlooker) = make(kind, &config, (1, 1, 0));
        Self {
            session,
            onlooker,
            now: Timestamp::new(1_000),
            config,
            kind,
            calls: Vec::new(),
            tickets: Vec::new(),
            texts: 0,
            trace: false,
            log: None,
        }
    }

    /// Does one thing. Its first broken rule is the error.
    pub(crate) fn act(&mut self, action: Action, with: u32) -> Result<(), String> {
        let input = match action {
            Action::Progress => return self.progress(with),
            Action::Reply => {
                let Some((call, _)) = self.onlooker.live_call() else { return Ok(()) };
                let answer = self.answer(with);
                return self.reply(call, answer);
            }
            Action::OldReply => {
                let Some(asked) = pick(&self.calls, with) else { return Ok(()) };
                let call = asked.call;
                let answer = self.answer(with >> 8);
                return self.reply(call, answer);
            }
            Action::Restart => return self.restart(),
            Action::Sent => {
                let Some((call, _)) = self.onlooker.live_call() else { return Ok(()) };
                Input::CallSent(call)
            }
            Action::Fail => {
                let Some((call, _)) = self.onlooker.live_call() else { return Ok(()) };
                Input::CallFailed(call, CallError::new(error(with)))
            }
            Action::Accept | Action::Refuse => {
                let waiting = self.onlooker.facts.pending.iter().find(|pending| pending.accepted.is_none());
                let Some(ticket) = waiting.map(|pending| pending.ticket) else { return Ok(()) };
                result(ticket, action == Action::Accept)
            }
            Action::OldResult => {
                let ticket = pick(&self.tickets, with).copied().unwrap_or(Ticket::new(999));
                result(if with % 16 == 15 { Ticket::new(999) } else { ticket }, with & 256 == 0)
            }
            Action::Look => Input::Command(look(with)),
            Action::Arm => Input::Command(Command::ArmAutorun),
            Action::Disarm => Input::Command(Command::DisarmAutorun),
            Action::Reset => Input::Command(Command::ResetAutorun),
            Action::Run => {
                let id = OfferId::new(u64::from(with >> 4) % self.onlooker.next_offer());
                Input::Command(Command::Run((with % 4 == 3).then_some(id)))
            }
            Action::Retry => Input::Command(Command::Retry),
            Action::On => Input::Command(Command::On),
            Action::Off => Input::Command(Command::Off),
            Action::SetModel => {
                let id = if with.is_multiple_of(2) { "two/model" } else { "one/model" };
                Input::Command(Command::SetModel(id.parse().unwrap()))
            }
            Action::ClearModel => Input::Command(Command::ClearModel),
            Action::Configure => {
                self.configure(with);
                Input::Config(Box::new(self.config.clone()))
            }
            Action::Wait => {
                let ms = [1, 400, 5_000, 30_000, 61_000][usize::try_from(with % 5).unwrap()];
                self.now = match self.session.next_wake().filter(|_| with & 64 != 0) {
                    Some(wake) => wake.max(self.now),
                    None => self.now.plus_ms(ms),
                };
                Input::Tick
            }
            Action::Past => Input::History(self.any_event(with)),
            Action::StartTurn
            | Action::EndTurn
            | Action::Say
            | Action::Idle
            | Action::Busy
            | Action::Queue
            | Action::Ask
            | Action::Rewrite
            | Action::Close
            | Action::Activity
            | Action::SetGoal
            | Action::ClearGoal => Input::Event(self.event(action, with)),
        };
        self.give(input, None)
    }

    /// Feeds one input and checks everything.
    fn give(&mut self, input: Input, answer: Option<Answer>) -> Result<(), String> {
        let output = self.session.handle(self.now, input.clone());
        let mut effects = Vec::new();
        while let Some(effect) = self.session.poll_effect() {
            match &effect {
                Effect::CallModel(call) => self.calls.push(Asked { call: call.call }),
                Effect::SubmitTurn(submission) => self.tickets.push(submission.ticket),
                _ => {}
            }
            effects.push(effect);
        }
        if let Some(log) = &mut self.log {
            log.extend(effects.iter().cloned());
        }
        let given = Given {
            now: self.now,
            input,
            answer: answer.map(|answer| answer.meaning),
            output,
            effects,
            state: self.session.state(),
            next_wake: self.session.next_wake(),
        };
        if self.trace {
            let loud: Vec<&Effect> =
                given.effects.iter().filter(|effect| !matches!(effect, Effect::CallModel(_))).collect();
            let calls = given.effects.len() - loud.len();
            println!("{} {:?}\n    calls {calls}, {loud:?}", given.now, given.input);
            println!("    {:?} {:?} {:?}", given.state.status, given.state.reason, given.state.autorun);
        }
        self.onlooker.observe(&given)
    }

    fn reply(&mut self, call: CallId, answer: Answer) -> Result<(), String> {
        self.give(Input::Reply(call, answer.reply.clone()), Some(answer))
    }

    fn answer(&mut self, with: u32) -> Answer {
        self.texts += 1;
        of_kind(with % KINDS, self.texts)
    }

    fn say(&mut self, author: Author, id: Option<String>) -> Input {
        self.texts += 1;
        let mut message = Message::new(author, format!("Words number {} about src/parse.rs", self.texts));
        message.id = id;
        Input::Event(Event::Message(message))
    }

    /// The step that carries a healthy session on.
    fn progress(&mut self, with: u32) -> Result<(), String> {
        let facts = &self.onlooker.facts;
        let state = self.onlooker.state();
        let waiting = facts.pending.iter().find(|pending| !pending.withdrawn);
        if let Some((call, sent)) = self.onlooker.live_call() {
            if !sent && with & 1 == 0 {
                return self.give(Input::CallSent(call), None);
            }
            self.texts += 1;
            return self.reply(call, new_step(self.texts));
        }
        let input = if let Some(open) = &facts.open {
            match (facts.spoken, open.round, with & 3) {
                (false, true, 0..=2) => self.say(Author::Suggest, None),
                (false, false, 0) => self.say(Author::Human, None),
                (_, _, 3) => self.say(Author::Assistant, None),
                (false, _, _) => self.say(Author::Assistant, None),
                (true, _, _) => {
                    let turn = Turn::new(open.number);
                    Input::Event(Event::TurnEnded { turn, reason: EndReason::Completed })
                }
            }
        } else if let Some(pending) = waiting {
            if pending.accepted.is_none() && with & 3 != 0 {
                result(pending.ticket, true)
            } else {
                let origin = if pending.by_loop { Origin::Suggest } else { Origin::Human };
                let turn = self.next_turn();
                Input::Event(Event::TurnStarted { turn, origin: (with & 8 == 0).then_some(origin) })
            }
        } else if facts.goal_owns() && state.autorun.armed {
            let goal = facts.goal.clone().unwrap();
            Input::Event(Event::Goal(Goal {
                phase: GoalPhase::Paused,
                armed: false,
                revision: goal.revision.next(),
                ..goal
            }))
        } else if facts.asking {
            Input::Event(Event::Asking { open: false })
        } else if facts.queued > 0 {
            Input::Event(Event::HumanQueued { count: 0 })
        } else if facts.last_ended.is_some() && !facts.idle {
            Input::Event(Event::Idle)
        } else if facts.last_completed_well() && !state.autorun.armed && with & 3 != 0 {
            Input::Command(Command::ArmAutorun)
        } else {
            let turn = self.next_turn();
            let origin = if with & 4 == 0 { Origin::Human } else { Origin::Other };
            Input::Event(Event::TurnStarted { turn, origin: Some(origin) })
        };
        self.give(input, None)
    }

    fn next_turn(&self) -> Turn {
        Turn::new(self.onlooker.facts.floor.map_or(1, |floor| floor + 1))
    }

    fn event(&mut self, action: Action, with: u32) -> Event {
        let facts = &self.onlooker.facts;
        let near = |base: u64, with: u32| match with % 8 {
            0..=4 => base,
            5 => base.saturating_sub(1).max(1),
            6 => base + 1,
            _ => base.saturating_sub(3).max(1),
        };
        match action {
            Action::StartTurn => {
                let origin = [
                    None,
                    Some(Origin::Human),
                    Some(Origin::Suggest),
                    Some(Origin::Goal),
                    Some(Origin::Other),
                    Some(Origin::Advisor),
                ][usize::try_from((with >> 4) % 6).unwrap()];
                Event::TurnStarted { turn: Turn::new(near(self.next_turn().get(), with)), origin }
            }
            Action::EndTurn => {
                let open = facts.open.as_ref().map_or(self.next_turn().get(), |open| open.number);
                let reason = [
                    EndReason::Completed,
                    EndReason::Completed,
                    EndReason::Completed,
                    EndReason::Aborted,
                    EndReason::Failed,
                    EndReason::Limited,
                ][usize::try_from((with >> 4) % 6).unwrap()];
                Event::TurnEnded { turn: Turn::new(near(open, with)), reason }
            }
            Action::Say => {
                let author = [
                    Author::Human,
                    Author::Assistant,
                    Author::Suggest,
                    Author::Goal,
                    Author::Plugin,
                    Author::Host,
                ][usize::try_from(with % 6).unwrap()];
                let id = ((with >> 4).is_multiple_of(3)).then(|| format!("m{}", (with >> 8) % 3));
                match self.say(author, id) {
                    Input::Event(event) => event,
                    _ => Event::Busy,
                }
            }
            Action::Idle => Event::Idle,
            Action::Busy => Event::Busy,
            Action::Queue => Event::HumanQueued { count: with % 3 },
            Action::Ask => Event::Asking { open: with.is_multiple_of(2) },
            Action::Rewrite => Event::HistoryRewritten,
            Action::Close => Event::Closed,
            Action::SetGoal => {
                let near = facts.goal.as_ref().map_or(1, |goal| goal.revision.get());
                let phases = [GoalPhase::Active, GoalPhase::Paused, GoalPhase::Blocked, GoalPhase::Complete];
                let revision = [near, near + 1, near + 2, near.saturating_sub(1)];
                let phase = phases
                    [usize::try_from([0, 0, 0, 1, 1, 2, 3, 0][usize::try_from(with % 8).unwrap()]).unwrap()];
                Event::Goal(Goal {
                    id: if (with >> 3) % 4 == 3 { "g2" } else { "g1" }.to_owned(),
                    revision: Revision::new(revision[usize::try_from((with >> 5) % 4).unwrap()]),
                    phase,
                    armed: phase == GoalPhase::Active && (with >> 7).is_multiple_of(2),
                    objective: if (with >> 8) % 4 == 3 { "Ship the parser" } else { "Ship the report" }
                        .to_owned(),
                })
            }
            Action::ClearGoal => {
                Event::GoalCleared { id: if with % 4 == 3 { "g2" } else { "g1" }.to_owned() }
            }
            _ => activity(with),
        }
    }

    fn any_event(&mut self, with: u32) -> Event {
        let actions = [
            Action::StartTurn,
            Action::EndTurn,
            Action::Say,
            Action::Say,
            Action::Activity,
            Action::SetGoal,
            Action::ClearGoal,
            Action::Rewrite,
            Action::Idle,
            Action::Busy,
            Action::Queue,
            Action::Ask,
            Action::Close,
        ];
        let action = actions[usize::try_from(with).unwrap() % actions.len()];
        self.event(action, with >> 5)
    }

    fn configure(&mut self, with: u32) {
        match with % 8 {
            0..=3 => self.config.prompt_max_rounds = (with >> 4) % 6,
            4 => self.config.prompt_max_chars = if with & 16 == 0 { 240 } else { 120 },
            5 => self.config.prompt_context_chars = if with & 16 == 0 { 500 } else { 4_000 },
            6 => self.config.prompt_deadline_ms = if with & 16 == 0 { 2_000 } else { 60_000 },
            _ => {
                self.config.prompt_model = match (with >> 4) % 4 {
                    0 => None,
                    1 => Some("two/model".parse().unwrap()),
                    _ => Some("one/model".parse().unwrap()),
                }
            }
        }
    }

    /// The host starts anew: calls and rounds begin again, offer numbers and tickets go on (rules A1, D11).
    fn restart(&mut self) -> Result<(), String> {
        let seen = self.onlooker.seen.clone();
        let from = (self.onlooker.next_offer(), self.onlooker.next_ticket(), 0);
        (self.session, self.onlooker) = make(self.kind, &self.config, from);
        self.onlooker.seen = seen;
        self.calls.clear();
        if self.session.state().autorun.armed {
            return Err("A1: a restart arms".to_owned());
        }
        Ok(())
    }
}

fn pick<T>(items: &[T], with: u32) -> Option<&T> {
    let at = usize::try_from(with).unwrap();
    items.get(items.len().checked_sub(1 + at % items.len().max(1))?)
}

fn result(ticket: Ticket, accepted: bool) -> Input {
    Input::SubmitResult { ticket, accepted, reason: (!accepted).then(|| "busy".to_owned()) }
}

fn look(with: u32) -> Command {
    match with % 4 {
        0 => Command::Pull,
        1 => Command::State,
        2 => Command::Report,
        _ => Command::Status,
    }
}

fn activity(with: u32) -> Event {
    match with % 3 {
        0 => Event::Tool(Tool {
            name: "edit".to_owned(),
            summary: Some("wrote it".to_owned()),
            files: vec!["src/parse.rs".to_owned()],
            ok: Some(true),
        }),
        1 => Event::Plan {
            items: vec![PlanItem { text: "Write it".to_owned(), status: PlanStatus::InProgress }],
        },
        _ => Event::Chapter(Chapter {
            number: u64::from(with >> 4) % 3,
            title: "Parts".to_owned(),
            summary: "The first parts are done".to_owned(),
        }),
    }
}
