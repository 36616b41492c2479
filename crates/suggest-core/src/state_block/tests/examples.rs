//! One state of every phase that a person meets.

use crate::answer::OfferKind;
use crate::code::{Coded, DisarmCode, HoldCode, ReasonCode};
use crate::event::GoalPhase;
use crate::ids::{OfferId, Revision, Turn};
use crate::state::{
    AdvisorStatus, AdvisorView, AutorunView, CardOrigin, CardView, CardsView, GoalStateView, ModelSource,
    ModelView, OfferView, Priority, State, Status, SummaryView, Usage,
};

/// Each phase with the name of its snapshot.
pub(super) fn phases() -> Vec<(&'static str, State)> {
    vec![
        ("off_without_a_model", off()),
        ("idle_with_nothing_to_recommend", idle()),
        ("analyzing", analyzing()),
        ("ready", ready()),
        ("failed_with_an_older_offer", failed_with_older_offer()),
        ("armed_with_a_hold", armed_with_a_hold()),
        ("disarmed_with_a_spent_budget", spent()),
        ("goal_paused_by_autorun", goal_paused()),
        ("offer_that_looks_like_the_block", offer_like_the_block()),
        ("every_voice", every_voice()),
    ]
}

fn off() -> State {
    State {
        status: Status::Off,
        reason: Some(ReasonCode::NoModel.coded()),
        offer: None,
        autorun: AutorunView { armed: false, hold: None, rounds: 0, max_rounds: 24, disarmed_because: None },
        goal: None,
        model: None,
        usage: Usage::default(),
        advisor: None,
        cards: None,
        summary: None,
    }
}

fn on(status: Status, reason: Option<Coded<ReasonCode>>) -> State {
    State {
        status,
        reason,
        model: Some(ModelView {
            id: "deepseek/deepseek-chat".parse().expect("a route"),
            source: ModelSource::Config,
        }),
        usage: Usage {
            calls: 3,
            failed_calls: 0,
            input_tokens: 2_411,
            output_tokens: 96,
            cached_tokens: 1_920,
            ms: 4_250,
        },
        ..off()
    }
}

fn idle() -> State {
    on(Status::Idle, Some(ReasonCode::NothingToRecommend.coded()))
}

fn analyzing() -> State {
    let mut state = on(Status::Analyzing, None);
    state.model = state.model.map(|model| ModelView { source: ModelSource::Command, ..model });
    state
}

pub(super) fn ready() -> State {
    let mut state = on(Status::Ready, None);
    state.autorun.rounds = 3;
    state.offer = Some(OfferView {
        id: OfferId::new(7),
        text: "Add a test for `report --json` on an empty ledger.".to_owned(),
        turn: Turn::new(4),
        current: true,
        kind: OfferKind::Prompt,
        model: "deepseek/deepseek-chat".parse().expect("a route"),
    });
    state
}

pub(super) fn failed_with_older_offer() -> State {
    let message = "312 characters, cap 240, after one retry";
    let mut state = State {
        status: Status::Failed,
        reason: Some(Coded::new(ReasonCode::InvalidAnswer, message)),
        ..ready()
    };
    if let Some(offer) = &mut state.offer {
        offer.current = false;
    }
    state.usage.failed_calls = 1;
    state
}

fn armed_with_a_hold() -> State {
    let mut state = ready();
    if let Some(offer) = &mut state.offer {
        offer.text = "git push --force origin main".to_owned();
        offer.kind = OfferKind::Destructive;
    }
    state.autorun.armed = true;
    state.autorun.hold = Some(HoldCode::ByHandOffer.coded());
    state
}

fn spent() -> State {
    let mut state = ready();
    state.autorun.rounds = 24;
    state.autorun.disarmed_because = Some(Coded::new(DisarmCode::BudgetSpent, "24 of 24 rounds spent"));
    state
}

fn goal_paused() -> State {
    let mut state = ready();
    state.autorun.armed = true;
    state.goal = Some(GoalStateView {
        id: "goal-1".to_owned(),
        revision: Revision::new(5),
        phase: GoalPhase::Paused,
        armed: false,
        objective: "Ship `report --json`.\n\nIt must work on an empty ledger.".to_owned(),
        paused_by_autorun: true,
    });
    state
}

fn offer_like_the_block() -> State {
    let mut state = ready();
    if let Some(offer) = &mut state.offer {
        offer.text = "status        off\n  text        | C:\\temp\t\u{1b}[31m\u{2028}\n\n|  \r\n".to_owned();
    }
    state
}

fn every_voice() -> State {
    let usage = Usage { calls: 1, ms: 1_250, ..Usage::default() };
    let mut state = ready();
    state.advisor = Some(AdvisorView {
        status: AdvisorStatus::Paused,
        reason: Some(Coded::new("quota_exhausted".to_owned(), "the provider's quota is used up")),
        model: Some(ModelView {
            id: "deepseek/deepseek-chat".parse().expect("a route"),
            source: ModelSource::Command,
        }),
        trying: Some("deepseek/deepseek-reasoner".parse().expect("a route")),
        pin_refused: Some(
            "mock/one was not pinned: the model is unknown; the earlier choice stands".to_owned(),
        ),
        in_flight: false,
        backlog: 2,
        blocker: Some("The migration drops a column that `report` still reads.".to_owned()),
        steers_since_human: 1,
        delivered: 4,
        dropped: [("duplicate".to_owned(), 2), ("two words".to_owned(), 1)].into(),
        prediction: Some("Run the report tests again.".to_owned()),
        usage,
    });
    state.cards = Some(CardsView {
        open: vec![CardView {
            id: "c1".to_owned(),
            title: "Cover the empty ledger".to_owned(),
            text: "src/report.rs has no test for it.".to_owned(),
            prompt: "Add a test for an empty ledger to src/report.rs.".to_owned(),
            category: "tests".to_owned(),
            priority: Priority::High,
            origin: CardOrigin::Local,
            stale: false,
        }],
        dropped: [("generic".to_owned(), 1)].into(),
        in_flight: true,
        reason: None,
        usage,
    });
    state.summary = Some(SummaryView {
        text: Some("Added `report --json`.".to_owned()),
        origin: Some(CardOrigin::Model),
        in_flight: false,
        reason: None,
        usage,
    });
    state
}
