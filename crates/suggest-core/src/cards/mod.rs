//! Idle cards: up to three specific things to do next for a session that waits (section C).
//!
//! This file holds the voice's place in the session: when it asks and what comes of it. [`lifecycle`] decides when;
//! [`work`] says what is quoted; [`parse`] reads an answer, [`filter`] judges it; [`fallback`] speaks where no model
//! does, in the words of [`proposals`]; [`manager`] keeps the cards.

mod commands;
mod fallback;
mod filter;
#[rustfmt::skip] // Lists of phrases are set by hand.
mod findings;
mod generic;
#[rustfmt::skip] // Word lists are set by hand.
mod generic_words;
pub(crate) mod lifecycle;
mod manager;
mod names;
mod parse;
mod proposals;
#[rustfmt::skip] // Lists of phrases are set by hand.
mod said;
mod similar;
mod tokens;
pub(crate) mod work;

pub use manager::{
    CardBook, CardCounts, CardError, CardLimits, CardManager, CardState, Dismissal, Dismissals, DropReason,
    Fingerprint, Hero, HeroStatus, IdleSuggestion, NewCard, Offered, PromptIntent, SessionSummary, Snapshot,
    idle_suggestion_event,
};

use crate::code::{Coded, ReasonCode};
use crate::config::Config;
use crate::effect::{Effect, ModelCall, Voice};
use crate::event::{EndReason, Origin};
use crate::facts::SessionFacts;
use crate::ids::{CallId, Timestamp, Turn};
use crate::prompts;
use crate::reply::{CallError, ModelReply};
use crate::session::{Session, SessionKind};
use crate::state::CardsView;
use lifecycle::Lifecycle;
use std::collections::BTreeMap;

/// The abort of rule C4.
const DEADLINE_MS: u64 = 18_000;

/// What the cards know of a session.
#[derive(Debug)]
pub(crate) struct Cards {
    pub(super) life: Lifecycle,
    /// This session's cards and its summary.
    pub(crate) manager: CardManager,
    /// Candidates dropped since the core was made.
    dropped: BTreeMap<DropReason, u32>,
    /// Why the model did not write what was made last.
    failed: Option<Coded<ReasonCode>>,
    /// The voice made something, was asked or dropped something: before that there is nothing to show.
    seen: bool,
}

impl Cards {
    /// Goes on with what was kept of this session (rule C6).
    pub(crate) fn new(book: CardBook) -> Self {
        let seen = !book.cards.is_empty();
        let mut manager = CardManager::from_book(CardLimits::of_one_session(), book);
        // What was kept carries times of another clock.
        manager.restart_clock();
        Self { life: Lifecycle::default(), manager, dropped: BTreeMap::new(), failed: None, seen }
    }
}

/// The reason of a call that took too long.
pub(crate) fn timed_out(deadline_ms: u64) -> Coded<ReasonCode> {
    Coded::new(ReasonCode::Timeout, format!("timed out after {} s", deadline_ms / 1_000))
}

/// What the session tells the cards. Every hook is called after the shared view has folded the event.
impl Session {
    /// A live turn starts, or the session said that it is busy: a generation in flight is given up.
    pub(crate) fn cards_busy(&mut self) {
        if let Some(call) = self.cards.life.give_up() {
            self.cancel_call(call);
        }
    }

    /// A live turn starts.
    pub(crate) fn cards_turn_started(&mut self, _turn: Turn, _origin: Option<Origin>) {}

    /// A live turn ended.
    pub(crate) fn cards_turn_ended(&mut self, turn: Turn, reason: EndReason) {
        if reason == EndReason::Completed {
            let files = self.files_of(turn);
            let now = self.now.get();
            if self.cards.manager.turn_completed(&self.setup.id, turn, &files, now) {
                self.cards_changed(&[]);
            }
            self.cards.life.work_completed();
            self.summary.life.work_completed();
        }
        if self.turns.boundary_open() {
            // The host said that it is idle before it said that the turn is over (rule A10).
            self.cards_idle();
            self.summary_idle();
        }
    }

