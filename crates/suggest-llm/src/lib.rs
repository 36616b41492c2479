#![cfg_attr(feature = "client", doc = include_str!("../README.md"))]
#![cfg_attr(not(feature = "client"), doc = "Model clients for suggest, without the network client.")]

#[cfg(feature = "client")]
mod client;
mod error;
mod facts;
mod llm;
mod local;
mod model_id;
#[cfg(feature = "client")]
mod provider;
mod reply;
mod request;
mod scripted;

#[cfg(feature = "client")]
pub use client::{
    CapField, ClientError, KeyHeader, OpenAiClient, OpenAiClientBuilder, ProbeCompletion, ProbeReport,
    RetryPolicy, SystemRole,
};
pub use error::{LlmError, LlmErrorKind};
pub use facts::{Facts, GoalFact, GoalPhase, PlanItem, PlanStatus, ToolFact};
pub use llm::{Llm, TransferNeed};
pub use local::LocalProvider;
pub use model_id::{ModelId, ModelIdError};
#[cfg(feature = "client")]
pub use provider::{
    Credentials, Environment, Places, Preset, ProviderConfig, ProviderError, ProviderTable, Readiness,
};
pub use reply::{Finish, LlmReply, Usage};
pub use request::{LlmRequest, Message, Role, Voice};
pub use scripted::ScriptedLlm;
