//! A proxy around an agent's process: it starts with the proxy, and neither outlives the other for long.

use crate::proxy::{Proxy, ProxyEvent, Setup};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// An agent whose editor is gone may take so long to end by itself.
const TO_END: Duration = Duration::from_secs(5);
/// And so long after it was told to.
const TO_OBEY: Duration = Duration::from_secs(2);
/// What a dead agent wrote last is still carried, for so long.
const TO_DRAIN: Duration = Duration::from_secs(2);
/// How long the director may take to end.
const TO_FINISH: Duration = Duration::from_secs(1);
/// How often it is looked whether the agent ended.
const LOOK: Duration = Duration::from_millis(50);

/// Why an agent could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// No command was given.
    #[error("no agent was named")]
    NoCommand,
    /// The system did not start it.
    #[error("cannot start the agent {program:?}")]
    NotStarted {
        /// What was to be started.
        program: OsString,
        /// What the system said.
        source: io::Error,
    },
}

/// Starts the agent and carries lines between it and an editor until one of them is gone. Gives the agent's exit status
/// as a shell would: its code, or 128 and the signal that ended it.
///
/// The agent gets a process group of its own, signals that reach the proxy are passed on to it, and whatever is left of
/// the group is ended when the editor is gone. The agent's standard error is the proxy's.
///
/// # Errors
///
/// When the agent cannot be started.
pub fn run_agent(
    command: &[OsString],
    from_editor: impl Read + Send + 'static,
    to_editor: impl Write + Send + 'static,
    setup: Setup,
) -> Result<u8, StartError> {
    let (program, arguments) = command.split_first().ok_or(StartError::NoCommand)?;
    let mut start = Command::new(program);
    start.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        start.process_group(0);
    }
    // Before there is an agent that a signal could leave behind.
    let signals = watch_signals();
    let failed = |source| StartError::NotStarted { program: program.clone(), source };
    let mut child = start.spawn().map_err(failed)?;
    let missing = || failed(io::Error::from(io::ErrorKind::BrokenPipe));
    let (to_agent, from_agent) = match (child.stdin.take(), child.stdout.take()) {
        (Some(to_agent), Some(from_agent)) => (to_agent, from_agent),
        _ => return Err(missing()),
    };
    let proxy = Proxy::start(from_editor, to_editor, from_agent, to_agent, setup);
    let status = Ending { child, signals, until: None, told: false, editor_left: false }.wait(&proxy);
    proxy.finish(TO_FINISH);
    Ok(status)
}

/// Waits for the end of the agent, and hastens it when there is a reason to.
struct Ending {
    child: Child,
    signals: Receiver<Signal>,
    /// When patience ends.
    until: Option<Instant>,
    /// It was told to end.
    told: bool,
    editor_left: bool,
}

/// A signal that reached the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signal {
    Interrupt,
    Terminate,
    HangUp,
    Kill,
}

impl Ending {
    fn wait(mut self, proxy: &Proxy) -> u8 {
        let mut agent_ended = false;
        loop {
            match proxy.wait(LOOK) {
                Some(ProxyEvent::EditorEnded | ProxyEvent::EditorGone) => {
                    self.editor_left = true;
                    proxy.hang_up();
                    self.hurry(TO_END);
                }
                Some(ProxyEvent::AgentEnded) => {
                    agent_ended = true;
                    self.hurry(TO_END);
                }
                // It will end, or it goes on without listening; its words are still carried.
                Some(ProxyEvent::AgentGone) | None => {}
            }
            while let Ok(signal) = self.signals.try_recv() {
                self.editor_left = true;
                self.pass_on(signal);
                self.told = true;
                self.hurry(TO_END);
            }
            match self.child.try_wait() {
                Ok(Some(status)) => return self.after(status, agent_ended, proxy),
                Ok(None) => {}
                Err(_) => return 1,
            }
            if self.until.is_some_and(|until| Instant::now() >= until) {
                self.press();
            }
        }
    }

    fn hurry(&mut self, most: Duration) {
        let until = Instant::now() + most;
        self.until = Some(self.until.map_or(until, |earlier| earlier.min(until)));
    }

    /// Patience is at an end: first it is told, then it is ended.
    fn press(&mut self) {
        if std::mem::replace(&mut self.told, true) {
            self.pass_on(Signal::Kill);
        } else {
            self.pass_on(Signal::Terminate);
        }
        self.until = Some(Instant::now() + TO_OBEY);
    }

    #[cfg(unix)]
    fn pass_on(&mut self, signal: Signal) {
        use rustix::process::{Pid, Signal as Number, kill_process_group};
        let number = match signal {
            Signal::Interrupt => Number::INT,
            Signal::Terminate => Number::TERM,
            Signal::HangUp => Number::HUP,
            Signal::Kill => Number::KILL,
        };
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            // A group that is gone needs no signal.
            let _ = kill_process_group(group, number);
        }
    }

    #[cfg(not(unix))]
    fn pass_on(&mut self, _signal: Signal) {
        let _ = self.child.kill();
    }

    /// The agent has ended. Its last words are carried; a wrapper that left its real process behind has that ended, too.
    fn after(mut self, status: ExitStatus, mut agent_ended: bool, proxy: &Proxy) -> u8 {
        let until = Instant::now() + TO_DRAIN;
        if self.editor_left || !status.success() {
            self.pass_on(Signal::Terminate);
        }
        while !agent_ended && Instant::now() < until {
            agent_ended = matches!(proxy.wait(LOOK), Some(ProxyEvent::AgentEnded | ProxyEvent::EditorGone));
        }
        if self.editor_left {
            self.pass_on(Signal::Kill);
        }
        code_of(status)
    }
}

#[cfg(unix)]
fn code_of(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(not(unix))]
fn code_of(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// Takes the signals that would end this process, so that the agent's group hears of them. Returns when it does.
fn watch_signals() -> Receiver<Signal> {
    let (sender, signals) = channel();
    let (ready, is_ready) = channel();
    // Without the thread the signals do what they always do.
    let _ = thread::Builder::new().name("suggest-signals".to_owned()).spawn(move || {
        if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
            runtime.block_on(listen(&sender, ready));
        }
    });
    let _ = is_ready.recv_timeout(TO_FINISH);
    signals
}

#[cfg(unix)]
async fn listen(sender: &Sender<Signal>, ready: Sender<()>) {
    use tokio::signal::unix::{SignalKind, signal};
    let streams =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()), signal(SignalKind::hangup()));
    let (Ok(mut interrupts), Ok(mut terminations), Ok(mut hang_ups)) = streams else { return };
    let _ = ready.send(());
    loop {
        let signal = tokio::select! {
            Some(()) = interrupts.recv() => Signal::Interrupt,
            Some(()) = terminations.recv() => Signal::Terminate,
            Some(()) = hang_ups.recv() => Signal::HangUp,
            else => return,
        };
        if sender.send(signal).is_err() {
            return;
        }
    }
}

#[cfg(not(unix))]
async fn listen(sender: &Sender<Signal>, ready: Sender<()>) {
    let _ = ready.send(());
    while tokio::signal::ctrl_c().await.is_ok() {
        if sender.send(Signal::Interrupt).is_err() {
            return;
        }
    }
}
