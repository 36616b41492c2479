//! One watched session, as the engine's side sees it: what the plugin is told of it and asked for it.

use super::peer::{Peer, Unanswered};
use super::protocol::{
    DoneResult, Expect, FillParams, NoteParams, PauseParams, ReportParams, StateParams, SubmitParams,
    SubmitResult, WithdrawParams, WithdrawResult,
};
use super::view::View;
use async_trait::async_trait;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;
use suggest_core::{
    Coded, LoopReport, OfferId, ReasonCode, Revision, State, Status, Submission, SubmitAuthor, Ticket,
    print_state, shorten_middle, status_line,
};
use suggest_engine::{Host, SubmitAnswer};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How long the host may take to answer a Run by hand. It compares and submits in one go, so one that is slower hangs
/// or lost the request. Nothing else bounds it: a round of the loop stays open until its host answers or the human
/// disarms (rule A3), but a person who clicked waits for nothing.
const RUN_ANSWER: Duration = Duration::from_secs(10);

/// The most characters of a note's one-line summary.
const SUMMARY: usize = 120;

/// What of a session must outlive this process (rules D11, A6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) next_offer: u64,
    pub(crate) next_ticket: u64,
    pub(crate) spent_rounds: u32,
}

/// The engine's way to the plugin for one session.
#[derive(Debug)]
pub(crate) struct Link {
    session: String,
    peer: Arc<Peer>,
    view: Arc<View>,
    /// The plugin's count of human input that the core knows of.
    epoch: AtomicU64,
    numbers: Mutex<Numbers>,
    newest: Mutex<Option<Arc<State>>>,
    /// The rounds that are spent once the unanswered submission is accepted; 0: there is none. It counts until the
    /// answer says otherwise, so that a process which dies between the two refills nothing (rule A6).
    reserved: AtomicU32,
    /// How many submissions and texts for the input left.
    acts: watch::Sender<u64>,
    /// Whether a Run by hand waits for the host's answer.
    running: watch::Sender<bool>,
    /// The offer that the human ran last and the host did not take, and why.
    refused: Mutex<Option<(OfferId, String)>>,
    /// Texts that somebody else brings to the input when the core next wants them there, one for each that is accepted.
    expected_fills: Mutex<Vec<String>>,
    /// Whether the past is told. Before, nothing is shown.
    live: AtomicBool,
    pub(crate) closed: CancellationToken,
}

impl Link {
    pub(crate) fn new(session: &str, peer: Arc<Peer>, view: Arc<View>, epoch: u64, numbers: Numbers) -> Self {
        Self {
            session: session.to_owned(),
            peer,
            view,
            epoch: AtomicU64::new(epoch),
            numbers: Mutex::new(numbers),
            newest: Mutex::default(),
            reserved: AtomicU32::new(0),
            acts: watch::Sender::new(0),
            running: watch::Sender::new(false),
            refused: Mutex::default(),
            expected_fills: Mutex::default(),
            live: AtomicBool::new(false),
            closed: CancellationToken::new(),
        }
    }

    /// The plugin counted human input, and the core was told of it.
    pub(crate) fn saw_epoch(&self, epoch: u64) {
        self.epoch.fetch_max(epoch, Ordering::Relaxed);
    }

    /// The numbers as they stand.
    pub(crate) fn numbers(&self) -> Numbers {
        *self.lock_numbers()
    }

    /// How many submissions and texts for the input left so far.
    pub(crate) fn acts(&self) -> u64 {
        *self.acts.borrow()
    }

    /// Waits until another one left.
    pub(crate) async fn acted_since(&self, before: u64) {
        let _ = self.acts.subscribe().wait_for(|acts| *acts > before).await;
    }

    fn act(&self) {
        self.acts.send_modify(|acts| *acts = acts.wrapping_add(1));
    }

    /// From now on the plugin is told of every change.
    pub(crate) fn go_live(&self) {
        self.live.store(true, Ordering::Relaxed);
    }

