//! The figures of each second or report interval while a run goes on.

use std::array;

use super::histogram::{HistogramLayout, quantile_us};
use super::recorder::Recorder;
use super::snapshot::Counters;
use crate::kind::{Kind, MAX_KINDS};

/// What was counted between two calls of [`IntervalReader::read`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// When it ended, in seconds since the run began.
    pub end_s: f64,
    /// How long it was, in seconds.
    pub length_s: f64,
    /// What was counted of each type, in the order of the workload's types.
    pub types: [Counters; MAX_KINDS],
    /// The 95th percentile of the response times of all types, in microseconds; 0 if none ended.
    pub p95_us: u64,
}

impl Interval {
    /// What was counted of all types together.
    pub fn total(&self) -> Counters {
        let mut total = Counters::default();
        for counters in &self.types {
            total.merge(counters);
        }
        total
    }

    /// Committed transactions a second.
    pub fn transactions_per_second(&self) -> f64 {
        self.rate(self.total().committed)
    }

    /// Committed transactions of a type a minute.
    pub fn per_minute(&self, transaction: impl Into<Kind>) -> f64 {
        60.0 * self.rate(self.types[transaction.into().index()].committed)
    }

    fn rate(&self, count: u64) -> f64 {
        if self.length_s > 0.0 {
            count as f64 / self.length_s
        } else {
            0.0
        }
    }
}

/// Reads what recorders have counted since it read them last.
///
/// It keeps one merged histogram of 172 kB and looks only at the slots between the shortest and the
/// longest time, so that reading each second costs some ten microseconds and no allocation.
#[derive(Debug, Clone)]
pub struct IntervalReader {
    end_s: f64,
    types: [Counters; MAX_KINDS],
    earlier: Box<[u64]>,
    now: Box<[u64]>,
}

impl Default for IntervalReader {
    fn default() -> Self {
        let slots = || vec![0; HistogramLayout::SLOTS].into_boxed_slice();
        IntervalReader {
            end_s: 0.0,
            types: Default::default(),
            earlier: slots(),
            now: slots(),
        }
    }
}

impl IntervalReader {
    /// A reader whose first interval begins at second 0 with nothing counted.
    pub fn new() -> IntervalReader {
        IntervalReader::default()
    }

    /// The interval from the last call to `now_s`, the seconds since the run began. The recorders, one
    /// or one a worker, are the same at each call.
    pub fn read<'a>(
        &mut self,
        recorders: impl IntoIterator<Item = &'a Recorder>,
        now_s: f64,
    ) -> Interval {
        let mut types = [Counters::default(); MAX_KINDS];
        self.now.fill(0);
        for recorder in recorders {
            for (counters, more) in types.iter_mut().zip(recorder.all_counters()) {
                counters.merge(&more);
            }
            recorder.add_response_counts(&mut self.now);
        }
        let mut total = 0;
        for (earlier, &now) in self.earlier.iter_mut().zip(&self.now) {
            *earlier = now.saturating_sub(*earlier);
            total += *earlier;
        }
        let interval = Interval {
            end_s: now_s,
            length_s: now_s - self.end_s,
            types: array::from_fn(|i| types[i].since(&self.types[i])),
            p95_us: quantile_us(&self.earlier, total, 0.95),
        };
        std::mem::swap(&mut self.earlier, &mut self.now);
        self.types = types;
        self.end_s = now_s;
        interval
    }
}
