//! The director's side: it reads the copies, keeps the sessions, and speaks when it is spoken to.

use crate::desk::{Desk, Seat, Shown};
use crate::envelope::Envelope;
use crate::host::AgentHost;
use crate::names::Names;
use crate::proxy::Setup;
use crate::queue::Popped;
use crate::reading::{self, Activity, Update};
use crate::wires::{Seen, Wires};
use crate::words::{Descriptions, Own};
use crate::writing::{self, Ended, Version};
use agent_client_protocol_schema::v1::{AGENT_METHOD_NAMES, CLIENT_METHOD_NAMES, PromptResponse, RequestId};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;
use suggest_core::{Command, Config, EndReason, Event, ModelSource, ReasonCode, SessionSetup, State, Status};
use suggest_engine::{BuildError, Engine, HostProcess, MemoryStore, Observer};
use tokio::sync::Notify;

mod commands;

/// Sessions that are followed at a time; the one that was used least recently gives way.
const MOST_SESSIONS: usize = 64;
/// Requests of the editor whose answers are awaited.
const MOST_REQUESTS: usize = 1_024;
/// Sessions whose commands came before we knew of them.
const MOST_EARLY: usize = 16;
/// Copies that are read before others get their turn.
const FAIR: u32 = 64;
/// Tells a request that is not wanted any more.
const CANCEL_REQUEST: &str = "$/cancel_request";

/// What the editor asked of the agent, as far as the answer matters.
#[derive(Debug)]
enum Asked {
    Initialize,
    New {
        folder: Option<String>,
    },
    /// Load or resume, of a session whose id is known.
    Reopen {
        session: String,
    },
    Close {
        session: String,
    },
    Prompt {
        session: String,
    },
}

/// Wakes the director when a state changed.
struct Watcher(Arc<Notify>);

impl Observer for Watcher {
    fn on_state(&self, _session: &str, _state: &State) {
        self.0.notify_one();
    }
}

/// Follows a connection.
pub(crate) struct Director {
    desk: Arc<Desk>,
    engine: Engine,
    changed: Arc<Notify>,
    config: Config,
    model_source: ModelSource,
    home: Option<String>,
    notice: crate::proxy::Notice,
    asked: HashMap<RequestId, (u64, Asked)>,
    early: HashMap<String, Vec<Value>>,
    clock: u64,
    lost_before: bool,
    /// What the editor shows may not fit any more.
    stale: bool,
}

impl Director {
    /// Must be called inside the runtime that it works on.
    pub(crate) fn new(setup: Setup, desk: Arc<Desk>) -> Result<Self, BuildError> {
        let changed = Arc::new(Notify::new());
        let engine = setup
            .engine
            .store(Arc::new(MemoryStore::new()))
            .observer(Arc::new(Watcher(Arc::clone(&changed))))
            .build()?;
        let mut config = setup.config;
        // The protocol has a place for the director alone; the other voices would call models for nobody.
        config.advisor = suggest_core::AdvisorConfig::default();
        config.cards.enabled = false;
        config.summary.enabled = false;
        Ok(Self {
            desk,
            engine,
            changed,
            config,
            model_source: setup.model_source,
            home: setup.home,
            notice: setup.notice,
            asked: HashMap::new(),
            early: HashMap::new(),
            clock: 0,
            lost_before: false,
            stale: false,
        })
    }

    fn wires(&self) -> &Wires {
        &self.desk.wires
    }

    /// Works until nothing more comes.
    pub(crate) async fn run(mut self) {
        let (desk, changed) = (Arc::clone(&self.desk), Arc::clone(&self.changed));
        let mut in_a_row = 0_u32;
        loop {
            tokio::select! {
                biased;
                popped = desk.wires.queue.pop() => match popped {
                    Popped::Item(seen) => self.see(seen).await,
                    Popped::Gap(lost) => self.gap(lost),
                    Popped::End => break,
                },
                () = changed.notified() => self.stale = true,
            }
            if std::mem::take(&mut self.stale) {
                self.refresh().await;
            }
            in_a_row += 1;
            if in_a_row >= FAIR {
                // The engine's calls share this thread, and a long stream must not starve them.
                in_a_row = 0;
                tokio::task::yield_now().await;
            }
        }
        desk.give_up("the connection to the agent ended");
        let seats = std::mem::take(&mut desk.sessions().seats);
        drop(seats);
        self.engine.shutdown().await;
    }

