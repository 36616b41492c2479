//! One growing session, looked at again and again. A look costs one question to the file system, and misses nothing that a
//! notification could tell: an append, a truncation, another file under the same name, one that appears later.

use super::feed::{COMPRESSED, Feed, FeedFormat, first_bytes};
use super::place::Place;
use super::store::OpenStore;
use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::time::{Duration, Instant};
use suggest_core::{Event, SessionSetup, Turn};
use suggest_host_dsh::{GrowingFrames, Output};
use suggest_transcripts::Format;

/// How long a file must be quiet before a turn that looks finished counts as ended, where the harness writes no end.
const QUIET: Duration = Duration::from_millis(1500);

/// The longest line that is kept; a longer one is left out.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// The most bytes that are read between two looks at the keyboard.
const CHUNK: u64 = 4 * 1024 * 1024;

/// How many first bytes tell one file from another of the same name.
const MARK: usize = 256;

/// What a look at the file brought.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// Another session: everything before is over.
    Opened(Box<SessionSetup>),
    /// Of the past (rule D15).
    History(Event),
    /// It happened since the last look.
    News(Event),
}

/// Follows one session.
#[derive(Debug)]
pub(crate) struct Follower {
    place: Place,
    open: Option<Open>,
    /// A session in a store, which is no file of its own.
    store: Option<OpenStore>,
    /// What the file holds when it is opened next is history.
    is_past: bool,
    /// The file is there and is no session.
    pub(crate) is_unknown: bool,
    /// The store is there, and the session that was named is not in it.
    pub(crate) is_missing: bool,
    ended_before: Option<Turn>,
}

#[derive(Debug)]
struct Open {
    file: File,
    identity: (u64, u64),
    mark: Vec<u8>,
    offset: u64,
    /// The log is compressed.
    frames: Option<GrowingFrames>,
    partial: Vec<u8>,
    skipping: bool,
    feed: Feed,
    grew: Option<Instant>,
    /// Everything that was there when it was opened has been read.
    caught_up: bool,
    backlog: Vec<Output>,
    is_past: bool,
}

impl Follower {
    /// Follows the session at this place. What it holds now is history; if it does not exist yet, all of it is news.
    pub(crate) fn new(place: impl Into<Place>) -> Self {
        let place = place.into();
        let is_past = place.path.exists();
        let (is_unknown, is_missing) = (false, false);
        Self { place, open: None, store: None, is_past, is_unknown, is_missing, ended_before: None }
    }

    /// Follows a session that another one led to while we looked on: its newest turn is news.
    /// Unless it is one that was followed before: of that the turns up to `ended` are known.
    pub(crate) fn successor(place: impl Into<Place>, ended: Option<Turn>) -> Self {
        Self { is_past: false, ended_before: ended, ..Self::new(place) }
    }

    /// The newest turn that ended.
    pub(crate) fn last_ended(&self) -> Option<Turn> {
        let of_file = self.open.as_ref().and_then(|open| open.feed.last_ended());
        of_file.or_else(|| self.store.as_ref().and_then(OpenStore::last_ended))
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Whether a session is open.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some() || self.store.is_some()
    }

    /// Whether everything that was there when the file was opened has been read.
    pub(crate) fn is_caught_up(&self) -> bool {
        self.open.as_ref().is_none_or(|open| open.caught_up)
    }