    /// Tells the plugin what a person sees now.
    pub(crate) fn publish(&self, state: &Arc<State>) {
        {
            let mut numbers = self.lock_numbers();
            if let Some(offer) = &state.offer {
                numbers.next_offer = numbers.next_offer.max(offer.id.number().saturating_add(1));
            }
            numbers.spent_rounds = state.autorun.rounds;
        }
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(state));
        self.tell();
    }

    /// Tells the newest state again, because something beside it changed.
    fn tell(&self) {
        if !self.live.load(Ordering::Relaxed) || self.closed.is_cancelled() {
            return;
        }
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(state) = newest else { return };
        let state = self.shown(&state);
        let numbers = self.numbers();
        let params = StateParams {
            session: &self.session,
            seq: self.peer.next_state(),
            block: print_state(&state),
            line: status_line(&state),
            state: &state,
            next_offer: numbers.next_offer,
            next_ticket: numbers.next_ticket,
            spent_rounds: numbers.spent_rounds.max(self.reserved.load(Ordering::Relaxed)),
        };
        self.peer.outbox.push_state(&self.session, super::message::notification("state", &params));
    }

    /// The state as a person sees it: a Run that was not taken says so while its offer is on screen.
    pub(crate) fn shown(&self, state: &State) -> State {
        let mut state = self.view.shown(state);
        if let (Status::Ready, None, Some(offer)) = (state.status, &state.reason, &state.offer)
            && let Some((refused, why)) = &*self.lock_refused()
            && *refused == offer.id
        {
            state.reason = Some(Coded::new(ReasonCode::Refused, format!("your run was not taken: {why}")));
        }
        state
    }

    /// The human runs something anew.
    pub(crate) fn forget_refusal(&self) {
        *self.lock_refused() = None;
    }

    /// Why the human's last run was not taken, if it was not.
    pub(crate) fn refusal_of_the_run(&self) -> Option<String> {
        self.lock_refused().as_ref().map(|(_, why)| why.clone())
    }

    fn lock_refused(&self) -> MutexGuard<'_, Option<(OfferId, String)>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the submission of the human's run is still unanswered, as far as anybody waits for it.
    pub(crate) async fn run_is_answered(&self) {
        let _ = self.running.subscribe().wait_for(|running| !running).await;
    }

    /// The session is not watched any more: who waits for the plugin on its behalf stops waiting.
    pub(crate) fn close(&self) {
        self.closed.cancel();
        self.peer.outbox.drop_state(&self.session);
    }

    /// The next time that the core wants this text in the input, somebody else has seen to it.
    pub(crate) fn expect_fill(&self, text: &str) {
        self.lock_fills().push(text.to_owned());
    }

    /// Nobody sees to this text after all. Gives whether somebody was to.
    pub(crate) fn forget_fill(&self, text: &str) -> bool {
        let mut expected = self.lock_fills();
        let at = expected.iter().position(|one| one == text);
        at.map(|at| expected.swap_remove(at)).is_some()
    }

    fn lock_fills(&self) -> MutexGuard<'_, Vec<String>> {
        self.expected_fills.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a text into the input, for the human to send.
    ///
    /// # Errors
    ///
    /// Why the host did not take it, in one line.
    pub(crate) async fn fill(&self, text: &str) -> Result<(), String> {
        let params = FillParams { session: &self.session, text };
        let asked = self.done("input/fill", &params);
        let mut asked = std::pin::pin!(asked);
        // It leaves at the first poll, which is when whoever waits for it may go on.
        let first = std::future::poll_fn(|context| Poll::Ready(asked.as_mut().poll(context))).await;
        self.act();
        match first {
            Poll::Ready(done) => done,
            Poll::Pending => asked.await,
        }
    }

    /// Has the plugin do something. The error is the reason, in one line.
    async fn done(&self, method: &'static str, params: &impl serde::Serialize) -> Result<(), String> {
        let asked = self.peer.request::<DoneResult>(method, params);
        match self.closed.run_until_cancelled(asked).await {
            Some(Ok(DoneResult { ok: true, .. })) => Ok(()),
            Some(Err(Unanswered::Gone)) | None => Err("the session is closed".to_owned()),
            Some(Ok(DoneResult { ok: false, reason })) => {
                let reason = reason.as_deref().map(plain).unwrap_or_default();
                tracing::warn!(session = %self.session, method, reason, "the plugin could not do it");
                Err(reason)
            }
            Some(Err(Unanswered::Refused(_) | Unanswered::Unreadable)) => {
                tracing::warn!(session = %self.session, method, "the plugin gave no usable answer");
                Err("the plugin gave no usable answer".to_owned())
            }
        }
    }

    fn run_refused(&self, offer: OfferId, why: String) -> SubmitAnswer {
        *self.lock_refused() = Some((offer, why.clone()));
        self.running.send_replace(false);
        SubmitAnswer::refused(why)
    }

    fn note<'a>(&'a self, text: &'a str) -> NoteParams<'a> {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        NoteParams { session: &self.session, text, summary: shorten_middle(&line, SUMMARY) }
    }

    fn lock_numbers(&self) -> MutexGuard<'_, Numbers> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reason of the plugin, fit for one line.
fn plain(reason: &str) -> String {
    reason.chars().filter(|character| !character.is_control()).take(200).collect()
}

/// Why the host refused, in words.
fn refusal(reason: Option<&str>) -> String {
    match reason {
        None | Some("") => "the host refused the turn".to_owned(),
        Some("gone") => "the session is not live in the host any more".to_owned(),
        Some("busy") => "the session was busy, or a prompt waited in its queue".to_owned(),
        Some("stale-turn") => "another turn had ended meanwhile".to_owned(),
        Some("human") => "you had written something meanwhile".to_owned(),
        Some("goal-owns") => "the goal's own driver had the next turn".to_owned(),
        Some("goal-moved") => "the goal had changed meanwhile".to_owned(),
        Some(other) => plain(other),
    }
}

