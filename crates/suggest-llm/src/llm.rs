use std::sync::Arc;

use async_trait::async_trait;

use crate::error::LlmError;
use crate::reply::LlmReply;
use crate::request::LlmRequest;

/// A model that can be asked (rule L1). Object-safe: engines hold it as `Arc<dyn Llm>`.
///
/// # Contract
///
/// - **Dropping the future cancels the call.** Nothing of it may go on: no task, no open connection, no later effect. A
///   provider that spawns work must abort it on drop.
/// - The call ends by itself within [`LlmRequest::deadline`], with the error `timeout`. Callers may rely on it and may
///   still keep a clock of their own.
/// - `Ok` means a complete answer (see [`LlmReply`]); one that broke off is an error.
/// - Errors hold no prompt, no answer and no key.
#[async_trait]
pub trait Llm: Send + Sync {
    /// Asks once.
    ///
    /// # Errors
    ///
    /// [`LlmError`], by what the caller does about it.
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError>;

    /// Whether calls send text off this machine, and so need the opt-in of rule P1. Whoever performs the call checks it
    /// right before sending; a provider does not check it itself.
    fn needs_transfer_opt_in(&self) -> TransferNeed;
}

#[async_trait]
impl<T: Llm + ?Sized> Llm for Arc<T> {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        (**self).complete(request).await
    }

    fn needs_transfer_opt_in(&self) -> TransferNeed {
        (**self).needs_transfer_opt_in()
    }
}

/// Where the text of a call goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransferNeed {
    /// Nowhere: the provider works inside this process, or the host has its own say over the transfer.
    None,
    /// To an endpoint on this machine: exempt from the opt-in.
    Loopback,
    /// Over the network: needs credentials and the permission to transfer (rule P1).
    Network,
}
