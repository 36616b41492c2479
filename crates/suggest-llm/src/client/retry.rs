use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::time::Duration;

/// How the client repeats a call that failed for a passing reason (rule L4). All of it happens inside the call's
/// deadline.
///
/// Waits double from [`first_delay`](Self::first_delay) up to [`longest_delay`](Self::longest_delay), each shortened at
/// random by up to a half. A delay that the server asks for is honoured as it is; one beyond
/// [`longest_server_delay`](Self::longest_server_delay) or beyond the deadline ends the call at once, and the error
/// carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Most requests of one call, the first one included; those that only adapt a refused parameter are not counted.
    pub max_attempts: u32,
    /// The wait before the second request.
    pub first_delay: Duration,
    /// The longest wait that the client chooses by itself.
    pub longest_delay: Duration,
    /// The longest wait that the client accepts from a server.
    pub longest_server_delay: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 5,
            first_delay: Duration::from_millis(500),
            longest_delay: Duration::from_secs(8),
            longest_server_delay: Duration::from_secs(20),
        }
    }
}

impl RetryPolicy {
    /// One request a call, whatever happens.
    #[must_use]
    pub fn never() -> Self {
        Self { max_attempts: 1, ..Self::default() }
    }

    /// The wait before the next request, or `None` when there is to be none. `attempt` counts requests so far, from 1;
    /// `jitter` is in 0 to 1.
    pub(crate) fn next(
        &self,
        retry: Retry,
        server_delay: Option<Duration>,
        attempt: u32,
        remaining: Duration,
        jitter: f64,
    ) -> Option<Duration> {
        let most = match retry {
            Retry::Never => 1,
            Retry::Once => self.max_attempts.min(2),
            Retry::Backoff => self.max_attempts,
        };
        if attempt >= most {
            return None;
        }
        let delay = match server_delay {
            Some(delay) if delay > self.longest_server_delay => return None,
            Some(delay) => delay,
            None => {
                let doublings = attempt.saturating_sub(1).min(16);
                let full = self.first_delay.saturating_mul(1 << doublings).min(self.longest_delay);
                full.mul_f64(1.0 - jitter.clamp(0.0, 1.0) / 2.0)
            }
        };
        (delay < remaining).then_some(delay)
    }
}

/// Whether the same request may succeed when it is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    /// It will not.
    Never,
    /// It may, but the failure is as likely to stay.
    Once,
    /// It probably will, after a while.
    Backoff,
}

/// A number from 0 up to 1, from the randomness that the standard library seeds its maps with.
pub(crate) fn jitter() -> f64 {
    let bits = RandomState::new().build_hasher().finish();
    let high = u32::try_from(bits >> 32).unwrap_or(0);
    f64::from(high) / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn next(
        retry: Retry,
        server: Option<u64>,
        attempt: u32,
        remaining: Duration,
        jitter: f64,
    ) -> Option<u128> {
        RetryPolicy::default()
            .next(retry, server.map(Duration::from_millis), attempt, remaining, jitter)
            .map(|delay| delay.as_millis())
    }

    #[test]
    fn waits_double_up_to_a_ceiling_and_shrink_by_at_most_half_l4() {
        let waits: Vec<_> = (1..6).map(|attempt| next(Retry::Backoff, None, attempt, LONG, 0.0)).collect();
        assert_eq!(waits, [Some(500), Some(1000), Some(2000), Some(4000), None]);
        assert_eq!(next(Retry::Backoff, None, 1, LONG, 1.0), Some(250));
    }

    #[test]
    fn the_servers_delay_is_honoured_up_to_the_ceiling_and_the_deadline_l4() {
        assert_eq!(next(Retry::Backoff, Some(3000), 1, LONG, 0.5), Some(3000));
        assert_eq!(next(Retry::Backoff, Some(0), 1, LONG, 0.5), Some(0));
        assert_eq!(next(Retry::Backoff, Some(20_001), 1, LONG, 0.5), None);
        assert_eq!(next(Retry::Backoff, Some(3000), 1, Duration::from_secs(3), 0.5), None);
    }

    #[test]
    fn permanent_failures_are_not_repeated_and_doubtful_ones_once_l4() {
        assert_eq!(next(Retry::Never, None, 1, LONG, 0.0), None);
        assert_eq!(next(Retry::Once, None, 1, LONG, 0.0), Some(500));
        assert_eq!(next(Retry::Once, None, 2, LONG, 0.0), None);
        assert_eq!(RetryPolicy::never().next(Retry::Backoff, None, 1, LONG, 0.0), None);
    }

    #[test]
    fn jitter_stays_in_its_range() {
        assert!((0..1000).map(|_| jitter()).all(|value| (0.0..1.0).contains(&value)));
    }
}
