//! Plays a scenario against state machines with a virtual clock and scripted answers.

mod desk;
mod line;
mod machine;
#[cfg(test)]
mod tests;

pub use line::{Line, Mismatch, Outcome, Played, Verdict};
pub use machine::Machine;

use crate::scenario::{Action, Answer, Scenario, ScenarioSession, Step, StepBody};
use desk::Desk;
use serde_json::Value;
use std::collections::VecDeque;
use suggest_core::{Command, CommandOutput, Config, Effect, Event, Input, OutputCode, Session, Timestamp};

/// How often one moment may want a tick. A machine that never lets time pass must not hang its player.
const TICKS_AT_ONE_MOMENT: usize = 100;

/// Plays one scenario, step by step.
///
/// An iterator: each step gives its [`Played`] as it is played. [`Player::play`] plays to the end. The player
/// performs the effects of the core in the simplest way: a call is sent at once and waits for its scripted reply, a
/// submission waits for its scripted result, everything else is only printed.
///
/// The sessions of a scenario share one clock. A session's timers fire before its own next step, at the moments for
/// which they were set.
#[derive(Debug)]
pub struct Player<M = Session> {
    seats: Vec<Seat<M>>,
    steps: VecDeque<Step>,
    several: bool,
    now: Timestamp,
}

impl Player<Session> {
    /// A player of the real core.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        Self::with_machines(scenario)
    }
}

impl<M: Machine> Player<M> {
    /// A player of another machine.
    #[must_use]
    pub fn with_machines(scenario: &Scenario) -> Self {
        let seat = |session: &ScenarioSession| {
            Seat::new(session.clone(), scenario.config.clone(), scenario.history.clone())
        };
        Self {
            seats: scenario.sessions.iter().map(seat).collect(),
            steps: scenario.steps.iter().cloned().collect(),
            several: scenario.several,
            now: Timestamp::new(0),
        }
    }

    /// Plays all steps that are left.
    pub fn play(self) -> Outcome {
        let mut outcome = Outcome::default();
        for played in self {
            match played {
                Played::Line(line) => outcome.lines.push(line),
                Played::Matched(step) => outcome.matched.push(step),
                Played::Mismatched(mismatch) => outcome.mismatches.push(mismatch),
            }
        }
        outcome
    }
}

impl<M: Machine> Iterator for Player<M> {
    type Item = Played;

    fn next(&mut self) -> Option<Played> {
        let Step { number, at, session, body } = self.steps.pop_front()?;
        self.now = self.now.max(at.unwrap_or_default());
        // A scenario names only sessions that it has.
        let seat = self.seats.get_mut(session.0)?;
        match body {
            StepBody::Act(action) => {
                let title = title(&action);
                seat.pass_time(self.now);
                let output = seat.act(self.now, action);
                let (output, output_code) = output.map(|output| (output.text, output.code)).unzip();
                let session = self.several.then(|| seat.session.id.clone());
                let (effects, state) = (std::mem::take(&mut seat.effects), seat.machine.state());
                let line =
                    Line { step: number, at: self.now, session, effects, state, output, output_code, title };
                seat.last_line = serde_json::to_value(&line).unwrap_or_default();
                Some(Played::Line(line))
            }
            StepBody::Expect { against, pattern } => {
                let differences = pattern.compare(&seat.last_line);
                if differences.is_empty() {
                    return Some(Played::Matched(number));
                }
                Some(Played::Mismatched(Mismatch { step: number, against, differences }))
            }
        }
    }
}

/// One session: its machine, and what must outlive the machine when the host starts again.
#[derive(Debug)]
struct Seat<M> {
    session: ScenarioSession,
    config: Config,
    history: Vec<Event>,
    machine: M,
    desk: Desk,
    /// Effects since the last line.
    effects: Vec<Effect>,
    last_line: Value,
}

impl<M: Machine> Seat<M> {
    fn new(session: ScenarioSession, config: Config, history: Vec<Event>) -> Self {
        let machine = M::start(session.setup(), config.clone());
        let (desk, effects) = (Desk::new(), Vec::new());
        let mut seat = Self { session, config, history, machine, desk, effects, last_line: Value::Null };
        seat.replay_history(Timestamp::new(0));
        seat
    }

    fn replay_history(&mut self, now: Timestamp) {
        self.perform(now);
        for event in self.history.clone() {
            self.feed(now, Input::History(event));
        }
    }

    /// Fires every timer that is due by `now`, each at its own moment.
    fn pass_time(&mut self, now: Timestamp) {
        let mut moment = None;
        let mut ticks: usize = 0;
        while let Some(due) = self.machine.next_wake().filter(|due| *due <= now) {
            let due = moment.map_or(due, |last| due.max(last));
            ticks = if moment == Some(due) { ticks.saturating_add(1) } else { 0 };
            if ticks >= TICKS_AT_ONE_MOMENT {
                break;
            }
            moment = Some(due);
            self.feed(due, Input::Tick);
        }
    }