    /// Looks at the session.
    ///
    /// # Errors
    ///
    /// Those of reading; a file that is not there is none.
    pub(crate) fn look(&mut self, now: Instant) -> io::Result<Vec<Step>> {
        let mut steps = Vec::new();
        let facts = match std::fs::metadata(&self.place.path) {
            Ok(facts) => facts,
            // Its end is read from the open file; whether another one comes, time tells.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Some(open) = &mut self.open {
                    open.read(now, &mut steps)?;
                }
                return Ok(steps);
            }
            Err(error) => return Err(error),
        };
        if let Some(open) = &mut self.open
            && open.is_another(&facts)?
        {
            // What was written to the old file after the last look still counts.
            if identity(&facts) != open.identity {
                open.read(now, &mut steps)?;
            }
            self.begin_anew();
        }
        if self.store.as_ref().is_some_and(|store| store.identity != identity(&facts)) {
            self.begin_anew();
        }
        if !self.is_open() && !self.start(&mut steps)? {
            return Ok(steps);
        }
        if let Some(open) = &mut self.open {
            open.read(now, &mut steps)?;
        }
        if let Some(store) = &mut self.store
            && !store.look(&mut steps)?
        {
            self.begin_anew();
            return Ok(steps);
        }
        if let Some(before) = self.ended_before
            && self.is_open()
            && self.is_caught_up()
        {
            // The same conversation written anew: a turn that had ended is no news.
            self.ended_before = None;
            if self.last_ended().is_some_and(|ended| ended <= before) {
                steps.iter_mut().for_each(Step::make_past);
            }
        }
        Ok(steps)
    }

    /// What comes under this name next is another session, or this one written anew.
    fn begin_anew(&mut self) {
        self.ended_before = self.last_ended();
        (self.open, self.store, self.is_past) = (None, None, false);
    }

    /// Opens the file if it is a session.
    fn start(&mut self, steps: &mut Vec<Step>) -> io::Result<bool> {
        let path = &self.place.path;
        let first = first_bytes(path)?;
        if suggest_transcripts::detect(&first, None) == Some(Format::OpencodeStore) {
            self.store = OpenStore::open(&self.place, self.is_past, steps)?;
            self.is_missing = self.store.is_none() && self.place.session.is_some();
            return Ok(self.store.is_some());
        }
        let Some(format) = FeedFormat::of(&first, path) else {
            // A first line or frame that is not whole yet says nothing.
            let mut has_line = false;
            let mut look = |text: &[u8]| has_line |= text.contains(&b'\n');
            let is_damaged = if first.starts_with(&COMPRESSED) {
                GrowingFrames::default().push(&first, &mut look).is_err()
            } else {
                look(&first);
                false
            };
            self.is_unknown |= is_damaged || has_line;
            return Ok(false);
        };
        self.is_unknown = false;
        let compressed = first.starts_with(&COMPRESSED);
        let setup = if compressed {
            let Some(setup) = format.setup_compressed(path) else { return Ok(false) };
            setup
        } else {
            format.setup(&first, path)
        };
        let file = File::open(path)?;
        let identity = identity(&file.metadata()?);
        let feed = Feed::new(format, setup.kind);
        steps.push(Step::Opened(Box::new(setup)));
        self.open = Some(Open {
            file,
            identity,
            mark: first.get(..first.len().min(MARK)).unwrap_or_default().to_vec(),
            offset: 0,
            frames: compressed.then(GrowingFrames::default),
            partial: Vec::new(),
            skipping: false,
            feed,
            grew: None,
            caught_up: false,
            backlog: Vec::new(),
            is_past: self.is_past,
        });
        Ok(true)
    }
}

impl Open {
    /// Whether the path leads to another file now, or to this one written anew.
    fn is_another(&mut self, facts: &Metadata) -> io::Result<bool> {
        if identity(facts) != self.identity || facts.len() < self.offset {
            return Ok(true);
        }
        if facts.len() == self.offset {
            return Ok(false);
        }
        let mut first = vec![0; self.mark.len()];
        self.file.rewind()?;
        Ok(self.file.read_exact(&mut first).is_err() || first != self.mark)
    }

