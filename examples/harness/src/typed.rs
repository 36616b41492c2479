//! What the person types: prompts, and commands that begin with a slash.

use crate::harness::{Harness, Prompt};
use std::ops::ControlFlow;
use suggest_core::{Command, Event, Goal, GoalPhase, Origin, OutputCode, Revision};

/// What there is to type.
pub(crate) const HELP: &str = "\
TEXT                       ask the worker
/run                       send the suggestion that the bar shows
/autorun on | off | reset  let suggestions run by themselves, within the budget
/goal TEXT | done | clear  what the session is to reach
/advisor on | off | status the second opinion
/suggest COMMAND           off, on, retry, state, model PROVIDER/MODEL, report
/quit                      leave; Ctrl-C stops a turn first";

impl Harness {
    /// One line of the person.
    pub(crate) async fn typed(&mut self, line: &str) -> ControlFlow<()> {
        let line = line.trim();
        if self.is_asking() {
            match line {
                "y" | "Y" | "yes" => {
                    self.permit(true);
                    return ControlFlow::Continue(());
                }
                "n" | "N" | "no" => {
                    self.permit(false);
                    return ControlFlow::Continue(());
                }
                // Whoever says something else wants something else: no, and that comes next.
                text if !text.is_empty() && !text.starts_with('/') => self.permit(false),
                _ => {}
            }
        }
        let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match first {
            // Enter alone shows, and never runs (rule D11).
            "" => {
                let line = self.bar.line().to_owned();
                self.screen.say("bar", &line);
            }
            "/quit" => return ControlFlow::Break(()),
            "/help" => self.screen.say("help", HELP),
            "/run" => self.run_offer(rest).await,
            "/goal" => self.set_goal(rest),
            "/suggest" => self.spoken(rest).await,
            "/autorun" | "/advisor" => self.spoken(line.trim_start_matches('/')).await,
            slash if slash.starts_with('/') => {
                self.screen.say("error", "there is no such command; /help lists them")
            }
            _ => self.enter(Prompt { origin: Origin::Human, text: line.to_owned(), ticket: None }),
        }
        ControlFlow::Continue(())
    }

    // docs: run
    /// Run: the offer that the person sees, by its id (rule D11).
    async fn run_offer(&mut self, named: &str) {
        let offer = if named.is_empty() { self.bar.offer() } else { named.parse().ok() };
        match offer {
            Some(offer) => self.command(Command::Run(Some(offer))).await,
            None => self.screen.say("error", "there is no such suggestion on screen"),
        }
    }

    /// A command in the words of the command reference.
    async fn spoken(&mut self, words: &str) {
        match words.parse::<Command>() {
            Ok(command) => self.command(command).await,
            Err(error) => self.screen.say("error", &error.to_string()),
        }
    }

    /// An act of the person. What it printed says how it went; it does not wait for a model.
    pub(crate) async fn command(&mut self, command: Command) {
        let runs = matches!(command, Command::Run(_));
        let output = self.session.command(command).await;
        self.clicked |= runs && output.code == OutputCode::Ok;
        self.screen.say("suggest", &output.text);
    }
    // docs: end

    // docs: goal
    /// Goals have no driver of their own here, so they are never armed, and there is nothing to take the turn from.
    fn set_goal(&mut self, words: &str) {
        let open = self.goal.take().filter(|goal| goal.phase != GoalPhase::Complete);
        match (words, open) {
            ("", Some(goal)) => {
                self.screen.say("goal", &goal.objective);
                self.goal = Some(goal);
            }
            ("" | "done" | "clear", None) => self.screen.say("goal", "there is none; /goal TEXT sets one"),
            ("done", Some(goal)) => {
                self.screen.say("goal", "reached");
                self.change_goal(Goal { phase: GoalPhase::Complete, revision: goal.revision.next(), ..goal });
            }
            ("clear", Some(goal)) => {
                self.screen.say("goal", "gone");
                self.tell(Event::GoalCleared { id: goal.id });
            }
            (objective, before) => {
                self.screen.say("goal", "set");
                let (id, revision) = match before {
                    Some(goal) => (goal.id, goal.revision.next()),
                    None => (self.next_goal_id(), Revision::new(1)),
                };
                let (phase, objective) = (GoalPhase::Active, objective.to_owned());
                self.change_goal(Goal { id, revision, phase, armed: false, objective });
            }
        }
    }

    /// Tells the engine after every change, revision raised, before the turn's end (rule G4).
    fn change_goal(&mut self, goal: Goal) {
        self.goal = Some(goal.clone());
        self.tell(Event::Goal(goal));
    }
    // docs: end
}
