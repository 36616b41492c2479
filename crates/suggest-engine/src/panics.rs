//! Keeps panics of foreign code where they happened.

use futures_util::FutureExt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Foreign code panicked. What it said is not kept: it may hold session text (rule P3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Runs foreign code. Its own state may be half changed after a panic; ours is not touched by it.
pub(crate) fn contain<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Panicked)
}

/// Runs foreign code that waits.
pub(crate) async fn contain_async<F: Future>(work: F) -> Result<F::Output, Panicked> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|_| Panicked)
}