    /// Copies were lost: the session goes on, and so do we, with a hole.
    fn gap(&mut self, lost: u64) {
        if !std::mem::replace(&mut self.lost_before, true) {
            (self.notice)(&format!(
                "the director fell behind and did not read {lost} messages; they reached the editor, but suggestions \
                 may miss something"
            ));
        }
        for seat in self.desk.sessions().seats.values_mut() {
            seat.conversation.forget_pieces();
        }
    }

    async fn see(&mut self, seen: Seen) {
        self.stale |= !matches!(seen, Seen::Agent(_));
        match seen {
            Seen::Editor(line) => self.editor(&line).await,
            Seen::Act { line, session, number } => {
                if let Some(seat) = self.desk.sessions().seats.get_mut(&session) {
                    seat.acts = number;
                }
                self.act(&line, &session).await;
            }
            Seen::Held(held) => self.command(held).await,
            Seen::Agent(line) => self.agent(&line).await,
            Seen::OwnAnswer(line) => self.own_answer(&line),
        }
    }

    async fn editor(&mut self, line: &[u8]) {
        let Some(message) = Envelope::read(line) else { return };
        match (message.method.as_deref(), message.id.clone()) {
            (None, Some(id)) => {
                let mut sessions = self.desk.sessions();
                sessions.seats.values_mut().any(|seat| seat.dialog_closed(&id));
            }
            (Some(CANCEL_REQUEST), _) => self.cancel_request(&message).await,
            (Some(method), Some(id)) => self.request(method, id, &message).await,
            (_, None) => {}
        }
    }

    async fn request(&mut self, method: &str, id: RequestId, message: &Envelope<'_>) {
        let names = AGENT_METHOD_NAMES;
        let params: SessionParams = message.params_as().unwrap_or_default();
        let asked = if method == names.initialize {
            self.desk.sessions().shows_suggestions = params.shows_suggestions();
            Asked::Initialize
        } else if method == names.session_new || method == "session/fork" {
            Asked::New { folder: params.cwd }
        } else if method == names.session_load || method == names.session_resume {
            let Some(session) = params.session_id else { return };
            // Its past is told before the answer.
            self.open(session.clone(), params.cwd).await;
            if let Some(seat) = self.desk.sessions().seats.get_mut(&session) {
                seat.conversation.begin_replay();
            }
            Asked::Reopen { session }
        } else if method == names.session_close || method == "session/delete" {
            let Some(session) = params.session_id else { return };
            Asked::Close { session }
        } else {
            return;
        };
        self.ask(id, asked);
    }

    fn ask(&mut self, id: RequestId, asked: Asked) {
        if self.asked.len() >= MOST_REQUESTS {
            // Requests that nobody answered; the oldest is the least likely to be answered yet.
            let oldest = self.asked.iter().min_by_key(|(_, (at, _))| *at).map(|(id, _)| id.clone());
            oldest.and_then(|id| self.asked.remove(&id));
        }
        self.clock += 1;
        self.asked.insert(id, (self.clock, asked));
    }

    fn forget(&mut self, id: &RequestId) {
        self.asked.remove(id);
    }

    /// A prompt or a cancellation that went on to the agent.
    async fn act(&mut self, line: &[u8], session: &str) {
        let Some(message) = Envelope::read(line) else { return };
        if message.method.as_deref() == Some(AGENT_METHOD_NAMES.session_cancel) {
            return self.stop(session).await;
        }
        let Some(id) = message.id.clone() else { return };
        let text = message.params_as::<PromptParams>().map(|params| params.text()).unwrap_or_default();
        self.clock += 1;
        let clock = self.clock;
        if let Some(seat) = self.desk.sessions().seats.get_mut(session) {
            seat.used = clock;
            seat.prompted(id.clone(), suggest_core::Origin::Human, text);
        }
        self.ask(id, Asked::Prompt { session: session.to_owned() });
    }

    /// The human cancels: the loop is over at once (rule A5), and nobody waits for a suggestion any more.
    async fn stop(&mut self, session: &str) {
        let handle = {
            let mut sessions = self.desk.sessions();
            let Some(seat) = sessions.seats.get_mut(session) else { return };
            let waiting = [seat.click.take(), seat.waiter.take()];
            let handle = seat.run.as_mut().map(|run| {
                run.cancelled = true;
                seat.handle.clone()
            });
            for held in waiting.into_iter().flatten() {
                sessions.reply(self.wires(), session, held, "", Ended::Cancelled);
            }
            handle
        };
        if let Some(handle) = handle {
            handle.command(Command::DisarmAutorun).await;
        }
    }

