//! A session in a store, which is asked instead of read.

use super::feed::setup_of;
use super::file::{Step, identity, told};
use super::place::Place;
use std::io;
use suggest_core::Turn;
use suggest_transcripts::{StoreFollower, StoreLook, TranscriptError};

/// An open session of a store.
#[derive(Debug)]
pub(super) struct OpenStore {
    follower: StoreFollower,
    pub(super) identity: (u64, u64),
    /// What is there at the first look is history.
    is_past: bool,
    looked: bool,
}

impl OpenStore {
    /// Opens the session. `None` if the store does not hold it, or none yet.
    pub(super) fn open(place: &Place, is_past: bool, steps: &mut Vec<Step>) -> io::Result<Option<Self>> {
        let identity = identity(&std::fs::metadata(&place.path)?);
        let follower = match StoreFollower::open(&place.path, place.session.as_deref()) {
            Ok(follower) => follower,
            Err(TranscriptError::NoSuchSession) => return Ok(None),
            Err(error) => return Err(of_store(error)),
        };
        steps.push(Step::Opened(Box::new(setup_of(follower.info(), &place.path))));
        Ok(Some(Self { follower, identity, is_past, looked: false }))
    }

    pub(super) fn last_ended(&self) -> Option<Turn> {
        self.follower.last_ended_turn()
    }

    /// Looks at it. False if it has to be opened anew: something that was told is gone.
    pub(super) fn look(&mut self, steps: &mut Vec<Step>) -> io::Result<bool> {
        let mut outputs = Vec::new();
        match self.follower.look(&mut |output| outputs.push(output)) {
            Ok(StoreLook::Rewritten) | Err(TranscriptError::NoSuchSession) => return Ok(false),
            Ok(StoreLook::Unchanged | StoreLook::Told) => {}
            Err(error) => return Err(of_store(error)),
        }
        let first = !std::mem::replace(&mut self.looked, true);
        if first && self.is_past {
            steps.extend(outputs.into_iter().map(|output| Step::History(output.into_event())));
        } else {
            steps.extend(told(outputs, first));
        }
        Ok(true)
    }
}

fn of_store(error: TranscriptError) -> io::Error {
    match error {
        TranscriptError::Io(error) => error,
        other => io::Error::other(other),
    }
}
