//! Waiting for the end of the turn that a harness told of, in the session file, which may lag behind.

use super::store::{Record, Store};
use super::transcript::Transcript;
use super::work::{Job, LOOK, is_current};
use std::io;
use std::time::{Duration, Instant};

/// How long the end of the turn is waited for: other hooks of the person and the check of a goal come before it.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// How long a session file must be quiet before a turn that looks finished counts as ended although its end was not
/// written.
const QUIET: Duration = Duration::from_secs(60);

/// How long the answer is waited for that the harness told and has not written yet, where somebody waits for us.
const LAG: Duration = Duration::from_secs(3);

/// How the wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The session file says that the turn has ended, or it was quiet for so long that the turn has.
    Written,
    /// The turn is there whole, and its end is not written: the harness told it.
    Told,
    /// The session file does not hold the turn.
    Missing,
    /// Newer work has begun.
    Superseded,
}

/// Waits until the session file holds the turn that the harness told of, and where nobody waits for us, its end.
pub(super) fn wait_for(store: &Store, job: &Job, transcript: &mut Transcript) -> io::Result<End> {
    let answered = store.read(&job.session).and_then(|record| record.answered);
    let (began, mut changed, mut length) = (Instant::now(), Instant::now(), 0);
    let mut awaited = job.at_once;
    loop {
        if !is_current(store, job) {
            return Ok(End::Superseded);
        }
        let late = began.elapsed() > LAG;
        let here = is_here(job, transcript, answered, late);
        if here && transcript.has_ended() {
            return Ok(End::Written);
        }
        if awaited {
            if here && transcript.has_open_goal() {
                // The harness checks its goal only when its hook has ended.
                awaited = false;
            } else if here && is_whole(job, transcript) {
                transcript.settle();
                return Ok(End::Told);
            } else if late && transcript.open_turn().is_some() && transcript.has_reached() != Some(false) {
                transcript.settle();
                if let Some(answer) = &job.answer {
                    transcript.add_answer(answer);
                }
                return Ok(End::Told);
            } else if late {
                awaited = false;
            }
            if !awaited {
                store.update(&job.session, |record| defer(record, job))?;
            }
        }
        std::thread::sleep(LOOK);
        transcript.read_on()?;
        let now = std::fs::metadata(&job.transcript).map(|facts| facts.len()).unwrap_or_default();
        if now != length {
            (length, changed) = (now, Instant::now());
        } else if changed.elapsed() > QUIET {
            transcript.settle();
            if !is_here(job, transcript, answered, true) {
                return Ok(End::Missing);
            }
        }
        if began.elapsed() > LONGEST_WAIT {
            return Ok(End::Written);
        }
    }
}

/// Whether the newest turn in the session file is the one that the harness told of. `answered` is the fingerprint of the
/// turn that was answered last.
fn is_here(job: &Job, transcript: &Transcript, answered: Option<u64>, late: bool) -> bool {
    let holds = || job.answer.as_deref().is_none_or(|answer| transcript.holds(answer));
    match transcript.has_reached() {
        Some(true) => true,
        // A version of the harness that tells the id, and does not write it.
        Some(false) => late && holds() && answered != Some(transcript.fingerprint()),
        None => holds() && (late || job.answer.is_none() || answered != Some(transcript.fingerprint())),
    }
}

/// Whether the newest turn holds its last message.
fn is_whole(job: &Job, transcript: &Transcript) -> bool {
    match job.answer.as_deref() {
        Some(answer) => transcript.holds(answer),
        None => transcript.looks_finished(),
    }
}

/// Says that nobody needs to wait for the work.
fn defer(record: &mut Record, job: &Job) -> bool {
    let current = record.generation == job.generation;
    if let (true, Some(work)) = (current, &mut record.work) {
        work.deferred = true;
    }
    current
}
