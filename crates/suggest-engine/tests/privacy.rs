//! What is logged names sessions, turns and voices, and never text (rule P3).

mod support;

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use suggest_core::{Command, SessionSetup, Status};
use suggest_engine::Engine;
use suggest_llm::{Llm, LlmError, LlmErrorKind, LlmReply};
use suggest_testkit::{RecordingHost, SubmitScript, VirtualClock};
use support::*;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().map_err(|_| std::io::ErrorKind::Other)?.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn no_prompt_offer_or_error_text_is_ever_logged_p3() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::FULL)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let _quiet = tracing::subscriber::set_default(subscriber);

    let model = Arc::new(SlowModel::answering(Duration::from_millis(10), |request| {
        match subject_of(request).as_str() {
            "ledger-1" => Ok(LlmReply::new(offer_for("ledger-1"))),
            _ => Err(LlmError::new(LlmErrorKind::Network, "no route to ledger-2")),
        }
    }));
    let engine = Engine::builder().model(Arc::clone(&model) as Arc<dyn Llm>).build().unwrap();
    let clock = VirtualClock::new();
    let host = RecordingHost::new().then(SubmitScript::Panic).panicking();
    let session = engine.open_session(SessionSetup::new("session-seven"), plain(), Arc::new(host));
    complete_turn(&session, 1, "ledger-1");
    assert_eq!(settled(&session).await.status, Status::Ready);
    session.command(Command::Run(None)).await;
    clock.settle().await;
    complete_turn(&session, 2, "ledger-2");
    assert_eq!(settled(&session).await.status, Status::Failed);
    engine.shutdown().await;

    let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    for word in ["session-seven", "turn=2", "director", "network", "submit_turn"] {
        assert!(logged.contains(word), "{word} is missing in:\n{logged}");
    }
    assert!(!logged.contains("ledger") && !logged.contains("totals"), "{logged}");
}
