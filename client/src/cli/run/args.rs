//! The flags of `tpcc run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use workload::result::Mode;
use workload::tpcc::{HomeWarehouse, Mix};

use super::super::{CliError, duration};
use crate::connect::ConnectArgs;
use crate::driver::mode::Protocol;
use crate::driver::plan::{Arrivals, Pace};
use crate::flavour::FlavourArg;
use crate::schema::SetArgs;

/// Connections that are opened unless asked otherwise.
const DEFAULT_CONNECTIONS: u32 = 8;
/// The longest run: 30 days.
const LONGEST: Duration = Duration::from_secs(30 * 86_400);

/// Who runs the logic of the transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// The client, statement by statement, as an ordinary application does
    Statements,
    /// The client, independent statements sent together
    Pipelined,
    /// The server, one call a transaction
    Udf,
    /// The server, without a client
    Server,
    /// One after the other, side by side
    All,
}

impl ModeArg {
    /// The modes to run, in the order in which they are told.
    pub fn modes(self) -> Vec<Mode> {
        match self {
            ModeArg::Statements => vec![Mode::Statements],
            ModeArg::Pipelined => vec![Mode::Pipelined],
            ModeArg::Udf => vec![Mode::Udf],
            ModeArg::Server => vec![Mode::Server],
            ModeArg::All => vec![Mode::Statements, Mode::Pipelined, Mode::Udf, Mode::Server],
        }
    }
}

/// The isolation level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IsolationArg {
    /// PostgreSQL's default
    ReadCommitted,
    /// A snapshot a transaction
    RepeatableRead,
    /// As if one after the other; conflicts are retried
    Serializable,
}

impl IsolationArg {
    /// As SQL spells it.
    pub fn sql(self) -> &'static str {
        match self {
            IsolationArg::ReadCommitted => "read committed",
            IsolationArg::RepeatableRead => "repeatable read",
            IsolationArg::Serializable => "serializable",
        }
    }
}

/// The flags of `tpcc run`.
#[derive(Args)]
pub struct RunArgs {
    /// Who runs the logic of the transactions
    #[arg(short = 'M', long, value_name = "MODE", default_value = "udf")]
    pub mode: ModeArg,
    /// How statements are sent, as in pgbench
    #[arg(long, value_name = "PROTOCOL", default_value = "prepared")]
    pub protocol: Protocol,
    /// Whose functions are called [default: native where the extension is, else plpgsql]
    #[arg(long, value_name = "FLAVOUR")]
    pub flavour: Option<FlavourArg>,
    /// Connections, each with a terminal; in mode server, workers
    #[arg(short, long, value_name = "N", default_value_t = DEFAULT_CONNECTIONS, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub connections: u32,
    /// Threads that share the connections [default: one for two processors]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub threads: Option<u32>,
    /// How long to measure, in seconds or with a unit: 60, 90s, 5min
    #[arg(short = 'T', long, visible_alias = "duration", value_name = "TIME", default_value = "60s", value_parser = duration::parse)]
    pub time: Duration,
    /// How long to run before that, left out of the figures; in seconds or with a unit
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration::parse_or_none)]
    pub ramp_up: Duration,
    /// Warehouses to use, the first ones [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub warehouses: Option<u32>,
    /// Shares of the transactions: standard, or weights such as new_order=45,payment=55
    #[arg(long, default_value = "standard")]
    pub mix: Mix,
    /// Transactions due a second over all connections: an open loop
    #[arg(short = 'R', long, value_name = "TPS", value_parser = rate)]
    pub rate: Option<f64>,
    /// How due times are spread with --rate
    #[arg(long, value_name = "HOW", default_value = "poisson", requires = "rate")]
    pub arrivals: Arrivals,
    /// Wait for the standard's keying and think times
    #[arg(long, conflicts_with = "rate")]
    pub keying_thinking: bool,
    /// Count responses that take longer, in ms or with a unit; with --rate, skip what is this late
    #[arg(short = 'L', long, value_name = "TIME", value_parser = duration::parse_milliseconds)]
    pub latency_limit: Option<Duration>,
    /// Which home warehouse transactions have: fixed, as in the standard, or uniform
    #[arg(long, value_name = "RULE", default_value = "fixed")]
    pub home_warehouse: HomeWarehouse,
    /// Isolation level
    #[arg(long, value_name = "LEVEL", default_value = "read-committed")]
    pub isolation: IsolationArg,
    /// Seed of the inputs, for the same orders again [default: any]
    #[arg(long, allow_negative_numbers = true)]
    pub seed: Option<i64>,
    /// Hold each answer back by this: a longer round trip, simulated; 5ms, or seconds
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration::parse_or_none)]
    pub simulate_rtt: Duration,
    /// A line of progress this often, in seconds or with a unit; 0 for none
    #[arg(short = 'P', long, value_name = "TIME", default_value = "10s", value_parser = duration::parse_or_none)]
    pub progress: Duration,
    /// Write the result document to this file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the time series to this file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    #[command(flatten)]
    pub sets: SetArgs,
    #[command(flatten)]
    pub connection: ConnectArgs,
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if (0.001..=10_000_000.0).contains(&rate) => Ok(rate),
        _ => Err("a rate is a number of transactions a second, 0.001 to 10000000".into()),
    }
}

impl RunArgs {
    /// When transactions are due.
    pub fn pace(&self) -> Pace {
        match self.rate {
            Some(per_second) => Pace::Rate {
                per_second,
                arrivals: self.arrivals,
            },
            None if self.keying_thinking => Pace::KeyingThinking,
            None => Pace::Closed,
        }
    }

    /// The number of threads: half of the processors are left to a server on the same machine.
    pub fn thread_count(&self) -> u32 {
        let processors = std::thread::available_parallelism().map_or(1, usize::from) as u32;
        let threads = self.threads.unwrap_or((processors / 2).max(1));
        threads.min(self.connections)
    }

    /// Finds what does not go together.
    ///
    /// # Errors
    /// [`CliError::Usage`].
    pub fn check(&self) -> Result<(), CliError> {
        let usage = |message: String| Err(CliError::Usage(message));
        if self.time > LONGEST || self.ramp_up > LONGEST {
            return usage("a run is 30 days long at most".into());
        }
        let progress = self.progress;
        if !progress.is_zero() && progress < Duration::from_millis(100) {
            return usage("--progress is 0 for none, or 100ms at least".into());
        }
        if self.simulate_rtt > Duration::from_secs(10) {
            return usage("--simulate-rtt is 10s at most".into());
        }
        if self.mode == ModeArg::Server && !self.simulate_rtt.is_zero() {
            return usage(
                "--simulate-rtt delays a client, and in mode server there is none: leave it out, or take \
                 --mode all"
                    .into(),
            );
        }
        if self.sets.tables > self.connections {
            return usage(format!(
                "{} connections cannot spread over {} table sets: --connections {} at least",
                self.connections, self.sets.tables, self.sets.tables
            ));
        }
        if let (Some(json), Some(csv)) = (&self.json, &self.csv)
            && json == csv
        {
            return usage("--json and --csv name the same file".into());
        }
        Ok(())
    }
}
