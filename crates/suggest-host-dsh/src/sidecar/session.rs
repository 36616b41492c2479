//! One watched session: what the plugin tells of it becomes what the core is told.

use super::link::Link;
use super::protocol::{AgentStatus, InboxKind, InboxParams, OpenParams, StatusParams, Waiting};
use super::shelf::Shelf;
use crate::fold::Output;
use crate::live::{LiveFold, PendingSizes};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use suggest_core::{Chapter, Command, CommandOutput, Config, EndReason, Event, SessionKind};
use suggest_engine::SessionHandle;
use tokio::task::AbortHandle;

/// The most files of one turn that are remembered.
const MOST_FILES: usize = 200;

/// The most chapters of another plugin that are remembered; the newest stay.
const MOST_CHAPTERS: usize = 64;

/// A session that is watched.
#[derive(Debug)]
pub(crate) struct Watched {
    fold: LiveFold,
    pub(crate) handle: SessionHandle,
    pub(crate) link: Arc<Link>,
    shelf: Arc<Shelf>,
    workspace: Option<String>,
    /// The files that the tools of the running turn named, as cards name them.
    files: Vec<String>,
    /// The chapters of another plugin, by number.
    chapters: BTreeMap<u64, Chapter>,
    /// Tells the plugin of changes.
    follower: Option<AbortHandle>,
    /// What the plugin told when it opened the session, until the past is told.
    opening: Option<Opening>,
    /// Waiting prompts of the human, as the core was told.
    humans_told: u32,
    asking_in_log: bool,
    asking_in_host: bool,
    asking_told: bool,
    /// Whether a person set or cleared the model in this session.
    pub(crate) commanded: bool,
    advisor_only: bool,
}

#[derive(Debug)]
struct Opening {
    status: AgentStatus,
    goal: Option<Value>,
    inbox: Waiting,
}

/// What kind of session it is: only a root that nobody delegated, with a person before it, is interactive (rule D12).
pub(crate) fn kind_of(open: &OpenParams) -> SessionKind {
    let delegated = open.header.get("origin").is_some_and(|origin| !origin.is_null())
        || open.header.get("delegationDepth").and_then(Value::as_u64).unwrap_or(0) > 0;
    match (open.root && !delegated, open.web) {
        (false, _) => SessionKind::Subagent,
        (true, true) => SessionKind::Interactive,
        (true, false) => SessionKind::Headless,
    }
}

/// Whether only the advisor speaks there: nothing else has a place without a page (rule D12).
pub(crate) fn is_for_the_advisor(open: &OpenParams) -> bool {
    open.advisor_only && kind_of(open) == SessionKind::Headless
}

/// The configuration in which only the advisor speaks. A guess of the next prompt has no place without a page, either.
pub(crate) fn for_the_advisor(mut config: Config) -> Config {
    config.prompt_model = None;
    config.cards.enabled = false;
    config.summary.enabled = false;
    config.advisor.next_prompt = false;
    config
}

impl Watched {
    pub(crate) fn new(open: OpenParams, handle: SessionHandle, link: Arc<Link>, shelf: Arc<Shelf>) -> Self {
        Self {
            advisor_only: is_for_the_advisor(&open),
            fold: LiveFold::new(kind_of(&open)),
            handle,
            link,
            shelf,
            workspace: open.header.get("cwd").and_then(Value::as_str).map(str::to_owned),
            files: Vec::new(),
            chapters: BTreeMap::new(),
            follower: None,
            opening: Some(Opening { status: open.status, goal: open.goal, inbox: open.inbox }),
            humans_told: 0,
            asking_in_log: false,
            asking_in_host: false,
            asking_told: false,
            commanded: false,
        }
    }

    /// Takes an event of the past.
    pub(crate) fn history(&mut self, event: Value) {
        self.tell(|fold, sink| fold.seed(event, sink));
    }

    /// The past is told: what the host knows beyond its log comes next, the goal with its activation first. It is news
    /// that triggers nothing, for no turn ends with it. Gives whether the session was not live before.
    pub(crate) fn ready(&mut self) -> bool {
        let Some(opening) = self.opening.take() else { return false };
        let goal = opening.goal.unwrap_or(Value::Null);
        self.tell(|fold, sink| fold.goal_view(&goal, sink));
        self.tell_chapters();
        self.humans_wait(opening.inbox.human);
        let running = opening.status == AgentStatus::Running;
        self.tell(|fold, sink| fold.status(running, Some(sizes(opening.inbox)), sink));
        self.link.go_live();
        true
    }

    /// Who tells the plugin of changes; it ends with the session.
    pub(crate) fn followed_by(&mut self, follower: AbortHandle) {
        self.follower = Some(follower);
    }

    /// Takes an event that was appended just now. Before the past is told it belongs to it.
    pub(crate) fn event(&mut self, event: Value) {
        if self.opening.is_some() {
            self.history(event);
        } else {
            self.tell(|fold, sink| fold.session_event(event, sink));
        }
    }

    /// The agent became idle or busy. Everything that came before is known by now.
    pub(crate) fn status(&mut self, params: StatusParams) {
        if let Some(opening) = &mut self.opening {
            opening.status = params.status;
            opening.goal = params.goal.or(opening.goal.take());
            opening.inbox = params.inbox.unwrap_or(opening.inbox);
            self.link.saw_epoch(params.human_epoch);
            return;
        }
        if let Some(goal) = params.goal {
            self.tell(|fold, sink| fold.goal_view(&goal, sink));
        }
        self.humans_wait(params.inbox.map_or(0, |inbox| inbox.human));
        self.link.saw_epoch(params.human_epoch);
        let running = params.status == AgentStatus::Running;
        self.tell(|fold, sink| fold.status(running, params.inbox.map(sizes), sink));
    }

