//! A histogram of times whose layout is HdrHistogram's, so that it can be counted in plain arrays of
//! atomics and still be read by any HdrHistogram tool.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};

/// Which slot counts which times: HdrHistogram's layout for 1 us to 10 minutes with three significant
/// figures. Below 2048 us every microsecond has a slot; above, each doubling of the time has 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistogramLayout;

impl HistogramLayout {
    /// The shortest time that is told apart from 0, in microseconds.
    pub const MIN_US: u64 = 1;
    /// The longest time that is told apart, in microseconds; a longer one is counted as this.
    pub const MAX_US: u64 = 600_000_000;
    /// Significant decimal figures.
    pub const SIGNIFICANT_FIGURES: u8 = 3;
    /// How many slots there are.
    pub const SLOTS: usize = (DOUBLINGS + 1) * HALF;

    /// The slot of a time.
    #[inline]
    pub const fn index_of(us: u64) -> usize {
        let us = if us > Self::MAX_US { Self::MAX_US } else { us };
        let doubling = (u64::BITS - (us | MASK).leading_zeros() - MASK.count_ones()) as usize;
        let sub = (us >> doubling) as usize;
        doubling * HALF + sub
    }

    /// The shortest time a slot counts, in microseconds.
    #[inline]
    pub const fn lowest_us(index: usize) -> u64 {
        let doubling = Self::doubling_of(index);
        ((index - doubling * HALF) as u64) << doubling
    }

    /// The longest time a slot counts, in microseconds.
    #[inline]
    pub const fn highest_us(index: usize) -> u64 {
        Self::lowest_us(index) + (1 << Self::doubling_of(index)) - 1
    }

    const fn doubling_of(index: usize) -> usize {
        (index / HALF).saturating_sub(1)
    }

    /// An empty histogram of this layout.
    pub fn empty() -> Histogram<u64> {
        Histogram::new_with_bounds(Self::MIN_US, Self::MAX_US, Self::SIGNIFICANT_FIGURES)
            .expect("the bounds are constants and valid")
    }
}

/// Slots of a doubling, but for the first range, which has twice as many.
const HALF: usize = 1024;
const MASK: u64 = 2 * HALF as u64 - 1;
const DOUBLINGS: usize = {
    let mut doublings = 1;
    while (2 * HALF as u64) << (doublings - 1) <= HistogramLayout::MAX_US {
        doublings += 1;
    }
    doublings
};

/// Times as they were counted up to some moment, or between two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistogramSnapshot {
    counts: Box<[u64]>,
    count: u64,
    sum_us: u64,
    min_us: u64,
    max_us: u64,
}

impl Default for HistogramSnapshot {
    fn default() -> Self {
        Self::from_counts(vec![0; HistogramLayout::SLOTS].into(), 0, u64::MAX, 0)
    }
}

impl HistogramSnapshot {
    /// `min_us` is `u64::MAX` if nothing was counted.
    pub(crate) fn from_counts(
        counts: Box<[u64]>,
        sum_us: u64,
        min_us: u64,
        max_us: u64,
    ) -> HistogramSnapshot {
        HistogramSnapshot {
            count: counts.iter().sum(),
            counts,
            sum_us,
            min_us,
            max_us,
        }
    }

    /// The counts of an HdrHistogram, with the exact figures that it does not keep.
    pub fn from_hdr(
        histogram: &Histogram<u64>,
        mean_us: f64,
        min_us: u64,
        max_us: u64,
    ) -> HistogramSnapshot {
        let mut counts = vec![0; HistogramLayout::SLOTS].into_boxed_slice();
        for value in histogram.iter_recorded() {
            counts[HistogramLayout::index_of(value.value_iterated_to())] += value.count_at_value();
        }
        let count: u64 = counts.iter().sum();
        let sum_us = (mean_us * count as f64).round() as u64;
        let min_us = if count == 0 { u64::MAX } else { min_us };
        HistogramSnapshot::from_counts(counts, sum_us, min_us, max_us)
    }

    /// Counts one time in microseconds.
    pub fn record(&mut self, us: u64) {
        self.counts[HistogramLayout::index_of(us)] += 1;
        self.count += 1;
        self.sum_us = self.sum_us.saturating_add(us);
        self.min_us = self.min_us.min(us);
        self.max_us = self.max_us.max(us);
    }

    /// How many times were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The sum of all times in microseconds, exact.
    pub fn sum_us(&self) -> u64 {
        self.sum_us
    }

