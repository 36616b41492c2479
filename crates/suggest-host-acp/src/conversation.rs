//! From an agent's updates to the events of one session.
//!
//! Words are put together and told when the turn ends, so that a message that is replaced later is told once, as it
//! stands (version 2 does that), and no half message is ever read as a whole one.

use crate::reading::{ToolChange, Update};
use std::collections::HashMap;
use suggest_core::{Author, EndReason, Event, Message, Origin, Tool, Turn};

/// Words of one turn that are kept; of more, the oldest are told or dropped.
const MOST_WORDS: usize = 256 * 1024;
/// Tool calls of one turn that may be under way.
const MOST_TOOLS: usize = 256;

/// Whether an event is news (rule D15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Now,
    Past,
}

/// What one session says, turn by turn.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    turn: Turn,
    open: bool,
    replaying: bool,
    said: Vec<Said>,
    tools: HashMap<String, ToolChange>,
    events: Vec<(When, Event)>,
}

#[derive(Debug)]
struct Said {
    author: Author,
    message: Option<String>,
    text: String,
    /// Nothing without an id of its own is added any more.
    closed: bool,
}

impl Conversation {
    /// The events since the last call, in order.
    pub(crate) fn take(&mut self) -> Vec<(When, Event)> {
        std::mem::take(&mut self.events)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    pub(crate) fn is_replaying(&self) -> bool {
        self.replaying
    }

    fn when(&self) -> When {
        if self.replaying { When::Past } else { When::Now }
    }

    fn tell(&mut self, event: Event) {
        self.events.push((self.when(), event));
    }

    /// What comes now is the past, told again.
    pub(crate) fn begin_replay(&mut self) {
        self.end(EndReason::Interrupted);
        self.said.clear();
        self.replaying = true;
    }

    /// The past is told. What it left open is over: an agent that has just loaded a session does nothing in it.
    pub(crate) fn end_replay(&mut self) {
        if self.replaying {
            self.end(EndReason::Completed);
            self.replaying = false;
            self.tell(Event::Idle);
        }
    }

    /// A turn begins with these words of this author, if somebody's words began it.
    pub(crate) fn begin(&mut self, origin: Origin, words: Option<(Author, String)>) {
        self.end(EndReason::Interrupted);
        self.tell_said();
        self.turn = self.turn.next();
        self.open = true;
        self.tell(Event::Busy);
        self.tell(Event::TurnStarted { turn: self.turn, origin: Some(origin) });
        if let Some((author, text)) = words {
            self.tell(Event::Message(Message::new(author, text)));
        }
    }

    /// Words of the human that came into a running turn.
    pub(crate) fn absorb(&mut self, text: String) {
        self.tell_said();
        self.tell(Event::Message(Message::new(Author::Human, text)));
    }

    /// The turn ends, if one is open.
    pub(crate) fn end(&mut self, reason: EndReason) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        self.tell_said();
        self.tools.clear();
        self.tell(Event::TurnEnded { turn: self.turn, reason });
    }

    /// Copies were lost: what was put together so far may have holes.
    pub(crate) fn forget_pieces(&mut self) {
        self.said.clear();
        self.tools.clear();
    }

    /// Takes what concerns the conversation itself.
    pub(crate) fn update(&mut self, update: Update) {
        match update {
            Update::AgentChunk { message, text } => self.say(Author::Assistant, message, &text),
            Update::AgentMessage { message, text } => self.set(Author::Assistant, message, text),
            Update::UserChunk { message, text, notice } => {
                // Outside the past these are echoes of prompts that we saw ourselves, or notices.
                if self.replaying {
                    let author = if notice { Author::Notice } else { Author::Human };
                    self.past_turn(author, message.as_deref());
                    self.say(author, message, &text);
                }
            }
            Update::UserMessage { message, text } => {
                if self.replaying {
                    self.past_turn(Author::Human, Some(&message));
                    self.set(Author::Human, message, text);
                }
            }
            Update::Tool(change) => self.tool(change),
            Update::Plan(items) => self.tell(Event::Plan { items }),
            Update::Commands(_)
            | Update::Suggestion(_)
            | Update::State(_)
            | Update::ReplayComplete
            | Update::Other => {}
        }
    }

