//! Times finer than microseconds, and the figures that are shown of them.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// The longest time that is told apart; a longer one counts as this.
const LONGEST_NS: u64 = 600_000_000_000;
const SIGNIFICANT_FIGURES: u8 = 3;
/// Of the times of a trimmed mean.
const KEPT_PERCENT: u64 = 95;

/// Times as they come. Unlike the histograms of a run it counts nanoseconds: what a client adds is a few
/// microseconds.
pub struct Times {
    histogram: Histogram<u64>,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
}

impl Default for Times {
    fn default() -> Times {
        let histogram = Histogram::new_with_bounds(1, LONGEST_NS, SIGNIFICANT_FIGURES);
        Times {
            histogram: histogram.expect("the bounds are constants and valid"),
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
        }
    }
}

impl Times {
    /// Counts one.
    pub fn record(&mut self, time: Duration) {
        let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.histogram.saturating_record(ns);
        self.sum_ns += u128::from(ns);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Adds the times of another.
    pub fn merge(&mut self, other: &Times) {
        self.histogram
            .add(&other.histogram)
            .expect("both have the same bounds");
        self.sum_ns += other.sum_ns;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// What is shown of them; nothing if there are none.
    pub fn figures(&self) -> Option<Figures> {
        if self.count() == 0 {
            return None;
        }
        let at = |quantile| us(self.histogram.value_at_quantile(quantile).min(self.max_ns));
        Some(Figures {
            samples: self.count(),
            min_us: us(self.min_ns),
            mean_us: self.sum_ns as f64 / self.count() as f64 / 1e3,
            trimmed_us: self.trimmed_us(),
            p50_us: at(0.5),
            p90_us: at(0.9),
            p95_us: at(0.95),
            p99_us: at(0.99),
            p999_us: at(0.999),
            max_us: us(self.max_ns),
        })
    }

    fn trimmed_us(&self) -> f64 {
        let kept = (self.count() * KEPT_PERCENT).div_ceil(100);
        let (mut left, mut sum_ns) = (kept, 0.0);
        for step in self.histogram.iter_recorded() {
            let here = step.count_at_value().min(left);
            let ns = self.histogram.median_equivalent(step.value_iterated_to());
            sum_ns += ns as f64 * here as f64;
            left -= here;
        }
        sum_ns / kept as f64 / 1e3
    }
}

fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

/// Times in a few numbers, in microseconds; least, mean and greatest are exact, percentiles to three
/// figures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// How many times.
    pub samples: u64,
    /// The shortest.
    pub min_us: f64,
    /// The mean.
    pub mean_us: f64,
    /// The mean without the longest 5%: as steady as a median, and finer than PostgreSQL's clock.
    pub trimmed_us: f64,
    /// The median.
    pub p50_us: f64,
    /// What 90% do not exceed.
    pub p90_us: f64,
    /// What 95% do not exceed.
    pub p95_us: f64,
    /// What 99% do not exceed.
    pub p99_us: f64,
    /// What 99.9% do not exceed.
    pub p999_us: f64,
    /// The longest.
    pub max_us: f64,
}

impl Figures {
    /// The same without a delay that was added to each.
    pub(super) fn less(self, delay: Duration) -> Figures {
        let delay_us = delay.as_secs_f64() * 1e6;
        let less = |us: f64| (us - delay_us).max(0.0);
        Figures {
            samples: self.samples,
            min_us: less(self.min_us),
            mean_us: less(self.mean_us),
            trimmed_us: less(self.trimmed_us),
            p50_us: less(self.p50_us),
            p90_us: less(self.p90_us),
            p95_us: less(self.p95_us),
            p99_us: less(self.p99_us),
            p999_us: less(self.p999_us),
            max_us: less(self.max_us),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_times() {
        let mut times = Times::default();
        let mut more = Times::default();
        for us in 1..=50_u64 {
            times.record(Duration::from_micros(us));
            more.record(Duration::from_micros(us + 50));
        }
        times.merge(&more);
        let figures = times.figures().unwrap();
        assert_eq!(figures.samples, 100);
        assert_eq!((figures.min_us, figures.max_us), (1.0, 100.0));
        assert_eq!(figures.mean_us, 50.5);
        assert!((figures.trimmed_us - 48.0).abs() < 0.05, "{figures:?}");
        assert!((figures.p50_us - 50.0).abs() < 0.05, "{figures:?}");
        assert!((figures.p99_us - 99.0).abs() < 0.1, "{figures:?}");
    }

    #[test]
    fn parts_of_a_microsecond_are_told_apart() {
        let mut times = Times::default();
        times.record(Duration::from_nanos(1_250));
        assert_eq!(times.figures().unwrap().p50_us, 1.25);
    }

    #[test]
    fn no_times_have_no_figures() {
        assert_eq!(Times::default().figures(), None);
    }
}
