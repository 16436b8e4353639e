//! Rows through COPY, within a budget.

use std::cell::Cell;
use std::pin::pin;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::SinkExt;
use tokio_postgres::{Client, Error};

use super::Count;

/// So often who waits looks whether the load is to stop.
const STEP: Duration = Duration::from_millis(100);

/// The bytes that a load may write a second.
#[derive(Debug)]
pub(crate) struct Budget {
    most: Option<f64>,
    since: Instant,
    spent: Cell<f64>,
}

impl Budget {
    /// From now on; none for no limit.
    pub(crate) fn new(most: Option<f64>) -> Budget {
        Budget {
            most,
            since: Instant::now(),
            spent: Cell::new(0.0),
        }
    }

    /// Counts bytes, and tells how long to wait before more are written.
    fn spend(&self, bytes: f64) -> Duration {
        let Some(most) = self.most else {
            return Duration::ZERO;
        };
        self.spent.set(self.spent.get() + bytes);
        let ahead = self.spent.get() / most - self.since.elapsed().as_secs_f64();
        Duration::from_secs_f64(ahead.max(0.0))
    }

    /// Counts bytes that were written, and waits until more may be, or the load is to stop.
    pub(crate) async fn wait(&self, bytes: f64, count: &Count<'_>) {
        let mut left = self.spend(bytes);
        while !left.is_zero() && !count.is_stopped() {
            let step = left.min(STEP);
            tokio::time::sleep(step).await;
            left -= step;
        }
    }
}

/// Sends chunks of rows, each with its number of rows, of which one writes `row_bytes`, the log included.
///
/// # Errors
/// What the server says.
pub(crate) async fn copy(
    client: &Client,
    sql: &str,
    chunks: impl Iterator<Item = (Bytes, u64)>,
    count: &Count<'_>,
    (budget, row_bytes): (&Budget, f64),
) -> Result<(), Error> {
    let mut sink = pin!(client.copy_in(sql).await?);
    for (chunk, rows) in chunks {
        sink.send(chunk).await?;
        count.add(rows);
        budget.wait(rows as f64 * row_bytes, count).await;
    }
    sink.finish().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_waited_for() {
        assert_eq!(Budget::new(None).spend(1e12), Duration::ZERO);
        let budget = Budget::new(Some(1_000.0));
        let wait = budget.spend(2_000.0);
        assert!((1.9..=2.0).contains(&wait.as_secs_f64()), "{wait:?}");
    }
}
