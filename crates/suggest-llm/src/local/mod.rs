use async_trait::async_trait;

use crate::error::{LlmError, LlmErrorKind};
use crate::llm::{Llm, TransferNeed};
use crate::reply::LlmReply;
use crate::request::LlmRequest;

/// The deterministic offline provider behind the model id `local/facts`.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalProvider;

#[async_trait]
impl Llm for LocalProvider {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        if request.facts.is_none() {
            return Err(LlmError::new(
                LlmErrorKind::UnsupportedParameter,
                "local/facts works on the facts of a session, and the request carries none",
            ));
        }
        Ok(LlmReply::new("NONE"))
    }

    fn needs_transfer_opt_in(&self) -> TransferNeed {
        TransferNeed::None
    }
}
