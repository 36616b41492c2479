//! The sessions of one connection, as the director sees them, and what their turns do to them.
//!
//! The director's task and the engine's calls to its host both work here, one at a time, and nobody waits while holding
//! the lock.

use crate::conversation::{Conversation, When};
use crate::names::Names;
use crate::wires::{NotWritten, Wires};
use crate::words::Descriptions;
use crate::writing::{self, Ended, Version};
use agent_client_protocol_schema::v1::RequestId;
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use suggest_core::{Author, EndReason, Event, Goal, OfferId, Origin};
use suggest_engine::SessionHandle;

/// Permission dialogs of one session that may be open.
const MOST_DIALOGS: usize = 64;

/// A prompt of the editor that we answer ourselves.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) id: RequestId,
    pub(crate) line: Vec<u8>,
    /// When it came.
    pub(crate) at: Instant,
}

/// A prompt that is at the agent.
#[derive(Debug)]
struct AtAgent {
    id: RequestId,
    origin: Origin,
    text: String,
}

/// A loop inside its prompt.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) held: Held,
    /// The round that is at the agent.
    pub(crate) round: Option<RequestId>,
    pub(crate) rounds: u32,
    pub(crate) cancelled: bool,
}

/// What the editor was last told of our commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) descriptions: Descriptions,
    pub(crate) offer: Option<OfferId>,
    /// The suggestion that was put where the next prompt is written.
    pub(crate) suggestion: Option<String>,
}

/// One session.
pub(crate) struct Seat {
    pub(crate) handle: SessionHandle,
    pub(crate) conversation: Conversation,
    /// The number of the human's newest act that the director saw.
    pub(crate) acts: u64,
    prompts: VecDeque<AtAgent>,
    dialogs: HashSet<RequestId>,
    /// A turn runs that no prompt started.
    pub(crate) background: bool,
    /// The agent's own commands.
    pub(crate) theirs: Vec<Value>,
    pub(crate) names: Names,
    pub(crate) shown: Option<Shown>,
    /// When the editor was told of the offer that it shows now.
    pub(crate) offer_shown_at: Option<Instant>,
    /// The agent's own suggestion for the next prompt.
    pub(crate) suggestion: Option<String>,
    /// Ours is quiet, because the agent suggests by itself.
    pub(crate) yielded: bool,
    /// The human wants ours all the same.
    pub(crate) ours_wanted: bool,
    pub(crate) goal: Option<Goal>,
    /// Runs the offer.
    pub(crate) click: Option<Held>,
    /// Waits for a generation.
    pub(crate) waiter: Option<Held>,
    pub(crate) run: Option<Run>,
    pub(crate) used: u64,
}

impl Seat {
    pub(crate) fn new(handle: SessionHandle) -> Self {
        Self {
            handle,
            conversation: Conversation::default(),
            acts: 0,
            prompts: VecDeque::new(),
            dialogs: HashSet::new(),
            background: false,
            theirs: Vec::new(),
            names: Names::beside(std::iter::empty()),
            shown: None,
            offer_shown_at: None,
            suggestion: None,
            yielded: false,
            ours_wanted: false,
            goal: None,
            click: None,
            waiter: None,
            run: None,
            used: 0,
        }
    }

    /// Hands on what the conversation has to tell.
    pub(crate) fn feed(&mut self) {
        for (when, event) in self.conversation.take() {
            match when {
                When::Now => self.handle.event(event),
                When::Past => self.handle.history(event),
            }
        }
    }

    pub(crate) fn is_busy(&self) -> bool {
        !self.prompts.is_empty() || self.background
    }

    /// A prompt went to the agent.
    pub(crate) fn prompted(&mut self, id: RequestId, origin: Origin, text: String) {
        self.suggestion = None;
        if std::mem::take(&mut self.background) {
            self.conversation.end(EndReason::Interrupted);
        }
        self.prompts.push_back(AtAgent { id, origin, text });
        match self.prompts.len() {
            0 | 1 => self.begin_front(),
            more => self.handle.event(Event::HumanQueued { count: count(more - 1) }),
        }
    }

