//! The deterministic provider behind `local/facts`: one file a voice, shared extractors beside them.

mod advisor;
mod director;
mod failures;
mod generic;
mod line;
mod orders;
mod promises;
mod questions;
mod tools;
mod untested;

use async_trait::async_trait;

use crate::error::{LlmError, LlmErrorKind};
use crate::llm::{Llm, TransferNeed};
use crate::reply::LlmReply;
use crate::request::{LlmRequest, Voice};

/// The deterministic offline provider behind the model id `local/facts`.
///
/// It reads [`LlmRequest::facts`] and nothing else, sends nothing, and answers at once: the same facts, the same bytes. For
/// the director that is one line that names a fact (a failing test, an open plan item, a question left open, …), or
/// `NONE`, never something generic. A voice that it does not know answers in that voice's own way that there is nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalProvider;

#[async_trait]
impl Llm for LocalProvider {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        let Some(facts) = &request.facts else {
            return Err(LlmError::new(
                LlmErrorKind::UnsupportedParameter,
                "local/facts works on the facts of a session, and the request carries none",
            ));
        };
        Ok(LlmReply::new(match request.voice {
            Voice::Director => director::answer(facts),
            Voice::Advisor => advisor::answer(facts),
            Voice::Prediction => "NONE".to_owned(),
            Voice::Cards => "[]".to_owned(),
            Voice::Summary => String::new(),
        }))
    }

    fn needs_transfer_opt_in(&self) -> TransferNeed {
        TransferNeed::None
    }
}