    fn files_of(&self, turn: Turn) -> Vec<String> {
        let tools = self.transcript.activity().tools().filter(|tool| tool.turn == turn);
        tools.flat_map(|tool| tool.files.iter().cloned()).collect()
    }

    /// The session said that it is idle (rule C1).
    pub(crate) fn cards_idle(&mut self) {
        if self.idle_voice_may_speak(self.config.cards.enabled) && self.cards.life.trigger(self.now) {
            self.generate_cards();
        }
    }

    /// Whether an idle voice may speak at all: a person sits before the session, or the host opts in (rule D12), the last
    /// turn completed, and nothing runs.
    pub(crate) fn idle_voice_may_speak(&self, enabled: bool) -> bool {
        let attended = match self.setup.kind {
            SessionKind::Interactive => true,
            SessionKind::Headless | SessionKind::Subagent => self.setup.opt_in,
        };
        enabled && attended && !self.closed && self.turns.open.is_none() && self.turns.last_turn_completed()
    }

    /// Starts a generation: a call where there is a model, else the fallback at once.
    pub(super) fn generate_cards(&mut self) {
        let facts = self.facts();
        let Some(turn) = facts.last_completed_turn.filter(|_| work::is_enough(&facts)) else { return };
        self.cards.life.start(self.now);
        self.cards.failed = None;
        let Some(model) = self.config.cards.model.clone() else {
            self.cards_fallback(&facts, turn);
            return;
        };
        let hero = self.transcript.clean(&self.setup.id);
        let messages = prompts::cards::ask(work::quoted(&hero, &hero, &facts));
        let call = self.calls.open(Voice::Cards);
        self.cards.life.wait_for(call, turn);
        self.cards.seen = true;
        self.emit(Effect::CallModel(ModelCall {
            call,
            voice: Voice::Cards,
            attempt: 1,
            model,
            messages,
            deadline_ms: DEADLINE_MS,
        }));
    }

    fn cards_fallback(&mut self, facts: &SessionFacts, turn: Turn) {
        let made = fallback::cards(facts, &self.cards.manager, &self.setup.id, turn);
        self.take_up(made.cards, made.dropped);
    }

    /// The end of a generation: what it made is offered, and the rest is counted.
    fn take_up(&mut self, cards: Vec<NewCard>, dropped: BTreeMap<DropReason, u32>) {
        self.cards.life.settle();
        self.cards.manager.count_dropped(&dropped);
        let stale = self.cards.manager.open().any(|card| card.stale);
        self.note_dropped(&dropped);
        if cards.is_empty() && !stale {
            if !dropped.is_empty() {
                self.cards_changed(&[]);
            }
            return;
        }
        let offered = self.cards.manager.offer(&self.setup.id, cards, self.now.get());
        self.note_dropped(&offered.dropped);
        self.cards.seen = true;
        self.cards_changed(&offered.added);
    }

    fn note_dropped(&mut self, dropped: &BTreeMap<DropReason, u32>) {
        for (reason, count) in dropped {
            let counted = self.cards.dropped.entry(*reason).or_default();
            *counted = counted.saturating_add(*count);
            self.cards.seen = true;
        }
    }

    /// Tells subscribers and the store (rules C6, C7).
    pub(crate) fn cards_changed(&mut self, added: &[String]) {
        let snapshot = self.cards.manager.snapshot(Some(&self.setup.id));
        if let Ok(event) = serde_json::to_value(&snapshot) {
            self.emit(Effect::Publish { event });
        }
        let strings: Vec<_> =
            added.iter().filter_map(|id| self.cards.manager.card(id)).map(idle_suggestion_event).collect();
        for event in strings {
            self.emit(Effect::Publish { event });
        }
        if let Ok(serde_json::Value::Object(mut what)) = serde_json::to_value(self.cards.manager.book()) {
            what.insert("kind".to_owned(), CardBook::KIND.into());
            self.emit(Effect::Persist { what: what.into() });
        }
    }

    /// The conversation was rewritten: what was made of the old one may be wrong.
    pub(crate) fn cards_rewrite(&mut self) {
        for call in [self.cards.life.forget_work(), self.summary.life.forget_work()].into_iter().flatten() {
            self.cancel_call(call);
        }
        if self.cards.manager.session_rewritten(&self.setup.id, self.now.get()) {
            self.cards_changed(&[]);
        }
    }

