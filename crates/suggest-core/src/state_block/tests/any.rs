//! Generators of states, texts and damage.

use super::HOSTILE;
use crate::answer::OfferKind;
use crate::code::{Coded, DisarmCode, HoldCode, ReasonCode};
use crate::event::GoalPhase;
use crate::ids::{ModelId, OfferId, Revision, Turn};
use crate::state::{
    AdvisorStatus, AdvisorView, AutorunView, CardOrigin, CardView, CardsView, GoalStateView, ModelSource,
    ModelView, OfferView, Priority, State, Status, SummaryView, Usage,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Any text, and often one made of pieces that are dangerous to a line format.
pub(super) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => any::<String>(),
        1 => select(HOSTILE).prop_map(str::to_owned),
        4 => vec(prop_oneof![piece(), select(HOSTILE).prop_map(str::to_owned)], 0..6)
            .prop_map(|pieces| pieces.concat()),
    ]
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec![
            "\n", "\r", "\t", " ", "  ", "|", "| ", "\\", "\\u{", "}", ": ", "·", "none", "turn 1", "0"
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ]
}

fn model_id() -> impl Strategy<Value = ModelId> {
    let any_route = (text(), text()).prop_filter_map("no route", |(provider, model)| {
        format!("{}/{}", provider.replace(['/', ' '], ""), model.replace(' ', "")).parse().ok()
    });
    let route = select(vec![
        "deepseek/deepseek-chat",
        "a/b/c",
        "|/x",
        "none/none",
        "\\/\\n",
        "日本/語",
        "a:/b",
        "\u{200b}/\u{202e}",
    ])
    .prop_map(|text| text.parse().expect("a route"));
    prop_oneof![route, any_route]
}

fn coded<C: Copy + std::fmt::Debug>(
    codes: &'static [C],
    usual: impl Fn(C) -> Coded<C>,
) -> impl Strategy<Value = Option<Coded<C>>> {
    option::of((select(codes), option::of(text())).prop_map(move |(code, message)| match message {
        Some(message) => Coded::new(code, message),
        None => usual(code),
    }))
}

fn usage() -> impl Strategy<Value = Usage> {
    any::<[u64; 6]>().prop_map(|[calls, failed_calls, input_tokens, output_tokens, cached_tokens, ms]| {
        Usage {
            calls: if calls % 3 == 0 { 1 } else { calls },
            failed_calls,
            input_tokens,
            output_tokens,
            cached_tokens,
            ms,
        }
    })
}

fn offer() -> impl Strategy<Value = OfferView> {
    let kinds = vec![OfferKind::Prompt, OfferKind::GoalEdit, OfferKind::Command, OfferKind::Destructive];
    (any::<(u64, u64, bool)>(), text(), select(kinds), model_id()).prop_map(
        |((id, turn, current), text, kind, model)| OfferView {
            id: OfferId::new(id),
            text,
            turn: Turn::new(turn),
            current,
            kind,
            model,
        },
    )
}

fn autorun() -> impl Strategy<Value = AutorunView> {
    (
        any::<(bool, u32, u32)>(),
        coded(HoldCode::ALL, HoldCode::coded),
        coded(DisarmCode::ALL, DisarmCode::coded),
    )
        .prop_map(|((armed, rounds, max_rounds), hold, disarmed_because)| AutorunView {
            armed,
            hold,
            rounds,
            max_rounds,
            disarmed_because,
        })
}

fn goal() -> impl Strategy<Value = GoalStateView> {
    let phases = vec![GoalPhase::Active, GoalPhase::Paused, GoalPhase::Blocked, GoalPhase::Complete];
    (text(), text(), select(phases), any::<(u64, bool, bool)>()).prop_map(
        |(id, objective, phase, (revision, armed, paused_by_autorun))| GoalStateView {
            id,
            revision: Revision::new(revision),
            phase,
            armed,
            objective,
            paused_by_autorun,
        },
    )
}

fn advisor() -> impl Strategy<Value = AdvisorView> {
    let statuses = vec![
        AdvisorStatus::Disabled,
        AdvisorStatus::Off,
        AdvisorStatus::Idle,
        AdvisorStatus::Reviewing,
        AdvisorStatus::Paused,
        AdvisorStatus::Halted,
    ];
    (
        select(statuses),
        option::of((text(), text())),
        (option::of(model_view()), option::of(model_id()), option::of(text())),
        any::<(bool, u32, u32, u32)>(),
        option::of(text()),
        btree_map(text(), any::<u32>(), 0..4),
        option::of(text()),
        usage(),
    )
        .prop_map(
            |(
                status,
                reason,
                (model, trying, pin_refused),
                (in_flight, backlog, steers, delivered),
                blocker,
                dropped,
                prediction,
                usage,
            )| {
                AdvisorView {
                    status,
                    reason: reason.map(|(code, message)| Coded::new(code, message)),
                    model,
                    trying,
                    pin_refused,
                    in_flight,
                    backlog,
                    blocker,
                    steers_since_human: steers,
                    delivered,
                    dropped,
                    prediction,
                    usage,
                }
            },
        )
}

