//! The counts of a run at a moment, or between two.

use serde::{Deserialize, Serialize};

use super::histogram::HistogramSnapshot;
use crate::kind::{Kind, MAX_KINDS};

/// How the transactions of a type ended; [`Recorder`](super::Recorder) says what each word means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counters {
    /// All that were due.
    pub started: u64,
    /// Done, and lasting.
    pub committed: u64,
    /// Rolled back as they should be.
    pub rolled_back: u64,
    /// Ended in an error.
    pub failed: u64,
    /// Due, but never begun.
    pub skipped: u64,
    /// Tries after SQLSTATE 40001.
    pub retries_serialization: u64,
    /// Tries after SQLSTATE 40P01.
    pub retries_deadlock: u64,
}

impl Counters {
    /// All that have ended, one way or another.
    pub fn ended(&self) -> u64 {
        self.committed + self.rolled_back + self.failed + self.skipped
    }

    /// Whether every started transaction has ended in exactly one way; while some are under way, more
    /// have started.
    pub fn is_balanced(&self) -> bool {
        self.started == self.ended()
    }

    /// Tries after either SQLSTATE.
    pub fn retries(&self) -> u64 {
        self.retries_serialization + self.retries_deadlock
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Counters) {
        self.started += other.started;
        self.committed += other.committed;
        self.rolled_back += other.rolled_back;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.retries_serialization += other.retries_serialization;
        self.retries_deadlock += other.retries_deadlock;
    }

    /// What was counted after `earlier`. Transactions that were under way at that moment are among the
    /// started ones, since their end is still to come: the identity holds for a difference too.
    pub fn since(&self, earlier: &Counters) -> Counters {
        Counters {
            started: self.started.saturating_sub(earlier.ended()),
            committed: self.committed.saturating_sub(earlier.committed),
            rolled_back: self.rolled_back.saturating_sub(earlier.rolled_back),
            failed: self.failed.saturating_sub(earlier.failed),
            skipped: self.skipped.saturating_sub(earlier.skipped),
            retries_serialization: self
                .retries_serialization
                .saturating_sub(earlier.retries_serialization),
            retries_deadlock: self
                .retries_deadlock
                .saturating_sub(earlier.retries_deadlock),
        }
    }
}

/// The counts of a type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypeSnapshot {
    /// How its transactions ended.
    pub counters: Counters,
    /// Times from when a transaction was due.
    pub response: HistogramSnapshot,
    /// Times from when it was begun.
    pub service: HistogramSnapshot,
}

impl TypeSnapshot {
    /// Adds the counts of another.
    pub fn merge(&mut self, other: &TypeSnapshot) {
        self.counters.merge(&other.counters);
        self.response.merge(&other.response);
        self.service.merge(&other.service);
    }

    /// What was counted after `earlier` was taken.
    pub fn since(&self, earlier: &TypeSnapshot) -> TypeSnapshot {
        TypeSnapshot {
            counters: self.counters.since(&earlier.counters),
            response: self.response.since(&earlier.response),
            service: self.service.since(&earlier.service),
        }
    }
}

/// The counts of all types, about 350 kB on the heap a type that has any.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    pub(super) types: [TypeSnapshot; MAX_KINDS],
    pub(super) delivery_skipped_districts: u64,
}

impl Snapshot {
    /// Counts that were kept elsewhere, in the order of the workload's types.
    pub fn of_types(types: [TypeSnapshot; MAX_KINDS], delivery_skipped_districts: u64) -> Snapshot {
        Snapshot {
            types,
            delivery_skipped_districts,
        }
    }

    /// The counts of a type.
    pub fn of(&self, transaction: impl Into<Kind>) -> &TypeSnapshot {
        &self.types[transaction.into().index()]
    }

    /// The counts of all types together.
    pub fn total(&self) -> TypeSnapshot {
        let mut total = TypeSnapshot::default();
        for counts in &self.types {
            total.merge(counts);
        }
        total
    }

    /// Districts in which a Delivery found no order to deliver (clause 2.7.4.2).
    pub fn delivery_skipped_districts(&self) -> u64 {
        self.delivery_skipped_districts
    }

    /// Whether for each type every started transaction has ended in exactly one way.
    pub fn is_balanced(&self) -> bool {
        self.types.iter().all(|t| t.counters.is_balanced())
    }

    /// Adds the counts of another, as when each worker has a recorder of its own.
    pub fn merge(&mut self, other: &Snapshot) {
        for (counts, more) in self.types.iter_mut().zip(&other.types) {
            counts.merge(more);
        }
        self.delivery_skipped_districts += other.delivery_skipped_districts;
    }

    /// What was counted after `earlier` was taken, for instance at the end of the ramp-up; see
    /// [`Counters::since`] for transactions that were under way then.
    pub fn since(&self, earlier: &Snapshot) -> Snapshot {
        Snapshot {
            types: std::array::from_fn(|i| self.types[i].since(&earlier.types[i])),
            delivery_skipped_districts: self
                .delivery_skipped_districts
                .saturating_sub(earlier.delivery_skipped_districts),
        }
    }
}
