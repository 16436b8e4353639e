//! One clock for all processes of a run.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Microseconds since the run's workers were let go, the same in every process.
///
/// A monotonic clock cannot be handed from process to process, and the time of day may be set
/// while a run goes on. So each process looks at both once, and goes on with its monotonic one.
#[derive(Clone, Copy)]
pub struct RunClock {
    base: Instant,
    base_us: i64,
}

impl RunClock {
    /// The clock of a run that begins, or began, at this time of day.
    pub fn new(epoch_unix_us: i64) -> Self {
        Self {
            base: Instant::now(),
            base_us: unix_us() - epoch_unix_us,
        }
    }

    /// Microseconds since the epoch; negative before it.
    #[inline]
    pub fn now_us(&self) -> i64 {
        self.base_us + self.base.elapsed().as_micros() as i64
    }

    /// How long it is until then; zero if that is over.
    pub fn until(&self, us: i64) -> Duration {
        Duration::from_micros((us - self.now_us()).max(0) as u64)
    }
}

/// The time of day in microseconds since 1970-01-01 00:00:00 UTC.
pub fn unix_us() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_micros() as i64)
}
