//! Where the connections of one thread count what they do.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use workload::Kind;
use workload::result::StatementCounts;
use workload::stats::{ErrorTally, HistogramSnapshot, PartTimes, Parts, Recorder};

use crate::connect::CancelToken;

/// The counts of one thread. The recorder is read while the run goes on; the tally is locked for some
/// nanoseconds a transaction, by nobody else but the reader of each second.
pub struct Desk {
    /// How transactions ended and how long they took.
    pub recorder: Box<Recorder>,
    tally: Mutex<Tally>,
}

/// What is counted beside the transactions.
#[derive(Default)]
pub struct Tally {
    /// Where the time went.
    pub parts: Parts,
    /// Probes of the round trip.
    pub round_trip: HistogramSnapshot,
    /// Round trips of measured transactions.
    pub round_trips: u64,
    /// Statements that were sent.
    pub statements: StatementCounts,
    /// Response times beyond the limit.
    pub limit_exceeded: u64,
    /// Errors by SQLSTATE.
    pub errors: ErrorTally,
    /// Connections that are open.
    pub connections: u32,
    /// Connections that were opened again.
    pub reconnects: u64,
    /// When connections were lost, and for how long.
    pub losses: Vec<Loss>,
    /// Transactions that were over before the measuring began: done, and failed.
    pub ramp_up: (u64, u64),
    /// A figure a connection.
    pub stations: Vec<StationFigures>,
    /// Bytes over connections that were measured.
    pub bytes: (u64, u64),
    /// How much CPU time the thread took while it was measured, of how much time.
    pub busy: Option<(Duration, Duration)>,
    /// What cancels the statements that are under way, by connection.
    pub tokens: Vec<(u32, CancelToken)>,
}

/// A lost connection.
#[derive(Debug, Clone)]
pub struct Loss {
    /// The last success on it.
    pub from: Instant,
    /// The first success after it was opened again.
    pub to: Option<Instant>,
    /// What the server or the system said.
    pub reason: String,
}

/// What one connection did.
#[derive(Debug, Clone, Copy, Default)]
pub struct StationFigures {
    /// Transactions that were done.
    pub transactions: u64,
    /// How long it was in transactions.
    pub busy: Duration,
}

impl Desk {
    /// A desk with nothing on it.
    pub fn new() -> Desk {
        Desk {
            recorder: Recorder::new_boxed(),
            tally: Mutex::default(),
        }
    }

    /// The tally, for a moment.
    pub fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Desk {
    fn default() -> Self {
        Desk::new()
    }
}

impl Tally {
    /// Counts where the time of a transaction went.
    pub fn took(&mut self, transaction: Kind, times: PartTimes, round_trips: u64) {
        self.parts.record(transaction, times, round_trips);
    }

    /// Forgets what cancels the statements of a connection.
    pub fn forget_token(&mut self, connection: u32) {
        self.tokens.retain(|(known, _)| *known != connection);
    }
}
