//! The codes that reasons, holds and refusals carry, each with a message for people.

use serde::{Deserialize, Serialize};
use std::fmt;

#[cfg(test)]
mod tests;

/// A code for programs with a line for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Coded<C> {
    /// The code.
    pub code: C,
    /// The line.
    pub message: String,
}

impl<C> Coded<C> {
    /// A code with its line.
    #[must_use]
    pub fn new(code: C, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl<C: fmt::Display> fmt::Display for Coded<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $code:literal, $text:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $code)] $variant,)+
        }

        impl $name {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The code as it is written.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// The usual line for people.
            #[must_use]
            pub const fn describe(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The code with its usual line.
            #[must_use]
            pub fn coded(self) -> Coded<Self> {
                Coded::new(self, self.describe())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = UnknownCode;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|code| code.as_str() == text).ok_or(UnknownCode)
            }
        }
    };
}

/// A text that is none of the codes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown code")]
pub struct UnknownCode;

codes! {
    /// Why the director's status is what it is.
    ReasonCode {
        /// No model is set (rule D1).
        NoModel = "no-model", "no model is set";
        /// The human switched suggestions off in this session (rule D2).
        SwitchedOff = "switched-off", "switched off in this session";
        /// A headless session whose host did not opt in (rule D12).
        Headless = "headless", "headless sessions get no suggestions";
        /// A subagent's session whose host did not opt in (rule D12).
        Subagent = "subagent", "subagent sessions get no suggestions";
        /// No turn has completed yet.
        NoCompletedTurn = "no-completed-turn", "no suggestion yet: one follows the next completed turn";
        /// A turn runs.
        TurnRunning = "turn-running", "a turn is running";
        /// The last turn did not complete.
        TurnNotCompleted = "turn-not-completed", "the last turn did not complete";
        /// The model had nothing to recommend (rule D9).
        NothingToRecommend = "nothing-to-recommend", "nothing to recommend";
        /// The goal changed under the offer (rule G3).
        GoalChanged = "goal-changed", "the goal changed; the next suggestion follows the next completed turn";
        /// The conversation was rewritten (rule S7).
        HistoryRewritten = "history-rewritten", "the conversation was rewritten; the next suggestion follows the next completed turn";
        /// Another model was set.
        ModelChanged = "model-changed", "the model changed; the next suggestion follows the next completed turn";
        /// A question or permission dialog waits for the human (rule D4).
        Asking = "asking", "a question waits for your answer";
        /// A submission is under way.
        Submitting = "submitting", "the suggestion is being submitted";
        /// Nothing was asked of the model since history, `on`, an empty turn or a Run.
        NoOfferYet = "no-offer-yet", "no suggestion yet: one follows the next completed turn";
        /// The session is closed.
        Closed = "closed", "the session is closed";
        /// The answer was invalid after its one retry (rule D8).
        InvalidAnswer = "invalid-answer", "the model's answer was not usable";
        /// See [`ErrorKind::RetryLater`](crate::ErrorKind::RetryLater).
        RetryLater = "retry-later", "the provider is busy; try again later";
        /// See [`ErrorKind::Quota`](crate::ErrorKind::Quota).
        Quota = "quota", "the provider's quota is used up";
        /// See [`ErrorKind::Credentials`](crate::ErrorKind::Credentials).
        Credentials = "credentials", "the provider refused the key, or there is none";
        /// See [`ErrorKind::UnknownModel`](crate::ErrorKind::UnknownModel).
        UnknownModel = "unknown-model", "the provider does not know this model";
        /// See [`ErrorKind::UnsupportedParameter`](crate::ErrorKind::UnsupportedParameter).
        UnsupportedParameter = "unsupported-parameter", "the endpoint refuses a parameter";
        /// See [`ErrorKind::ContextTooLong`](crate::ErrorKind::ContextTooLong).
        ContextTooLong = "context-too-long", "the session slice does not fit into the model's context";
        /// See [`ErrorKind::Filtered`](crate::ErrorKind::Filtered).
        Filtered = "filtered", "the provider's content filter withheld the answer";
        /// See [`ErrorKind::Starved`](crate::ErrorKind::Starved).
        Starved = "starved", "the output budget was used up before the answer was complete";
        /// See [`ErrorKind::Empty`](crate::ErrorKind::Empty).
        Empty = "empty", "the reply was empty";
        /// See [`ErrorKind::Malformed`](crate::ErrorKind::Malformed).
        Malformed = "malformed", "the reply could not be read";
        /// See [`ErrorKind::Timeout`](crate::ErrorKind::Timeout).
        Timeout = "timeout", "the call timed out";
        /// See [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
        Cancelled = "cancelled", "the call was cancelled";
        /// See [`ErrorKind::Network`](crate::ErrorKind::Network).
        Network = "network", "the endpoint could not be reached";
        /// See [`ErrorKind::NotAllowed`](crate::ErrorKind::NotAllowed).
        NotAllowed = "not-allowed", "sending to this provider is not allowed";
        /// A Run by hand was not taken by the host. Only adapters say so.
        Refused = "refused", "the host did not take the run";
    }
}

