#![doc = include_str!("../README.md")]

mod error;
mod facts;
mod llm;
mod local;
mod model_id;
mod reply;
mod request;
mod scripted;

pub use error::{LlmError, LlmErrorKind};
pub use facts::{Facts, GoalFact, GoalPhase, PlanItem, PlanStatus, ToolFact};
pub use llm::{Llm, TransferNeed};
pub use local::LocalProvider;
pub use model_id::{ModelId, ModelIdError};
pub use reply::{Finish, LlmReply, Usage};
pub use request::{LlmRequest, Message, Role, Voice};
pub use scripted::ScriptedLlm;
