//! The transcript of a session whose turn is said to have ended, read up to its end and on from there.

use memchr::memmem;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use suggest_core::{Author, Event, GoalPhase, Message, Turn};
use suggest_host_dsh::Lines;
use suggest_transcripts::{Fold, Format, ReadLimits, ReadOptions, read_file};

/// The most events that are kept; older ones are far outside of what a model reads.
const MAX_EVENTS: usize = 20_000;

/// A transcript that is read on as it grows.
pub(super) struct Transcript {
    path: PathBuf,
    fold: Fold,
    offset: u64,
    events: Vec<Event>,
    /// The harness's id of the turn that ended, as it stands in a line of that turn, and whether such a line was read.
    mark: Option<Vec<u8>>,
    reached: bool,
    /// It goes on from another file, so that it is read as a whole each time.
    whole: bool,
    /// The events up to an end were taken out.
    split: bool,
}

impl Transcript {
    /// Reads what is there. `turn` is the harness's id of the turn that ended: Claude Code writes it into the prompt's line,
    /// Codex into that of the turn's beginning.
    pub(super) fn read(format: Format, path: &Path, turn: Option<&str>) -> io::Result<Self> {
        let mut transcript = Self {
            path: path.to_owned(),
            fold: Fold::new(format, &ReadOptions::default()),
            offset: 0,
            events: Vec::new(),
            mark: turn.map(|turn| format!("\"{turn}\"").into_bytes()),
            reached: false,
            whole: false,
            split: false,
        };
        let first = crate::follow::first_bytes(path)?;
        let head = String::from_utf8_lossy(first.get(..first.len().min(4096)).unwrap_or_default());
        transcript.whole = format == Format::Codex && head.contains("\"history_base\"");
        transcript.read_on()?;
        Ok(transcript)
    }

    /// Reads what was written since. A last line that is not whole is left for the next time.
    pub(super) fn read_on(&mut self) -> io::Result<()> {
        let length = std::fs::metadata(&self.path)?.len();
        if length <= self.offset || (self.whole && self.split) {
            return Ok(());
        }
        if self.whole {
            return self.read_whole(length);
        }
        let mut file = File::open(&self.path)?;
        io::Seek::seek(&mut file, io::SeekFrom::Start(self.offset))?;
        let limit = ReadLimits::default().line_bytes;
        let mut lines = Lines::new(BufReader::with_capacity(128 * 1024, file), limit, self.offset);
        let mut events = Vec::new();
        while let Some(line) = lines.next_line()? {
            if !line.ended {
                break;
            }
            self.offset = line.offset.saturating_add(line.length);
            if let Some(text) = line.text {
                let here = self.mark.as_deref().is_some_and(|mark| memmem::find(text, mark).is_some());
                self.reached |= here;
                // A line that cannot be read is left out.
                let _ = self.fold.line(text, &mut |output| events.push(output.into_event()));
            }
        }
        self.take(events);
        Ok(())
    }

    fn read_whole(&mut self, length: u64) -> io::Result<()> {
        let bytes = std::fs::read(&self.path)?;
        self.reached = self.mark.as_deref().is_some_and(|mark| memmem::find(&bytes, mark).is_some());
        self.events.clear();
        let mut events = Vec::new();
        let options = ReadOptions::default();
        read_file(Format::Codex, &self.path, &options, |event| events.push(event))
            .map_err(io::Error::other)?;
        self.offset = length;
        self.take(events);
        Ok(())
    }

    /// Whether it has come to the turn that ended: what a harness writes may lag behind what it tells. `None` where the turn
    /// has no id.
    pub(super) fn has_reached(&self) -> Option<bool> {
        self.mark.as_ref().map(|_| self.reached)
    }

    /// Whether the newest turn holds this answer.
    pub(super) fn holds(&self, answer: &str) -> bool {
        let begin = self.events.iter().rposition(|event| matches!(event, Event::TurnStarted { .. }));
        let turn = self.events.get(begin.unwrap_or(0)..).unwrap_or_default();
        let said: Vec<String> = turn
            .iter()
            .filter_map(|event| match event {
                Event::Message(message) if message.author == Author::Assistant => Some(folded(&message.text)),
                _ => None,
            })
            .collect();
        // A message may be several blocks here and one text there.
        let answer = folded(answer);
        said.join(" ").contains(&answer)
            || said.last().is_some_and(|last| !last.is_empty() && answer.ends_with(last))
    }

    /// Whether the newest turn looks finished, though no end of it is written.
    pub(super) fn looks_finished(&self) -> bool {
        !self.fold.is_waiting()
    }

    /// Adds the answer that the harness told and has not written.
    pub(super) fn add_answer(&mut self, answer: &str) {
        self.take(vec![Event::Message(Message::new(Author::Assistant, answer))]);
    }

    /// Takes a turn that looks finished for ended.
    pub(super) fn settle(&mut self) {
        if !self.fold.is_waiting() {
            let mut events = Vec::new();
            self.fold.settle(&mut |output| events.push(output.into_event()));
            self.take(events);
        }
    }

    fn take(&mut self, mut events: Vec<Event>) {
        self.events.append(&mut events);
        let surplus = self.events.len().saturating_sub(MAX_EVENTS);
        self.events.drain(..surplus);
    }

    /// Whether it says that the newest turn has ended.
    pub(super) fn has_ended(&self) -> bool {
        let newest = self.events.iter().rev().find_map(|event| match event {
            Event::TurnStarted { .. } => Some(false),
            Event::TurnEnded { .. } => Some(true),
            _ => None,
        });
        newest.unwrap_or(false)
    }

    /// Whether a turn is open, and which.
    pub(super) fn open_turn(&self) -> Option<Turn> {
        let started = self.events.iter().rev().find_map(|event| match event {
            Event::TurnStarted { turn, .. } => Some(Some(*turn)),
            Event::TurnEnded { .. } => Some(None),
            _ => None,
        });
        started.flatten()
    }

    /// Whether a goal is open: then the harness checks after each answer whether it goes on.
    pub(super) fn has_open_goal(&self) -> bool {
        let newest = self.events.iter().rev().find_map(|event| match event {
            Event::Goal(goal) => Some(goal.phase == GoalPhase::Active),
            Event::GoalCleared { .. } => Some(false),
            _ => None,
        });
        newest.unwrap_or(false)
    }

    /// The events up to the end of the newest turn, and those from it on.
    pub(super) fn split_at_end(&mut self) -> (Vec<Event>, Vec<Event>) {
        let end = self.events.iter().rposition(|event| matches!(event, Event::TurnEnded { .. }));
        self.split = true;
        let tail = self.events.split_off(end.unwrap_or(self.events.len()));
        (std::mem::take(&mut self.events), tail)
    }

    /// Takes the events that came since.
    pub(super) fn fresh(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// What tells the newest turn from every other: what was said in it. FNV-1a, which stays the same between versions.
    pub(super) fn fingerprint(&self) -> u64 {
        let begin = self.events.iter().rposition(|event| matches!(event, Event::TurnStarted { .. }));
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |bytes: &[u8]| {
            for byte in bytes {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        for event in self.events.get(begin.unwrap_or(0)..).unwrap_or_default() {
            match event {
                Event::TurnStarted { turn, .. } => add(&turn.get().to_le_bytes()),
                Event::Message(message) => {
                    add(message.id.as_deref().unwrap_or_default().as_bytes());
                    add(message.text.as_bytes());
                }
                _ => {}
            }
        }
        hash
    }
}

/// Text without the differences of white space.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
