//! Where transactions are counted while a run goes on.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::histogram::{HistogramLayout, HistogramSnapshot};
use super::snapshot::{Counters, Snapshot, TypeSnapshot};
use crate::kind::{Kind, MAX_KINDS};

/// Counts the transactions of a run, from any number of threads or processes at once.
///
/// Every transaction that is started ends as exactly one of four things, so that once none is under
/// way, for each type
///
/// ```text
/// started == committed + rolled_back + failed + skipped
/// ```
///
/// - *committed*: the work is done and lasts.
/// - *rolled back*: the standard's one New-Order in a hundred with an unused item (clause 2.4.1.4),
///   which did its work and undid it as it should. It has a response time as a committed one has.
/// - *failed*: it ended in an error, after whatever retries.
/// - *skipped*: it was due but never begun, as when a run with a rate falls behind or ends.
///
/// Retries are counted apart, for a transaction may be retried many times and still end only once.
/// Times are kept of committed and rolled-back transactions alone: errors are often fast, and would
/// flatter.
///
/// It is made of [`AtomicU64`] only, and all zeroes are a fresh recorder: about 2.8 MB that may lie in
/// memory shared by processes. All counting is relaxed: a reader may see a transaction counted as
/// started and not yet as ended, never the other way round for long.
#[repr(C)]
pub struct Recorder {
    types: [TypeRecorder; MAX_KINDS],
    delivery_skipped_districts: AtomicU64,
}

/// The counts of one type.
#[repr(C)]
struct TypeRecorder {
    started: AtomicU64,
    committed: AtomicU64,
    rolled_back: AtomicU64,
    failed: AtomicU64,
    skipped: AtomicU64,
    retries_serialization: AtomicU64,
    retries_deadlock: AtomicU64,
    response: AtomicHistogram,
    service: AtomicHistogram,
}

#[repr(C)]
struct AtomicHistogram {
    sum_us: AtomicU64,
    /// The bitwise complement of the shortest time, so that 0 means that there is none.
    min_us_complement: AtomicU64,
    max_us: AtomicU64,
    counts: [AtomicU64; HistogramLayout::SLOTS],
}

/// How long a transaction took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// From when it was due, with waiting and retries, in microseconds.
    pub response_us: u64,
    /// From when it was really begun, in microseconds.
    pub service_us: u64,
}

impl Timing {
    /// A transaction that began when it was due.
    pub const fn closed(us: u64) -> Timing {
        Timing {
            response_us: us,
            service_us: us,
        }
    }
}

/// Why a transaction was tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// SQLSTATE 40001, serialization_failure, and what its workload counts as one.
    Serialization,
    /// SQLSTATE 40P01, deadlock_detected.
    Deadlock,
}

impl Retry {
    /// What kind of retry an SQLSTATE calls for in a transaction of this type, if any.
    pub fn of(sqlstate: &[u8], transaction: Kind) -> Option<Retry> {
        match sqlstate {
            b"40001" => Some(Retry::Serialization),
            b"40P01" => Some(Retry::Deadlock),
            _ if transaction.workload().conflicts.contains(&sqlstate) => Some(Retry::Serialization),
            _ => None,
        }
    }
}

impl Recorder {
    /// A fresh recorder; shared memory filled with zeroes is the same.
    pub const fn zeroed() -> Recorder {
        Recorder {
            types: [const { TypeRecorder::zeroed() }; MAX_KINDS],
            delivery_skipped_districts: AtomicU64::new(0),
        }
    }

    /// A fresh recorder on the heap.
    pub fn new_boxed() -> Box<Recorder> {
        // A build without optimization puts the 2.8 MB on the stack first, and a thread that is not
        // the main one has 2 MB of that.
        std::thread::Builder::new()
            .stack_size(16 << 20)
            .spawn(|| Box::new(Recorder::zeroed()))
            .ok()
            .and_then(|thread| thread.join().ok())
            .unwrap_or_else(|| Box::new(Recorder::zeroed()))
    }

    /// A transaction is due: every one that is counted otherwise is counted here first.
    #[inline]
    pub fn started(&self, transaction: impl Into<Kind>) {
        self.of(transaction.into()).started.fetch_add(1, Relaxed);
    }

    /// A transaction has committed.
    #[inline]
    pub fn committed(&self, transaction: impl Into<Kind>, timing: Timing) {
        let counts = self.of(transaction.into());
        counts.record(timing);
        counts.committed.fetch_add(1, Relaxed);
    }

    /// A transaction has been rolled back as it should: the standard's one New-Order in a hundred.
    #[inline]
    pub fn rolled_back(&self, transaction: impl Into<Kind>, timing: Timing) {
        let counts = self.of(transaction.into());
        counts.record(timing);
        counts.rolled_back.fetch_add(1, Relaxed);
    }

    /// A transaction has ended in an error.
    #[inline]
    pub fn failed(&self, transaction: impl Into<Kind>) {
        self.of(transaction.into()).failed.fetch_add(1, Relaxed);
    }