codes! {
    /// Why an armed loop starts nothing (rule A4). Of several, the first in this order is shown.
    HoldCode {
        /// The goal's own driver starts the next turn.
        GoalOwnsBoundary = "goal-owns-boundary", "the goal's own driver has the next turn";
        /// The offer is for the human's hand only (rule D13).
        ByHandOffer = "by-hand-offer", "this step is yours to run";
        /// The last generation failed.
        GenerationFailed = "generation-failed", "the last suggestion failed";
        /// The last turn did not complete, or there was none.
        NoCompletedTurn = "no-completed-turn", "waiting for a completed turn";
        /// The session works.
        Busy = "busy", "the session is busy";
        /// A dialog waits for the human.
        Asking = "asking", "a question waits for your answer";
        /// The human's own prompts wait in the queue.
        HumanQueued = "human-queued", "your own prompt is queued";
        /// The advisor's blocker waits for an answer.
        Blocker = "blocker", "the advisor's blocker is unanswered";
        /// The host refused the submission.
        Refused = "refused", "the host refused the round";
        /// The host did not answer a submission.
        NoAnswer = "no-answer", "the host has not answered the submission";
        /// A submission waits for the host's answer or for its turn.
        Submitting = "submitting", "the round is being submitted";
        /// No offer is on screen yet.
        WaitingForOffer = "waiting-for-offer", "waiting for a suggestion";
    }
}

codes! {
    /// Why the loop last disarmed (rule A5).
    DisarmCode {
        /// The human disarmed it.
        Human = "human", "you switched autorun off";
        /// Suggestions were switched off.
        SwitchedOff = "switched-off", "suggestions were switched off";
        /// The model was cleared.
        ModelCleared = "model-cleared", "the model was cleared";
        /// The human sent or queued a prompt.
        HumanPrompt = "human-prompt", "you sent a prompt yourself";
        /// The goal that was active at arming is complete.
        GoalCompleted = "goal-completed", "the goal is complete";
        /// A round ended in another way than completed.
        RoundNotCompleted = "round-not-completed", "a round did not complete";
        /// An accepted round never started.
        RoundDidNotStart = "round-did-not-start", "an accepted round did not start";
        /// The budget is spent (rule A6).
        BudgetSpent = "budget-spent", "the round budget is spent";
        /// The model answered that there is nothing to recommend.
        NothingToRecommend = "nothing-to-recommend", "there is nothing to recommend";
        /// Two generations in a row failed.
        GenerationsFailed = "generations-failed", "two suggestions in a row failed";
        /// The same step came for the third time.
        NoProgress = "no-progress", "the same step came three times in a row";
        /// The session closed.
        Closed = "closed", "the session closed";
    }
}

codes! {
    /// How a command ended.
    OutputCode {
        /// Done.
        Ok = "ok", "done";
        /// Suggestions are off.
        Off = "off", "suggestions are off";
        /// The named offer is not on screen any more.
        Stale = "stale", "that suggestion is not on screen any more";
        /// No offer is on screen.
        NoOffer = "no-offer", "no suggestion is on screen";
        /// A submission is under way.
        Submitting = "submitting", "a submission is under way";
        /// The budget is spent.
        BudgetSpent = "budget-spent", "the round budget is spent";
        /// No turn has completed yet.
        NoCompletedTurn = "no-completed-turn", "no turn has completed yet";
        /// A turn runs.
        TurnRunning = "turn-running", "a turn is running";
        /// A headless session.
        Headless = "headless", "headless sessions get no suggestions";
        /// A subagent's session.
        Subagent = "subagent", "subagent sessions get no suggestions";
        /// The session has no id.
        NoSessionId = "no-session-id", "the session has no id";
        /// The session is closed.
        Closed = "closed", "the session is closed";
        /// No such command.
        UnknownCommand = "unknown-command", "no such command";
        /// An argument does not fit.
        BadArgument = "bad-argument", "that argument does not fit";
        /// The host did not take it. Only adapters say so.
        Refused = "refused", "the host did not take it";
    }
}

impl From<crate::reply::ErrorKind> for ReasonCode {
    fn from(kind: crate::reply::ErrorKind) -> Self {
        use crate::reply::ErrorKind as Kind;
        match kind {
            Kind::RetryLater => Self::RetryLater,
            Kind::Quota => Self::Quota,
            Kind::Credentials => Self::Credentials,
            Kind::UnknownModel => Self::UnknownModel,
            Kind::UnsupportedParameter => Self::UnsupportedParameter,
            Kind::ContextTooLong => Self::ContextTooLong,
            Kind::Filtered => Self::Filtered,
            Kind::Starved => Self::Starved,
            Kind::Empty => Self::Empty,
            Kind::Malformed => Self::Malformed,
            Kind::Timeout => Self::Timeout,
            Kind::Cancelled => Self::Cancelled,
            Kind::Network => Self::Network,
            Kind::NotAllowed => Self::NotAllowed,
        }
    }
}