    /// The mean in microseconds, exact; 0 if nothing was counted.
    pub fn mean_us(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.sum_us as f64 / self.count as f64
        }
    }

    /// The shortest time in microseconds; 0 if nothing was counted. Exact, but of a difference whose
    /// shortest time is not that of the whole it is the lower end of its slot.
    pub fn min_us(&self) -> u64 {
        if self.count == 0 { 0 } else { self.min_us }
    }

    /// The longest time in microseconds; 0 if nothing was counted. Exact, but of a difference whose
    /// longest time is not that of the whole it is the upper end of its slot.
    pub fn max_us(&self) -> u64 {
        if self.count == 0 { 0 } else { self.max_us }
    }

    /// The time in microseconds that a fraction `quantile` of all times do not exceed, with the
    /// histogram's precision and HdrHistogram's rule; 0 if nothing was counted.
    pub fn value_at_quantile(&self, quantile: f64) -> u64 {
        quantile_us(&self.counts, self.count, quantile)
    }

    /// How often each slot was counted.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Adds the times of another.
    pub fn merge(&mut self, other: &HistogramSnapshot) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.count += other.count;
        self.sum_us = self.sum_us.saturating_add(other.sum_us);
        self.min_us = self.min_us.min(other.min_us);
        self.max_us = self.max_us.max(other.max_us);
    }

    /// The times that were counted after `earlier` was taken.
    pub fn since(&self, earlier: &HistogramSnapshot) -> HistogramSnapshot {
        if earlier.count == 0 {
            return self.clone();
        }
        let pairs = self.counts.iter().zip(&earlier.counts);
        let counts: Box<[u64]> = pairs.map(|(l, e)| l.saturating_sub(*e)).collect();
        let first = counts.iter().position(|&count| count > 0);
        let last = counts.iter().rposition(|&count| count > 0);
        let min_us = match first {
            Some(_) if self.min_us < earlier.min_us => self.min_us,
            Some(index) => HistogramLayout::lowest_us(index).max(self.min_us),
            None => u64::MAX,
        };
        let max_us = match last {
            Some(_) if self.max_us > earlier.max_us => self.max_us,
            Some(index) => HistogramLayout::highest_us(index).min(self.max_us),
            None => 0,
        };
        let sum_us = self.sum_us.saturating_sub(earlier.sum_us);
        HistogramSnapshot::from_counts(counts, sum_us, min_us, max_us)
    }

    /// As an HdrHistogram, which has the precision of the slots: its mean and maximum are not exact.
    pub fn to_hdr(&self) -> Histogram<u64> {
        let mut histogram = HistogramLayout::empty();
        for (index, &count) in self.counts.iter().enumerate() {
            if count > 0 {
                // In bounds, for every slot's shortest time is at most MAX_US, or else it is clamped.
                let us = HistogramLayout::lowest_us(index).min(HistogramLayout::MAX_US);
                histogram.saturating_record_n(us, count);
            }
        }
        histogram
    }

    /// As text that any HdrHistogram tool reads: base64 of the compressed V2 format.
    pub fn to_base64(&self) -> String {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.to_hdr(), &mut bytes)
            .expect("a histogram of this layout can be written to memory");
        BASE64.encode(bytes)
    }
}

/// A text that is no histogram.
#[derive(Debug, thiserror::Error)]
#[error("not a base64 HdrHistogram of the compressed V2 format: {0}")]
pub struct HistogramTextError(String);

/// Reads what [`HistogramSnapshot::to_base64`] wrote.
///
/// # Errors
/// [`HistogramTextError`] if the text is not base64 or what it holds is no histogram.
pub fn from_base64(text: &str) -> Result<Histogram<u64>, HistogramTextError> {
    let bytes = BASE64
        .decode(text)
        .map_err(|e| HistogramTextError(e.to_string()))?;
    Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|e| HistogramTextError(e.to_string()))
}

/// HdrHistogram's value_at_quantile over slots in order, of which the first is slot 0.
pub(crate) fn quantile_us(counts: &[u64], total: u64, quantile: f64) -> u64 {
    let wanted = ((quantile.clamp(0.0, 1.0) * total as f64).ceil() as u64).max(1);
    let mut seen = 0;
    for (index, count) in counts.iter().enumerate() {
        seen += count;
        if seen >= wanted {
            return if quantile <= 0.0 {
                HistogramLayout::lowest_us(index)
            } else {
                HistogramLayout::highest_us(index)
            };
        }
    }
    0
}
