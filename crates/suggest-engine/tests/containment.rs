//! Foreign code that panics or hangs hurts nobody else.

#![expect(clippy::panic, reason = "this is what the tests are about")]

mod support;

use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;
use suggest_core::{Command, Goal, GoalPhase, Revision, SessionSetup, Status};
use suggest_engine::{Engine, Provider, SessionHandle};
use suggest_llm::{Llm, LlmError, LlmReply, LlmRequest, TransferNeed};
use suggest_testkit::{Asked, RecordingHost, SubmitScript, VirtualClock};
use support::*;

const CALL: Duration = Duration::from_millis(200);

fn open_on(engine: &Engine, id: &str, host: &RecordingHost) -> SessionHandle {
    engine.open_session(SessionSetup::new(id), plain(), Arc::new(host.clone()))
}

/// The session still works: a turn brings its offer.
async fn works(session: &SessionHandle, turn: u64) {
    complete_turn(session, turn, "ledger-1");
    assert_eq!(settled(session).await.status, Status::Ready);
}

#[tokio::test(start_paused = true)]
async fn a_panicking_submission_is_a_refusal_and_puts_the_offer_back() {
    let model = Arc::new(SlowModel::new(CALL));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let host = RecordingHost::new().then(SubmitScript::Panic);
    let session = open_on(&engine, "s", &host);
    let other = open(&engine, "other");
    works(&session, 1).await;
    session.command(Command::Run(None)).await;
    clock.settle().await;
    assert_eq!(host.submissions().len(), 1);
    assert_eq!(session.state().status, Status::Ready, "the offer is back on the screen");
    works(&session, 2).await;
    works(&other, 1).await;
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn panics_in_every_other_callback_change_nothing() {
    let model = Arc::new(SlowModel::new(CALL));
    let observer = Arc::new(Seen { panics: true, ..Seen::default() });
    let engine = Engine::builder()
        .model(Arc::clone(&model) as Arc<dyn Llm>)
        .observer(Arc::clone(&observer) as Arc<dyn suggest_engine::Observer>)
        .build()
        .unwrap();
    let clock = VirtualClock::new();
    let host = RecordingHost::new().panicking();
    let session = open_on(&engine, "s", &host);
    session.event(suggest_core::Event::Goal(Goal {
        id: "g".to_owned(),
        revision: Revision::new(1),
        phase: GoalPhase::Active,
        armed: true,
        objective: "Every ledger has totals.".to_owned(),
    }));
    works(&session, 1).await;
    session.command(Command::ArmAutorun).await;
    clock.settle().await;
    session.command(Command::DisarmAutorun).await;
    clock.settle().await;
    let asked = host.asked();
    assert!(asked.iter().any(|(_, asked)| matches!(asked, Asked::DisarmGoal { .. })), "{asked:?}");
    assert!(asked.iter().any(|(_, asked)| matches!(asked, Asked::Report(_))), "{asked:?}");
    works(&session, 2).await;
    works(&open(&engine, "other"), 1).await;
    clock.settle().await;
    assert!(observer.states.lock().unwrap().len() >= 4);
    engine.shutdown().await;
    assert_eq!(engine.stats().tasks, 0);
}

struct PanickingModel;

#[async_trait]
impl Llm for PanickingModel {
    async fn complete(&self, _request: &LlmRequest) -> Result<LlmReply, LlmError> {
        panic!("scripted panic of the model")
    }

    fn needs_transfer_opt_in(&self) -> TransferNeed {
        TransferNeed::None
    }
}

#[tokio::test(start_paused = true)]
async fn a_panicking_model_or_resolver_fails_its_own_call_only() {
    let model: Arc<dyn Llm> = Arc::new(SlowModel::new(CALL));
    let engine = Engine::builder()
        .resolve_with(move |route| match route.session {
            "bad-model" => Ok(Provider::new(Arc::new(PanickingModel))),
            "bad-resolver" => panic!("scripted panic of the resolver"),
            _ => Ok(Provider::new(Arc::clone(&model))),
        })
        .max_concurrent_calls(1)
        .build()
        .unwrap();
    for id in ["bad-model", "bad-resolver"] {
        let session = open(&engine, id);
        complete_turn(&session, 1, "ledger-1");
        assert_eq!(settled(&session).await.status, Status::Failed, "{id}");
    }
    works(&open(&engine, "good"), 1).await;
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_host_that_hangs_holds_up_no_other_session_and_its_own_only_for_a_while() {
    let model = Arc::new(SlowModel::new(CALL));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let host = RecordingHost::new().then(SubmitScript::Hang).hanging();
    let session = open_on(&engine, "s", &host);
    works(&session, 1).await;
    session.command(Command::ArmAutorun).await;
    clock.settle().await;
    assert_eq!(host.submissions().len(), 1);
    // The withdrawal overtakes the submission that hangs.
    session.command(Command::DisarmAutorun).await;
    clock.settle().await;
    assert!(host.asked().iter().any(|(_, asked)| matches!(asked, Asked::Withdraw(_))));
    works(&open(&engine, "other"), 1).await;
    // The withdrawal hangs too and is given up; the report follows.
    clock.pass(Duration::from_secs(11)).await;
    assert!(host.asked().iter().any(|(_, asked)| matches!(asked, Asked::Report(_))));
    engine.shutdown().await;
    assert_eq!(engine.stats().tasks, 0);
}
