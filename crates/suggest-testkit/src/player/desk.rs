//! The player's books: which calls and submissions of one session still wait for an answer.

use crate::scenario::Addressee;
use serde_json::Value;
use suggest_core::{CallId, CardBook, Effect, Event, Origin, State, SubmitAuthor, Ticket, Voice};

#[derive(Debug)]
struct Call {
    id: CallId,
    voice: Voice,
    outstanding: bool,
}

#[derive(Debug)]
struct Pending {
    ticket: Ticket,
    author: SubmitAuthor,
    unanswered: bool,
}

/// What one core asked for, and the numbers that it used.
#[derive(Debug)]
pub(super) struct Desk {
    calls: Vec<Call>,
    submissions: Vec<Pending>,
    next_offer: u64,
    next_ticket: Ticket,
    /// The cards that the core last persisted (rule C6).
    cards: CardBook,
}

impl Desk {
    pub(super) fn new() -> Self {
        Self {
            calls: Vec::new(),
            submissions: Vec::new(),
            next_offer: 1,
            next_ticket: Ticket::new(1),
            cards: CardBook::default(),
        }
    }

    /// What a store would give to a new core of the session.
    pub(super) fn kept_cards(&self) -> CardBook {
        self.cards.clone()
    }

    fn keep(&mut self, what: &Value) {
        let mut what = what.clone();
        let kind = what.as_object_mut().and_then(|fields| fields.remove("kind"));
        if kind.as_ref().and_then(Value::as_str) == Some(CardBook::KIND)
            && let Ok(book) = serde_json::from_value(what)
        {
            self.cards = book;
        }
    }

    /// Where the numbers of a new core begin (rule D11).
    pub(super) fn next_numbers(&self) -> (u64, Ticket) {
        (self.next_offer, self.next_ticket)
    }

    /// The host starts again: nobody waits for the old core's calls and submissions any more, and its numbers of
    /// offers and tickets stay used.
    pub(super) fn restart(&mut self) {
        self.calls.clear();
        self.submissions.clear();
    }

    pub(super) fn note_effect(&mut self, effect: &Effect) {
        match effect {
            Effect::CallModel(call) => {
                self.calls.push(Call { id: call.call, voice: call.voice, outstanding: true });
            }
            Effect::CancelCall { call } => self.close_call(*call),
            Effect::SubmitTurn(submission) => {
                let (ticket, author) = (submission.ticket, submission.author);
                self.submissions.push(Pending { ticket, author, unanswered: true });
                self.next_ticket = self.next_ticket.max(ticket.next());
                self.note_offer(submission.offer.number());
            }
            Effect::Persist { what } => self.keep(what),
            // A host may still answer a submission that was taken back (rule A3).
            Effect::WithdrawTurn { .. }
            | Effect::DisarmGoal { .. }
            | Effect::Inject { .. }
            | Effect::Steer { .. }
            | Effect::FillInput { .. }
            | Effect::Report(_)
            | Effect::Publish { .. }
            | Effect::WakeAt { .. } => {}
        }
    }

    pub(super) fn note_state(&mut self, state: &State) {
        if let Some(offer) = &state.offer {
            self.note_offer(offer.id.number());
        }
    }

    fn note_offer(&mut self, number: u64) {
        self.next_offer = self.next_offer.max(number.saturating_add(1));
    }

    fn close_call(&mut self, id: CallId) {
        self.calls.iter_mut().filter(|call| call.id == id).for_each(|call| call.outstanding = false);
    }

    /// Takes the call that a scripted reply or error answers: the one of its number; else the oldest outstanding one
    /// of its voice; else, as a late answer, the voice's last one. None if the voice never called.
    pub(super) fn take_call(&mut self, to: Addressee) -> Option<CallId> {
        let of_voice = || self.calls.iter().filter(|call| call.voice == to.voice);
        let id = to
            .call
            .or_else(|| of_voice().find(|call| call.outstanding).map(|call| call.id))
            .or_else(|| of_voice().next_back().map(|call| call.id))?;
        self.close_call(id);
        Some(id)
    }

    /// Takes the submission that a scripted result answers: the one of its number; else the oldest unanswered one;
    /// else, as a second answer, the last one. None if nothing was ever submitted.
    pub(super) fn take_submission(&mut self, ticket: Option<Ticket>) -> Option<Ticket> {
        let ticket = ticket
            .or_else(|| {
                self.submissions.iter().find(|pending| pending.unanswered).map(|pending| pending.ticket)
            })
            .or_else(|| self.submissions.last().map(|pending| pending.ticket))?;
        let named = self.submissions.iter_mut().filter(|pending| pending.ticket == ticket);
        named.for_each(|pending| pending.unanswered = false);
        Some(ticket)
    }

    /// A turn that starts with our origin, or without one, accepts the oldest unanswered submission.
    pub(super) fn note_event(&mut self, event: &Event) {
        let Event::TurnStarted { origin, .. } = event else {
            return;
        };
        let ours = |author: SubmitAuthor| match origin {
            None | Some(Origin::Suggest) => true,
            Some(Origin::Human) => author == SubmitAuthor::Human,
            Some(Origin::Goal | Origin::Advisor | Origin::Other) => false,
        };
        if let Some(pending) =
            self.submissions.iter_mut().find(|pending| pending.unanswered && ours(pending.author))
        {
            pending.unanswered = false;
        }
    }
}
