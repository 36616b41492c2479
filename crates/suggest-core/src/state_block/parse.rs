//! Reading a printed block back.

use super::text::{NONE, unescape};
use super::words::{Word, from_armed, from_working, from_yes_no};
use crate::code::Coded;
use crate::ids::{Revision, Turn};
use crate::state::{
    AdvisorView, AutorunView, CardView, CardsView, GoalStateView, ModelView, OfferView, State, SummaryView,
    Usage,
};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Why a text is no printed state block, and at which line. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseStateError {
    /// A line that no state block has at this place.
    #[error("line {line} does not belong here in a state block")]
    UnknownLine {
        /// The line.
        line: usize,
    },
    /// A line that every state block has at this place is absent.
    #[error("line {line} should be `{key}`, which is missing")]
    MissingLine {
        /// Where it should stand.
        line: usize,
        /// Its key.
        key: &'static str,
    },
    /// A value that does not fit its key.
    #[error("line {line}: `{key}` must be {expected}")]
    BadValue {
        /// The line.
        line: usize,
        /// The key.
        key: &'static str,
        /// What fits.
        expected: &'static str,
    },
    /// A text line that is not `|` and a text with the block's own escapes.
    #[error("line {line}: a text is written `| text`, with the escapes \\\\, \\r, \\t and \\u{{…}}")]
    BadText {
        /// The line.
        line: usize,
    },
}

impl ParseStateError {
    /// The line that is wrong, counted from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        match self {
            Self::UnknownLine { line }
            | Self::MissingLine { line, .. }
            | Self::BadValue { line, .. }
            | Self::BadText { line } => *line,
        }
    }
}

type Parsed<T> = Result<T, ParseStateError>;

/// The state that a block from [`print_state`](crate::print_state) shows. Blank lines and white space at the ends of
/// lines mean nothing.
///
/// # Errors
/// The first line that is unknown, missing or has a value that does not fit.
pub fn parse_state(text: &str) -> Result<State, ParseStateError> {
    let mut reader = Reader::new(text)?;
    let state = State {
        status: reader.need(0, "status")?.word()?,
        reason: reader.coded(0, "reason")?,
        model: model(&mut reader)?,
        offer: offer(&mut reader)?,
        autorun: autorun(&mut reader)?,
        goal: goal(&mut reader)?,
        usage: usage(&mut reader, 0)?,
        advisor: advisor(&mut reader)?,
        cards: cards(&mut reader)?,
        summary: summary(&mut reader)?,
    };
    match reader.entries.next() {
        Some(entry) => Err(ParseStateError::UnknownLine { line: entry.line }),
        None => Ok(state),
    }
}

fn model(reader: &mut Reader) -> Parsed<Option<ModelView>> {
    let entry = reader.need(0, "model")?;
    if entry.is_none() {
        return Ok(None);
    }
    Ok(Some(ModelView { id: entry.parsed_name("a model")?, source: reader.need(1, "from")?.word()? }))
}

fn offer(reader: &mut Reader) -> Parsed<Option<OfferView>> {
    let entry = reader.need(0, "offer")?;
    if entry.is_none() {
        return Ok(None);
    }
    let id = entry.read("an offer id or `none`", |text| text.parse().ok())?;
    let (turn, current) = reader.need(1, "answers")?.read("`turn N` or `turn N (older)`", |text| {
        let text = text.strip_prefix("turn ")?;
        let (turn, current) = text.strip_suffix(" (older)").map_or((text, true), |turn| (turn, false));
        Some((Turn::new(whole(turn)?), current))
    })?;
    Ok(Some(OfferView {
        id,
        turn,
        current,
        kind: reader.need(1, "kind")?.word()?,
        model: reader.need(1, "writer")?.parsed_name("a model")?,
        text: reader.need(1, "text")?.text()?,
    }))
}

