//! Reads what the plugin says, in order, and has it done.

mod verbs;

use super::choice::ChoiceFile;
use super::error::SidecarError;
use super::frame::{Frame, Frames};
use super::link::{Link, LinkedHost, Numbers};
use super::message::{self, Incoming};
use super::options::SidecarOptions;
use super::outbox::Outbox;
use super::peer::Peer;
use super::protocol::{
    AskingParams, ChapterParams, CheckResult, CommandParams, ConfigParams, EventParams, GoalParams,
    HelloParams, HelloResult, HistoryParams, InboxParams, LogParams, MAX_LINE, OpenParams, PROTOCOL,
    SessionParams, StatusParams, code,
};
use super::routes::Routes;
use super::row::Row;
use super::session::{Watched, for_the_advisor, is_for_the_advisor, kind_of};
use super::shelf::{Keeper, Shelf};
use super::view::{Choice, View};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use suggest_core::{Chapter, Config, ModelSource, SessionSetup, Ticket};
use suggest_engine::{Engine, TransferPolicy};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long the end may take: saying goodbye to the engine's sessions, and writing what waits.
const GRACE: Duration = Duration::from_secs(2);

/// The most sessions that are watched at a time.
const MOST_SESSIONS: usize = 10_000;

/// Events between two pauses that let others run.
const BREATH: usize = 128;

/// What went over a sidecar's streams.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Served {
    /// Messages that were read.
    pub messages: u64,
    /// Lines that were no message of the protocol.
    pub garbage: u64,
    /// Lines that were skipped because they were too long.
    pub too_long: u64,
    /// Notifications about sessions that are not watched, or before `hello`.
    pub astray: u64,
    /// Answers that nobody waited for.
    pub late_answers: u64,
    /// Messages that were lost because the plugin did not read.
    pub lost: u64,
}

/// Serves one plugin until its input ends. When it returns, nothing of it is left running.
///
/// # Errors
///
/// When a stream breaks, or when the plugin stops reading and what waits for it stays at its bound.
pub async fn serve<R, W>(input: R, output: W, options: SidecarOptions) -> Result<Served, SidecarError>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let outbox = Arc::new(Outbox::default());
    let peer = Arc::new(Peer::new(Arc::clone(&outbox)));
    let routes = Arc::new(Routes::new(Arc::clone(&peer)));
    let shelf = Arc::new(Shelf::new(options.cards.clone()));
    let engine = Engine::builder()
        .resolver(Arc::clone(&routes) as Arc<dyn suggest_engine::Resolver>)
        .store(Arc::new(Keeper(Arc::clone(&shelf))))
        .transfer_policy(TransferPolicy::from_environment())
        .shutdown_grace(GRACE)
        .build()
        .map_err(SidecarError::Engine)?;
    let mut writer = tokio::spawn({
        let outbox = Arc::clone(&outbox);
        async move { outbox.write_to(output).await }
    });
    let mut server = Server::new(peer, routes, shelf, engine, options);
    let mut frames = Frames::new(input, MAX_LINE);
    let ended = loop {
        tokio::select! {
            frame = frames.next() => match frame {
                Ok(Some(frame)) => server.take(frame).await,
                Ok(None) => break Ok(()),
                Err(error) => break Err(SidecarError::Read(error)),
            },
            written = &mut writer => break written.unwrap_or(Ok(())),
        }
    };
    let served = server.end().await;
    outbox.close();
    if !writer.is_finished() && tokio::time::timeout(GRACE, &mut writer).await.is_err() {
        writer.abort();
        let _ = writer.await;
    }
    ended.map(|()| served)
}

struct Server {
    peer: Arc<Peer>,
    routes: Arc<Routes>,
    shelf: Arc<Shelf>,
    /// Has the shelf write the rest and stop.
    shelf_stops: CancellationToken,
    engine: Engine,
    options: SidecarOptions,
    view: Arc<View>,
    row: Config,
    greeted: bool,
    choice_file: Option<Arc<ChoiceFile>>,
    sessions: HashMap<String, Watched>,
    tasks: TaskTracker,
    served: Served,
    complained: Option<Instant>,
    since_breath: usize,
}