    fn begin_front(&mut self) {
        let Some(front) = self.prompts.front() else { return };
        let author = match front.origin {
            Origin::Suggest => Author::Suggest,
            Origin::Human | Origin::Goal | Origin::Advisor | Origin::Other => Author::Human,
        };
        self.conversation.begin(front.origin, Some((author, front.text.clone())));
        self.feed();
    }

    /// The agent answered a prompt, which ends its turn (version 1).
    pub(crate) fn answered(&mut self, id: &RequestId, reason: EndReason) {
        match self.prompts.iter().position(|prompt| prompt.id == *id) {
            Some(0) => self.front_ended(reason),
            Some(at) => {
                // It was taken into the turn that runs.
                if let Some(prompt) = self.prompts.remove(at) {
                    self.conversation.absorb(prompt.text);
                    self.feed();
                    self.handle
                        .event(Event::HumanQueued { count: count(self.prompts.len().saturating_sub(1)) });
                }
            }
            None => {}
        }
    }

    fn front_ended(&mut self, reason: EndReason) {
        self.close_dialogs();
        self.conversation.end(reason);
        self.feed();
        let ended = self.prompts.pop_front();
        if let (Some(run), Some(ended)) = (&mut self.run, &ended)
            && run.round.as_ref() == Some(&ended.id)
        {
            run.round = None;
        }
        if self.prompts.is_empty() {
            self.handle.event(Event::Idle);
            return;
        }
        self.handle.event(Event::HumanQueued { count: count(self.prompts.len() - 1) });
        self.begin_front();
    }

    /// The session rests and says how its work ended (version 2): all prompts at the agent are done.
    pub(crate) fn rested(&mut self, reason: EndReason) {
        while self.prompts.len() > 1 {
            if let Some(prompt) = self.prompts.remove(1) {
                self.conversation.absorb(prompt.text);
            }
        }
        if self.prompts.is_empty() {
            self.background_ended(reason);
        } else {
            self.front_ended(reason);
        }
    }

    /// A turn begins that no prompt started.
    pub(crate) fn background_began(&mut self) {
        if !self.is_busy() && !self.conversation.is_replaying() {
            self.background = true;
            self.conversation.begin(Origin::Other, None);
            self.feed();
        }
    }

    pub(crate) fn background_ended(&mut self, reason: EndReason) {
        if std::mem::take(&mut self.background) {
            self.close_dialogs();
            self.conversation.end(reason);
            self.feed();
            self.handle.event(Event::Idle);
        }
    }

    /// The agent asks the human.
    pub(crate) fn dialog_opened(&mut self, id: RequestId) {
        if self.dialogs.len() < MOST_DIALOGS && self.dialogs.insert(id) && self.dialogs.len() == 1 {
            self.handle.event(Event::Asking { open: true });
        }
    }

    /// The human answered one of the agent's questions.
    pub(crate) fn dialog_closed(&mut self, id: &RequestId) -> bool {
        let was_open = self.dialogs.remove(id);
        if was_open && self.dialogs.is_empty() {
            self.handle.event(Event::Asking { open: false });
        }
        was_open
    }

    fn close_dialogs(&mut self) {
        if !self.dialogs.is_empty() {
            self.dialogs.clear();
            self.handle.event(Event::Asking { open: false });
        }
    }

    /// The prompts that we still have to answer.
    pub(crate) fn unanswered(&mut self) -> Vec<Held> {
        let run = self.run.take().map(|run| run.held);
        [self.click.take(), self.waiter.take(), run].into_iter().flatten().collect()
    }
}

fn count(prompts: usize) -> u32 {
    u32::try_from(prompts).unwrap_or(u32::MAX)
}

/// Everything that is known of a connection.
#[derive(Default)]
pub(crate) struct Sessions {
    pub(crate) version: Version,
    /// The editor shows suggestions where the next prompt is written.
    pub(crate) shows_suggestions: bool,
    pub(crate) seats: HashMap<String, Seat>,
    next_message: u64,
}

/// The sessions behind their lock, and the way to both sides.
pub(crate) struct Desk {
    pub(crate) wires: Arc<Wires>,
    sessions: Mutex<Sessions>,
}

