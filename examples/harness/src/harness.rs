//! The chat loop. It owns the session's state, and it is the one place where turns begin, go on and end; so whatever
//! it does in one step, nothing comes between.

mod asked;
mod turn;

use crate::bar::Bar;
use crate::host::Request;
use crate::screen::Screen;
use crate::tool::Outcome;
use crate::worker::{Answer, Call, Entry, Worker, WorkerError};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use suggest_core::{Author, EndReason, Event, Goal, HoldCode, Message, Origin, State, Status, Ticket, Turn};
use suggest_engine::{SessionHandle, StateWatch};
use tokio::sync::mpsc::UnboundedReceiver;

/// What starts a turn.
pub(crate) struct Prompt {
    pub(crate) origin: Origin,
    pub(crate) text: String,
    /// The submission that asked for it, if it was one.
    pub(crate) ticket: Option<Ticket>,
}

/// The turn that runs.
struct Running {
    turn: Turn,
    steps: u32,
    work: Work,
    /// A note came that the worker must read before the turn may end.
    steered: bool,
}

/// What a turn waits for.
enum Work {
    /// The worker's model, or a command. Dropping it stops it.
    Step(Pin<Box<dyn Future<Output = Done> + Send>>),
    /// The person's word on a command.
    Permission { call: Call, command: String },
}

/// What a step brought.
enum Done {
    Answered(Result<Answer, WorkerError>),
    Ran(Call, Outcome),
}

/// What the loop wakes up for.
enum Happening {
    Typed(Option<String>),
    Interrupt,
    Request(Option<Request>),
    Done(Done),
    State(Option<Arc<State>>),
}

/// Where everything comes from.
pub(crate) struct Inputs {
    /// Lines that the person typed; they end when the input does.
    pub(crate) lines: UnboundedReceiver<String>,
    /// One for each Ctrl-C.
    pub(crate) interrupts: UnboundedReceiver<()>,
    /// What the engine asks for.
    pub(crate) requests: UnboundedReceiver<Request>,
}

/// One session of the harness.
pub(crate) struct Harness {
    pub(crate) session: SessionHandle,
    pub(crate) screen: Screen,
    pub(crate) bar: Bar,
    pub(crate) goal: Option<Goal>,
    worker: Arc<dyn Worker>,
    folder: PathBuf,
    inputs: Inputs,
    input_is_over: bool,
    states: StateWatch,
    conversation: Vec<Entry>,
    /// Notes for the worker that wait for its next step.
    notes: Vec<String>,
    running: Option<Running>,
    queue: VecDeque<Prompt>,
    newest: Turn,
    last_ended: Option<Turn>,
    human_inputs: u64,
    /// How many goals there were.
    goals: u64,
    /// A Run that the engine has not come back with yet.
    pub(crate) clicked: bool,
}

impl Harness {
    pub(crate) fn new(
        session: SessionHandle,
        worker: Arc<dyn Worker>,
        folder: PathBuf,
        inputs: Inputs,
        screen: Screen,
    ) -> Self {
        Self {
            states: session.watch(),
            session,
            screen,
            bar: Bar::default(),
            goal: None,
            worker,
            folder,
            inputs,
            input_is_over: false,
            conversation: Vec::new(),
            notes: Vec::new(),
            running: None,
            queue: VecDeque::new(),
            newest: Turn::new(0),
            last_ended: None,
            human_inputs: 0,
            goals: 0,
            clicked: false,
        }
    }

    /// Runs until the person leaves, or the input is over and nothing more will happen.
    pub(crate) async fn run(mut self) {
        self.tell(Event::Idle);
        loop {
            match self.next().await {
                Happening::Typed(Some(line)) => {
                    if self.typed(&line).await.is_break() {
                        break;
                    }
                }
                Happening::Typed(None) => {
                    self.input_is_over = true;
                    self.permit(false);
                }
                Happening::Interrupt => {
                    if self.interrupt().await.is_break() {
                        break;
                    }
                }
                Happening::Request(Some(request)) => self.requested(request),
                Happening::Done(done) => self.step_done(done),
                Happening::State(Some(state)) => self.show(&state),
                // The engine is gone.
                Happening::Request(None) | Happening::State(None) => break,
            }
            if self.input_is_over && self.rests() {
                break;
            }
        }
        let state = self.session.state();
        self.show(&state);
    }

