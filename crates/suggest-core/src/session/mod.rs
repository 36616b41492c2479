//! One session: the shared view of what happened in it, and the voices that speak about it.

mod calls;
mod commands;
mod events;
mod goals;
mod history;
mod setup;
mod turns;
mod view;

pub use setup::{SessionKind, SessionSetup};

pub(crate) use calls::{Answered, Calls};
pub(crate) use goals::{GoalChange, Goals};
pub(crate) use turns::{EndOf, OpenTurn, Turns};

use crate::advisor::Advisor;
use crate::autorun::Autorun;
use crate::cards::Cards;
use crate::command::{Command, CommandOutput};
use crate::config::Config;
use crate::director::Director;
use crate::effect::{Effect, Voice};
use crate::event::Event;
use crate::ids::{CallId, ModelId, Ticket, Timestamp};
use crate::reply::{CallError, ErrorKind, ModelReply};
use crate::state::ModelSource;
use crate::summary::Summary;
use crate::transcript::Transcript;
use std::collections::VecDeque;

/// One thing that happened, for [`Session::handle`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Input {
    /// A live event of the host.
    Event(Event),
    /// An event of the past: it folds, and never triggers, arms, disarms or counts (rule D15).
    History(Event),
    /// An act of the human.
    Command(Command),
    /// The request of a call left the process; its deadline runs from now (rule D8).
    CallSent(CallId),
    /// A call brought a reply.
    Reply(CallId, ModelReply),
    /// A call brought an error.
    CallFailed(CallId, CallError),
    /// The host answered a submission.
    SubmitResult {
        /// Which one.
        ticket: Ticket,
        /// Whether the turn will start.
        accepted: bool,
        /// Why not.
        reason: Option<String>,
    },
    /// The configuration changed.
    Config(Box<Config>),
    /// Time passed.
    Tick,
}

/// Things that odd hosts do, counted (rule A10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Oddities {
    /// Ends of turns that had ended before, or of older turns than the open one.
    pub ignored_ends: u64,
    /// Messages that came twice with one id.
    pub duplicate_messages: u64,
    /// Replies and errors of calls that nobody waited for.
    pub late_replies: u64,
}

/// The state machine of one session. It never blocks, reads no clock and does no IO.
///
/// Feed inputs in the order in which they happened, each with a time that never falls (an earlier time is taken for
/// the latest one); after each, perform what [`Session::poll_effect`] gives, in order, until it gives nothing. Call
/// `handle` with [`Input::Tick`] at the latest at [`Session::next_wake`].
///
/// A call's deadline runs from [`Input::CallSent`], so that waiting for a free place costs no call its time.
#[derive(Debug)]
pub struct Session {
    pub(crate) setup: SessionSetup,
    pub(crate) config: Config,
    pub(crate) now: Timestamp,
    pub(crate) transcript: Transcript,
    pub(crate) turns: Turns,
    pub(crate) goals: Goals,
    pub(crate) calls: Calls,
    pub(crate) director: Director,
    pub(crate) autorun: Autorun,
    pub(crate) advisor: Advisor,
    pub(crate) cards: Cards,
    pub(crate) summary: Summary,
    /// A question or permission dialog waits for the human.
    pub(crate) asking: bool,
    /// Prompts of the human that wait in the host's queue.
    pub(crate) queued: u32,
    /// Pieces of human input seen live.
    pub(crate) human_epoch: u64,
    pub(crate) closed: bool,
    /// The model that a human set (or cleared) by command; it wins over the configuration.
    pub(crate) chosen_model: Option<Option<ModelId>>,
    pub(crate) oddities: Oddities,
    effects: VecDeque<Effect>,
    told_wake: Option<Timestamp>,
}

impl Session {
    /// A new session. Feed what happened before as [`Input::History`].
    #[must_use]
    pub fn new(setup: SessionSetup, config: Config) -> Self {
        let chars = usize::try_from(config.prompt_context_chars).unwrap_or(usize::MAX);
        let transcript = Transcript::new(setup.workspace.as_deref(), setup.home.as_deref(), chars);
        Self {
            transcript,
            turns: Turns::default(),
            goals: Goals::default(),
            calls: Calls::new(),
            director: Director::new(setup.first_offer),
            autorun: Autorun::new(setup.first_ticket, setup.spent_rounds),
            advisor: Advisor::default(),
            cards: Cards::new(setup.cards.clone()),
            summary: Summary::default(),
            asking: false,
            queued: 0,
            human_epoch: 0,
            closed: false,
            chosen_model: None,
            oddities: Oddities::default(),
            effects: VecDeque::new(),
            told_wake: None,
            now: Timestamp::default(),
            setup,
            config,
        }
    }

