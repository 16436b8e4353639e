//! How a run was set up.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::kind::Workload;
use crate::tpcc::{HomeWarehouse, NurandConstants};

/// Who ran the logic of the transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Background workers in the server, without a client.
    Server,
    /// The server, one call a transaction.
    Udf,
    /// The client, statement by statement.
    Statements,
    /// The client, independent statements sent together.
    Pipelined,
}

impl Mode {
    /// The name used on the command line and in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Server => "server",
            Mode::Udf => "udf",
            Mode::Statements => "statements",
            Mode::Pipelined => "pipelined",
        }
    }
}

/// Which functions were called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flavour {
    /// The extension's.
    Native,
    /// Those in SQL and PL/pgSQL, for servers where no extension may be.
    Plpgsql,
}

/// How the run was set up: every knob, so that it can be run again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunConfig {
    /// The workload's name; TPC-C in documents that came before the others.
    #[serde(default = "tpcc")]
    pub workload: String,
    /// The schema of the data.
    pub schema: String,
    /// Terminals at work: background workers, or a client's connections.
    pub workers: u32,
    /// A client's threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// How long was to be measured, in seconds.
    pub duration_s: f64,
    /// How long the run went on before the figures begin, in seconds.
    pub ramp_up_s: f64,
    /// The mix, as [`crate::tpcc::Mix`] reads it.
    pub mix: String,
    /// Transactions due a second, over all workers; none for as many as go.
    pub rate: Option<f64>,
    /// Whether terminals waited for the standard's keying and think times.
    pub keying_thinking: bool,
    /// The isolation level, as SQL spells it.
    pub isolation: String,
    /// How often a transaction was tried at most.
    pub max_tries: u32,
    /// How often the progress was told, in seconds.
    pub report_interval_s: f64,
    /// The seed of the inputs.
    pub seed: i64,
    /// The seed of the data, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_seed: Option<i64>,
    /// What TPC-C alone has.
    #[serde(flatten)]
    pub tpcc: Option<TpccConfig>,
    /// What the other workloads have: scale, tables, distribution and so on, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, serde_json::Value>,
}

/// The knobs of TPC-C.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TpccConfig {
    /// How many warehouses were used.
    pub warehouses: u32,
    /// Which home warehouse the transactions had.
    pub home_warehouse: HomeWarehouse,
    /// The constants of NURand; c_last is C-run (clause 2.1.6.1).
    pub constants: NurandConstants,
    /// C-load, the constant with which the last names were made (clause 2.1.6.1).
    pub c_last_load: i32,
}

fn tpcc() -> String {
    crate::tpcc::WORKLOAD.name.to_owned()
}

impl RunConfig {
    /// The workload; TPC-C for a name that is none, which [`ResultDocument::parse`] refuses.
    pub fn workload(&self) -> &'static Workload {
        Workload::named(&self.workload).unwrap_or(&crate::tpcc::WORKLOAD)
    }
}
