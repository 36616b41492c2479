//! Many sessions, one gate (rules L2, F88, F94).

mod support;

use std::sync::Arc;
use std::time::Duration;
use suggest_core::{ErrorKind, Origin, ReasonCode, Status};
use suggest_llm::{LlmError, LlmErrorKind, LlmReply};
use suggest_testkit::VirtualClock;
use support::*;

const CALL: Duration = Duration::from_millis(200);

#[tokio::test(start_paused = true)]
async fn two_hundred_sessions_that_end_at_once_are_all_served_four_at_a_time_f94() {
    let model = Arc::new(SlowModel::new(CALL));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let sessions: Vec<_> = (0..200).map(|number| open(&engine, &format!("s{number}"))).collect();
    for (number, session) in sessions.iter().enumerate() {
        complete_turn(session, 1, &format!("ledger-{number}"));
    }
    for (number, session) in sessions.iter().enumerate() {
        let state = settled(session).await;
        assert_eq!(state.status, Status::Ready);
        let own = format!("Add a test for the totals of ledger-{number}");
        assert_eq!(
            offer_text(&state),
            Some(own.as_str()),
            "a reply reaches only the session that asked (A8)"
        );
    }
    assert_eq!((model.calls(), model.most_in_flight()), (200, 4));
    assert!(clock.elapsed() >= CALL * 50 && clock.elapsed() < CALL * 51, "{:?}", clock.elapsed());
    assert_eq!(engine.stats().most_calls_in_flight, 4);
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_waiting_call_whose_session_moved_on_is_dropped_unsent_l2() {
    let model = Arc::new(SlowModel::new(CALL));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let sessions: Vec<_> = (0..20).map(|number| open(&engine, &format!("s{number}"))).collect();
    for (number, session) in sessions.iter().enumerate() {
        complete_turn(session, 1, &format!("ledger-{number}"));
    }
    clock.settle().await;
    assert_eq!((engine.stats().calls_in_flight, engine.stats().calls_waiting), (4, 16));
    // The last ten move on while they wait.
    for (number, session) in sessions.iter().enumerate().skip(10) {
        begin_turn(session, 2, Origin::Human, &format!("ledger-{number}"));
    }
    clock.settle().await;
    assert_eq!((engine.stats().calls_in_flight, engine.stats().calls_waiting), (4, 6));
    clock.pass(CALL * 10).await;
    assert_eq!(model.calls(), 10);
    let served = sessions.iter().filter(|session| session.state().status == Status::Ready).count();
    assert_eq!(served, 10);
    // An unsent call costs nothing (D14).
    assert!(sessions.iter().skip(10).all(|session| session.state().usage.calls == 0));
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_new_turn_closes_the_connection_of_the_call_in_flight_and_frees_its_place_d5_l2() {
    let model = Arc::new(SlowModel::new(CALL));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let session = open(&engine, "s");
    complete_turn(&session, 1, "ledger-1");
    clock.settle().await;
    assert_eq!(model.in_flight(), 1);
    begin_turn(&session, 2, Origin::Human, "ledger-1");
    clock.settle().await;
    assert_eq!((model.in_flight(), model.dropped(), engine.stats().calls_in_flight), (0, 1, 0));
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn after_a_429_with_retry_after_nothing_is_sent_before_its_time_and_no_burst_follows_f88() {
    let limited = std::sync::atomic::AtomicBool::new(true);
    let model = Arc::new(SlowModel::answering(CALL, move |request| {
        if limited.swap(false, std::sync::atomic::Ordering::SeqCst) {
            let error = LlmError::new(LlmErrorKind::RetryLater, "too many requests (429)");
            return Err(error.with_retry_after(Some(Duration::from_secs(30))));
        }
        Ok(LlmReply::new(offer_for(&subject_of(request))))
    }));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let session = open(&engine, "s");
    let other = open(&engine, "other");
    complete_turn(&session, 1, "ledger-1");
    let state = settled(&session).await;
    assert_eq!(state.reason.as_ref().map(|reason| reason.code), Some(ReasonCode::RetryLater));
    let limited_at = tokio::time::Instant::now();
    for turn in 2..=6 {
        complete_turn(&session, turn, &format!("ledger-{turn}"));
        clock.pass(Duration::from_secs(2)).await;
    }
    complete_turn(&other, 1, "ledger-9");
    clock.pass(Duration::from_secs(18)).await;
    assert_eq!(model.calls(), 1, "nothing is sent while the provider wants to be left alone");
    let state = settled(&session).await;
    assert_eq!(offer_text(&state), Some("Add a test for the totals of ledger-6"));
    assert_eq!(settled(&other).await.status, Status::Ready);
    assert_eq!(model.calls(), 3, "one call for the newest turn of each session");
    let first = model.times().get(1).copied().unwrap();
    assert!(first.duration_since(limited_at) >= Duration::from_secs(30));
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_pause_longer_than_the_deadline_fails_at_once_with_what_is_left() {
    let model = Arc::new(SlowModel::answering(CALL, |_| {
        let error = LlmError::new(LlmErrorKind::RetryLater, "too many requests (429)");
        Err(error.with_retry_after(Some(Duration::from_secs(300))))
    }));
    let engine = engine(&model);
    let session = open(&engine, "s");
    complete_turn(&session, 1, "ledger-1");
    settled(&session).await;
    complete_turn(&session, 2, "ledger-2");
    let state = settled(&session).await;
    let reason = state.reason.clone().unwrap();
    assert_eq!(reason.code, ReasonCode::from(ErrorKind::RetryLater));
    assert!(reason.message.contains("300 s"), "{}", reason.message);
    assert_eq!(model.calls(), 1);
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_deadline_runs_from_the_sending_and_not_from_the_queue_d8() {
    let model = Arc::new(SlowModel::new(Duration::from_millis(900)));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let slow = config(serde_json::json!({ "promptDeadlineMs": 1000, "maxConcurrentCalls": 1 }));
    let sessions: Vec<_> = (0..5)
        .map(|number| {
            let setup = suggest_core::SessionSetup::new(format!("s{number}"));
            engine.open_session(setup, slow.clone(), Arc::new(suggest_engine::NoHost))
        })
        .collect();
    for (number, session) in sessions.iter().enumerate() {
        complete_turn(session, 1, &format!("ledger-{number}"));
    }
    for session in &sessions {
        assert_eq!(settled(session).await.status, Status::Ready);
    }
    assert!(clock.elapsed() >= Duration::from_millis(4_500));
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_answers_fails_at_the_deadline_and_its_connection_closes_f28() {
    let model = Arc::new(SlowModel::new(Duration::from_secs(3_600)));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let session = open(&engine, "s");
    complete_turn(&session, 1, "ledger-1");
    let state = settled(&session).await;
    let reason = state.reason.clone().unwrap();
    assert_eq!((state.status, reason.code), (Status::Failed, ReasonCode::Timeout));
    assert!(reason.message.contains("60 s"), "{}", reason.message);
    assert_eq!((state.usage.calls, state.usage.failed_calls), (1, 1));
    assert!(clock.elapsed() < Duration::from_millis(60_100));
    clock.settle().await;
    assert_eq!((model.dropped(), engine.stats().calls_in_flight), (1, 0));
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_changed_configuration_moves_the_limit_unless_the_embedder_fixed_it() {
    let model = Arc::new(SlowModel::new(CALL));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let sessions: Vec<_> = (0..10).map(|number| open(&engine, &format!("s{number}"))).collect();
    for (number, session) in sessions.iter().enumerate() {
        complete_turn(session, 1, &format!("ledger-{number}"));
    }
    clock.settle().await;
    assert_eq!(model.in_flight(), 4);
    if let Some(session) = sessions.first() {
        session.set_config(config(serde_json::json!({ "maxConcurrentCalls": 7 })));
    }
    clock.settle().await;
    assert_eq!(model.in_flight(), 7);
    engine.shutdown().await;

    let model = Arc::new(SlowModel::new(CALL));
    let fixed = suggest_engine::Engine::builder()
        .model(Arc::clone(&model) as Arc<dyn suggest_llm::Llm>)
        .max_concurrent_calls(1)
        .build()
        .unwrap();
    let sessions: Vec<_> = (0..3).map(|number| open(&fixed, &format!("s{number}"))).collect();
    for (number, session) in sessions.iter().enumerate() {
        complete_turn(session, 1, &format!("ledger-{number}"));
    }
    clock.settle().await;
    assert_eq!(model.in_flight(), 1);
    fixed.shutdown().await;
}