impl Desk {
    pub(crate) fn new(wires: Arc<Wires>) -> Self {
        Self { wires, sessions: Mutex::default() }
    }

    /// A panic while the lock is held ends the director; what is left is only answered and closed.
    pub(crate) fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers all prompts that are held, since nobody will.
    pub(crate) fn give_up(&self, why: &str) {
        let mut sessions = self.sessions();
        for seat in sessions.seats.values_mut() {
            for held in seat.unanswered() {
                self.wires.tell_editor(&writing::error(held.id, why));
            }
        }
    }
}

impl Sessions {
    /// An id for a message of ours in the conversation.
    pub(crate) fn message_id(&mut self) -> String {
        self.next_message = self.next_message.saturating_add(1);
        format!("suggest-{}", self.next_message)
    }

    /// Says something in a session, as a message of its own.
    pub(crate) fn say(&mut self, wires: &Wires, session: &str, text: &str) {
        let message = self.message_id();
        wires.tell_editor(&writing::words(self.version, session, &message, text));
    }

    /// Takes a prompt on, so that the editor knows that it is worked on (version 2).
    pub(crate) fn accept(&mut self, wires: &Wires, session: &str, held: &Held, prompt: &str) {
        let message = self.message_id();
        let bytes = writing::accept(self.version, session, &held.id, prompt, &message);
        if !bytes.is_empty() {
            wires.tell_editor(&bytes);
        }
    }

    /// Answers a prompt that was taken on.
    pub(crate) fn reply(&mut self, wires: &Wires, session: &str, held: Held, text: &str, ended: Ended) {
        let message = self.message_id();
        let mut bytes = Vec::new();
        if !text.is_empty() {
            bytes = writing::words(self.version, session, &message, text);
        }
        bytes.extend(writing::finish(self.version, session, held.id, ended));
        wires.tell_editor(&bytes);
    }

    /// Sends the human's own prompt to the agent with the text of a suggestion, under the editor's own id, and shows the
    /// text before.
    pub(crate) fn click(
        &mut self,
        wires: &Wires,
        session: &str,
        held: Held,
        text: &str,
    ) -> Result<(), String> {
        let (version, message) = (self.version, self.message_id());
        let Some(seat) = self.seats.get_mut(session) else { return Err("the session is closed".to_owned()) };
        let Some(line) = writing::prompt_with_text(&held.line, text) else {
            self.reply(wires, session, held, "This prompt could not be read.", Ended::Done);
            return Err("the prompt could not be read".to_owned());
        };
        let shown = writing::words(version, session, &message, &crate::words::sent(text));
        match wires.tell_agent(session, seat.acts, &shown, &line) {
            Ok(()) => {
                seat.prompted(held.id, Origin::Human, text.to_owned());
                Ok(())
            }
            Err(error) => {
                self.reply(wires, session, held, &format!("Nothing was sent: {error}."), Ended::Done);
                Err(error.to_string())
            }
        }
    }

    /// Starts a round of the loop: shows what it is, and sends it under an id of ours.
    pub(crate) fn round(
        &mut self,
        wires: &Wires,
        session: &str,
        text: &str,
        most: u32,
    ) -> Result<(), String> {
        let (version, message) = (self.version, self.message_id());
        let Some(seat) = self.seats.get_mut(session) else { return Err("the session is closed".to_owned()) };
        let Some(run) = seat.run.as_mut().filter(|run| !run.cancelled) else {
            return Err("no prompt is open in which a round could be seen".to_owned());
        };
        if run.round.is_some() {
            return Err("a round is running".to_owned());
        }
        let id = wires.ids.next();
        let title = crate::words::round(run.rounds.saturating_add(1), most, text);
        let shown = writing::words(version, session, &message, &title);
        let line = writing::prompt(version, id.clone(), session, text);
        wires.tell_agent(session, seat.acts, &shown, &line).map_err(|error: NotWritten| error.to_string())?;
        run.rounds = run.rounds.saturating_add(1);
        run.round = Some(id.clone());
        seat.prompted(id, Origin::Suggest, text.to_owned());
        Ok(())
    }
}