    /// One of the prompts that we hold may be meant; the agent does not know it.
    async fn cancel_request(&mut self, message: &Envelope<'_>) {
        let Some(CancelRequest { request_id }) = message.params_as() else { return };
        let session = {
            let sessions = self.desk.sessions();
            let holds = |seat: &Seat| {
                let run = seat.run.as_ref().map(|run| &run.held);
                [seat.click.as_ref(), seat.waiter.as_ref(), run]
                    .into_iter()
                    .flatten()
                    .any(|h| h.id == request_id)
            };
            let found = sessions.seats.iter().find(|(_, seat)| holds(seat));
            found.map(|(id, seat)| {
                let running = seat.run.as_ref().is_some_and(|run| run.round.is_some());
                (id.clone(), seat.acts, running)
            })
        };
        let Some((session, acts, running)) = session else { return };
        if running {
            let _ = self.wires().tell_agent(&session, acts, &[], &writing::cancel(&session));
        }
        self.stop(&session).await;
    }

    async fn agent(&mut self, line: &[u8]) {
        let Some(message) = Envelope::read(line) else { return };
        match (message.method.as_deref(), message.id.clone()) {
            (None, Some(id)) => self.answer(&id, &message).await,
            (Some(method), id) if method == CLIENT_METHOD_NAMES.session_update && id.is_none() => {
                if let Some(UpdateParams { session_id, update }) = message.params_as() {
                    self.update(session_id, update).await;
                }
            }
            (Some(method), Some(id))
                if method == CLIENT_METHOD_NAMES.session_request_permission
                    || method == CLIENT_METHOD_NAMES.elicitation_create =>
            {
                self.with_session(&message, |seat, _| seat.dialog_opened(id));
            }
            // Qwen Code works between prompts, too, and says so by methods of its own.
            (Some("_qwencode/start_turn"), _) => {
                self.with_session(&message, |seat, _| seat.background_began())
            }
            (Some("_qwencode/end_turn"), _) => self.with_session(&message, |seat, params| {
                seat.background_ended(match params.reason.as_deref() {
                    Some("end_turn") => EndReason::Completed,
                    Some("cancelled") => EndReason::Aborted,
                    _ => EndReason::Failed,
                });
            }),
            (Some("qwen/notify/session/prompt-suggestion"), _) => {
                if let Some(params) = message.params_as::<SessionParams>()
                    && let Some(session) = params.session_id
                {
                    self.suggested(&session, params.suggestion).await;
                }
            }
            (_, _) => {}
        }
    }

    fn with_session(&self, message: &Envelope<'_>, act: impl FnOnce(&mut Seat, &SessionParams)) {
        let Some(params) = message.params_as::<SessionParams>() else { return };
        let mut sessions = self.desk.sessions();
        let seat = params.session_id.as_ref().and_then(|session| sessions.seats.get_mut(session));
        if let Some(seat) = seat {
            act(seat, &params);
        }
    }

    async fn answer(&mut self, id: &RequestId, message: &Envelope<'_>) {
        let Some((_, asked)) = self.asked.remove(id) else { return };
        self.stale = true;
        let failed = message.error.is_some();
        match asked {
            Asked::Initialize => {
                let agreed: Option<Agreed> = message.result_as();
                if agreed.is_some_and(|agreed| agreed.protocol_version == 2) {
                    self.desk.sessions().version = Version::Two;
                }
            }
            Asked::New { folder } => {
                let opened: Option<SessionParams> = message.result_as();
                if let Some(session) = opened.and_then(|opened| opened.session_id) {
                    self.open(session.clone(), folder).await;
                    if let Some(seat) = self.desk.sessions().seats.get_mut(&session) {
                        seat.handle.event(Event::Idle);
                    }
                }
            }
            Asked::Reopen { session } => {
                if failed {
                    self.close(&session);
                } else if let Some(seat) = self.desk.sessions().seats.get_mut(&session) {
                    seat.conversation.end_replay();
                    seat.feed();
                }
            }
            Asked::Close { session } => {
                if !failed {
                    self.close(&session);
                }
            }
            Asked::Prompt { session } => self.prompt_answered(&session, id, message),
        }
    }

    fn prompt_answered(&self, session: &str, id: &RequestId, message: &Envelope<'_>) {
        let mut sessions = self.desk.sessions();
        let version = sessions.version;
        let Some(seat) = sessions.seats.get_mut(session) else { return };
        let reason = match message.result_as::<PromptResponse>() {
            Some(response) if message.error.is_none() => reading::end_of(&response.stop_reason),
            // In version 2 it is an acceptance, and the state says when the work ends.
            None if version == Version::Two && message.error.is_none() => return,
            _ => EndReason::Failed,
        };
        seat.answered(id, reason);
    }

