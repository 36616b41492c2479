//! What waits to be written. Nobody ever waits for the reader at the other end but the one task that writes.

use super::error::SidecarError;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;
use tokio::time::Instant;

/// The most bytes that wait, states not counted: of those only the newest of each session waits.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The most messages that wait, states not counted.
const MOST_MESSAGES: usize = 16 * 1024;

/// A reader that lets a full queue stand for so long has stopped.
pub(crate) const STALL: Duration = Duration::from_secs(15);

/// How many bytes are written at once.
const BATCH: usize = 64 * 1024;

/// The queue is full or closed; the message is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lost;

/// The outgoing queue.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    inner: Mutex<Inner>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    waiting: VecDeque<Item>,
    /// The newest state of each session that waits.
    states: HashMap<String, String>,
    bytes: usize,
    messages: usize,
    full_since: Option<Instant>,
    lost: u64,
    closed: bool,
}

#[derive(Debug)]
enum Item {
    Line(String),
    /// The place of a session's state.
    State(String),
}

impl Outbox {
    /// Puts a message at the end.
    pub(crate) fn push(&self, line: String) -> Result<(), Lost> {
        {
            let mut inner = self.lock();
            if inner.closed {
                return Err(Lost);
            }
            let over = inner.bytes.saturating_add(line.len()) > MOST_BYTES || inner.messages >= MOST_MESSAGES;
            if over && inner.messages > 0 {
                inner.full_since.get_or_insert_with(Instant::now);
                inner.lost = inner.lost.saturating_add(1);
                return Err(Lost);
            }
            inner.bytes = inner.bytes.saturating_add(line.len());
            inner.messages = inner.messages.saturating_add(1);
            inner.waiting.push_back(Item::Line(line));
        }
        self.changed.notify_one();
        Ok(())
    }

    /// Puts a session's state at the end, or in the place of one that still waits.
    pub(crate) fn push_state(&self, session: &str, line: String) {
        {
            let mut inner = self.lock();
            if inner.closed {
                return;
            }
            match inner.states.get_mut(session) {
                Some(waiting) => *waiting = line,
                None => {
                    inner.states.insert(session.to_owned(), line);
                    inner.waiting.push_back(Item::State(session.to_owned()));
                }
            }
        }
        self.changed.notify_one();
    }

    /// Forgets the state of a session that still waits.
    pub(crate) fn drop_state(&self, session: &str) {
        self.lock().states.remove(session);
    }

    /// Takes nothing more; what waits is still written.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// How many messages were lost because nobody read.
    pub(crate) fn lost(&self) -> u64 {
        self.lock().lost
    }

    /// Writes what comes until the queue is closed and empty.
    ///
    /// # Errors
    ///
    /// When the stream breaks, or when the reader has stopped and the queue stays full.
    pub(crate) async fn write_to<W: AsyncWrite + Unpin>(&self, mut output: W) -> Result<(), SidecarError> {
        let mut batch = Vec::new();
        loop {
            let closed = self.take(&mut batch);
            if batch.is_empty() {
                if closed {
                    return Ok(());
                }
                self.changed.notified().await;
                continue;
            }
            {
                let writing = async {
                    output.write_all(&batch).await?;
                    output.flush().await
                };
                tokio::pin!(writing);
                loop {
                    match tokio::time::timeout(Duration::from_secs(1), &mut writing).await {
                        Ok(written) => break written.map_err(SidecarError::Write)?,
                        Err(_) if self.is_stalled() => return Err(SidecarError::PluginStopped),
                        Err(_) => {}
                    }
                }
            }
            batch.clear();
            batch.shrink_to(BATCH);
            self.lock().full_since = None;
        }
    }

    /// Moves messages into the batch, up to its size. Says whether the queue is closed.
    fn take(&self, batch: &mut Vec<u8>) -> bool {
        let mut inner = self.lock();
        while batch.len() < BATCH {
            match inner.waiting.pop_front() {
                None => break,
                Some(Item::Line(line)) => {
                    inner.bytes = inner.bytes.saturating_sub(line.len());
                    inner.messages = inner.messages.saturating_sub(1);
                    batch.extend_from_slice(line.as_bytes());
                }
                Some(Item::State(session)) => {
                    if let Some(line) = inner.states.remove(&session) {
                        batch.extend_from_slice(line.as_bytes());
                    }
                }
            }
        }
        inner.closed
    }

    fn is_stalled(&self) -> bool {
        self.lock().full_since.is_some_and(|since| since.elapsed() >= STALL)
    }

    /// Nothing panics while the lock is held, so a poisoned lock is still consistent.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn of_each_sessions_states_only_the_newest_waits() {
        let outbox = Outbox::default();
        outbox.push_state("a", "a1\n".to_owned());
        outbox.push("between\n".to_owned()).unwrap();
        for number in 2..1_000 {
            outbox.push_state("a", format!("a{number}\n"));
        }
        outbox.push_state("b", "b1\n".to_owned());
        outbox.push_state("gone", "gone\n".to_owned());
        outbox.drop_state("gone");
        outbox.close();
        outbox.push_state("late", "late\n".to_owned());
        assert_eq!(outbox.push("late\n".to_owned()), Err(Lost));
        let mut written = Vec::new();
        outbox.write_to(&mut written).await.unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), "a999\nbetween\nb1\n");
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_stops_ends_the_writer_only_when_the_queue_stays_full() {
        let outbox = std::sync::Arc::new(Outbox::default());
        let (near, mut far) = tokio::io::duplex(64);
        let writer = tokio::spawn({
            let outbox = std::sync::Arc::clone(&outbox);
            async move { outbox.write_to(near).await }
        });
        outbox.push("x".repeat(100_000)).unwrap();
        tokio::time::sleep(STALL * 4).await;
        assert!(!writer.is_finished(), "a slow reader of a queue that is not full is waited for");
        let mut kept = 0_usize;
        while outbox.push("y".repeat(1_000_000)).is_ok() {
            kept += 1;
        }
        assert!(kept < 17, "bounded");
        // It reads again before it counts as stopped.
        tokio::time::sleep(STALL / 2).await;
        tokio::io::copy(&mut tokio::io::AsyncReadExt::take(&mut far, 2_000_000), &mut tokio::io::sink())
            .await
            .unwrap();
        tokio::time::sleep(STALL / 2).await;
        assert!(!writer.is_finished());
        while outbox.push("y".repeat(1_000_000)).is_ok() {}
        tokio::time::sleep(STALL * 2).await;
        assert!(matches!(writer.await.unwrap(), Err(SidecarError::PluginStopped)));
        assert!(outbox.lost() >= 2);
        drop(far);
    }
}
