use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::time::timeout;

use super::phase::PhaseCell;
use super::{OpenAiClient, transport};
use crate::error::{LlmError, LlmErrorKind};
use crate::llm::{Llm as _, TransferNeed};
use crate::model_id::ModelId;
use crate::reply::{Finish, Usage};
use crate::request::{LlmRequest, Message, Voice};

/// Most models that are read of a list.
const MOST_MODELS: usize = 2000;

/// What a `doctor` command tells about one model at one endpoint.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProbeReport {
    /// Where the chat endpoint is, without its query.
    pub address: String,
    /// Whether calls leave this machine.
    pub transfer: TransferNeed,
    /// The models that the endpoint lists, or why it lists none. Many endpoints offer no list and work all the same.
    pub models: Result<Vec<String>, LlmError>,
    /// What a tiny completion brought.
    pub completion: Result<ProbeCompletion, LlmError>,
    /// What the client had to change in its requests for this model, one short phrase each.
    pub adapted: Vec<String>,
}

impl ProbeReport {
    /// Whether the list names the model; `None` when there is no list.
    #[must_use]
    pub fn lists(&self, model: &ModelId) -> Option<bool> {
        self.models.as_ref().ok().map(|models| models.iter().any(|listed| listed == model.model()))
    }
}

/// A tiny completion that worked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProbeCompletion {
    /// From sending to the complete reply, retries included.
    pub latency: Duration,
    /// How the reply ended.
    pub finish: Finish,
    /// Whether there was any text in it.
    pub has_text: bool,
    /// Whether the model thought before it answered.
    pub reasoning: bool,
    /// Tokens, as far as the endpoint told.
    pub usage: Usage,
    /// The model that the endpoint says it used.
    pub served_by: Option<String>,
}

impl OpenAiClient {
    /// The ids of the models that the endpoint lists, sorted; at most 2,000.
    ///
    /// # Errors
    ///
    /// `unknown-model` when the endpoint offers no list; else as for a call.
    pub async fn list_models(&self, deadline: Duration) -> Result<Vec<String>, LlmError> {
        let phase = PhaseCell::default();
        let request = self.http.get(self.endpoint.models().clone());
        let body = match timeout(deadline, transport::document(request, self.most_bytes, &phase)).await {
            Ok(Ok(body)) => body,
            Ok(Err(failure)) => return Err(self.error(*failure, &[])),
            Err(_) => return Err(self.timed_out(deadline, &phase)),
        };
        let items = ["data", "models"].iter().find_map(|key| body.get(key)).unwrap_or(&body);
        let Some(items) = items.as_array() else {
            let message = format!("{}: the list of models is in no known form", self.name);
            return Err(LlmError::new(LlmErrorKind::Malformed, message));
        };
        let id =
            |item: &Value| ["id", "name"].iter().find_map(|key| item.get(key)?.as_str().map(str::to_owned));
        let mut models: Vec<String> = items.iter().filter_map(id).take(MOST_MODELS).collect();
        models.sort_unstable();
        models.dedup();
        Ok(models)
    }

    /// Tries the endpoint out: lists its models and asks one tiny question, each within `deadline`. It sends nothing
    /// but its own fixed words; whether that is allowed (rule P1) the caller decides.
    pub async fn probe(&self, model: &ModelId, deadline: Duration) -> ProbeReport {
        let models = self.list_models(deadline).await;
        let messages =
            vec![Message::system("Answer with one word."), Message::user("Answer with the word ready.")];
        let request = LlmRequest::new(Voice::Director, model.clone(), messages, deadline);
        let started = Instant::now();
        let completion = self.complete(&request).await.map(|reply| ProbeCompletion {
            latency: started.elapsed(),
            finish: reply.finish,
            has_text: !reply.text.trim().is_empty(),
            reasoning: reply.reasoning,
            usage: reply.usage,
            served_by: reply.model,
        });
        ProbeReport {
            address: self.endpoint.to_string(),
            transfer: self.needs_transfer_opt_in(),
            models,
            completion,
            adapted: self.adapted(model),
        }
    }
}
