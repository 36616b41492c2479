//! The fold itself.

use super::asking::{Asking, asks};
use super::author::{Source, is_conversation, of_user_message};
use super::content::text_of;
use super::goal::GoalTracker;
use super::inbox::Inbox;
use super::kinds::{Skipped, is_without_meaning};
use super::plan;
use super::raw::{Raw, Replaces, clip, text_field};
use super::surface::Surface;
use super::tools::Calls;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, VecDeque};
use suggest_core::{Author, Chapter, EndReason, Event, Message, PlanItem, SessionKind, Turn};

/// The title of a chapter that a compaction made.
const COMPACTED: &str = "Compacted conversation";

/// The most commands that wait for their result.
const MAX_COMMANDS: usize = 64;

/// One host-neutral event, and whether it is news.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// It happens now: feed it to the core as an event.
    Live(Event),
    /// It is of the past, or told again after a rewrite: feed it to the core as history (rules D15, S7).
    History(Event),
}

impl Output {
    /// The event, news or not.
    #[must_use]
    pub fn into_event(self) -> Event {
        match self {
            Self::Live(event) | Self::History(event) => event,
        }
    }
}

/// Folds raw session events of one session into host-neutral events.
///
/// Give it every event in the order of the log. It does no IO and keeps a bounded part of what it saw, whatever the
/// length of the session. Event types that it does not know are counted and skipped; payloads that it cannot read
/// give nothing.
#[derive(Debug)]
pub struct Fold {
    session: SessionKind,
    live: bool,
    /// Whether the events may begin in the middle of a turn.
    from_the_middle: bool,
    inbox: Inbox,
    calls: Calls,
    commands: VecDeque<(String, String)>,
    surface: Surface,
    goal: GoalTracker,
    asking: Asking,
    asking_told: bool,
    humans_told: u32,
    plan: Option<Vec<PlanItem>>,
    /// The newest summary of a compaction: its sequence number and text.
    summary: Option<(u64, String)>,
    next_seq: u64,
    open_turn: Option<Turn>,
    last_turn: Option<Turn>,
    last_ended_turn: Option<Turn>,
    skipped: Skipped,
}

impl Fold {
    /// A fold of a log: everything that it gives is [`Output::History`].
    #[must_use]
    pub fn of_log(session: SessionKind) -> Self {
        Self {
            session,
            live: false,
            from_the_middle: false,
            inbox: Inbox::default(),
            calls: Calls::default(),
            commands: VecDeque::new(),
            surface: Surface::default(),
            goal: GoalTracker::default(),
            asking: Asking::default(),
            asking_told: false,
            humans_told: 0,
            plan: None,
            summary: None,
            next_seq: 0,
            open_turn: None,
            last_turn: None,
            last_ended_turn: None,
            skipped: Skipped::default(),
        }
    }

    /// A fold of a running session: [`Fold::push`] gives [`Output::Live`], [`Fold::push_history`] gives history.
    #[must_use]
    pub fn of_live(session: SessionKind) -> Self {
        Self { live: true, ..Self::of_log(session) }
    }

    /// Folds the next event. `sink` takes what it means, in order.
    pub fn push(&mut self, event: Value, sink: &mut dyn FnMut(Output)) {
        let live = self.live;
        self.fold(event, live, sink);
    }

    /// Folds an event of the past of a running session: a log that was loaded, or a resynchronisation.
    pub fn push_history(&mut self, event: Value, sink: &mut dyn FnMut(Output)) {
        self.fold(event, false, sink);
    }

    /// How often each unknown event type was skipped. At most 64 types are named.
    #[must_use]
    pub fn skipped(&self) -> &BTreeMap<String, u64> {
        self.skipped.counts()
    }

    /// The turn that runs.
    #[must_use]
    pub fn open_turn(&self) -> Option<Turn> {
        self.open_turn
    }

    /// The newest turn that began.
    #[must_use]
    pub fn last_turn(&self) -> Option<Turn> {
        self.last_turn
    }

    /// The newest turn that ended.
    #[must_use]
    pub fn last_ended_turn(&self) -> Option<Turn> {
        self.last_ended_turn
    }

    /// Says that the next event may stand in the middle of a turn, whose number is then taken from the events.
    pub(crate) fn goes_on_in_the_middle(&mut self) {
        self.from_the_middle = true;
    }

    pub(crate) fn session(&self) -> SessionKind {
        self.session
    }

    pub(crate) fn set_session(&mut self, session: SessionKind) {
        self.session = session;
    }

    pub(crate) fn goal(&mut self) -> &mut GoalTracker {
        &mut self.goal
    }

    pub(crate) fn inbox(&mut self) -> &mut Inbox {
        &mut self.inbox
    }