/// What is wrong with a request.
struct Refusal {
    code: i64,
    message: String,
}

impl Refusal {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl Server {
    fn new(
        peer: Arc<Peer>,
        routes: Arc<Routes>,
        shelf: Arc<Shelf>,
        engine: Engine,
        options: SidecarOptions,
    ) -> Self {
        let (tasks, shelf_stops) = (TaskTracker::new(), CancellationToken::new());
        tasks.spawn(Arc::clone(&shelf).work(shelf_stops.clone()));
        Self {
            peer,
            routes,
            shelf,
            shelf_stops,
            engine,
            options,
            view: Arc::default(),
            row: Config::default(),
            greeted: false,
            choice_file: None,
            sessions: HashMap::new(),
            tasks,
            served: Served::default(),
            complained: None,
            since_breath: 0,
        }
    }

    async fn take(&mut self, frame: Frame) {
        self.served.messages = self.served.messages.saturating_add(1);
        let incoming = match &frame {
            Frame::Line(line) => message::read(line),
            Frame::TooLong { head } => {
                self.served.too_long = self.served.too_long.saturating_add(1);
                self.log("warn", "a line over 8 MiB was skipped");
                message::read_head(head)
            }
        };
        let skipped = matches!(frame, Frame::TooLong { .. });
        drop(frame);
        match incoming {
            Incoming::Request { id, method, params } => {
                if let Err(refusal) = self.request(&id, &method, params).await {
                    self.answer(message::error(&id, refusal.code, &refusal.message));
                }
            }
            Incoming::Notification { method, params } => self.notification(&method, params).await,
            Incoming::Response { id, outcome } => self.peer.answered(id, outcome),
            Incoming::Invalid { id: Some(id), code } => {
                let what = if skipped { "the line is over 8 MiB" } else { "no message of JSON-RPC 2.0" };
                self.answer(message::error(&id, code, what));
            }
            Incoming::Invalid { id: None, code } => {
                self.served.garbage = self.served.garbage.saturating_add(1);
                let again = self.complained.is_none_or(|last| last.elapsed() >= Duration::from_secs(1));
                if again && !skipped {
                    self.complained = Some(Instant::now());
                    self.answer(message::error(&Value::Null, code, "a line is no message of JSON-RPC 2.0"));
                }
            }
        }
        self.breathe().await;
    }

    async fn request(&mut self, id: &Value, method: &str, params: Value) -> Result<(), Refusal> {
        match method {
            "hello" => {
                let result = self.hello(parameters(method, params)?).await?;
                self.answer(message::result(id, &result));
                Ok(())
            }
            "config/check" => {
                let params: ConfigParams = parameters(method, params)?;
                self.answer(message::result(id, &CheckResult { off: Row::read(&params.config).err() }));
                Ok(())
            }
            "command" if !self.greeted => Err(Refusal::new(code::NO_HELLO, "say `hello` first")),
            "command" => {
                let params: CommandParams = parameters(method, params)?;
                self.command(id, params).await;
                Ok(())
            }
            _ => Err(Refusal::new(code::METHOD, "no such method in protocol 1")),
        }
    }

    async fn hello(&mut self, hello: HelloParams) -> Result<HelloResult, Refusal> {
        if hello.protocol != PROTOCOL {
            return Err(Refusal::new(
                code::PROTOCOL,
                format!(
                    "this sidecar (suggest {}) speaks protocol {PROTOCOL} and the plugin speaks {}; install the same version of both",
                    env!("CARGO_PKG_VERSION"),
                    hello.protocol
                ),
            ));
        }
        tracing::info!(
            plugin = hello.plugin.version.as_deref().unwrap_or_default(),
            host = hello.host.version.as_deref().unwrap_or_default(),
            host_name = %hello.host.name,
            plugin_name = %hello.plugin.name,
            "hello"
        );
        self.greeted = true;
        let home = hello.home.filter(|home| !home.is_empty()).map(PathBuf::from);
        if self.choice_file.is_none()
            && let Some(home) = home.or_else(|| self.options.host_home.clone())
        {
            let file = Arc::new(ChoiceFile::in_home(&home));
            let reader = Arc::clone(&file);
            match tokio::task::spawn_blocking(move || reader.read()).await {
                Ok(Ok(Some(model))) => self.view.choose(Choice::Model(model)),
                Ok(Ok(None)) => {}
                Ok(Err(_)) | Err(_) => {
                    self.log(
                        "warn",
                        "suggest/choice.json cannot be read and is ignored; set the model again",
                    );
                }
            }
            self.choice_file = Some(file);
        }
        self.configure(&hello.config).await;
        Ok(HelloResult {
            protocol: PROTOCOL,
            product: "suggest",
            version: env!("CARGO_PKG_VERSION"),
            off: self.view.off(),
        })
    }

