//! One session on the board.

use crate::board::{Board, lock};
use std::sync::Mutex;
use std::time::Instant;
use suggest_core::{
    CardsCommand, Command, CommandOutput, EndReason, Event, Hero, HeroStatus, OutputCode, Turn,
};
use suggest_engine::SessionHandle;

/// The most files of one turn that are remembered.
const MOST_FILES: usize = 200;

/// What came of asking for cards at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Asked {
    /// The open cards of the session. Without a model they are made at once; none means that it shows nothing specific.
    pub cards: usize,
    /// Whether a model is asked now.
    pub asking: bool,
}

/// A session on the board. When the last handle of it is dropped, the session is over.
#[derive(Debug)]
pub struct BoardSession {
    board: Board,
    handle: SessionHandle,
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    hero: Hero,
    files: Vec<String>,
    heard: Instant,
}

impl BoardSession {
    pub(crate) fn new(board: Board, handle: SessionHandle, hero: Hero) -> Self {
        board.note(&hero);
        Self { board, handle, known: Mutex::new(Known { hero, files: Vec::new(), heard: Instant::now() }) }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.handle.id()
    }

    /// Takes an event of the past: it folds and triggers nothing (rule D15). It may wait for the store: call it from a
    /// thread that may block.
    pub fn history(&self, event: Event) {
        self.note(&event);
        self.handle.history(event);
    }

    /// Takes a live event of the session. It may wait for the store: call it from a thread that may block.
    pub fn event(&self, event: Event) {
        let ended = self.note(&event);
        if let Some((turn, files)) = ended {
            self.touch(turn, &files);
        }
        self.handle.event(event);
    }

    /// Asks for cards and a summary now, by a person's wish: also of what is history. The cooldown of rule C1 holds.
    ///
    /// # Errors
    /// The line that says why not.
    pub async fn suggest_now(&self) -> Result<Asked, String> {
        let printed = self.handle.command(Command::Cards(CardsCommand::Refresh)).await;
        if printed.code != OutputCode::Ok {
            return Err(printed.text);
        }
        self.handle.command(Command::RefreshSummary).await;
        let state = self.handle.state();
        let cards = state.cards.as_ref();
        Ok(Asked {
            cards: cards.map_or(0, |cards| cards.open.len()),
            asking: cards.is_some_and(|cards| cards.in_flight),
        })
    }

    /// What a person decided about this session's cards.
    pub(crate) async fn command(&self, command: Command) -> CommandOutput {
        self.handle.command(command).await
    }

    /// When it was last heard of.
    pub(crate) fn heard(&self) -> Instant {
        lock(&self.known).heard
    }

    /// Changes what people call it.
    pub(crate) fn rename(&self, name: &str) {
        let hero = {
            let mut known = lock(&self.known);
            name.clone_into(&mut known.hero.name);
            known.hero.clone()
        };
        self.board.note(&hero);
    }

    /// Follows what the session does. Gives a completed turn with the files that it touched.
    fn note(&self, event: &Event) -> Option<(Turn, Vec<String>)> {
        let mut known = lock(&self.known);
        known.heard = Instant::now();
        let mut ended = None;
        let status = match event {
            Event::TurnStarted { .. } => {
                known.files.clear();
                HeroStatus::Busy
            }
            Event::Busy => HeroStatus::Busy,
            Event::Idle => HeroStatus::Idle,
            Event::Closed => HeroStatus::Closed,
            Event::TurnEnded { turn, reason } => {
                if *reason == EndReason::Completed {
                    ended = Some((*turn, std::mem::take(&mut known.files)));
                }
                known.hero.status
            }
            Event::Tool(tool) => {
                let room = MOST_FILES.saturating_sub(known.files.len());
                let workspace = known.hero.workspace.clone();
                let files = tool.files.iter().take(room).map(|file| relative(file, workspace.as_deref()));
                known.files.extend(files);
                known.hero.status
            }
            Event::HumanQueued { .. }
            | Event::Asking { .. }
            | Event::HistoryRewritten
            | Event::Message(_)
            | Event::Plan { .. }
            | Event::Chapter(_)
            | Event::Goal(_)
            | Event::GoalCleared { .. } => known.hero.status,
        };
        known.hero.status = status;
        let hero = known.hero.clone();
        drop(known);
        self.board.note(&hero);
        ended
    }

    /// A live turn completed: cards of other sessions that name its files turn stale (rule C6).
    fn touch(&self, turn: Turn, files: &[String]) {
        let store = &self.board.shared.store;
        let concerns = store.read(|cards| {
            cards.open().any(|card| {
                !card.stale
                    && (card.session == self.id() && card.turn < turn
                        || card.session != self.id() && card.files.iter().any(|file| files.contains(file)))
            })
        });
        if concerns {
            // What went wrong, the store remembers.
            let _ = store.change(|cards, now| cards.turn_completed(self.id(), turn, files, now));
            self.board.note_store();
        }
    }
}

impl Drop for BoardSession {
    fn drop(&mut self) {
        let mut hero = lock(&self.known).hero.clone();
        hero.status = HeroStatus::Closed;
        self.board.note(&hero);
    }
}

/// A path as cards name it.
fn relative(file: &str, workspace: Option<&str>) -> String {
    let inside = workspace.and_then(|workspace| file.strip_prefix(workspace.trim_end_matches('/')));
    inside.and_then(|rest| rest.strip_prefix('/')).unwrap_or(file).to_owned()
}
