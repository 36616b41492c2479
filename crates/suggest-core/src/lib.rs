//! Pure state machines that decide what a coding session should do next: events in, effects out.
//!
//! One [`Session`] per session of the host. Feed it [`Input`]s with the current time, perform the [`Effect`]s that it
//! gives, and show its [`State`]. It does no IO, reads no clock and knows no runtime; the driver owns all of these.

mod advisor;
mod answer;
mod autorun;
mod cards;
mod code;
mod command;
mod config;
mod defuse;
mod director;
mod effect;
mod event;
mod facts;
mod ids;
mod prompts;
mod reply;
mod scrub;
mod session;
mod slice;
mod state;
mod state_block;
mod summary;
mod text;
mod transcript;

pub use answer::{
    AnswerContext, InvalidAnswer, OfferKind, Proposal, ReplyFinish, Verdict, classify, clean, fold_for_echo,
    judge, same_step, step_key,
};
pub use cards::{
    CardBook, CardCounts, CardError, CardLimits, CardManager, CardState, Dismissal, Dismissals, DropReason,
    Fingerprint, Hero, HeroStatus, IdleSuggestion, NewCard, Offered, PromptIntent, SessionSummary, Snapshot,
    idle_suggestion_event,
};
pub use code::{Coded, DisarmCode, HoldCode, OutputCode, ReasonCode, UnknownCode};
pub use command::{AdvisorCommand, CardsCommand, Command, CommandOutput, ParseCommandError};
pub use config::{AdvisorConfig, CardsConfig, Config, ConfigError};
pub use defuse::{char_count, cut_front, defuse, quote, shorten_middle};
pub use effect::{
    Effect, Expectation, GoalRef, LoopReport, ModelCall, PromptMessage, PromptRole, RanOffer, Submission,
    SubmitAuthor, Voice,
};
pub use event::{
    Author, Chapter, EndReason, Event, Goal, GoalPhase, Message, Origin, PlanItem, PlanStatus, Tool,
};
pub use facts::{MessageFact, SessionFacts, ToolFact};
pub use ids::{
    CallId, ModelId, OfferId, ParseModelIdError, ParseOfferIdError, Revision, Ticket, Timestamp, Turn,
};
pub use reply::{CallError, CallUsage, ErrorKind, ModelReply};
pub use scrub::{Scrubber, SecretFamily, families};
pub use session::{Input, Oddities, Session, SessionKind, SessionSetup};
pub use state::{
    AdvisorStatus, AdvisorView, AutorunView, CardOrigin, CardView, CardsView, GoalStateView, ModelSource,
    ModelView, OfferView, Priority, Severity, State, Status, SummaryView, Usage,
};
pub use state_block::{ParseStateError, parse_state, print_state, status_line};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
