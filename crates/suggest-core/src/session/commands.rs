//! What the human's commands do.

use super::Session;
use crate::command::{Command, CommandOutput};
use crate::state_block::{print_state, status_line};

const HELP: &str = "\
state                  the whole state
status                 the state in one line
model                  the model and where it came from
model provider/model   set the model: this switches the feature on
model clear            clear the model: this switches the feature off
on | off               resume or suspend suggestions in this session
run [id]               run the suggestion on screen as your own turn
retry                  ask the model again
autorun on | off       start or stop running suggestions by themselves
autorun reset          refresh the round budget
report                 what the last autorun loop did
advisor …              the second opinion: on, off, status, config, model
cards …                idle suggestions: list, accept ID, dismiss ID, dismiss all, refresh
summary [refresh]      the session's summary
help                   this list";

impl Session {
    pub(super) fn on_command(&mut self, command: Command) -> CommandOutput {
        match command {
            Command::State | Command::Pull => CommandOutput::ok(print_state(&self.state())),
            Command::Status => CommandOutput::ok(status_line(&self.state())),
            Command::Report => CommandOutput::ok(self.report_text()),
            Command::Help => CommandOutput::ok(HELP),
            Command::ShowModel => CommandOutput::ok(match self.model() {
                Some((id, source)) => format!("{id} (from {})", source.as_str()),
                None => "no model is set; set one with `model provider/model`".to_owned(),
            }),
            Command::SetModel(id) => self.set_model(Some(id)),
            Command::ClearModel => self.set_model(None),
            Command::On => self.switch_on(),
            Command::Off => self.switch_off(),
            Command::Run(id) => self.run_offer(id),
            Command::ArmAutorun => self.arm(),
            Command::DisarmAutorun => self.disarm_by_hand(),
            Command::ResetAutorun => self.reset_budget(),
            Command::Retry => self.retry(),
            Command::Advisor(command) => self.advisor_command(command),
            Command::Cards(command) => self.cards_command(command),
            Command::Summary => self.summary_command(),
            Command::RefreshSummary => self.refresh_summary(),
        }
    }

    fn report_text(&self) -> String {
        let Some(report) = self.autorun.last_report() else { return "no loop has ended yet".to_owned() };
        let mut text = format!("autorun ended: {}\nrounds: {}", report.reason.message, report.rounds);
        for offer in &report.offers {
            text.push_str(&format!("\n  {} (after turn {}): {}", offer.id, offer.turn, offer.text));
        }
        let usage = &report.usage;
        text.push_str(&format!(
            "\nmodel calls: {} ({} failed), tokens in {} (cached {}), out {}, {} ms",
            usage.calls,
            usage.failed_calls,
            usage.input_tokens,
            usage.cached_tokens,
            usage.output_tokens,
            usage.ms
        ));
        if report.goal_paused {
            text.push_str("\nthe goal was paused by arming autorun; it stays paused until you resume it");
        }
        text
    }
}