    fn own_answer(&self, line: &[u8]) {
        let Some(message) = Envelope::read(line) else { return };
        let Some(id) = message.id.clone() else { return };
        let session = {
            let sessions = self.desk.sessions();
            let of_round = |seat: &Seat| seat.run.as_ref().is_some_and(|run| run.round.as_ref() == Some(&id));
            sessions.seats.iter().find(|(_, seat)| of_round(seat)).map(|(session, _)| session.clone())
        };
        if let Some(session) = session {
            self.prompt_answered(&session, &id, &message);
        }
    }

    async fn update(&mut self, session: String, update: Value) {
        let version = self.desk.sessions().version;
        let update = reading::read(version, update);
        if let Update::Suggestion(text) = update {
            return self.suggested(&session, text).await;
        }
        let mut sessions = self.desk.sessions();
        let Some(seat) = sessions.seats.get_mut(&session) else {
            // Some agents tell their commands before they answer that the session is there.
            if let Update::Commands(theirs) = update
                && (self.early.len() < MOST_EARLY || self.early.contains_key(&session))
            {
                self.early.insert(session, theirs);
            }
            return;
        };
        match update {
            Update::Commands(theirs) => {
                seat.names = names_beside(&theirs);
                seat.theirs = theirs;
                // What the editor shows now is the agent's list alone.
                seat.shown = None;
                self.stale = true;
            }
            Update::State(Activity::Running) => seat.background_began(),
            Update::State(Activity::Idle(Some(reason))) => seat.rested(reason),
            Update::ReplayComplete => {
                self.stale = true;
                seat.conversation.end_replay();
                seat.feed();
            }
            update => {
                seat.conversation.update(update);
                if !seat.conversation.is_open() {
                    seat.feed();
                }
            }
        }
    }

    /// The agent suggests by itself: ours is quiet from now on, unless the human wants it.
    async fn suggested(&mut self, session: &str, text: Option<String>) {
        let handle = {
            let mut sessions = self.desk.sessions();
            let Some(seat) = sessions.seats.get_mut(session) else { return };
            self.stale = true;
            seat.suggestion = text.map(|text| suggest_core::clean(&text)).filter(|text| !text.is_empty());
            let first = !seat.yielded && !seat.ours_wanted && seat.run.is_none();
            if !first {
                return;
            }
            seat.yielded = true;
            seat.handle.clone()
        };
        handle.command(Command::Off).await;
    }

    /// Opens a session, or opens one again: its numbers and spent rounds go on, nothing else does (rules A1, A6, D11).
    async fn open(&mut self, session: String, folder: Option<String>) {
        self.make_room();
        let setup = SessionSetup::new(session.clone())
            .with_folders(folder, self.home.clone())
            .with_model_source(self.model_source);
        let before = {
            let mut sessions = self.desk.sessions();
            let mut before = sessions.seats.remove(&session);
            let unanswered = before.as_mut().map(Seat::unanswered).unwrap_or_default();
            for held in unanswered {
                sessions.reply(self.wires(), &session, held, "", Ended::Cancelled);
            }
            before
        };
        // The numbers of before count also while they are not saved yet.
        let spent = before.as_ref().map_or(0, |seat| seat.handle.state().autorun.rounds);
        let setup = match self.engine.resume(setup, HostProcess::Same).await {
            Ok(setup) => {
                let (offer, ticket, rounds) =
                    (setup.first_offer, setup.first_ticket, setup.spent_rounds.max(spent));
                setup.resuming(offer, ticket, rounds)
            }
            Err(error) => {
                (self.notice)(&format!("a session is not followed: {error}"));
                return;
            }
        };
        let host = AgentHost { desk: Arc::downgrade(&self.desk), most_rounds: self.config.prompt_max_rounds };
        let handle = self.engine.open_session(setup, self.config.clone(), Arc::new(host));
        let mut seat = Seat::new(handle);
        self.clock += 1;
        seat.used = self.clock;
        if let Some(before) = before {
            seat.acts = before.acts;
            seat.theirs = before.theirs;
            seat.goal = before.goal;
        }
        if let Some(theirs) = self.early.remove(&session) {
            seat.theirs = theirs;
        }
        seat.names = names_beside(&seat.theirs);
        if let Some(goal) = &seat.goal {
            seat.handle.history(Event::Goal(goal.clone()));
        }
        self.desk.sessions().seats.insert(session, seat);
    }

    fn make_room(&self) {
        let oldest = {
            let sessions = self.desk.sessions();
            if sessions.seats.len() < MOST_SESSIONS {
                return;
            }
            let resting = sessions.seats.iter().filter(|(_, seat)| !seat.is_busy() && seat.run.is_none());
            resting.min_by_key(|(_, seat)| seat.used).map(|(session, _)| session.clone())
        };
        if let Some(session) = oldest {
            self.close(&session);
        }
    }

