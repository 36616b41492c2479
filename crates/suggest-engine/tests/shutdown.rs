//! Nothing outlives a shutdown.

mod support;

use std::sync::Arc;
use std::time::Duration;
use suggest_core::{Command, OutputCode, SessionSetup, Status};
use suggest_engine::{Engine, HostProcess, MemoryStore, SessionHandle, Store};
use suggest_llm::Llm;
use suggest_testkit::{RecordingHost, SubmitScript, VirtualClock};
use support::*;

fn alive() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

#[tokio::test(start_paused = true)]
async fn no_task_call_or_timer_is_left_and_handles_stay_harmless() {
    let before = alive();
    let model = Arc::new(SlowModel::new(Duration::from_secs(3_600)));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let host = RecordingHost::new().then(SubmitScript::Hang).hanging();
    let sessions: Vec<_> = (0..10)
        .map(|number| {
            let setup = SessionSetup::new(format!("s{number}"));
            engine.open_session(setup, plain(), Arc::new(host.clone()))
        })
        .collect();
    for (number, session) in sessions.iter().enumerate() {
        complete_turn(session, 1, &format!("ledger-{number}"));
    }
    clock.settle().await;
    assert_eq!((engine.stats().calls_in_flight, engine.stats().calls_waiting), (4, 6));
    engine.shutdown().await;
    clock.settle().await;
    let stats = engine.stats();
    assert_eq!((stats.tasks, stats.calls_in_flight, stats.calls_waiting), (0, 0, 0));
    assert_eq!((model.in_flight(), model.dropped(), alive()), (0, 4, before));
    for session in &sessions {
        complete_turn(session, 2, "ledger-1");
        assert_eq!(session.command(Command::Retry).await.code, OutputCode::Closed);
        assert!(!session.state().autorun.armed);
        assert_ne!(session.state().status, Status::Analyzing);
    }
    let late = open(&engine, "late");
    complete_turn(&late, 1, "ledger-1");
    engine.shutdown().await;
    clock.settle().await;
    assert_eq!((alive(), model.calls()), (before, 4));
    drop(late);
    drop(sessions);
    assert_eq!(engine.stats().sessions, 0);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_hangs_delays_the_shutdown_by_its_grace_only() {
    let before = alive();
    let model = Arc::new(SlowModel::new(Duration::from_millis(10)));
    let engine = Engine::builder()
        .model(Arc::clone(&model) as Arc<dyn Llm>)
        .shutdown_grace(Duration::from_secs(2))
        .build()
        .unwrap();
    let host = RecordingHost::new().then(SubmitScript::Hang).hanging();
    let session = engine.open_session(SessionSetup::new("s"), plain(), Arc::new(host.clone()));
    complete_turn(&session, 1, "ledger-1");
    settled(&session).await;
    session.command(Command::ArmAutorun).await;
    VirtualClock::new().settle().await;
    assert_eq!(host.submissions().len(), 1);
    let clock = VirtualClock::new();
    engine.shutdown().await;
    assert!(clock.elapsed() < Duration::from_millis(2_100), "{:?}", clock.elapsed());
    clock.settle().await;
    assert_eq!((engine.stats().tasks, alive()), (0, before));
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_that_was_dropped_can_be_finished() {
    let model = Arc::new(SlowModel::new(Duration::from_secs(3_600)));
    let engine = engine(&model);
    let session = open(&engine, "s");
    complete_turn(&session, 1, "ledger-1");
    VirtualClock::new().settle().await;
    assert_eq!(futures_util::FutureExt::now_or_never(engine.shutdown()), None);
    engine.shutdown().await;
    assert_eq!((engine.stats().tasks, model.in_flight()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_engine_cancels_everything_too() {
    let before = alive();
    let model = Arc::new(SlowModel::new(Duration::from_secs(3_600)));
    let engine = engine(&model);
    let session = open(&engine, "s");
    complete_turn(&session, 1, "ledger-1");
    let clock = VirtualClock::new();
    clock.settle().await;
    assert_eq!(model.in_flight(), 1);
    drop(engine);
    clock.settle().await;
    assert_eq!((model.in_flight(), alive()), (0, before));
    complete_turn(&session, 2, "ledger-1");
    clock.settle().await;
    assert_eq!((model.calls(), alive()), (1, before));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_last_handle_closes_the_session_and_cancels_its_call() {
    let model = Arc::new(SlowModel::new(Duration::from_secs(3_600)));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let session = open(&engine, "s");
    let clone = session.clone();
    let mut watch = session.watch();
    complete_turn(&session, 1, "ledger-1");
    clock.settle().await;
    drop(session);
    assert_eq!(clone.state().status, Status::Analyzing);
    drop(clone);
    clock.settle().await;
    assert_eq!((model.in_flight(), engine.stats().sessions), (0, 0));
    assert_eq!(watch.wait_for(|state| state.status == Status::Analyzing).await, None);
    engine.shutdown().await;
}

/// A host that keeps the handle of its own session, as hosts that answer later do.
struct Keeper {
    handle: std::sync::Mutex<Option<SessionHandle>>,
    _alive: Arc<()>,
}

#[async_trait::async_trait]
impl suggest_engine::Host for Keeper {}

#[tokio::test(start_paused = true)]
async fn a_host_that_keeps_the_handle_is_let_go_when_the_session_closes() {
    let model = Arc::new(SlowModel::new(Duration::from_millis(10)));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let alive = Arc::new(());
    let host = Arc::new(Keeper { handle: std::sync::Mutex::new(None), _alive: Arc::clone(&alive) });
    let session = engine.open_session(
        SessionSetup::new("s"),
        plain(),
        Arc::clone(&host) as Arc<dyn suggest_engine::Host>,
    );
    *host.handle.lock().unwrap() = Some(session.clone());
    drop(host);
    complete_turn(&session, 1, "ledger-1");
    settled(&session).await;
    session.close();
    session.close();
    drop(session);
    clock.settle().await;
    assert_eq!((Arc::strong_count(&alive), engine.stats().sessions), (1, 0));
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn offer_numbers_go_on_after_a_restart_d11() {
    let store = Arc::new(MemoryStore::new());
    for first in [1_u64, 2, 3] {
        let model = Arc::new(SlowModel::new(Duration::from_millis(10)));
        let engine = Engine::builder()
            .model(Arc::clone(&model) as Arc<dyn Llm>)
            .store(Arc::clone(&store) as Arc<dyn Store>)
            .build()
            .unwrap();
        let setup = engine.resume(SessionSetup::new("s"), HostProcess::New).await.unwrap();
        assert_eq!(setup.first_offer, first);
        let session = engine.open_session(setup, plain(), Arc::new(suggest_engine::NoHost));
        complete_turn(&session, 1, "ledger-1");
        let state = settled(&session).await;
        assert_eq!(state.offer.as_ref().map(|offer| offer.id.number()), Some(first));
        engine.shutdown().await;
    }
}