    fn act(&mut self, now: Timestamp, action: Action) -> Option<CommandOutput> {
        match action {
            Action::Wait => None,
            Action::Event(event) => {
                self.desk.note_event(&event);
                self.history.push(event.clone());
                self.feed(now, Input::Event(event))
            }
            Action::History(event) => {
                self.history.push(event.clone());
                self.feed(now, Input::History(event))
            }
            Action::Command(line) => match line.parse::<Command>() {
                Ok(command) => {
                    // A command always ends somehow, also where the core prints nothing.
                    let output = self.feed(now, Input::Command(command));
                    Some(output.unwrap_or(CommandOutput { text: String::new(), code: OutputCode::Ok }))
                }
                Err(error) => Some(error.into()),
            },
            Action::Answer { to, with } => {
                let call = self.desk.take_call(to)?;
                self.feed(
                    now,
                    match with {
                        Answer::Reply(reply) => Input::Reply(call, reply),
                        Answer::Error(error) => Input::CallFailed(call, error),
                    },
                )
            }
            Action::SubmitResult { ticket, accepted, reason } => {
                let ticket = self.desk.take_submission(ticket)?;
                self.feed(now, Input::SubmitResult { ticket, accepted, reason })
            }
            Action::Config(config) => {
                self.config = (*config).clone();
                self.feed(now, Input::Config(config))
            }
            Action::Restart => {
                self.restart(now);
                None
            }
        }
    }

    /// A new core goes on with the numbers of offers and tickets; calls and rounds start again, since the host's
    /// process did (rules A1, A6, D11).
    fn restart(&mut self, now: Timestamp) {
        let (offer, ticket) = self.desk.next_numbers();
        self.desk.restart();
        let setup = self.session.setup().resuming(offer, ticket, 0).with_cards(self.desk.kept_cards());
        self.machine = M::start(setup, self.config.clone());
        self.replay_history(now);
    }

    fn feed(&mut self, now: Timestamp, input: Input) -> Option<CommandOutput> {
        let output = self.machine.handle(now, input);
        self.perform(now);
        output
    }

    /// Takes every effect; a call leaves at once.
    fn perform(&mut self, now: Timestamp) {
        while let Some(effect) = self.machine.poll_effect() {
            self.desk.note_effect(&effect);
            if let Effect::CallModel(call) = &effect {
                self.machine.handle(now, Input::CallSent(call.call));
            }
            self.effects.push(effect);
        }
        self.desk.note_state(&self.machine.state());
    }
}

/// What a step is, for people; without any text of the session.
fn title(action: &Action) -> String {
    match action {
        Action::Wait => "time passes".to_owned(),
        Action::Event(event) => event_title(event),
        Action::History(event) => format!("history: {}", event_title(event)),
        Action::Command(line) => {
            format!("> {}", line.chars().filter(|c| !c.is_control()).take(60).collect::<String>())
        }
        Action::Answer { with: Answer::Reply(_), .. } => "reply".to_owned(),
        Action::Answer { with: Answer::Error(error), .. } => format!("error {}", error.kind.code()),
        Action::SubmitResult { accepted: true, .. } => "submission accepted".to_owned(),
        Action::SubmitResult { accepted: false, .. } => "submission refused".to_owned(),
        Action::Config(_) => "config changes".to_owned(),
        Action::Restart => "host restarts".to_owned(),
    }
}

fn event_title(event: &Event) -> String {
    // The words are the ones of the scenario format.
    let word = |value: Result<Value, serde_json::Error>| match value {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    };
    match event {
        Event::TurnStarted { turn, .. } => format!("turn {turn} started"),
        Event::TurnEnded { turn, reason } => format!("turn {turn} {}", word(serde_json::to_value(reason))),
        Event::Idle => "idle".to_owned(),
        Event::Busy => "busy".to_owned(),
        Event::HumanQueued { count } => format!("{count} human prompts queued"),
        Event::Asking { open: true } => "question opened".to_owned(),
        Event::Asking { open: false } => "question closed".to_owned(),
        Event::HistoryRewritten => "history rewritten".to_owned(),
        Event::Closed => "closed".to_owned(),
        Event::Message(message) => format!("message of {}", word(serde_json::to_value(message.author))),
        Event::Tool(_) => "tool".to_owned(),
        Event::Plan { items } => format!("plan of {}", items.len()),
        Event::Chapter(chapter) => format!("chapter {}", chapter.number),
        Event::Goal(goal) => format!("goal revision {}", goal.revision),
        Event::GoalCleared { .. } => "goal cleared".to_owned(),
    }
}
