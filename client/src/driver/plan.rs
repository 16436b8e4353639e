//! What a run of the client is to be.

use std::sync::Arc;
use std::time::Duration;

use workload::result::{Flavour, Mode};
use workload::script::Script;
use workload::tpcc::{self, HomeWarehouse, Mix, NurandConstants, TerminalConfig};
use workload::{Terminal, Workload, counted};

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

/// What the transactions are and what they work on.
#[derive(Debug, Clone)]
pub enum Task {
    /// TPC-C.
    Tpcc(TpccTask),
    /// A workload whose statements are known beforehand.
    Script(ScriptTask),
}

/// TPC-C.
#[derive(Debug, Clone)]
pub struct TpccTask {
    /// The table sets; connection number i works on set i modulo their number.
    pub sets: Vec<Data>,
    /// The shares of the transaction types.
    pub mix: Mix,
    /// Which home warehouse the transactions have.
    pub home: HomeWarehouse,
}

/// A workload whose statements are known beforehand.
#[derive(Debug, Clone)]
pub struct ScriptTask {
    /// What is sent.
    pub script: Arc<dyn Script>,
    /// The schema as an SQL identifier.
    pub quoted: String,
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
    /// What the transactions are and what they work on.
    pub task: Task,
    /// The schema as it was asked for, of which those of several table sets are numbered.
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
    /// What it is to those who count.
    pub fn workload(&self) -> &'static Workload {
        match &self.task {
            Task::Tpcc(_) => &tpcc::WORKLOAD,
            Task::Script(task) => task.script.workload(),
        }
    }

    /// The schemas that it works on: each with its name, and that as an SQL identifier.
    pub fn schemas(&self) -> Vec<(&str, &str)> {
        match &self.task {
            Task::Tpcc(task) => task
                .sets
                .iter()
                .map(|data| (data.schema.as_str(), data.quoted.as_str()))
                .collect(),
            Task::Script(task) => vec![(self.schema.as_str(), task.quoted.as_str())],
        }
    }

    /// The names of the tables that it works on.
    pub fn relations(&self) -> Vec<String> {
        match &self.task {
            Task::Tpcc(_) => tpcc::Table::ALL.map(|table| table.name().to_owned()).into(),
            Task::Script(task) => task.script.relations(),
        }
    }

    /// The terminal of a connection: the same for the same plan, in every mode.
    pub fn terminal(&self, connection: u32) -> Terminal {
        match &self.task {
            Task::Tpcc(task) => {
                let config = self.tpcc_terminal(task, connection);
                Terminal::Tpcc(tpcc::Terminal::new(&config))
            }
            Task::Script(task) => {
                let script = &task.script;
                Terminal::Script(script.terminal(self.seed, connection, self.connections))
            }
        }
    }

    fn tpcc_terminal(&self, task: &TpccTask, connection: u32) -> TerminalConfig {
        let set = task.set_index(connection);
        let data = &task.sets[set];
        let seed = task.seed_of(self.seed, set);
        TerminalConfig {
            seed,
            terminal: connection / task.sets.len() as u32,
            terminals: task.terminals_beside(connection, self.connections),
            warehouses: data.warehouses,
            constants: NurandConstants::run(seed, data.c_last_load),
            mix: task.mix,
            home: task.home,
        }
    }

    /// What an executor of this connection must know.
    pub fn setup(&self, connection: u32) -> Setup {
        let (schema, script) = match &self.task {
            Task::Tpcc(task) => (&task.sets[task.set_index(connection)].schema, None),
            Task::Script(task) => (&self.schema, Some(Arc::clone(&task.script))),
        };
        Setup {
            schema: schema.clone(),
            flavour: self.flavour,
            protocol: self.protocol,
            isolation: self.isolation.clone(),
            script,
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

impl Plan {
    /// What it works on, for people: how much, and where.
    pub fn place(&self) -> String {
        let schemas = self.schemas();
        let size = self.task.size();
        match (schemas.first(), schemas.last()) {
            (Some((first, _)), Some((last, _))) if schemas.len() > 1 => {
                format!("{size}, schemas \"{first}\" to \"{last}\"")
            }
            _ => format!("{size} of schema \"{}\"", self.schema),
        }
    }
}

impl Task {
    /// How much there is to work on, for people.
    pub fn size(&self) -> String {
        match self {
            Task::Tpcc(task) => {
                let warehouses = counted(task.sets[0].warehouses, "warehouse");
                match task.sets.len() {
                    1 => warehouses,
                    sets => format!("{sets} sets of {warehouses}"),
                }
            }
            Task::Script(task) => task.script.size(),
        }
    }
}

impl TpccTask {
    fn set_index(&self, connection: u32) -> usize {
        connection as usize % self.sets.len()
    }

    /// How many of the connections work on the table set of this one.
    fn terminals_beside(&self, connection: u32, connections: u32) -> u32 {
        let sets = self.sets.len() as u32;
        let own = connection % sets;
        (connections - own).div_ceil(sets)
    }

    /// The seed of a table set in a run with this seed: each set has inputs of its own.
    pub fn seed_of(&self, seed: i64, set: usize) -> i64 {
        seed.wrapping_add(set as i64)
    }
}
