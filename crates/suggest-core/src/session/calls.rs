//! Model calls in flight, and what they cost (rules A8, D14).

use crate::effect::Voice;
use crate::ids::{CallId, Timestamp};
use crate::reply::{CallError, CallUsage, ErrorKind};
use crate::state::Usage;
use std::collections::VecDeque;

/// Finished calls that are remembered, so that the tokens of a late reply are still counted.
const REMEMBERED: usize = 16;

#[derive(Debug)]
struct Live {
    id: CallId,
    voice: Voice,
    sent: Option<Timestamp>,
}

/// The calls of one session. An id that is not live is answered by nobody, and its reply goes nowhere.
#[derive(Debug)]
pub(crate) struct Calls {
    next: CallId,
    live: Vec<Live>,
    gone: VecDeque<(CallId, Voice)>,
    usage: [Usage; Voice::ALL.len()],
}

/// What a reply or an error belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answered {
    /// A call of this voice that somebody waits for.
    Live(Voice),
    /// A call that nobody waits for any more, or that never was.
    Late,
}

impl Calls {
    pub(crate) fn new() -> Self {
        Self { next: CallId::new(1), live: Vec::new(), gone: VecDeque::new(), usage: Default::default() }
    }

    /// Opens a call of a voice. The caller makes sure that the voice has no other in flight (rule A8).
    pub(crate) fn open(&mut self, voice: Voice) -> CallId {
        let id = self.next;
        self.next = id.next();
        self.live.push(Live { id, voice, sent: None });
        id
    }

    /// The request left: from now on the call counts. Gives the voice, if anybody still waits.
    pub(crate) fn sent(&mut self, id: CallId, now: Timestamp) -> Option<Voice> {
        let live = self.live.iter_mut().find(|live| live.id == id && live.sent.is_none())?;
        live.sent = Some(now);
        let voice = live.voice;
        self.meter(voice).calls += 1;
        Some(voice)
    }

    /// A reply came. Its tokens count, late or not.
    pub(crate) fn replied(&mut self, id: CallId, usage: &CallUsage, now: Timestamp) -> Answered {
        let answered = self.finish(id, now);
        self.add_tokens(answered, id, usage);
        answered
    }

    /// Tokens count whether anybody waits for the answer or not.
    fn add_tokens(&mut self, answered: Answered, id: CallId, usage: &CallUsage) {
        let voice = match answered {
            Answered::Live(voice) => Some(voice),
            Answered::Late => self
                .gone
                .iter()
                .position(|(gone, _)| *gone == id)
                .and_then(|at| self.gone.remove(at))
                .map(|(_, voice)| voice),
        };
        if let Some(voice) = voice {
            let meter = self.meter(voice);
            meter.input_tokens = meter.input_tokens.saturating_add(usage.input_tokens.unwrap_or(0));
            meter.output_tokens = meter.output_tokens.saturating_add(usage.output_tokens.unwrap_or(0));
            meter.cached_tokens = meter.cached_tokens.saturating_add(usage.cached_tokens.unwrap_or(0));
        }
    }

    /// An error came.
    pub(crate) fn failed(&mut self, id: CallId, error: &CallError, now: Timestamp) -> Answered {
        if error.kind == ErrorKind::NotAllowed
            && let Some(live) = self.live.iter_mut().find(|live| live.id == id && live.sent.is_none())
        {
            // Nothing left the process: no call was made.
            let voice = live.voice;
            self.live.retain(|live| live.id != id);
            return Answered::Live(voice);
        }
        let answered = self.finish(id, now);
        self.add_tokens(answered, id, &error.usage);
        if let Answered::Live(voice) = answered {
            self.meter(voice).failed_calls += 1;
        }
        answered
    }

    /// Nobody waits for the call any more. Gives whether it was live.
    pub(crate) fn cancel(&mut self, id: CallId, now: Timestamp) -> bool {
        let Some(at) = self.live.iter().position(|live| live.id == id) else { return false };
        let live = self.live.swap_remove(at);
        if let Some(sent) = live.sent {
            self.spend(live.voice, now.ms_since(sent));
            self.remember(id, live.voice);
        }
        true
    }

    /// The deadline passed: a failure as well as a cancellation.
    pub(crate) fn timed_out(&mut self, id: CallId, now: Timestamp) {
        let voice = self.live.iter().find(|live| live.id == id).map(|live| live.voice);
        if let Some(voice) = voice.filter(|_| self.cancel(id, now)) {
            self.meter(voice).failed_calls += 1;
        }
    }

    pub(crate) fn usage(&self, voice: Voice) -> Usage {
        self.usage.get(index(voice)).copied().unwrap_or_default()
    }

    fn finish(&mut self, id: CallId, now: Timestamp) -> Answered {
        let Some(at) = self.live.iter().position(|live| live.id == id) else { return Answered::Late };
        let live = self.live.swap_remove(at);
        if live.sent.is_none() {
            // A driver that never said so sent it all the same.
            self.meter(live.voice).calls += 1;
        }
        self.spend(live.voice, live.sent.map_or(0, |sent| now.ms_since(sent)));
        Answered::Live(live.voice)
    }

    fn spend(&mut self, voice: Voice, ms: u64) {
        let meter = self.meter(voice);
        meter.ms = meter.ms.saturating_add(ms);
    }

    fn remember(&mut self, id: CallId, voice: Voice) {
        if self.gone.len() == REMEMBERED {
            self.gone.pop_front();
        }
        self.gone.push_back((id, voice));
    }

    #[expect(clippy::indexing_slicing, reason = "the array has one place for each voice")]
    fn meter(&mut self, voice: Voice) -> &mut Usage {
        &mut self.usage[index(voice)]
    }
}

const fn index(voice: Voice) -> usize {
    match voice {
        Voice::Director => 0,
        Voice::Advisor => 1,
        Voice::Prediction => 2,
        Voice::Cards => 3,
        Voice::Summary => 4,
    }
}
