//! What a person says with one of our commands, and how it is answered.

use super::Director;
use crate::desk::{Held, Run};
use crate::names::{Ours, Spoken};
use crate::wires::HeldLine;
use crate::words;
use crate::writing::Ended;
use suggest_core::{
    Command, Event, Goal, GoalPhase, HoldCode, OfferKind, OutputCode, Revision, State, Status, classify,
};

/// Whether a loop has nothing more to do in its prompt: it ended, or it holds for something that nobody can do while the
/// prompt is open.
pub(super) fn is_over(state: &State) -> bool {
    if !state.autorun.armed {
        return true;
    }
    if state.status == Status::Analyzing {
        return false;
    }
    match state.autorun.hold.as_ref().map(|hold| hold.code) {
        Some(
            HoldCode::GoalOwnsBoundary
            | HoldCode::ByHandOffer
            | HoldCode::GenerationFailed
            | HoldCode::NoCompletedTurn
            | HoldCode::HumanQueued
            | HoldCode::Blocker
            | HoldCode::Refused,
        ) => true,
        // The rest ends by itself, and a code that is newer than this waits for the human's cancel.
        _ => false,
    }
}

impl Director {
    pub(super) async fn command(&mut self, line: HeldLine) {
        let HeldLine { line, call, command, at } = line;
        let session = call.session;
        let held = Held { id: call.id, line, at };
        {
            let mut sessions = self.desk.sessions();
            if !sessions.seats.contains_key(&session) {
                // It was closed while the command was on its way.
                sessions.accept(self.wires(), &session, &held, &call.text);
                return sessions.reply(self.wires(), &session, held, "This session is closed.", Ended::Done);
            }
        }
        let Spoken { which, rest } = command;
        match which {
            Ours::Next if rest.is_empty() || rest == "run" => {
                self.run_offer(&session, held, &call.text).await
            }
            Ours::Next if rest == "autorun" || rest == "autorun on" => {
                self.arm(&session, held, &call.text).await
            }
            Ours::Autorun if rest.is_empty() || rest == "on" => self.arm(&session, held, &call.text).await,
            Ours::Next => self.told(&session, held, &call.text, &rest).await,
            Ours::Autorun => self.told(&session, held, &call.text, &format!("autorun {rest}")).await,
            Ours::Goal => self.goal(&session, held, &call.text, &rest),
        }
    }

    /// Takes a prompt on and answers it.
    fn answer_now(&self, session: &str, held: Held, prompt: &str, text: &str) {
        let mut sessions = self.desk.sessions();
        sessions.accept(self.wires(), session, &held, prompt);
        sessions.reply(self.wires(), session, held, text, Ended::Done);
    }

    fn help(&self, session: &str) -> String {
        let sessions = self.desk.sessions();
        let Some(seat) = sessions.seats.get(session) else { return String::new() };
        words::help(seat.names.get(Ours::Next), seat.names.get(Ours::Autorun), seat.names.get(Ours::Goal))
    }

    /// `/next`: the offer that the command shows goes to the agent as the human's own prompt (rule D11).
    async fn run_offer(&mut self, session: &str, held: Held, prompt: &str) {
        let click = {
            let mut sessions = self.desk.sessions();
            let Some(seat) = sessions.seats.get_mut(session) else { return };
            let state = seat.handle.state();
            let shown = seat.shown.as_ref().and_then(|shown| shown.offer);
            if seat.yielded {
                Click::Theirs(seat.suggestion.clone())
            } else if let Some(offer) = &state.offer {
                let seen = seat.offer_shown_at.is_some_and(|shown| shown < held.at);
                if Some(offer.id) == shown && seen {
                    Click::Offer(offer.id, seat.handle.clone())
                } else {
                    // What nobody has seen is never run.
                    Click::Say(format!("The suggestion has just changed. It is now:\n\n> {}", offer.text))
                }
            } else if state.status == Status::Analyzing {
                Click::Wait
            } else {
                Click::Say(format!("There is nothing to send: {}.", words::reason(&state)))
            }
        };
        match click {
            Click::Say(text) => self.answer_now(session, held, prompt, &text),
            Click::Wait => self.wait(session, held, prompt),
            Click::Theirs(None) => {
                let text = "The agent suggests by itself, and has nothing now. `on` asks suggest's own model instead.";
                self.answer_now(session, held, prompt, text);
            }
            Click::Theirs(Some(text)) if classify(&text, false) == OfferKind::Command => {
                let words = format!("The agent suggests a command, so it is yours to send:\n\n{text}");
                self.answer_now(session, held, prompt, &words);
            }
            Click::Theirs(Some(text)) => {
                let id = held.id.clone();
                let sent = self.desk.sessions().click(&self.desk.wires, session, held, &text);
                if sent.is_ok() {
                    self.ask(id, super::Asked::Prompt { session: session.to_owned() });
                }
            }
            Click::Offer(offer, handle) => {
                // The answer to the prompt ends its turn, also when the engine sends it after this.
                let prompt_id = &held.id.clone();
                self.ask(held.id.clone(), super::Asked::Prompt { session: session.to_owned() });
                if let Some(seat) = self.desk.sessions().seats.get_mut(session) {
                    seat.click = Some(held);
                }
                let output = handle.command(Command::Run(Some(offer))).await;
                if output.code != OutputCode::Ok {
                    self.forget(prompt_id);
                    let held = self.desk.sessions().seats.get_mut(session).and_then(|seat| seat.click.take());
                    if let Some(held) = held {
                        self.answer_now(session, held, prompt, &words::capital(&output.text));
                    }
                }
            }
        }
    }

