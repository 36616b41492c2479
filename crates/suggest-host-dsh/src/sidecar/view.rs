//! What holds for all sessions: a wrong configuration, and the model that a person chose by command.

use super::protocol::Off;
use std::sync::{PoisonError, RwLock};
use suggest_core::{Coded, Config, ModelId, ModelSource, ReasonCode, State, Status};

/// The model that a person chose by command; it wins over the plugin's row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Choice {
    /// None was chosen: the row decides.
    #[default]
    Row,
    /// This one.
    Model(ModelId),
    /// It was cleared: there is none, whatever the row says, until dsh starts again.
    Cleared,
}

/// What holds for all sessions.
#[derive(Debug, Default)]
pub(crate) struct View {
    inner: RwLock<Inner>,
}

#[derive(Debug, Clone, Default)]
struct Inner {
    off: Option<Off>,
    choice: Choice,
}

impl View {
    pub(crate) fn off(&self) -> Option<Off> {
        self.read().off
    }

    pub(crate) fn set_off(&self, off: Option<Off>) {
        self.inner.write().unwrap_or_else(PoisonError::into_inner).off = off;
    }

    pub(crate) fn choice(&self) -> Choice {
        self.read().choice
    }

    pub(crate) fn choose(&self, choice: Choice) {
        self.inner.write().unwrap_or_else(PoisonError::into_inner).choice = choice;
    }

    /// The configuration of sessions: the row's, with the chosen model in it. A wrong row runs nothing at all.
    pub(crate) fn config(&self, row: &Config) -> Config {
        let inner = self.read();
        let mut config = row.clone();
        if inner.off.is_some() {
            config = Config::default();
            config.cards.enabled = false;
            config.summary.enabled = false;
            return config;
        }
        match inner.choice {
            Choice::Row => {}
            Choice::Model(id) => config.prompt_model = Some(id),
            Choice::Cleared => config.prompt_model = None,
        }
        config
    }

    /// The state as a person sees it: a wrong row is the reason for off, and a chosen model came from a command in
    /// whichever session.
    pub(crate) fn shown(&self, state: &State) -> State {
        let inner = self.read();
        let mut state = state.clone();
        if let (Some(off), Status::Off) = (&inner.off, state.status) {
            state.reason = Some(Coded::new(ReasonCode::NoModel, off.message.clone()));
        }
        if let (Choice::Model(id), Some(model)) = (&inner.choice, &mut state.model)
            && model.id == *id
        {
            model.source = ModelSource::Command;
        }
        state
    }

    fn read(&self) -> Inner {
        self.inner.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