    /// In the past, a human's message after another's words begins a turn.
    fn past_turn(&mut self, author: Author, message: Option<&str>) {
        let goes_on = self.said.last().is_some_and(|last| {
            last.author == author && !last.closed && (last.message.as_deref() == message)
        });
        if goes_on || author != Author::Human {
            return;
        }
        let first_words = self.open && self.said.iter().all(|said| said.author == Author::Human);
        if first_words && !self.said.is_empty() {
            return;
        }
        self.end(EndReason::Completed);
        self.tell_said();
        self.turn = self.turn.next();
        self.open = true;
        self.tell(Event::TurnStarted { turn: self.turn, origin: Some(Origin::Human) });
    }

    fn say(&mut self, author: Author, message: Option<String>, text: &str) {
        let known = match &message {
            Some(id) => self.said.iter_mut().rev().find(|said| said.message.as_ref() == Some(id)),
            None => self
                .said
                .last_mut()
                .filter(|said| said.author == author && said.message.is_none() && !said.closed),
        };
        match known {
            Some(said) => said.text.push_str(text),
            None if text.is_empty() => {}
            None => self.said.push(Said { author, message, text: text.to_owned(), closed: false }),
        }
        self.stay_small();
    }

    fn set(&mut self, author: Author, message: String, text: String) {
        match self.said.iter_mut().find(|said| said.message.as_ref() == Some(&message)) {
            Some(said) => said.text = text,
            None => self.said.push(Said { author, message: Some(message), text, closed: false }),
        }
        self.stay_small();
    }

    fn tool(&mut self, change: ToolChange) {
        if let Some(last) = self.said.last_mut() {
            last.closed = true;
        }
        if let Some(items) = change.plan.clone() {
            self.tell(Event::Plan { items });
        }
        if self.tools.len() >= MOST_TOOLS && !self.tools.contains_key(&change.call) {
            return;
        }
        let known = self.tools.entry(change.call.clone()).or_default();
        known.name = change.name.or(known.name.take());
        known.title = change.title.or(known.title.take());
        known.kind = change.kind.or(known.kind);
        known.files = change.files.filter(|files| !files.is_empty()).or(known.files.take());
        let Some(ok) = change.over else { return };
        let Some(done) = self.tools.remove(&change.call) else { return };
        let name = done.name.or(done.kind.map(str::to_owned)).unwrap_or_else(|| "tool".to_owned());
        self.tell(Event::Tool(Tool {
            name,
            summary: done.title,
            files: done.files.unwrap_or_default(),
            ok: Some(ok),
        }));
    }

    /// Tells what was said so far, in order.
    fn tell_said(&mut self) {
        for said in std::mem::take(&mut self.said) {
            if !said.text.trim().is_empty() {
                self.tell(Event::Message(Message::new(said.author, said.text)));
            }
        }
    }