    async fn notification(&mut self, method: &str, params: Value) {
        if !self.greeted {
            self.served.astray = self.served.astray.saturating_add(1);
            return;
        }
        let read = match method {
            "session/open" => match parameters(method, params) {
                Ok(params) => {
                    self.open(params).await;
                    Ok(())
                }
                Err(refusal) => Err(refusal),
            },
            "session/history" => match parameters(method, params) {
                Ok(params) => {
                    self.history(params).await;
                    Ok(())
                }
                Err(refusal) => Err(refusal),
            },
            "session/ready" => parameters(method, params).map(|params| self.ready(&params)),
            "session/event" => parameters(method, params).map(|params| self.event(params)),
            "session/status" => parameters(method, params).map(|params: StatusParams| {
                if let Some(session) = self.session(&params.session) {
                    session.status(params);
                }
            }),
            "session/inbox" => parameters(method, params).map(|params: InboxParams| {
                if let Some(session) = self.session(&params.session) {
                    session.inbox(&params);
                }
            }),
            "session/goal" => parameters(method, params).map(|params: GoalParams| {
                if let Some(session) = self.session(&params.session) {
                    session.goal(params.goal);
                }
            }),
            "session/asking" => parameters(method, params).map(|params: AskingParams| {
                if let Some(session) = self.session(&params.session) {
                    session.asking(params.open);
                }
            }),
            "session/chapter" => parameters(method, params).map(|params: ChapterParams| {
                if let Some(session) = self.session(&params.session) {
                    session.chapter(Chapter {
                        number: params.number,
                        title: params.title,
                        summary: params.summary,
                    });
                }
            }),
            "session/closed" => parameters(method, params).map(|params: SessionParams| {
                self.sessions.remove(&params.session);
                #[cfg(feature = "client")]
                self.routes.own.forget(&params.session);
            }),
            "config" => match parameters::<ConfigParams>(method, params) {
                Ok(params) => {
                    self.configure(&params.config).await;
                    Ok(())
                }
                Err(refusal) => Err(refusal),
            },
            _ => Err(Refusal::new(code::METHOD, "a notification of no known method was ignored")),
        };
        if let Err(refusal) = read {
            self.served.garbage = self.served.garbage.saturating_add(1);
            self.log("warn", &refusal.message);
        }
    }

    /// Begins to watch a session, or to watch it anew: then its numbers go on from wherever they were highest.
    async fn open(&mut self, open: OpenParams) {
        let mut numbers = Numbers {
            next_offer: open.next_offer.max(1),
            next_ticket: open.next_ticket.max(1),
            spent_rounds: open.spent_rounds,
        };
        if let Some(before) = self.sessions.remove(&open.session) {
            let known = before.link.numbers();
            numbers.next_offer = numbers.next_offer.max(known.next_offer);
            numbers.next_ticket = numbers.next_ticket.max(known.next_ticket);
            numbers.spent_rounds = numbers.spent_rounds.max(known.spent_rounds);
        }
        if self.sessions.len() >= MOST_SESSIONS {
            self.log("warn", "too many sessions are open; a new one is not watched");
            return;
        }
        let source = match self.view.choice() {
            Choice::Model(_) => ModelSource::Command,
            Choice::Row | Choice::Cleared => ModelSource::Config,
        };
        let folder = open.header.get("cwd").and_then(Value::as_str).map(str::to_owned);
        self.shelf.knows(&open.session, folder.as_deref());
        let book = self.shelf.book_of(&open.session).await;
        let advisor_only = is_for_the_advisor(&open);
        let setup = SessionSetup::new(open.session.clone())
            .with_kind(kind_of(&open), advisor_only)
            .with_folders(folder, self.options.person_home.clone())
            .with_model_source(source)
            .resuming(numbers.next_offer, Ticket::new(numbers.next_ticket), numbers.spent_rounds);
        let setup = match book {
            Some(book) => setup.with_cards(book),
            None => setup,
        };
        let link = Arc::new(Link::new(
            &open.session,
            Arc::clone(&self.peer),
            Arc::clone(&self.view),
            open.human_epoch,
            numbers,
        ));
        let host = Arc::new(LinkedHost(Arc::clone(&link)));
        let config = self.view.config(&self.row);
        let config = if advisor_only { for_the_advisor(config) } else { config };
        let handle = self.engine.open_session(setup, config, host);
        handle.set_advisor_config_error(self.view.off().map(|off| off.message));
        self.sessions.insert(open.session.clone(), Watched::new(open, handle, link, Arc::clone(&self.shelf)));
    }

