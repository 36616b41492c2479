//! The followed file and the session that the engine runs for it.

use crate::config::Settings;
use crate::exit::Failure;
use crate::follow::{Follower, Place, Siblings, Step, newest};
use crate::setup;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use suggest_core::{Command, Config, ModelSource, OutputCode, State, Status, Turn};
use suggest_engine::{Engine, NoHost, SessionHandle, StateWatch};
use suggest_llm::ProviderTable;

/// How often the file is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// How often it is asked whether the person went on in another file.
const ASK_FOR_ANOTHER: Duration = Duration::from_secs(1);

/// How long a session must be quiet before a newer one of the folder takes its place.
const QUIET: Duration = Duration::from_secs(3);

/// How many sessions' ended turns are remembered, so that going back to one asks nothing again.
const REMEMBERED: usize = 256;

/// What is followed.
#[derive(Debug, Clone)]
pub(super) enum Target {
    /// This session, and the one that a `/clear` leads to.
    Session(Place),
    /// The newest session of this folder.
    Latest(PathBuf),
}

/// A followed session.
pub(super) struct Watched {
    engine: Engine,
    config: Config,
    model_source: ModelSource,
    latest: Option<PathBuf>,
    follower: Option<Follower>,
    session: Option<SessionHandle>,
    watch: Option<StateWatch>,
    offers: u64,
    ended: HashMap<Place, Turn>,
    asked_for_another: Instant,
    grew: Instant,
    siblings: Option<Siblings>,
}

/// What a wait brought.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It was looked at the file.
    Looked,
    /// The state changed.
    State,
}

impl Watched {
    pub(super) fn new(
        settings: &Settings,
        table: Arc<ProviderTable>,
        target: Target,
    ) -> Result<Self, Failure> {
        let engine = Engine::builder()
            .resolve_with(move |route| setup::resolve(&table, route))
            .build()
            .map_err(Failure::failed)?;
        let now = Instant::now();
        let (latest, follower) = match target {
            Target::Session(place) => (None, Some(Follower::new(place))),
            Target::Latest(folder) => {
                let follower = newest(&folder).map(Follower::new);
                (Some(folder), follower)
            }
        };
        let siblings = follower.as_ref().map(|follower| Siblings::of(&follower.place().path));
        Ok(Self {
            engine,
            config: settings.config.clone(),
            model_source: settings.model_source(),
            latest,
            follower,
            session: None,
            watch: None,
            offers: 1,
            ended: HashMap::new(),
            asked_for_another: now,
            grew: now,
            siblings,
        })
    }

    /// Waits for the next look or the next state, whichever is first.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(super) async fn change(&mut self) -> Result<Change, Failure> {
        let caught_up = self.follower.as_ref().is_none_or(Follower::is_caught_up);
        let pause = if caught_up { LOOK } else { Duration::ZERO };
        tokio::select! {
            biased;
            Some(_) = next_state(&mut self.watch) => Ok(Change::State),
            () = tokio::time::sleep(pause) => {
                self.look()?;
                Ok(Change::Looked)
            }
        }
    }

    /// Looks at the file, and whether the person went on in another one.
    pub(super) fn look(&mut self) -> Result<(), Failure> {
        let now = Instant::now();
        if let Some(follower) = &mut self.follower {
            let steps = follower.look(now).map_err(|error| {
                Failure::failed(format_args!("cannot read {}: {error}", follower.place()))
                    .with_help("check the path and who may read it")
            })?;
            if follower.is_unknown {
                return Err(Failure::failed(format_args!(
                    "{}: not a session in a format that can be followed",
                    follower.place()
                ))
                .with_help("`suggest next FILE` reads more formats, once"));
            }
            if follower.is_missing {
                return Err(Failure::usage(format_args!("{}: no such session", follower.place()))
                    .with_help("`suggest sessions` lists those that are found"));
            }
            if !steps.is_empty() {
                self.grew = now;
            }
            steps.into_iter().for_each(|step| self.take(step));
        }
        if now.saturating_duration_since(self.asked_for_another) >= ASK_FOR_ANOTHER {
            self.asked_for_another = now;
            self.follow_another(now);
        }
        Ok(())
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Opened(setup) => {
                self.note_offers();
                let setup = (*setup).with_model_source(self.model_source);
                let ticket = setup.first_ticket;
                let setup = setup.resuming(self.offers, ticket, 0);
                let session = self.engine.open_session(setup, self.config.clone(), Arc::new(NoHost));
                self.watch = Some(session.watch());
                self.session = Some(session);
            }
            Step::History(event) => {
                if let Some(session) = &self.session {
                    session.history(event);
                }
            }
            Step::News(event) => {
                if let Some(session) = &self.session {
                    session.event(event);
                }
            }
        }
    }

    fn note_offers(&mut self) {
        let seen =
            self.session.as_ref().and_then(|session| session.state().offer.as_ref().map(|offer| offer.id));
        if let Some(id) = seen {
            self.offers = self.offers.max(id.number().saturating_add(1));
        }
    }

    fn follow_another(&mut self, now: Instant) {
        let current = self.follower.as_ref().map(|follower| follower.place().clone());
        let next = match (&self.latest, &current) {
            (Some(folder), Some(current)) => {
                let quiet = now.saturating_duration_since(self.grew) >= QUIET;
                let next = if quiet { newest(folder) } else { None };
                next.filter(|next| next != current).or_else(|| self.after_clear().map(Place::from))
            }
            (Some(folder), None) => newest(folder),
            (None, Some(_)) => self.after_clear().map(Place::from),
            (None, None) => None,
        };
        let Some(next) = next else { return };
        if let (Some(current), Some(follower)) = (current, &self.follower)
            && let Some(turn) = follower.last_ended()
            && self.ended.len() < REMEMBERED
        {
            self.ended.insert(current, turn);
        }
        self.siblings = Some(Siblings::of(&next.path));
        let ended = self.ended.get(&next).copied();
        self.follower = Some(Follower::successor(next, ended));
        self.grew = now;
    }

    fn after_clear(&mut self) -> Option<PathBuf> {
        self.siblings.as_mut()?.after_clear()
    }

    /// The state; none before there is a session, or before all that it holds was read.
    pub(super) fn state(&mut self) -> Option<Arc<State>> {
        if !self.follower.as_ref().is_some_and(|follower| follower.is_open() && follower.is_caught_up()) {
            return None;
        }
        self.note_offers();
        self.session.as_ref().map(SessionHandle::state)
    }

    /// A file is followed; without one [`Self::name`] is the folder in which a session may appear.
    pub(super) fn has_file(&self) -> bool {
        self.follower.is_some()
    }

    /// The name of the file.
    pub(super) fn name(&self) -> String {
        match (&self.follower, &self.latest) {
            (Some(follower), _) => follower.place().to_string(),
            (None, Some(folder)) => folder.display().to_string(),
            (None, None) => String::new(),
        }
    }

    /// Performs an act of the person; gives the line that refuses it.
    pub(super) async fn command(&self, command: Command) -> Option<String> {
        let session = self.session.as_ref()?;
        let answer = session.command(command).await;
        (answer.code != OutputCode::Ok).then_some(answer.text)
    }

    pub(super) fn is_off(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.state().status == Status::Off)
    }

    /// Ends every call.
    pub(super) async fn close(self) {
        drop(self.session);
        self.engine.shutdown().await;
    }
}

async fn next_state(watch: &mut Option<StateWatch>) -> Option<Arc<State>> {
    match watch {
        Some(watch) => match watch.changed().await {
            Some(state) => Some(state),
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}