    /// Holds a prompt until the generation under way has an outcome.
    fn wait(&self, session: &str, held: Held, prompt: &str) {
        let mut sessions = self.desk.sessions();
        sessions.accept(self.wires(), session, &held, prompt);
        let before = sessions.seats.get_mut(session).and_then(|seat| seat.waiter.replace(held));
        if let Some(before) = before {
            sessions.reply(self.wires(), session, before, "", Ended::Done);
        }
    }

    /// Every other act: what the core prints is the answer.
    async fn told(&mut self, session: &str, held: Held, prompt: &str, rest: &str) {
        let command = match rest.parse::<Command>() {
            Ok(Command::Help) => return self.answer_now(session, held, prompt, &self.help(session)),
            Ok(Command::Run(_) | Command::Advisor(_) | Command::Cards(_) | Command::Summary) | Err(_) => {
                let text = format!("There is no such command here.\n\n{}", self.help(session));
                return self.answer_now(session, held, prompt, &text);
            }
            Ok(command) => command,
        };
        let handle = {
            let mut sessions = self.desk.sessions();
            let Some(seat) = sessions.seats.get_mut(session) else { return };
            if command == Command::On || matches!(command, Command::SetModel(_)) {
                seat.ours_wanted = true;
                seat.yielded = false;
            }
            seat.handle.clone()
        };
        let waits = matches!(command, Command::Retry | Command::On | Command::SetModel(_));
        let block = matches!(command, Command::State | Command::Report | Command::Pull);
        let output = handle.command(command).await;
        if waits && output.code == OutputCode::Ok && handle.state().status == Status::Analyzing {
            return self.wait(session, held, prompt);
        }
        let text = if block {
            format!("```\n{}\n```", output.text.trim_end())
        } else {
            words::capital(&output.text)
        };
        self.answer_now(session, held, prompt, &text);
    }

    /// `/autorun`: the loop runs inside this prompt.
    async fn arm(&mut self, session: &str, held: Held, prompt: &str) {
        let handle = {
            let mut sessions = self.desk.sessions();
            let Some(seat) = sessions.seats.get_mut(session) else { return };
            if seat.run.is_some() {
                drop(sessions);
                return self.answer_now(session, held, prompt, "Autorun is on already.");
            }
            let handle = seat.handle.clone();
            let yielded = seat.yielded;
            sessions.accept(self.wires(), session, &held, prompt);
            if let Some(seat) = sessions.seats.get_mut(session) {
                seat.run = Some(Run { held, round: None, rounds: 0, cancelled: false });
            }
            (handle, yielded)
        };
        let (handle, yielded) = handle;
        if yielded {
            // The loop runs suggest's own suggestions; the agent's come and go as before.
            handle.command(Command::On).await;
        }
        let output = handle.command(Command::ArmAutorun).await;
        let mut sessions = self.desk.sessions();
        if output.code == OutputCode::Ok {
            return sessions.say(self.wires(), session, &format!("{}.\n\n", words::capital(&output.text)));
        }
        let run = sessions.seats.get_mut(session).and_then(|seat| seat.run.take());
        if let Some(run) = run {
            let text = format!("{}.", words::capital(&output.text));
            sessions.reply(self.wires(), session, run.held, &text, Ended::Done);
        }
    }

