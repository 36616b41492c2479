//! What may leave the process (rule P1).

#![expect(clippy::unwrap_used, reason = "helpers fail as tests do")]

mod support;

use std::sync::Arc;
use std::time::Duration;
use suggest_core::{CardOrigin, Command, Event, ModelSource, ReasonCode, SessionSetup, State, Status};
use suggest_engine::{Credentials, Engine, NoHost, Provider, TransferPolicy};
use suggest_llm::{Llm, TransferNeed};
use support::*;

/// One way to set an engine and a session up.
struct Case {
    need: TransferNeed,
    variable: Option<&'static str>,
    allow: bool,
    source: ModelSource,
    by_command: bool,
    key: bool,
}

const NETWORK: Case = Case {
    need: TransferNeed::Network,
    variable: None,
    allow: false,
    source: ModelSource::Config,
    by_command: false,
    key: true,
};

async fn play(case: Case) -> (usize, Arc<State>) {
    let model = Arc::new(SlowModel::new(Duration::from_millis(10)).with_need(case.need));
    let llm = Arc::clone(&model) as Arc<dyn Llm>;
    let engine = Engine::builder()
        .resolve_with(move |_| {
            let provider = Provider::new(Arc::clone(&llm));
            Ok(if case.key {
                provider
            } else {
                provider.with_credentials(Credentials::missing("set ACME_API_KEY"))
            })
        })
        .transfer_policy(TransferPolicy::from_variable(case.variable))
        .build()
        .unwrap();
    let setup = SessionSetup::new("s").with_model_source(case.source);
    let config = config(serde_json::json!({ "allowTransfer": case.allow }));
    let session = engine.open_session(setup, config, Arc::new(NoHost));
    if case.by_command {
        session.command(Command::SetModel("acme/two".parse().unwrap())).await;
    }
    complete_turn(&session, 1, "ledger-1");
    let state = settled(&session).await;
    engine.shutdown().await;
    (model.calls(), state)
}

async fn is_sent(case: Case) {
    let (calls, state) = play(case).await;
    assert_eq!((calls, state.status), (1, Status::Ready));
}

async fn is_refused(case: Case, missing: &[&str], present: &[&str]) {
    let (calls, state) = play(case).await;
    assert_eq!(calls, 0, "no request leaves");
    let reason = state.reason.clone().unwrap();
    assert_eq!((state.status, reason.code), (Status::Failed, ReasonCode::NotAllowed));
    assert!(missing.iter().all(|level| reason.message.contains(level)), "{}", reason.message);
    assert!(!present.iter().any(|level| reason.message.contains(level)), "{}", reason.message);
}

#[tokio::test(start_paused = true)]
async fn only_exactly_true_lets_a_prompt_leave_f121() {
    for variable in [None, Some("1"), Some("TRUE"), Some("")] {
        is_refused(Case { variable, ..NETWORK }, &["allowTransfer"], &["ACME_API_KEY"]).await;
    }
    is_sent(Case { variable: Some("true"), ..NETWORK }).await;
}

#[tokio::test(start_paused = true)]
async fn the_configuration_is_a_second_level_too() {
    is_sent(Case { allow: true, ..NETWORK }).await;
}

#[tokio::test(start_paused = true)]
async fn missing_credentials_are_named_and_both_levels_together() {
    is_refused(Case { allow: true, key: false, ..NETWORK }, &["ACME_API_KEY"], &["allowTransfer"]).await;
    is_refused(Case { key: false, ..NETWORK }, &["ACME_API_KEY", "allowTransfer"], &[]).await;
}

#[tokio::test(start_paused = true)]
async fn loopback_and_a_hosts_own_service_are_exempt() {
    is_sent(Case { need: TransferNeed::Loopback, ..NETWORK }).await;
    is_sent(Case { need: TransferNeed::None, ..NETWORK }).await;
}

#[tokio::test(start_paused = true)]
async fn a_model_set_by_a_human_counts_and_one_in_a_file_or_the_environment_does_not() {
    is_sent(Case { by_command: true, ..NETWORK }).await;
    is_sent(Case { source: ModelSource::Flag, ..NETWORK }).await;
    for source in [ModelSource::Config, ModelSource::Default, ModelSource::File, ModelSource::Environment] {
        is_refused(Case { source, ..NETWORK }, &["allowTransfer"], &[]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_permission_withdrawn_in_the_queue_counts_at_the_moment_of_sending() {
    let model = Arc::new(SlowModel::new(Duration::from_millis(500)).with_need(TransferNeed::Network));
    let engine =
        Engine::builder().model(Arc::clone(&model) as Arc<dyn Llm>).max_concurrent_calls(1).build().unwrap();
    let allowed = config(serde_json::json!({ "allowTransfer": true }));
    let first = engine.open_session(SessionSetup::new("first"), allowed.clone(), Arc::new(NoHost));
    let second = engine.open_session(SessionSetup::new("second"), allowed, Arc::new(NoHost));
    complete_turn(&first, 1, "ledger-1");
    complete_turn(&second, 1, "ledger-2");
    suggest_testkit::VirtualClock::new().settle().await;
    second.set_config(plain());
    assert_eq!(settled(&first).await.status, Status::Ready);
    let state = settled(&second).await;
    assert_eq!(state.reason.as_ref().map(|reason| reason.code), Some(ReasonCode::NotAllowed));
    assert_eq!(model.calls(), 1);
    engine.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_a_human_named_opens_nothing_for_another_voices_model_f121() {
    let model = Arc::new(SlowModel::new(Duration::from_millis(10)).with_need(TransferNeed::Network));
    let engine = Engine::builder().model(Arc::clone(&model) as Arc<dyn Llm>).build().unwrap();
    let setup = SessionSetup::new("s").with_model_source(ModelSource::Flag);
    let voices = serde_json::json!({ "cards": { "enabled": true, "model": "acme/other" }, "summary": { "enabled": true, "model": "acme/other" } });
    let session = engine.open_session(setup, config(voices), Arc::new(NoHost));
    complete_turn(&session, 1, "ledger-1");
    session.event(Event::Idle);
    suggest_testkit::VirtualClock::new().settle().await;
    let state = settled(&session).await;
    assert_eq!((model.calls(), state.status), (1, Status::Ready), "only the director's call left");
    let cards = state.cards.clone().unwrap();
    let summary = state.summary.clone().unwrap();
    assert_eq!((cards.usage.calls, summary.usage.calls), (0, 0));
    assert_eq!(cards.reason.unwrap().code, ReasonCode::NotAllowed);
    assert_eq!(summary.origin, Some(CardOrigin::Local));
    engine.shutdown().await;
}