    /// A message entered or left the queue. The log's splices tell what waits; this is the earliest sign of a prompt of
    /// the human, and the core hears of it before the plugin's count is taken over (rule A3).
    pub(crate) fn inbox(&mut self, params: &InboxParams) {
        let human = params.source.get("kind").and_then(Value::as_str) == Some("user");
        if params.kind == InboxKind::Inserted && human && self.fold.session_kind() != SessionKind::Subagent {
            self.humans_wait(params.human);
        }
        self.link.saw_epoch(params.human_epoch);
    }

    /// The host's view of the goal.
    pub(crate) fn goal(&mut self, goal: Option<Value>) {
        match &mut self.opening {
            Some(opening) => opening.goal = goal,
            None => {
                let goal = goal.unwrap_or(Value::Null);
                self.tell(|fold, sink| fold.goal_view(&goal, sink));
            }
        }
    }

    /// A dialog of the host opened or closed.
    pub(crate) fn asking(&mut self, open: bool) {
        self.asking_in_host = open;
        self.tell_asking();
    }

    /// Takes a chapter of another plugin, for as long as the session is watched: a rewrite of the log takes none away.
    pub(crate) fn chapter(&mut self, chapter: Chapter) {
        self.chapters.insert(chapter.number, chapter.clone());
        if self.chapters.len() > MOST_CHAPTERS {
            self.chapters.pop_first();
        }
        if self.opening.is_none() {
            self.handle.event(Event::Chapter(chapter));
        }
    }

    fn tell_chapters(&self) {
        for chapter in self.chapters.values() {
            self.handle.event(Event::Chapter(chapter.clone()));
        }
    }

    /// Performs an act of the human.
    pub(crate) async fn command(&self, command: Command) -> CommandOutput {
        self.handle.command(command).await
    }

    /// Takes over a changed configuration. Where a person set or cleared the model by command, a command takes its place:
    /// the configuration alone would not win over it.
    pub(crate) async fn reconfigure(&mut self, config: Config) {
        let config = if self.advisor_only { for_the_advisor(config) } else { config };
        let current = self.handle.state().model.as_ref().map(|model| model.id.clone());
        if self.commanded && current != config.prompt_model {
            let command = match &config.prompt_model {
                Some(id) => Command::SetModel(id.clone()),
                None => Command::ClearModel,
            };
            self.handle.command(command).await;
        }
        self.handle.set_config(config);
    }

    /// So many prompts of the human wait at least.
    fn humans_wait(&mut self, count: u32) {
        if self.opening.is_none() && count > self.humans_told {
            self.humans_told = count;
            self.handle.event(Event::HumanQueued { count });
        }
    }

    fn tell(&mut self, fold: impl FnOnce(&mut LiveFold, &mut dyn FnMut(Output))) {
        let mut outputs = Vec::new();
        fold(&mut self.fold, &mut |output| outputs.push(output));
        let rewritten = outputs.iter().any(|output| matches!(output, Output::Live(Event::HistoryRewritten)));
        for output in outputs {
            match output {
                Output::History(event) => self.handle.history(event),
                Output::Live(Event::Asking { open }) => {
                    self.asking_in_log = open;
                    self.tell_asking();
                }
                Output::Live(event) => {
                    self.follow_files(&event);
                    match event {
                        Event::HumanQueued { count } => self.humans_told = count,
                        // A turn that ended asks nothing any more.
                        Event::TurnEnded { .. } => self.asking_in_host = false,
                        _ => {}
                    }
                    self.handle.event(event);
                    self.tell_asking();
                }
            }
        }
        if rewritten {
            self.tell_chapters();
        }
    }

    /// A turn that completes makes cards of other sessions in the folder stale that name its files (rule C6).
    fn follow_files(&mut self, event: &Event) {
        match event {
            Event::TurnStarted { .. } => self.files.clear(),
            Event::Tool(tool) => {
                let room = MOST_FILES.saturating_sub(self.files.len());
                let named = tool.files.iter().take(room);
                self.files.extend(named.map(|file| relative(file, self.workspace.as_deref())));
            }
            Event::TurnEnded { turn, reason: EndReason::Completed } => {
                let files = std::mem::take(&mut self.files);
                if !files.is_empty() {
                    self.shelf.turn_completed(self.handle.id(), *turn, files);
                }
            }
            _ => {}
        }
    }

    fn tell_asking(&mut self) {
        let open = self.asking_in_log || self.asking_in_host;
        if self.opening.is_none() && open != self.asking_told {
            self.asking_told = open;
            self.handle.event(Event::Asking { open });
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(follower) = &self.follower {
            follower.abort();
        }
        self.link.close();
        self.handle.close();
    }
}

/// A path as cards name it.
fn relative(file: &str, workspace: Option<&str>) -> String {
    let inside = workspace.and_then(|workspace| file.strip_prefix(workspace.trim_end_matches('/')));
    inside.and_then(|rest| rest.strip_prefix('/')).unwrap_or(file).to_owned()
}

fn sizes(waiting: Waiting) -> PendingSizes {
    PendingSizes { turn: u64::from(waiting.human).saturating_add(u64::from(waiting.other)), step: 0 }
}