    fn read(&mut self, now: Instant, steps: &mut Vec<Step>) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        self.file.by_ref().take(CHUNK).read_to_end(&mut bytes)?;
        let read = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.offset = self.offset.saturating_add(read);
        let mut outputs = Vec::new();
        if let Some(mut frames) = self.frames.take() {
            let whole = frames.push(&bytes, &mut |text| self.lines(text, &mut |output| outputs.push(output)));
            self.frames = Some(frames);
            // What stands before damage is told first; the next look meets the damage again.
            if outputs.is_empty() {
                whole.map_err(io::Error::other)?;
            }
        } else {
            self.lines(&bytes, &mut |output| outputs.push(output));
        }
        if read > 0 {
            self.grew = Some(now);
        } else if self.grew.is_some_and(|grew| now.saturating_duration_since(grew) >= QUIET) {
            self.grew = None;
            self.feed.settle(&mut |output| outputs.push(output));
        }
        if self.caught_up {
            steps.extend(told(outputs, false));
        } else {
            self.backlog.append(&mut outputs);
            // More is there: the newest turn is not known yet.
            if self.is_past {
                steps.extend(self.backlog.drain(..).map(|output| Step::History(output.into_event())));
            }
            if read < CHUNK {
                self.caught_up = true;
                if self.is_past {
                    // What looks finished at the beginning was finished before.
                    self.feed.settle(&mut |output| steps.push(Step::History(output.into_event())));
                }
                steps.extend(told(std::mem::take(&mut self.backlog), true));
            }
        }
        Ok(())
    }

    fn lines(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Output)) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            if std::mem::take(&mut self.skipping) {
                self.partial.clear();
                continue;
            }
            if self.partial.is_empty() {
                self.feed.line(line, sink);
            } else {
                self.partial.extend_from_slice(line);
                let whole = std::mem::take(&mut self.partial);
                self.feed.line(&whole, sink);
            }
        }
        if !self.skipping {
            self.partial.extend_from_slice(rest);
            if self.partial.len() > LONGEST_LINE {
                self.partial = Vec::new();
                self.skipping = true;
            }
        }
    }
}

impl Step {
    fn make_past(&mut self) {
        if let Self::News(event) = self {
            *self = Self::History(event.clone());
        }
    }
}

/// Of several turns at once only the newest is news: the others would each ask a model for a situation that has passed.
pub(super) fn told(outputs: Vec<Output>, all: bool) -> Vec<Step> {
    let starts = |output: &Output| matches!(output, Output::Live(Event::TurnStarted { .. }));
    let newest =
        outputs.iter().rposition(starts).filter(|_| all || outputs.iter().filter(|o| starts(o)).count() > 1);
    outputs
        .into_iter()
        .enumerate()
        .map(|(at, output)| match output {
            Output::Live(event) if newest.is_none_or(|newest| at >= newest) => Step::News(event),
            Output::Live(event) | Output::History(event) => Step::History(event),
        })
        .collect()
}

#[cfg(unix)]
pub(super) fn identity(facts: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (facts.dev(), facts.ino())
}

