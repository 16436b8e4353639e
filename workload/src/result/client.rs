//! What only a client knows of a run: the parts of a result document that the server has no part in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::kind::Kind;
use crate::stats::{Latency, PartsSummary};

/// Statements by what they do, as sysbench counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StatementCounts {
    /// SELECT.
    pub reads: u64,
    /// INSERT, UPDATE, DELETE, and calls of functions that write.
    pub writes: u64,
    /// BEGIN, COMMIT, ROLLBACK.
    pub other: u64,
}

impl StatementCounts {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.reads + self.writes + self.other
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, more: &StatementCounts) {
        self.reads += more.reads;
        self.writes += more.writes;
        self.other += more.other;
    }

    /// What was counted after `earlier`.
    pub fn since(&self, earlier: &StatementCounts) -> StatementCounts {
        StatementCounts {
            reads: self.reads.saturating_sub(earlier.reads),
            writes: self.writes.saturating_sub(earlier.writes),
            other: self.other.saturating_sub(earlier.other),
        }
    }
}

/// What a client saw of a second, beside the transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientPoint {
    /// Connections that were open at its end.
    pub connections: u32,
    /// Statements that were sent.
    pub statements: StatementCounts,
    /// Connections that were opened again.
    pub reconnects: u64,
}

/// A time in which connections were lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outage {
    /// The last success before it, in seconds since the measuring began; negative in the ramp-up.
    pub from_s: f64,
    /// The first success after it; none if the run ended first.
    pub to_s: Option<f64>,
    /// How many connections were lost.
    pub connections: u32,
    /// What the first of them said.
    pub reason: String,
}

/// How evenly the connections came to their turn, as sysbench tells it of its threads.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Fairness {
    /// Transactions of a connection, the mean.
    pub transactions_avg: f64,
    /// Their standard deviation.
    pub transactions_stddev: f64,
    /// Seconds that a connection spent in transactions, the mean.
    pub busy_s_avg: f64,
    /// Their standard deviation.
    pub busy_s_stddev: f64,
}

/// Transactions whose response took longer than a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyLimit {
    /// The limit in microseconds.
    pub limit_us: u64,
    /// Those that were done and took longer; skipped ones, which were too late to begin, are counted
    /// with the others.
    pub exceeded: u64,
}

/// What only a client knows of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClientFacts {
    /// How statements were sent: simple, extended or prepared.
    pub protocol: String,
    /// Over how many table sets the load was spread.
    pub tables: u32,
    /// By how many microseconds each answer was held back: the round trips are simulated then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulated_rtt_us: Option<u64>,
    /// How due times were spread, where there was a rate: poisson or fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_distribution: Option<String>,
    /// The limit of response times, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_limit: Option<LatencyLimit>,
    /// Round trips a transaction that was committed or rolled back, as counted.
    pub round_trips_per_transaction: f64,
    /// The length of a round trip: an empty query a second on each connection while the run went on.
    pub round_trip: Latency,
    /// How many of them there were; 0 where that was not kept.
    #[serde(default)]
    pub round_trip_samples: u64,
    /// Where the time of each type went.
    pub parts: BTreeMap<Kind, PartsSummary>,
    /// Where the time of all types went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts_total: Option<PartsSummary>,
    /// Statements that were sent.
    pub statements: StatementCounts,
    /// Bytes that were sent, with everything.
    pub bytes_sent: u64,
    /// Bytes that were received.
    pub bytes_received: u64,
    /// CPU time of the client while it was measured, in seconds.
    pub cpu_s: f64,
    /// CPU time of the client a transaction that was committed or rolled back, in microseconds.
    pub cpu_us_per_transaction: f64,
    /// How busy each of its threads was, 0 to 1.
    pub thread_busy: Vec<f64>,
    /// Why the client was the bottleneck, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottleneck: Option<String>,
    /// How evenly the connections came to their turn.
    pub fairness: Fairness,
    /// Connections that were opened again.
    pub reconnects: u64,
    /// Times in which connections were lost.
    pub outages: Vec<Outage>,
}
