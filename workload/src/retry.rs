//! How a transaction that met a conflict is tried again.

use std::time::Duration;

use crate::tpcc::Rng;

/// How often a transaction that meets 40001 or 40P01 is tried before it counts as failed.
pub const MAX_TRIES: u32 = 20;

/// The pause before the second try is at most this; it doubles with each further try.
const FIRST_US: u64 = 1_000;
/// No pause between tries is longer.
const LAST_US: u64 = 100_000;

/// A random pause after so many tries: up to 1 ms after the first, twice that after each further one,
/// 100 ms at most.
pub fn pause(tries: u32, rng: &mut Rng) -> Duration {
    let most_us = (FIRST_US << tries.saturating_sub(1).min(10)).min(LAST_US);
    Duration::from_micros(1 + rng.below(most_us))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::Stream;

    #[test]
    fn pauses_grow_and_are_bounded() {
        let mut rng = Rng::keyed(1, Stream::Caller, 0);
        let mut longest = |tries| (0..1_000).map(|_| pause(tries, &mut rng)).max().unwrap();
        assert!(longest(1) <= Duration::from_millis(1));
        assert!(longest(3) > Duration::from_millis(2));
        assert!(longest(1_000) <= Duration::from_millis(100));
    }
}
