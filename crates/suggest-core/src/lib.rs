//! Pure state machines that decide what a coding session should do next: events in, effects out.
//!
//! One [`Session`] per session of the host. Feed it [`Input`]s with the current time, perform the [`Effect`]s that it
//! gives, and show its [`State`]. It does no IO, reads no clock and knows no runtime; the driver owns all of these.

mod answer;
mod code;
mod command;
mod config;
mod effect;
mod event;
mod facts;
mod ids;
mod reply;
mod session;
mod state;
mod state_block;

pub use answer::{OfferKind, ReplyFinish};
pub use code::{Coded, DisarmCode, HoldCode, OutputCode, ReasonCode, UnknownCode};
pub use command::{AdvisorCommand, CardsCommand, Command, CommandOutput, ParseCommandError};
pub use config::{AdvisorConfig, CardsConfig, Config, ConfigError};
pub use effect::{
    Effect, Expectation, GoalRef, LoopReport, ModelCall, PromptMessage, PromptRole, RanOffer, SubmitAuthor, Submission,
    Voice,
};
pub use event::{
    Author, Chapter, EndReason, Event, Goal, GoalPhase, Message, Origin, PlanItem, PlanStatus, Tool,
};
pub use facts::{MessageFact, SessionFacts, ToolFact};
pub use ids::{
    CallId, ModelId, OfferId, ParseModelIdError, ParseOfferIdError, Revision, Ticket, Timestamp, Turn,
};
pub use reply::{CallError, CallUsage, ErrorKind, ModelReply};
pub use session::{Input, Session, SessionKind, SessionSetup};
pub use state::{
    AdvisorStatus, AdvisorView, AutorunView, CardOrigin, CardView, CardsView, GoalStateView, ModelSource, ModelView,
    OfferView, Priority, Severity, State, Status, SummaryView, Usage,
};
pub use state_block::{ParseStateError, parse_state, print_state, status_line};