    /// A transaction that was due will not be begun.
    #[inline]
    pub fn skipped(&self, transaction: impl Into<Kind>) {
        self.of(transaction.into()).skipped.fetch_add(1, Relaxed);
    }

    /// A transaction is tried again.
    #[inline]
    pub fn retried(&self, transaction: impl Into<Kind>, retry: Retry) {
        let counts = self.of(transaction.into());
        match retry {
            Retry::Serialization => &counts.retries_serialization,
            Retry::Deadlock => &counts.retries_deadlock,
        }
        .fetch_add(1, Relaxed);
    }

    /// A committed Delivery found so many districts without an order to deliver (clause 2.7.4.2).
    #[inline]
    pub fn delivery_skipped_districts(&self, districts: u64) {
        self.delivery_skipped_districts
            .fetch_add(districts, Relaxed);
    }

    /// The counters of a type, without its histograms.
    pub fn counters(&self, transaction: impl Into<Kind>) -> Counters {
        self.of(transaction.into()).counters()
    }

    /// The counters of all types, in the order of the workload's.
    pub fn all_counters(&self) -> impl Iterator<Item = Counters> {
        self.types.iter().map(TypeRecorder::counters)
    }

    /// All counts as they are now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            types: std::array::from_fn(|index| self.types[index].snapshot()),
            delivery_skipped_districts: self.delivery_skipped_districts.load(Relaxed),
        }
    }

    /// Adds the response times of all types to slots in the order of [`HistogramLayout`].
    pub(super) fn add_response_counts(&self, slots: &mut [u64]) {
        for counts in &self.types {
            let Some((first, last)) = counts.response.used_slots() else {
                continue;
            };
            let used = counts.response.counts[first..=last].iter();
            for (slot, count) in slots[first..=last].iter_mut().zip(used) {
                *slot += count.load(Relaxed);
            }
        }
    }

    fn of(&self, transaction: Kind) -> &TypeRecorder {
        &self.types[transaction.index()]
    }
}

impl TypeRecorder {
    const fn zeroed() -> TypeRecorder {
        TypeRecorder {
            started: AtomicU64::new(0),
            committed: AtomicU64::new(0),
            rolled_back: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            retries_serialization: AtomicU64::new(0),
            retries_deadlock: AtomicU64::new(0),
            response: AtomicHistogram::zeroed(),
            service: AtomicHistogram::zeroed(),
        }
    }

    #[inline]
    fn record(&self, timing: Timing) {
        self.response.record(timing.response_us);
        self.service.record(timing.service_us);
    }

    fn counters(&self) -> Counters {
        // The ends before the starts, so that no more have ended than were started.
        let committed = self.committed.load(Relaxed);
        let rolled_back = self.rolled_back.load(Relaxed);
        let failed = self.failed.load(Relaxed);
        let skipped = self.skipped.load(Relaxed);
        Counters {
            started: self.started.load(Relaxed),
            committed,
            rolled_back,
            failed,
            skipped,
            retries_serialization: self.retries_serialization.load(Relaxed),
            retries_deadlock: self.retries_deadlock.load(Relaxed),
        }
    }

    fn snapshot(&self) -> TypeSnapshot {
        TypeSnapshot {
            counters: self.counters(),
            response: self.response.snapshot(),
            service: self.service.snapshot(),
        }
    }
}

impl AtomicHistogram {
    const fn zeroed() -> AtomicHistogram {
        AtomicHistogram {
            sum_us: AtomicU64::new(0),
            min_us_complement: AtomicU64::new(0),
            max_us: AtomicU64::new(0),
            counts: [const { AtomicU64::new(0) }; HistogramLayout::SLOTS],
        }
    }

    #[inline]
    fn record(&self, us: u64) {
        // Extremes are read first: they seldom change, and an unchanged line stays shared.
        if !us > self.min_us_complement.load(Relaxed) {
            self.min_us_complement.fetch_max(!us, Relaxed);
        }
        if us > self.max_us.load(Relaxed) {
            self.max_us.fetch_max(us, Relaxed);
        }
        self.sum_us.fetch_add(us, Relaxed);
        self.counts[HistogramLayout::index_of(us)].fetch_add(1, Relaxed);
    }

    /// The first and the last slot that may be counted.
    fn used_slots(&self) -> Option<(usize, usize)> {
        let min_us = !self.min_us_complement.load(Relaxed);
        let max_us = self.max_us.load(Relaxed);
        (min_us <= max_us).then(|| {
            (
                HistogramLayout::index_of(min_us),
                HistogramLayout::index_of(max_us),
            )
        })
    }

    fn snapshot(&self) -> HistogramSnapshot {
        let counts = self.counts.iter().map(|count| count.load(Relaxed));
        HistogramSnapshot::from_counts(
            counts.collect(),
            self.sum_us.load(Relaxed),
            !self.min_us_complement.load(Relaxed),
            self.max_us.load(Relaxed),
        )
    }
}