    /// The session closed. Open cards stay for whoever opens it again.
    pub(crate) fn cards_closed(&mut self) {
        self.cards_busy();
    }

    /// The configuration changed; `self.config` is the new one.
    pub(crate) fn cards_config_changed(&mut self, old: &Config) {
        if self.config.cards == old.cards {
            return;
        }
        let asked = self.cards.life.give_up();
        if let Some(call) = asked {
            self.cancel_call(call);
            // The work that the old model was asked about still waits.
            if self.turns.boundary_open() {
                self.cards_idle();
            }
        }
    }

    /// The request left.
    pub(crate) fn cards_sent(&mut self, call: CallId) {
        self.cards.life.sent(call, self.now.plus_ms(DEADLINE_MS));
    }

    /// A call of the cards brought a reply.
    pub(crate) fn cards_reply(&mut self, call: CallId, reply: &ModelReply) {
        let Some(flight) = self.cards.life.finish(call) else { return };
        let facts = self.facts();
        let parsed = parse::parse(&reply.text);
        let judged = filter::judge(parsed, &facts, &self.cards.manager, &self.setup.id, flight.turn);
        if !judged.says_nothing() {
            let (mut cards, dropped) = (judged.cards, judged.dropped);
            for card in &mut cards {
                // What a model wrote is scrubbed like what it read.
                for text in [&mut card.title, &mut card.text, &mut card.prompt, &mut card.category] {
                    *text = self.transcript.scrub(text);
                }
            }
            self.take_up(cards, dropped);
            return;
        }
        let line = match judged.dropped.contains_key(&DropReason::Generic) {
            true => "the answer held only generic cards",
            false => "the answer held no card",
        };
        self.cards.failed = Some(Coded::new(ReasonCode::InvalidAnswer, line));
        self.cards.manager.count_dropped(&judged.dropped);
        self.note_dropped(&judged.dropped);
        self.cards_fallback(&facts, flight.turn);
    }

    /// A call of the cards failed: the fallback speaks (rule C5).
    pub(crate) fn cards_error(&mut self, call: CallId, error: &CallError) {
        if let Some(flight) = self.cards.life.finish(call) {
            self.cards.failed = Some(self.error_reason(error));
            let facts = self.facts();
            self.cards_fallback(&facts, flight.turn);
        }
    }

    /// When the cards next want time to pass.
    pub(crate) fn cards_wake(&self) -> Option<Timestamp> {
        let expiry = self.cards.manager.next_expiry().map(Timestamp::new);
        [self.cards.life.wake(), expiry].into_iter().flatten().min()
    }

    /// Timers that are due at `self.now`.
    pub(crate) fn cards_timers(&mut self) {
        if let Some(flight) = self.cards.life.take_overdue(self.now) {
            self.calls.timed_out(flight.call, self.now);
            self.emit(Effect::CancelCall { call: flight.call });
            self.cards.failed = Some(timed_out(DEADLINE_MS));
            let facts = self.facts();
            self.cards_fallback(&facts, flight.turn);
        }
        if self.cards.life.take_kept(self.now)
            && self.turns.idle
            && self.idle_voice_may_speak(self.config.cards.enabled)
        {
            self.generate_cards();
        }
        if self.cards.manager.expire(self.now.get()) {
            self.cards_changed(&[]);
        }
    }

    pub(crate) fn cards_view(&self) -> Option<CardsView> {
        self.cards.seen.then(|| CardsView {
            open: self
                .cards
                .manager
                .open_of(&self.setup.id)
                .into_iter()
                .map(|card| card.view(self.turns.last_completed))
                .collect(),
            dropped: self
                .cards
                .dropped
                .iter()
                .map(|(reason, count)| (reason.as_str().to_owned(), *count))
                .collect(),
            in_flight: self.cards.life.in_flight().is_some(),
            reason: self.cards.failed.clone(),
            usage: self.calls.usage(Voice::Cards),
        })
    }
}
