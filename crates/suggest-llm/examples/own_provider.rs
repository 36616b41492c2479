//! A provider of one's own: anything that answers text with text.
//!
//! ```text
//! cargo run -p suggest-llm --example own_provider
//! ```

use std::time::Duration;

use async_trait::async_trait;
use suggest_llm::{
    Llm, LlmError, LlmErrorKind, LlmReply, LlmRequest, Message, ModelId, Role, TransferNeed, Voice,
};

/// Proposes to test whatever the last message is about. A real one would call a harness's own model service here.
struct Tester;

#[async_trait]
impl Llm for Tester {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        let last = request.messages.iter().rfind(|message| message.role == Role::User);
        let subject = last.and_then(|message| message.content.split_whitespace().last());
        match subject {
            Some(subject) => Ok(LlmReply::new(format!("NEXT: Add a test for {subject}"))),
            None => Err(LlmError::new(LlmErrorKind::Empty, "nothing to go by")),
        }
    }

    fn needs_transfer_opt_in(&self) -> TransferNeed {
        // Everything happens in this process. A provider that calls out says `Network`.
        TransferNeed::None
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let request = LlmRequest::new(
        Voice::Director,
        ModelId::parse("own/tester")?,
        vec![Message::user("Today we wrote src/parser.rs")],
        Duration::from_secs(5),
    );
    let reply = Tester.complete(&request).await?;
    println!("{}", reply.text);
    Ok(())
}
