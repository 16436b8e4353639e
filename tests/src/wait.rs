//! Waiting for something to become true.

use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(10);

/// Asks `probe` again and again until it says yes; panics with `what` when `limit` is over.
pub async fn eventually(what: &str, limit: Duration, mut probe: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !probe().await {
        assert!(start.elapsed() < limit, "not within {limit:?}: {what}");
        tokio::time::sleep(PAUSE).await;
    }
}