    fn fold(&mut self, event: Value, news: bool, sink: &mut dyn FnMut(Output)) {
        let Some(raw) = Raw::from_value(event) else {
            self.skipped.count("");
            return;
        };
        let mut tell = Tell { sink, news };
        if self.from_the_middle
            && self.last_turn.is_none()
            && raw.kind != "turn/start"
            && let Some(turn) = raw.turn().map(Turn::new)
        {
            self.open(turn);
            tell.now(Event::TurnStarted { turn, origin: None });
        }
        self.read(raw, &mut tell);
        if news {
            self.tell_waiting(&mut tell);
        }
    }

    fn read(&mut self, mut raw: Raw, tell: &mut Tell<'_>) {
        let seq = raw.seq.unwrap_or(self.next_seq);
        self.next_seq = seq.saturating_add(1);
        match raw.kind.as_str() {
            "turn/start" => {
                if let Some(turn) = raw.turn().map(Turn::new) {
                    self.open(turn);
                    tell.now(Event::TurnStarted { turn, origin: self.inbox.next_origin() });
                }
            }
            "turn/end" => {
                if let Some(turn) = raw.turn().map(Turn::new) {
                    self.open_turn = None;
                    self.last_turn = self.last_turn.max(Some(turn));
                    self.last_ended_turn = Some(turn);
                    self.calls.clear();
                    self.asking.clear();
                    tell.now(Event::TurnEnded { turn, reason: end_reason(raw.data.get("reason")) });
                }
            }
            "user/message" => {
                let message = raw.take_message();
                let source = of_user_message(message.get("source"), self.session);
                match raw.replaces {
                    Some(range) if source.compaction => self.compacted(seq, message, range, tell),
                    replaces => self.on_surface(seq, replaces, written(message, &source), tell),
                }
            }
            "assistant/message" => {
                let message = raw.take_message();
                let source = Source { author: Author::Assistant, producer: None, compaction: false };
                let event = written(message, &source);
                self.on_surface(seq, raw.replaces, event, tell);
            }
            "system/message" => self.on_surface(seq, raw.replaces, None, tell),
            "tool/call" => {
                if let (Some(id), Some(true)) =
                    (text_field(&raw.data, "callId"), text_field(&raw.data, "name").map(asks))
                {
                    self.asking.opened(id);
                }
                self.calls.called(&raw.data);
            }
            "tool/result" => {
                let (id, tool) = self.calls.finished(raw.data);
                if let Some(id) = id {
                    self.asking.closed(&id);
                }
                self.on_surface(seq, raw.replaces, Some(Event::Tool(tool)), tell);
            }
            "approval/asked" => self.asking.opened(text_field(&raw.data, "id").unwrap_or_default()),
            "approval/decided" => self.asking.closed(text_field(&raw.data, "id").unwrap_or_default()),
            "agent/inbox/spliced" => self.inbox.splice(&raw.data, self.session),
            "goal/change" => {
                if let Some(event) = self.goal.change(&raw.data, tell.news) {
                    tell.now(event);
                }
            }
            "todo/write" => {
                if let Some(items) = plan::items(&raw.data) {
                    self.plan = Some(items.clone());
                    tell.now(Event::Plan { items });
                }
            }
            "compaction/summary" => {
                let text = text_of(raw.data.remove("summary"));
                self.summary = (!text.trim().is_empty()).then_some((seq, text));
            }
            "command/run" => self.command_run(&raw.data),
            "command/done" => {
                if let Some(event) = self.command_done(&mut raw.data) {
                    tell.now(event);
                }
            }
            "step/start" => {}
            kind if is_without_meaning(kind) => {}
            kind => self.skipped.count(kind),
        }
    }

    fn open(&mut self, turn: Turn) {
        self.open_turn = Some(turn);
        self.last_turn = self.last_turn.max(Some(turn));
    }

    /// Puts what a surface event means on the surface, and tells it: by itself where it was added, with everything
    /// that is left where it took the place of conversation (rule S7).
    fn on_surface(
        &mut self,
        seq: u64,
        replaces: Option<Replaces>,
        event: Option<Event>,
        tell: &mut Tell<'_>,
    ) {
        let Some(range) = replaces else {
            let kept = event.as_ref().filter(|event| is_told_again(event)).cloned();
            self.surface.append(seq, kept);
            if let Some(event) = event {
                tell.now(event);
            }
            return;
        };
        let rewritten = self.surface.peek(range).conversation;
        self.surface.replace(range, seq, event.filter(is_told_again));
        if rewritten {
            self.tell_rewrite(tell);
        }
    }