#[cfg(not(unix))]
pub(super) fn identity(facts: &Metadata) -> (u64, u64) {
    let created = facts.created().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    (0, created.map_or(0, |age| u64::try_from(age.as_nanos()).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::path::PathBuf;

    fn turn(number: u64) -> String {
        format!(
            "{{\"type\":\"turn_started\",\"turn\":{number}}}\n{{\"type\":\"message\",\"author\":\"human\",\"text\":\"do {number}\"}}\n{{\"type\":\"turn_ended\",\"turn\":{number},\"reason\":\"completed\"}}\n"
        )
    }

    /// `o` opened, `h` history and `n` news, with the turn that ended.
    fn ends(steps: &[Step]) -> String {
        let words = steps.iter().filter_map(|step| match step {
            Step::Opened(_) => Some("o".to_owned()),
            Step::History(Event::TurnEnded { turn, .. }) => Some(format!("h{turn}")),
            Step::News(Event::TurnEnded { turn, .. }) => Some(format!("n{turn}")),
            _ => None,
        });
        words.collect::<Vec<_>>().join(" ")
    }

    struct Bench {
        folder: tempfile::TempDir,
        follower: Option<Follower>,
    }

    impl Bench {
        fn new() -> Self {
            Self { folder: tempfile::tempdir().unwrap(), follower: None }
        }
        fn path(&self) -> PathBuf {
            self.folder.path().join("events.jsonl")
        }
        fn append(&self, text: &str) {
            let mut file = std::fs::OpenOptions::new().append(true).create(true).open(self.path()).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }
        fn look(&mut self) -> String {
            let path = self.path();
            let follower = self.follower.get_or_insert_with(|| Follower::new(path));
            ends(&follower.look(Instant::now()).unwrap())
        }
    }

    #[test]
    fn what_is_there_is_history_and_what_comes_is_news_d15() {
        let mut bench = Bench::new();
        bench.append(&(turn(1) + &turn(2)));
        assert_eq!(bench.look(), "o h1 h2");
        assert_eq!(bench.look(), "");
        bench.append(&turn(3));
        assert_eq!(bench.look(), "n3");
    }

    #[test]
    fn a_torn_last_line_is_read_again_when_it_is_whole() {
        let mut bench = Bench::new();
        bench.append(&turn(1));
        bench.look();
        let next = turn(2);
        let (first, rest) = next.split_at(next.len() - 7);
        bench.append(first);
        assert_eq!(bench.look(), "");
        bench.append(rest);
        assert_eq!(bench.look(), "n2");
    }

    #[test]
    fn a_file_that_appears_later_is_news_of_its_newest_turn_only() {
        let mut bench = Bench::new();
        assert_eq!(bench.look(), "");
        bench.append(&(turn(1) + &turn(2)));
        assert_eq!(bench.look(), "o h1 n2");
    }

    #[test]
    fn several_turns_at_once_are_one_news() {
        let mut bench = Bench::new();
        bench.append(&turn(1));
        bench.look();
        bench.append(&(turn(2) + &turn(3)));
        assert_eq!(bench.look(), "h2 n3");
    }

    #[test]
    fn a_truncated_file_begins_anew_and_the_same_turns_are_no_news() {
        let mut bench = Bench::new();
        bench.append(&(turn(1) + &turn(2)));
        bench.look();
        std::fs::write(bench.path(), turn(1)).unwrap();
        assert_eq!(bench.look(), "o h1");
        bench.append(&turn(2));
        assert_eq!(bench.look(), "n2");
    }

    #[test]
    fn a_file_put_in_the_place_of_another_is_read_from_its_beginning_and_loses_nothing() {
        let mut bench = Bench::new();
        bench.append(&turn(1));
        bench.look();
        bench.append(&turn(2));
        let fresh = bench.folder.path().join("fresh");
        std::fs::write(&fresh, turn(7)).unwrap();
        std::fs::rename(&fresh, bench.path()).unwrap();
        assert_eq!(bench.look(), "n2 o n7");
        std::fs::remove_file(bench.path()).unwrap();
        assert_eq!(bench.look(), "");
    }

    #[test]
    fn a_file_written_anew_with_other_words_is_noticed_though_it_grew() {
        let mut bench = Bench::new();
        bench.append(&turn(1));
        bench.look();
        std::fs::write(bench.path(), turn(21) + &turn(22)).unwrap();
        assert_eq!(bench.look(), "o h21 n22");
    }

    #[test]
    fn a_file_that_is_no_session_is_said_to_be_none() {
        let mut bench = Bench::new();
        bench.append("hello\nworld\n");
        assert_eq!(bench.look(), "");
        assert!(bench.follower.as_ref().unwrap().is_unknown);
    }

    #[test]
    fn what_stands_before_damage_in_a_compressed_log_is_told_and_the_damage_next() {
        use ruzstd::encoding::{CompressionLevel, compress_to_vec};
        let log = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/sessions/ledger-report.jsonl");
        let mut bytes = compress_to_vec(&*std::fs::read(log).unwrap(), CompressionLevel::Fastest);
        bytes.extend(b"this is no frame");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl.zstd");
        std::fs::write(&path, bytes).unwrap();
        let mut follower = Follower::new(path);
        let told = ends(&follower.look(Instant::now()).unwrap());
        assert!(told.starts_with("o h1 h2"), "{told}");
        for _ in 0..2 {
            follower.look(Instant::now()).unwrap_err();
        }
    }
}
