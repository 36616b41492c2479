//! Test kit for `suggest`: play scripted sessions against the real core, with a virtual clock and scripted answers.
//!
//! A *scenario* is one JSON document: a configuration, a session, and steps that say what the host, the human and the
//! models do, and what the core must show for it. [`Scenario::from_json`] reads and checks it whole, [`Player`] plays
//! it, [`Line`] is what each step did, and [`Verdict`] is the exit status of `suggest replay`. In tests, [`check()`]
//! does all of it. [`http`] is a scripted server for tests of model clients.
//!
//! ```no_run
//! let outcome = suggest_testkit::check(
//!     r#"{
//!         "config": { "promptModel": "example/small" },
//!         "steps": [
//!             { "event": { "type": "turn_started", "turn": 1 } },
//!             { "event": { "type": "message", "author": "human", "text": "Add a --json flag." } },
//!             { "event": { "type": "turn_ended", "turn": 1, "reason": "completed" } },
//!             { "reply": { "text": "NEXT: Test `report --json` on an empty ledger." } },
//!             { "expect": { "state": { "status": "ready" } } }
//!         ]
//!     }"#,
//! );
//! assert_eq!(outcome.lines.len(), 4);
//! ```

pub mod http;

mod check;
mod clock;
mod folder;
mod host;
mod pattern;
mod people;
mod player;
mod scenario;
#[cfg(feature = "schema")]
mod schema;

pub use check::check;
pub use clock::VirtualClock;
pub use folder::{FileError, FileReport, play_file, play_folder, scenario_files};
pub use host::{Asked, RecordingHost, SubmitScript};
pub use pattern::Difference;
pub use people::for_people;
pub use player::{Line, Machine, Mismatch, Outcome, Played, Player, Verdict};
pub use scenario::{Scenario, ScenarioError, StepNumber};
#[cfg(feature = "schema")]
pub use schema::scenario_schema;
pub use suggest_llm::ScriptedLlm;
