//! A turn from the worker's first answer to its end.

use super::{Done, Harness, Work, message};
use crate::tool;
use crate::worker::{Answer, Call, Entry};
use std::ops::ControlFlow;
use std::sync::Arc;
use suggest_core::{Author, Command, EndReason, Event, GoalPhase, Tool};

/// The most answers of the worker in one turn.
const MOST_STEPS: u32 = 50;

impl Harness {
    /// Asks the worker to go on.
    pub(super) fn think(&self) -> Work {
        let worker = Arc::clone(&self.worker);
        let conversation = self.conversation.clone();
        let goal = self.goal.as_ref().filter(|goal| goal.phase == GoalPhase::Active);
        let goal =
            goal.map(|goal| format!("\nThe goal of this session: {}", goal.objective)).unwrap_or_default();
        let instructions = format!("You are a coding assistant in a terminal. Be brief.{goal}");
        Work::Step(Box::pin(async move { Done::Answered(worker.answer(&instructions, &conversation).await) }))
    }

    /// Goes on with the turn that runs, if one does.
    fn go_on(&mut self) {
        self.take_notes();
        let work = self.think();
        if let Some(running) = &mut self.running {
            running.steps += 1;
            running.steered = false;
            running.work = work;
        }
    }

    pub(super) fn take_notes(&mut self) {
        self.conversation.extend(self.notes.drain(..).map(Entry::Prompt));
    }

    pub(super) fn step_done(&mut self, done: Done) {
        match done {
            Done::Answered(Ok(answer)) => self.answered(answer),
            Done::Answered(Err(error)) => {
                self.screen.say("error", &error.to_string());
                self.end(EndReason::Failed);
            }
            Done::Ran(call, outcome) => {
                let mut shown = outcome.text.lines().rev().take(8).collect::<Vec<_>>();
                if outcome.text.lines().nth(8).is_some() {
                    shown.push("… (only its end is shown)");
                }
                shown.reverse();
                self.screen.say("tool", &shown.join("\n"));
                self.tell(Event::Tool(Tool {
                    name: tool::NAME.to_owned(),
                    summary: Some(format!("{}\n{}", outcome.command, outcome.text)),
                    files: Vec::new(),
                    ok: Some(outcome.ok),
                }));
                self.conversation.push(Entry::Result { call: call.id, text: outcome.text });
                self.go_on();
            }
        }
    }

    fn answered(&mut self, answer: Answer) {
        if !answer.text.trim().is_empty() {
            self.screen.say("worker", &answer.text);
            self.tell(Event::Message(message(Author::Assistant, &answer.text)));
        }
        let (call, cut) = (answer.call.clone(), answer.cut);
        self.conversation.push(Entry::Answer(answer));
        let (steps, steered) =
            self.running.as_ref().map_or((0, false), |running| (running.steps, running.steered));
        match call {
            Some(call) if steps >= MOST_STEPS || cut => {
                self.refuse(call, "the turn has come to its end");
                self.end(EndReason::Limited);
            }
            Some(call) => match tool::command(&call) {
                Ok(command) => self.ask(call, command),
                Err(why) => {
                    self.refuse(call, &why);
                    self.go_on();
                }
            },
            None if cut => self.end(EndReason::Limited),
            None if steered && steps < MOST_STEPS => self.go_on(),
            None => self.end(EndReason::Completed),
        }
    }

    /// Every call needs a result, or endpoints refuse the conversation.
    fn refuse(&mut self, call: Call, why: &str) {
        self.conversation.push(Entry::Result { call: call.id, text: format!("It was not run: {why}.") });
    }

    // docs: ask
    /// Asks the person before a command runs. While the question is open, the loop starts nothing.
    fn ask(&mut self, call: Call, command: String) {
        self.screen.say("run?", &format!("{command}\n(y or n)"));
        if self.input_is_over {
            self.refuse(call, "nobody is there to be asked");
            return self.go_on();
        }
        self.tell(Event::Asking { open: true });
        if let Some(running) = &mut self.running {
            running.work = Work::Permission { call, command };
        }
    }

    /// The person's answer, if there is a question.
    pub(crate) fn permit(&mut self, permitted: bool) {
        let Some(running) = &mut self.running else { return };
        let Work::Permission { call, command } = &running.work else { return };
        let (call, command, folder) = (call.clone(), command.clone(), self.folder.clone());
        if permitted {
            running.work =
                Work::Step(Box::pin(async move { Done::Ran(call, tool::run(command, &folder).await) }));
            self.tell(Event::Asking { open: false });
        } else {
            self.tell(Event::Asking { open: false });
            self.refuse(call, "the person said no");
            self.go_on();
        }
    }
    // docs: end

    /// Ctrl-C stops what runs: the turn, else the loop, else the harness.
    pub(super) async fn interrupt(&mut self) -> ControlFlow<()> {
        if self.running.is_some() {
            if self.is_asking() {
                self.tell(Event::Asking { open: false });
            }
            // A call without its result must not stay in the conversation.
            if let Some(Entry::Answer(Answer { call: Some(call), .. })) = self.conversation.last().cloned() {
                self.refuse(call, "the person stopped the turn");
            }
            if !self.queue.is_empty() {
                self.queue.clear();
                self.tell_queue();
            }
            self.screen.say("stopped", "the turn was stopped");
            self.end(EndReason::Aborted);
        } else if self.session.state().autorun.armed {
            self.command(Command::DisarmAutorun).await;
        } else {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
