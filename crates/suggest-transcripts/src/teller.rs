//! What every reader tells: turns, messages, tools, plans, goals and rewrites, in one order and within bounds.

use crate::json::clip;
use crate::ledger::{OwnPrompts, stable_hash};
use crate::tools::{Calls, behind_bridge};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use suggest_core::{
    Author, Chapter, EndReason, Event, Goal, GoalPhase, Message, Origin, PlanItem, Revision, SessionKind,
    Tool, Turn,
};
use suggest_host_dsh::{Output, ProblemKind, ToolCall};

/// The most bytes of text that are kept to be told again after a rewrite. A slice has at most 200,000 characters.
const MAX_BYTES: usize = 1024 * 1024;

/// The most events that are kept for that.
const MAX_KEPT: usize = 4096;

/// How many unknown types are counted by name; the rest share one entry.
const MAX_NAMES: usize = 64;
const REST: &str = "(others)";

/// The title of a chapter that a compaction made.
const COMPACTED: &str = "Compacted conversation";

/// Collects what the records of one session mean.
#[derive(Debug)]
pub(crate) struct Teller {
    out: Vec<Output>,
    session: SessionKind,
    own: OwnPrompts,
    prompt: Option<String>,
    /// The place of the record that is being read.
    at: u64,
    kept: VecDeque<(u64, Event)>,
    kept_bytes: usize,
    newest: Option<Turn>,
    open: Option<Turn>,
    ended: Option<Turn>,
    /// How the open turn ends unless something more comes: for harnesses that write no end.
    expected: Option<EndReason>,
    calls: Calls,
    asking: bool,
    permissions: u32,
    plan: Option<(u64, Vec<PlanItem>)>,
    goal: Option<Goal>,
    chapters: u64,
    background: u64,
    skipped: BTreeMap<String, u64>,
    lost: bool,
    problem: Option<ProblemKind>,
}

impl Teller {
    pub(crate) fn new(session: SessionKind, own: OwnPrompts, prompt: Option<String>) -> Self {
        Self {
            out: Vec::new(),
            session,
            own,
            prompt,
            at: 0,
            kept: VecDeque::new(),
            kept_bytes: 0,
            newest: None,
            open: None,
            ended: None,
            expected: None,
            calls: Calls::default(),
            asking: false,
            permissions: 0,
            plan: None,
            goal: None,
            chapters: 0,
            background: 0,
            skipped: BTreeMap::new(),
            lost: false,
            problem: None,
        }
    }

    // What drives the readers.

    /// Begins the next record and gives its place.
    pub(crate) fn next_record(&mut self) -> u64 {
        self.at = self.at.saturating_add(1);
        self.at
    }

