//! The server's clock.

use pgrx::datum::TimestampWithTimeZone;
use pgrx::pg_sys;

/// The time of day: microseconds since 2000-01-01 00:00 UTC, as `clock_timestamp()` gives it.
pub fn now() -> i64 {
    // SAFETY: reads the clock and nothing else.
    unsafe { pg_sys::GetCurrentTimestamp() }
}

/// `us` microseconds since 2000-01-01 00:00 UTC as PostgreSQL's type.
pub fn timestamptz(us: i64) -> TimestampWithTimeZone {
    TimestampWithTimeZone::try_from(us)
        .unwrap_or_else(|_| TimestampWithTimeZone::positive_infinity())
}