    /// The host's compaction put its summary in the place of older messages: the summary is a chapter.
    fn compacted(&mut self, seq: u64, mut message: Map<String, Value>, range: Replaces, tell: &mut Tell<'_>) {
        let replaced = self.surface.peek(range);
        let (number, summary) = match self.summary.take() {
            Some(summary) => summary,
            None => (seq, unwrapped(&text_of(message.remove("content"))).to_owned()),
        };
        // A summary that covers an earlier summary takes its place.
        let number = replaced.chapter.unwrap_or(number);
        let chapter = Chapter { number, title: COMPACTED.to_owned(), summary };
        self.surface.replace(range, seq, Some(Event::Chapter(chapter)));
        self.tell_rewrite(tell);
    }

    fn tell_rewrite(&self, tell: &mut Tell<'_>) {
        tell.now(Event::HistoryRewritten);
        for event in self.surface.told_again() {
            tell.again(event);
        }
        if let Some(items) = &self.plan {
            tell.again(Event::Plan { items: items.clone() });
        }
    }

    fn command_run(&mut self, data: &Map<String, Value>) {
        let (Some(id), Some(name)) = (text_field(data, "commandId"), text_field(data, "name")) else {
            return;
        };
        if self.commands.len() >= MAX_COMMANDS {
            self.commands.pop_front();
        }
        self.commands.push_back((clip(id, 128), clip(name, 128)));
    }

    /// The result of a command. What our own command printed is no news to us.
    fn command_done(&mut self, data: &mut Map<String, Value>) -> Option<Event> {
        let Some(Value::String(text)) = data.remove("text") else { return None };
        let id = clip(text_field(data, "commandId")?, 128);
        let place = self.commands.iter().position(|(known, _)| *known == id);
        let name = place.and_then(|place| self.commands.remove(place)).map(|(_, name)| name);
        if text.trim().is_empty() || name.as_deref() == Some("suggest") {
            return None;
        }
        Some(Event::Message(Message { author: Author::Command, text, id: Some(id), producer: name }))
    }

    /// Tells what waits for the human or comes from the human, where it changed. Only a running host can say so.
    fn tell_waiting(&mut self, tell: &mut Tell<'_>) {
        let open = self.asking.is_open();
        if open != self.asking_told {
            self.asking_told = open;
            tell.now(Event::Asking { open });
        }
        let count = self.inbox.humans();
        if count != self.humans_told {
            self.humans_told = count;
            tell.now(Event::HumanQueued { count });
        }
    }

    /// Forgets the queue, because the host says that nothing waits.
    pub(crate) fn nothing_waits(&mut self, sink: &mut dyn FnMut(Output)) {
        self.inbox.clear();
        self.tell_waiting(&mut Tell { sink, news: true });
    }
}

/// Where events go.
struct Tell<'a> {
    sink: &'a mut dyn FnMut(Output),
    news: bool,
}

impl Tell<'_> {
    fn now(&mut self, event: Event) {
        (self.sink)(if self.news { Output::Live(event) } else { Output::History(event) });
    }

    fn again(&mut self, event: Event) {
        (self.sink)(Output::History(event));
    }
}

/// A message with text. One without, such as a step that only calls tools, is no message.
fn written(mut message: Map<String, Value>, source: &Source) -> Option<Event> {
    let text = text_of(message.remove("content"));
    if text.trim().is_empty() {
        return None;
    }
    let id = match message.remove("id") {
        Some(Value::String(id)) if !id.is_empty() && id.len() <= 256 => Some(id),
        _ => None,
    };
    Some(Event::Message(Message { author: source.author, text, id, producer: source.producer.clone() }))
}

/// Whether an event is told again after a rewrite: what the core kept of it is gone by then.
fn is_told_again(event: &Event) -> bool {
    match event {
        Event::Message(message) => is_conversation(message.author) || message.author == Author::Advisor,
        Event::Tool(_) | Event::Chapter(_) => true,
        _ => false,
    }
}

/// The summary inside the host's wrapper, for a log that has no separate summary.
fn unwrapped(text: &str) -> &str {
    let inner = text.split_once("<compacted-summary>").map_or(text, |(_, inner)| inner);
    inner.rsplit_once("</compacted-summary>").map_or(inner, |(inner, _)| inner).trim()
}

/// How a turn ended. An end that nobody knows did not complete.
fn end_reason(reason: Option<&Value>) -> EndReason {
    let kind =
        reason.and_then(|reason| reason.get("kind").and_then(Value::as_str).or_else(|| reason.as_str()));
    match kind {
        Some("completed") => EndReason::Completed,
        Some("aborted") => EndReason::Aborted,
        Some("blocked") => EndReason::Blocked,
        Some("max-tokens") => EndReason::Limited,
        Some("interrupted" | "forked") => EndReason::Interrupted,
        _ => EndReason::Failed,
    }
}
