//! The human's commands to the advisor (rule V7). Nothing here outlives the process.

use super::{Stopped, gate};
use crate::code::OutputCode;
use crate::command::{AdvisorCommand, CommandOutput};
use crate::session::{Session, SessionKind};
use std::fmt::Write as _;

impl Session {
    pub(crate) fn advisor_command(&mut self, command: AdvisorCommand) -> CommandOutput {
        self.advisor.spoken_to = true;
        let reads =
            matches!(command, AdvisorCommand::Status | AdvisorCommand::Config | AdvisorCommand::Model);
        if self.closed && !reads {
            return CommandOutput::refused(OutputCode::Closed, "refused: the session is closed");
        }
        match command {
            AdvisorCommand::Toggle if self.advisor_enabled() => self.advisor_off(),
            AdvisorCommand::Toggle | AdvisorCommand::On => self.advisor_on(),
            AdvisorCommand::Off => self.advisor_off(),
            AdvisorCommand::Status => CommandOutput::ok(self.advisor_status_text()),
            AdvisorCommand::Config => CommandOutput::ok(self.advisor_config_text()),
            AdvisorCommand::Model => CommandOutput::ok(self.advisor_model_text()),
            AdvisorCommand::PinModel { provider, model } => self.pin_advisor(&provider, &model),
            AdvisorCommand::ResetModel => self.reset_advisor_model(),
        }
    }

    /// Resumes a pause in place, and builds a halted advisor anew (rule V5). What waits is read after the next turn.
    fn advisor_on(&mut self) -> CommandOutput {
        self.advisor.switch = Some(true);
        let resumed = match self.advisor.stopped.take() {
            Some(Stopped::Paused(_)) => "; it resumes",
            Some(Stopped::Halted(_)) => {
                self.advisor.backlog.clear();
                self.advisor.due = None;
                "; it begins anew"
            }
            None => "",
        };
        CommandOutput::ok(match self.advisor_route() {
            Ok((id, _)) => format!("the advisor is on in this session, with {id}{resumed}"),
            Err(reason) => {
                format!("the advisor is switched on in this session, but disabled: {}", reason.message)
            }
        })
    }

    fn advisor_off(&mut self) -> CommandOutput {
        self.advisor.switch = Some(false);
        self.stop_advisor();
        self.advisor.delivery.settle();
        CommandOutput::ok("the advisor is off in this session; `advisor on` resumes it")
    }

    fn pin_advisor(&mut self, provider: &str, model: &str) -> CommandOutput {
        if let Some(reason) = self.advisor_shut() {
            let code = match self.setup.kind {
                _ if self.advisor.config_error.is_some() => OutputCode::BadArgument,
                SessionKind::Interactive => OutputCode::BadArgument,
                SessionKind::Headless => OutputCode::Headless,
                SessionKind::Subagent => OutputCode::Subagent,
            };
            return CommandOutput::refused(code, format!("refused: {}", reason.message));
        }
        match gate::pair(provider, model) {
            Ok(id) => {
                let line =
                    format!("trying {id}, at most 60 s; it is pinned for this session when it answers");
                self.start_trial(id);
                CommandOutput::ok(line)
            }
            Err(reason) => {
                CommandOutput::refused(OutputCode::BadArgument, format!("refused: {}", reason.message))
            }
        }
    }

    fn reset_advisor_model(&mut self) -> CommandOutput {
        let tried = self.give_up_trial();
        let pinned = self.advisor.pin.take().is_some();
        self.advisor.pin_refused = None;
        self.stop_advisor_if_shut();
        self.start_review();
        let what = match (pinned, tried) {
            (true, _) => "the session override is dropped",
            (false, true) => "the trial is given up",
            (false, false) => "there is no session override",
        };
        CommandOutput::ok(match self.advisor_route() {
            Ok((id, source)) => format!("{what}; {id} ({}) reviews", source.describe()),
            Err(reason) => format!("{what}; the advisor is disabled: {}", reason.message),
        })
    }

    fn advisor_model_text(&self) -> String {
        let mut text = match self.advisor_route() {
            Ok((id, source)) => format!("{id} ({})", source.describe()),
            Err(reason) => format!("no model: {}", reason.message),
        };
        if let Some(model) = self.trial() {
            let _ = write!(text, "\ntrying {model}");
        }
        if let Some(line) = &self.advisor.pin_refused {
            let _ = write!(text, "\n{line}");
        }
        text
    }

    /// The global defaults, whatever this session overrides.
    fn advisor_config_text(&self) -> String {
        let config = &self.config.advisor;
        let shown = |value: &str, absent: &str| {
            let value: String = value.trim().chars().filter(|c| !c.is_control()).take(120).collect();
            if value.is_empty() { format!("({absent})") } else { value }
        };
        let prompt = match config.system_prompt.trim() {
            "" => "(built in)".to_owned(),
            custom => format!("({} characters of your own)", custom.chars().count()),
        };
        let mut text = String::new();
        if let Some(error) = &self.advisor.config_error {
            let _ = writeln!(text, "malformed: {error}");
        }
        let _ = write!(
            text,
            "provider: {}\nmodel: {}\nsystemPrompt: {prompt}\nimmuneTurns: {}\nmaxDeltaMessages: {}\nproseFallback: \
{}\nreasoningEffort: {}\nnextPrompt: {}\ndefaultEnabled: {}\nThese are the global defaults; change them in the \
configuration, section `advisor`.",
            shown(&config.provider, "not set"),
            shown(&config.model, "not set"),
            config.immune_turns,
            config.max_delta_messages,
            config.prose_fallback,
            shown(&config.reasoning_effort, "automatic"),
            config.next_prompt,
            config.default_enabled,
        );
        text
    }
}
