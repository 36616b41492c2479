//! The two streams that somebody can be written to, and the one queue that copies go into.

use crate::envelope::{OwnIds, PromptCall};
use crate::names::Names;
use crate::queue::Queue;
use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A stream that can be written to from any thread.
pub(crate) type Out = Box<dyn Write + Send>;

/// A copy of something that passed, or something that was held back.
#[derive(Debug)]
pub(crate) enum Seen {
    /// A line of the editor, which went on to the agent.
    Editor(Vec<u8>),
    /// A prompt or a cancellation of the editor, which went on to the agent: the how manyth act of the human.
    Act { line: Vec<u8>, session: String, number: u64 },
    /// A prompt of the editor that is a command of ours; it went nowhere.
    Held(HeldLine),
    /// A line of the agent, which went on to the editor.
    Agent(Vec<u8>),
    /// The agent's answer to a request of ours; it went nowhere.
    OwnAnswer(Vec<u8>),
}

/// A prompt that is a command of ours.
#[derive(Debug)]
pub(crate) struct HeldLine {
    /// The whole line.
    pub(crate) line: Vec<u8>,
    /// What was read of it.
    pub(crate) call: PromptCall,
    /// Which command it is, by our own name for it, and what stood behind it.
    pub(crate) command: crate::names::Spoken,
    /// When it came.
    pub(crate) at: Instant,
}

/// Sessions whose acts are counted; with more of them the counting begins afresh, which only refuses rounds.
const COUNTED_SESSIONS: usize = 1_024;

/// The way to the agent, and how often the human acted in each session: whoever writes compares and writes in one step
/// (rule A3).
#[derive(Default)]
pub(crate) struct ToAgent {
    out: Option<Out>,
    acts: HashMap<String, u64>,
    all_acts: u64,
}

impl ToAgent {
    /// Counts an act of the human in a session, and gives its number.
    pub(crate) fn act(&mut self, session: &str) -> u64 {
        self.all_acts = self.all_acts.saturating_add(1);
        if self.acts.len() >= COUNTED_SESSIONS && !self.acts.contains_key(session) {
            self.acts.clear();
        }
        self.acts.insert(session.to_owned(), self.all_acts);
        self.all_acts
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        write(self.out.as_mut(), bytes)
    }
}

/// Why something was not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotWritten {
    /// The human acted meanwhile.
    #[error("you acted meanwhile")]
    Overtaken,
    /// The agent takes nothing any more.
    #[error("the agent is gone")]
    Gone,
}

/// What the relays and the director share.
pub(crate) struct Wires {
    agent: Mutex<ToAgent>,
    editor: Mutex<Option<Out>>,
    /// Copies for the director.
    pub(crate) queue: Queue<Seen>,
    /// The ids of our own requests.
    pub(crate) ids: OwnIds,
    /// What our commands are called, by session. A session that is not in it has none.
    names: Mutex<HashMap<String, Arc<Names>>>,
}

impl Wires {
    pub(crate) fn new(editor: Out, agent: Out) -> Self {
        Self {
            agent: Mutex::new(ToAgent { out: Some(agent), ..ToAgent::default() }),
            editor: Mutex::new(Some(editor)),
            queue: Queue::new(),
            ids: OwnIds::new(),
            names: Mutex::default(),
        }
    }

    pub(crate) fn agent(&self) -> MutexGuard<'_, ToAgent> {
        self.agent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn editor(&self) -> MutexGuard<'_, Option<Out>> {
        self.editor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a line of ours to the editor. One who is gone is told nothing.
    pub(crate) fn tell_editor(&self, line: &[u8]) {
        let _ = write(self.editor().as_mut(), line);
    }

    /// Writes a line of ours to the agent, if the last act of the human in the session is the one that the director saw
    /// last; the editor is told before.
    pub(crate) fn tell_agent(
        &self,
        session: &str,
        seen: u64,
        to_editor: &[u8],
        to_agent: &[u8],
    ) -> Result<(), NotWritten> {
        let mut agent = self.agent();
        if agent.acts.get(session).copied().unwrap_or_default() != seen {
            return Err(NotWritten::Overtaken);
        }
        if agent.out.is_none() {
            return Err(NotWritten::Gone);
        }
        self.tell_editor(to_editor);
        agent.write(to_agent).map_err(|_| NotWritten::Gone)
    }

    /// Ends the agent's input, as an editor that goes away does.
    pub(crate) fn hang_up(&self) {
        self.agent().out = None;
    }

    pub(crate) fn names_of(&self, session: &str) -> Option<Arc<Names>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).get(session).cloned()
    }

    /// From now on these are our commands in a session, or none.
    pub(crate) fn set_names(&self, session: &str, names: Option<Names>) {
        let mut all = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        match names {
            Some(names) => {
                all.insert(session.to_owned(), Arc::new(names));
            }
            None => {
                all.remove(session);
            }
        }
    }

    /// There are no commands of ours any more, in no session.
    pub(crate) fn forget_names(&self) {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Writes whole lines at once, so that nothing comes between their bytes.
pub(crate) fn write(out: Option<&mut Out>, bytes: &[u8]) -> io::Result<()> {
    let out = out.ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))?;
    out.write_all(bytes)?;
    out.flush()
}
