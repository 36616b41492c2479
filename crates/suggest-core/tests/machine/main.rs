//! The state machine under random and exhaustive interleavings of everything that can happen to a session (rule A8).
//!
//! [`facts`] is an onlooker's own account of a session, kept from inputs and effects alone; [`onlooker`] compares each
//! effect and each state with it; [`driver`] plays host, model, human and clock. [`invariants`] draws random
//! interleavings, [`model_check`] goes through all of them for a small alphabet.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail like tests")]

mod answers;
mod driver;
mod facts;
mod invariants;
mod model_check;
mod onlooker;
mod seen;