fn autorun(reader: &mut Reader) -> Parsed<AutorunView> {
    let armed = reader.need(0, "autorun")?.read("`armed` or `not armed`", from_armed)?;
    let hold = reader.coded(1, "hold")?;
    let (rounds, max_rounds) = reader.need(1, "rounds")?.read("`N of N`", |text| {
        let (rounds, max_rounds) = text.split_once(" of ")?;
        Some((whole(rounds)?, whole(max_rounds)?))
    })?;
    Ok(AutorunView { armed, hold, rounds, max_rounds, disarmed_because: reader.coded(1, "disarmed")? })
}

fn goal(reader: &mut Reader) -> Parsed<Option<GoalStateView>> {
    let entry = reader.need(0, "goal")?;
    if entry.is_none() {
        return Ok(None);
    }
    Ok(Some(GoalStateView {
        id: entry.name()?,
        revision: Revision::new(reader.need(1, "revision")?.number()?),
        phase: reader.need(1, "phase")?.word()?,
        armed: reader.need(1, "driver")?.read("`armed` or `not armed`", from_armed)?,
        paused_by_autorun: match reader.optional(1, "paused by") {
            Some(entry) => entry.read("`autorun`", |text| (text == "autorun").then_some(true))?,
            None => false,
        },
        objective: reader.need(1, "objective")?.text()?,
    }))
}

fn usage(reader: &mut Reader, depth: usize) -> Parsed<Usage> {
    let (calls, failed_calls) = reader.need(depth, "meter")?.read("`N calls, N failed`", |text| {
        let (calls, failed) = text.split_once(", ")?;
        let calls = calls.strip_suffix(" calls").or_else(|| calls.strip_suffix(" call"))?;
        Some((whole(calls)?, whole(failed.strip_suffix(" failed")?)?))
    })?;
    let (input_tokens, cached_tokens, output_tokens) =
        reader.need(depth + 1, "tokens")?.read("`N in (N cached), N out`", |text| {
            let (input, rest) = text.split_once(" in (")?;
            let (cached, output) = rest.split_once(" cached), ")?;
            Some((whole(input)?, whole(cached)?, whole(output.strip_suffix(" out")?)?))
        })?;
    let ms = reader.need(depth + 1, "time")?.read("seconds with three decimals, `1.250 s`", |text| {
        let (seconds, thousandths) = text.strip_suffix(" s")?.split_once('.')?;
        if thousandths.len() != 3 {
            return None;
        }
        whole::<u64>(seconds)?.checked_mul(1_000)?.checked_add(whole(thousandths)?)
    })?;
    Ok(Usage { calls, failed_calls, input_tokens, output_tokens, cached_tokens, ms })
}

fn advisor(reader: &mut Reader) -> Parsed<Option<AdvisorView>> {
    let Some(entry) = reader.optional(0, "advisor") else { return Ok(None) };
    Ok(Some(AdvisorView {
        status: entry.word()?,
        reason: reader.coded(1, "reason")?,
        model: match reader.optional(1, "model") {
            Some(entry) => {
                Some(ModelView { id: entry.parsed_name("a model")?, source: reader.need(2, "from")?.word()? })
            }
            None => None,
        },
        trying: reader.optional(1, "trying").map(|entry| entry.parsed_name("a model")).transpose()?,
        pin_refused: reader.optional_text(1, "no pin")?,
        in_flight: reader.need(1, "call")?.working()?,
        backlog: reader.need(1, "backlog")?.number()?,
        blocker: reader.optional_text(1, "blocker")?,
        steers_since_human: reader.need(1, "steers")?.number()?,
        delivered: reader.need(1, "delivered")?.number()?,
        dropped: dropped(reader)?,
        prediction: reader.optional_text(1, "prediction")?,
        usage: usage(reader, 1)?,
    }))
}