    /// Answers a prompt whose wait is over: the generation has an outcome, or the loop ended.
    pub(super) async fn end_waiting(&mut self, session: &str) {
        let (handle, armed, yielded) = {
            let mut sessions = self.desk.sessions();
            let Some(seat) = sessions.seats.get_mut(session) else { return };
            let state = seat.handle.state();
            if state.status != Status::Analyzing
                && let Some(held) = seat.waiter.take()
            {
                let next = seat.names.get(Ours::Next).to_owned();
                let text = match &state.offer {
                    Some(offer) if offer.current => {
                        format!("> {}\n\n`/{next}` sends it: {}", offer.text, words::offered(offer))
                    }
                    _ => format!("No suggestion: {}.", words::reason(&state)),
                };
                return sessions.reply(self.wires(), session, held, &text, Ended::Done);
            }
            (seat.handle.clone(), state.autorun.armed, seat.yielded)
        };
        let hold = handle.state().autorun.hold.clone();
        if armed {
            // Nothing can be done about this hold while the prompt is open, and nobody must wait in it for ever.
            handle.command(Command::DisarmAutorun).await;
        }
        let state = handle.state();
        let why = match (armed, hold, &state.autorun.disarmed_because) {
            (true, Some(hold), _) => hold.message,
            (_, _, Some(why)) => why.message.clone(),
            (_, _, None) => "it ended".to_owned(),
        };
        let mut text = format!("Autorun stopped: {why}.");
        if let Some(offer) = state.offer.as_ref().filter(|offer| offer.kind.label().is_some()) {
            text.push_str(&format!("\n\n{}", words::offered(offer)));
        }
        if yielded {
            handle.command(Command::Off).await;
        }
        let mut sessions = self.desk.sessions();
        let run = sessions.seats.get_mut(session).and_then(|seat| seat.run.take());
        if let Some(run) = run {
            let rounds = match run.rounds {
                0 => "no round".to_owned(),
                1 => "1 round".to_owned(),
                more => format!("{more} rounds"),
            };
            let ended = if run.cancelled { Ended::Cancelled } else { Ended::Done };
            let text = format!("\n\n{text} It ran {rounds}.");
            // After a cancellation an editor may show nothing more; saying it harms nobody.
            sessions.reply(self.wires(), session, run.held, &text, ended);
        }
    }

    /// `/goal`: agents without goals of their own get theirs from here.
    fn goal(&mut self, session: &str, held: Held, prompt: &str, rest: &str) {
        let text = {
            let mut sessions = self.desk.sessions();
            let Some(seat) = sessions.seats.get_mut(session) else { return };
            let now = seat.goal.clone();
            let goal_is_open = now.as_ref().is_some_and(|goal| goal.phase != GoalPhase::Complete);
            match (rest, now) {
                ("", None) => "There is no goal. Write one behind the command.".to_owned(),
                ("", Some(goal)) if goal_is_open => format!("The goal is: {}", goal.objective),
                ("", Some(goal)) => format!("The goal was reached: {}", goal.objective),
                ("done", Some(goal)) if goal_is_open => {
                    let done = Goal { phase: GoalPhase::Complete, revision: next(goal.revision), ..goal };
                    seat.handle.event(Event::Goal(done.clone()));
                    seat.goal = Some(done);
                    "The goal is reached.".to_owned()
                }
                ("clear", Some(goal)) => {
                    seat.handle.event(Event::GoalCleared { id: goal.id });
                    seat.goal = None;
                    "The goal is gone.".to_owned()
                }
                ("done" | "clear", _) => "There is no goal to end.".to_owned(),
                (objective, before) => {
                    let kept = before.filter(|_| goal_is_open);
                    let (id, revision) = match kept {
                        Some(goal) => (goal.id, next(goal.revision)),
                        None => {
                            self.clock += 1;
                            (format!("goal-{}", self.clock), Revision::new(1))
                        }
                    };
                    let goal = Goal {
                        id,
                        revision,
                        phase: GoalPhase::Active,
                        armed: false,
                        objective: objective.to_owned(),
                    };
                    seat.handle.event(Event::Goal(goal.clone()));
                    seat.goal = Some(goal);
                    let next = seat.names.get(Ours::Next);
                    format!(
                        "The goal is set. The next suggestion works towards it; `/{next} retry` asks for one now. The \
                         agent itself is not told."
                    )
                }
            }
        };
        self.answer_now(session, held, prompt, &text);
    }
}

enum Click {
    Say(String),
    Wait,
    Theirs(Option<String>),
    Offer(suggest_core::OfferId, suggest_engine::SessionHandle),
}

fn next(revision: Revision) -> Revision {
    Revision::new(revision.get().saturating_add(1))
}