    fn close(&self, session: &str) {
        self.wires().set_names(session, None);
        let mut sessions = self.desk.sessions();
        let seat = sessions.seats.remove(session);
        let Some(mut seat) = seat else { return };
        seat.handle.close();
        for held in seat.unanswered() {
            sessions.reply(self.wires(), session, held, "", Ended::Cancelled);
        }
    }

    /// Brings what the editor shows up to date, and ends what has ended.
    async fn refresh(&mut self) {
        let mut ending = Vec::new();
        {
            let mut sessions = self.desk.sessions();
            let (version, shows) = (sessions.version, sessions.shows_suggestions);
            for (session, seat) in &mut sessions.seats {
                let state = seat.handle.state();
                show(self.wires(), version, shows, session, seat, &state);
                if seat.waiter.is_some() && state.status != Status::Analyzing {
                    ending.push(session.clone());
                } else if let Some(run) = &seat.run
                    && run.round.is_none()
                    && commands::is_over(&state)
                {
                    ending.push(session.clone());
                }
            }
        }
        for session in ending {
            self.end_waiting(&session).await;
        }
    }
}

/// Tells the editor what changed of our commands. Without a model the feature does not exist (rule D1), unless it did.
fn show(wires: &Wires, version: Version, shows: bool, session: &str, seat: &mut Seat, state: &State) {
    let no_model = state.status == Status::Off
        && state.reason.as_ref().is_some_and(|reason| reason.code == ReasonCode::NoModel);
    if (no_model && seat.shown.is_none()) || seat.conversation.is_replaying() {
        return;
    }
    let own = seat.yielded.then(|| Own(seat.suggestion.clone()));
    let next = seat.names.get(crate::names::Ours::Next).to_owned();
    let ready = state.offer.as_ref().filter(|offer| offer.current && own.is_none());
    let now = Shown {
        descriptions: Descriptions::new(state, own.as_ref(), &next),
        offer: state.offer.as_ref().map(|offer| offer.id),
        // A label cannot stand beside it there, so what needs one is not put there (rule D13).
        suggestion: ready
            .filter(|offer| shows && offer.kind.label().is_none())
            .map(|offer| offer.text.clone()),
    };
    if seat.shown.as_ref() == Some(&now) {
        return;
    }
    let before = seat.shown.as_ref().and_then(|shown| shown.suggestion.clone());
    // Before it is written: nobody can have seen it, and nobody is taken for too early.
    let at = Instant::now();
    if seat.shown.as_ref().is_none_or(|shown| shown.descriptions != now.descriptions) {
        wires.set_names(session, Some(seat.names.clone()));
        wires.tell_editor(&writing::commands(version, session, &seat.theirs, &seat.names, &now.descriptions));
    }
    if before != now.suggestion {
        wires.tell_editor(&writing::suggestions(version, session, now.suggestion.as_deref()));
    }
    if seat.shown.as_ref().is_none_or(|shown| shown.offer != now.offer) {
        seat.offer_shown_at = Some(at);
    }
    seat.shown = Some(now);
}

fn names_beside(theirs: &[Value]) -> Names {
    Names::beside(theirs.iter().filter_map(|command| command.get("name").and_then(Value::as_str)))
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SessionParams {
    session_id: Option<String>,
    cwd: Option<String>,
    reason: Option<String>,
    suggestion: Option<String>,
    client_capabilities: Option<Value>,
    capabilities: Option<Value>,
}

impl SessionParams {
    /// Version 1 and version 2 keep the editor's abilities under different names.
    fn shows_suggestions(&self) -> bool {
        [&self.client_capabilities, &self.capabilities]
            .into_iter()
            .flatten()
            .any(|abilities| abilities.pointer("/session/promptSuggestions").is_some_and(Value::is_object))
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UpdateParams {
    session_id: String,
    update: Value,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Agreed {
    protocol_version: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelRequest {
    request_id: RequestId,
}

#[derive(Debug, Deserialize)]
struct PromptParams {
    #[serde(default)]
    prompt: Vec<Value>,
}

impl PromptParams {
    /// What the human wrote, with the names of what was attached.
    fn text(&self) -> String {
        let words = |block: &Value| {
            let field = |name: &str| block.get(name).and_then(Value::as_str).map(str::to_owned);
            match field("type").as_deref() {
                Some("text") => field("text"),
                Some("resource_link") => field("name").map(|name| format!("[{name}]")),
                _ => None,
            }
        };
        self.prompt.iter().filter_map(words).collect()
    }
}