    async fn history(&mut self, params: HistoryParams) {
        for event in params.events {
            let Some(session) = self.session(&params.session) else { return };
            session.history(event);
            self.breathe().await;
        }
    }

    fn ready(&mut self, params: &SessionParams) {
        let tasks = self.tasks.clone();
        let Some(session) = self.session(&params.session) else { return };
        if !session.ready() {
            return;
        }
        let (mut watch, link) = (session.handle.watch(), Arc::clone(&session.link));
        let follower = tasks.spawn(async move {
            while let Some(state) = watch.changed().await {
                link.publish(&state);
            }
        });
        session.followed_by(follower.abort_handle());
    }

    fn event(&mut self, params: EventParams) {
        // The plugin leaves out what no voice reads, so that gaps in the log's numbers say nothing.
        if let Some(session) = self.session(&params.session) {
            session.event(params.event);
        }
    }

    /// Takes a row over, for all sessions.
    async fn configure(&mut self, raw: &Value) {
        match Row::read(raw) {
            Ok(row) => {
                self.view.set_off(None);
                #[cfg(feature = "client")]
                self.routes.own.set(row.own);
                self.row = row.config;
            }
            Err(off) => {
                self.log("error", &off.message);
                self.view.set_off(Some(off));
                #[cfg(feature = "client")]
                self.routes.own.set(None);
                self.row = Config::default();
            }
        }
        self.routes.efforts.forget();
        let config = self.view.config(&self.row);
        let wrong = self.view.off().map(|off| off.message);
        for session in self.sessions.values_mut() {
            session.reconfigure(config.clone()).await;
            session.handle.set_advisor_config_error(wrong.clone());
            session.link.publish(&session.handle.state());
        }
    }

    fn session(&mut self, id: &str) -> Option<&mut Watched> {
        let session = self.sessions.get_mut(id);
        if session.is_none() {
            self.served.astray = self.served.astray.saturating_add(1);
        }
        session
    }

    fn answer(&self, line: String) {
        // A full queue loses it: the plugin gives up on its own, and the writer says when it is over.
        let _ = self.peer.outbox.push(line);
    }

    fn log(&self, level: &'static str, message: &str) {
        tracing::warn!(message);
        self.peer.notify("log", &LogParams { level, message });
    }

    /// Lets others run now and then, however much the plugin has to say.
    async fn breathe(&mut self) {
        self.since_breath = self.since_breath.saturating_add(1);
        if self.since_breath >= BREATH {
            self.since_breath = 0;
            tokio::task::yield_now().await;
        }
    }

    /// Ends everything, in an order in which nobody waits for somebody who is gone.
    async fn end(mut self) -> Served {
        self.peer.close();
        self.sessions.clear();
        self.engine.shutdown().await;
        self.shelf_stops.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        Served { late_answers: self.peer.late(), lost: self.peer.outbox.lost(), ..self.served }
    }
}

fn parameters<T: DeserializeOwned>(method: &str, params: Value) -> Result<T, Refusal> {
    serde_json::from_value(params).map_err(|_| {
        Refusal::new(code::PARAMS, format!("the parameters of `{method}` do not fit protocol 1"))
    })
}