    /// Takes one input. A command gives what it printed; every other input gives nothing.
    pub fn handle(&mut self, now: Timestamp, input: Input) -> Option<CommandOutput> {
        self.now = self.now.max(now);
        self.run_timers();
        let live = is_live(&input);
        let rewrites = matches!(input, Input::Event(Event::HistoryRewritten));
        let past = matches!(input, Input::History(_));
        let mut output = None;
        match input {
            Input::Event(event) => self.on_event(event),
            Input::History(event) => self.on_history(event),
            Input::Command(command) => output = Some(self.on_command(command)),
            Input::CallSent(call) => self.on_call_sent(call),
            Input::Reply(call, reply) => self.on_reply(call, reply),
            Input::CallFailed(call, error) => self.on_call_failed(call, error),
            Input::SubmitResult { ticket, accepted, reason } => {
                self.on_submit_result(ticket, accepted, reason)
            }
            Input::Config(config) => self.on_config(*config),
            Input::Tick => {}
        }
        if live && !rewrites {
            self.open_after_rewrite();
        }
        if !past {
            // The past starts nothing, whatever it shows to have ended (rule D15).
            self.advance_advisor();
            self.advance_loop();
        }
        self.tell_wake();
        output
    }

    /// The next effect to perform, oldest first.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// When the core next wants [`Input::Tick`], if it waits for time at all.
    #[must_use]
    pub fn next_wake(&self) -> Option<Timestamp> {
        [self.director.deadline(), self.advisor_wake(), self.cards_wake(), self.summary_wake()]
            .into_iter()
            .flatten()
            .min()
    }

    /// The configuration in force.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What odd things the host did so far.
    #[must_use]
    pub fn oddities(&self) -> Oddities {
        Oddities { ignored_ends: self.turns.ignored_ends, ..self.oddities }
    }

    pub(crate) fn emit(&mut self, effect: Effect) {
        self.effects.push_back(effect);
    }

    /// The director's model in force and where it came from.
    pub(crate) fn model(&self) -> Option<(&ModelId, ModelSource)> {
        match &self.chosen_model {
            Some(chosen) => chosen.as_ref().map(|id| (id, ModelSource::Command)),
            None => self.config.prompt_model.as_ref().map(|id| (id, self.setup.model_source)),
        }
    }

    fn run_timers(&mut self) {
        if self.director.deadline().is_some_and(|deadline| deadline <= self.now) {
            self.on_director_deadline();
        }
        self.advisor_timers();
        self.cards_timers();
        self.summary_timers();
    }

    fn tell_wake(&mut self) {
        let wake = self.next_wake();
        if wake != self.told_wake {
            self.told_wake = wake;
            if let Some(at) = wake {
                self.emit(Effect::WakeAt { at });
            }
        }
    }

    fn on_call_sent(&mut self, call: CallId) {
        match self.calls.sent(call, self.now) {
            Some(Voice::Director) => self.on_director_sent(call),
            Some(Voice::Advisor | Voice::Prediction) => self.advisor_sent(call),
            Some(Voice::Cards) => self.cards_sent(call),
            Some(Voice::Summary) => self.summary_sent(call),
            None => {}
        }
    }

    fn on_reply(&mut self, call: CallId, reply: ModelReply) {
        match self.calls.replied(call, &reply.usage, self.now) {
            Answered::Live(Voice::Director) => self.on_director_reply(&reply),
            Answered::Live(voice @ (Voice::Advisor | Voice::Prediction)) => {
                self.advisor_reply(voice, call, &reply)
            }
            Answered::Live(Voice::Cards) => self.cards_reply(call, &reply),
            Answered::Live(Voice::Summary) => self.summary_reply(call, &reply),
            Answered::Late => self.oddities.late_replies += 1,
        }
    }

    fn on_call_failed(&mut self, call: CallId, error: CallError) {
        match self.calls.failed(call, &error, self.now) {
            Answered::Live(Voice::Director) => self.on_director_error(&error),
            Answered::Live(voice @ (Voice::Advisor | Voice::Prediction)) => {
                self.advisor_error(voice, call, &error)
            }
            Answered::Live(Voice::Cards) => self.cards_error(call, &error),
            Answered::Live(Voice::Summary) => self.summary_error(call, &error),
            Answered::Late if error.kind == ErrorKind::Cancelled => {}
            Answered::Late => self.oddities.late_replies += 1,
        }
    }

    fn on_config(&mut self, config: Config) {
        let model_changed = self.chosen_model.is_none() && config.prompt_model != self.config.prompt_model;
        let chars = usize::try_from(config.prompt_context_chars).unwrap_or(usize::MAX);
        self.transcript.set_context_chars(chars);
        let old = std::mem::replace(&mut self.config, config);
        if model_changed {
            self.on_model_changed();
        }
        self.check_budget();
        self.advisor_config_changed(&old);
        self.cards_config_changed(&old);
        self.summary_config_changed(&old);
    }
}

/// Whether an input may open what a rewrite put off: a live event or an act of the human that does more than look
/// (rule G4).
fn is_live(input: &Input) -> bool {
    match input {
        Input::Event(_) => true,
        Input::Command(command) => !matches!(
            command,
            Command::Pull
                | Command::State
                | Command::Status
                | Command::Report
                | Command::Help
                | Command::ShowModel
                | Command::Summary
                | Command::RefreshSummary
                | Command::Advisor(_)
                | Command::Cards(_)
        ),
        Input::History(_)
        | Input::CallSent(_)
        | Input::Reply(..)
        | Input::CallFailed(..)
        | Input::SubmitResult { .. }
        | Input::Config(_)
        | Input::Tick => false,
    }
}
