//! The local and the scripted provider through the trait, as an engine uses them.

use std::sync::Arc;
use std::time::Duration;

use suggest_llm::{
    Facts, Llm, LlmErrorKind, LlmReply, LlmRequest, LocalProvider, Message, ModelId, PlanItem, PlanStatus,
    ScriptedLlm, TransferNeed, Voice,
};

fn request(voice: Voice) -> LlmRequest {
    LlmRequest::new(voice, ModelId::local_facts(), vec![Message::user("x")], Duration::from_secs(1))
}

fn facts() -> Facts {
    let item = PlanItem { text: "Add retry to client.rs".to_owned(), status: PlanStatus::InProgress };
    Facts { plan: vec![item], ..Facts::default() }
}

#[tokio::test]
async fn the_local_provider_answers_from_facts_alone_and_the_same_each_time() {
    let model: Arc<dyn Llm> = Arc::new(LocalProvider);
    assert_eq!(model.needs_transfer_opt_in(), TransferNeed::None);
    for _ in 0..2 {
        let reply = model.complete(&request(Voice::Director).with_facts(facts())).await.unwrap();
        assert_eq!(reply, LlmReply::new("NEXT: Finish the plan item in progress: Add retry to client.rs"));
    }
    let error = model.complete(&request(Voice::Director)).await.unwrap_err();
    assert_eq!(error.kind, LlmErrorKind::UnsupportedParameter);
}

#[tokio::test]
async fn a_scripted_provider_plays_its_script_and_records_requests() {
    let script = ScriptedLlm::new()
        .reply("NEXT: Add a test")
        .fail(LlmErrorKind::Quota)
        .run(|request| async move { Ok(LlmReply::new(request.voice.as_str())) })
        .with_transfer_need(TransferNeed::Network);
    let model: Arc<dyn Llm> = Arc::new(script.clone());
    assert_eq!(model.needs_transfer_opt_in(), TransferNeed::Network);
    assert_eq!(model.complete(&request(Voice::Director)).await.unwrap().text, "NEXT: Add a test");
    assert_eq!(model.complete(&request(Voice::Advisor)).await.unwrap_err().kind, LlmErrorKind::Quota);
    assert_eq!(model.complete(&request(Voice::Cards)).await.unwrap().text, "cards");
    assert_eq!(model.complete(&request(Voice::Cards)).await.unwrap_err().kind, LlmErrorKind::Empty);
    assert_eq!((script.requests().len(), script.remaining(), script.in_flight()), (4, 0, 0));
}

#[tokio::test]
async fn a_dropped_scripted_call_counts_as_cancelled() {
    let script = ScriptedLlm::new().hang();
    let request = request(Voice::Director);
    {
        let call = script.complete(&request);
        tokio::pin!(call);
        assert!(futures_util::poll!(call).is_pending());
        assert_eq!(script.in_flight(), 1);
    }
    assert_eq!((script.in_flight(), script.cancelled()), (0, 1));
}
