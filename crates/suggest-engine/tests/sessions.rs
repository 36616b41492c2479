//! One session through the engine: reads, the loop, the host's answers, the observer.

mod support;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use suggest_core::{Command, Event, Origin, SessionSetup, Status, SubmitAuthor, Voice};
use suggest_engine::{Engine, Provider, SessionHandle, SubmitAnswer};
use suggest_llm::Llm;
use suggest_testkit::{Asked, RecordingHost, ScriptedLlm, VirtualClock};
use support::*;

const CALL: Duration = Duration::from_millis(200);

fn open_on(engine: &Engine, host: &RecordingHost) -> SessionHandle {
    engine.open_session(SessionSetup::new("s"), plain(), Arc::new(host.clone()))
}

#[tokio::test(start_paused = true)]
async fn five_readers_during_a_generation_share_one_call_f26() {
    let model = Arc::new(SlowModel::new(CALL));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let session = open(&engine, "s");
    complete_turn(&session, 1, "ledger-1");
    clock.settle().await;
    let readers: Vec<_> = (0..5)
        .map(|_| {
            let session = session.clone();
            tokio::spawn(async move {
                session.command(Command::Pull).await;
                assert_eq!(session.state().status, Status::Analyzing);
                settled(&session).await
            })
        })
        .collect();
    for reader in readers {
        let state = reader.await.unwrap();
        assert_eq!(offer_text(&state), Some("Add a test for the totals of ledger-1"));
    }
    assert_eq!(model.calls(), 1);
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn history_and_a_mere_visit_call_nobody_d15_d12() {
    let model = Arc::new(SlowModel::new(CALL));
    let engine = engine(&model);
    let session = open(&engine, "s");
    for turn in 1..=3 {
        session.history(Event::TurnStarted { turn: suggest_core::Turn::new(turn), origin: None });
        session.history(Event::TurnEnded {
            turn: suggest_core::Turn::new(turn),
            reason: suggest_core::EndReason::Completed,
        });
    }
    let _watch = session.watch();
    session.command(Command::Pull).await;
    VirtualClock::new().pass(Duration::from_secs(3_600)).await;
    assert_eq!((model.calls(), session.state().status), (0, Status::Idle));
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_loop_submits_in_its_own_name_and_goes_on_with_the_turn_that_follows_a3() {
    let model = Arc::new(SlowModel::new(CALL));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let host = RecordingHost::new();
    let session = open_on(&engine, &host);
    session.command(Command::ArmAutorun).await;
    for round in 1..=3_u32 {
        let turn = u64::from(round);
        let origin = if round == 1 { Origin::Human } else { Origin::Suggest };
        let subject = format!("ledger-{round}");
        begin_turn(&session, turn, origin, &subject);
        if round == 1 {
            // The human's prompt disarmed the loop (A5); arm it again while the turn runs.
            session.command(Command::ArmAutorun).await;
        }
        end_turn(&session, turn, &subject);
        clock.pass(CALL * 2).await;
        assert_eq!(session.state().autorun.rounds, round);
    }
    let submissions = host.submissions();
    assert_eq!(submissions.len(), 3);
    assert!(submissions.iter().all(|submission| submission.author == SubmitAuthor::Suggest));
    assert!(submissions.windows(2).all(|pair| pair[0].ticket < pair[1].ticket));
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_later_answer_comes_through_the_handle() {
    let model = Arc::new(SlowModel::new(CALL));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let host = RecordingHost::new().answering(SubmitAnswer::Later);
    let session = open_on(&engine, &host);
    complete_turn(&session, 1, "ledger-1");
    settled(&session).await;
    session.command(Command::Run(None)).await;
    clock.settle().await;
    assert_eq!(session.state().offer, None, "off the screen while it is unanswered");
    let ticket = host.submissions().first().map(|submission| submission.ticket).unwrap();
    session.submit_result(ticket, false, Some("the session is busy".to_owned()));
    assert_eq!(session.state().status, Status::Ready);
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_submission_that_is_withdrawn_at_once_never_reaches_the_host_a3() {
    let model = Arc::new(SlowModel::new(CALL));
    let engine = engine(&model);
    let clock = VirtualClock::new();
    let host = RecordingHost::new();
    let session = open_on(&engine, &host);
    complete_turn(&session, 1, "ledger-1");
    settled(&session).await;
    // Both commands come before the engine's task had its chance.
    session.command(Command::ArmAutorun).await;
    session.command(Command::DisarmAutorun).await;
    clock.settle().await;
    let asked = host.asked();
    assert!(asked.iter().all(|(_, asked)| matches!(asked, Asked::Report(_))), "{asked:?}");
    assert_eq!(session.state().autorun.rounds, 0);
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_observer_sees_states_meters_and_the_report() {
    let model = Arc::new(SlowModel::new(CALL));
    let seen = Arc::new(Seen::default());
    let engine = Engine::builder()
        .model(Arc::clone(&model) as Arc<dyn Llm>)
        .observer(Arc::clone(&seen) as Arc<dyn suggest_engine::Observer>)
        .build()
        .unwrap();
    let clock = VirtualClock::new();
    let session = open(&engine, "s");
    complete_turn(&session, 1, "ledger-1");
    settled(&session).await;
    session.command(Command::ArmAutorun).await;
    clock.settle().await;
    session.command(Command::DisarmAutorun).await;
    clock.settle().await;
    let states: Vec<Status> = seen.states.lock().unwrap().iter().map(|(_, status)| *status).collect();
    assert!(states.contains(&Status::Analyzing) && states.contains(&Status::Ready), "{states:?}");
    let meters = seen.meters.lock().unwrap().clone();
    assert!(meters.contains(&("s".to_owned(), Voice::Director, 1)), "{meters:?}");
    assert_eq!(seen.reports.load(Ordering::SeqCst), 1);
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn only_a_provider_that_wants_facts_gets_them() {
    for wants in [false, true] {
        let model = ScriptedLlm::new().reply("NEXT: Add a test for the empty ledger");
        let llm: Arc<dyn Llm> = Arc::new(model.clone());
        let engine = Engine::builder()
            .resolve_with(move |_| {
                let provider = Provider::new(Arc::clone(&llm));
                Ok(if wants { provider.with_facts() } else { provider })
            })
            .build()
            .unwrap();
        let session = open(&engine, "s");
        complete_turn(&session, 1, "ledger-1");
        settled(&session).await;
        let requests = model.requests();
        let facts = requests.first().and_then(|request| request.facts.clone());
        assert_eq!(facts.is_some(), wants);
        if let Some(facts) = facts {
            assert_eq!(facts.completed_turns, 1);
            assert!(facts.last_human.is_some_and(|prompt| prompt.contains("ledger-1")));
        }
        engine.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_invalid_answer_is_retried_once_ahead_of_the_queue_d8() {
    let model = Arc::new(SlowModel::answering(CALL, |request| {
        let second = request.messages.len() > 2;
        let text = if second { offer_for("ledger-1") } else { "Let me look at the code.".to_owned() };
        Ok(suggest_llm::LlmReply::new(text))
    }));
    let engine =
        Engine::builder().model(Arc::clone(&model) as Arc<dyn Llm>).max_concurrent_calls(1).build().unwrap();
    let sessions: Vec<_> = (0..3).map(|number| open(&engine, &format!("s{number}"))).collect();
    for session in &sessions {
        complete_turn(session, 1, "ledger-1");
    }
    for session in &sessions {
        let state = settled(session).await;
        assert_eq!((state.status, state.usage.calls), (Status::Ready, 2));
    }
    engine.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_threads_and_sessions_never_lock_each_other_up() {
    let model = Arc::new(SlowModel::new(Duration::from_millis(1)));
    let engine =
        Engine::builder().model(Arc::clone(&model) as Arc<dyn Llm>).max_concurrent_calls(8).build().unwrap();
    let drivers: Vec<_> = (0..50)
        .map(|number| {
            let session = open(&engine, &format!("s{number}"));
            tokio::spawn(async move {
                for turn in 1..=10 {
                    complete_turn(&session, turn, &format!("ledger-{number}-{turn}"));
                    let state = settled(&session).await;
                    let own = format!("Add a test for the totals of ledger-{number}-{turn}");
                    assert_eq!(offer_text(&state), Some(own.as_str()));
                }
            })
        })
        .collect();
    for driver in drivers {
        driver.await.unwrap();
    }
    assert_eq!(model.calls(), 500);
    assert!(model.most_in_flight() <= 8);
    engine.shutdown().await;
    assert_eq!((engine.stats().tasks, engine.stats().sessions), (0, 0));
}
