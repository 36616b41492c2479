//! The copies on their way to the director: bounded, so that a slow director costs its own view and nothing else.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Copies that wait at most.
const MOST_ITEMS: usize = 16_384;
/// Their bytes at most.
const MOST_BYTES: usize = 32 * 1024 * 1024;
/// What turns begin and end with may take this much more.
const RESERVE: usize = 2;

/// So many pieces of a stream, or so many bytes, wake the director; fewer wait for the next copy that matters. Waking it for
/// every word would cost the words more than carrying them does.
const WAKE_ITEMS: usize = 64;
const WAKE_BYTES: usize = 1024 * 1024;

/// How much a copy matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    /// One of many pieces: an update that streams by.
    Stream,
    /// A turn begins or ends with it, or somebody waits for an answer.
    Turning,
}

/// What became of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// It waits for the director.
    Queued,
    /// There was no room.
    Lost,
    /// There is no director any more.
    Closed,
}

/// The next thing for the director.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Popped<T> {
    /// A copy.
    Item(T),
    /// So many copies were lost before what comes now.
    Gap(u64),
    /// Nothing will come any more.
    End,
}

#[derive(Debug)]
struct Waiting<T> {
    items: VecDeque<(T, usize)>,
    bytes: usize,
    lost: u64,
    closed: bool,
}

/// A bounded queue from threads to one task.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    waiting: Mutex<Waiting<T>>,
    arrived: Notify,
}

impl<T> Queue<T> {
    pub(crate) fn new() -> Self {
        let waiting = Waiting { items: VecDeque::new(), bytes: 0, lost: 0, closed: false };
        Self { waiting: Mutex::new(waiting), arrived: Notify::new() }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting<T>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a copy for the director; never waits for it.
    pub(crate) fn push(&self, item: T, bytes: usize, weight: Weight) -> Pushed {
        let mut waiting = self.waiting();
        if waiting.closed {
            return Pushed::Closed;
        }
        let room = match weight {
            Weight::Stream => 1,
            Weight::Turning => RESERVE,
        };
        let full = waiting.items.len() >= MOST_ITEMS * room
            || waiting.bytes.saturating_add(bytes) > MOST_BYTES * room;
        if full {
            waiting.lost = waiting.lost.saturating_add(1);
            return Pushed::Lost;
        }
        let before = waiting.bytes;
        waiting.bytes += bytes;
        waiting.items.push_back((item, bytes));
        let wakes = match weight {
            Weight::Stream => {
                waiting.items.len() == WAKE_ITEMS || (before < WAKE_BYTES && waiting.bytes >= WAKE_BYTES)
            }
            Weight::Turning => true,
        };
        drop(waiting);
        if wakes {
            self.arrived.notify_one();
        }
        Pushed::Queued
    }

    /// Nothing more is taken. What waits is still handed out.
    pub(crate) fn close(&self) {
        self.waiting().closed = true;
        self.arrived.notify_one();
    }

    /// Waits for the next copy. Safe to drop while it waits.
    pub(crate) async fn pop(&self) -> Popped<T> {
        loop {
            {
                let mut waiting = self.waiting();
                if waiting.lost > 0 {
                    return Popped::Gap(std::mem::take(&mut waiting.lost));
                }
                if let Some((item, bytes)) = waiting.items.pop_front() {
                    waiting.bytes = waiting.bytes.saturating_sub(bytes);
                    if waiting.items.is_empty() {
                        waiting.items.shrink_to(1_024);
                    }
                    return Popped::Item(item);
                }
                if waiting.closed {
                    return Popped::End;
                }
            }
            self.arrived.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_queue_loses_pieces_of_streams_and_says_how_many() {
        let queue = Queue::new();
        for number in 0..MOST_ITEMS {
            assert_eq!(queue.push(number, 1, Weight::Stream), Pushed::Queued);
        }
        assert_eq!(queue.push(0, 1, Weight::Stream), Pushed::Lost);
        assert_eq!(queue.push(0, 1, Weight::Stream), Pushed::Lost);
        assert_eq!(queue.push(7, 1, Weight::Turning), Pushed::Queued, "turns have a reserve");
        assert_eq!(queue.pop().await, Popped::Gap(2));
        assert_eq!(queue.pop().await, Popped::Item(0));
    }

    #[tokio::test]
    async fn bytes_are_bounded_too_also_for_what_matters() {
        let queue = Queue::new();
        assert_eq!(queue.push((), MOST_BYTES, Weight::Stream), Pushed::Queued);
        assert_eq!(queue.push((), 1, Weight::Stream), Pushed::Lost);
        assert_eq!(queue.push((), MOST_BYTES, Weight::Turning), Pushed::Queued);
        assert_eq!(queue.push((), 1, Weight::Turning), Pushed::Lost);
    }

    #[tokio::test]
    async fn what_waits_is_handed_out_after_the_end_and_nothing_is_taken() {
        let queue = Queue::new();
        queue.push('a', 1, Weight::Stream);
        queue.close();
        assert_eq!(queue.push('b', 1, Weight::Turning), Pushed::Closed);
        assert_eq!(queue.pop().await, Popped::Item('a'));
        assert_eq!(queue.pop().await, Popped::End);
    }
}
