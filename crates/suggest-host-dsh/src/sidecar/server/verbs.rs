//! What people do with the verbs of `/suggest`, and the answers that wait for what comes of it.

use super::Server;
use crate::sidecar::cards::Desk;
use crate::sidecar::commands;
use crate::sidecar::message;
use crate::sidecar::pin;
use crate::sidecar::protocol::{CommandParams, CommandResult};
use crate::sidecar::view::Choice;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use suggest_core::{
    AdvisorCommand, Command, CommandOutput, ModelSource, OutputCode, print_state, status_line,
};

/// How long the answer to a run waits for what the run sends.
const RUN_PATIENCE: Duration = Duration::from_secs(1);

impl Server {
    pub(super) async fn command(&mut self, id: &Value, params: CommandParams) {
        let command = match commands::read(&params.line) {
            Ok(command) => command,
            Err(error) => {
                return self.answer(message::result(id, &CommandResult::from(CommandOutput::from(error))));
            }
        };
        if let Command::Cards(cards) = &command
            && self.view.off().is_none()
            && let Some(session) = self.sessions.get(&params.session)
        {
            // The file may take its time; nobody else waits for it.
            let (link, handle) = (Arc::clone(&session.link), session.handle.clone());
            let desk = Desk { shelf: Arc::clone(&self.shelf), handle, link: Arc::clone(&link) };
            let (peer, id, cards) = (Arc::clone(&self.peer), id.clone(), cards.clone());
            self.tasks.spawn(async move {
                let result = link.closed.run_until_cancelled(desk.perform(cards)).await;
                let _ = peer.outbox.push(message::result(&id, &result.unwrap_or_else(commands::unlinked)));
            });
            return;
        }
        let acts = self.sessions.get(&params.session).map(|session| session.link.acts());
        if let (Command::Run(_), Some(session)) = (&command, self.sessions.get(&params.session)) {
            session.link.forget_refusal();
        }
        let result = self.perform(&params.session, command.clone()).await;
        let chosen = match (&command, result.code) {
            (Command::SetModel(model), "ok") => Choice::Model(model.clone()),
            (Command::ClearModel, "ok") => Choice::Cleared,
            (Command::Run(_), "ok") => {
                return self.answer_behind_the_run(id.clone(), result, &params.session, acts);
            }
            (Command::Advisor(AdvisorCommand::PinModel { provider, model }), "ok") => {
                return self.answer_behind_the_trial(id.clone(), &params.session, provider, model);
            }
            _ => return self.answer(message::result(id, &result)),
        };
        self.choose(&params.session, chosen.clone()).await;
        self.keep(id.clone(), result, chosen);
    }

    async fn perform(&mut self, id: &str, command: Command) -> CommandResult {
        if command == Command::Help {
            return CommandResult { text: commands::HELP.to_owned(), code: "ok" };
        }
        let off = self.view.off();
        let Some(session) = self.sessions.get(id) else {
            return match &off {
                Some(off) => commands::refused(off),
                None => commands::unlinked(),
            };
        };
        if let Some(off) = &off
            && commands::acts(&command)
        {
            return commands::refused(off);
        }
        let ok = |text: String| CommandResult { text, code: "ok" };
        let state = || session.link.shown(&session.handle.state());
        match command {
            Command::State | Command::Pull => ok(print_state(&state())),
            Command::Status => ok(status_line(&state())),
            Command::ShowModel => match (off, state().model) {
                (Some(off), _) => commands::refused(&off),
                (None, Some(model)) => ok(match model.source {
                    ModelSource::Command => {
                        format!(
                            "{} (set by command, for every session; `/suggest model clear` clears it)",
                            model.id
                        )
                    }
                    _ => format!("{} (from the plugin's configuration)", model.id),
                }),
                (None, None) => {
                    ok("no model is set; set one with `/suggest model provider/model`".to_owned())
                }
            },
            #[cfg(feature = "client")]
            Command::SetModel(_) => {
                // Before the call that it may open: the second level of rule P1 is there.
                self.routes.own.commanded(id);
                session.command(command).await.into()
            }
            command => session.command(command).await.into(),
        }
    }

    /// A person chose a model, or none, in one session: it goes for all. The others ask it after their next turn.
    async fn choose(&mut self, id: &str, choice: Choice) {
        self.view.choose(choice);
        let config = self.view.config(&self.row);
        for (other, session) in &mut self.sessions {
            session.commanded |= other == id;
            session.reconfigure(config.clone()).await;
            if other != id {
                // Where the model came from may have changed and nothing else.
                session.link.publish(&session.handle.state());
            }
        }
    }

    /// A run that was taken leaves as a submission, or as a text for the input; the answer follows it, so that whoever
    /// pressed the button still waits when the text comes.
    fn answer_behind_the_run(&self, id: Value, result: CommandResult, session: &str, acts: Option<u64>) {
        let link = self.sessions.get(session).map(|session| Arc::clone(&session.link));
        let (Some(link), Some(before)) = (link, acts) else {
            return self.answer(message::result(&id, &result));
        };
        let peer = Arc::clone(&self.peer);
        self.tasks.spawn(async move {
            let taken = async {
                link.acted_since(before).await;
                link.run_is_answered().await;
            };
            // What takes longer shows in the state.
            let _ = tokio::time::timeout(RUN_PATIENCE, taken).await;
            let result = match link.refusal_of_the_run() {
                Some(why) => {
                    CommandResult { text: format!("refused: {why}"), code: OutputCode::Refused.as_str() }
                }
                None => result,
            };
            let _ = peer.outbox.push(message::result(&id, &result));
        });
    }

    /// A model that a person pins is tried first (rule V7); the answer says what came of it.
    fn answer_behind_the_trial(&self, id: Value, session: &str, provider: &str, model: &str) {
        let Some(session) = self.sessions.get(session) else {
            return self.answer(message::result(&id, &commands::unlinked()));
        };
        let (watch, closed) = (session.handle.watch(), session.link.closed.clone());
        let route = format!("{provider}/{model}");
        let peer = Arc::clone(&self.peer);
        self.tasks.spawn(async move {
            let result = closed.run_until_cancelled(pin::outcome(watch, &route)).await;
            let _ = peer.outbox.push(message::result(&id, &result.unwrap_or_else(commands::unlinked)));
        });
    }

    /// Keeps the choice in its file and then answers, saying so when it could not be kept.
    fn keep(&self, id: Value, mut result: CommandResult, choice: Choice) {
        let Some(file) = self.choice_file.clone() else {
            return self.answer(message::result(&id, &result));
        };
        file.want(match choice {
            Choice::Model(model) => Some(model),
            Choice::Row | Choice::Cleared => None,
        });
        let peer = Arc::clone(&self.peer);
        self.tasks.spawn(async move {
            let written = tokio::task::spawn_blocking(move || file.write()).await;
            if !matches!(written, Ok(Ok(()))) {
                result.text.push_str("; it could not be kept for the next start of dsh");
            }
            let _ = peer.outbox.push(message::result(&id, &result));
        });
    }
}
