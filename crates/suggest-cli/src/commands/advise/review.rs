//! Reviewing chosen turns with the engine, so that the gate and rule P1 go for it as for every call.

use super::reader::{Delivered, LastFailure, NoteReader, Watched};
use super::turns::Chosen;
use crate::commands::next::show_progress;
use crate::exit::Failure;
use crate::output::Output;
use crate::setup;
use std::sync::Arc;
use suggest_core::{AdvisorStatus, AdvisorView, Config, Event, ModelView, SessionSetup};
use suggest_engine::{Engine, SessionHandle};
use suggest_llm::{LlmErrorKind, ProviderTable};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// A session whose only voice is the advisor.
pub(super) struct Review {
    engine: Engine,
    session: SessionHandle,
    notes: UnboundedReceiver<Delivered>,
    failure: LastFailure,
}

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct Reviewed {
    /// The gravest note; of equally grave ones the newest.
    pub(super) note: Option<Delivered>,
    /// The advisor afterwards.
    pub(super) advisor: AdvisorView,
    /// Whether a review began.
    pub(super) begun: bool,
    /// Why the last call failed, if the client told.
    pub(super) failure: Option<(LlmErrorKind, String)>,
}

impl Reviewed {
    /// Whether the model was asked and no call failed.
    pub(super) fn answered(&self) -> bool {
        self.begun && self.advisor.usage.failed_calls == 0 && self.failure.is_none()
    }
}

impl Review {
    pub(super) fn open(
        runtime: &Runtime,
        table: Arc<ProviderTable>,
        setup: SessionSetup,
        config: Config,
    ) -> Result<Self, Failure> {
        let failure = LastFailure::default();
        let watched = failure.clone();
        let engine = Engine::builder()
            .runtime(runtime.handle().clone())
            .resolve_with(move |route| {
                let mut provider = setup::resolve(&table, route)?;
                provider.llm = Arc::new(Watched { llm: provider.llm, failure: watched.clone() });
                Ok(provider)
            })
            .build()
            .map_err(Failure::failed)?;
        let (sender, notes) = unbounded_channel();
        let session = engine.open_session(setup, config, Arc::new(NoteReader(sender)));
        Ok(Self { engine, session, notes, failure })
    }

    /// What stands before the turns under review: it is never part of what a reviewer reads (rule D15).
    pub(super) fn history(&self, event: Event) {
        self.session.history(event);
    }

    /// Reviews and leaves nothing running. None: the person pressed Ctrl-C.
    pub(super) async fn speak(
        mut self,
        model: &ModelView,
        chosen: &Chosen,
        output: &Output,
    ) -> Option<Reviewed> {
        let reviewed = tokio::select! {
            reviewed = listen(&self.session, &mut self.notes, &self.failure, chosen) => Some(reviewed),
            // Without a way to hear of Ctrl-C, the system's own way remains: it ends the process.
            Ok(()) = tokio::signal::ctrl_c() => None,
            () = show_progress(model.id.as_str(), output) => None,
        };
        output.clear();
        self.engine.shutdown().await;
        reviewed
    }
}

/// Naming a session is the opt-in: its turns are told as if they happened now, one review at a time.
async fn listen(
    session: &SessionHandle,
    notes: &mut UnboundedReceiver<Delivered>,
    failure: &LastFailure,
    chosen: &Chosen,
) -> Reviewed {
    let mut watch = session.watch();
    let mut reviewed = Reviewed::default();
    let mut taken = 0;
    for round in &chosen.rounds {
        round.iter().for_each(|event| session.event(event.clone()));
        let in_flight = |advisor: Option<&AdvisorView>| advisor.is_some_and(|advisor| advisor.in_flight);
        reviewed.begun |= in_flight(session.state().advisor.as_ref());
        let state = watch.wait_for(|state| !in_flight(state.advisor.as_ref())).await;
        let state = state.unwrap_or_else(|| session.state());
        reviewed.advisor = state.advisor.clone().unwrap_or_default();
        while taken < reviewed.advisor.delivered {
            let Some(note) = notes.recv().await else { break };
            taken = taken.saturating_add(1);
            if reviewed.note.as_ref().is_none_or(|known| known.severity <= note.severity) {
                reviewed.note = Some(note);
            }
        }
        if matches!(reviewed.advisor.status, AdvisorStatus::Paused | AdvisorStatus::Halted) {
            break;
        }
    }
    reviewed.failure = failure.get();
    reviewed
}