    // docs: next
    /// Waits for whatever comes first. The person's input goes before everything else.
    async fn next(&mut self) -> Happening {
        tokio::select! {
            biased;
            line = self.inputs.lines.recv(), if !self.input_is_over => Happening::Typed(line),
            Some(()) = self.inputs.interrupts.recv() => Happening::Interrupt,
            request = self.inputs.requests.recv() => Happening::Request(request),
            done = step(&mut self.running) => Happening::Done(done),
            state = self.states.changed() => Happening::State(state),
        }
    }
    // docs: end

    /// Whether nothing more happens without the person.
    fn rests(&self) -> bool {
        let state = self.session.state();
        let waits_for_us = |code| matches!(code, HoldCode::Submitting | HoldCode::Busy);
        let loop_goes_on =
            state.autorun.armed && state.autorun.hold.as_ref().is_none_or(|hold| waits_for_us(hold.code));
        self.running.is_none() && !self.clicked && state.status != Status::Analyzing && !loop_goes_on
    }

    fn show(&mut self, state: &State) {
        if let Some(line) = self.bar.update(state) {
            self.screen.say("bar", line);
        }
    }

    // docs: tell
    /// Tells the engine what happened, and counts human input as the engine does.
    pub(crate) fn tell(&mut self, event: Event) {
        if matches!(&event, Event::Message(message) if message.author == Author::Human) {
            self.human_inputs += 1;
        }
        self.session.event(event);
    }

    /// Starts a turn. Nothing runs.
    fn begin(&mut self, prompt: Prompt) {
        let turn = self.newest.next();
        self.newest = turn;
        let (author, speaker) = match prompt.origin {
            Origin::Human => (Author::Human, "you"),
            Origin::Suggest => (Author::Suggest, "autorun"),
            Origin::Advisor => (Author::Advisor, "advisor"),
            // This harness has no driver of goals and nothing else that starts turns.
            Origin::Goal | Origin::Other => (Author::Host, "harness"),
        };
        self.tell(Event::Busy);
        self.tell(Event::TurnStarted { turn, origin: Some(prompt.origin) });
        self.tell(Event::Message(message(author, &prompt.text)));
        // What the person typed stands there already.
        if prompt.ticket.is_some() || prompt.origin != Origin::Human {
            self.screen.say(speaker, &prompt.text);
        }
        self.take_notes();
        self.conversation.push(Entry::Prompt(prompt.text));
        let work = self.think();
        self.running = Some(Running { turn, steps: 1, work, steered: false });
    }

    /// Ends the turn that runs. What waits in the queue comes next, else the session is idle.
    fn end(&mut self, reason: EndReason) {
        let Some(running) = self.running.take() else { return };
        self.last_ended = Some(running.turn);
        self.tell(Event::TurnEnded { turn: running.turn, reason });
        match self.queue.pop_front() {
            Some(prompt) => {
                self.tell_queue();
                self.begin(prompt);
            }
            None => self.tell(Event::Idle),
        }
    }
    // docs: end

    /// A prompt of the person: now, or after the turn that runs.
    pub(crate) fn enter(&mut self, prompt: Prompt) {
        if self.running.is_none() {
            return self.begin(prompt);
        }
        self.screen.say("queued", &prompt.text);
        self.queue.push_back(prompt);
        self.human_inputs += 1;
        self.tell_queue();
    }

    fn tell_queue(&mut self) {
        self.tell(Event::HumanQueued { count: u32::try_from(self.queue.len()).unwrap_or(u32::MAX) });
    }

    /// An id for a new goal.
    pub(crate) fn next_goal_id(&mut self) -> String {
        self.goals += 1;
        format!("goal-{}", self.goals)
    }

    /// Whether a question is open.
    pub(crate) fn is_asking(&self) -> bool {
        self.running.as_ref().is_some_and(|running| matches!(running.work, Work::Permission { .. }))
    }
}

/// The next thing that the turn which runs brings; for ever, if none does.
async fn step(running: &mut Option<Running>) -> Done {
    match running {
        Some(Running { work: Work::Step(step), .. }) => step.await,
        Some(Running { work: Work::Permission { .. }, .. }) | None => std::future::pending().await,
    }
}

/// A message, with the producer that rule V4 wants for the advisor's.
fn message(author: Author, text: &str) -> Message {
    let producer = (author == Author::Advisor).then(|| "advisor".to_owned());
    Message { producer, ..Message::new(author, text) }
}
