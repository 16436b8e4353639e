//! Where a client's time went: the network, the server, and the rest.

use std::array;

use serde::{Deserialize, Serialize};

use super::histogram::HistogramSnapshot;
use super::summary::Latency;
use crate::kind::{Kind, MAX_KINDS};

/// The time of one transaction as its client felt it, taken apart; the three add up to the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PartTimes {
    /// Round trips times the length of one, in microseconds.
    pub network_us: u64,
    /// What the server told as its own time, in microseconds.
    pub server_us: u64,
    /// Commit, protocol, queueing in client and server: what is left, in microseconds.
    pub rest_us: u64,
}

impl PartTimes {
    /// Takes a latency apart.
    ///
    /// The round trip's length is that of a probe, so the product may come out longer than what there
    /// is; it is cut there, since a part cannot be longer than the whole.
    pub fn of(latency_us: u64, server_us: u64, round_trips: u64, round_trip_us: f64) -> PartTimes {
        let server_us = server_us.min(latency_us);
        let outside_us = latency_us - server_us;
        let network_us = ((round_trips as f64 * round_trip_us).round() as u64).min(outside_us);
        PartTimes {
            network_us,
            server_us,
            rest_us: outside_us - network_us,
        }
    }
}

/// The times of a type, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypeParts {
    network: HistogramSnapshot,
    server: HistogramSnapshot,
    rest: HistogramSnapshot,
    round_trips: u64,
}

impl TypeParts {
    fn merge(&mut self, other: &TypeParts) {
        self.network.merge(&other.network);
        self.server.merge(&other.server);
        self.rest.merge(&other.rest);
        self.round_trips += other.round_trips;
    }

    /// What they come to; none if nothing was counted.
    pub fn summary(&self) -> Option<PartsSummary> {
        let count = self.network.count();
        if count == 0 {
            return None;
        }
        let sum_us: u64 = [&self.network, &self.server, &self.rest]
            .iter()
            .map(|part| part.sum_us())
            .sum();
        let part = |times: &HistogramSnapshot| PartSummary {
            share: times.sum_us() as f64 / sum_us.max(1) as f64,
            times: Latency::of(times),
        };
        Some(PartsSummary {
            round_trips: self.round_trips as f64 / count as f64,
            network: part(&self.network),
            server: part(&self.server),
            rest: part(&self.rest),
        })
    }
}

/// The times of all types, taken apart; about 2.6 MB on the heap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parts {
    types: [TypeParts; MAX_KINDS],
}

impl Parts {
    /// Counts a transaction that needed so many round trips.
    pub fn record(&mut self, transaction: impl Into<Kind>, times: PartTimes, round_trips: u64) {
        let parts = &mut self.types[transaction.into().index()];
        parts.network.record(times.network_us);
        parts.server.record(times.server_us);
        parts.rest.record(times.rest_us);
        parts.round_trips += round_trips;
    }

    /// Adds the counts of another, as when each thread has its own.
    pub fn merge(&mut self, other: &Parts) {
        for (parts, more) in self.types.iter_mut().zip(&other.types) {
            parts.merge(more);
        }
    }

    /// The times of a type.
    pub fn of(&self, transaction: impl Into<Kind>) -> &TypeParts {
        &self.types[transaction.into().index()]
    }

    /// The times of all types together.
    pub fn total(&self) -> TypeParts {
        let mut total = TypeParts::default();
        for parts in &self.types {
            total.merge(parts);
        }
        total
    }

    /// What was counted of each type, in the order of the workload's types.
    pub fn summaries(&self) -> [Option<PartsSummary>; MAX_KINDS] {
        array::from_fn(|index| self.types[index].summary())
    }
}

/// A part of the time: its share of all of it, and its own figures.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct PartSummary {
    /// 0 to 1; the shares of the three parts add up to 1, unless no time passed at all.
    pub share: f64,
    /// The part's own figures. Percentiles of parts do not add up to those of the whole; means do.
    pub times: Latency,
}

/// Where the time of a type, or of all, went. Of committed and rolled-back transactions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PartsSummary {
    /// Round trips of a transaction, the mean of what was counted.
    pub round_trips: f64,
    /// Round trips times the length of one.
    pub network: PartSummary,
    /// The server's own time.
    pub server: PartSummary,
    /// Commit, protocol, queueing.
    pub rest: PartSummary,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpcc::TransactionType;

    #[test]
    fn parts_add_up_whatever_the_probe_says() {
        for (latency, server, trips, trip) in [
            (1_000, 300, 1, 250.4),
            (1_000, 300, 10, 250.0),
            (100, 300, 1, 50.0),
            (0, 0, 0, 0.0),
        ] {
            let times = PartTimes::of(latency, server, trips, trip);
            assert_eq!(
                times.network_us + times.server_us + times.rest_us,
                latency,
                "{times:?}"
            );
        }
        assert_eq!(
            PartTimes::of(1_000, 300, 2, 250.4),
            PartTimes {
                network_us: 501,
                server_us: 300,
                rest_us: 199
            }
        );
    }

    #[test]
    fn shares_add_up_to_one() {
        let mut parts = Parts::default();
        let times = PartTimes::of(1_000, 300, 1, 500.0);
        parts.record(TransactionType::Payment, times, 1);
        parts.record(
            TransactionType::NewOrder,
            PartTimes::of(3_000, 100, 3, 500.0),
            3,
        );
        let total = parts.total().summary().unwrap();
        assert_eq!(total.round_trips, 2.0);
        let shares = total.network.share + total.server.share + total.rest.share;
        assert!((shares - 1.0).abs() < 1e-12);
        assert!((total.network.share - 0.5).abs() < 1e-12);
        assert_eq!(parts.of(TransactionType::Delivery).summary(), None);
    }
}