    pub(crate) fn drain(&mut self) -> std::vec::Drain<'_, Output> {
        self.out.drain(..)
    }

    pub(crate) fn newest(&self) -> Option<Turn> {
        self.newest
    }

    pub(crate) fn ended(&self) -> Option<Turn> {
        self.ended
    }

    pub(crate) fn skipped(&self) -> &BTreeMap<String, u64> {
        &self.skipped
    }

    /// Whether a rewind went behind what was read.
    pub(crate) fn lost(&self) -> bool {
        self.lost
    }

    pub(crate) fn set_lost(&mut self) {
        self.lost = true;
    }

    pub(crate) fn session(&self) -> SessionKind {
        self.session
    }

    pub(crate) fn set_session(&mut self, session: SessionKind) {
        self.session = session;
    }

    /// Whether something still works or waits although the last turn has ended.
    pub(crate) fn is_waiting(&self) -> bool {
        self.open.is_some() && self.expected.is_none() || self.background > 0 || self.asking
    }

    pub(crate) fn set_background(&mut self, count: u64) {
        self.background = count;
    }

    // Turns.

    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// A turn begins. One that is still open did not get its end: it ended as expected, or its host died.
    pub(crate) fn start(&mut self, origin: Origin) {
        self.start_by(Some(origin));
    }

    /// A turn begins whose prompt is not in the stream: the person's if the caller gave it, else nobody knows whose.
    pub(crate) fn start_unseen(&mut self) {
        let origin = self.prompt.is_some().then_some(Origin::Human);
        self.start_by(origin);
    }

    fn start_by(&mut self, origin: Option<Origin>) {
        self.close();
        let turn = self.newest.map_or(Turn::new(1), Turn::next);
        self.newest = Some(turn);
        self.open = Some(turn);
        self.background = 0;
        self.tell(Event::TurnStarted { turn, origin });
        if let Some(prompt) = self.prompt.take()
            && origin == Some(Origin::Human)
        {
            self.message(Author::Human, &prompt, None);
        }
    }

    /// A turn begins, if none is open: its beginning is not written, or was not read.
    pub(crate) fn start_if_none(&mut self) {
        if self.open.is_none() {
            self.start_unseen();
        }
    }

    /// The turn ends. Nothing if none is open: the end was told by another record.
    pub(crate) fn end(&mut self, reason: EndReason) {
        self.expected = None;
        let Some(turn) = self.open.take() else { return };
        self.calls.forget_open();
        self.permissions = 0;
        self.tell_asking();
        self.ended = Some(turn);
        self.tell(Event::TurnEnded { turn, reason });
    }

    /// The turn is over if nothing more comes. An open tool call contradicts it.
    pub(crate) fn expect_end(&mut self, reason: EndReason) {
        if self.open.is_some() && !self.calls.any_open() {
            self.expected = Some(reason);
        }
    }

    pub(crate) fn expects_end(&self) -> bool {
        self.expected.is_some()
    }

    /// The turn goes on after all.
    pub(crate) fn go_on(&mut self) {
        self.expected = None;
    }

    /// Ends the open turn if its end was expected: nothing more came.
    pub(crate) fn settle(&mut self) {
        if let Some(reason) = self.expected.take() {
            self.end(reason);
        }
    }

    /// Ends the open turn, as expected or as one whose host died.
    pub(crate) fn close(&mut self) {
        if self.open.is_some() {
            let reason = self.expected.take().unwrap_or(EndReason::Interrupted);
            self.end(reason);
        }
    }

    // Messages.

    /// A prompt that starts a turn. Ours is known by the ledger (rule A7); in a subagent's session nobody is human.
    pub(crate) fn prompt(&mut self, text: &str, id: Option<&str>) {
        self.prompt = None;
        let author = self.author_of_prompt(text);
        self.start(match author {
            Author::Human => Origin::Human,
            Author::Suggest => Origin::Suggest,
            _ => Origin::Other,
        });
        self.message(author, text, id);
    }

    /// A prompt that came while a turn ran and was taken into it.
    pub(crate) fn steering(&mut self, text: &str, id: Option<&str>) {
        let author = self.author_of_prompt(text);
        if self.open.is_none() {
            return self.prompt(text, id);
        }
        self.prompt = None;
        self.go_on();
        self.message(author, text, id);
    }

    fn author_of_prompt(&self, text: &str) -> Author {
        if self.session == SessionKind::Subagent {
            Author::Notice
        } else if self.own.contains(text) {
            Author::Suggest
        } else {
            Author::Human
        }
    }

    /// What the worker said. It belongs to a turn, whether its beginning was read or not.
    pub(crate) fn assistant(&mut self, text: &str, id: Option<&str>) {
        if text.trim().is_empty() {
            return;
        }
        self.start_if_none();
        self.message(Author::Assistant, text, id);
    }

    /// A message with text; one without is no message.
    pub(crate) fn message(&mut self, author: Author, text: &str, id: Option<&str>) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let producer = match author {
            Author::Suggest => Some("suggest".to_owned()),
            Author::Notice if self.session == SessionKind::Subagent => Some("parent".to_owned()),
            _ => None,
        };
        let id = id.filter(|id| !id.is_empty() && id.len() <= 256).map(str::to_owned);
        self.tell_and_keep(Event::Message(Message { author, text: text.to_owned(), id, producer }));
    }

    // Tools, plans, questions.

    pub(crate) fn called(&mut self, id: &str, name: &str, arguments: &Value) {
        let (name, arguments) = behind_bridge(name, arguments);
        self.called_as(id, ToolCall::new(name, arguments), arguments);
    }

    pub(crate) fn called_as(&mut self, id: &str, call: ToolCall, arguments: &Value) {
        self.start_if_none();
        self.go_on();
        self.calls.called(id, call, arguments);
        self.tell_asking();
    }

    pub(crate) fn finished(&mut self, id: &str, output: &str, failed: bool) {
        let finished = self.calls.finished(id, output, failed);
        self.tell_asking();
        self.tell_and_keep(Event::Tool(finished.tool));
        if let Some(items) = finished.plan {
            self.plan(items);
        }
    }

    /// A tool call whose beginning and end are one record.
    pub(crate) fn tool(&mut self, call: ToolCall, output: &str, failed: bool) {
        self.start_if_none();
        self.go_on();
        self.tell_and_keep(Event::Tool(call.finish(output, failed)));
    }

    /// Drops a waiting call without telling it: another record told what it did.
    pub(crate) fn forget_call(&mut self, id: &str) {
        let _ = self.calls.finished(id, "", true);
        self.tell_asking();
    }

    pub(crate) fn knows_call(&self, id: &str) -> bool {
        self.calls.knows(id)
    }

    pub(crate) fn has_open_call(&self) -> bool {
        self.calls.any_open()
    }

    /// A permission dialog opened or closed.
    pub(crate) fn permission(&mut self, open: bool) {
        self.permissions =
            if open { self.permissions.saturating_add(1) } else { self.permissions.saturating_sub(1) };
        self.tell_asking();
    }

    fn tell_asking(&mut self) {
        let open = self.permissions > 0 || self.calls.any_asks();
        if open != self.asking {
            self.asking = open;
            self.tell(Event::Asking { open });
        }
    }

    pub(crate) fn plan(&mut self, items: Vec<PlanItem>) {
        if self.plan.as_ref().is_some_and(|(_, known)| *known == items) {
            return;
        }
        self.plan = Some((self.at, items.clone()));
        self.tell(Event::Plan { items });
    }

    // Goals. A goal of a log is never armed: whether something drives it ends with the process.

    pub(crate) fn goal(&mut self, objective: &str, phase: GoalPhase) {
        let id = format!("goal-{:016x}", stable_hash(objective));
        let revision = match &self.goal {
            Some(known) if known.id == id && known.phase == phase => return,
            Some(known) if known.id == id => known.revision.next(),
            _ => Revision::new(1),
        };
        let goal = Goal { id, revision, phase, armed: false, objective: objective.to_owned() };
        self.goal = Some(goal.clone());
        self.tell(Event::Goal(goal));
    }

    pub(crate) fn goal_cleared(&mut self) {
        if let Some(goal) = self.goal.take() {
            self.tell(Event::GoalCleared { id: goal.id });
        }
    }

    /// The objective of the goal that is not reached yet.
    pub(crate) fn objective(&self) -> Option<&str> {
        let goal = self.goal.as_ref()?;
        (goal.phase != GoalPhase::Complete).then_some(goal.objective.as_str())
    }

    // Rewrites.

    /// Everything behind a place is dead (rule S7). The open turn is over.
    pub(crate) fn rewound(&mut self, place: u64) {
        self.close();
        self.rewrite(|at| at <= place);
    }

    /// A compaction: only what `keep` names stays in force, and a summary follows as a chapter.
    pub(crate) fn compacted(&mut self, keep: impl Fn(u64) -> bool) {
        let plan = self.plan.clone();
        self.rewrite(keep);
        // The plan outlives a compaction: it is a state of the worker, no part of what was said.
        if self.plan.is_none()
            && let Some((at, items)) = plan
        {
            self.plan = Some((at, items.clone()));
            self.out.push(Output::History(Event::Plan { items }));
        }
    }

    fn rewrite(&mut self, keep: impl Fn(u64) -> bool) {
        self.kept.retain(|(at, _)| keep(*at));
        self.kept_bytes = self.kept.iter().map(|(_, event)| bytes(event)).sum();
        self.tell(Event::HistoryRewritten);
        for (_, event) in &self.kept {
            self.out.push(Output::History(without_id(event.clone())));
        }
        if let Some((at, items)) = self.plan.take()
            && keep(at)
        {
            self.out.push(Output::History(Event::Plan { items: items.clone() }));
            self.plan = Some((at, items));
        }
    }

    /// The conversation starts anew: cleared, or another one in the same stream.
    pub(crate) fn fresh(&mut self) {
        self.close();
        self.calls.clear();
        self.goal_cleared();
        if self.newest.is_some() || !self.kept.is_empty() {
            if self.plan.is_some() {
                self.plan(Vec::new());
            }
            self.plan = None;
            self.rewrite(|_| false);
        }
    }

    /// The list of what was said is replaced by another one, which is told next.
    pub(crate) fn replaced(&mut self) {
        self.rewrite(|_| false);
    }

    /// The summary of a compaction.
    pub(crate) fn chapter(&mut self, summary: &str) {
        if summary.trim().is_empty() {
            return;
        }
        self.chapters = self.chapters.saturating_add(1);
        self.tell_and_keep(Event::Chapter(Chapter {
            number: self.chapters,
            title: COMPACTED.to_owned(),
            summary: summary.trim().to_owned(),
        }));
    }

    /// A message that a rewrite left in force, or that is told again: history, and part of no turn.
    pub(crate) fn survivor(&mut self, author: Author, text: &str) {
        if !text.trim().is_empty() {
            self.again(Event::Message(Message::new(author, text.trim())));
        }
    }

    /// A prompt that a rewrite left in force.
    pub(crate) fn surviving_prompt(&mut self, text: &str) {
        self.survivor(self.author_of_prompt(text), text);
    }

    /// A tool call that a rewrite left in force.
    pub(crate) fn surviving_tool(&mut self, tool: Tool) {
        self.again(Event::Tool(tool));
    }

    fn again(&mut self, event: Event) {
        self.keep(&event);
        self.out.push(Output::History(event));
    }

    /// Says that the record is wrong: it is told with its place.
    pub(crate) fn problem(&mut self, kind: ProblemKind) {
        self.problem = Some(kind);
    }

    pub(crate) fn take_problem(&mut self) -> Option<ProblemKind> {
        self.problem.take()
    }

    /// Counts a record of an unknown type.
    pub(crate) fn skip(&mut self, kind: &str) {
        let name: String = clip(kind, 64).chars().filter(|c| !c.is_control()).collect();
        let known = self.skipped.contains_key(&name) || self.skipped.len() < MAX_NAMES;
        let entry = self.skipped.entry(if known { name } else { REST.to_owned() }).or_default();
        *entry = entry.saturating_add(1);
    }

    /// Tells an event of ours as it is.
    pub(crate) fn raw(&mut self, event: Event) {
        match &event {
            Event::TurnStarted { turn, .. } => {
                self.newest = self.newest.max(Some(*turn));
                self.open = Some(*turn);
            }
            Event::TurnEnded { turn, .. } => {
                self.newest = self.newest.max(Some(*turn));
                self.ended = Some(*turn);
                self.open = None;
            }
            _ => {}
        }
        self.tell(event);
    }

    fn tell(&mut self, event: Event) {
        self.out.push(Output::Live(event));
    }

    fn tell_and_keep(&mut self, event: Event) {
        self.keep(&event);
        self.tell(event);
    }

    fn keep(&mut self, event: &Event) {
        if !is_kept(event) {
            return;
        }
        self.kept_bytes = self.kept_bytes.saturating_add(bytes(event));
        self.kept.push_back((self.at, event.clone()));
        while self.kept.len() > 1 && (self.kept_bytes > MAX_BYTES || self.kept.len() > MAX_KEPT) {
            if let Some((_, oldest)) = self.kept.pop_front() {
                self.kept_bytes = self.kept_bytes.saturating_sub(bytes(&oldest));
            }
        }
    }
}

/// Whether an event is told again after a rewrite: what the core kept of it is gone by then.
fn is_kept(event: &Event) -> bool {
    match event {
        Event::Message(message) => {
            matches!(message.author, Author::Human | Author::Assistant | Author::Goal | Author::Suggest)
        }
        Event::Tool(_) | Event::Chapter(_) => true,
        _ => false,
    }
}

/// What is told again is no repetition to be ignored.
fn without_id(mut event: Event) -> Event {
    if let Event::Message(message) = &mut event {
        message.id = None;
    }
    event
}

fn bytes(event: &Event) -> usize {
    match event {
        Event::Message(message) => message.text.len(),
        Event::Tool(tool) => tool.summary.as_ref().map_or(0, String::len),
        Event::Chapter(chapter) => chapter.summary.len(),
        _ => 0,
    }
}
