//! The session logs of the board, followed by one thread.

use super::folders::Folders;
use crate::follow::{Follower, Place, Step};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};
use suggest_board::{Board, BoardSession};
use suggest_core::{Event, SessionKind, SessionSetup};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// How often the logs are looked at.
const LOOK: Duration = Duration::from_millis(200);
/// How often new logs are looked for.
const SEARCH: Duration = Duration::from_secs(2);
/// New logs are looked for at least so often; a log stays young for longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A log that is found later and is younger than this came into being while we looked on.
const YOUNG: Duration = Duration::from_secs(60);

/// The thread that follows.
pub(super) struct Logs {
    ending: Arc<AtomicBool>,
    _thread: JoinHandle<()>,
}

impl Logs {
    /// Has the thread end with its next look.
    pub(super) fn end(&self) {
        self.ending.store(true, Ordering::Relaxed);
    }
}

/// Follows the logs in these folders on a thread that may block. Call it inside the runtime.
pub(super) fn start(board: Board, folders: Folders) -> Logs {
    let ending = Arc::new(AtomicBool::new(false));
    let (flag, runtime) = (Arc::clone(&ending), Handle::current());
    let thread = tokio::task::spawn_blocking(move || {
        if matches!(folders, Folders::None) {
            return;
        }
        let mut desk = Desk { board, runtime, followed: BTreeMap::new() };
        let (mut searched, mut pause): (Option<Instant>, Duration) = (None, SEARCH);
        while !flag.load(Ordering::Relaxed) {
            if searched.is_none_or(|at| at.elapsed() >= pause) {
                let begun = Instant::now();
                desk.search(&folders, searched.is_none());
                // A search that takes long is not made often: at most a twentieth of the time goes into it.
                pause = begun.elapsed().saturating_mul(20).clamp(SEARCH, LONGEST_PAUSE);
                searched = Some(Instant::now());
            }
            desk.look();
            std::thread::sleep(LOOK);
        }
    });
    Logs { ending, _thread: thread }
}

struct Desk {
    board: Board,
    runtime: Handle,
    followed: BTreeMap<Place, Followed>,
}

/// Where the turns of a log stand. Most logs do not say that a session waits: it does when its turn ended and nothing
/// follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// None ended since the log last said what the session does.
    Open,
    /// The last one ended, in the past or before our eyes.
    Ended { is_news: bool },
}

impl Turn {
    fn after(self, event: &Event, is_news: bool) -> Self {
        match event {
            Event::TurnEnded { .. } => Self::Ended { is_news },
            // The log says itself what the session does.
            Event::TurnStarted { .. } | Event::Busy | Event::Idle | Event::Closed => Self::Open,
            Event::HumanQueued { .. }
            | Event::Asking { .. }
            | Event::HistoryRewritten
            | Event::Message(_)
            | Event::Tool(_)
            | Event::Plan { .. }
            | Event::Chapter(_)
            | Event::Goal(_)
            | Event::GoalCleared { .. } => self,
        }
    }
}

struct Followed {
    follower: Follower,
    session: Option<Arc<BoardSession>>,
    turn: Turn,
    /// It cannot be followed: it is no session, or somebody else tells it. Until it is gone, it is left alone.
    given_up: bool,
}

impl Desk {
    fn search(&mut self, folders: &Folders, at_first: bool) {
        let logs = folders.logs();
        self.followed.retain(|place, _| logs.contains(place));
        for place in logs {
            self.followed.entry(place).or_insert_with_key(|place| Followed {
                follower: if !at_first && (place.session.is_some() || is_young(&place.path)) {
                    Follower::successor(place.clone(), None)
                } else {
                    Follower::new(place.clone())
                },
                session: None,
                turn: Turn::Open,
                given_up: false,
            });
        }
    }

    fn look(&mut self) {
        for (place, followed) in &mut self.followed {
            if followed.given_up {
                continue;
            }
            match followed.follower.look(Instant::now()) {
                Ok(steps) => {
                    if steps.is_empty() {
                        followed.wait_for_a_person();
                    }
                    for step in steps {
                        take(&self.board, &self.runtime, &place.path, followed, step);
                    }
                    followed.given_up |= followed.follower.is_unknown || followed.follower.is_missing;
                }
                Err(error) => {
                    self.board.notice(format!("cannot read {place}: {error}"));
                    followed.given_up = true;
                }
            }
        }
    }
}

impl Followed {
    /// Nothing came since the last look: a session whose turn ended waits now.
    fn wait_for_a_person(&mut self) {
        if let (Some(session), Turn::Ended { is_news }) = (&self.session, self.turn) {
            self.turn = Turn::Open;
            if is_news {
                session.event(Event::Idle);
            } else {
                session.history(Event::Idle);
            }
        }
    }
}

fn is_young(path: &Path) -> bool {
    let modified = std::fs::metadata(path).and_then(|facts| facts.modified());
    modified.is_ok_and(|at| SystemTime::now().duration_since(at).unwrap_or_default() < YOUNG)
}

fn take(board: &Board, runtime: &Handle, path: &Path, followed: &mut Followed, step: Step) {
    match step {
        Step::Opened(setup) => {
            // The earlier session of this file ends before another one with its id begins.
            followed.session = None;
            followed.turn = Turn::Open;
            let setup = attended(*setup, path);
            if setup.kind == SessionKind::Subagent {
                followed.given_up = true;
                return;
            }
            match runtime.block_on(board.open(setup, None)) {
                Ok(session) => followed.session = Some(session),
                Err(error) => {
                    board.notice(format!("{} is left out: {error}", path.display()));
                    followed.given_up = true;
                }
            }
        }
        Step::History(event) => {
            followed.turn = followed.turn.after(&event, false);
            if let Some(session) = &followed.session {
                session.history(event);
            }
        }
        Step::News(event) => {
            followed.turn = followed.turn.after(&event, true);
            if let Some(session) = &followed.session {
                session.event(event);
            }
        }
    }
}

/// Nobody named this very session, so a headless one stays silent (rule D12).
fn attended(mut setup: SessionSetup, path: &Path) -> SessionSetup {
    if let Ok(log) = suggest_host_dsh::LogFile::open(path) {
        setup.kind = log.header().session_kind();
    }
    setup.opt_in = false;
    setup
}
