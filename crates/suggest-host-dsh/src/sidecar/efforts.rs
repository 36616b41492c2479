//! How much a model is asked to think.
//!
//! The advisor and its prediction ask for the effort that is configured, else for the smallest that the model declares
//! (rule V6). The other voices leave the model its own default, unless an output budget is configured: thinking counts
//! against it and would eat it (rule L5), so then they ask for the smallest, too. Nothing is asked for that the model
//! does not declare.

use super::peer::Peer;
use super::protocol::{InfoParams, InfoResult};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use suggest_llm::{LlmRequest, ModelId, Voice};

/// How long the host may take to describe a model; a call does not wait longer for it.
const PATIENCE: Duration = Duration::from_secs(3);

/// The most models that are remembered.
const MOST_MODELS: usize = 256;

/// The smallest declared efforts, by model, as far as they were asked for.
#[derive(Debug, Default)]
pub(crate) struct Efforts {
    known: Mutex<HashMap<ModelId, Option<String>>>,
}

impl Efforts {
    /// The effort to ask for with a request.
    pub(crate) async fn of(&self, peer: &Peer, request: &LlmRequest) -> Option<String> {
        if request.reasoning_effort.is_some() {
            return request.reasoning_effort.clone();
        }
        let wanted = match request.voice {
            Voice::Advisor | Voice::Prediction => true,
            Voice::Director | Voice::Cards | Voice::Summary => request.max_output_tokens.is_some(),
        };
        if !wanted {
            return None;
        }
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&request.model) {
            return known.clone();
        }
        let params = InfoParams { provider: request.model.provider(), model: request.model.model() };
        let patience = PATIENCE.min(request.deadline / 4);
        let asked = peer.request::<InfoResult>("model/info", &params);
        // What failed is asked again with the next call.
        let info = tokio::time::timeout(patience, asked).await.ok()?.ok()?;
        let smallest = smallest(&info.efforts);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_MODELS {
            known.clear();
        }
        known.insert(request.model.clone(), smallest.clone());
        smallest
    }

    /// Forgets everything: the host's models may have changed.
    pub(crate) fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// The smallest of the declared efforts; of words that nobody knows, the first.
fn smallest(efforts: &[String]) -> Option<String> {
    let usable = efforts.iter().filter(|effort| !effort.is_empty() && effort.len() <= 40);
    usable.min_by_key(|effort| rank(effort)).cloned()
}

fn rank(effort: &str) -> u8 {
    match effort.to_ascii_lowercase().as_str() {
        "off" | "none" | "disabled" => 0,
        "minimal" => 1,
        "low" => 2,
        "medium" => 4,
        "high" => 5,
        "xhigh" | "max" => 6,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    // The function under test has the name of the closure.

    #[test]
    fn the_smallest_declared_effort_is_chosen_v6() {
        let smallest = |efforts: &[&str]| {
            let efforts: Vec<String> = efforts.iter().map(|effort| (*effort).to_owned()).collect();
            super::smallest(&efforts)
        };
        assert_eq!(smallest(&["high", "off", "low", "max"]).as_deref(), Some("off"));
        assert_eq!(smallest(&["high", "Low"]).as_deref(), Some("Low"));
        assert_eq!(smallest(&["deep", "deeper"]).as_deref(), Some("deep"));
        assert_eq!(smallest(&[]), None);
    }
}
