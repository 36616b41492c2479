//! A whole proxy between two pairs of streams.

use crate::desk::Desk;
use crate::director::Director;
use crate::relay::{WayEnd, agent_to_editor, editor_to_agent};
use crate::wires::{Out, Wires};
use std::io::{BufReader, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;
use suggest_core::{Config, ModelSource};
use suggest_engine::EngineBuilder;

/// Says something to the person that started the proxy, on standard error or in a log. Never session text.
pub type Notice = Arc<dyn Fn(&str) + Send + Sync>;

/// Bytes that a relay reads at a time.
const READ_AHEAD: usize = 64 * 1024;

/// What the director of a proxy works with.
pub struct Setup {
    /// How models are found. Store and observer are the proxy's own.
    pub engine: EngineBuilder,
    /// The configuration of every session. Only the director has a place in the protocol: the advisor, the cards and the
    /// summary are off here.
    pub config: Config,
    /// Where the configured model's name came from.
    pub model_source: ModelSource,
    /// The person's home folder; it is scrubbed (rule P2).
    pub home: Option<String>,
    /// Who is told when something is not right.
    pub notice: Notice,
}

/// What happened to a proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProxyEvent {
    /// The editor sends nothing more.
    EditorEnded,
    /// The editor takes nothing more.
    EditorGone,
    /// The agent sends nothing more.
    AgentEnded,
    /// The agent takes nothing more.
    AgentGone,
}

/// A proxy at work: two threads that carry lines, and one in which the director reads the copies.
pub struct Proxy {
    wires: Arc<Wires>,
    events: Receiver<ProxyEvent>,
    director_done: Receiver<()>,
}

impl Proxy {
    /// Starts to carry lines between an editor and an agent. A director that cannot start is said, and the lines are
    /// carried all the same.
    #[must_use]
    pub fn start(
        from_editor: impl Read + Send + 'static,
        to_editor: impl Write + Send + 'static,
        from_agent: impl Read + Send + 'static,
        to_agent: impl Write + Send + 'static,
        setup: Setup,
    ) -> Self {
        let (to_editor, to_agent): (Out, Out) = (Box::new(to_editor), Box::new(to_agent));
        let wires = Arc::new(Wires::new(to_editor, to_agent));
        let director_done = start_director(setup, &wires);
        let (sender, events) = channel();
        let (way, tell) = (Arc::clone(&wires), sender.clone());
        start("suggest-acp-in", &sender, ProxyEvent::EditorEnded, move || {
            let end = editor_to_agent(BufReader::with_capacity(READ_AHEAD, from_editor), &way);
            let _ = tell.send(match end {
                WayEnd::SourceEnded => ProxyEvent::EditorEnded,
                WayEnd::TargetGone => ProxyEvent::AgentGone,
            });
        });
        let (way, tell) = (Arc::clone(&wires), sender.clone());
        start("suggest-acp-out", &sender, ProxyEvent::AgentEnded, move || {
            let end = agent_to_editor(BufReader::with_capacity(READ_AHEAD, from_agent), &way);
            let _ = tell.send(match end {
                WayEnd::SourceEnded => ProxyEvent::AgentEnded,
                WayEnd::TargetGone => ProxyEvent::EditorGone,
            });
        });
        Self { wires, events, director_done }
    }

    /// Waits for the next event, at most so long.
    #[must_use]
    pub fn wait(&self, most: Duration) -> Option<ProxyEvent> {
        self.events.recv_timeout(most).ok()
    }

    /// Ends the agent's input, as an editor that goes away does.
    pub fn hang_up(&self) {
        self.wires.hang_up();
    }

    /// Ends the director: prompts that it still holds are answered with an error, and its calls are cancelled. Waits at
    /// most so long for that.
    pub fn finish(self, most: Duration) {
        self.wires.queue.close();
        let _ = self.director_done.recv_timeout(most);
    }
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Proxy").finish_non_exhaustive()
    }
}

fn start(
    name: &str,
    events: &Sender<ProxyEvent>,
    otherwise: ProxyEvent,
    work: impl FnOnce() + Send + 'static,
) {
    if thread::Builder::new().name(name.to_owned()).spawn(work).is_err() {
        let _ = events.send(otherwise);
    }
}

/// What must happen when the director is over, also when it panicked.
struct Over {
    desk: Arc<Desk>,
    notice: Notice,
    done: Sender<()>,
}

impl Drop for Over {
    fn drop(&mut self) {
        let wires = &self.desk.wires;
        wires.forget_names();
        wires.queue.close();
        self.desk.give_up("suggest has stopped; the agent is not affected");
        if thread::panicking() {
            (self.notice)("the director has stopped after a fault; lines are carried on without suggestions");
        }
        let _ = self.done.send(());
    }
}

/// On a busy machine lines come before thoughts: here a thread has a priority of its own.
#[cfg(target_os = "linux")]
fn give_way() {
    // Without it the director only competes like everybody else.
    let _ = rustix::process::nice(10);
}

#[cfg(not(target_os = "linux"))]
fn give_way() {}

fn start_director(setup: Setup, wires: &Arc<Wires>) -> Receiver<()> {
    let (done, director_done) = channel();
    let desk = Arc::new(Desk::new(Arc::clone(wires)));
    let notice = Arc::clone(&setup.notice);
    let over = Over { desk: Arc::clone(&desk), notice: Arc::clone(&notice), done };
    let work = move || {
        let _over = over;
        give_way();
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return notice(&format!("no suggestions: the director cannot start: {error}")),
        };
        runtime.block_on(async move {
            match Director::new(setup, desk) {
                Ok(director) => director.run().await,
                Err(error) => notice(&format!("no suggestions: {error}")),
            }
        });
    };
    if thread::Builder::new().name("suggest-director".to_owned()).spawn(work).is_err() {
        wires.queue.close();
    }
    director_done
}