fn cards(reader: &mut Reader) -> Parsed<Option<CardsView>> {
    let Some(entry) = reader.optional(0, "cards") else { return Ok(None) };
    let in_flight = entry.working()?;
    let reason = reader.coded(1, "reason")?;
    let mut open = Vec::new();
    while let Some(entry) = reader.optional(1, "card") {
        open.push(CardView {
            id: entry.name()?,
            title: reader.need(2, "title")?.text()?,
            text: reader.need(2, "why")?.text()?,
            prompt: reader.need(2, "prompt")?.text()?,
            category: reader.need(2, "category")?.name()?,
            priority: reader.need(2, "priority")?.word()?,
            origin: reader.need(2, "writer")?.word()?,
            stale: reader.need(2, "stale")?.read("`yes` or `no`", from_yes_no)?,
        });
    }
    Ok(Some(CardsView { open, dropped: dropped(reader)?, in_flight, reason, usage: usage(reader, 1)? }))
}

fn summary(reader: &mut Reader) -> Parsed<Option<SummaryView>> {
    let Some(entry) = reader.optional(0, "summary") else { return Ok(None) };
    Ok(Some(SummaryView {
        in_flight: entry.working()?,
        reason: reader.coded(1, "reason")?,
        origin: reader.optional(1, "writer").map(Entry::word).transpose()?,
        text: reader.optional_text(1, "text")?,
        usage: usage(reader, 1)?,
    }))
}

fn dropped(reader: &mut Reader) -> Parsed<BTreeMap<String, u32>> {
    let mut counters = BTreeMap::new();
    while let Some(entry) = reader.optional(1, "dropped") {
        let wrong = entry.wrong("a number and a cause that no other line has");
        let (count, cause) = match (entry.value, entry.text) {
            (Some(count), Some(cause)) => (whole(&count), Some(cause)),
            (Some(both), None) => match both.split_once(' ') {
                Some((count, cause)) => (whole(count), Some(cause.to_owned())),
                None => return Err(wrong),
            },
            (None, _) => return Err(wrong),
        };
        match (count, cause) {
            (Some(count), Some(cause)) if !counters.contains_key(&cause) => counters.insert(cause, count),
            _ => return Err(wrong),
        };
    }
    Ok(counters)
}

/// A whole number without a sign.
fn whole<N: FromStr>(digits: &str) -> Option<N> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// A key with what stands behind and under it.
struct Entry {
    line: usize,
    depth: usize,
    key: &'static str,
    value: Option<String>,
    text: Option<String>,
}

impl Entry {
    fn wrong(&self, expected: &'static str) -> ParseStateError {
        ParseStateError::BadValue { line: self.line, key: self.key, expected }
    }

    fn is_none(&self) -> bool {
        self.value.as_deref() == Some(NONE) && self.text.is_none()
    }

    fn read<T>(self, expected: &'static str, read: impl FnOnce(&str) -> Option<T>) -> Parsed<T> {
        match (&self.value, &self.text) {
            (Some(value), None) => read(value).ok_or_else(|| self.wrong(expected)),
            _ => Err(self.wrong(expected)),
        }
    }

    fn number<N: FromStr>(self) -> Parsed<N> {
        self.read("a whole number", whole)
    }

    fn word<W: Word>(self) -> Parsed<W> {
        self.read("one of its words", W::from_word)
    }

    fn working(self) -> Parsed<bool> {
        self.read("`waiting` or `working`", from_working)
    }

    fn text(self) -> Parsed<String> {
        let wrong = self.wrong("a text behind `| `");
        match (self.value, self.text) {
            (None, Some(text)) => Ok(text),
            _ => Err(wrong),
        }
    }

    fn name(self) -> Parsed<String> {
        let wrong = self.wrong("a name, or a text behind `| `");
        match (self.value, self.text) {
            (Some(name), None) | (None, Some(name)) => Ok(name),
            _ => Err(wrong),
        }
    }

    fn parsed_name<T: FromStr>(self, expected: &'static str) -> Parsed<T> {
        let wrong = self.wrong(expected);
        self.name()?.parse().map_err(|_| wrong)
    }
}

struct Reader {
    entries: std::iter::Peekable<std::vec::IntoIter<Entry>>,
    /// The number of the line behind the last.
    end: usize,
}