fn model_view() -> impl Strategy<Value = ModelView> {
    (model_id(), select(ModelSource::ALL.to_vec())).prop_map(|(id, source)| ModelView { id, source })
}

fn origin() -> impl Strategy<Value = CardOrigin> {
    select(vec![CardOrigin::Model, CardOrigin::Local])
}

fn card() -> impl Strategy<Value = CardView> {
    let priorities = select(vec![Priority::Low, Priority::Medium, Priority::High]);
    ([text(), text(), text(), text(), text()], priorities, origin(), any::<bool>()).prop_map(
        |([id, title, text, prompt, category], priority, origin, stale)| CardView {
            id,
            title,
            text,
            prompt,
            category,
            priority,
            origin,
            stale,
        },
    )
}

fn cards() -> impl Strategy<Value = CardsView> {
    let reason = coded(ReasonCode::ALL, ReasonCode::coded);
    (vec(card(), 0..4), btree_map(text(), any::<u32>(), 0..4), any::<bool>(), reason, usage()).prop_map(
        |(open, dropped, in_flight, reason, usage)| CardsView { open, dropped, in_flight, reason, usage },
    )
}

fn summary() -> impl Strategy<Value = SummaryView> {
    let reason = coded(ReasonCode::ALL, ReasonCode::coded);
    (option::of(text()), option::of(origin()), any::<bool>(), reason, usage()).prop_map(
        |(text, origin, in_flight, reason, usage)| SummaryView { text, origin, in_flight, reason, usage },
    )
}

/// Any state at all, also such as no session reaches.
pub(super) fn state() -> impl Strategy<Value = State> {
    let statuses = vec![Status::Off, Status::Idle, Status::Analyzing, Status::Ready, Status::Failed];
    (
        (select(statuses), coded(ReasonCode::ALL, ReasonCode::coded), option::of(model_view()), usage()),
        (option::of(offer()), autorun(), option::of(goal())),
        (option::of(advisor()), option::of(cards()), option::of(summary())),
    )
        .prop_map(
            |((status, reason, model, usage), (offer, autorun, goal), (advisor, cards, summary))| State {
                status,
                reason,
                offer,
                autorun,
                goal,
                model,
                usage,
                advisor,
                cards,
                summary,
            },
        )
}

/// The state with one text in every place that takes any text.
pub(super) fn with_every_text(mut state: State, text: &str) -> State {
    let text = || text.to_owned();
    if let Some(reason) = &mut state.reason {
        reason.message = text();
    }
    if let Some(offer) = &mut state.offer {
        offer.text = text();
    }
    if let Some(hold) = &mut state.autorun.hold {
        hold.message = text();
    }
    if let Some(why) = &mut state.autorun.disarmed_because {
        why.message = text();
    }
    if let Some(goal) = &mut state.goal {
        goal.id = text();
        goal.objective = text();
    }
    state.advisor = Some(AdvisorView {
        reason: Some(Coded::new(text(), text())),
        blocker: Some(text()),
        dropped: [(text(), 1), (format!("{}2", text()), 2)].into(),
        prediction: Some(text()),
        pin_refused: Some(text()),
        ..AdvisorView::default()
    });
    state.cards = Some(CardsView {
        open: vec![CardView {
            id: text(),
            title: text(),
            text: text(),
            prompt: text(),
            category: text(),
            priority: Priority::High,
            origin: CardOrigin::Local,
            stale: false,
        }],
        dropped: [(text(), 1)].into(),
        ..CardsView::default()
    });
    state.summary = Some(SummaryView { text: Some(text()), ..SummaryView::default() });
    state
}

/// One way in which a block is damaged on its way.
#[derive(Debug, Clone)]
pub(super) enum Damage {
    DropLine(Index),
    DoubleLine(Index),
    SwapLines(Index, Index),
    Insert(Index, String),
    CutAt(Index),
}

impl Damage {
    pub(super) fn apply(&self, block: &str) -> String {
        let mut lines: Vec<&str> = block.split('\n').collect();
        let mut characters: Vec<char> = block.chars().collect();
        match self {
            Self::DropLine(at) => {
                lines.remove(at.index(lines.len()));
            }
            Self::DoubleLine(at) => {
                let at = at.index(lines.len());
                lines.insert(at, lines[at]);
            }
            Self::SwapLines(one, other) => {
                let count = lines.len();
                lines.swap(one.index(count), other.index(count));
            }
            Self::Insert(at, text) => {
                let at = at.index(characters.len());
                characters.splice(at..at, text.chars());
                return characters.into_iter().collect();
            }
            Self::CutAt(at) => {
                characters.truncate(at.index(characters.len()));
                return characters.into_iter().collect();
            }
        }
        lines.join("\n")
    }
}

pub(super) fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        any::<Index>().prop_map(Damage::DropLine),
        any::<Index>().prop_map(Damage::DoubleLine),
        any::<(Index, Index)>().prop_map(|(one, other)| Damage::SwapLines(one, other)),
        (any::<Index>(), text()).prop_map(|(at, text)| Damage::Insert(at, text)),
        any::<Index>().prop_map(Damage::CutAt),
    ]
}
