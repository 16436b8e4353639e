//! What a run of the client is to be.

use std::time::Duration;

use workload::result::{Flavour, Mode};
use workload::tpcc::{HomeWarehouse, Mix, NurandConstants, TerminalConfig};

use super::mode::{Protocol, Setup};
use crate::connect::Connector;
use crate::schema::Data;
use crate::wire::Wire;

/// How long a wait spins on a connection that has a thread and half the processors to itself.
const SPIN: Duration = Duration::from_micros(100);

/// When transactions are due.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// One after the other, as fast as they go: a closed loop.
    Closed,
    /// After the standard's keying and think times (clause 5.2.5).
    KeyingThinking,
    /// So many a second over all connections, whether or not the ones before are done: an open loop.
    Rate {
        /// Transactions a second.
        per_second: f64,
        /// How they are spread.
        arrivals: Arrivals,
    },
}

/// How due times of an open loop are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Arrivals {
    /// At random and independent of each other, as from many users.
    #[default]
    Poisson,
    /// At equal distances.
    Fixed,
}

impl Arrivals {
    /// The name on the command line and in documents.
    pub fn name(self) -> &'static str {
        match self {
            Arrivals::Poisson => "poisson",
            Arrivals::Fixed => "fixed",
        }
    }
}

/// Everything that a run needs to know before it starts.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Where to.
    pub connector: Connector,
    /// Who runs the logic of the transactions.
    pub mode: Mode,
    /// Whose functions are called.
    pub flavour: Flavour,
    /// How statements are sent.
    pub protocol: Protocol,
    /// The table sets; connection number i works on set i modulo their number.
    pub sets: Vec<Data>,
    /// The schema as it was asked for, of which the sets' are numbered.
    pub schema: String,
    /// How many connections.
    pub connections: u32,
    /// How many threads share them.
    pub threads: u32,
    /// How long the run goes on before the figures begin.
    pub ramp_up: Duration,
    /// How long is measured.
    pub duration: Duration,
    /// When transactions are due.
    pub pace: Pace,
    /// The shares of the transaction types.
    pub mix: Mix,
    /// Which home warehouse the transactions have.
    pub home: HomeWarehouse,
    /// The isolation level as SQL spells it.
    pub isolation: String,
    /// The seed of the inputs.
    pub seed: i64,
    /// Response times beyond this are counted; in an open loop, transactions that are this late already
    /// are skipped.
    pub latency_limit: Option<Duration>,
    /// By how much each answer is held back.
    pub simulated_rtt: Duration,
    /// How often a line of progress is told.
    pub report_interval: Option<Duration>,
}

impl Plan {
    /// The table set of a connection.
    pub fn set(&self, connection: u32) -> &Data {
        &self.sets[self.set_index(connection)]
    }

    fn set_index(&self, connection: u32) -> usize {
        connection as usize % self.sets.len()
    }

    /// How many connections work on the table set of this one.
    fn terminals_beside(&self, connection: u32) -> u32 {
        let sets = self.sets.len() as u32;
        let own = connection % sets;
        (self.connections - own).div_ceil(sets)
    }

    /// The seed of a table set: each has inputs of its own.
    pub fn seed_of(&self, set: usize) -> i64 {
        self.seed.wrapping_add(set as i64)
    }

    /// The terminal of a connection: the same for the same plan, in every mode.
    pub fn terminal(&self, connection: u32) -> TerminalConfig {
        let set = self.set_index(connection);
        let data = &self.sets[set];
        let seed = self.seed_of(set);
        TerminalConfig {
            seed,
            terminal: connection / self.sets.len() as u32,
            terminals: self.terminals_beside(connection),
            warehouses: data.warehouses,
            constants: NurandConstants::run(seed, data.c_last_load),
            mix: self.mix,
            home: self.home,
        }
    }

    /// What an executor of this connection must know.
    pub fn setup(&self, connection: u32) -> Setup {
        Setup {
            schema: self.set(connection).schema.clone(),
            flavour: self.flavour,
            protocol: self.protocol,
            isolation: self.isolation.clone(),
        }
    }

    /// How the bytes of the connections travel. Waits spin where every connection has a thread to itself
    /// and spinning leaves half of the processors to others.
    pub fn wire(&self) -> Wire {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let alone = self.connections <= self.threads && self.threads as usize * 2 <= processors;
        Wire {
            spin: if alone { SPIN } else { Duration::ZERO },
            simulated_rtt: self.simulated_rtt,
        }
    }
}