    fn stay_small(&mut self) {
        let mut total: usize = self.said.iter().map(|said| said.text.len()).sum();
        while total > MOST_WORDS && self.said.len() > 1 {
            let oldest = self.said.remove(0);
            total -= oldest.text.len();
            self.tell(Event::Message(Message::new(oldest.author, oldest.text)));
        }
        if total > MOST_WORDS
            && let Some(only) = self.said.first_mut()
        {
            // The end of a long message says what was done.
            let least = only.text.len() - MOST_WORDS / 2;
            let from = only.text.char_indices().map(|(at, _)| at).find(|at| *at >= least).unwrap_or_default();
            only.text.drain(..from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn chunk(message: Option<&str>, text: &str) -> Update {
        Update::AgentChunk { message: message.map(str::to_owned), text: text.to_owned() }
    }

    fn words(conversation: &mut Conversation) -> Vec<(When, Author, String)> {
        let events = conversation.take().into_iter();
        events
            .filter_map(|(when, event)| match event {
                Event::Message(message) => Some((when, message.author, message.text)),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn chunks_make_messages_which_a_tool_call_or_another_id_parts() {
        let mut conversation = Conversation::default();
        conversation.begin(Origin::Human, Some((Author::Human, "go".into())));
        for update in [
            chunk(None, "I "),
            chunk(None, "look."),
            Update::Tool(ToolChange { call: "c".into(), ..ToolChange::default() }),
            chunk(None, "Done"),
            chunk(None, "."),
            chunk(Some("m"), "More"),
            chunk(Some("n"), "Last"),
            chunk(Some("m"), " of it"),
        ] {
            conversation.update(update);
        }
        conversation.end(EndReason::Completed);
        let said: Vec<String> = words(&mut conversation).into_iter().map(|(_, _, text)| text).collect();
        assert_eq!(said, ["go", "I look.", "Done.", "More of it", "Last"]);
    }

    #[test]
    fn a_message_that_is_replaced_is_told_as_it_stands_f208() {
        let mut conversation = Conversation::default();
        conversation.begin(Origin::Human, None);
        conversation.update(Update::AgentMessage { message: "m".into(), text: "A".into() });
        conversation.update(chunk(Some("m"), "B"));
        conversation.update(Update::AgentMessage { message: "m".into(), text: "C".into() });
        conversation.end(EndReason::Completed);
        assert_eq!(words(&mut conversation), [(When::Now, Author::Assistant, "C".into())]);
    }

    #[test]
    fn a_replay_is_the_past_with_a_turn_for_each_prompt_d15() {
        let mut conversation = Conversation::default();
        conversation.begin_replay();
        let user = |text: &str, notice| Update::UserChunk { message: None, text: text.into(), notice };
        for update in [
            user("first ", false),
            user("prompt", false),
            chunk(None, "first answer"),
            user("a task ended", true),
            user("second prompt", false),
            chunk(None, "second answer"),
        ] {
            conversation.update(update);
        }
        conversation.end_replay();
        let (turn, origin) = (Turn::new, Some(Origin::Human));
        let say = |author, text: &str| Event::Message(Message::new(author, text));
        let mut expected: Vec<(When, Event)> = vec![
            Event::TurnStarted { turn: turn(1), origin },
            say(Author::Human, "first prompt"),
            say(Author::Assistant, "first answer"),
            say(Author::Notice, "a task ended"),
            Event::TurnEnded { turn: turn(1), reason: EndReason::Completed },
            Event::TurnStarted { turn: turn(2), origin },
            say(Author::Human, "second prompt"),
            say(Author::Assistant, "second answer"),
            Event::TurnEnded { turn: turn(2), reason: EndReason::Completed },
        ]
        .into_iter()
        .map(|event| (When::Past, event))
        .collect();
        expected.push((When::Now, Event::Idle));
        assert_eq!(conversation.take(), expected);
    }

    #[test]
    fn a_tool_is_told_once_it_is_over_with_what_was_said_of_it() {
        let mut conversation = Conversation::default();
        conversation.begin(Origin::Human, None);
        conversation.take();
        let change = |change: ToolChange| Update::Tool(ToolChange { call: "c".into(), ..change });
        conversation.update(change(ToolChange {
            title: Some("bash".into()),
            kind: Some("execute"),
            files: Some(vec!["src".into()]),
            ..ToolChange::default()
        }));
        conversation.update(change(ToolChange { title: Some("echo hi".into()), ..ToolChange::default() }));
        assert_eq!(conversation.take(), []);
        conversation.update(change(ToolChange { over: Some(true), ..ToolChange::default() }));
        conversation.update(change(ToolChange { over: Some(true), ..ToolChange::default() }));
        let tool = Tool {
            name: "execute".into(),
            summary: Some("echo hi".into()),
            files: vec!["src".into()],
            ok: Some(true),
        };
        let told = conversation.take();
        assert_eq!(told.first(), Some(&(When::Now, Event::Tool(tool))));
    }

    #[test]
    fn what_one_turn_says_is_bounded_and_its_end_stays() {
        let mut conversation = Conversation::default();
        conversation.begin(Origin::Human, None);
        for _ in 0..2_000 {
            conversation.update(chunk(None, &"ä".repeat(1_000)));
        }
        conversation.update(chunk(None, "the end"));
        assert!(conversation.said.iter().map(|said| said.text.len()).sum::<usize>() <= MOST_WORDS);
        conversation.end(EndReason::Completed);
        assert!(words(&mut conversation).last().is_some_and(|(_, _, text)| text.ends_with("the end")));
    }
}