impl LinkedHost {
    /// Asks for a withdrawal without waiting for what comes of it.
    async fn send_withdrawal(&self, ticket: Ticket) {
        let params = WithdrawParams { session: &self.0.session, ticket };
        let asked = self.0.peer.request::<WithdrawResult>("withdraw", &params);
        let mut asked = std::pin::pin!(asked);
        let _ = std::future::poll_fn(|context| Poll::Ready(asked.as_mut().poll(context))).await;
    }
}

/// The link as the engine's host.
#[derive(Debug)]
pub(crate) struct LinkedHost(pub(crate) Arc<Link>);

#[async_trait]
impl Host for LinkedHost {
    async fn submit_turn(&self, _session: &str, submission: Submission) -> SubmitAnswer {
        let link = &self.0;
        {
            let mut numbers = link.lock_numbers();
            numbers.next_offer = numbers.next_offer.max(submission.offer.number().saturating_add(1));
            numbers.next_ticket = numbers.next_ticket.max(submission.ticket.next().get());
        }
        let round = submission.author == SubmitAuthor::Suggest;
        *link.lock_refused() = None;
        link.running.send_replace(!round);
        if round {
            // The core may count it first, when the turn's start comes before the answer: then it counts once.
            let spent = link.lock_numbers().spent_rounds.saturating_add(1);
            link.reserved.store(spent, Ordering::Relaxed);
        }
        // What is used up is told before it is used.
        link.tell();
        let params = SubmitParams {
            session: &link.session,
            ticket: submission.ticket,
            offer: submission.offer,
            text: &submission.text,
            author: submission.author,
            expect: Expect {
                turn: submission.expect.turn,
                goal: submission.expect.goal.as_ref(),
                human_epoch: link.epoch.load(Ordering::Relaxed),
            },
        };
        let asked = link.peer.request::<SubmitResult>("submit", &params);
        let asked = async {
            let mut asked = std::pin::pin!(asked);
            // It leaves at the first poll, which is when whoever waits for it may go on.
            let first = std::future::poll_fn(|context| Poll::Ready(asked.as_mut().poll(context))).await;
            link.act();
            match first {
                Poll::Ready(answer) => answer,
                Poll::Pending => asked.await,
            }
        };
        let asked = link.closed.run_until_cancelled(asked);
        let answer = if round {
            asked.await
        } else if let Ok(answer) = tokio::time::timeout(RUN_ANSWER, asked).await {
            answer
        } else {
            // Should it have been queued all the same, it is taken back.
            self.send_withdrawal(submission.ticket).await;
            return link.run_refused(
                submission.offer,
                format!("the host did not answer within {} s; run it again", RUN_ANSWER.as_secs()),
            );
        };
        if round && !matches!(answer, Some(Err(Unanswered::Unreadable))) {
            link.reserved.store(0, Ordering::Relaxed);
        }
        let why = match answer {
            Some(Ok(SubmitResult { accepted: true, .. })) => {
                link.running.send_replace(false);
                return SubmitAnswer::Accepted;
            }
            Some(Ok(SubmitResult { accepted: false, reason, .. })) => refusal(reason.as_deref()),
            Some(Err(Unanswered::Refused(_))) => "the plugin failed to submit the turn".to_owned(),
            // Whether it was taken is not known: a round must count as open (rule A3).
            Some(Err(Unanswered::Unreadable)) if round => return SubmitAnswer::Later,
            Some(Err(Unanswered::Unreadable)) => "the plugin gave no usable answer".to_owned(),
            Some(Err(Unanswered::Gone)) => "the plugin is gone".to_owned(),
            None => "the session is closed".to_owned(),
        };
        if round { SubmitAnswer::refused(why) } else { link.run_refused(submission.offer, why) }
    }

    async fn withdraw_turn(&self, _session: &str, ticket: Ticket) {
        let params = WithdrawParams { session: &self.0.session, ticket };
        let asked = self.0.peer.request::<WithdrawResult>("withdraw", &params);
        if let Some(Ok(result)) = self.0.closed.run_until_cancelled(asked).await {
            tracing::debug!(session = %self.0.session, withdrawn = result.withdrawn, "withdraw");
        }
    }

    async fn disarm_goal(&self, _session: &str, goal: &str, revision: Revision) {
        let params = PauseParams { session: &self.0.session, id: goal, revision };
        let _ = self.0.done("goal/pause", &params).await;
    }

    async fn inject(&self, _session: &str, text: String) {
        let _ = self.0.done("inject", &self.0.note(&text)).await;
    }

    async fn steer(&self, _session: &str, text: String, _wakes: bool) {
        let _ = self.0.done("steer", &self.0.note(&text)).await;
    }

    async fn fill_input(&self, _session: &str, text: String) {
        if !self.0.forget_fill(&text) {
            let _ = self.0.fill(&text).await;
        }
    }

    async fn report(&self, _session: &str, report: &LoopReport) {
        self.0.peer.notify("report", &ReportParams { session: &self.0.session, report });
    }
}