impl Reader {
    fn new(block: &str) -> Parsed<Self> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut end = 1;
        for (line, content) in (1..).zip(block.lines()) {
            let content = content.trim_end();
            let rest = content.trim_start_matches(' ');
            if rest.is_empty() {
                continue;
            }
            end = line + 1;
            if let Some(text) = rest.strip_prefix('|') {
                let last = entries.last_mut().ok_or(ParseStateError::UnknownLine { line })?;
                continue_text(last, text, line)?;
                continue;
            }
            let indent = content.len() - rest.len();
            let (key, value) = rest.split_once("  ").unwrap_or((rest, ""));
            let key = KEYS.iter().copied().find(|known| *known == key && indent % 2 == 0);
            let key = key.ok_or(ParseStateError::UnknownLine { line })?;
            let value = value.trim_start_matches(' ');
            let mut entry = Entry { line, depth: indent / 2, key, value: None, text: None };
            match value.strip_prefix('|') {
                Some(text) => continue_text(&mut entry, text, line)?,
                None => entry.value = Some(value.to_owned()),
            }
            entries.push(entry);
        }
        Ok(Self { entries: entries.into_iter().peekable(), end })
    }

    fn optional(&mut self, depth: usize, key: &'static str) -> Option<Entry> {
        self.entries.next_if(|entry| entry.depth == depth && entry.key == key)
    }

    fn need(&mut self, depth: usize, key: &'static str) -> Parsed<Entry> {
        match self.optional(depth, key) {
            Some(entry) => Ok(entry),
            None => {
                let line = self.entries.peek().map_or(self.end, |entry| entry.line);
                Err(ParseStateError::MissingLine { line, key })
            }
        }
    }

    fn optional_text(&mut self, depth: usize, key: &'static str) -> Parsed<Option<String>> {
        self.optional(depth, key).map(Entry::text).transpose()
    }

    fn coded<C: FromStr>(&mut self, depth: usize, key: &'static str) -> Parsed<Option<Coded<C>>> {
        let Some(entry) = self.optional(depth, key) else { return Ok(None) };
        let line = entry.line;
        let wrong = entry.wrong("a known code with its message");
        let (code, message) = match (entry.value, entry.text) {
            (Some(code), Some(message)) => (code, message),
            (Some(both), None) => {
                let Some((code, message)) = both.split_once(": ") else { return Err(wrong) };
                (code.to_owned(), unescape(message).ok_or(ParseStateError::BadText { line })?)
            }
            (None, Some(code)) => (code, self.need(depth, "says")?.text()?),
            (None, None) => return Err(wrong),
        };
        let code = code.parse().map_err(|_| wrong)?;
        Ok(Some(Coded { code, message }))
    }
}

/// Every key that a block may have.
const KEYS: &[&str] = &[
    "advisor",
    "answers",
    "autorun",
    "backlog",
    "blocker",
    "call",
    "card",
    "cards",
    "category",
    "delivered",
    "disarmed",
    "driver",
    "dropped",
    "from",
    "goal",
    "hold",
    "kind",
    "meter",
    "model",
    "no pin",
    "objective",
    "offer",
    "paused by",
    "phase",
    "prediction",
    "priority",
    "prompt",
    "reason",
    "revision",
    "rounds",
    "says",
    "stale",
    "status",
    "steers",
    "summary",
    "text",
    "time",
    "title",
    "tokens",
    "trying",
    "why",
    "writer",
];

fn continue_text(entry: &mut Entry, text: &str, line: usize) -> Parsed<()> {
    let wrong = ParseStateError::BadText { line };
    let text = match text.strip_prefix(' ') {
        Some(text) => unescape(text).ok_or(wrong)?,
        None if text.is_empty() => String::new(),
        None => return Err(wrong),
    };
    match &mut entry.text {
        Some(earlier) => {
            earlier.push('\n');
            earlier.push_str(&text);
        }
        None => entry.text = Some(text),
    }
    Ok(())
}
