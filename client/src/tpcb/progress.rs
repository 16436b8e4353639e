//! How far the rows of a load are, and whether they are within their budget.

use std::time::{Duration, Instant};

use super::Options;

/// What an account's row writes: the heap's part of a page, and the same again to the log.
const WRITTEN_PER_ACCOUNT: f64 = 2.0 * 8192.0 / 61.0;

/// How far the rows are, and whether they are within their budget.
pub(super) struct Progress {
    started: Instant,
    every: Duration,
    next: Instant,
    written: u64,
    expected: u64,
    max_write: Option<f64>,
}

impl Progress {
    pub(super) fn new(options: &Options, expected: u64) -> Progress {
        let started = Instant::now();
        Progress {
            started,
            every: options.report_every,
            next: started + options.report_every,
            written: 0,
            expected,
            max_write: options.max_write,
        }
    }

    /// Counts rows. Gives how long to wait for the budget, and a line when it is time for one.
    pub(super) fn wrote(&mut self, rows: u64) -> (Duration, Option<String>) {
        self.written += rows;
        let now = Instant::now();
        let elapsed = (now - self.started).as_secs_f64();
        let wait = self.max_write.map_or(0.0, |most| {
            self.written as f64 * WRITTEN_PER_ACCOUNT / most - elapsed
        });
        let line = (now >= self.next).then(|| {
            self.next = now + self.every;
            let part = self.written as f64 / self.expected.max(1) as f64;
            let left = elapsed * (1.0 - part) / part.max(1e-9);
            format!(
                "{:.0}%, writing accounts: {} of {}, {:.0} rows/s, about {left:.0} s left",
                100.0 * part,
                self.written,
                self.expected,
                self.written as f64 / elapsed.max(1e-3)
            )
        });
        (Duration::from_secs_f64(wait.max(0.0)), line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcb::create::tests::options;

    #[test]
    fn a_budget_is_waited_for() {
        let options = Options {
            max_write: Some(WRITTEN_PER_ACCOUNT * 1_000.0),
            ..options(None)
        };
        let mut progress = Progress::new(&options, 10_000);
        let (wait, _) = progress.wrote(2_000);
        assert!((1.9..=2.0).contains(&wait.as_secs_f64()), "{wait:?}");
    }
}
